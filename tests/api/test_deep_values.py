"""Values that are nested deeper than the limit: every route that reads answers.

The routes are those of the app: a new one is asked, too, once it is said here what its parameters
are.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from inspector.service.app import create_app
from inspector.service.normalise.conventions import CONVENTIONS
from tests.support.services.app import TOKEN, caller, settings
from tests.support.telemetry.otlp import START_NS

TRACE = "ab" * 16
SESSION = "deep"
KINDS = ("chat", "invoke_agent", "execute_tool", "tools/call")
KEYS = [key for one in CONVENTIONS for key in one.keys if " " not in key and "*" not in key]
STREAMS = {"/events", "/processes/{process_id:path}/commands"}
"""They do not end, and tell rows."""


def nested(levels: int) -> str:
    return '{"a":' * levels + "9007199254740993" + "}" * levels


def written(levels: int) -> list[str]:
    """Return deep values as senders write them: whole, in a message, in a part, in a request."""
    deep = nested(levels)
    return [
        deep,
        "[" * levels + "]" * levels,
        f'[{{"role":"user","content":{deep}}}]',
        f'[{{"role":"user","parts":[{{"type":"tool_call","name":"t","arguments":{deep}}}]}}]',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","x":{deep}}}}}',
        f'{{"messages":{deep},"tools":[{deep}],"temperature":{deep}}}',
    ]


def pair(key: str, text: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": text}}


def kvlist(levels: int) -> str:
    """Return a structured value as text: `json` cannot write one as deep."""
    opened = '{"kvlistValue":{"values":[{"key":"k","value":'
    return opened * levels + '{"stringValue":"bottom"}' + "}]}}" * levels


def deep_spans(levels: int, kinds: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a span of each kind for each way to write a value."""
    for text in written(levels):
        for kind in kinds:
            yield {
                "traceId": TRACE,
                "name": kind,
                "startTimeUnixNano": str(START_NS),
                "endTimeUnixNano": str(START_NS + 1),
                "attributes": [
                    *(pair(key, text) for key in KEYS),
                    pair("session.id", SESSION),
                    pair("mcp.method.name" if "/" in kind else "gen_ai.operation.name", kind),
                    pair("inspector.rpc.request", text),
                    pair("inspector.rpc.response", text),
                ],
                "events": [
                    {"name": name, "timeUnixNano": str(START_NS), "attributes": attributes}
                    for name, attributes in (
                        ("event_details", [pair("gen_ai.input.messages", text)]),
                        ("gen_ai.user.message", [pair("gen_ai.event.content", text)]),
                        ("inspector.decision", [pair("inspector.decision.before", text)]),
                        ("inspector.state", [pair("inspector.state.value", text)]),
                        ("inspector.state", [pair("inspector.state.patch", text)]),
                        ("inspector.request.closed", [pair("inspector.request.answer", text)]),
                    )
                ],
            }


def deep_requests(levels: int, kinds: Sequence[str]) -> Iterator[bytes]:
    for place, span in enumerate(deep_spans(levels, kinds), 1):
        span |= {"spanId": f"{place:016x}", "parentSpanId": "" if place == 1 else f"{1:016x}"}
        span["attributes"].append({"key": "structured", "value": "STRUCTURED"})
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
        yield body.replace('"STRUCTURED"', kvlist(levels)).encode()


def addresses(app: FastAPI, span_id: str, frame_key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the requests to every route that reads, for one span."""
    known = {
        "session_id": SESSION, "trace_id": TRACE, "span_id": span_id, "request_id": "none",
        "path": "", "span": f"{TRACE}.{span_id}", "key": frame_key, "pointer": "/view",
        "q": "a", "field": "kind", "left": SESSION, "right": SESSION, "session": (SESSION,) * 2,
    }  # fmt: skip
    for included in app.routes:
        for route in included.original_router.routes:  # type: ignore[attr-defined]  # FastAPI's own
            if "GET" not in route.methods or route.path in STREAMS:
                continue
            path = route.path.replace(":path", "").format_map(known)
            parameters = route.dependant.query_params if isinstance(route, APIRoute) else []
            yield path, {p.name: known[p.name] for p in parameters if p.field_info.is_required()}
            if any(p.name == "max_value_bytes" for p in parameters):
                yield path, {"max_value_bytes": 1000}


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with caller(app) as client:
        client.headers["authorization"] = f"Bearer {TOKEN}"
        yield client


@pytest.fixture
async def app() -> AsyncIterator[FastAPI]:
    app = create_app(settings(), token=TOKEN)
    async with app.router.lifespan_context(app):
        yield app


async def send(client: httpx.AsyncClient, levels: int, kinds: Sequence[str]) -> None:
    for body in deep_requests(levels, kinds):
        sent = await client.post(
            "/v1/traces", content=body, headers={"content-type": "application/json"}
        )
        assert (sent.status_code, sent.json()) == (200, {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("levels", "kinds"), [(80, KINDS), pytest.param(2_000, ["tools/call"], marks=pytest.mark.slow)]
)
async def test_every_route_that_reads_answers_about_spans_with_deep_values(
    app: FastAPI, client: httpx.AsyncClient, levels: int, kinds: Sequence[str]
) -> None:
    await send(client, levels, kinds)
    rows = (await client.get(f"/sessions/{SESSION}/spans")).json()["spans"]
    frame_key = (await client.get(f"/sessions/{SESSION}/mcp")).json()["entries"][0]["key"]
    urls = {
        (path, tuple(query.items()))
        for row in rows
        for path, query in addresses(app, row["span_id"], frame_key)
    }
    answers = {one: (await client.get(one[0], params=dict(one[1]))).status_code for one in urls}
    assert {one: status for one, status in answers.items() if status >= 400} == {
        ("/requests/none", ()): 404,
        # One session twice; its content is read as that of `/compare/rows`.
        ("/compare/runs", (("session", (SESSION, SESSION)),)): 422,
    }
    assert len(rows) == len(kinds) * len(written(1))


async def test_what_is_deeper_than_is_shown_is_there_as_text(client: httpx.AsyncClient) -> None:
    await send(client, 300, ["chat"])
    detail = (await client.get(f"/spans/{TRACE}/{1:016x}")).json()
    value, levels = detail["view"]["metadata"], 0
    while isinstance(value, dict):
        value, levels = value["a"], levels + 1
    assert (levels, value) == (64, nested(300 - 64))
    assert "bottom" in json.dumps(detail["attributes"]["structured"])
