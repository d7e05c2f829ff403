"""Policies of an agent, with requests that people answer through a service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents.agent_process import AgentProcess
from tests.support.services.process import Service, environment, wait_for

RULES = """
port = 7811

[[policies]]
name = "production"
where = { path = { under = "/prod" } }
action = "deny"

[[policies]]
name = "deletes"
tools = ["delete_*"]
action = "ask"
prompt = "May it delete?"
timeout = 60

[[policies]]
name = "wipes"
tools = ["wipe"]
action = "ask"
timeout = 1

[[breakpoints]]
name = "look"
tools = ["stop_here"]

[[budgets]]
name = "words"
of = "tokens"
at = 100
step = 50
action = "ask"
"""

AGENT = """
import json, sys
import inspector, instrument
from inspector import context

handle = inspector.attach(service_name="policed")
context.set("S")
for line in sys.stdin:
    wanted = json.loads(line)
    try:
        if "usage" in wanted:
            with instrument.operation("llm_generate", llm=None, prompt="") as op:
                op.set(usage=wanted["usage"])
        else:
            tool, args = wanted["tool"], wanted["args"]
            with instrument.operation("tool_call", tool_name=tool, args=args) as op:
                wanted = op.args
        print("RAN", json.dumps(wanted), flush=True)
    except instrument.HookDenied as error:
        print("DENIED", error.reason, flush=True)
handle.detach()
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path) as service:
        yield service


@pytest.fixture
def agent(service: Service, tmp_path: Path) -> Iterator[AgentProcess]:
    file = tmp_path / "policies.toml"
    file.write_text(RULES)
    environ = environment(tmp_path, url=service.url, token=service.token, policies=file)
    script = tmp_path / "my_agent.py"
    script.write_text(AGENT, encoding="utf-8")
    with AgentProcess(script, environ) as agent:
        yield agent


def use(agent: AgentProcess, tool: str, **args: str) -> None:
    agent.write_line(json.dumps({"tool": tool, "args": args}))


def pending(service: Service) -> dict[str, Any]:
    """Wait for the one open request, and return it."""
    [request] = wait_for(lambda: service.get("/requests?status=pending")["requests"])
    assert isinstance(request, dict)
    return request


def answer(service: Service, request: dict[str, Any], decision: str, **more: str) -> None:
    body = {"decision": decision, "args_hash": request["args_hash"], **more}
    url = f"{service.url}/requests/{request['id']}"
    answered = httpx.post(url, json=body, headers=service.headers, timeout=10)
    assert answered.status_code == 200, answered.text


def decisions(service: Service) -> list[tuple[str, str]]:
    """Return the decisions, span by span, in order."""
    spans = service.get("/sessions/S/spans")["spans"]
    found = []
    for span in sorted(spans, key=lambda one: one["offset_ns"]):
        detail = service.get(f"/spans/{span['trace_id']}/{span['span_id']}")
        for event in detail["events"]:
            if event["name"] == "inspector.decision":
                attributes = event["attributes"]
                by = attributes["inspector.decision.interceptor"]
                found.append((by, attributes["inspector.decision.action"]))
    return found


@pytest.mark.slow
def test_requests_of_a_policy_are_answered_by_people_and_recorded_on_the_trace(
    service: Service, agent: AgentProcess
) -> None:
    use(agent, "delete_file", path="/tmp/a")
    request = pending(service)
    assert (request["kind"], request["interceptor"]) == ("approval", "policy:deletes")
    assert (request["prompt"], request["tool_name"]) == ("May it delete?", "delete_file")
    answer(service, request, "allow")
    assert json.loads(agent.read_line("RAN")) == {"path": "/tmp/a"}

    use(agent, "delete_file", path="/prod/a")
    assert agent.read_line("DENIED") == "denied by policy 'production'"

    use(agent, "delete_file", path="/tmp/b")
    answer(service, pending(service), "allow", args_json='{"path":"/prod/b"}')
    assert agent.read_line("DENIED") == "denied by policy 'production'"

    use(agent, "delete_file", path="/tmp/c")
    answer(service, pending(service), "deny", reason="not this one")
    assert agent.read_line("DENIED") == "not this one"

    expected = [
        ("policy:deletes", "ask_user"),
        ("approval", "continue"),
        ("policy:production", "deny"),
        ("policy:deletes", "ask_user"),
        ("policy:production", "deny"),  # of what was edited
        ("approval", "deny"),
        ("policy:deletes", "ask_user"),
        ("approval", "deny"),
    ]
    wait_for(lambda: len(decisions(service)) >= len(expected))
    assert decisions(service) == expected


@pytest.mark.slow
def test_always_applies_to_one_policy_and_not_to_a_budget_beside_it(
    service: Service, agent: AgentProcess
) -> None:
    use(agent, "delete_file", path="/tmp/a")
    answer(service, pending(service), "allow_always")
    agent.read_line("RAN")
    use(agent, "delete_file", path="/tmp/b")
    agent.read_line("RAN")

    agent.write_line('{"usage": {"input_tokens": 100}}')
    agent.read_line("RAN")
    use(agent, "delete_file", path="/tmp/c")
    request = pending(service)
    assert request["interceptor"] == "policy:deletes + budget:words"
    assert request["prompt"].endswith("used in this session. Continue for another 50 tokens?")
    answer(service, request, "allow")
    agent.read_line("RAN")
    use(agent, "delete_file", path="/tmp/d")
    agent.read_line("RAN")


@pytest.mark.slow
def test_a_breakpoint_is_one_on_the_page(service: Service, agent: AgentProcess) -> None:
    use(agent, "stop_here")
    request = pending(service)
    assert (request["kind"], request["interceptor"]) == ("breakpoint", "breakpoint:look")
    answer(service, request, "allow")
    agent.read_line("RAN")


@pytest.mark.slow
def test_policies_hold_when_the_service_is_gone(service: Service, agent: AgentProcess) -> None:
    use(agent, "read", path="/tmp/a")
    agent.read_line("RAN")
    service.kill()
    use(agent, "read", path="/prod/a")
    assert agent.read_line("DENIED") == "denied by policy 'production'"
    use(agent, "wipe", path="/tmp/a")
    assert "nobody answered within 1 s" in agent.read_line("DENIED")
    service.start()
