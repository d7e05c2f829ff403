"""Control requests that the guard refuses: in the audit log, which they cannot fill."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from inspector.service.app import create_app
from inspector.service.http.access import cookie_name
from inspector.service.http.refusals import BURST
from tests.support.services.app import TOKEN, caller, settings

BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
async def app() -> AsyncIterator[FastAPI]:
    app = create_app(settings(), token=TOKEN)
    async with app.router.lifespan_context(app):
        yield app


async def audit(app: FastAPI, count: int) -> list[dict[str, Any]]:
    """Return the audit log, newest first, when it has so many entries."""
    async with asyncio.timeout(10), caller(app) as client:
        while True:
            found = (await client.get("/audit", headers=BEARER)).json()["entries"]
            if len(found) >= count:
                return list(found)
            await asyncio.sleep(0)


async def cookie(app: FastAPI) -> dict[str, str]:
    async with caller(app) as client:
        answer = await client.get("/ui/", params={"token": TOKEN})
    name = cookie_name(7800)
    return {"cookie": f"{name}={answer.cookies[name]}"}


CASES: list[tuple[str, dict[str, str], str, str]] = [
    ("origin_not_allowed", {**BEARER, "origin": "https://evil.example"}, "browser", "127.0.0.1"),
    ("cross_site", {"sec-fetch-site": "cross-site"}, "browser", "127.0.0.1"),
    ("host_not_allowed", {**BEARER, "host": "rebound.example"}, "api", "127.0.0.1"),
    ("no_token", {"user-agent": "inspector-cli/1", "inspector-actor": "Zo%C3%AB"}, "cli",
     "9.9.9.9"),
    ("no_token", {"authorization": "Bearer guess"}, "api", "9.9.9.9"),
    ("not_granted", {**BEARER, "inspector-grant": "read", "user-agent": "inspector-mcp/1"}, "mcp",
     "127.0.0.1"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("code", "headers", "origin", "peer"), CASES)
async def test_who_is_refused_is_written_down(
    app: FastAPI, code: str, headers: dict[str, str], origin: str, peer: str
) -> None:
    async with caller(app, peer=peer) as client:
        answer = await client.post("/requests/r%20one", json={"decision": "allow"}, headers=headers)
    assert answer.status_code in (401, 403)
    assert answer.json()["code"] == code
    [entry] = await audit(app, 1)
    assert (entry["result"], entry["code"], entry["action"]) == ("refused", code, "answer")
    assert (entry["request_id"], entry["origin"], entry["address"]) == ("r one", origin, peer)
    assert entry["actor"] == ("Zoë" if "inspector-actor" in headers else "unknown")
    if "origin" in headers:
        assert "https://evil.example" in entry["detail"]
    assert TOKEN not in str(entry)
    why = (
        "wrong token" if headers.get("authorization") == "Bearer guess" else code.replace("_", " ")
    )
    assert entry["detail"].startswith(f"{why}, host: ")


async def test_a_cookie_without_an_origin_is_refused_and_written_down(app: FastAPI) -> None:
    async with caller(app) as client:
        answer = await client.post("/sessions/S/pause", headers=await cookie(app))
    assert answer.json()["code"] == "no_origin"
    [entry] = await audit(app, 1)
    assert (entry["action"], entry["session_id"], entry["origin"]) == ("pause", "S", "browser")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "action", "target"),
    [
        ("POST", "/sessions/a%2Fb/cancel", "cancel", ("session_id", "a/b")),
        ("POST", "/cancel/S", "cancel", ("session_id", "S")),
        ("POST", "/signal/S", "signal", ("session_id", "S")),
        ("PUT", "/processes/p1", "hello", ("process_id", "p1")),
        ("POST", "/processes/p1/messages", "messages", ("process_id", "p1")),
        ("DELETE", "/requests/r1", "answer", ("request_id", "r1")),
    ],
)
async def test_the_target_of_an_attempt_is_recorded(
    app: FastAPI, method: str, path: str, action: str, target: tuple[str, str]
) -> None:
    async with caller(app, peer="9.9.9.9") as client:
        assert (await client.request(method, path)).status_code == 401
    [entry] = await audit(app, 1)
    assert (entry["action"], entry[target[0]]) == (action, target[1])


async def test_reading_and_telemetry_that_are_refused_are_not_written_down(app: FastAPI) -> None:
    async with caller(app, peer="9.9.9.9") as client:
        for method, path in (("GET", "/requests"), ("POST", "/v1/traces"), ("POST", "/mcp")):
            assert (await client.request(method, path)).status_code == 401
        await client.post("/cancel/last")
    assert [entry["session_id"] for entry in await audit(app, 1)] == ["last"]


async def test_the_token_is_never_written_down_wherever_it_was_sent(app: FastAPI) -> None:
    headers = {"inspector-actor": TOKEN, "origin": f"https://{TOKEN}.example"}
    async with caller(app) as client:
        await client.post(f"/requests/{TOKEN}", headers=headers)
    [entry] = await audit(app, 1)
    assert TOKEN not in str(entry)
    assert (entry["actor"], entry["request_id"]) == ("…", "…")


async def test_what_would_hide_or_overflow_is_shortened_and_made_visible(app: FastAPI) -> None:
    async with caller(app, peer="9.9.9.9") as client:
        await client.post(
            f"/requests/{'r' * 5_000}", headers={"inspector-actor": "ada%E2%80%AEnimda%1b[2J"}
        )
    [entry] = await audit(app, 1)
    assert entry["actor"] == r"ada\u202enimda\x1b[2J"
    assert len(entry["request_id"]) == 200


async def test_a_flood_is_counted_and_hides_nothing_that_comes_by_the_token(app: FastAPI) -> None:
    async with caller(app, peer="9.9.9.9") as flood, caller(app) as owner:
        answers = [await flood.post("/cancel/S") for _ in range(4 * BURST)]
        assert {answer.status_code for answer in answers} == {401}
        refused = await owner.post("/requests/nobody", json={"decision": "deny"}, headers=BEARER)
        assert refused.json()["code"] == "no_such_request"
        entries = await audit(app, BURST + 1)
    assert len(entries) <= BURST + 3
    assert entries[0]["code"] == "no_such_request"


async def test_who_was_granted_reading_only_reads(app: FastAPI) -> None:
    headers = {**BEARER, "inspector-grant": "read"}
    async with caller(app) as client:
        assert (await client.get("/requests", headers=headers)).status_code == 200
        for path in ("/sessions/S/pause", "/signal/S", "/requests/r1", "/import"):
            answer: httpx.Response = await client.post(path, headers=headers)
            assert answer.json()["code"] == "not_granted"
        assert (await client.delete("/sessions/S", headers=headers)).status_code == 403
