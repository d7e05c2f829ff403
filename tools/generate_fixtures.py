"""Generate fixtures for the gallery and vitest: the API's answers about known traces.

No answer is made up: the traces are sent as OTLP to a service, and each answer of each route that
reads one session is stored as the exact text. The gallery itself makes the states that no trace
has: loading, failed, a lost stream.

A key is the path of a route with its query, not encoded; after an error the status comes first:
`404 /compare?left=before&right=nobody`.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx

from inspector.service.app import create_app
from inspector.service.http import spans as search_route
from inspector.service.sessions.processes import Processes
from inspector.service.settings import Settings
from tools.drawn_sessions import AFTER, AGAIN, BEFORE, SESSIONS, past_sessions
from tools.drawn_wire import SESSION as WIRE
from tools.drawn_wire import wire_records, wire_spans
from tools.pages import ROOT

FOLDER = Path("web/gallery/fixtures")
GOLDEN = ROOT / "tests" / "golden"
_TOKEN = "of-nobody"
_JSON = {"Content-Type": "application/json"}
_PROTOBUF = {"Content-Type": "application/x-protobuf"}
_LISTS = ("/sessions", "/requests", "/audit")
_OF_A_SESSION = re.compile(r"/sessions/\{session_id\}(/[a-z]+)?")
_TRANSCRIPT = "/sessions/{session_id}/transcript"
"""The page requests a few spans at a time; here each by itself."""
_QUERIES = {"spans": "?format=columns"}
"""The page's query for a route that has more than one form."""
_AS_OF = re.compile(r'("as_of":")[^".]+\.')
"""`as_of` with the store's own id, which is new each time."""
_SILENT_SINCE = re.compile(r'("silent_since":)"[^"]+"')
"""`silent_since` of an open session, the time at which this runs."""
_CHANGED_AT = re.compile(r'("changed_at":)"[^"]+"')

Answers = dict[str, str]
Query = Mapping[str, str | Sequence[str]]


def outputs() -> dict[Path, str]:
    """Return one file a session, and one of lists: path of a route to the text that it answers."""
    traces = sorted(GOLDEN.glob("*.otlp.jsonl"))
    lines = [line for trace in traces for line in trace.read_text(encoding="utf-8").splitlines()]
    files = {**asyncio.run(_golden(lines)), "drawn": asyncio.run(_drawn())}
    return {
        FOLDER / f"{name}.json": json.dumps(answers, ensure_ascii=False, indent=2, sort_keys=True)
        + "\n"
        for name, answers in files.items()
    }


async def _golden(lines: list[str]) -> dict[str, Answers]:
    async with _client() as (client, routes):
        for line in lines:
            path = "/v1/logs" if line.startswith('{"resourceLogs"') else "/v1/traces"
            await _send(client, path, line.encode(), _JSON)
        files = {"lists": {path: await _text(client, path) for path in _LISTS}}
        for session in json.loads(files["lists"]["/sessions"])["sessions"]:
            files[session["id"]] = await _session(client, session["id"], routes)
        return files


async def _drawn() -> Answers:
    # A page of results also ends when its time is up: not here.
    with patch.object(search_route, "PAGE_S", 60.0):
        return await _drawn_answers()


async def _drawn_answers() -> Answers:
    async with _client() as (client, routes):
        await _send(client, "/import", past_sessions(), _JSON)
        await _send(client, "/v1/traces", wire_spans(), _PROTOBUF)
        await _send(client, "/v1/logs", wire_records(), _PROTOBUF)
        answers: Answers = {}
        for session_id in (*SESSIONS, WIRE):
            answers |= await _session(client, session_id, routes)
        answers |= await _frames(client, WIRE, answers)
        requests: list[tuple[str, Query]] = [("/search", {"q": query}) for query in SEARCHES]
        requests += [
            (path, {"left": left, "right": right})
            for left, right in COMPARED
            for path in ("/compare", "/compare/rows")
        ]
        requests.append(("/compare/runs", {"session": RUNS}))
        for path, query in [*requests, *_states(answers)]:
            key, text = await _answer(client, path, query)
            while path == "/search" and _is_part(text):
                await asyncio.sleep(0.05)
                key, text = await _answer(client, path, query)
            answers[key] = text
        return answers


def _is_part(text: str) -> bool:
    index = json.loads(text).get("index")
    return index is not None and not index["is_complete"]


SEARCHES = (
    "merge kind:tool",
    "kind:tool",
    '"these very words"',
    "stauts:failed",
    "session(title~release)",
)
COMPARED = ((BEFORE, AFTER), (AFTER, BEFORE), (BEFORE, AGAIN), (BEFORE, WIRE), (BEFORE, "nobody"))
RUNS = (BEFORE, AFTER, AGAIN)


