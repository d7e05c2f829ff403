"""The writer: durable when it answers, bounded, and unharmed by failures."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Sequence
from typing import Any

import pytest

from inspector.errors import InspectorError, OverloadedError, StoreUnavailableError
from inspector.service.feed.feed import Feed
from inspector.service.ingest import recorder
from inspector.service.ingest.arrivals import Arrivals, read_batch
from inspector.service.ingest.writer import Writer
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.records import Changes
from inspector.service.model.rows import Json
from inspector.service.otlp import intake as intake_module
from inspector.service.otlp.intake import Intake
from inspector.service.otlp.receiver import Receiver
from inspector.service.otlp.signals import TRACES
from inspector.service.query.tree import All
from inspector.service.storage import Store
from tests.support.models.store import ModelStore
from tests.support.services.api import FakeClock
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming, log, trace_hex


class _GatedStore(ModelStore):
    """A disk that is as slow, or as broken, as a test needs."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.commits = 0
        self.committed = threading.Event()

    def commit(self, changes: Changes) -> None:
        assert self.gate.wait(10)
        if self.error is not None:
            raise self.error
        self.commits += 1
        super().commit(changes)
        self.committed.set()


@pytest.fixture
async def slow() -> AsyncIterator[tuple[_GatedStore, Writer]]:
    store = _GatedStore()
    writer = Writer(store, Feed(store), clock=FakeClock(), tick_s=None, max_waiting_bytes=300)
    yield store, writer
    store.gate.set()
    await writer.close()


def session_count(store: Store) -> int:
    with store.read() as reader:
        return len(reader.newest_sessions(All(), None, 10_000).rows)


async def test_a_batch_is_durable_when_it_is_answered(store: Store) -> None:
    writer = Writer(store, Feed(store), clock=FakeClock(), tick_s=None)
    await writer.submit([incoming(span())], [log("note", trace=1, span_id=1)])
    assert session_count(store) == 1
    await writer.close()


async def test_what_waits_for_the_disk_goes_into_one_commit(
    slow: tuple[_GatedStore, Writer],
) -> None:
    store, writer = slow
    store.gate.clear()
    batches = [[incoming(span("a", trace=number))] for number in range(1, 5)]
    waiting = [asyncio.ensure_future(writer.submit(batch, [])) for batch in batches]
    await asyncio.sleep(0)
    assert not any(one.done() for one in waiting)
    store.gate.set()
    await asyncio.gather(*waiting)
    assert session_count(store) == 4
    assert store.commits <= 2


class _WatchedIntake(Intake):
    def __init__(self) -> None:
        super().__init__()
        self.is_waited_for = threading.Event()

    def wait(self) -> None:
        self.is_waited_for.set()
        super().wait()


async def test_what_is_being_decoded_goes_into_the_next_commit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intake_module, "PATIENCE_S", 10)
    store, intake = _GatedStore(), _WatchedIntake()
    writer = Writer(store, Feed(store), clock=FakeClock(), tick_s=None, intake=intake)
    with intake.coming():
        first = writer.submit([incoming(span())], [])
        assert await asyncio.to_thread(intake.is_waited_for.wait, 5)
        second = writer.submit([incoming(span(trace=2))], [])
    await asyncio.gather(first, second)
    assert store.commits == 1
    await writer.close()


async def test_a_body_that_waits_for_its_turn_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intake_module, "PATIENCE_S", 10)
    intake, is_in, is_over, is_submitted = _WatchedIntake(), *(threading.Event() for _ in range(3))

    def decode_another() -> bool:
        is_in.set()
        return is_over.wait(10)

    def wait() -> bool:
        intake.wait()
        return is_submitted.is_set()

    def submit(spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> Awaitable[None]:
        is_submitted.set()
        return asyncio.sleep(0)

    receiver = Receiver(submit, intake=intake)
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.to_thread(intake.in_turn, decode_another))
        assert await asyncio.to_thread(is_in.wait, 10)
        body = trace_request(span()).SerializeToString()
        group.create_task(receiver.receive(TRACES, body))
        await asyncio.sleep(0)
        waiting = group.create_task(asyncio.to_thread(wait))
        assert await asyncio.to_thread(intake.is_waited_for.wait, 10)
        assert not await asyncio.to_thread(is_submitted.wait, 0.1)
        is_over.set()
    assert waiting.result()
    receiver.close()


@pytest.mark.parametrize(
    ("patience_s", "limit_s", "is_committed"), [(10, 0.1, False), (0.01, 10, True)]
)
async def test_a_commit_waits_for_who_decodes_unless_that_takes_long(
    monkeypatch: pytest.MonkeyPatch, patience_s: float, limit_s: float, is_committed: bool
) -> None:
    monkeypatch.setattr(intake_module, "PATIENCE_S", patience_s)
    store, intake, loop = _GatedStore(), Intake(), asyncio.get_running_loop()
    writer = Writer(store, Feed(store), clock=FakeClock(), tick_s=None, intake=intake)

    def decode() -> bool:
        loop.call_soon_threadsafe(writer.submit, [incoming(span())], [])
        return store.committed.wait(limit_s)

    assert await asyncio.to_thread(intake.in_turn, decode) is is_committed
    await writer.close()
    assert store.commits == 1


async def test_more_than_can_wait_is_refused_and_accepted_once_there_is_room(
    slow: tuple[_GatedStore, Writer],
) -> None:
    store, writer = slow
    store.gate.clear()
    first = asyncio.ensure_future(writer.submit([incoming(span("x" * 250))], []))
    await asyncio.sleep(0)
    with pytest.raises(OverloadedError, match="Try again") as caught:
        await writer.submit([incoming(span("y" * 250, trace=2))], [])
    assert caught.value.retry_after_s >= 1
    store.gate.set()
    await first
    await writer.submit([incoming(span("y" * 250, trace=2))], [])
    assert session_count(store) == 2


