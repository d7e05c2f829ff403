"""Old sessions go by themselves, and senders do not notice."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.service.feed.feed import Feed
from inspector.service.ingest import housekeeping
from inspector.service.ingest.writer import Writer
from inspector.service.model.records import Changes, Tombstone
from inspector.service.model.rows import Json
from inspector.service.query.tree import All
from inspector.service.sessions.retention import Retention
from inspector.service.storage import Store, open_store
from inspector.service.storage.health import HistoryProgress
from inspector.service.storage.sqlite import SqliteStore
from tests.support.services.api import FakeClock
from tests.support.services.process import wait_for
from tests.support.services.recorder_rig import Rig, sweep_all
from tests.support.services.viewer import Viewer
from tests.support.telemetry.otlp import SECOND_NS, span
from tests.support.telemetry.records import incoming, trace_hex

LARGE: dict[str, Json] = {"text": "x" * 10_000}
DAY_NS = 86_400 * SECOND_NS


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "LOOK_S", 0.01)
    monkeypatch.setattr("inspector.service.ingest.writer.LOOK_S", 0.01)


class _Stepping(SqliteStore):
    """Sweeps only on command."""

    def __init__(self, path: Path) -> None:
        self.was_read = threading.Semaphore(0)
        self.may = threading.Semaphore(0)
        super().__init__(path)

    def sweep(self) -> bool:
        self.was_read.release()
        assert self.may.acquire(timeout=10)
        return super().sweep()


async def _until_gone(viewer: Viewer, stream: AsyncIterator[bytes], session_id: str) -> None:
    async with asyncio.timeout(20):
        async for block in stream:
            for event in block.decode().removesuffix("\n\n").split("\n\n"):
                viewer.read(event)
            if "SessionDeleted" in viewer.types and session_id not in viewer.sessions:
                return


async def test_content_that_the_history_has_goes_unseen_when_it_is_too_old(store: Store) -> None:
    clock, feed, whole = FakeClock(), Feed(store), dict[str, int]()
    writer = Writer(
        store,
        feed,
        clock=clock,
        tick_s=None,
        hot=Retention(max_age_ns=3 * DAY_NS),
        history=lambda: HistoryProgress("ok", whole=whole),
    )
    stream = feed.stream()
    await anext(stream)
    await writer.submit([incoming(span())], [])
    clock.now_ns += 10 * SECOND_NS
    await writer.tick()
    with store.read() as reader:
        end = reader.head
    clock.now_ns += 4 * DAY_NS
    await writer.submit([incoming(span(trace=2))], [])
    await writer.tick()
    with store.read() as reader:
        assert len(reader.spans_of(trace_hex(1))) == 1, "it is not copied yet"
    whole = {trace_hex(1): end}

    def has_gone() -> bool:
        with store.read() as reader:
            return not reader.spans_of(trace_hex(1))

    await asyncio.to_thread(wait_for, has_gone)
    with store.read() as reader:
        sessions = {one.row.id: one.evicted for one in reader.newest_sessions(All(), None, 9).rows}
        assert sessions == {trace_hex(1): end, trace_hex(2): 0}
        assert len(reader.spans_of(trace_hex(2))) == 1
    behind = feed.stream(feed.position(end - 1))
    assert b'"Gap"' in await anext(behind)
    near = feed.stream(feed.position(end))
    assert b'"Heartbeat"' in await anext(near)
    await writer.close()
    for one in (stream, behind, near):
        await one.aclose()


async def test_a_session_that_is_too_old_goes_and_viewers_see_it_go(store: Store) -> None:
    clock, feed = FakeClock(), Feed(store)
    writer = Writer(
        store, feed, clock=clock, tick_s=None, retention=Retention(max_age_ns=30 * DAY_NS)
    )
    stream, viewer = feed.stream(), Viewer()
    await anext(stream)
    await writer.submit([incoming(span())], [])
    clock.now_ns += 10 * SECOND_NS
    await writer.tick()
    clock.now_ns += 31 * DAY_NS
    await writer.submit([incoming(span(trace=2))], [])
    await _until_gone(viewer, stream, trace_hex(1))
    assert set(viewer.sessions) == {trace_hex(2)}
    with store.read() as reader:
        assert [one.row.id for one in reader.newest_sessions(All(), None, 9).rows] == [trace_hex(2)]
    await writer.close()
    await stream.aclose()


async def test_sessions_that_were_stored_without_their_causes_get_them(store: Store) -> None:
    rig = Rig(store)
    rig.record(*(span("run", trace=number, error="no room") for number in (1, 2)), span(trace=3))
    rig.wait(6)
    with store.read() as reader:
        known = reader.newest_sessions(All(), None, 9).rows
        head = reader.head
    for at, record in enumerate(known, start=head + 1):
        state = json.loads(record.state) | {"outcome": None}
        row = replace(record.row, cause=None, cause_key=None)
        older = replace(record, row=row, state=json.dumps(state).encode(), change=at)
        store.commit(Changes(at, at, sessions=[older]))
    writer = Writer(store, Feed(store), clock=FakeClock(), tick_s=None)
    async with asyncio.timeout(20):
        while [one.cause for one in rig.sessions().values()].count("run: no room") < 2:
            await writer.tick()
    await writer.close()


@pytest.mark.slow
async def test_a_store_that_is_too_large_loses_its_oldest_sessions(
    tmp_path: Path,
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/s.sqlite3")
    clock, most_bytes = FakeClock(), 2_000_000
    writer = Writer(
        store, Feed(store), clock=clock, tick_s=None, retention=Retention(max_bytes=most_bytes)
    )
    for trace in range(1, 61):
        spans = [span(trace=trace, span_id=n, attributes=LARGE) for n in range(1, 21)]
        await writer.submit([incoming(one) for one in spans], [])
        clock.now_ns += 10 * SECOND_NS
        await writer.tick()
    async with asyncio.timeout(30):
        while used_bytes(store) > most_bytes:
            await writer.tick()
    with store.read() as reader:
        left = [one.row.id for one in reader.newest_sessions(All(), None, 99).rows]
    assert trace_hex(60) in left
    assert trace_hex(1) not in left
    await writer.close()
    store.close()


@pytest.mark.slow
def test_the_room_of_what_was_deleted_is_used_again(tmp_path: Path) -> None:
    sizes = []
    for rounds in (1, 4):
        path = tmp_path / f"{rounds}.sqlite3"
        rig = Rig(open_store(f"sqlite:///{path}"))
        for trace in range(1, rounds + 1):
            rig.record(*(span("x" * 10_000, trace=trace, span_id=n) for n in range(1, 201)))
            if trace < rounds:
                rig.delete(trace_hex(trace))
                sweep_all(rig.store)
        rig.store.close()
        sizes.append(path.stat().st_size)
    assert sizes[1] < 1.2 * sizes[0]


async def test_between_two_steps_of_taking_away_senders_have_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "LOOK_S", 60.0)  # only a deletion brings it forward
    store = _Stepping(tmp_path / "s.sqlite3")
    store.may.release()
    writer = Writer(store, Feed(store), clock=FakeClock(), tick_s=None)
    store.was_read.acquire()
    await writer.submit([incoming(span(span_id=n)) for n in range(1, 3_001)], [])
    deleting = asyncio.ensure_future(writer.delete(trace_hex(1)))
    for number in range(2, 5):  # of which the session has more than there are here
        assert await asyncio.to_thread(store.was_read.acquire, timeout=10)
        sending = asyncio.ensure_future(writer.submit([incoming(span(trace=number))], []))
        await asyncio.sleep(0)
        store.may.release()
        await asyncio.wait_for(sending, 10)
    assert await deleting
    store.may.release(100)
    await writer.close()
    store.close()


async def test_a_fault_in_keeping_house_does_not_stop_senders(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(store, "sweep", fail)
    writer = Writer(store, Feed(store), clock=FakeClock(), tick_s=None)
    await writer.submit([incoming(span())], [])
    await writer.close()
    assert writer.store_health.is_ok
    assert "Housekeeping failed" in caplog.text


def test_departures_that_lead_nowhere_are_forgotten_and_those_that_lead_somewhere_stay(
    store: Store,
) -> None:
    rig = Rig(store)
    for trace in (1, 2):
        rig.record(span(trace=trace))
        attributes = {"session.id": f"S{trace}"}
        rig.record(span(trace=trace, span_id=2, attributes=attributes))
    rig.delete("S2")
    with store.read() as reader:
        head = reader.head
    for _ in range(3):  # a chain of moves goes from its end
        store.forget_departures(head, rig.now_ns + 1, 100)
    with store.read() as reader:
        left = [row for row in reader.changes(0, 100) if isinstance(row, Tombstone)]
        assert [(row.session_id, row.moved_to) for row in left] == [(trace_hex(1), "S1")]
        assert reader.destination(trace_hex(1)) == "S1"


def test_departures_that_a_reader_may_still_follow_stay(store: Store) -> None:
    rig = Rig(store)
    for trace in (1, 2):
        rig.record(span(trace=trace))
        rig.delete(trace_hex(trace))
        rig.now_ns += SECOND_NS
    with store.read() as reader:
        first, second = (row for row in reader.changes(0, 9) if isinstance(row, Tombstone))
    assert not store.forget_departures(0, rig.now_ns, 100)
    assert not store.forget_departures(second.change, first.changed_ns, 100)
    assert store.forget_departures(second.change, second.changed_ns, 1)
    with store.read() as reader:
        assert reader.changes(0, 9) == [second]


def test_departures_are_forgotten_in_steps(store: Store) -> None:
    rig = Rig(store)
    for trace in (1, 2, 3):
        rig.record(span(trace=trace))
        rig.delete(trace_hex(trace))
    with store.read() as reader:
        head = reader.head
    assert store.forget_departures(head, rig.now_ns + 1, 2)
    with store.read() as reader:
        assert len(reader.changes(0, 9)) == 1
    assert not store.forget_departures(head, rig.now_ns + 1, 2)


def used_bytes(store: Store) -> int:
    with store.read() as reader:
        return reader.used_bytes()
