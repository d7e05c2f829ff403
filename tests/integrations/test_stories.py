"""Programs as users write them, watched by a real service, read from its API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integrations.stories import EXAMPLES, NO_B, Story, view, watch
from tests.support.services.process import Service

CLERK = Path(__file__).with_name("clerk.py")
NO_PAYMENTS = """
[[policies]]
name = "no payments"
tools = ["pay"]
action = "deny"
reason = "nobody pays here"
"""

STORIES = [
    Story(
        (EXAMPLES / "langchain_agent.py",),
        "It is 3.\n",
        """\
What is 1 + 2?: 2 LLM calls, 1 tool calls, 20 + 10 tokens, 0 duplicates
invoke_agent calculator user: What is 1 + 2? -> It is 3.
  chat (1) user: What is 1 + 2? -> calls add
  execute_tool add {"a":1,"b":2} -> {"result":"3"}
  chat (3) tool: 3 -> It is 3.
""",
        session_id="langchain-example",
    ),
    Story(
        (EXAMPLES / "openai_agents_agent.py",),
        "It is 3.\n",
        """\
What is 1 + 2?: 2 LLM calls, 1 tool calls, 20 + 10 tokens, 0 duplicates
invoke_agent calculator user: What is 1 + 2? -> It is 3.
  chat (2) user: What is 1 + 2? -> calls add
  execute_tool add {"a":1,"b":2} -> {"result":3}
  chat (4) tool: 3 -> It is 3.
""",
        session_id="openai-agents-example",
    ),
    Story(
        (EXAMPLES / "pydantic_ai_agent.py",),
        "It is 3.\n",
        """\
What is 1 + 2?: 2 LLM calls, 1 tool calls, 20 + 10 tokens, 0 duplicates
invoke_agent calculator user: What is 1 + 2? -> It is 3.
  chat function:say: (1) user: What is 1 + 2? -> calls add
  execute_tool add {"a":1,"b":2} -> {"result":3}
  chat function:say: (3) tool: 3 -> It is 3.
""",
        session_id="pydantic-ai-example",
    ),
    pytest.param(
        Story(
            (EXAMPLES / "llama_index_agent.py",),
            "It is 3.\n",
            """\
What is 1 + 2?: 2 LLM calls, 1 tool calls, 0 + 0 tokens, 0 duplicates
invoke_agent calculator user: What is 1 + 2? -> It is 3.
  chat (1, streamed) user: What is 1 + 2? -> calls add
  execute_tool add {"a":1,"b":2} -> {"result":3}
  chat (3, streamed) tool: 3 -> It is 3.
""",
            session_id="llama-index-example",
        ),
        marks=(
            pytest.mark.shows("llama_index", "agent", "llm", "tool", "session", "streaming"),
            pytest.mark.slow,
        ),
    ),
    pytest.param(
        Story(
            (EXAMPLES / "adk_agent.py",),
            "It is 3.\n",
            """\
What is 1 + 2?: 2 LLM calls, 1 tool calls, 20 + 10 tokens, 4 duplicates
invoke_agent calculator user: What is 1 + 2? -> It is 3.
  chat calculator-1 (2) user: What is 1 + 2? -> calls add
  execute_tool add {"a":1,"b":2} -> {"result":3}
  chat calculator-1 (4) tool: {"result": 3} -> It is 3.
""",
            session_id="adk-example",
        ),
        marks=(
            pytest.mark.shows("adk", "agent", "llm", "tokens", "tool", "session", "once"),
            pytest.mark.slow,
        ),
    ),
    pytest.param(
        Story(
            (EXAMPLES / "amplifier_session.py",),
            """\
r in strawberry = 3
rr in strawberry = not one letter
b in strawberry = Denied: b is not for us
""",
            """\
r in strawberry: 6 LLM calls, 3 tool calls, 72 + 18 tokens, 0 duplicates
invoke_agent loop-pocket user: r in strawberry -> 3
  chat pocket-1 (1) user: r in strawberry -> calls letter_count
  execute_tool letter_count {"word":"strawberry","letter":"r"} -> {"success":true,"output":3}
  chat pocket-1 (2) tool: 3 -> 3
invoke_agent loop-pocket user: rr in strawberry -> not one letter
  chat pocket-1 (1) user: rr in strawberry -> calls letter_count
  execute_tool letter_count {"word":"strawberry","letter":"rr"} ! not one letter
  chat pocket-1 (2) tool: not one letter -> not one letter
invoke_agent loop-pocket user: b in strawberry -> Denied: b is not for us
  chat pocket-1 (1) user: b in strawberry -> calls letter_count
  execute_tool letter_count {"word":"strawberry","letter":"b"} ! policy:no b: b is not for us
  chat pocket-1 (2) tool: Denied: b is not for us -> Denied: b is not for us
""",
            NO_B,
        ),
        marks=pytest.mark.shows(
            "amplifier", "agent", "llm", "tokens", "tool", "tool_error", "deny"
        ),
    ),
    pytest.param(
        Story(
            (CLERK, "langchain"),
            "failed: no model\n",
            """\
