"""When a session runs, waits, is lost and how it ended (design §8)."""

from __future__ import annotations

import pytest

from inspector.service.model.rows import Engine, Json, SessionStatus, SpanStatus
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import (
    heartbeat,
    incoming,
    log,
    paused,
    resumed,
    started,
    trace_hex,
)

# --- without live records ---------------------------------------------------------------------


def test_a_session_runs_from_its_first_span_until_five_seconds_after_its_root(
    rig: Rig,
) -> None:
    rig.record(span(span_id=2, parent=1))
    assert rig.session().status is SessionStatus.RUNNING
    rig.record(span(span_id=1))
    rig.wait(4)
    assert rig.session().status is SessionStatus.RUNNING
    rig.wait(1)
    assert rig.session().status is SessionStatus.COMPLETED


def test_a_new_span_makes_a_settled_session_run_again(rig: Rig) -> None:
    rig.record(span(span_id=1))
    rig.wait(6)
    assert rig.session().status is SessionStatus.COMPLETED
    rig.record(span(span_id=2, parent=1))
    assert rig.session().status is SessionStatus.RUNNING
    rig.wait(5)
    assert rig.session().status is SessionStatus.COMPLETED


def test_the_same_span_sent_again_does_not(rig: Rig) -> None:
    rig.record(span(span_id=1))
    rig.wait(6)
    before = rig.session()
    rig.record(span(span_id=1))
    assert rig.session() == before


def test_a_session_without_a_root_is_lost_after_ten_silent_minutes(
    rig: Rig,
) -> None:
    rig.record(span(span_id=2, parent=1))
    rig.wait(599)
    assert rig.session().status is SessionStatus.RUNNING
    rig.wait(1)
    assert rig.session().status is SessionStatus.LOST


def test_a_span_with_a_remote_parent_counts_as_root(rig: Rig) -> None:
    rig.record(span(span_id=2, parent=1, flags=0x301))
    rig.wait(5)
    assert rig.session().status is SessionStatus.COMPLETED


@pytest.mark.parametrize(
    ("root_error", "attributes", "status"),
    [
        (None, {}, SessionStatus.COMPLETED),
        ("boom", {}, SessionStatus.FAILED),
        ("stop", {"error.type": "cancelled"}, SessionStatus.CANCELLED),
    ],
)
def test_the_root_decides_the_outcome(
    rig: Rig,
    root_error: str | None,
    attributes: dict[str, str],
    status: SessionStatus,
) -> None:
    rig.record(span(span_id=1, error=root_error, attributes=dict(attributes)))
    rig.wait(5)
    assert rig.session().status is status


def test_an_error_in_a_child_alone_does_not_fail_a_session(rig: Rig) -> None:
    rig.record(span(span_id=2, parent=1, error="boom"), span(span_id=1))
    rig.wait(5)
    assert (rig.session().status, rig.session().error_count) == (SessionStatus.COMPLETED, 1)


def test_of_two_roots_the_one_that_ended_last_decides(rig: Rig) -> None:
    late = span(trace=2, error="boom", start_ns=START_NS + 9, attributes={"session.id": "S"})
    rig.record(late, span(trace=1, attributes={"session.id": "S"}))
    rig.wait(5)
    assert rig.session("S").status is SessionStatus.FAILED


def test_after_a_restart_silence_is_counted_anew_and_nothing_runs_for_ever(
    rig: Rig,
) -> None:
    rig.record(span(span_id=2, parent=1))
    rig.now_ns += 3600 * SECOND_NS
    rig.restart()
    rig.wait(599)
    assert rig.session().status is SessionStatus.RUNNING
    rig.wait(1)
    assert rig.session().status is SessionStatus.LOST


# --- with live records ------------------------------------------------------------------------


