"""What a reader makes of the stream of a service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import httpx
import pytest

from inspector.service.feed.viewing import FeedTiming
from inspector.service.model.writer_names import WriterAddress
from inspector.service.reader import mirror as mirror_module
from inspector.service.reader.mirror import MirroredStream
from inspector.service.reader.writers import RemoteWriter

_HEARTBEAT = {"type": "Heartbeat", "store": {"state": "ok", "message": ""}}


class _Service:
    """Sends what it is told to.

    Attributes:
        connections: The connections that follow it.
    """

    def __init__(self) -> None:
        self.connections = asyncio.Queue[httpx.Request]()
        self._to_send = asyncio.Queue[bytes]()

    def send(self, change: int, message: dict[str, Any]) -> None:
        self._to_send.put_nowait(_event(change, message))

    async def _sent(self, *, is_live: bool) -> AsyncIterator[bytes]:
        yield _event(1, _HEARTBEAT)
        while is_live:
            yield await self._to_send.get()

    def answer(self, request: httpx.Request) -> httpx.Response:
        is_live = "until" not in request.url.params
        if is_live:
            self.connections.put_nowait(request)
        return httpx.Response(200, content=self._sent(is_live=is_live))


def _event(change: int, message: dict[str, Any]) -> bytes:
    return b"id: s.%d\ndata: %b\n\n" % (change, json.dumps(message).encode())


async def test_an_event_that_cannot_be_read_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = _Service()
    async with httpx.AsyncClient(transport=httpx.MockTransport(service.answer)) as client:
        writer = RemoteWriter(WriterAddress.parse("eu=https://eu.example"), client, "token")
        stream = MirroredStream([writer], FeedTiming(interval_s=0, list_interval_s=0))
        stream.start()
        async with aclosing(stream.stream()) as events, asyncio.timeout(20):

            async def read_up_to(type_: str) -> list[str]:
                types: list[str] = []
                async for block in events:
                    lines = block.decode().splitlines()
                    types += [json.loads(one[6:])["type"] for one in lines if one[:5] == "data:"]
                    if type_ in types:
                        return types
                raise AssertionError("it ended")

            await read_up_to("Heartbeat")
            for _ in range(2):  # the second is for the viewer's sessions
                await service.connections.get()
            monkeypatch.setattr(mirror_module, "_UNREAD_S", 1000.0)
            service.send(2, {"type": "SpanEnded", "span": {}})
            assert "Unheard" not in await read_up_to("Gap")
            service.send(3, {"type": "SessionStarted", "session": {"id": "x"}})
            service.send(4, {"type": "Unheard"})
            assert "Gap" not in await read_up_to("Unheard")
            monkeypatch.setattr(mirror_module, "_UNREAD_S", 0.0)
            service.send(4, _HEARTBEAT)  # what was passed over last is missed, too
            await read_up_to("Gap")
            (health,) = stream.writer_health()
            assert health.store.state == "ok"
            assert "'eu' sends what this version cannot read: SpanEnded" in health.store.message
            assert caplog.text.count("cannot read") == 1
            assert service.connections.empty()
        await stream.close()