Pay 5: 3 LLM calls, 2 tool calls, 20 + 10 tokens, 0 duplicates
invoke_agent clerk user: Pay 5 ! no model
  chat scripted-1 (1, streamed) user: Pay 5 -> calls pay
  execute_tool pay {"amount":5} ! policy:no payments: nobody pays here
  chat scripted-1 (3, streamed) tool: Denied: nobody pays here -> calls look
  execute_tool look {"place":"desk"} ! nothing there
  chat scripted-1 (5) tool: nothing there ! no model
""",
            NO_PAYMENTS,
            session_id="clerk-langchain",
        ),
        marks=(
            pytest.mark.shows("langchain", "deny", "tool_error", "tokens", "session", "streaming"),
            pytest.mark.slow,
        ),
    ),
    pytest.param(
        Story(
            (CLERK, "openai_agents"),
            "failed: no model\nfailed: Error running tool look: nothing there\n",
            """\
Pay 5: 3 LLM calls, 2 tool calls, 20 + 10 tokens, 0 duplicates
invoke_agent clerk user: Pay 5 ! no model
  chat scripted-1 (1, streamed) user: Pay 5 -> calls pay
  execute_tool pay {"amount":5} ! policy:no payments: nobody pays here
  chat scripted-1 (3) tool: Denied: nobody pays here ! no model
invoke_agent seeker user: Pay 5 ! Error running tool look: nothing there
  chat scripted-1 (1, streamed) user: Pay 5 -> calls look
  execute_tool look {"place":"desk"} ! nothing there
""",
            NO_PAYMENTS,
            session_id="clerk-openai_agents",
        ),
        marks=(
            pytest.mark.shows(
                "openai_agents", "deny", "tool_error", "tokens", "session", "streaming"
            ),
            pytest.mark.slow,
        ),
    ),
    pytest.param(
        Story(
            (CLERK, "pydantic_ai"),
            "failed: no model\nfailed: nothing there\n",
            """\
Pay 5: 3 LLM calls, 2 tool calls, 100 + 7 tokens, 0 duplicates
invoke_agent clerk user: Pay 5 ! no model
  chat scripted-1 (1, streamed) user: Pay 5 -> calls pay
  execute_tool pay {"amount":5} ! policy:no payments: nobody pays here
  chat scripted-1 (3) tool: Denied: nobody pays here ! no model
invoke_agent seeker user: Pay 5 ! nothing there
  chat scripted-1 (1, streamed) user: Pay 5 -> calls look
  execute_tool look {"place":"desk"} ! nothing there
""",
            NO_PAYMENTS,
            session_id="clerk-pydantic_ai",
        ),
        marks=(
            pytest.mark.shows(
                "pydantic_ai", "deny", "tool_error", "tokens", "session", "streaming"
            ),
            pytest.mark.slow,
        ),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_what_a_program_does_is_on_the_trace(
    service: Service, tmp_path: Path, story: Story
) -> None:
    story.check(service, tmp_path)


TWO_RUNS = """
import inspector

inspector.attach()

from langchain.agents import create_agent
from tests.integrations.langchain_model import ScriptedModel, says

agent = create_agent(ScriptedModel(says("Hi."), says("Hi again.")), name="clerk")
for _ in range(2):
    agent.invoke({"messages": [("user", "Hello")]}, {"configurable": {"thread_id": "twice"}})
"""


@pytest.mark.slow
def test_a_second_run_on_a_thread_shows_its_question(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "twice.py"
    program.write_text(TWO_RUNS)
    rows = watch(service, tmp_path, program).rows

    first, second = (f"{one['trace_id']}.{one['span_id']}" for one in rows if one["kind"] == "llm")
    path = f"/sessions/twice/transcript?span={second}~{first}"
    (reading,) = service.get(path)["readings"]

    assert [one["pieces"][0]["clip"]["text"] for one in reading["said"]] == ["Hello", "Hi again."]
    assert reading["rewritten"] is None

    agent = next(one for one in rows if one["kind"] == "agent")
    attributes = service.get(f"/spans/{agent['trace_id']}/{agent['span_id']}")["attributes"]
    assert attributes["inspector.agent.class"] == "CompiledStateGraph"


TYPED = """
import inspector

inspector.attach()

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

class Answer(BaseModel):
    city: str
    degrees: int

model = TestModel(custom_output_args={"city": "Zürich", "degrees": 21})
agent = Agent(model, name="typed", output_type=Answer)
agent.run_sync("Weather?")
"""


@pytest.mark.slow
def test_a_typed_output_is_shown_as_its_json(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "typed.py"
    program.write_text(TYPED)
    rows = watch(service, tmp_path, program).rows

    assert [row["kind"] for row in rows] == ["agent", "llm"]
    *_, answer = view(service, rows[0])["messages"]
    [part] = answer["parts"]
    assert (answer["role"], part["type"]) == ("assistant", "text")
    assert json.loads(part["text"]) == {"city": "Zürich", "degrees": 21}
