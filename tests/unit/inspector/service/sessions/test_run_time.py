"""How long anything of a session ran: the pauses between its runs are no part of it."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json, SessionRow, SessionStatus, SpanStatus
from inspector.service.model.waits import Interval
from inspector.service.sessions import state as sessions
from inspector.service.sessions.run_time import Idle, RunTime
from inspector.service.sessions.state import SessionState
from inspector.service.storage.base import Reader, SpanTime
from tests.support.models.schedules import Step, schedules
from tests.support.models.store import ModelStore
from tests.support.services.recorder_rig import Rig, play
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import heartbeat, incoming, log, started

HOUR_NS = 3600 * SECOND_NS
THREAD: dict[str, Json] = {"session.id": "S"}


def within(pieces: list[tuple[int, int]], first_ns: int, last_ns: int) -> int:
    """Return how much of a stretch of time any of `pieces` covers: the plain definition."""
    edges = {first_ns, last_ns, *(edge for piece in pieces for edge in piece)}
    steps = pairwise(sorted(edge for edge in edges if first_ns <= edge <= last_ns))
    return sum(b - a for a, b in steps if any(start <= a and b <= end for start, end in pieces))


def ran(rig: Rig, session_id: str, now_ns: int) -> int:
    """Return how long something of a session ran, by its spans and waits as they are stored."""
    with rig.store.read() as reader:
        record, spans = reader.session(session_id), reader.spans_of(session_id)
    assert record is not None
    row, state = record.row, SessionState.load(record.state)
    end_ns = now_ns if row.ended_ns is None else row.ended_ns
    latest: dict[str, int] = {}
    for one in spans:
        known_ns = one.start_ns if one.end_ns is None else one.end_ns
        latest[one.trace_id] = max(known_ns, latest.get(one.trace_id, known_ns))
    pieces: list[Interval] = []
    for one in spans:
        is_lost = one.status is SpanStatus.LOST
        pieces.append((one.start_ns, latest[one.trace_id] if is_lost else one.end_ns))
    pieces += (wait for waits in state.waited.values() for wait in waits)
    pieces += ((since, None) for since in state.open_waits.values())
    closed = [(start, end_ns if end is None else end) for start, end in pieces]
    if row.status is SessionStatus.LOST:  # what was lost ran until the last sign of life
        closed.append((max(state.profile.latest_ns, row.started_ns), end_ns))
    if row.ended_ns is None and all(end is not None for _, end in pieces):
        ends = [end for start, end in closed if end > start]
        if not ends:
            return end_ns - row.started_ns  # nothing is known yet of what it does
        if state.profile.root is None:
            closed.append((max(ends), end_ns))  # of which no end was told
    return within(closed, row.started_ns, end_ns) if spans else end_ns - row.started_ns


@given(schedules, st.sampled_from([0, 1, 64]))
def test_a_session_takes_as_long_as_its_spans_together_whatever_happens(
    steps: list[Step], most_stored: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "_MAX_RUN_TIME", most_stored)
        rig = Rig()
        for step in steps:
            play(rig, step)
            now_ns = rig.now_ns + HOUR_NS
            for row in rig.sessions().values():
                assert row.duration_ns(now_ns) == ran(rig, row.id, now_ns), row


def test_a_wait_that_took_no_time_says_as_little_as_a_span_that_took_none() -> None:
    assert RunTime().idle(1, None, [(2, 2)], is_open=True) == Idle(0)
    assert RunTime().idle(1, None, [(2, 3)], is_open=False) == Idle(1, 3)


PIECES = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 30)), max_size=30)


@given(PIECES, st.integers(0, 130), st.integers(0, 130))
def test_the_time_that_intervals_cover_between_two_times(
    pieces: list[tuple[int, int]], first: int, last: int
) -> None:
    run_time = RunTime.of(
        SpanTime("t", str(number), start, start + length, SpanStatus.OK)
        for number, (start, length) in enumerate(pieces)
    )
    covered = {at for start, length in pieces for at in range(start, start + length)}
    assert run_time.covered_ns == len(covered)
    assert run_time.between(first, last) == len(covered & set(range(first, last)))


def run(trace: int, start_s: int, duration_s: int) -> tuple[Span, ...]:
    """Return the spans of one run: a root and a child."""
    start_ns, duration_ns = START_NS + start_s * SECOND_NS, duration_s * SECOND_NS
    return (
        span("run", trace=trace, start_ns=start_ns, duration_ns=duration_ns, attributes=THREAD),
        span("call", trace=trace, span_id=2, parent=1, start_ns=start_ns, attributes=THREAD),
    )


def figures(row: SessionRow) -> tuple[int, int, int | None]:
    """Return its duration now, its time idle, and since when it is (s)."""
    since_ns = row.idle_since_ns
    since_s = None if since_ns is None else (since_ns - START_NS) // SECOND_NS
    now_ns = START_NS + 10 * HOUR_NS
    return row.duration_ns(now_ns) // SECOND_NS, row.idle_ns // SECOND_NS, since_s


def test_two_runs_of_a_thread_an_hour_apart_take_as_long_as_both_in_every_order() -> None:
    for order in permutations((*run(1, 0, 10), *run(2, 3600, 20))):
        rig = Rig()
        for one in order:
            rig.record(one)
        rig.wait(6)
        row = rig.session()
        assert row.status is SessionStatus.COMPLETED
        assert figures(row) == (30, 3590, None)
        assert row.ended_ns == START_NS + 3620 * SECOND_NS


def test_a_root_that_runs_counts_until_now_and_a_pause_that_lasts_does_not(
    rig: Rig,
) -> None:
    declared = log("inspector.session.started", attributes=THREAD, process="p1")
    rig.record(declared, heartbeat())
    rig.record(incoming(span(duration_ns=10 * SECOND_NS, attributes=THREAD), "p1"))
    row = rig.session()
    assert (row.status, figures(row)) == (SessionStatus.RUNNING, (10, 0, 10))
    second = span(trace=2, start_ns=START_NS + HOUR_NS, attributes=THREAD)
    rig.record(started(second))
    assert figures(rig.session()) == (10 + 9 * 3600, 3590, None)


def test_a_run_that_was_lost_ends_with_the_last_that_is_known_of_it(
    rig: Rig,
) -> None:
    call = span("call", span_id=2, parent=1, start_ns=START_NS + 5 * SECOND_NS, attributes=THREAD)
    rig.record(started(span(attributes=THREAD)), incoming(call, "p1"))
    rig.wait(60)
    rig.wait(3600)
    rig.record(*run(2, 3600, 20))
    rig.wait(6)
    assert figures(rig.session())[0] == 26


def test_a_run_whose_process_was_killed_lasts_until_its_last_sign_of_life(rig: Rig) -> None:
    rig.record(started(span(attributes=THREAD)), heartbeat())
    began_ns = rig.now_ns
    rig.wait(10)
    rig.record(heartbeat())
    rig.wait(60)
    row = rig.session()
    assert (row.status, figures(row)[1]) == (SessionStatus.LOST, 0)
    assert row.ended_ns == began_ns + 10 * SECOND_NS


def test_a_run_that_counted_as_lost_is_as_long_as_its_end_says(rig: Rig) -> None:
    beyond = span("late", span_id=2, parent=1, start_ns=START_NS + 100 * SECOND_NS)
    rig.record(started(span(attributes=THREAD)), incoming(beyond, "p1"))
    rig.wait(60)
    assert figures(rig.session())[0] == 101
    rig.record(incoming(span(duration_ns=10 * SECOND_NS, attributes=THREAD), "p1"))
    assert figures(rig.session())[0] == 11


def test_a_run_that_leaves_takes_its_time_along(rig: Rig) -> None:
    chat: dict[str, Json] = {"gen_ai.conversation.id": "C"}
    rig.record(span(trace=1, duration_ns=3 * SECOND_NS, attributes=chat))
    start_ns = START_NS + 3600 * SECOND_NS
    rig.record(span(trace=2, start_ns=start_ns, duration_ns=5 * SECOND_NS, attributes=chat))
    rig.record(span("call", trace=2, span_id=2, parent=1, start_ns=start_ns, attributes=THREAD))
    assert [figures(rig.session(id_))[0] for id_ in ("C", "S")] == [3, 5]


@pytest.mark.slow
def test_ten_thousand_roots_are_neither_queried_nor_written_anew_with_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queried: list[str] = []
    store = ModelStore()

    def ask(_: Reader, session_id: str) -> list[SpanTime]:
        queried.append(session_id)
        return []

    with store.read() as reader:
        monkeypatch.setattr(type(reader), "span_times", ask)
    rig = Rig(store)
    for batch in range(10):
        rig.record(*(_root(batch * 1_000 + number) for number in range(1_000)))
    rig.record(_root(20_000))
    assert (figures(rig.session())[0], queried) == (10_001, [])
    with store.read() as reader:
        assert len(reader.sessions(["S"])[0].state) < 4_000


def _root(number: int) -> Span:
    start_ns = START_NS + 2 * number * SECOND_NS
    return span(trace=number + 1, start_ns=start_ns, duration_ns=SECOND_NS, attributes=THREAD)
