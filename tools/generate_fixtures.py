"""What the service says of the golden traces, for the gallery, for vitest and for the documents.

Nothing is made up: the traces go in as OTLP at the service's own door, and each answer of each
route that reads one session is kept as the exact text that came. States that no recorded trace can
have (loading, failed, a stream that is lost) are the gallery's to make.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx

from inspector.app import create_app, running
from inspector.settings import Settings

FOLDER = Path("web/gallery/fixtures")
GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"
_TOKEN = "of-nobody"
_JSON = {"Content-Type": "application/json"}
_LISTS = ("/sessions", "/requests", "/audit")
_OF_A_SESSION = re.compile(r"/sessions/\{session_id\}(/[a-z]+)?")
_TRANSCRIPT = "/sessions/{session_id}/transcript"
"""Is asked for a few spans at a time, so for each by itself here."""
_ASKED = {"spans": "?format=columns"}
"""How the page asks for what can be had in more than one form."""
_AS_OF = re.compile(r'("as_of":")[^".]+\.')
"""The change number of a store begins with the store's own id, which is new each time."""

Answers = dict[str, str]


def outputs() -> dict[Path, str]:
    """Return one file a session, and one of lists: path of a route to the text that it answers."""
    traces = sorted(GOLDEN.glob("*.otlp.jsonl"))
    lines = [line for trace in traces for line in trace.read_text(encoding="utf-8").splitlines()]
    files = asyncio.run(_answers(lines))
    return {
        FOLDER / f"{name}.json": json.dumps(answers, ensure_ascii=False, indent=2, sort_keys=True)
        + "\n"
        for name, answers in files.items()
    }


async def _answers(lines: list[str]) -> dict[str, Answers]:
    settings = Settings.model_construct(host="127.0.0.1", store="memory:", otlp_grpc_port=0)
    app = create_app(settings, token=_TOKEN)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running(app))
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app, client=("127.0.0.1", 50_000)),
            base_url="http://127.0.0.1:7800",
            headers={"Authorization": f"Bearer {_TOKEN}"},
        )
        await stack.enter_async_context(client)
        for line in lines:
            await _send(client, line)
        routes = [path for path, methods in app.openapi()["paths"].items() if "get" in methods]
        of_a_session = [
            path for path in routes if _OF_A_SESSION.fullmatch(path) and path != _TRANSCRIPT
        ]
        files = {"lists": {path: await _text(client, path) for path in _LISTS}}
        for session in json.loads(files["lists"]["/sessions"])["sessions"]:
            files[session["id"]] = await _session(client, session["id"], of_a_session)
        return files


async def _send(client: httpx.AsyncClient, line: str) -> None:
    path = "/v1/logs" if line.startswith('{"resourceLogs"') else "/v1/traces"
    answer = await client.post(path, content=line.encode(), headers=_JSON)
    answer.raise_for_status()


async def _session(client: httpx.AsyncClient, session_id: str, routes: list[str]) -> Answers:
    paths = [route.replace("{session_id}", session_id) for route in routes]
    skeleton = json.loads(await _text(client, f"/sessions/{session_id}/spans"))
    rows = skeleton["spans"]
    paths += [f"/spans/{row['trace_id']}/{row['span_id']}" for row in rows]
    paths += [f"/sessions/{session_id}/transcript?span={asked}" for asked in _readings(rows)]
    return {path: await _text(client, path + _ASKED.get(_last(path), "")) for path in paths}


def _last(path: str) -> str:
    return path.rsplit("/", 1)[1]


def _readings(rows: list[Any]) -> list[str]:
    """Return what the transcript is asked for: each span, and each model call after another."""
    asked = []
    before: dict[str, str] = {}
    for row in rows:
        key = f"{row['trace_id']}.{row['span_id']}"
        asked.append(key)
        if row["kind"] != "llm":
            continue
        conversation = str(row["parent_span_id"])
        if conversation in before:
            asked.append(f"{key}~{before[conversation]}")
        before[conversation] = key
    return asked


async def _text(client: httpx.AsyncClient, path: str) -> str:
    answer = await client.get(path)
    answer.raise_for_status()
    return _AS_OF.sub(r"\1golden.", answer.text)
