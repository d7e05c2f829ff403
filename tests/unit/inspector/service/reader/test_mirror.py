"""What a reader makes of the stream of a service."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpx
import pytest

from inspector.service.feed.viewing import FeedTiming
from inspector.service.model.writer_names import WriterAddress
from inspector.service.reader import mirror as mirror_module
from inspector.service.reader.mirror import Mirror, MirroredStream
from inspector.service.reader.writers import RemoteWriter

_HEARTBEAT = {"type": "Heartbeat", "store": {"state": "ok", "message": ""}}


class _Service:
    """Sends what it is told to.

    Attributes:
        connections: The connections that follow it.
        store_id: Of its store.
        is_away: Whether it answers with an error.
    """

    def __init__(self, store_id: str) -> None:
        self.store_id, self.is_away = store_id, False
        self.connections = asyncio.Queue[httpx.Request]()
        self._to_send = asyncio.Queue[bytes | None]()

    def send(self, change: int, message: dict[str, Any]) -> None:
        self._to_send.put_nowait(self._event(change, message))

    def send_without_id(self) -> None:
        self._to_send.put_nowait(b'data: {"type": "Unheard"}\n\n')

    def end(self) -> None:
        """End the connection, and send nothing to the next."""
        self._to_send.put_nowait(None)

    async def _sent(self, *, is_live: bool) -> AsyncIterator[bytes]:
        yield self._event(1, _HEARTBEAT)
        while is_live and (sent := await self._to_send.get()):
            yield sent

    def _event(self, change: int, message: dict[str, Any]) -> bytes:
        data = json.dumps(message).encode()
        return b"id: %b.%d\ndata: %b\n\n" % (self.store_id.encode(), change, data)

    def answer(self, request: httpx.Request) -> httpx.Response:
        if self.is_away:
            return httpx.Response(500)
        is_live = "until" not in request.url.params
        if is_live:
            self.connections.put_nowait(request)
        return httpx.Response(200, content=self._sent(is_live=is_live))


class _BehindProxy(_Service):
    """A service whose streams a proxy compresses."""

    async def _sent(self, *, is_live: bool) -> AsyncIterator[bytes]:
        compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
        async for sent in super()._sent(is_live=is_live):
            yield compressor.compress(sent) + compressor.flush(zlib.Z_SYNC_FLUSH)

    def answer(self, request: httpx.Request) -> httpx.Response:
        answer = super().answer(request)
        answer.headers["Content-Encoding"] = "gzip"
        return answer


@asynccontextmanager
async def _reading(**services: _Service) -> AsyncIterator[MirroredStream]:
    transport = httpx.MockTransport(lambda request: services[request.url.host].answer(request))
    async with httpx.AsyncClient(transport=transport) as client, asyncio.timeout(20):
        addresses = [WriterAddress.parse(f"{name}=https://{name}") for name in services]
        writers = [RemoteWriter(one, client, "token") for one in addresses]
        stream = MirroredStream(writers, FeedTiming(interval_s=0, list_interval_s=0))
        stream.start()
        try:
            yield stream
        finally:
            await stream.close()


async def test_an_event_that_cannot_be_read_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = _Service("s")
    async with _reading(eu=service) as stream, aclosing(stream.stream()) as events:

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


async def test_of_two_names_of_a_service_the_first_that_answers_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mirror_module, "_RETRY_S", (0.0, 0.0))
    eu, us = _Service("s"), _Service("s")
    eu.is_away = True
    async with _reading(eu=eu, us=us) as stream, aclosing(stream.stream()) as events:

        async def heard(**states: str) -> list[str]:
            async for _ in events:
                health = {one.name: one.store for one in stream.writer_health()}
                if {name: one.state for name, one in health.items()} == states:
                    return [one.message for one in health.values()]
            raise AssertionError("it ended")

        await heard(eu="incomplete", us="ok")
        eu.is_away = False
        messages = await heard(eu="ok", us="incomplete")
        assert messages == ["", "The service 'us' is the same service as 'eu': name each once."]
        eu.is_away = True
        eu.end()
        await heard(eu="incomplete", us="ok")
        eu.is_away = False
        await heard(eu="ok", us="incomplete")
        us.store_id = "other"
        await heard(eu="ok", us="ok")


async def test_a_stream_that_a_proxy_compresses_is_read() -> None:
    service = _BehindProxy("s")
    async with _reading(eu=service) as stream, aclosing(stream.stream()) as events:
        assert b"id: s.1" in await anext(events)


async def test_a_service_that_sends_no_ids_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    service = _Service("s")
    async with _reading(eu=service) as stream, aclosing(stream.stream()) as events:
        await anext(events)
        for _ in range(2):  # the second is for the viewer's sessions
            await service.connections.get()
        monkeypatch.setattr(mirror_module, "_RETRY_S", (0.0, 1000.0))
        for _ in range(mirror_module._MOST_MESSAGES + 1):
            service.send_without_id()
        async for block in events:
            if b"The service 'eu' sends changes without ids." in block:
                break


@pytest.mark.parametrize("is_live", [True, False])
async def test_a_viewer_is_cut_off_when_one_service_fails_for_it(
    monkeypatch: pytest.MonkeyPatch, is_live: bool
) -> None:
    start = Mirror._start

    async def fail_in_us(mirror: Mirror, after: str | None) -> int | None:
        if mirror.name == "us":
            raise RuntimeError("it fails")
        return await start(mirror, after)

    monkeypatch.setattr(Mirror, "_start", fail_in_us)
    async with _reading(eu=_Service("s"), us=_Service("t")) as stream:
        for mirror in stream._mirrors:
            await mirror.ready.wait()
        async with aclosing(stream.stream(is_live=is_live)) as events:
            with pytest.raises(RuntimeError, match="it fails"):
                async for _ in events:
                    pass


async def test_a_viewer_begins_at_its_position_where_the_stream_passes_it_meanwhile() -> None:
    async def pass_it(request: httpx.Request) -> httpx.Response:
        mirror._tail.add_entries(6, [])
        return httpx.Response(200, json={"as_of": "s.6"})

    async with httpx.AsyncClient(transport=httpx.MockTransport(pass_it)) as client:
        writer = RemoteWriter(WriterAddress.parse("eu=https://eu"), client, "token")
        mirror = Mirror(writer, lambda: None, lambda *_: None)
        mirror.store_id = "s"
        mirror._tail.add_entries(4, [])
        assert await mirror._start("s.5") == 5