def test_a_session_runs_while_a_span_is_open_however_long(rig: Rig) -> None:
    rig.record(started(span(span_id=1)))
    for _ in range(300):
        rig.wait(5)
        rig.record(heartbeat())
    assert rig.session().status is SessionStatus.RUNNING
    rig.record(incoming(span(span_id=1), "p1"))
    assert rig.session().status is SessionStatus.COMPLETED


def test_a_session_of_a_process_that_sends_live_records_ends_with_its_root(
    rig: Rig,
) -> None:
    rig.record(heartbeat("p1"))
    rig.record(incoming(span(), "p1"))  # so short that its start was left out
    assert rig.session().status is SessionStatus.COMPLETED


def test_spans_of_a_silent_process_are_lost_after_twelve_seconds(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), heartbeat())
    rig.wait(12)
    assert rig.span().status is SpanStatus.RUNNING
    rig.wait(1)
    assert (rig.span().status, rig.session().status) == (
        SpanStatus.LOST,
        SessionStatus.LOST,
    )
    assert rig.span().end_ns is None


@pytest.mark.parametrize("is_declared", [False, True])
def test_a_conversation_that_goes_on_after_a_crash_ends_as_its_last_run(
    rig: Rig, *, is_declared: bool
) -> None:
    thread: dict[str, Json] = {"session.id": "thread"}

    def report(name: str, time_ns: int, process: str) -> None:
        if is_declared:
            event = f"inspector.session.{name}"
            rig.record(log(event, attributes=thread, process=process, time_ns=time_ns))

    report("started", START_NS, "p1")
    rig.record(started(span(attributes=thread)), heartbeat("p1"))
    rig.wait(60)
    assert rig.session("thread").status is SessionStatus.LOST

    later_ns = rig.now_ns
    report("started", later_ns, "p2")
    rig.record(heartbeat("p2"))
    rig.record(incoming(span(trace=2, start_ns=later_ns, attributes=thread), "p2"))
    report("finished", later_ns + SECOND_NS, "p2")
    rig.wait(6)

    assert rig.session("thread").status is SessionStatus.COMPLETED


def test_an_end_that_arrives_after_all_still_wins(rig: Rig) -> None:
    rig.record(started(span(span_id=1)))
    rig.wait(13)
    rig.record(incoming(span(span_id=1), "p1"))
    assert rig.span().status is SpanStatus.UNSET
    assert rig.session().status is SessionStatus.COMPLETED


def test_a_process_that_says_goodbye_loses_its_spans_at_once(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), heartbeat())
    rig.record(heartbeat(state="exiting"))
    rig.wait(2)
    assert rig.span().status is SpanStatus.LOST


@pytest.mark.parametrize(
    ("reported", "status"),
    [
        *((one, one) for one in ("completed", "failed", "cancelled")),
        ("fine" * 1_000, "lost"),  # says nothing
    ],
)
def test_what_a_script_kills_does_not_decide_how_its_session_ends(
    rig: Rig, reported: str, status: str
) -> None:
    run: dict[str, Json] = {"inspector.run.id": "run-1"}
    rig.record(
        incoming(span(span_id=1, attributes=run), "p1"),
        started(span(span_id=2, parent=1), process="killed"),
        heartbeat(),
    )
    ending: dict[str, Json] = {**run, "inspector.run.status": reported}
    rig.record(heartbeat(state="exiting", more=ending))
    rig.wait(60)
    assert rig.span(2).status is SpanStatus.LOST
    assert rig.session("run-1").status is SessionStatus(status)


def test_a_process_that_is_heard_again_has_its_spans_back(rig: Rig) -> None:
    rig.record(started(span(span_id=1)))
    rig.wait(13)
    rig.record(heartbeat())
    assert (rig.span().status, rig.session().status) == (
        SpanStatus.RUNNING,
        SessionStatus.RUNNING,
    )


