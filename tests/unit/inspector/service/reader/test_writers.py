"""A service that a reader asks."""

from __future__ import annotations

from collections.abc import AsyncIterator

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
