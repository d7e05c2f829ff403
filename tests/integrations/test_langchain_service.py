"""The whole way: programs as users write them, watched by a real service, read from its API."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.service_process import Service

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/frameworks/langchain_agent.py"
POLICY = """
[[policies]]
name = "no payments"
tools = ["pay"]
action = "deny"
reason = "nobody pays here"
"""
STREAMING = """
import asyncio
import inspector

inspector.attach()  # before anything of LangChain is imported

from langchain.agents import create_agent
from langchain_core.tools import ToolException, tool
from tests.integrations.langchain_model import ScriptedModel, calls

@tool
def pay(amount: int) -> str:
    "Pay."
    print("PAID")
    return "paid"

@tool
def look(place: str) -> str:
    "Look."
    raise ToolException("nothing there")

look.handle_tool_error = True

async def main():
    looks = calls("look", {"place": "desk"})
    model = ScriptedModel(calls("pay", {"amount": 5}), looks, OSError("no model"))
    agent = create_agent(model, [pay, look], name="clerk")
    config = {"configurable": {"thread_id": "clerk-1"}}
    try:
        question = {"messages": [("user", "Pay 5")]}
        async for _ in agent.astream(question, config, stream_mode="messages"):
            pass
    except OSError as error:
        print("failed:", error)

asyncio.run(main())
"""

TWO_RUNS = """
import inspector

inspector.attach()

from langchain.agents import create_agent
from tests.integrations.langchain_model import ScriptedModel, says

agent = create_agent(ScriptedModel(says("Hi."), says("Hi again.")), name="clerk")
for _ in range(2):
    agent.invoke({"messages": [("user", "Hello")]}, {"configurable": {"thread_id": "clerk-2"}})
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("langchain"))
    started.start()
    yield started
    started.stop()


def run(service: Service, program: Path, tmp_path: Path) -> str:
    policies = tmp_path / "policies.toml"
    policies.write_text(POLICY)
    done = subprocess.run(
        [sys.executable, str(program)],
        env={
            **{name: value for name, value in os.environ.items() if "INSPECTOR" not in name},
            "PYTHONPATH": str(ROOT),
            "INSPECTOR_URL": service.url,
            "INSPECTOR_TOKEN": service.token,
            "INSPECTOR_POLICIES": str(policies),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def spans_of(service: Service, session_id: str) -> tuple[Any, list[Any]]:
    sessions = service.get("/sessions")["sessions"]
    session = next(one for one in sessions if one["id"] == session_id)
    return session, service.get(f"/sessions/{session_id}/spans")["spans"]


def view(service: Service, row: Any) -> Any:
    return service.get(f"/spans/{row['trace_id']}/{row['span_id']}")["view"]


def test_the_example_is_a_session_with_its_run(service: Service, tmp_path: Path) -> None:
    assert run(service, EXAMPLE, tmp_path) == "It is 3.\n"

    session, spans = spans_of(service, "langchain-example")
    assert (session["llm_calls"], session["tool_calls"]) == (2, 1)
    assert (session["input_tokens"], session["output_tokens"]) == (20, 10)
    assert sorted(one["kind"] for one in spans) == ["agent", "llm", "llm", "tool"]
    (tool,) = (view(service, one)["tool"] for one in spans if one["kind"] == "tool")
    assert (tool["name"], tool["arguments"]["text"]) == ("add", '{"a":1,"b":2}')
    assert tool["result"]["text"] == '{"result":"3"}'
    agent = next(one for one in spans if one["kind"] == "agent")
    assert agent["name"] == "invoke_agent calculator"
    assert {one["parent_span_id"] for one in spans if one is not agent} == {agent["span_id"]}


@pytest.mark.shows("langchain", "deny", "tool_error", "tokens", "session", "streaming")
def test_a_denied_tool_and_an_error_are_on_the_trace(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "clerk.py"
    program.write_text(STREAMING)

    assert run(service, program, tmp_path) == "failed: no model\n"

    session, spans = spans_of(service, "clerk-1")
    assert (session["input_tokens"], session["output_tokens"]) == (20, 10)
    pay, look = (one for one in spans if one["kind"] == "tool")
    assert (pay["status"], look["status"]) == ("error", "error")
    assert view(service, pay)["decisions"][0]["reason"] == "nobody pays here"
    assert view(service, pay)["tool"]["arguments"]["text"] == '{"amount":5}'
    asked = [one for one in spans if one["kind"] == "llm"]
    assert [one["status"] for one in asked] == ["unset", "unset", "error"]
    answered = view(service, asked[1])
    roles = [one["role"] for one in answered["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert "nobody pays here" in str(answered["messages"][2])
    assert answered["llm"]["time_to_first_chunk_ms"] > 0


def test_a_second_run_on_a_thread_shows_its_question(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "twice.py"
    program.write_text(TWO_RUNS)
    run(service, program, tmp_path)

    _, spans = spans_of(service, "clerk-2")
    first, second = (f"{one['trace_id']}.{one['span_id']}" for one in spans if one["kind"] == "llm")
    path = f"/sessions/clerk-2/transcript?span={second}~{first}"
    (reading,) = service.get(path)["readings"]

    assert [one["pieces"][0]["clip"]["text"] for one in reading["said"]] == ["Hello", "Hi again."]
    assert reading["rewritten"] is None
