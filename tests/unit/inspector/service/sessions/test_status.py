"""When a session runs, waits, is lost and how it ended (design §8)."""

from __future__ import annotations

import pytest

from inspector.service.model.rows import Engine, SessionStatus, SpanStatus
from tests.support.desk import Desk
from tests.support.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry import heartbeat, incoming, log, paused, resumed, started, trace_hex

# --- without live records ---------------------------------------------------------------------


def test_a_session_runs_from_its_first_span_until_five_seconds_after_its_root(desk: Desk) -> None:
    desk.take(span(span_id=2, parent=1))
    assert desk.session().status is SessionStatus.RUNNING
    desk.take(span(span_id=1))
    desk.wait(4)
    assert desk.session().status is SessionStatus.RUNNING
    desk.wait(1)
    assert desk.session().status is SessionStatus.COMPLETED


def test_a_new_span_makes_a_settled_session_run_again(desk: Desk) -> None:
    desk.take(span(span_id=1))
    desk.wait(6)
    assert desk.session().status is SessionStatus.COMPLETED
    desk.take(span(span_id=2, parent=1))
    assert desk.session().status is SessionStatus.RUNNING
    desk.wait(5)
    assert desk.session().status is SessionStatus.COMPLETED


def test_the_same_span_sent_again_does_not(desk: Desk) -> None:
    desk.take(span(span_id=1))
    desk.wait(6)
    before = desk.session()
    desk.take(span(span_id=1))
    assert desk.session() == before


def test_a_session_without_a_root_is_lost_after_ten_silent_minutes(desk: Desk) -> None:
    desk.take(span(span_id=2, parent=1))
    desk.wait(599)
    assert desk.session().status is SessionStatus.RUNNING
    desk.wait(1)
    assert desk.session().status is SessionStatus.LOST


def test_a_span_with_a_remote_parent_counts_as_root(desk: Desk) -> None:
    desk.take(span(span_id=2, parent=1, flags=0x301))
    desk.wait(5)
    assert desk.session().status is SessionStatus.COMPLETED


@pytest.mark.parametrize(
    ("root_error", "attributes", "status"),
    [
        (None, {}, SessionStatus.COMPLETED),
        ("boom", {}, SessionStatus.FAILED),
        ("stop", {"error.type": "cancelled"}, SessionStatus.CANCELLED),
    ],
)
def test_the_root_decides_the_outcome(
    desk: Desk, root_error: str | None, attributes: dict[str, str], status: SessionStatus
) -> None:
    desk.take(span(span_id=1, error=root_error, attributes=dict(attributes)))
    desk.wait(5)
    assert desk.session().status is status


def test_an_error_in_a_child_alone_does_not_fail_a_session(desk: Desk) -> None:
    desk.take(span(span_id=2, parent=1, error="boom"), span(span_id=1))
    desk.wait(5)
    assert (desk.session().status, desk.session().error_count) == (SessionStatus.COMPLETED, 1)


def test_of_two_roots_the_one_that_ended_last_decides(desk: Desk) -> None:
    late = span(trace=2, error="boom", start_ns=START_NS + 9, attributes={"session.id": "S"})
    desk.take(late, span(trace=1, attributes={"session.id": "S"}))
    desk.wait(5)
    assert desk.session("S").status is SessionStatus.FAILED


def test_after_a_restart_silence_is_counted_anew_and_nothing_runs_for_ever(desk: Desk) -> None:
    desk.take(span(span_id=2, parent=1))
    desk.now_ns += 3600 * SECOND_NS
    desk.restart()
    desk.wait(599)
    assert desk.session().status is SessionStatus.RUNNING
    desk.wait(1)
    assert desk.session().status is SessionStatus.LOST


# --- with live records ------------------------------------------------------------------------


def test_a_session_runs_while_a_span_is_open_however_long(desk: Desk) -> None:
    desk.take(started(span(span_id=1)))
    for _ in range(300):
        desk.wait(5)
        desk.take(heartbeat())
    assert desk.session().status is SessionStatus.RUNNING
    desk.take(incoming(span(span_id=1), "p1"))
    assert desk.session().status is SessionStatus.COMPLETED


def test_a_session_of_a_process_that_sends_live_records_ends_with_its_root(desk: Desk) -> None:
    desk.take(heartbeat("p1"))
    desk.take(incoming(span(), "p1"))  # so short that its start was left out
    assert desk.session().status is SessionStatus.COMPLETED


