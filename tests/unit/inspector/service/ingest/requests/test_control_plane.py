"""Asking, answering and commanding, with a clock that stands still."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from inspector.service.ingest.requests import control_plane as rules
from inspector.service.ingest.requests import open_requests as still_open
from inspector.service.ingest.requests.answering import Given, Refusal
from inspector.service.ingest.requests.control_plane import Accepted, Told
from inspector.service.ingest.requests.control_plane import Desk as ControlDesk
from inspector.service.ingest.unit_of_work import Draft
from inspector.service.model.rows import Doer, RequestStatus, SessionStatus, SpanStatus
from inspector.service.normalise.session_ids import session_id
from tests.support.asked import ANN, BOB, asked, process, question
from tests.support.desk import Desk
from tests.support.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry import heartbeat, log, progressed, started, trace_hex

PENDING, ANSWERED, EXPIRED, WITHDRAWN, LOST = RequestStatus
ALLOW = Given("allow", "h1")
IN_S = {"session.id": "S"}


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.hello()
    return desk


def accepted(outcome: Accepted | Refusal) -> Accepted:
    assert isinstance(outcome, Accepted), outcome
    return outcome


def told(outcome: Told | Refusal) -> Told:
    assert isinstance(outcome, Told), outcome
    return outcome


def results(desk: Desk) -> list[tuple[str, str, str]]:
    return [(one.actor, one.action, one.result) for one in desk.audit()]


# --- a session waits --------------------------------------------------------------------------


def test_a_session_waits_from_the_question_to_the_answer(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    desk.now_ns += SECOND_NS
    desk.open(asked(trace_id=trace_hex(1), created_ns=desk.now_ns))
    row = desk.session("S")
    assert (row.status, row.waiting_since_ns) == (SessionStatus.WAITING, desk.now_ns)
    desk.answer("r1", ALLOW)
    assert desk.session("S").status is SessionStatus.RUNNING


def test_a_request_belongs_to_the_session_of_its_trace_whatever_the_agent_says(
    desk: Desk,
) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    desk.open(asked(trace_id=trace_hex(1), session_id="other"))
    assert desk.request().session_id == "S"
    assert set(desk.sessions()) == {"S"}


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
    desk: Desk, named: str, trace_id: str | None, home: str
) -> None:
    desk.open(asked(session_id=named, trace_id=trace_id))
    assert desk.request().session_id == home
    assert desk.session(home).status is SessionStatus.WAITING


def test_a_request_moves_with_its_trace_and_so_does_the_waiting(desk: Desk) -> None:
    desk.open(asked(session_id="unknown", trace_id=trace_hex(1)))
    desk.take(started(span(trace=1, attributes=IN_S)))
    assert desk.request().session_id == "S"
    assert {id_: row.status for id_, row in desk.sessions().items()} == {"S": SessionStatus.WAITING}
    assert told(desk.tell("S", "pause")).seqs, "it is found by where it is now"
    desk.answer("r1", ALLOW)
    assert desk.session("S").status is SessionStatus.RUNNING


def test_a_session_that_finished_waits_as_long_as_it_asks(desk: Desk) -> None:
    desk.take(log("inspector.session.started", attributes=IN_S, process="p1"))
    desk.open(asked())
    desk.take(log("inspector.session.finished", attributes=IN_S, process="p1"))
    assert desk.session("S").status is SessionStatus.WAITING
    desk.answer("r1", ALLOW)
    assert desk.session("S").status is SessionStatus.COMPLETED


# --- answers ----------------------------------------------------------------------------------


def test_the_first_answer_wins_and_both_are_in_the_audit_log(desk: Desk) -> None:
    desk.open(asked())
    won = accepted(desk.answer("r1", Given("allow", "h1", '{"path":"/b"}', reason="ok"), ANN))
    lost = desk.answer("r1", Given("deny", "h1"), BOB)
    assert isinstance(lost, Refusal)
    assert lost.code == "already_answered"
    assert "Ann" in lost.detail
    [command] = desk.commands()
    assert (command.seq, command.type, command.decision) == (won.seq, "answer", "allow")
    assert (command.args_json, command.args_hash) == ('{"path":"/b"}', "h1")
    assert won.row.answer is not None
    assert won.row.answer.is_edited
    assert results(desk)[1:] == [("Ann", "answer", "accepted"), ("Bob", "answer", "refused")]
    refused = desk.audit()[-1]
    assert (refused.code, refused.decision, refused.args_hash) == (
        "already_answered",
        "deny",
        "h1",
    )


@pytest.mark.parametrize(
    ("request_id", "given", "code"),
    [
        ("r1", Given("allow", "h2"), "wrong_hash"),
        ("r2", ALLOW, "already_closed"),
        ("nothing", ALLOW, "no_such_request"),
    ],
)
def test_what_is_refused_changes_nothing_but_the_audit_log(
    desk: Desk, request_id: str, given: Given, code: str
) -> None:
    desk.open(asked())
    desk.open(asked("r2", expires_ns=desk.now_ns + 1))
    desk.now_ns += 1
    before = desk.sessions(), desk.request("r1"), desk.request("r2")
    refusal = desk.answer(request_id, given)
    assert isinstance(refusal, Refusal)
    assert refusal.code == code
    assert (desk.sessions(), desk.request("r1"), desk.request("r2")) == before
    assert desk.commands() == []
    last = desk.audit()[-1]
    assert (last.action, last.result, last.code) == ("answer", "refused", code)
    assert (last.actor, last.origin, last.address) == ("Ann", "browser", "127.0.0.1")
    assert last.request_id == request_id


def test_an_acknowledged_answer_is_a_second_entry_and_is_not_sent_again(desk: Desk) -> None:
    desk.open(asked())
    won = accepted(desk.answer("r1", ALLOW))
    desk.acknowledge(won.seq)
    desk.acknowledge(won.seq)
    assert desk.commands() == []
    assert results(desk)[1:] == [("Ann", "answer", "accepted"), ("Ann", "answer", "applied")]
    answer = desk.request().answer
    assert answer is not None
    assert answer.applied is True


def test_nobody_acknowledges_the_commands_of_others(desk: Desk) -> None:
    desk.hello("p2")
    desk.open(asked())
    won = accepted(desk.answer("r1", ALLOW))
    desk.acknowledge(won.seq, process_id="p2")
    assert len(desk.commands()) == 1


def test_an_answer_that_could_not_be_taken_lets_the_session_wait_again(desk: Desk) -> None:
    desk.open(asked())
    won = accepted(desk.answer("r1", ALLOW))
    desk.acknowledge(won.seq, applied=False)
    assert desk.request().status is PENDING
    assert desk.session("S").status is SessionStatus.WAITING
    accepted(desk.answer("r1", ALLOW))


def test_the_agent_ends_its_request_and_no_other(desk: Desk) -> None:
    desk.hello("p2")
    desk.open(asked())
    close = (WITHDRAWN, None, "cancelled")
    desk.act(lambda draft, one: one.close(draft, process("p2"), "r1", *close))
    assert desk.request().status is PENDING
    desk.act(lambda draft, one: one.close(draft, process("p1"), "r1", *close))
    assert desk.request().status is WITHDRAWN
    assert results(desk)[-1] == ("agent", "request_withdrawn", "accepted")


def test_an_answer_that_came_too_late_for_the_agent_is_not_sent_again(desk: Desk) -> None:
    desk.open(asked())
    desk.answer("r1", ALLOW)
    desk.act(lambda draft, one: one.close(draft, process(), "r1", EXPIRED, "deny", None))
    assert desk.commands() == []
    assert ("Ann", "answer", "not_applied") in results(desk)
    assert desk.request().status is EXPIRED
    assert desk.request().transitions[-1].reason == "What counts is `deny`"


def test_a_request_of_another_process_is_not_opened_again(desk: Desk) -> None:
    desk.hello("p2")
    desk.open(asked())
    refusal = desk.open(asked(process_id="p2", prompt="something else"))
    assert refusal is not None
    assert refusal.code == "request_id_taken"
    assert desk.request().prompt == "Delete it?"


def test_opening_twice_is_opening_once(desk: Desk) -> None:
    desk.open(asked())
    before, noted = desk.request(), len(desk.audit())
    desk.open(asked(created_ns=START_NS + 5))
    assert (desk.request(), len(desk.audit())) == (before, noted)


# --- time -------------------------------------------------------------------------------------


def test_it_expires_five_seconds_after_the_agent_should_have_said_so(desk: Desk) -> None:
    desk.open(asked(expires_ns=desk.now_ns + 3 * SECOND_NS))
    for second in range(1, 9):
        desk.beat()
        desk.wait(1)
        assert (desk.request().status is EXPIRED) == (second >= 8), second
    assert desk.session("S").status is SessionStatus.RUNNING
    last = desk.audit()[-1]
    assert (last.action, last.origin, last.actor) == ("request_expired", "service", "inspector")


def test_a_process_that_falls_silent_loses_what_it_has_open_within_15_seconds(
    desk: Desk,
) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)), heartbeat())
    desk.open(asked(trace_id=trace_hex(1)))
    desk.wait(12)
    assert desk.request().status is PENDING
    desk.wait(3)
    assert desk.request().status is LOST
    assert desk.span().status is SpanStatus.LOST
    assert desk.session("S").status is SessionStatus.LOST
    last = desk.audit()[-1]
    assert (last.action, last.origin, last.request_id) == ("request_lost", "service", "r1")
    refusal = desk.answer("r1", ALLOW)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "already_closed"


@pytest.mark.parametrize("way", ["channel", "telemetry"])
def test_a_sign_of_life_on_either_way_keeps_it(desk: Desk, way: str) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    desk.open(asked(trace_id=trace_hex(1)))
    for _ in range(8):
        desk.wait(5)
        if way == "channel":
            assert desk.beat()
        else:
            desk.take(heartbeat())
    assert (desk.request().status, desk.span().status) == (PENDING, SpanStatus.RUNNING)


def test_what_was_lost_is_reclaimed_by_hello_and_opening_it_again(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    desk.open(asked(trace_id=trace_hex(1)))
    desk.wait(20)
    assert not desk.beat(), "it has to say hello again"
    desk.hello()
    assert desk.span().status is SpanStatus.RUNNING
    desk.open(asked(trace_id=trace_hex(1)))
    assert desk.request().status is PENDING
    assert desk.session("S").status is SessionStatus.WAITING
    accepted(desk.answer("r1", ALLOW))


def test_a_process_that_says_goodbye_loses_what_it_has_open_at_once(desk: Desk) -> None:
    desk.open(asked())
    desk.act(lambda draft, one: one.goodbye(draft, process()))
    assert desk.request().status is LOST
    assert results(desk)[-1] == ("agent", "request_lost", "accepted")
    assert not desk.beat()


def test_the_last_words_of_a_process_are_not_taken_back_by_its_goodbye(desk: Desk) -> None:
    """Both are in one message: an agent that is cancelled ends."""
    desk.take(started(span(trace=1, attributes=IN_S), process="p1"))
    desk.open(asked())
    seq = accepted(desk.answer("r1", ALLOW)).seq
    (cancel,) = told(desk.tell("S", "cancel")).seqs

    def say_last(draft: Draft, one: ControlDesk) -> None:
        for number in (seq, cancel):
            one.acknowledge(draft, process(), number, applied=True, reason=None)
        one.goodbye(draft, process())

    desk.act(say_last)

    ends = [(one.action, one.result) for one in desk.audit() if "applied" in one.result]
    assert sorted(ends) == [("answer", "applied"), ("cancel", "applied")]


def test_telemetry_never_ends_a_request(desk: Desk) -> None:
    desk.open(asked())
    desk.take(heartbeat(state="exiting"), heartbeat(state="exited"))
    for _ in range(3):
        desk.wait(2)
        desk.beat()
    assert desk.request().status is PENDING


def test_after_a_restart_each_gets_its_full_time_and_all_is_there(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    desk.open(asked(trace_id=trace_hex(1), expires_ns=desk.now_ns + 60 * SECOND_NS))
    won = accepted(desk.answer("r1", ALLOW))
    desk.open(asked("r2", trace_id=trace_hex(1), expires_ns=desk.now_ns + 20 * SECOND_NS))
    desk.wait(10)
    desk.restart()
    desk.wait(10)
    assert [one.seq for one in desk.commands()] == [won.seq]
    assert desk.beat(), "it need not say hello again"
    assert desk.session("S").status is SessionStatus.WAITING
    desk.acknowledge(won.seq)
    for _ in range(6):
        desk.beat()
        desk.wait(1)
    assert desk.request("r2").status is EXPIRED


def test_a_commit_that_fails_leaves_nothing_behind(desk: Desk) -> None:
    desk.recorder.control(lambda draft, one: one.open(draft, process(), asked()), desk.now_ns)
    desk.recorder.forget()
    assert desk.act(lambda draft, one: one.still_open.due(2**62)) == []
    desk.open(asked(expires_ns=desk.now_ns))
    assert desk.act(lambda draft, one: one.still_open.due(2**62)) == ["r1"]


# --- verbs ------------------------------------------------------------------------------------


def test_a_verb_goes_to_every_process_that_has_something_of_the_session(desk: Desk) -> None:
    for name in ("p2", "p3", "p4", "p5"):
        desk.hello(name)
    desk.take(started(span(trace=1, attributes=IN_S), "p1"))
    desk.take(log("inspector.session.started", attributes=IN_S, process="p2"))
    desk.open(asked(process_id="p3"))
    desk.take(started(span(trace=2, attributes={"session.id": "T"}), "p4"))
    desk.take(span(trace=3, attributes=IN_S))
    outcome = told(desk.tell("S", "cancel"))
    given = {name: desk.commands(name) for name in ("p1", "p2", "p3", "p4", "p5")}
    assert [len(commands) for commands in given.values()] == [1, 1, 1, 0, 0]
    assert given["p1"][0].trace_ids == (trace_hex(1),)
    assert sorted(outcome.seqs) == [given[name][0].seq for name in ("p1", "p2", "p3")]


def test_a_process_without_a_channel_is_not_told(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S), "other"), heartbeat("other"))
    assert told(desk.tell("S", "pause")).seqs == ()
    assert desk.commands("other") == []


def test_where_nothing_runs_nobody_is_told_and_it_is_written_down(desk: Desk) -> None:
    desk.take(span(trace=1, attributes=IN_S))
    assert told(desk.tell("S", "cancel")).seqs == ()
    last = desk.audit()[-1]
    assert (last.action, last.result, last.code) == ("cancel", "not_applied", "nothing_runs")


def test_a_verb_for_a_session_that_is_not_there_is_refused(desk: Desk) -> None:
    refusal = desk.tell("nothing", "pause")
    assert isinstance(refusal, Refusal)
    assert refusal.code == "session_not_found"
    assert results(desk)[-1] == ("Ann", "pause", "refused")


def pause(desk: Desk) -> None:
    [seq] = told(desk.tell("S", "pause")).seqs
    assert desk.session("S").status is SessionStatus.RUNNING, "it is not, until the agent says so"
    desk.acknowledge(seq)


def test_a_session_is_paused_from_the_agents_word_to_the_resumption(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    pause(desk)
    row = desk.session("S")
    assert (row.status, row.paused_since_ns) == (SessionStatus.PAUSED, desk.now_ns)
    [seq] = told(desk.tell("S", "resume")).seqs
    desk.acknowledge(seq)
    row = desk.session("S")
    assert (row.status, row.paused_since_ns) == (SessionStatus.RUNNING, None)
    assert [one.result for one in desk.audit() if one.action == "resume"] == [
        "accepted",
        "applied",
    ]


def test_a_session_is_paused_after_a_step(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    [seq] = told(desk.tell("S", "step")).seqs
    desk.acknowledge(seq)
    assert desk.session("S").status is SessionStatus.PAUSED


def test_a_pause_that_could_not_be_done_pauses_nothing(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    [seq] = told(desk.tell("S", "pause")).seqs
    desk.acknowledge(seq, applied=False)
    assert desk.session("S").status is SessionStatus.RUNNING


def test_asking_shows_before_pausing(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    pause(desk)
    desk.open(asked(trace_id=trace_hex(1)))
    assert desk.session("S").status is SessionStatus.WAITING
    desk.answer("r1", ALLOW)
    assert desk.session("S").status is SessionStatus.PAUSED


def test_a_pause_ends_with_its_process_and_holds_again_when_that_comes_back(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    pause(desk)
    desk.wait(20)
    assert desk.session("S").status is SessionStatus.LOST
    desk.hello()
    assert desk.session("S").status is SessionStatus.PAUSED


def test_a_paused_session_of_which_nothing_runs_is_paused_after_a_restart_too(
    desk: Desk,
) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    pause(desk)
    desk.take(span(trace=1, attributes=IN_S))
    desk.restart()
    desk.wait(5)
    desk.beat()
    desk.wait(10)
    assert desk.session("S").status is SessionStatus.PAUSED
    desk.wait(5)
    assert desk.session("S").status is SessionStatus.COMPLETED, "its process is gone"


def test_a_lost_process_is_not_told_what_was_said_before(desk: Desk) -> None:
    desk.take(started(span(trace=1, attributes=IN_S)))
    desk.tell("S", "cancel")
    desk.wait(20)
    assert desk.commands() == []
    assert ("Ann", "cancel", "not_applied") in results(desk)


def test_a_signal_is_for_the_oldest_question_of_its_name(desk: Desk) -> None:
    desk.open(question("q2", created_ns=START_NS + 2))
    desk.open(question("q3", signal_name="stop"))
    desk.open(asked("r1", signal_name="go"))

    def find(name: str) -> str | None:
        row = desk.act(lambda draft, one: one.question_of(draft, "S", name))
        return row.id if row else None

    assert (find("go"), find("stop"), find("other")) == ("q2", "q3", None)


# --- bounds -----------------------------------------------------------------------------------


def test_one_process_cannot_open_more_than_its_share(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_open, "MAX_PENDING_OF_PROCESS", 2)
    monkeypatch.setattr(still_open, "MAX_PENDING", 3)
    desk.hello("p2")
    opened = [desk.open(asked(f"r{number}")) for number in range(3)]
    opened += [desk.open(asked(f"s{number}", process_id="p2")) for number in range(2)]
    assert [one and one.code for one in opened] == [
        None,
        None,
        "too_many_requests",
        None,
        "too_many_requests",
    ]
    desk.act(lambda draft, one: one.close(draft, process(), "r0", WITHDRAWN, None, None))
    assert desk.open(asked("r2")) is None, "there is room again"


def test_what_there_is_no_room_for_does_not_fill_the_audit_log(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_open, "MAX_PENDING_OF_PROCESS", 1)
    desk.open(asked("r0"))
    for _ in range(100):  # with each heartbeat again
        desk.beat()
        assert [desk.open(asked(f"r{number}")) is None for number in (1, 2)] == [False, False]
        desk.now_ns += 5 * SECOND_NS
    refused = [one for one in desk.audit() if one.result == "refused"]
    assert 50 <= len(refused) < 170
    assert "1 others were left out" in (refused[-1].detail or "")


def test_what_was_lost_comes_back_only_where_there_is_room(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.open(asked("r0"))
    desk.wait(15)
    desk.hello()
    desk.open(asked("r1"))
    monkeypatch.setattr(still_open, "MAX_PENDING_OF_PROCESS", 1)

    refusal = desk.open(asked("r0"))

    assert refusal is not None
    assert (refusal.code, desk.request("r0").status) == ("too_many_requests", LOST)
    desk.close("r1", WITHDRAWN)
    assert desk.open(asked("r0")) is None
    assert desk.request("r0").status is PENDING


def test_an_entry_of_the_audit_log_has_a_size(desk: Desk) -> None:
    desk.answer("x" * 100_000, Given("allow", "y" * 100_000, reason="z" * 100_000))
    desk.tell("x" * 100_000, "pause")
    for entry in desk.audit():
        texts = [one for one in asdict(entry).values() if isinstance(one, str)]
        assert sum(map(len, texts)) < 6_000


def test_open_requests_do_not_show_more_than_memory_has(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_open, "MAX_PENDING_BYTES", 3000)
    texts = {"args_json": "x" * 1400}
    opened = [desk.open(asked(f"r{number}", **texts)) for number in range(3)]
    assert [one and one.code for one in opened] == [None, None, "too_many_requests"]
    desk.answer("r0", ALLOW)
    assert desk.open(asked("r2", **texts)) is not None, "the agent may still need it"
    desk.acknowledge(desk.commands()[0].seq)
    assert desk.open(asked("r2", **texts)) is None


def test_telemetry_opens_answers_and_commands_nothing(desk: Desk) -> None:
    desk.open(asked())
    before, noted = desk.request(), desk.audit()
    names = ("request.opened", "request.closed", "approval", "session.paused", "command")
    about = {"inspector.request.id": "r1", "inspector.approval.decision": "allow", **IN_S}
    for name in names:
        desk.take(log(f"inspector.{name}", attributes=about, process="p1"))
        desk.take(log(f"inspector.{name}", attributes=about, trace=1, span_id=1, process="p1"))
    desk.take(span(trace=1, attributes=about))
    with desk.store.read() as reader:
        assert [one.row for one in reader.requests().rows] == [before]
    assert (desk.commands(), desk.audit()) == ([], noted)


def test_a_process_is_not_told_without_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_COMMANDS", 2)
    desk.take(started(span(trace=1, attributes=IN_S)))
    desk.open(asked(trace_id=trace_hex(1)))
    told(desk.tell("S", "pause"))
    told(desk.tell("S", "resume"))
    for refusal in (desk.tell("S", "cancel"), desk.answer("r1", ALLOW)):
        assert isinstance(refusal, Refusal)
        assert refusal.code == "too_many_commands"
    assert desk.request().status is PENDING


def test_deleting_a_session_takes_its_requests_and_commands_but_not_the_audit_log(
    desk: Desk,
) -> None:
    desk.open(asked())
    desk.answer("r1", ALLOW)
    noted = desk.audit()
    desk.delete("S")
    assert desk.commands() == []
    refusal = desk.answer("r1", ALLOW)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "no_such_request"
    assert desk.audit()[:-1] == noted
    desk.wait(30)


def test_a_progress_record_of_another_process_does_not_speak_for_the_channel(desk: Desk) -> None:
    desk.open(asked())
    for _ in range(4):
        desk.take(progressed(span(trace=1), desk.now_ns, "p2"))
        desk.wait(4)
    assert desk.request().status is LOST


def test_who_somebody_is_is_part_of_every_entry(desk: Desk) -> None:
    desk.open(asked())
    cli = replace(BOB, address="10.0.0.1")
    desk.answer("r1", ALLOW, cli)
    entry = desk.audit()[-1]
    assert Doer(entry.actor, entry.origin, entry.address) == cli
    assert entry.at_ns == desk.now_ns
