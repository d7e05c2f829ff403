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
EXAMPLE = ROOT / "examples/frameworks/openai_agents_agent.py"
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

inspector.attach()  # before anything of OpenAI Agents is imported

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.exceptions import AgentsException
from tests.integrations.openai_agents_model import Scripted, calls

@function_tool
def pay(amount: int) -> str:
    "Pay."
    print("PAID")
    return "paid"

@function_tool(failure_error_function=None)
def look(place: str) -> str:
    "Look."
    raise FileNotFoundError("nothing there")

async def main():
    clerk = Agent(
        "clerk", model=Scripted(calls("pay", {"amount": 5}), OSError("no model")), tools=[pay]
    )
    seeker = Agent("seeker", model=Scripted(calls("look", {"place": "desk"})), tools=[look])
    config = RunConfig(tracing_disabled=True)
    for agent in (clerk, seeker):
        session = SQLiteSession("clerk-1")
        run = Runner.run_streamed(agent, "Pay 5", session=session, run_config=config)
        try:
            async for _ in run.stream_events():
                pass
        except (OSError, AgentsException) as error:
            print("failed:", error)
        session.close()

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("openai_agents"))
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

    session, spans = spans_of(service, "openai-agents-example")
    assert (session["llm_calls"], session["tool_calls"]) == (2, 1)
    assert (session["input_tokens"], session["output_tokens"]) == (20, 10)
    assert sorted(one["kind"] for one in spans) == ["agent", "llm", "llm", "tool"]
    (tool,) = (view(service, one)["tool"] for one in spans if one["kind"] == "tool")
    assert (tool["name"], tool["arguments"]["text"]) == ("add", '{"a":1,"b":2}')
    assert "3" in str(tool["result"])
    agent = next(one for one in spans if one["kind"] == "agent")
    assert agent["name"] == "invoke_agent calculator"
    assert {one["parent_span_id"] for one in spans if one is not agent} == {agent["span_id"]}


@pytest.mark.shows("openai_agents", "deny", "tool_error", "tokens", "session", "streaming")
def test_a_denied_tool_and_an_error_are_on_the_trace(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "clerk.py"
    program.write_text(STREAMING)

    assert run(service, program, tmp_path) == (
        "failed: no model\nfailed: Error running tool look: nothing there\n"
    )

    session, spans = spans_of(service, "clerk-1")
    assert session["llm_calls"] == 3
    assert session["output_tokens"] > 0
    pay, look = (one for one in spans if one["kind"] == "tool")
    assert (pay["status"], look["status"]) == ("error", "error")
    assert view(service, pay)["decisions"][0]["reason"] == "nobody pays here"
    assert view(service, pay)["tool"]["arguments"]["text"] == '{"amount":5}'
    asked = [one for one in spans if one["kind"] == "llm"]
    assert [one["status"] for one in asked] == ["unset", "error", "unset"]
    failed = view(service, asked[1])
    assert [one["role"] for one in failed["messages"]] == ["user", "assistant", "tool"]
    assert "nobody pays here" in str(failed["messages"][2])
    assert view(service, asked[0])["llm"]["time_to_first_chunk_ms"] > 0
    assert {one["status"] for one in spans if one["kind"] == "agent"} == {"error"}


OWN_PACKAGE = """
import logging
import sys

logging.basicConfig(level="WARNING", stream=sys.stdout, format="%(message)s")
from inspector.agent_side.adapters import attach_all, importable, wanted

print("openai_agents" in [one.name for one in importable()])
attach_all(wanted("openai_agents"))
import agents
import agents.run

print(sorted(name for name in sys.modules if name.split(".")[0] == "agents"))
print("inspector.integrations.openai_agents" in sys.modules)
from inspector.integrations.openai_agents import attach

attach()()
"""


def test_a_package_of_the_programs_own_that_is_called_agents_is_left_alone(tmp_path: Path) -> None:
    package = tmp_path / "agents"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "run.py").write_text("def start_streaming(): ...\n")
    program = tmp_path / "program.py"
    program.write_text(OWN_PACKAGE)

    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "False",
        "['agents', 'agents.run']",
        "False",
        "The package `agents` is not that of openai-agents: it is not watched.",
    ]