def test_another_process_does_not_keep_spans_alive(rig: Rig) -> None:
    rig.record(started(span(span_id=1), "p1"), started(span(span_id=2, parent=1), "p2"))
    for _ in range(4):
        rig.wait(5)
        rig.record(heartbeat("p2"))
    assert (rig.span(1).status, rig.span(2).status) == (SpanStatus.LOST, SpanStatus.RUNNING)
    assert rig.session().status is SessionStatus.RUNNING


def test_after_a_restart_a_process_gets_its_full_time(rig: Rig) -> None:
    rig.record(started(span(span_id=1)))
    rig.now_ns += 3600 * SECOND_NS
    rig.restart()
    rig.wait(12)
    assert rig.span().status is SpanStatus.RUNNING
    rig.wait(1)
    assert rig.span().status is SpanStatus.LOST


def test_open_spans_of_a_sender_without_a_name_are_lost_after_ten_silent_minutes(
    rig: Rig,
) -> None:
    rig.record(started(span(span_id=1), process=None))
    rig.wait(599)
    assert rig.span().status is SpanStatus.RUNNING
    rig.wait(2)
    assert rig.span().status is SpanStatus.LOST


def test_a_declared_session_runs_between_its_spans_until_it_is_finished(
    rig: Rig,
) -> None:
    about = {"session.id": "S"}
    rig.record(log("inspector.session.started", attributes=about, process="p1"))
    rig.record(incoming(span(span_id=1, attributes={"session.id": "S"}), "p1"))
    rig.wait(10)
    assert rig.session("S").status is SessionStatus.RUNNING
    rig.record(
        log(
            "inspector.session.finished",
            attributes={**about, "inspector.session.status": "cancelled"},
            time_ns=START_NS + 2 * SECOND_NS,
            process="p1",
        )
    )
    assert rig.session("S").status is SessionStatus.CANCELLED


def test_a_declared_session_ends_with_its_process(rig: Rig) -> None:
    rig.record(log("inspector.session.started", attributes={"session.id": "S"}, process="p1"))
    rig.record(incoming(span(span_id=1, attributes={"session.id": "S"}), "p1"))
    rig.wait(13)
    assert rig.session("S").status is SessionStatus.COMPLETED


def test_what_session_finished_says_outweighs_the_root(rig: Rig) -> None:
    rig.record(span(span_id=1, attributes={"session.id": "S"}))
    about = {"session.id": "S", "inspector.session.status": "failed"}
    rig.record(log("inspector.session.finished", attributes=about, time_ns=START_NS + 5))
    assert rig.session("S").status is SessionStatus.FAILED


def test_a_run_that_begins_after_the_session_had_finished_speaks_for_itself(
    rig: Rig,
) -> None:
    about = {"session.id": "S", "inspector.session.status": "failed"}
    rig.record(log("inspector.session.finished", attributes=about, time_ns=START_NS - 1))
    rig.record(span(span_id=1, attributes={"session.id": "S"}))
    rig.wait(5)
    assert rig.session("S").status is SessionStatus.COMPLETED


def test_the_engine_is_what_the_sender_says_else_follows_from_how_it_sends(
    rig: Rig,
) -> None:
    rig.record(span(trace=1))
    rig.record(started(span(trace=2)))
    rig.record(span(trace=3, attributes={"inspector.engine": "temporal"}))
    engines = [rig.session(trace_hex(number)).engine for number in (1, 2, 3)]
    assert engines == [Engine.OTLP, Engine.ASYNCIO, Engine.TEMPORAL]


# --- waiting ----------------------------------------------------------------------------------


def test_a_paused_session_waits_and_the_time_is_summed(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), heartbeat())
    rig.record(paused(1, 1, START_NS + 10))
    assert rig.session().status is SessionStatus.WAITING
    assert rig.session().waiting_since_ns == START_NS + 10
    rig.record(resumed(1, 1, START_NS + 30))
    assert rig.session().status is SessionStatus.RUNNING
    assert (rig.session().waiting_ns, rig.session().waiting_since_ns) == (20, None)
    rig.record(paused(1, 1, START_NS + 40), resumed(1, 1, START_NS + 45))
    assert (rig.span().wait_ns, rig.span().waits) == (25, 2)
    assert rig.session().waiting_ns == 25


