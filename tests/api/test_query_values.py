"""`GET /query/values`: completions for a field of a query."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.services.api import Api
from tests.support.telemetry.otlp import span


async def values(api: Api, field: str, prefix: str = "") -> list[tuple[str, int]]:
    answer = await api.get("/query/values", params={"field": field, "prefix": prefix})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert body["is_complete"]
    return [(one["value"], one["count"]) for one in body["values"]]


async def test_the_values_that_rows_have_are_listed_the_most_frequent_first(api: Api) -> None:
    tools = ["git_log", "git_status", "git_log", "Fetch", "git_log"]
    spans = [
        span(
            "ai.toolCall",
            trace=n % 2 + 1,
            span_id=n,
            attributes={"ai.operationId": "ai.toolCall", "ai.toolCall.name": tool},
        )
        for n, tool in enumerate(tools, 1)
    ]
    await api.submit(*spans)
    assert await values(api, "tool") == [("git_log", 3), ("Fetch", 1), ("git_status", 1)]
    assert await values(api, "tool", "FE") == [("Fetch", 1)]
    assert await values(api, "session.status") == [("running", 2)]
    assert await values(api, "agent") == []


@pytest.mark.parametrize(
    "field", ["nothing", "tokens", "id", "session.tool", ".", "span.", "a.b.c"]
)
async def test_a_field_without_values_to_list_is_a_problem(api: Api, field: str) -> None:
    answer = await api.get("/query/values", params={"field": field})
    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_values")
