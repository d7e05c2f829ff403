"""What is offered behind a field of a query."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from inspector.service.storage import open_store
from tests.support.services.api import FakeClock, client_of, service
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming


@pytest.fixture
async def app() -> AsyncIterator[FastAPI]:
    async with service(open_store("memory:"), FakeClock()) as app:
        yield app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


async def values(client: httpx.AsyncClient, field: str, prefix: str = "") -> list[tuple[str, int]]:
    answer = await client.get("/query/values", params={"field": field, "prefix": prefix})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert body["is_complete"]
    return [(one["value"], one["count"]) for one in body["values"]]


async def test_the_values_that_rows_have_are_listed_the_most_frequent_first(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    tools = ["git_log", "git_status", "git_log", "Fetch", "git_log"]
    spans = [
        span(
            f"execute_tool {tool}",
            trace=n % 2 + 1,
            span_id=n,
            attributes={"gen_ai.operation.name": "execute_tool"},
        )
        for n, tool in enumerate(tools, 1)
    ]
    await app.state.parts.writer.submit([incoming(one) for one in spans], [])
    assert await values(client, "tool") == [("git_log", 3), ("Fetch", 1), ("git_status", 1)]
    assert await values(client, "tool", "FE") == [("Fetch", 1)]
    assert await values(client, "session.status") == [("running", 2)]
    assert await values(client, "agent") == []


@pytest.mark.parametrize(
    "field", ["nothing", "tokens", "id", "session.tool", ".", "span.", "a.b.c"]
)
async def test_a_field_without_values_to_list_is_a_problem(
    client: httpx.AsyncClient, field: str
) -> None:
    answer = await client.get("/query/values", params={"field": field})
    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_values")
