"""Trouble with the store, or with the writer: it is reported, and ends without help."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator

import pytest

from inspector.errors import StoreUnavailableError
from inspector.service.feed.feed import Feed
from inspector.service.ingest.writer import Writer
from inspector.service.model.records import Changes
from tests.support.models.store import ModelStore
from tests.support.services.api import FakeClock
from tests.support.services.viewer import Viewer
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming

DISK_FULL = StoreUnavailableError("Cannot write: disk full.", trouble="full")


class _TroubledStore(ModelStore):
    """A disk whose every write fails while `error` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None
        self.free_bytes = 1 << 30
        self.is_probed = threading.Event()

    def commit(self, changes: Changes) -> None:
        if self.error is not None:
            raise self.error
        super().commit(changes)

    def probe(self, room_bytes: int = 0) -> None:
        self.is_probed.set()
        if self.error is not None:
            raise self.error
        if self.free_bytes < room_bytes:
            raise DISK_FULL


class _Served:
    def __init__(self) -> None:
        self.store = _TroubledStore()
        self.feed = Feed(self.store)
        self.writer = Writer(self.store, self.feed, clock=FakeClock(), tick_s=None, probe_s=0.01)

    async def state_is(self, state: str) -> None:
        """Read the stream until it says so."""
        viewer, stream = Viewer(), self.feed.stream()
        async with asyncio.timeout(10):
            async for block in stream:
                for event in block.decode().removesuffix("\n\n").split("\n\n"):
                    viewer.read(event)
                if viewer.store_state == state:
                    break
        await stream.aclose()
        assert self.writer.store_health.state == state


@pytest.fixture
async def served() -> AsyncIterator[_Served]:
    served = _Served()
    yield served
    served.store.error = None
    await served.writer.close()
    await served.feed.close()


async def test_a_store_that_fails_is_ok_again_with_no_sender_coming(served: _Served) -> None:
    served.store.error = DISK_FULL
    with pytest.raises(StoreUnavailableError):
        await served.writer.submit([incoming(span())], [])
    await served.state_is("full")
    served.store.error = None
    await served.state_is("ok")


async def test_trouble_that_changes_keeps_its_beginning(served: _Served) -> None:
    served.store.error = DISK_FULL
    with pytest.raises(StoreUnavailableError):
        await served.writer.submit([incoming(span())], [])
    since_ns = served.writer.store_health.since_ns
    served.store.error = StoreUnavailableError("Cannot write: gone.")
    await served.state_is("unavailable")
    assert served.writer.store_health.since_ns == since_ns
    assert served.writer.store_health.message == "Cannot write: gone."


async def test_a_disk_counts_as_full_until_what_was_refused_fits(served: _Served) -> None:
    served.store.error = DISK_FULL
    with pytest.raises(StoreUnavailableError):
        await served.writer.submit([incoming(span("x" * 3_000_000))], [])
    served.store.error, served.store.free_bytes = None, 2_000_000
    for _ in range(3):
        served.store.is_probed.clear()
        assert await asyncio.to_thread(served.store.is_probed.wait, 10)
    assert served.writer.store_health.state == "full"
    served.store.free_bytes = 10_000_000
    await served.state_is("ok")


async def test_trouble_is_logged_once_however_often_it_is_met(
    served: _Served, caplog: pytest.LogCaptureFixture
) -> None:
    served.store.error = DISK_FULL
    for _ in range(3):
        with pytest.raises(StoreUnavailableError):
            await served.writer.submit([incoming(span())], [])
    served.store.error = None
    await served.state_is("ok")
    logged = [(record.levelno, record.message) for record in caplog.records]
    assert logged == [
        (logging.ERROR, "Cannot write: disk full."),
        (logging.WARNING, "The store is writable again."),
    ]


async def test_a_crash_of_the_writer_is_logged_and_it_begins_again(
    served: _Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(*_: object) -> None:
        monkeypatch.undo()
        raise SystemError("unforeseen")

    monkeypatch.setattr(served.writer, "_write", crash)
    with pytest.raises(StoreUnavailableError, match="unforeseen"):
        await served.writer.submit([incoming(span())], [])
    assert served.writer.store_health.state == "unavailable"
    assert "The writer failed" in caplog.text
    await served.state_is("ok")
    await served.writer.submit([incoming(span())], [])
    with served.store.read() as reader:
        assert len(reader.unsettled()) == 1


async def test_a_writer_that_keeps_crashing_refuses_whoever_comes(
    served: _Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise SystemError("for ever")

    monkeypatch.setattr(served.writer._turns, "take", crash)
    for _ in range(3):
        async with asyncio.timeout(10):
            with pytest.raises(StoreUnavailableError, match="for ever"):
                await served.writer.submit([incoming(span())], [])


async def test_what_is_committed_stays_so_when_viewers_cannot_be_reached(
    served: _Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(changes: Changes) -> None:
        monkeypatch.undo()
        raise ZeroDivisionError

    monkeypatch.setattr(served.feed, "publish", fail)
    stream = served.feed.stream()
    await anext(stream)
    await served.writer.submit([incoming(span())], [])
    async with asyncio.timeout(10):
        assert b"SpanEnded" in await anext(stream)
    await stream.aclose()
