"""A real agent asks before it deletes; people answer from a browser, a terminal and MCP."""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.types import CallToolResult

from tests.support.agents.agent_process import AgentProcess
from tests.support.agents.mcp_host import over_http, text_of
from tests.support.services.process import DEADLINE_S, Service, command, environment, wait_for

NOTE = "x" * 200_000
ARGS = {"path": "/etc/passwd", "id": 9007199254740993, "rate": 1.0, "note": NOTE}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path) as service:
        yield service


@pytest.fixture
def env(service: Service, tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path, url=service.url, token=service.token)


@pytest.fixture
def agent(env: dict[str, str]) -> Iterator[AgentProcess]:
    with AgentProcess(Path(__file__).with_name("deleting_agent.py"), env) as agent:
        yield agent


def delete(agent: AgentProcess, args: dict[str, Any], timeout_s: float = 60.0) -> None:
    """Start a deletion, which needs approval."""
    agent.write_line(json.dumps({"args": args, "timeout_s": timeout_s}))


def result(agent: AgentProcess) -> Any:
    """Wait for the result of a deletion."""
    return json.loads(agent.read_line())


@pytest.fixture
def run(env: dict[str, str]) -> Run:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*arguments),
            env=env,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )

    return run


def pending(service: Service) -> dict[str, Any]:
    """Wait for the one open request, and return it."""
    [request] = wait_for(lambda: service.get("/requests?status=pending")["requests"])
    assert isinstance(request, dict)
    return request


@contextmanager
def browser(service: Service) -> Iterator[httpx.Client]:
    """Yield a client with a login, as a page has."""
    with httpx.Client(base_url=service.url, timeout=DEADLINE_S) as client:
        client.get("/ui/", params={"token": service.token})
        client.headers["origin"] = service.url
        client.headers["inspector-actor"] = "Ada"
        yield client


def audit(service: Service) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = service.get("/audit?limit=1000")["entries"]
    return entries


def test_the_edited_arguments_run_and_no_others(
    service: Service, agent: AgentProcess, run: Run, tmp_path: Path
) -> None:
    delete(agent, ARGS)
    request = pending(service)
    session = service.get(f"/sessions/{request['session_id']}")
    assert session["status"] == "waiting"
    [span] = service.get(f"/sessions/{request['session_id']}/spans")["spans"]
    assert [one[1] for one in span["waited"]] == [None]
    file = tmp_path / "args.json"
    file.write_text(request["args_json"].replace("/etc/passwd", "/tmp/scratch"))
    done = run("approve", request["id"], "--args", str(file), "--yes")
    assert done.returncode == 0, done.stderr
    assert result(agent) == {"deleted": {**ARGS, "path": "/tmp/scratch"}}

    def ended() -> dict[str, Any] | None:
        [now] = service.get(f"/sessions/{request['session_id']}/spans")["spans"]
        return now if now["duration_ns"] is not None else None

    span = wait_for(ended)
    assert span is not None
    assert span["waits"] == 1
    assert 0 < span["wait_ns"] < span["duration_ns"]
    detail = service.get(f"/spans/{span['trace_id']}/{span['span_id']}")
    closed = [one for one in detail["events"] if one["name"] == "inspector.request.closed"]
    assert [one["attributes"]["inspector.request.decision"] for one in closed] == ["allow"]
    row = service.get(f"/sessions/{request['session_id']}")
    assert row["waiting_ms"] == pytest.approx(span["wait_ns"] / 1e6)


