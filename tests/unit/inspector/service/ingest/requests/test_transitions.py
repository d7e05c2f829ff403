"""Transitions of a request: one answer, and the agent's report, in any order."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from inspector.service.ingest.requests import transitions
from inspector.service.ingest.requests.answering import ProposedAnswer, refusal_of
from inspector.service.model.records import is_over
from inspector.service.model.rows import AnswerRow, RequestRow, RequestStatus
from tests.support.agents.request_rows import AGENT, ANN, request_row
from tests.support.telemetry.otlp import SECOND_NS, START_NS

PENDING, ANSWERED, EXPIRED, WITHDRAWN, LOST = RequestStatus
ALLOW = ProposedAnswer("allow", "h1")


def pending(**fields: Any) -> RequestRow:
    return transitions.opened(request_row(**fields), START_NS, AGENT)


def answer_of(row: RequestRow, seq: int = 7, at_ns: int = START_NS) -> RequestRow:
    answer = AnswerRow("allow", "Ann", "browser", at_ns, None, False, seq)
    return transitions.answered(row, answer)


def took(row: RequestRow, *, applied: bool, seq: int = 7) -> RequestRow:
    reason = None if applied else "it was edited wrongly"
    changed = transitions.acknowledged(
        row, seq, applied=applied, reason=reason, now_ns=START_NS, actor=AGENT
    )
    assert changed is not None
    return changed


def lose(row: RequestRow) -> RequestRow | None:
    return transitions.lost(row, START_NS, transitions.SERVICE, "silence")


def test_an_answer_that_the_agent_took_is_how_it_ended() -> None:
    row = took(answer_of(pending()), applied=True)
    assert (row.status, row.answer and row.answer.applied) == (ANSWERED, True)
    assert row.args_json is None, "what was shown is blanked"
    assert transitions.closed(row, EXPIRED, None, START_NS, AGENT) is None
    assert lose(row) is None


def test_what_was_shown_stays_where_everything_is_captured() -> None:
    row = took(answer_of(pending(keeps_args=True)), applied=True)
    assert row.args_json == '{"path":"/a"}'


def test_an_answer_that_the_agent_could_not_take_leaves_it_open_and_says_why() -> None:
    row = took(answer_of(pending()), applied=False)
    assert (row.status, row.answer, row.args_json) == (PENDING, None, '{"path":"/a"}')
    assert row.transitions[-1].reason == (
        "The agent rejected the answer of Ann: it was edited wrongly"
    )
    assert refusal_of(row, ALLOW, START_NS) is None


def test_an_acknowledgement_of_another_command_is_nothing() -> None:
    row = answer_of(pending())
    assert (
        transitions.acknowledged(row, 8, applied=True, reason=None, now_ns=0, actor=AGENT) is None
    )


def test_a_lost_request_is_pending_again_when_its_agent_opens_it_again() -> None:
    row = lose(pending())
    assert row is not None
    assert (row.status, row.args_json) == (LOST, None)
    again = transitions.reopened(row, request_row(), START_NS, AGENT)
    assert again is not None
    assert (again.status, again.args_json, again.closed_ns) == (PENDING, '{"path":"/a"}', None)
    assert [one.status for one in again.transitions] == [PENDING, LOST, PENDING]


def test_an_answer_on_its_way_to_a_lost_process_was_not_applied() -> None:
    row = lose(answer_of(pending()))
    assert row is not None
    assert row.answer is not None
    assert (row.status, row.answer.applied) == (LOST, False)
    again = transitions.reopened(row, request_row(), START_NS, AGENT)
    assert again is not None
    assert (again.status, again.answer) == (PENDING, None), "the agent still waits for one"


def test_the_agent_puts_right_what_the_service_concluded_from_silence() -> None:
    row = lose(answer_of(pending()))
    assert row is not None
    closed = transitions.closed(row, ANSWERED, None, START_NS, AGENT)
    assert closed is not None
    assert (closed.status, closed.answer and closed.answer.applied) == (ANSWERED, True)
    late = transitions.closed(closed, EXPIRED, None, START_NS, AGENT)
    assert late is None, "what the agent has said stays"


def test_the_agent_ended_it_before_the_answer_came() -> None:
    row = transitions.closed(answer_of(pending()), EXPIRED, "deny", START_NS, AGENT)
    assert row is not None
    assert row.answer is not None
    assert (row.status, row.answer.applied) == (EXPIRED, False)
    assert row.answer.applied_reason == "The agent had closed it: expired"


def test_it_expires_by_the_service_only_after_the_agent_had_time_to_say_so() -> None:
    row = pending(expires_ns=START_NS + SECOND_NS)
    assert transitions.expired(row, START_NS + 6 * SECOND_NS - 1) is None
    gone = transitions.expired(row, START_NS + 6 * SECOND_NS)
    assert gone is not None
    assert (gone.status, gone.transitions[-1].origin) == (EXPIRED, "service")
    assert transitions.expired(pending(), START_NS + 10**6 * SECOND_NS) is None, (
        "one that never does"
    )


def test_what_comes_back_too_late_stays_expired() -> None:
    row = transitions.expired(pending(expires_ns=START_NS), START_NS + 5 * SECOND_NS)
    assert row is not None
    late = request_row(expires_ns=START_NS + 5 * SECOND_NS)
    assert transitions.reopened(row, late, START_NS + 5 * SECOND_NS, AGENT) is None
    in_time = request_row(expires_ns=START_NS + 9 * SECOND_NS)
    again = transitions.reopened(row, in_time, START_NS + 5 * SECOND_NS, AGENT)
    assert again is not None
    assert (again.status, again.expires_ns) == (PENDING, START_NS + 9 * SECOND_NS)


def test_one_that_is_lost_and_found_for_ever_keeps_its_size() -> None:
    row = pending()
    for _ in range(200):
        row = transitions.reopened(lose(row) or row, request_row(), START_NS, AGENT) or row
    assert len(row.transitions) == transitions.MAX_TRANSITIONS
    assert row.transitions[0] == pending().transitions[0]
    assert [one.status for one in row.transitions[-2:]] == [LOST, PENDING]


class Story(RuleBasedStateMachine):
    """People, the agent and time do anything, in any order."""

    @initialize(keeps_args=st.booleans(), expires_s=st.none() | st.integers(1, 60))
    def begin(self, keeps_args: bool, expires_s: int | None) -> None:
        self.now_ns = START_NS
        self.expires_ns = None if expires_s is None else START_NS + expires_s * SECOND_NS
        self.row = pending(keeps_args=keeps_args, expires_ns=self.expires_ns)
        self.seq = self.wins = 0
        self.ended: RequestStatus | None = None

    def change(self, changed: RequestRow | None) -> None:
        before = self.row
        assert changed != before, "where nothing changes it says so"
        self.row = changed or before
        if _is_applied(self.row) and not _is_applied(before):
            self.wins += 1
        if transitions.is_final(before):
            assert changed is None, "what is ended stays so"

    @property
    def is_late(self) -> bool:
        return self.expires_ns is not None and self.now_ns >= self.expires_ns

    @rule()
    def answer(self) -> None:
        refusal = refusal_of(self.row, ALLOW, self.now_ns)
        assert (refusal is None) == (self.row.status is PENDING and not self.is_late)
        if refusal is None:
            self.seq += 1
            self.change(answer_of(self.row, self.seq, self.now_ns))

    @rule(applied=st.booleans())
    def acknowledge(self, applied: bool) -> None:
        closed = transitions.acknowledged(
            self.row, self.seq, applied=applied, reason=None, now_ns=self.now_ns, actor=AGENT
        )
        self.change(closed)

    @rule(status=st.sampled_from([ANSWERED, EXPIRED, WITHDRAWN]))
    def close(self, status: RequestStatus) -> None:
        changed = transitions.closed(self.row, status, None, self.now_ns, AGENT)
        self.change(changed)
        if changed is not None:
            self.ended = status

    @rule()
    def open_again(self) -> None:
        before = self.row
        fresh = request_row(expires_ns=self.expires_ns)
        changed = transitions.reopened(before, fresh, self.now_ns, AGENT)
        if before.status is LOST and not self.is_late:
            assert changed is not None, "lost goes back to pending"
        self.change(changed)

    @rule()
    def lose(self) -> None:
        self.change(transitions.lost(self.row, self.now_ns, transitions.SERVICE, "silence"))

    @rule(seconds=st.integers(1, 20))
    def wait(self, seconds: int) -> None:
        self.now_ns += seconds * SECOND_NS
        self.change(transitions.expired(self.row, self.now_ns))

    @invariant()
    def one_answer_wins_and_the_agent_has_the_last_word(self) -> None:
        assert self.wins <= 1
        assert self.ended is None or self.row.status is self.ended
        assert self.row.transitions[-1].status is self.row.status
        assert (self.row.closed_ns is None) == (self.row.status is PENDING)

    @invariant()
    def what_is_shown_goes_when_it_is_over_and_not_before(self) -> None:
        is_stored = self.row.keeps_args or not is_over(self.row)
        assert (self.row.args_json is not None) == is_stored


def _is_applied(row: RequestRow) -> bool:
    return row.answer is not None and row.answer.applied is True


Story.TestCase.settings = settings(stateful_step_count=30)
test_in_any_order_one_answer_wins_and_the_agent_has_the_last_word = Story.TestCase


def test_who_did_it_is_in_the_transitions() -> None:
    row = transitions.answered(
        pending(), AnswerRow("deny", ANN.actor, ANN.origin, START_NS, "no", False, 1)
    )
    last = row.transitions[-1]
    assert (last.status, last.actor, last.origin, last.reason) == (
        ANSWERED,
        "Ann",
        "browser",
        "no",
    )