def test_spans_of_a_silent_process_are_lost_after_twelve_seconds(desk: Desk) -> None:
    desk.take(started(span(span_id=1)), heartbeat())
    desk.wait(12)
    assert desk.span().status is SpanStatus.RUNNING
    desk.wait(1)
    assert (desk.span().status, desk.session().status) == (SpanStatus.LOST, SessionStatus.LOST)
    assert desk.span().end_ns is None


def test_an_end_that_arrives_after_all_still_wins(desk: Desk) -> None:
    desk.take(started(span(span_id=1)))
    desk.wait(13)
    desk.take(incoming(span(span_id=1), "p1"))
    assert desk.span().status is SpanStatus.UNSET
    assert desk.session().status is SessionStatus.COMPLETED


def test_a_process_that_says_goodbye_loses_its_spans_at_once(desk: Desk) -> None:
    desk.take(started(span(span_id=1)), heartbeat())
    desk.take(heartbeat(state="exiting"))
    desk.wait(2)
    assert desk.span().status is SpanStatus.LOST


def test_a_process_that_is_heard_again_has_its_spans_back(desk: Desk) -> None:
    desk.take(started(span(span_id=1)))
    desk.wait(13)
    desk.take(heartbeat())
    assert (desk.span().status, desk.session().status) == (
        SpanStatus.RUNNING,
        SessionStatus.RUNNING,
    )


def test_another_process_does_not_keep_spans_alive(desk: Desk) -> None:
    desk.take(started(span(span_id=1), "p1"), started(span(span_id=2, parent=1), "p2"))
    for _ in range(4):
        desk.wait(5)
        desk.take(heartbeat("p2"))
    assert (desk.span(1).status, desk.span(2).status) == (SpanStatus.LOST, SpanStatus.RUNNING)
    assert desk.session().status is SessionStatus.RUNNING


def test_after_a_restart_a_process_gets_its_full_time(desk: Desk) -> None:
    desk.take(started(span(span_id=1)))
    desk.now_ns += 3600 * SECOND_NS
    desk.restart()
    desk.wait(12)
    assert desk.span().status is SpanStatus.RUNNING
    desk.wait(1)
    assert desk.span().status is SpanStatus.LOST


def test_open_spans_of_a_sender_without_a_name_are_lost_after_ten_silent_minutes(
    desk: Desk,
) -> None:
    desk.take(started(span(span_id=1), process=None))
    desk.wait(599)
    assert desk.span().status is SpanStatus.RUNNING
    desk.wait(2)
    assert desk.span().status is SpanStatus.LOST


def test_a_declared_session_runs_between_its_spans_until_it_is_finished(desk: Desk) -> None:
    about = {"session.id": "S"}
    desk.take(log("inspector.session.started", attributes=about, process="p1"))
    desk.take(incoming(span(span_id=1, attributes={"session.id": "S"}), "p1"))
    desk.wait(10)
    assert desk.session("S").status is SessionStatus.RUNNING
    desk.take(
        log(
            "inspector.session.finished",
            attributes={**about, "inspector.session.status": "cancelled"},
            time_ns=START_NS + 2 * SECOND_NS,
            process="p1",
        )
    )
    assert desk.session("S").status is SessionStatus.CANCELLED


def test_a_declared_session_ends_with_its_process(desk: Desk) -> None:
    desk.take(log("inspector.session.started", attributes={"session.id": "S"}, process="p1"))
    desk.take(incoming(span(span_id=1, attributes={"session.id": "S"}), "p1"))
    desk.wait(13)
    assert desk.session("S").status is SessionStatus.COMPLETED


def test_what_session_finished_says_outweighs_the_root(desk: Desk) -> None:
    desk.take(span(span_id=1, attributes={"session.id": "S"}))
    about = {"session.id": "S", "inspector.session.status": "failed"}
    desk.take(log("inspector.session.finished", attributes=about, time_ns=START_NS + 5))
    assert desk.session("S").status is SessionStatus.FAILED


def test_a_run_that_begins_after_the_session_had_finished_speaks_for_itself(desk: Desk) -> None:
    about = {"session.id": "S", "inspector.session.status": "failed"}
    desk.take(log("inspector.session.finished", attributes=about, time_ns=START_NS - 1))
    desk.take(span(span_id=1, attributes={"session.id": "S"}))
    desk.wait(5)
    assert desk.session("S").status is SessionStatus.COMPLETED


def test_the_engine_is_what_the_sender_says_else_follows_from_how_it_sends(desk: Desk) -> None:
    desk.take(span(trace=1))
    desk.take(started(span(trace=2)))
    desk.take(span(trace=3, attributes={"inspector.engine": "temporal"}))
    engines = [desk.session(trace_hex(number)).engine for number in (1, 2, 3)]
    assert engines == [Engine.OTLP, Engine.ASYNCIO, Engine.TEMPORAL]


