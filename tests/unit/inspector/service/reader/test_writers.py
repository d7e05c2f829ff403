"""A service that a reader asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import monotonic

import httpx
import pytest

from inspector.service.model.writer_names import WriterAddress
from inspector.service.reader import writers
from inspector.service.reader.writers import RemoteWriter, WriterAwayError


async def test_an_answer_is_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "MAX_ANSWER_BYTES", 2**20)

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 65_536

    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=endless()))
    async with httpx.AsyncClient(transport=transport) as client:
        writer = RemoteWriter(WriterAddress.parse("eu=https://eu.example"), client, "token")
        with pytest.raises(WriterAwayError, match="more than 1 MB"):
            await writer.read("/sessions")


async def test_a_list_that_hangs_is_waited_for_once_while_the_stream_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writers, "ANSWER_S", 0.01)
    requests, hanging = list[str](), {"/search"}

    async def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request.url.path)
        if request.url.path in hanging:
            await asyncio.Event().wait()
        return httpx.Response(200, json={})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        writer = RemoteWriter(WriterAddress.parse("eu=https://eu.example"), client, "token")
        for _ in range(3):
            with pytest.raises(WriterAwayError, match="has not answered"):
                await writer.read("/search")
            writer.answered()  # as its stream does with each change
        assert requests == ["/search"]
        assert await writer.read("/sessions") == {}
        hanging.clear()
        monkeypatch.setattr(writers, "monotonic", lambda: monotonic() + writers._HUNG_S)
        assert await writer.read("/search") == {}


async def test_a_query_that_hangs_does_not_hide_the_plain_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writers, "ANSWER_S", 0.01)

    async def answer(request: httpx.Request) -> httpx.Response:
        if "q" in request.url.params:
            await asyncio.Event().wait()
        return httpx.Response(200, content=b"{}")

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        writer = RemoteWriter(WriterAddress.parse("eu=https://eu.example"), client, "token")
        with pytest.raises(WriterAwayError):
            await writer.read("/sessions", [("q", "slow")])
        assert await writer.read("/sessions", [("sort", "-started"), ("limit", "1")]) == {}
