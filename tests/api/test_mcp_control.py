"""Reading and steering over MCP are two grants, with a real host and over both transports."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult

from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.agents.http_agent import hash_of
from tests.support.agents.mcp_host import Mode, over_http, over_stdio, recorded_of, text_of
from tests.support.services.process import Service, environment, running_service

STEERING = {
    "answer_request",
    "pause_session",
    "resume_session",
    "step_session",
    "cancel_session",
    "send_signal",
}
ARGS = '{"id":9007199254740993,"path":"/etc"}'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that grants no more than reading."""
    with running_service(tmp_path_factory.mktemp("reading")) as service:
        yield service


@pytest.fixture(scope="module")
def granting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("steering"), mcp_control="on") as service:
        yield service


@asynccontextmanager
async def host(
    service: Service, how: str, mode: Mode = "auto", *flags: str
) -> AsyncIterator[Client]:
    if how == "stdio":
        async with over_stdio(environment(service.runtime_dir.parent), mode, *flags) as client:
            yield client
    else:
        async with over_http(service.url, service.token, mode) as client:
            yield client


def audit(service: Service) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = service.client.get("/audit").json()["entries"]
    return entries


def refused(entry: dict[str, Any]) -> bool:
    return bool(entry["result"] == "refused")


@pytest.mark.slow
@pytest.mark.parametrize("how", [pytest.param("stdio", marks=pytest.mark.slow), "http"])
async def test_without_the_grant_nothing_steers_and_who_tries_is_written_down(
    service: Service, how: str
) -> None:
    before = len(audit(service))
    with ConnectedAgent(service, f"agent-{how}") as agent:
        agent.ask(f"read-{how}", session_id="S", args_json=ARGS)
        async with host(service, how) as client:
            tools = (await client.list_tools()).tools
            assert not STEERING & {tool.name for tool in tools}
            listed = recorded_of(await client.call_tool("list_requests", {}))
            assert f"read-{how}" in {one["request_id"] for one in listed["requests"]}
            tried = {
                "answer_request": {
                    "request_id": f"read-{how}",
                    "decision": "allow",
                    "args_hash": hash_of(ARGS),
                },
                "send_signal": {"session_id": "S", "signal_name": "go"},
                **{name: {"session_id": "S"} for name in STEERING if name.endswith("_session")},
            }
            answers = [await client.call_tool(name, arguments) for name, arguments in tried.items()]
        assert all(answer.is_error for answer in answers)
        assert all("is read-only" in text_of(answer) for answer in answers)
        assert agent.commands == []
    entries = [one for one in audit(service)[: -before or None] if refused(one)]
    assert {one["action"] for one in entries} == {
        "answer", "signal", "pause", "resume", "step", "cancel",
    }  # fmt: skip
    assert {(one["origin"], one["code"]) for one in entries} == {("mcp", "not_granted")}
    assert {one["request_id"] or one["session_id"] for one in entries} == {f"read-{how}", "S"}


@pytest.mark.slow
async def test_a_tool_that_is_not_granted_is_refused_with_any_arguments(
    service: Service,
) -> None:
    for arguments in ({}, {"request_id": 3}, {"request_id": "../../cancel/S"}, {"request_id": "."}):
        answer = await _ask(service, "answer_request", arguments)
        assert answer.is_error
        assert "is read-only" in text_of(answer)


async def _ask(service: Service, name: str, arguments: dict[str, Any]) -> CallToolResult:
    async with over_http(service.url, service.token) as client:
        return await client.call_tool(name, arguments)


@pytest.mark.parametrize(
    ("how", "mode"),
    [
        ("stdio", "legacy"),
        ("http", "auto"),
        pytest.param("stdio", "auto", marks=pytest.mark.slow),
        pytest.param("http", "legacy", marks=pytest.mark.slow),
    ],
)
async def test_with_the_grant_it_steers_and_shows_as_mcp_everywhere(
    granting: Service, how: str, mode: Mode
) -> None:
    name = f"{how}-{mode}"
    edited = ARGS.replace("/etc", "/tmp")
    with ConnectedAgent(granting, name) as agent:
        agent.ask(name, session_id=name, args_json=ARGS)
        agent.ask(f"{name}-open", session_id=name)  # so that something of it runs
        async with host(granting, how, mode, "--control") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools.keys() >= STEERING
            for tool in STEERING:
                about = tools[tool].annotations
                assert about
                assert (about.read_only_hint, about.destructive_hint) == (False, True)
            read = recorded_of(await client.call_tool("get_request", {"request_id": name}))
            assert '"id": 9007199254740993' in read["text"]
            wrong = await client.call_tool(
                "answer_request", {"request_id": name, "decision": "allow", "args_hash": "0" * 64}
            )
            assert wrong.is_error
            arguments = {
                "request_id": name,
                "decision": "allow",
                "args_hash": read["args_hash"],
                "args_json": edited,
                "reason": "the user said so",
            }
            assert (
                recorded_of(await client.call_tool("answer_request", arguments))["applied"] is True
            )
            again = await client.call_tool("answer_request", arguments)
            assert again.is_error
            paused = await client.call_tool("pause_session", {"session_id": name})
            assert recorded_of(paused)["applied"] is True
            signal = {"session_id": name, "signal_name": "go", "payload_json": "[1]"}
            assert recorded_of(await client.call_tool("send_signal", signal))["applied"] is True
        commands = agent.wait_for_commands(3)
    assert [one["type"] for one in commands] == ["answer", "pause", "signal"]
    assert {one["origin"] for one in commands} == {"mcp"}
    assert commands[0]["answer"]["args_json"] == edited
    request = granting.client.get(f"/requests/{name}").json()
    assert request["answer"]["origin"] == "mcp"
    assert request["answer"]["is_edited"] is True
    results = [(one["code"], one["origin"]) for one in audit(granting) if refused(one)][:2]
    assert results == [("already_answered", "mcp"), ("wrong_hash", "mcp")]


@pytest.mark.slow
async def test_one_grant_is_not_the_other(granting: Service) -> None:
    """What a service grants its own MCP clients is nothing to a process of somebody else."""
    async with host(granting, "stdio") as client:
        assert not STEERING & {tool.name for tool in (await client.list_tools()).tools}
        answer = await client.call_tool("pause_session", {"session_id": "S"})
        assert "is read-only" in text_of(answer)