async def _pages(client: httpx.AsyncClient, path: str, cursor: str | None) -> Answers:
    """Return the pages of a route from a cursor on."""
    answers: Answers = {}
    while cursor is not None:
        key, text = await _answer(client, path, {"cursor": cursor})
        answers[key] = text
        cursor = json.loads(text)["next_cursor"]
    return answers


async def _frames(client: httpx.AsyncClient, session_id: str, answers: Answers) -> Answers:
    """Return each message of an MCP log as a whole."""
    log = f"/sessions/{session_id}/mcp"
    pages = [json.loads(text) for key, text in answers.items() if key.split("?")[0] == log]
    queries = [
        {"key": entry["key"]}
        for page in pages
        for entry in page["entries"]
        if entry["form"] is not None or entry["type"] == "stderr"
    ]
    return dict([await _answer(client, f"{log}/frame", query) for query in queries])


def _states(answers: Answers) -> list[tuple[str, Query]]:
    """Return the page's requests for the state of each span that has one."""
    found = [
        (path, json.loads(text)["view"]["state"])
        for path, text in answers.items()
        if path.startswith("/spans/")
    ]
    return [(f"{path}/state", {}) for path, states in found if states]


@asynccontextmanager
async def _client() -> AsyncIterator[tuple[httpx.AsyncClient, list[str]]]:
    """Run a service that loses no process; yield a client, and the routes that read one session."""
    settings = Settings.model_construct(host="127.0.0.1", store="memory:", otlp_grpc_port=0)
    app = create_app(settings, token=_TOKEN)
    async with AsyncExitStack() as stack:
        # What still runs in a trace would be lost on a machine that takes longer than a heartbeat.
        stack.enter_context(patch.object(Processes, "take_lost", return_value=[]))
        await stack.enter_async_context(app.router.lifespan_context(app))
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app, client=("127.0.0.1", 50_000)),
            base_url="http://127.0.0.1:7800",
            headers={"Authorization": f"Bearer {_TOKEN}"},
        )
        await stack.enter_async_context(client)
        routes = [path for path, methods in app.openapi()["paths"].items() if "get" in methods]
        yield (
            client,
            [path for path in routes if _OF_A_SESSION.fullmatch(path) and path != _TRANSCRIPT],
        )


async def _send(
    client: httpx.AsyncClient, path: str, content: bytes, headers: dict[str, str]
) -> None:
    answer = await client.post(path, content=content, headers=headers)
    answer.raise_for_status()


async def _session(client: httpx.AsyncClient, session_id: str, routes: list[str]) -> Answers:
    paths = [route.replace("{session_id}", session_id) for route in routes]
    skeleton = json.loads(await _text(client, f"/sessions/{session_id}/spans"))
    rows = skeleton["spans"]
    paths += [f"/spans/{row['trace_id']}/{row['span_id']}" for row in rows]
    paths += [f"/sessions/{session_id}/transcript?span={spans}" for spans in _readings(rows)]
    answers = {path: await _text(client, path + _QUERIES.get(_last(path), "")) for path in paths}
    for path in (f"/sessions/{session_id}/spans", f"/sessions/{session_id}/mcp"):
        answers |= await _pages(client, path, json.loads(answers[path])["next_cursor"])
    return answers


def _last(path: str) -> str:
    return path.rsplit("/", 1)[1]


def _readings(rows: list[Any]) -> list[str]:
    """Return the spans that the transcript requests: each, and each LLM call after another."""
    queries = []
    before: dict[str, str] = {}
    for row in rows:
        key = f"{row['trace_id']}.{row['span_id']}"
        queries.append(key)
        if row["kind"] != "llm":
            continue
        conversation = str(row["parent_span_id"])
        if conversation in before:
            queries.append(f"{key}~{before[conversation]}")
        before[conversation] = key
    return queries


async def _text(client: httpx.AsyncClient, path: str) -> str:
    answer = await client.get(path)
    answer.raise_for_status()
    return _fixed(answer.text)


async def _answer(client: httpx.AsyncClient, path: str, query: Query) -> tuple[str, str]:
    """Return the key and the text of an answer, which may be a refusal."""
    answer = await client.get(path, params=query)
    values = httpx.QueryParams(query).multi_items()
    text = "&".join(f"{name}={value}" for name, value in values)
    status = f"{answer.status_code} " if answer.is_error else ""
    return f"{status}{path}{text and '?' + text}", _fixed(answer.text)


def _fixed(text: str) -> str:
    text = _CHANGED_AT.sub(r'\1"2026-01-01T00:00:00.000000000Z"', text)
    return _SILENT_SINCE.sub(r"\1null", _AS_OF.sub(r"\1golden.", text))