def test_a_wait_for_a_person_may_last_for_hours(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), paused(1, 1, START_NS))
    for _ in range(1000):
        rig.wait(10)
        rig.record(heartbeat())
    assert rig.session().status is SessionStatus.WAITING


def test_a_pause_may_arrive_before_the_span_it_sits_on(rig: Rig) -> None:
    rig.record(paused(1, 1, START_NS + 10))
    assert rig.sessions() == {}
    rig.record(started(span(span_id=1)))
    assert rig.session().status is SessionStatus.WAITING
    rig.record(resumed(1, 1, START_NS + 30))
    assert (rig.span().wait_ns, rig.session().waiting_ns) == (20, 20)


def test_the_same_pause_sent_again_counts_once(rig: Rig) -> None:
    rig.record(started(span(span_id=1)))
    rig.record(paused(1, 1, START_NS + 10))
    rig.record(paused(1, 1, START_NS + 10))
    assert rig.span().waits == 1


def test_a_wait_ends_with_its_span(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), paused(1, 1, START_NS + SECOND_NS // 2))
    rig.record(incoming(span(span_id=1), "p1"))
    assert rig.session().status is SessionStatus.COMPLETED
    assert rig.session().waiting_ns == SECOND_NS // 2


def test_a_lost_process_waits_for_nobody(rig: Rig) -> None:
    rig.record(started(span(span_id=1)), paused(1, 1, START_NS))
    rig.wait(13)
    assert rig.session().status is SessionStatus.LOST


def test_a_session_without_spans_may_wait_too(rig: Rig) -> None:
    about = {"session.id": "S"}
    rig.record(log("inspector.session.started", attributes=about, process="p1"))
    rig.record(
        log("inspector.session.paused", attributes=about, time_ns=START_NS + 5, process="p1")
    )
    assert rig.session("S").status is SessionStatus.WAITING
    rig.record(
        log("inspector.session.resumed", attributes=about, time_ns=START_NS + 9, process="p1")
    )
    assert (rig.session("S").status, rig.session("S").waiting_ns) == (
        SessionStatus.RUNNING,
        4,
    )


# --- no news ----------------------------------------------------------------------------------


def test_what_runs_for_want_of_an_end_says_when_it_was_heard_of_last(
    rig: Rig,
) -> None:
    rig.record(span(span_id=2, parent=1))
    rig.wait(30)
    rig.record(span(span_id=3, parent=1))
    rig.wait(540)
    assert rig.session().status is SessionStatus.RUNNING
    assert rig.session().silent_since_ns == START_NS + 30 * SECOND_NS
    rig.record(span(span_id=1))
    assert rig.session().silent_since_ns == rig.now_ns
    rig.wait(5)
    assert (rig.session().status, rig.session().silent_since_ns) == (
        SessionStatus.COMPLETED,
        None,
    )


def test_an_open_span_of_a_sender_without_heartbeats_is_no_sign_of_life(
    rig: Rig,
) -> None:
    rig.record(started(span(span_id=1), process=None))
    rig.wait(300)
    assert rig.session().silent_since_ns == START_NS
    assert rig.session().status is SessionStatus.RUNNING


def test_of_a_process_that_sends_heartbeats_silence_is_no_news(rig: Rig) -> None:
    rig.record(heartbeat(), started(span(span_id=1)))
    assert (rig.session().status, rig.session().silent_since_ns) == (
        SessionStatus.RUNNING,
        None,
    )


def test_a_restart_does_not_forget_when_a_session_was_heard_of_last(
    rig: Rig,
) -> None:
    rig.record(span(span_id=2, parent=1))
    rig.wait(300)
    rig.restart()
    rig.wait(60)
    assert rig.session().silent_since_ns == START_NS