async def test_a_batch_larger_than_the_limit_is_accepted_when_it_is_alone(
    slow: tuple[_GatedStore, Writer],
) -> None:
    store, writer = slow
    await writer.submit([incoming(span("x" * 1000))], [])
    assert session_count(store) == 1


async def test_a_store_that_cannot_write_is_reported_and_tried_again(
    slow: tuple[_GatedStore, Writer],
) -> None:
    store, writer = slow
    store.error = StoreUnavailableError("Cannot write: disk full.")
    with pytest.raises(StoreUnavailableError, match="disk full"):
        await writer.submit([incoming(span())], [])
    assert session_count(store) == 0
    store.error = None
    await writer.submit([incoming(span())], [])
    assert session_count(store) == 1


async def test_a_batch_that_breaks_our_code_does_not_harm_the_others(
    slow: tuple[_GatedStore, Writer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fragile(spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> Arrivals:
        if any(item.record.name == "poison" for item in spans):
            raise ZeroDivisionError
        return read_batch(spans, logs)

    monkeypatch.setattr(recorder, "read_batch", fragile)
    store, writer = slow
    store.gate.clear()
    names = ["a", "poison", "b"]
    waiting = [
        asyncio.ensure_future(writer.submit([incoming(span(name, trace=number))], []))
        for number, name in enumerate(names, start=1)
    ]
    await asyncio.sleep(0)
    store.gate.set()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(answer) for answer in answers] == [type(None), InspectorError, type(None)]
    assert session_count(store) == 2


async def test_whoever_stops_waiting_does_not_stop_the_writer(
    slow: tuple[_GatedStore, Writer],
) -> None:
    store, writer = slow
    store.gate.clear()
    impatient = asyncio.ensure_future(writer.submit([incoming(span())], []))
    await asyncio.sleep(0)
    impatient.cancel()
    store.gate.set()
    await writer.submit([incoming(span(trace=2))], [])
    with store.read() as reader:
        assert reader.session(trace_hex(2)) is not None


async def test_closing_commits_what_waits_and_refuses_what_comes_later(
    slow: tuple[_GatedStore, Writer],
) -> None:
    store, writer = slow
    store.gate.clear()
    waiting = asyncio.ensure_future(writer.submit([incoming(span())], []))
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(writer.close())
    store.gate.set()
    await asyncio.gather(waiting, closing)
    assert session_count(store) == 1
    with pytest.raises(StoreUnavailableError, match="shutting down"):
        await writer.submit([incoming(span(trace=2))], [])


async def test_time_passes_by_itself(store: Store) -> None:
    clock = FakeClock()
    feed = Feed(store)
    writer = Writer(store, feed, clock=clock, tick_s=0.01)
    await writer.submit([incoming(span())], [])
    stream = feed.stream()
    await anext(stream)
    clock.now_ns += 6_000_000_000
    async with asyncio.timeout(5):
        assert b"SessionFinished" in await anext(stream)
    await stream.aclose()
    await writer.close()


async def test_sums_that_no_meter_shows_are_not_refused(store: Store) -> None:
    writer = Writer(store, Feed(store), clock=FakeClock(), tick_s=None)
    for attributes in ({"llm.cost.total": 1.7e308}, {"gen_ai.usage.input_tokens": 2**62}):
        absurd: dict[str, Any] = {"gen_ai.operation.name": "chat", **attributes}
        for number in (1, 2, 3):
            await writer.submit([incoming(span(span_id=number, attributes=absurd))], [])
    assert session_count(store) == 1
    await writer.close()


@pytest.mark.slow
async def test_nobody_waits_for_all_of_a_large_batch(slow: tuple[_GatedStore, Writer]) -> None:
    store, writer = slow
    ended: list[str] = []

    async def note(name: str, waited_for: Awaitable[object]) -> None:
        await waited_for
        ended.append(name)

    store.gate.clear()
    large = [incoming(span(trace=number)) for number in range(1, 3_001)]
    async with asyncio.TaskGroup() as group:
        group.create_task(note("large", writer.submit(large, [])))
        await asyncio.sleep(0)
        writer._max_waiting_bytes = 2**30
        group.create_task(note("small", writer.submit([incoming(span(trace=9_999))], [])))
        group.create_task(note("control", writer.run_control(lambda unit, control: None)))
        await asyncio.sleep(0)
        store.gate.set()
    assert ended[-1] == "large"
    assert store.commits > 3
    assert session_count(store) == 3_001


@pytest.mark.slow
async def test_a_large_batch_that_fails_in_the_middle_is_stored_whole_when_it_comes_again(
    slow: tuple[_GatedStore, Writer], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, writer = slow
    tokens: dict[str, Json] = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3}
    sent = [
        incoming(span(trace=1 + number // 4, span_id=1 + number, attributes=tokens))
        for number in range(4_000)
    ]
    commit = store.commit

    def fail_later(changes: Changes) -> None:
        if store.commits == 1:
            raise StoreUnavailableError("Cannot write: disk full.")
        commit(changes)

    with monkeypatch.context() as patch:
        patch.setattr(store, "commit", fail_later)
        with pytest.raises(StoreUnavailableError):
            await writer.submit(sent, [])
    assert 0 < session_count(store) < 1_000, "a part of it is kept"
    await writer.submit(sent, [])
    with store.read() as reader:
        rows = [record.row for record in reader.newest_sessions(All(), None, 10_000).rows]
    assert len(rows) == 1_000
    assert {(row.span_count, row.llm_calls, row.input_tokens) for row in rows} == {(4, 4, 12)}