@pytest.mark.slow
def test_of_a_browser_and_a_terminal_at_once_one_wins_and_one_learns_it(
    service: Service, agent: AgentProcess, run: Run
) -> None:
    delete(agent, {"path": "/a"})
    request = pending(service)
    answer: dict[str, Any] = {}

    def allow() -> None:
        with browser(service) as page:
            body = {"decision": "allow", "args_hash": request["args_hash"]}
            answer["page"] = page.post(f"/requests/{request['id']}", json=body)

    clicking = threading.Thread(target=allow)
    clicking.start()
    denied = run("deny", request["id"])
    clicking.join()
    page = answer["page"]
    outcome = result(agent)
    if page.status_code == 200:
        assert denied.returncode == 5
        assert "Ada (browser) already answered" in denied.stderr
        assert outcome == {"deleted": {"path": "/a"}}
    else:
        assert denied.returncode == 0
        assert (page.status_code, page.json()["code"]) == (409, "already_answered")
        assert "(cli) already answered" in page.json()["detail"]
        assert "denied" in outcome
    answers = [one for one in audit(service) if one["action"] == "answer"]
    assert sorted(one["result"] for one in answers) == ["accepted", "applied", "refused"]
    assert {one["origin"] for one in answers} == {"browser", "cli"}


@pytest.mark.slow
def test_a_request_outlives_the_service_that_was_killed(
    service: Service, agent: AgentProcess, run: Run
) -> None:
    delete(agent, {"path": "/a"})
    request = pending(service)
    service.kill()
    assert run("deny", request["id"]).returncode == 3
    service.start()
    assert pending(service)["args_json"] == request["args_json"]
    done = run("approve", request["id"], "--yes")
    assert done.returncode in (0, 4), done.stderr  # 4: the agent has not come back yet
    assert result(agent) == {"deleted": {"path": "/a"}}


@pytest.mark.slow
def test_without_a_service_silence_denies_in_time_and_is_reported_afterwards(
    service: Service, agent: AgentProcess, run: Run
) -> None:
    delete(agent, {"path": "/a"}, timeout_s=4)
    request = pending(service)
    service.kill()
    assert "denied" in result(agent)
    service.start()

    def expired() -> bool:
        return bool(service.get(f"/requests/{request['id']}")["status"] == "expired")

    wait_for(expired)
    late = run("approve", request["id"], "--yes")
    assert late.returncode == 5
    refused = [one for one in audit(service) if one["result"] == "refused"]
    assert [one["code"] for one in refused] == ["already_closed"]


@pytest.mark.slow
def test_who_may_not_is_refused_and_written_down(service: Service, agent: AgentProcess) -> None:
    delete(agent, {"path": "/a"})
    request = pending(service)
    path = f"/requests/{request['id']}"
    allow = {"decision": "allow", "args_hash": request["args_hash"]}

    async def over_mcp() -> CallToolResult:
        async with over_http(service.url, service.token) as client:
            return await client.call_tool("answer_request", {"request_id": request["id"], **allow})

    with browser(service) as page:
        elsewhere = page.post(path, json=allow, headers={"origin": "https://evil.example"})
        other = page.post(path, json={**allow, "args_hash": "0" * 64})
        unsaid = page.post(path, json={"decision": "allow"})
    assert [one.json()["code"] for one in (elsewhere, other, unsaid)] == [
        "origin_not_allowed",
        "wrong_hash",
        "wrong_hash",
    ]
    assert "is read-only" in text_of(asyncio.run(over_mcp()))
    assert httpx.post(f"{service.url}{path}", json=allow).status_code == 401
    assert service.get(path)["status"] == "pending"

    def refused() -> list[tuple[str, str]]:
        return [
            (one["code"], one["origin"])
            for one in reversed(audit(service))
            if one["result"] == "refused" and one["request_id"] == request["id"]
        ]

    # What the guard refuses is written down soon, not at once.
    assert wait_for(lambda: found if len(found := refused()) == 5 else None) == [
        ("origin_not_allowed", "browser"),
        ("wrong_hash", "browser"),
        ("wrong_hash", "browser"),
        ("not_granted", "mcp"),
        ("no_token", "api"),
    ]
    with browser(service) as page:
        denied = page.post(path, json={**allow, "decision": "deny"})
    assert denied.json()["applied"] is True
    assert "denied" in result(agent)
    answer = service.get(path)["answer"]
    assert (answer["actor"], answer["origin"]) == ("Ada", "browser")
