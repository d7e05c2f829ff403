"""Waits of spans and sessions for a person, in every form of report."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TypeAlias

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.rows import SessionStatus
from inspector.service.sessions.state import SessionState, TraceState
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import START_NS, key_values, span
from tests.support.telemetry.records import (
    closed,
    heartbeat,
    incoming,
    opened,
    paused,
    resumed,
    started,
    trace_hex,
)

_Arrival: TypeAlias = IncomingLog | IncomingSpan | Span


def event(name: str, time_ns: int, **attributes: str) -> Span.Event:
    about = {f"inspector.{key.replace('_', '.')}": value for key, value in attributes.items()}
    return Span.Event(name=name, time_unix_nano=time_ns, attributes=key_values(about))


def test_an_open_request_is_a_wait_as_a_pause_is(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), heartbeat())
    rig.record(opened(1, 1, START_NS + 10))
    assert rig.session().status is SessionStatus.WAITING
    assert rig.session().waiting_since_ns == START_NS + 10
    assert rig.span().row().waited == ((10, None),)
    rig.record(closed(1, 1, START_NS + 30))
    assert rig.session().status is SessionStatus.RUNNING
    assert (rig.session().waiting_ns, rig.session().waiting_since_ns) == (20, None)
    assert (rig.span().wait_ns, rig.span().waits) == (20, 1)
    assert rig.span().row().waited == ((10, 20),)


def test_what_an_operator_holds_waits_but_for_nobodys_answer(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), heartbeat())
    rig.record(opened(1, 1, START_NS + 10, "hold", kind="pause"))
    assert rig.session().status is SessionStatus.RUNNING  # *paused*, if the service was asked to
    assert rig.span().row().waited == ((10, None),)
    rig.record(opened(1, 1, START_NS + 20, "asks"))
    assert rig.session().status is SessionStatus.WAITING
    rig.record(closed(1, 1, START_NS + 25, "asks"))
    assert rig.session().status is SessionStatus.RUNNING
    rig.record(closed(1, 1, START_NS + 30, "hold"))
    assert (rig.span().wait_ns, rig.session().waiting_ns) == (20, 20)


def test_a_request_within_a_pause_is_not_counted_twice(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), heartbeat())
    rig.record(paused(1, 1, START_NS + 10), opened(1, 1, START_NS + 12))
    rig.record(closed(1, 1, START_NS + 20))
    assert rig.session().status is SessionStatus.WAITING
    assert (rig.session().waiting_ns, rig.session().waiting_since_ns) == (0, START_NS + 10)
    rig.record(resumed(1, 1, START_NS + 25), opened(1, 1, START_NS + 30, "r2"))
    rig.record(closed(1, 1, START_NS + 31, "r2"))
    assert (rig.span().wait_ns, rig.span().waits) == (16, 2)
    assert rig.session().waiting_ns == 16


def test_waits_side_by_side_make_the_session_wait_once(rig: Rig) -> None:
    rig.record(*(started(span(span_id=n, parent=1 if n > 1 else None)) for n in (1, 2, 3)))
    rig.record(opened(1, 2, START_NS + 10, "a"), opened(1, 3, START_NS + 15, "b"))
    rig.record(closed(1, 3, START_NS + 20, "b"))
    # Up to when it began to wait: what came since is counted by whoever looks at the clock.
    assert (rig.session().waiting_ns, rig.session().waiting_since_ns) == (0, START_NS + 10)
    rig.record(closed(1, 2, START_NS + 40, "a"))
    assert (rig.span(2).wait_ns, rig.span(3).wait_ns) == (30, 5)
    assert rig.session().waiting_ns == 30


def test_a_finished_span_alone_reports_its_waits_by_its_events(rig: Rig) -> None:
    events = [
        event("inspector.request.opened", START_NS + 10, request_id="a"),
        event("inspector.request.closed", START_NS + 30, request_id="a"),
        event("inspector.session.paused", START_NS + 25, session_signal="go"),
        event("inspector.session.resumed", START_NS + 40, session_signal="go"),
    ]
    rig.record(span(span_id=1, duration_ns=100, events=events))
    assert rig.span().row().waited == ((10, 30),)
    assert (rig.span().wait_ns, rig.span().waits) == (30, 1)
    assert rig.session().waiting_ns == 30
    rig.record(span(span_id=1, duration_ns=100, events=events))
    assert rig.session().waiting_ns == 30


def test_what_was_recorded_elsewhere_waited_as_it_says_and_waits_no_more(
    rig: Rig,
) -> None:
    events = [
        event("inspector.request.opened", START_NS + 10, request_id="a"),
        event("inspector.request.closed", START_NS + 30, request_id="a"),
    ]
    ended = incoming(span(span_id=1, duration_ns=100, events=events), "p1")
    arrivals = [
        started(span(span_id=2, parent=1, duration_ns=None)),
        opened(1, 2, START_NS + 20, "b"),
        opened(1, 1, START_NS + 10, "a"),
    ]
    rig.commit(rig.recorder.record([ended], arrivals, rig.now_ns, is_past=True))
    assert rig.span(1).row().waited == ((10, 20),)
    assert rig.span(2).row().waited == ((20, None),)
    session = rig.session()
    assert session.status is SessionStatus.LOST
    assert (session.waiting_ns, session.waiting_since_ns) == (20, None)


def test_what_its_events_do_not_end_ends_with_the_span(rig: Rig) -> None:
    events = [event("inspector.request.opened", START_NS + 10, request_id="a")]
    rig.record(span(span_id=1, duration_ns=25, events=events))
    rig.wait(6)
    assert rig.session().status is SessionStatus.COMPLETED
    assert rig.session().waiting_ns == 15


def test_records_and_events_of_the_same_waits_come_to_the_same_in_every_order() -> None:
    events = [
        event("inspector.request.opened", START_NS + 10, request_id="a"),
        event("inspector.request.closed", START_NS + 30, request_id="a"),
    ]
    whole = incoming(span(span_id=1, duration_ns=50, events=events), "p1")
    arrivals: tuple[_Arrival, ...] = (
        started(span(span_id=1)),
        opened(1, 1, START_NS + 10, "a"),
        closed(1, 1, START_NS + 30, "a"),
        whole,
    )
    for order in permutations(arrivals):
        rig = _arrived(order)
        assert rig.span().row().waited == ((10, 20),)
        assert (rig.span().waits, rig.session().waiting_ns) == (1, 20)


def test_a_trace_that_moves_takes_its_waits_along() -> None:
    better = span(span_id=2, parent=1, attributes={"session.id": "S"})
    arrivals: tuple[_Arrival, ...] = (
        started(span(span_id=1)),
        opened(1, 1, START_NS + 10),
        closed(1, 1, START_NS + 30),
        better,
    )
    for order in permutations(arrivals):
        rig = _arrived(order)
        assert rig.session("S").waiting_ns == 20
        rig.restart()
        rig.record(opened(1, 1, START_NS + 40, "b"), closed(1, 1, START_NS + 45, "b"))
        assert rig.session("S").waiting_ns == 25


def test_no_request_is_made_of_what_telemetry_says(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), opened(1, 1, START_NS + 10))
    rig.record(incoming(span(span_id=1, duration_ns=50), "p1"))
    assert rig.session().status is SessionStatus.COMPLETED
    rig.record(closed(1, 1, START_NS + 20))
    assert rig.span().row().waited == ((10, 10),)


def test_the_waits_of_a_long_session_are_summed_up_and_stay_exact() -> None:
    state = SessionState("S", START_NS)
    for n in range(5_000):
        state.wait(f"t:{n % 700}", [*state.waited.get(f"t:{n % 700}", ()), (10 * n, 10 * n + 4)])
    assert state.waiting_ns == 5_000 * 4
    assert sum(map(len, state.waited.values())) <= 2_000
    assert SessionState.load(state.dump()).waiting_ns == 5_000 * 4


def test_what_an_earlier_version_summed_up_is_still_counted() -> None:
    state = SessionState("S", START_NS)
    state.profile.see_time(START_NS + 50)
    old = state.dump().decode()
    new = ',"waited":{},"waited_before_ns":0,"summed_until_ns":0'
    assert new in old
    old = old.replace(new, ',"loose_waits":{"t:":3}').replace(
        '"costed_count":0', '"costed_count":0,"waiting_ns":20'
    )
    again = SessionState.load(old.encode())
    assert again.waiting_ns == 23
    again.wait("t:1", [(START_NS + 10, START_NS + 60)])
    assert again.waiting_ns == 33
    trace = TraceState(trace_hex(1)).dump().replace(b'"costed_count":0', b'"waiting_ns":2')
    assert TraceState.load(trace_hex(1), None, trace, set()).tally.span_count == 0


def _arrived(order: Sequence[_Arrival]) -> Rig:
    rig = Rig()
    for one in order:
        rig.record(one)
    return rig
