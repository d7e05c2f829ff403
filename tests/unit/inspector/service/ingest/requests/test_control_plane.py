"""Asking, answering and commanding, with a clock that stands still."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from inspector.service.ingest.requests import control_plane as rules
from inspector.service.ingest.requests import open_requests as still_open
from inspector.service.ingest.requests.answering import ProposedAnswer, Refusal
from inspector.service.ingest.requests.control_plane import (
    CommandsSent,
    ControlPlane,
    WinningAnswer,
)
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.rows import Actor, RequestStatus, SessionStatus, SpanStatus
from inspector.service.normalise.session_ids import session_id
from tests.support.agents.request_rows import ANN, BOB, process, question, request_row
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import heartbeat, log, progressed, started, trace_hex

PENDING, ANSWERED, EXPIRED, WITHDRAWN, LOST = RequestStatus
ALLOW = ProposedAnswer("allow", "h1")
IN_S = {"session.id": "S"}


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.hello()
    return rig


def accepted(outcome: WinningAnswer | Refusal) -> WinningAnswer:
    assert isinstance(outcome, WinningAnswer), outcome
    return outcome


def commands_sent(outcome: CommandsSent | Refusal) -> CommandsSent:
    assert isinstance(outcome, CommandsSent), outcome
    return outcome


def results(rig: Rig) -> list[tuple[str, str, str]]:
    return [(one.actor, one.action, one.result) for one in rig.audit()]


# --- a session waits --------------------------------------------------------------------------


def test_a_session_waits_from_the_question_to_the_answer(rig: Rig) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    rig.now_ns += SECOND_NS
    rig.open(request_row(trace_id=trace_hex(1), created_ns=rig.now_ns))
    row = rig.session("S")
    assert (row.status, row.waiting_since_ns) == (SessionStatus.WAITING, rig.now_ns)
    rig.answer("r1", ALLOW)
    assert rig.session("S").status is SessionStatus.RUNNING


def test_a_request_belongs_to_the_session_of_its_trace_whatever_the_agent_says(
    rig: Rig,
) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    rig.open(request_row(trace_id=trace_hex(1), session_id="other"))
    assert rig.request().session_id == "S"
    assert set(rig.sessions()) == {"S"}


@pytest.mark.parametrize(
    ("named", "trace_id", "home"),
    [
        ("S", None, "S"),
        ("S", trace_hex(1), "S"),
        ("unknown", trace_hex(1), trace_hex(1)),
        ("", None, "p1"),
        ("team/alpha", None, session_id("team/alpha")),
    ],
)
def test_a_request_of_which_nothing_was_heard_begins_its_session(
    rig: Rig, named: str, trace_id: str | None, home: str
) -> None:
    rig.open(request_row(session_id=named, trace_id=trace_id))
    assert rig.request().session_id == home
    assert rig.session(home).status is SessionStatus.WAITING


def test_a_request_moves_with_its_trace_and_so_does_the_waiting(rig: Rig) -> None:
    rig.open(request_row(session_id="unknown", trace_id=trace_hex(1)))
    rig.record(started(span(trace=1, attributes=IN_S)))
    assert rig.request().session_id == "S"
    assert {id_: row.status for id_, row in rig.sessions().items()} == {"S": SessionStatus.WAITING}
    assert commands_sent(rig.send_verb("S", "pause")).seqs, "it is found by where it is now"
    rig.answer("r1", ALLOW)
    assert rig.session("S").status is SessionStatus.RUNNING


def test_a_session_that_finished_waits_as_long_as_it_asks(rig: Rig) -> None:
    rig.record(log("inspector.session.started", attributes=IN_S, process="p1"))
    rig.open(request_row())
    rig.record(log("inspector.session.finished", attributes=IN_S, process="p1"))
    assert rig.session("S").status is SessionStatus.WAITING
    rig.answer("r1", ALLOW)
    assert rig.session("S").status is SessionStatus.COMPLETED


# --- answers ----------------------------------------------------------------------------------


def test_the_first_answer_wins_and_both_are_in_the_audit_log(rig: Rig) -> None:
    rig.open(request_row())
    won = accepted(
        rig.answer("r1", ProposedAnswer("allow", "h1", '{"path":"/b"}', reason="ok"), ANN)
    )
    lost = rig.answer("r1", ProposedAnswer("deny", "h1"), BOB)
    assert isinstance(lost, Refusal)
    assert lost.code == "already_answered"
    assert "Ann" in lost.detail
    [command] = rig.commands()
    assert (command.seq, command.type, command.decision) == (won.seq, "answer", "allow")
    assert (command.args_json, command.args_hash) == ('{"path":"/b"}', "h1")
    assert won.row.answer is not None
    assert won.row.answer.is_edited
    assert results(rig)[1:] == [("Ann", "answer", "accepted"), ("Bob", "answer", "refused")]
    refused = rig.audit()[-1]
    assert (refused.code, refused.decision, refused.args_hash) == (
        "already_answered",
        "deny",
        "h1",
    )


@pytest.mark.parametrize(
    ("request_id", "proposed", "code"),
    [
        ("r1", ProposedAnswer("allow", "h2"), "wrong_hash"),
        ("r2", ALLOW, "already_closed"),
        ("nothing", ALLOW, "no_such_request"),
    ],
)
def test_what_is_refused_changes_nothing_but_the_audit_log(
    rig: Rig, request_id: str, proposed: ProposedAnswer, code: str
) -> None:
    rig.open(request_row())
    rig.open(request_row("r2", expires_ns=rig.now_ns + 1))
    rig.now_ns += 1
    before = rig.sessions(), rig.request("r1"), rig.request("r2")
    refusal = rig.answer(request_id, proposed)
    assert isinstance(refusal, Refusal)
    assert refusal.code == code
    assert (rig.sessions(), rig.request("r1"), rig.request("r2")) == before
    assert rig.commands() == []
    last = rig.audit()[-1]
    assert (last.action, last.result, last.code) == ("answer", "refused", code)
    assert (last.actor, last.origin, last.address) == ("Ann", "browser", "127.0.0.1")
    assert last.request_id == request_id


def test_an_acknowledged_answer_is_a_second_entry_and_is_not_sent_again(
    rig: Rig,
) -> None:
    rig.open(request_row())
    won = accepted(rig.answer("r1", ALLOW))
    rig.acknowledge(won.seq)
    rig.acknowledge(won.seq)
    assert rig.commands() == []
    assert results(rig)[1:] == [("Ann", "answer", "accepted"), ("Ann", "answer", "applied")]
    answer = rig.request().answer
    assert answer is not None
    assert answer.applied is True


def test_nobody_acknowledges_the_commands_of_others(rig: Rig) -> None:
    rig.hello("p2")
    rig.open(request_row())
    won = accepted(rig.answer("r1", ALLOW))
    rig.acknowledge(won.seq, process_id="p2")
    assert len(rig.commands()) == 1


def test_an_answer_that_could_not_be_applied_lets_the_session_wait_again(
    rig: Rig,
) -> None:
    rig.open(request_row())
    won = accepted(rig.answer("r1", ALLOW))
    rig.acknowledge(won.seq, applied=False)
    assert rig.request().status is PENDING
    assert rig.session("S").status is SessionStatus.WAITING
    accepted(rig.answer("r1", ALLOW))


def test_the_agent_ends_its_request_and_no_other(rig: Rig) -> None:
    rig.hello("p2")
    rig.open(request_row())
    close = (WITHDRAWN, None, "cancelled")
    rig.run_control(lambda unit, one: one.close(unit, process("p2"), "r1", *close))
    assert rig.request().status is PENDING
    rig.run_control(lambda unit, one: one.close(unit, process("p1"), "r1", *close))
    assert rig.request().status is WITHDRAWN
    assert results(rig)[-1] == ("agent", "request_withdrawn", "accepted")


def test_an_answer_that_came_too_late_for_the_agent_is_not_sent_again(
    rig: Rig,
) -> None:
    rig.open(request_row())
    rig.answer("r1", ALLOW)
    rig.run_control(lambda unit, one: one.close(unit, process(), "r1", EXPIRED, "deny", None))
    assert rig.commands() == []
    assert ("Ann", "answer", "not_applied") in results(rig)
    assert rig.request().status is EXPIRED
    assert rig.request().transitions[-1].reason == "Effective decision: `deny`"


def test_a_request_of_another_process_is_not_opened_again(rig: Rig) -> None:
    rig.hello("p2")
    rig.open(request_row())
    refusal = rig.open(request_row(process_id="p2", prompt="something else"))
    assert refusal is not None
    assert refusal.code == "request_id_taken"
    assert rig.request().prompt == "Delete it?"


def test_opening_twice_is_opening_once(rig: Rig) -> None:
    rig.open(request_row())
    before, noted = rig.request(), len(rig.audit())
    rig.open(request_row(created_ns=START_NS + 5))
    assert (rig.request(), len(rig.audit())) == (before, noted)


# --- time -------------------------------------------------------------------------------------


def test_it_expires_five_seconds_after_the_agent_should_have_reported_it(
    rig: Rig,
) -> None:
    rig.open(request_row(expires_ns=rig.now_ns + 3 * SECOND_NS))
    for second in range(1, 9):
        rig.mark_alive()
        rig.wait(1)
        assert (rig.request().status is EXPIRED) == (second >= 8), second
    assert rig.session("S").status is SessionStatus.RUNNING
    last = rig.audit()[-1]
    assert (last.action, last.origin, last.actor) == ("request_expired", "service", "inspector")


def test_a_process_that_falls_silent_loses_what_it_has_open_within_15_seconds(
    rig: Rig,
) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)), heartbeat())
    rig.open(request_row(trace_id=trace_hex(1)))
    rig.wait(12)
    assert rig.request().status is PENDING
    rig.wait(3)
    assert rig.request().status is LOST
    assert rig.span().status is SpanStatus.LOST
    assert rig.session("S").status is SessionStatus.LOST
    last = rig.audit()[-1]
    assert (last.action, last.origin, last.request_id) == ("request_lost", "service", "r1")
    refusal = rig.answer("r1", ALLOW)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "already_closed"


@pytest.mark.parametrize("way", ["channel", "telemetry"])
def test_a_sign_of_life_on_either_way_keeps_it(rig: Rig, way: str) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    rig.open(request_row(trace_id=trace_hex(1)))
    for _ in range(8):
        rig.wait(5)
        if way == "channel":
            assert rig.mark_alive()
        else:
            rig.record(heartbeat())
    assert (rig.request().status, rig.span().status) == (PENDING, SpanStatus.RUNNING)


def test_what_was_lost_is_reclaimed_by_hello_and_opening_it_again(rig: Rig) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    rig.open(request_row(trace_id=trace_hex(1)))
    rig.wait(20)
    assert not rig.mark_alive(), "it has to say hello again"
    rig.hello()
    assert rig.span().status is SpanStatus.RUNNING
    rig.open(request_row(trace_id=trace_hex(1)))
    assert rig.request().status is PENDING
    assert rig.session("S").status is SessionStatus.WAITING
    accepted(rig.answer("r1", ALLOW))


def test_a_process_that_says_goodbye_loses_what_it_has_open_at_once(
    rig: Rig,
) -> None:
    rig.open(request_row())
    rig.run_control(lambda unit, one: one.goodbye(unit, process()))
    assert rig.request().status is LOST
    assert results(rig)[-1] == ("agent", "request_lost", "accepted")
    assert not rig.mark_alive()


def test_the_last_words_of_a_process_stand_after_its_goodbye(
    rig: Rig,
) -> None:
    """Both are in one message: an agent that is cancelled ends."""
    rig.record(started(span(trace=1, attributes=IN_S), process="p1"))
    rig.open(request_row())
    seq = accepted(rig.answer("r1", ALLOW)).seq
    (cancel,) = commands_sent(rig.send_verb("S", "cancel")).seqs

    def say_last(unit: UnitOfWork, one: ControlPlane) -> None:
        for number in (seq, cancel):
            one.acknowledge(unit, process(), number, applied=True, reason=None)
        one.goodbye(unit, process())

    rig.run_control(say_last)

    ends = [(one.action, one.result) for one in rig.audit() if "applied" in one.result]
    assert sorted(ends) == [("answer", "applied"), ("cancel", "applied")]


def test_telemetry_never_ends_a_request(rig: Rig) -> None:
    rig.open(request_row())
    rig.record(heartbeat(state="exiting"), heartbeat(state="exited"))
    for _ in range(3):
        rig.wait(2)
        rig.mark_alive()
    assert rig.request().status is PENDING


def test_after_a_restart_each_gets_its_full_time_and_all_is_there(rig: Rig) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    rig.open(request_row(trace_id=trace_hex(1), expires_ns=rig.now_ns + 60 * SECOND_NS))
    won = accepted(rig.answer("r1", ALLOW))
    rig.open(request_row("r2", trace_id=trace_hex(1), expires_ns=rig.now_ns + 20 * SECOND_NS))
    rig.wait(10)
    rig.restart()
    rig.wait(10)
    assert [one.seq for one in rig.commands()] == [won.seq]
    assert rig.mark_alive(), "it need not say hello again"
    assert rig.session("S").status is SessionStatus.WAITING
    rig.acknowledge(won.seq)
    for _ in range(6):
        rig.mark_alive()
        rig.wait(1)
    assert rig.request("r2").status is EXPIRED


def test_a_commit_that_fails_leaves_nothing_behind(rig: Rig) -> None:
    rig.recorder.run_control(lambda unit, one: one.open(unit, process(), request_row()), rig.now_ns)
    rig.recorder.forget()
    assert rig.run_control(lambda unit, one: one.open_requests.due(2**62)) == []
    rig.open(request_row(expires_ns=rig.now_ns))
    assert rig.run_control(lambda unit, one: one.open_requests.due(2**62)) == ["r1"]


# --- verbs ------------------------------------------------------------------------------------


def test_a_verb_goes_to_every_process_that_has_something_of_the_session(
    rig: Rig,
) -> None:
    for name in ("p2", "p3", "p4", "p5"):
        rig.hello(name)
    rig.record(started(span(trace=1, attributes=IN_S), "p1"))
    rig.record(log("inspector.session.started", attributes=IN_S, process="p2"))
    rig.open(request_row(process_id="p3"))
    rig.record(started(span(trace=2, attributes={"session.id": "T"}), "p4"))
    rig.record(span(trace=3, attributes=IN_S))
    outcome = commands_sent(rig.send_verb("S", "cancel"))
    proposed = {name: rig.commands(name) for name in ("p1", "p2", "p3", "p4", "p5")}
    assert [len(commands) for commands in proposed.values()] == [1, 1, 1, 0, 0]
    assert proposed["p1"][0].trace_ids == (trace_hex(1),)
    assert sorted(outcome.seqs) == [proposed[name][0].seq for name in ("p1", "p2", "p3")]


def test_a_process_without_a_channel_gets_no_command(rig: Rig) -> None:
    rig.record(started(span(trace=1, attributes=IN_S), "other"), heartbeat("other"))
    assert commands_sent(rig.send_verb("S", "pause")).seqs == ()
    assert rig.commands("other") == []


def test_where_nothing_runs_nobody_gets_a_command_and_it_is_written_down(rig: Rig) -> None:
    rig.record(span(trace=1, attributes=IN_S))
    assert commands_sent(rig.send_verb("S", "cancel")).seqs == ()
    last = rig.audit()[-1]
    assert (last.action, last.result, last.code) == ("cancel", "not_applied", "nothing_runs")


def test_a_verb_for_a_session_that_is_not_there_is_refused(rig: Rig) -> None:
    refusal = rig.send_verb("nothing", "pause")
    assert isinstance(refusal, Refusal)
    assert refusal.code == "session_not_found"
    assert results(rig)[-1] == ("Ann", "pause", "refused")


def pause(rig: Rig) -> None:
    [seq] = commands_sent(rig.send_verb("S", "pause")).seqs
    assert rig.session("S").status is SessionStatus.RUNNING, "it is not, until the agent says so"
    rig.acknowledge(seq)


def test_a_session_is_paused_from_the_agents_word_to_the_resumption(
    rig: Rig,
) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    pause(rig)
    row = rig.session("S")
    assert (row.status, row.paused_since_ns) == (SessionStatus.PAUSED, rig.now_ns)
    [seq] = commands_sent(rig.send_verb("S", "resume")).seqs
    rig.acknowledge(seq)
    row = rig.session("S")
    assert (row.status, row.paused_since_ns) == (SessionStatus.RUNNING, None)
    assert [one.result for one in rig.audit() if one.action == "resume"] == [
        "accepted",
        "applied",
    ]


def test_a_session_is_paused_after_a_step(rig: Rig) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    [seq] = commands_sent(rig.send_verb("S", "step")).seqs
    rig.acknowledge(seq)
    assert rig.session("S").status is SessionStatus.PAUSED


def test_a_pause_that_could_not_be_done_pauses_nothing(rig: Rig) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    [seq] = commands_sent(rig.send_verb("S", "pause")).seqs
    rig.acknowledge(seq, applied=False)
    assert rig.session("S").status is SessionStatus.RUNNING


def test_asking_shows_before_pausing(rig: Rig) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    pause(rig)
    rig.open(request_row(trace_id=trace_hex(1)))
    assert rig.session("S").status is SessionStatus.WAITING
    rig.answer("r1", ALLOW)
    assert rig.session("S").status is SessionStatus.PAUSED


def test_a_pause_ends_with_its_process_and_holds_again_when_that_comes_back(
    rig: Rig,
) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    pause(rig)
    rig.wait(20)
    assert rig.session("S").status is SessionStatus.LOST
    rig.hello()
    assert rig.session("S").status is SessionStatus.PAUSED


def test_a_paused_session_of_which_nothing_runs_is_paused_after_a_restart_too(
    rig: Rig,
) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    pause(rig)
    rig.record(span(trace=1, attributes=IN_S))
    rig.restart()
    rig.wait(5)
    rig.mark_alive()
    rig.wait(10)
    assert rig.session("S").status is SessionStatus.PAUSED
    rig.wait(5)
    assert rig.session("S").status is SessionStatus.COMPLETED, "its process is gone"


def test_a_lost_process_gets_no_command_of_before(rig: Rig) -> None:
    rig.record(started(span(trace=1, attributes=IN_S)))
    rig.send_verb("S", "cancel")
    rig.wait(20)
    assert rig.commands() == []
    assert ("Ann", "cancel", "not_applied") in results(rig)


def test_a_signal_is_for_the_oldest_question_of_its_name(rig: Rig) -> None:
    rig.open(question("q2", created_ns=START_NS + 2))
    rig.open(question("q3", signal_name="stop"))
    rig.open(request_row("r1", signal_name="go"))

    def find(name: str) -> str | None:
        row = rig.run_control(lambda unit, one: one.question_of(unit, "S", name))
        return row.id if row else None

    assert (find("go"), find("stop"), find("other")) == ("q2", "q3", None)


# --- bounds -----------------------------------------------------------------------------------


def test_one_process_cannot_open_more_than_its_share(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_open, "MAX_PENDING_OF_PROCESS", 2)
    monkeypatch.setattr(still_open, "MAX_PENDING", 3)
    rig.hello("p2")
    opened = [rig.open(request_row(f"r{number}")) for number in range(3)]
    opened += [rig.open(request_row(f"s{number}", process_id="p2")) for number in range(2)]
    assert [one and one.code for one in opened] == [
        None,
        None,
        "too_many_requests",
        None,
        "too_many_requests",
    ]
    rig.run_control(lambda unit, one: one.close(unit, process(), "r0", WITHDRAWN, None, None))
    assert rig.open(request_row("r2")) is None, "there is room again"


def test_what_there_is_no_room_for_does_not_fill_the_audit_log(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_open, "MAX_PENDING_OF_PROCESS", 1)
    rig.open(request_row("r0"))
    for _ in range(100):  # with each heartbeat again
        rig.mark_alive()
        assert [rig.open(request_row(f"r{number}")) is None for number in (1, 2)] == [False, False]
        rig.now_ns += 5 * SECOND_NS
    refused = [one for one in rig.audit() if one.result == "refused"]
    assert 50 <= len(refused) < 170
    assert "1 more omitted" in (refused[-1].detail or "")


def test_what_was_lost_comes_back_only_where_there_is_room(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.open(request_row("r0"))
    rig.wait(15)
    rig.hello()
    rig.open(request_row("r1"))
    monkeypatch.setattr(still_open, "MAX_PENDING_OF_PROCESS", 1)

    refusal = rig.open(request_row("r0"))

    assert refusal is not None
    assert (refusal.code, rig.request("r0").status) == ("too_many_requests", LOST)
    rig.close("r1", WITHDRAWN)
    assert rig.open(request_row("r0")) is None
    assert rig.request("r0").status is PENDING


def test_an_entry_of_the_audit_log_has_a_size(rig: Rig) -> None:
    rig.answer("x" * 100_000, ProposedAnswer("allow", "y" * 100_000, reason="z" * 100_000))
    rig.send_verb("x" * 100_000, "pause")
    for entry in rig.audit():
        texts = [one for one in asdict(entry).values() if isinstance(one, str)]
        assert sum(map(len, texts)) < 6_000


def test_open_requests_do_not_show_more_than_memory_has(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_open, "MAX_PENDING_BYTES", 3000)
    texts = {"args_json": "x" * 1400}
    opened = [rig.open(request_row(f"r{number}", **texts)) for number in range(3)]
    assert [one and one.code for one in opened] == [None, None, "too_many_requests"]
    rig.answer("r0", ALLOW)
    assert rig.open(request_row("r2", **texts)) is not None, "the agent may still need it"
    rig.acknowledge(rig.commands()[0].seq)
    assert rig.open(request_row("r2", **texts)) is None


def test_telemetry_opens_answers_and_commands_nothing(rig: Rig) -> None:
    rig.open(request_row())
    before, noted = rig.request(), rig.audit()
    names = ("request.opened", "request.closed", "approval", "session.paused", "command")
    about = {"inspector.request.id": "r1", "inspector.approval.decision": "allow", **IN_S}
    for name in names:
        rig.record(log(f"inspector.{name}", attributes=about, process="p1"))
        rig.record(log(f"inspector.{name}", attributes=about, trace=1, span_id=1, process="p1"))
    rig.record(span(trace=1, attributes=about))
    with rig.store.read() as reader:
        assert [one.row for one in reader.requests().rows] == [before]
    assert (rig.commands(), rig.audit()) == ([], noted)


def test_a_process_gets_no_more_commands_than_fit(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MAX_COMMANDS", 2)
    rig.record(started(span(trace=1, attributes=IN_S)))
    rig.open(request_row(trace_id=trace_hex(1)))
    commands_sent(rig.send_verb("S", "pause"))
    commands_sent(rig.send_verb("S", "resume"))
    for refusal in (rig.send_verb("S", "cancel"), rig.answer("r1", ALLOW)):
        assert isinstance(refusal, Refusal)
        assert refusal.code == "too_many_commands"
    assert rig.request().status is PENDING


def test_deleting_a_session_takes_its_requests_and_commands_but_not_the_audit_log(
    rig: Rig,
) -> None:
    rig.open(request_row())
    rig.answer("r1", ALLOW)
    noted = rig.audit()
    rig.delete("S")
    assert rig.commands() == []
    refusal = rig.answer("r1", ALLOW)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "no_such_request"
    assert rig.audit()[:-1] == noted
    rig.wait(30)


def test_a_progress_record_of_another_process_does_not_speak_for_the_channel(
    rig: Rig,
) -> None:
    rig.open(request_row())
    for _ in range(4):
        rig.record(progressed(span(trace=1), rig.now_ns, "p2"))
        rig.wait(4)
    assert rig.request().status is LOST


def test_who_somebody_is_is_part_of_every_entry(rig: Rig) -> None:
    rig.open(request_row())
    cli = replace(BOB, address="10.0.0.1")
    rig.answer("r1", ALLOW, cli)
    entry = rig.audit()[-1]
    assert Actor(entry.actor, entry.origin, entry.address) == cli
    assert entry.at_ns == rig.now_ns
