"""The whole way: programs as users write them, watched by a real service, read from its API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.service_process import Service

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/frameworks/pydantic_ai_agent.py"
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

inspector.attach()  # before anything of Pydantic AI is imported

from pydantic_ai import Agent
from tests.integrations.pydantic_ai_model import Scripted, calls

def pay(amount: int) -> str:
    "Pay."
    print("PAID")
    return "paid"

def look(place: str) -> str:
    "Look."
    raise FileNotFoundError("nothing there")

async def main():
    clerk = Agent(Scripted(calls("pay", {"amount": 5}), OSError("no model")), name="clerk")
    seeker = Agent(Scripted(calls("look", {"place": "desk"})), name="seeker")
    clerk.tool_plain(pay)
    seeker.tool_plain(look)
    for agent in (clerk, seeker):
        try:
            async with agent.run_stream("Pay 5", conversation_id="clerk-1") as stream:
                await stream.get_output()
        except OSError as error:
            print("failed:", error)

asyncio.run(main())
"""

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
agent.run_sync("Weather?", conversation_id="typed-1")
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("pydantic_ai"))
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


def test_a_typed_output_is_shown_as_its_json(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "typed.py"
    program.write_text(TYPED)
    run(service, program, tmp_path)
    _, rows = spans_of(service, "typed-1")
    assert [row["kind"] for row in rows] == ["agent", "llm"]
    *_, answer = view(service, rows[0])["messages"]
    [part] = answer["parts"]
    assert (answer["role"], part["type"]) == ("assistant", "text")
    assert json.loads(part["text"]) == {"city": "Zürich", "degrees": 21}


def test_the_example_is_a_session_with_its_run(service: Service, tmp_path: Path) -> None:
    assert run(service, EXAMPLE, tmp_path) == "It is 3.\n"

    session, spans = spans_of(service, "pydantic-ai-example")
    assert (session["llm_calls"], session["tool_calls"]) == (2, 1)
    assert (session["input_tokens"], session["output_tokens"]) == (20, 10)
    assert sorted(one["kind"] for one in spans) == ["agent", "llm", "llm", "tool"]
    (tool,) = (view(service, one)["tool"] for one in spans if one["kind"] == "tool")
    assert (tool["name"], tool["arguments"]["text"]) == ("add", '{"a":1,"b":2}')
    assert "3" in str(tool["result"])
    agent = next(one for one in spans if one["kind"] == "agent")
    assert agent["name"] == "invoke_agent calculator"
    assert {one["parent_span_id"] for one in spans if one is not agent} == {agent["span_id"]}


@pytest.mark.shows("pydantic_ai", "deny", "tool_error", "tokens", "session", "streaming")
def test_a_denied_tool_and_an_error_are_on_the_trace(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "clerk.py"
    program.write_text(STREAMING)

    assert run(service, program, tmp_path) == "failed: no model\nfailed: nothing there\n"

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