# --- waiting ----------------------------------------------------------------------------------


def test_a_paused_session_waits_and_the_time_is_summed(desk: Desk) -> None:
    desk.take(started(span(span_id=1)), heartbeat())
    desk.take(paused(1, 1, START_NS + 10))
    assert desk.session().status is SessionStatus.WAITING
    assert desk.session().waiting_since_ns == START_NS + 10
    desk.take(resumed(1, 1, START_NS + 30))
    assert desk.session().status is SessionStatus.RUNNING
    assert (desk.session().waiting_ns, desk.session().waiting_since_ns) == (20, None)
    desk.take(paused(1, 1, START_NS + 40), resumed(1, 1, START_NS + 45))
    assert (desk.span().wait_ns, desk.span().waits) == (25, 2)
    assert desk.session().waiting_ns == 25


def test_a_wait_for_a_person_may_last_for_hours(desk: Desk) -> None:
    desk.take(started(span(span_id=1)), paused(1, 1, START_NS))
    for _ in range(1000):
        desk.wait(10)
        desk.take(heartbeat())
    assert desk.session().status is SessionStatus.WAITING


def test_a_pause_may_arrive_before_the_span_it_sits_on(desk: Desk) -> None:
    desk.take(paused(1, 1, START_NS + 10))
    assert desk.sessions() == {}
    desk.take(started(span(span_id=1)))
    assert desk.session().status is SessionStatus.WAITING
    desk.take(resumed(1, 1, START_NS + 30))
    assert (desk.span().wait_ns, desk.session().waiting_ns) == (20, 20)


def test_the_same_pause_sent_again_counts_once(desk: Desk) -> None:
    desk.take(started(span(span_id=1)))
    desk.take(paused(1, 1, START_NS + 10))
    desk.take(paused(1, 1, START_NS + 10))
    assert desk.span().waits == 1


def test_a_wait_ends_with_its_span(desk: Desk) -> None:
    desk.take(started(span(span_id=1)), paused(1, 1, START_NS + SECOND_NS // 2))
    desk.take(incoming(span(span_id=1), "p1"))
    assert desk.session().status is SessionStatus.COMPLETED
    assert desk.session().waiting_ns == SECOND_NS // 2


def test_a_lost_process_waits_for_nobody(desk: Desk) -> None:
    desk.take(started(span(span_id=1)), paused(1, 1, START_NS))
    desk.wait(13)
    assert desk.session().status is SessionStatus.LOST


def test_a_session_without_spans_may_wait_too(desk: Desk) -> None:
    about = {"session.id": "S"}
    desk.take(log("inspector.session.started", attributes=about, process="p1"))
    desk.take(log("inspector.session.paused", attributes=about, time_ns=START_NS + 5, process="p1"))
    assert desk.session("S").status is SessionStatus.WAITING
    desk.take(
        log("inspector.session.resumed", attributes=about, time_ns=START_NS + 9, process="p1")
    )
    assert (desk.session("S").status, desk.session("S").waiting_ns) == (SessionStatus.RUNNING, 4)


# --- no news ----------------------------------------------------------------------------------


def test_what_runs_for_want_of_an_end_says_when_it_was_heard_of_last(desk: Desk) -> None:
    desk.take(span(span_id=2, parent=1))
    desk.wait(30)
    desk.take(span(span_id=3, parent=1))
    desk.wait(540)
    assert desk.session().status is SessionStatus.RUNNING
    assert desk.session().silent_since_ns == START_NS + 30 * SECOND_NS
    desk.take(span(span_id=1))
    assert desk.session().silent_since_ns == desk.now_ns
    desk.wait(5)
    assert (desk.session().status, desk.session().silent_since_ns) == (
        SessionStatus.COMPLETED,
        None,
    )


def test_an_open_span_of_a_sender_without_heartbeats_is_no_sign_of_life(desk: Desk) -> None:
    desk.take(started(span(span_id=1), process=None))
    desk.wait(300)
    assert desk.session().silent_since_ns == START_NS
    assert desk.session().status is SessionStatus.RUNNING


def test_of_a_process_that_sends_heartbeats_silence_is_no_news(desk: Desk) -> None:
    desk.take(heartbeat(), started(span(span_id=1)))
    assert (desk.session().status, desk.session().silent_since_ns) == (SessionStatus.RUNNING, None)


def test_a_restart_does_not_forget_when_a_session_was_heard_of_last(desk: Desk) -> None:
    desk.take(span(span_id=2, parent=1))
    desk.wait(300)
    desk.restart()
    desk.wait(60)
    assert desk.session().silent_since_ns == START_NS
