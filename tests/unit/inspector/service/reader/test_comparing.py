"""Stores in which sessions of several services are compared."""

from __future__ import annotations

import gzip
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import orjson
import pytest

from inspector.service.model.writer_names import WriterAddress
from inspector.service.reader import comparing
from inspector.service.reader.comparing import ImportedSessions, _file, _Side
from inspector.service.reader.writers import RemoteWriter
from inspector.service.storage.sqlite import SqliteStore
from tests.support.services.app import settings
from tests.support.telemetry.otlp import START_NS
from tests.support.telemetry.records import span_hex, trace_hex


async def test_a_store_is_opened_and_removed_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads = list[threading.Thread]()

    class Store(SqliteStore):
        def __init__(self, path: Path | None) -> None:
            threads.append(threading.current_thread())
            super().__init__(path)

        def close(self) -> None:
            threads.append(threading.current_thread())
            super().close()

    monkeypatch.setattr(comparing, "SqliteStore", Store)
    sessions = ImportedSessions(settings())
    async with sessions._imported([]):
        assert len(threads) == 1
    await sessions.close()
    assert len(threads) == 2
    assert threading.current_thread() not in threads


async def test_a_session_that_a_proxy_compresses_is_read() -> None:
    async def sent() -> AsyncIterator[bytes]:
        yield gzip.compress(b'{"resourceSpans":[]}')

    answer = httpx.Response(200, headers={"Content-Encoding": "gzip"}, content=sent())
    async with httpx.AsyncClient(transport=httpx.MockTransport(lambda _: answer)) as client:
        writer = RemoteWriter(WriterAddress.parse("eu=https://eu"), client, "token")
        pieces = [piece async for piece in _file(_Side(writer, "a", {"id": "eu:a"}))]
    assert b"".join(pieces) == b'{"resourceSpans":[]}'


async def test_a_session_is_compared_whose_row_counts_a_span_twice() -> None:
    one = {
        "traceId": trace_hex(1),
        "spanId": span_hex(1),
        "name": "work",
        "startTimeUnixNano": str(START_NS),
        "endTimeUnixNano": str(START_NS + 1),
    }
    file = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]})

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=file)

    row = {"id": trace_hex(1), "change": 1, "changed_at": "", "span_count": 2}
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        writer = RemoteWriter(WriterAddress.parse("eu=https://eu"), client, "token")
        sessions = ImportedSessions(settings())
        async with sessions._imported([_Side(writer, trace_hex(1), row)]) as imported:
            assert not imported.is_closed
        await sessions.close()
