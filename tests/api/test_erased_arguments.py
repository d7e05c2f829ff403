"""The arguments of a request are in no file of the service soon after it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest
from fastapi import FastAPI

from inspector.service.app import create_app
from inspector.service.model.rows import RequestStatus
from inspector.service.storage.sqlite import SqliteStore
from tests.support.agents.http_agent import Agent, hash_of
from tests.support.agents.request_rows import request_row
from tests.support.services.app import TOKEN, caller, settings
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.export import trace_request

_SECRET = "correct horse battery staple"
_ARGS = [f'{{"password":"{_SECRET}"}}', f'{{"text":"{"x" * 100_000} {_SECRET}"}}']
"""In the row, and on pages of its own."""


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[FastAPI]:
    values = {
        "store": f"sqlite:///{tmp_path}/store.sqlite3",
        "forward_otlp": "http://127.0.0.1:9",  # nobody is there: all of it stays in the queue
    }
    app = create_app(settings(**values), token=TOKEN)
    async with app.router.lifespan_context(app):
        yield app


def _found_in(folder: Path) -> list[str]:
    needles = (_SECRET.encode(), _SECRET.encode("utf-16-le"))
    return [
        path.name
        for path in sorted(folder.iterdir())
        if any(needle in path.read_bytes() for needle in needles)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("args_json", _ARGS, ids=["small", "large"])
async def test_the_arguments_of_a_closed_request_are_in_no_file(
    app: FastAPI, tmp_path: Path, args_json: str
) -> None:
    async with caller(app) as client:
        client.headers["authorization"] = f"Bearer {TOKEN}"
        agent = Agent(client, "p1")
        await agent.hello()
        stream = app.state.parts.feed.stream()
        async with aclosing(stream):
            await anext(stream)  # a viewer looks on
            for request_id in ("answered", "withdrawn"):
                await agent.open(request_id, args_json=args_json, args_text=args_json)
            body = trace_request().SerializeToString()
            sent = {"content-type": "application/x-protobuf"}
            assert (await client.post("/v1/traces", content=body, headers=sent)).status_code == 200
            assert _found_in(tmp_path)
            edited = args_json.replace("{", "{ ")
            answer = {"decision": "allow", "args_json": edited, "args_hash": hash_of(args_json)}
            values = await client.post("/requests/answered", json=answer)
            assert values.status_code == 200, values.text
            with app.state.parts.store.read() as reader:
                seq = reader.commands("p1", 0, 10)[-1].seq
                await agent.acknowledge(seq, applied=True)
                await agent.close("withdrawn", "withdrawn")
                assert reader.commands("p1", 0, 10), "a reader sees what was before"
            async with asyncio.timeout(10):
                while _found_in(tmp_path):  # the writer does it between commits
                    await app.state.parts.writer.tick()


def test_a_reader_that_is_in_the_way_is_not_waited_for(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "store.sqlite3")) as store:
        rig = Rig(store)
        rig.hello()
        rig.open(request_row("r1", args_json=_ARGS[0]))
        with store.read() as reader:
            assert reader.head
            rig.close("r1", RequestStatus.WITHDRAWN)
            assert not store.erase()
        assert store.erase()
        assert _found_in(tmp_path) == []
