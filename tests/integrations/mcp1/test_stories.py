"""Programs as users write them, watched by a real service, read from its API."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.agent_side import bootstrap
from tests.integrations.stories import EXAMPLES, NO_B, ROOT, Story, run
from tests.support.services.process import Service

NO_SEVENS = """
[[policies]]
name = "no sevens"
tools = ["add"]
where = { a = { regex = "7" } }
action = "deny"
reason = "seven is not for us"
"""
STRANDS = Story(
    (EXAMPLES / "strands_agent.py",),
    """\
r in strawberry = 3
rr in strawberry = Error: not one letter: 'rr'
b in strawberry = Denied: b is not for us
""",
    """\
r in strawberry: 6 LLM calls, 3 tool calls, 72 + 18 tokens, 11 duplicates
invoke_agent clerk user: r in strawberry -> 3
  chat pocket-1 (1, streamed) user: r in strawberry -> calls letter_count
  execute_tool letter_count {"word":"strawberry","letter":"r"} -> {"content":[{"text":"3"}]}
  chat pocket-1 (3, streamed) tool: 3 -> 3
invoke_agent clerk user: rr in strawberry -> Error: not one letter: 'rr'
  chat pocket-1 (5, streamed) user: rr in strawberry -> calls letter_count
  execute_tool letter_count {"word":"strawberry","letter":"rr"} ! Error: not one letter: 'rr'
  chat pocket-1 (7, streamed) tool: Error: not one letter: 'rr' -> Error: not one letter: 'rr'
invoke_agent clerk user: b in strawberry -> Denied: b is not for us
  chat pocket-1 (9, streamed) user: b in strawberry -> calls letter_count
  execute_tool letter_count {"word":"strawberry","letter":"b"} ! policy:no b: b is not for us
  chat pocket-1 (11, streamed) tool: Denied: b is not for us -> Denied: b is not for us
""",
    NO_B,
)
_CRITERIA = """

This is the expected criteria for your final answer: A number
you MUST return the actual complete content as the final answer, not a summary."""
CREWAI = Story(
    (EXAMPLES / "crewai_crew.py",),
    """\
r in strawberry = 3
rr in strawberry = Error executing tool: not one letter: 'rr'
b in strawberry = Denied: b is not for us
""",
    f"""\
r in strawberry: 6 LLM calls, 3 tool calls, 0 + 0 tokens, 0 duplicates
invoke_agent clerk user: r in strawberry -> 3
  chat pocket-1 (2) user: Current Task: r in strawberry{_CRITERIA} -> calls letter_count
  execute_tool letter_count {{"word":"strawberry","letter":"r"}} -> {{"result":3}}
  chat pocket-1 (4) tool: 3 -> 3
invoke_agent clerk user: rr in strawberry -> Error executing tool: not one letter: 'rr'
  chat pocket-1 (2) user: Current Task: rr in strawberry{_CRITERIA} -> calls letter_count
  execute_tool letter_count {{"word":"strawberry","letter":"rr"}} ! not one letter: 'rr'
  chat pocket-1 (4) tool: Error executing tool: not one letter: 'rr' -> Error executing tool: not one letter: 'rr'
invoke_agent clerk user: b in strawberry -> Denied: b is not for us
  chat pocket-1 (2) user: Current Task: b in strawberry{_CRITERIA} -> calls letter_count
  execute_tool letter_count {{"word":"strawberry","letter":"b"}} ! policy:no b: b is not for us
  chat pocket-1 (4) tool: Denied: b is not for us -> Denied: b is not for us
""",  # noqa: E501 - the framework's own words
    NO_B,
    "crewai-example",
)
MCP_AGENT = Story(
    (EXAMPLES / "mcp_agent_app.py",),
    "1+2 = 3\n7+6 = Denied: seven is not for us\n1+x failed: ToolError\n",
    # The last model answered, too: what followed failed.
    """\
sums: 3 LLM calls, 3 tool calls, 9 + 3 tokens, 0 duplicates
invoke_agent clerk system: You are a helpful agent. -> 3
  chat pocket-1 (2) user: 1+2 -> 3
    execute_tool add {"a":"1","b":"2"} -> {"content":[{"type":"text","text":"3"}]}
invoke_agent clerk system: You are a helpful agent. -> Denied: seven is not for us
  chat pocket-1 (2) user: 7+6 -> Denied: seven is not for us
    execute_tool add {"a":"7","b":"6"} ! policy:no sevens: seven is not for us
invoke_agent clerk system: You are a helpful agent. ! Error executing tool add: 1 validation error for addArguments
  chat pocket-1 (2) user: 1+x ! Error executing tool add: 1 validation error for addArguments
    execute_tool add {"a":"1","b":"x"} ! Error executing tool add: 1 validation error for addArguments
""",  # noqa: E501 - the sentence is pydantic's
    NO_SEVENS,
)


@pytest.fixture(autouse=True)
def warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignore deprecation warnings of frameworks."""
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("CREWAI_TRACING_ENABLED", "false")


@pytest.mark.slow
@pytest.mark.parametrize(
    "story",
    [
        pytest.param(
            STRANDS,
            marks=pytest.mark.shows(
                "strands", "agent", "llm", "tokens", "tool", "tool_error", "deny"
            ),
        ),
        pytest.param(
            CREWAI,
            marks=pytest.mark.shows("crewai", "agent", "llm", "tool", "tool_error", "deny"),
        ),
        MCP_AGENT,
    ],
    ids=lambda story: story.name,
)
def test_what_a_program_does_is_on_the_trace(
    service: Service, tmp_path: Path, story: Story
) -> None:
    story.check(service, tmp_path)


@pytest.mark.slow
@pytest.mark.shows("strands", "deny")
def test_a_tool_is_denied_in_a_program_without_a_line_and_without_a_service(
    tmp_path: Path,
) -> None:
    program = (EXAMPLES / "strands_agent.py").read_text()
    assert "inspector.attach()\n" in program
    program = program.replace("import inspector\n", "").replace("inspector.attach()\n", "")
    (tmp_path / "agent.py").write_text(program)
    (tmp_path / "policies.toml").write_text(NO_B)

    output = run(
        "agent.py",
        folder=tmp_path,
        PYTHONPATH=os.pathsep.join([*bootstrap.__path__, str(ROOT)]),  # as `inspector run` does
        INSPECTOR_RUNTIME_DIR=str(tmp_path / "none"),
        INSPECTOR_POLICIES="policies.toml",
    )

    assert output.splitlines()[-1] == "b in strawberry = Denied: b is not for us"
