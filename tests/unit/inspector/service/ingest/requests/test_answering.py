"""Refused answers, and the reasons for the person."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.ingest.requests import transitions
from inspector.service.ingest.requests.answering import (
    ProposedAnswer,
    Refusal,
    json_mistake,
    refusal_of,
)
from inspector.service.model.rows import AnswerRow, RequestRow, RequestStatus
from tests.support.agents.request_rows import AGENT, question, request_row
from tests.support.telemetry.otlp import SECOND_NS, START_NS


def refused(row: RequestRow | None, answer: ProposedAnswer) -> Refusal:
    refusal = refusal_of(row, answer, START_NS)
    assert refusal is not None
    return refusal


@pytest.mark.parametrize(
    "answer",
    [
        ProposedAnswer("allow", "h1"),
        ProposedAnswer("allow", "h1", args_json='{"path": "/b"}'),
        ProposedAnswer("allow_always", "h1"),
        ProposedAnswer("deny", "h1", reason="no"),
    ],
)
def test_an_approval_can_be_allowed_edited_and_denied(answer: ProposedAnswer) -> None:
    assert refusal_of(request_row(), answer, START_NS) is None
    assert refusal_of(request_row(kind="breakpoint"), answer, START_NS) is None


@pytest.mark.parametrize(
    "answer",
    [
        ProposedAnswer("answer", payload_json='{"a": 1}'),
        ProposedAnswer("decline"),
        ProposedAnswer("cancel"),
    ],
)
def test_a_question_can_be_answered_and_declined(answer: ProposedAnswer) -> None:
    assert refusal_of(question(), answer, START_NS) is None


@pytest.mark.parametrize(
    ("row", "answer", "code"),
    [
        (None, ProposedAnswer("allow"), "no_such_request"),
        (request_row(), ProposedAnswer("allow"), "wrong_hash"),
        (request_row(), ProposedAnswer("deny"), "wrong_hash"),
        (request_row(), ProposedAnswer("allow", "h2"), "wrong_hash"),
        (request_row(args_hash=None), ProposedAnswer("allow", "h1"), "wrong_hash"),
        (request_row(can_always=False), ProposedAnswer("allow_always", "h1"), "wrong_decision"),
        (request_row(), ProposedAnswer("answer", "h1", payload_json="1"), "wrong_decision"),
        (request_row(), ProposedAnswer("allow", "h1", payload_json="1"), "wrong_decision"),
        (request_row(), ProposedAnswer("deny", "h1", args_json="{}"), "wrong_decision"),
        (question(), ProposedAnswer("allow"), "wrong_decision"),
        (question(), ProposedAnswer("answer"), "wrong_decision"),
        (question(), ProposedAnswer("answer", payload_json="{"), "bad_json"),
        (
            request_row(args_json=None),
            ProposedAnswer("allow", "h1", args_json="{}"),
            "not_editable",
        ),
        (request_row(), ProposedAnswer("allow", "h1", args_json="{'a': 1}"), "bad_json"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_code(
    row: RequestRow | None, answer: ProposedAnswer, code: str
) -> None:
    assert refused(row, answer).code == code


def test_who_is_late_learns_who_won_when_and_with_what() -> None:
    answer = AnswerRow("deny", "Ann", "browser", START_NS, None, False, 1)
    refusal = refused(transitions.answered(request_row(), answer), ProposedAnswer("allow", "h1"))
    assert refusal.code == "already_answered"
    assert re.fullmatch(
        r"Ann \(browser\) already answered with `deny` at 20[-0-9]{8} [:0-9]{8} UTC\.",
        refusal.detail,
    )


def test_what_is_closed_says_how() -> None:
    lost = transitions.lost(request_row(), START_NS, transitions.SERVICE, "Its process was lost")
    refusal = refused(lost, ProposedAnswer("allow", "h1"))
    assert (refusal.code, refusal.detail) == (
        "already_closed",
        "Too late: the request is lost. Its process was lost.",
    )
    withdrawn = transitions.closed(transitions.opened(request_row(), START_NS, AGENT), *_WITHDRAWN)
    assert "withdrawn" in refused(withdrawn, ProposedAnswer("allow", "h1")).detail


_WITHDRAWN = (RequestStatus.WITHDRAWN, None, START_NS, AGENT)


def test_after_its_time_it_is_expired_whether_the_agent_reports_it_or_not() -> None:
    row = request_row(expires_ns=START_NS + SECOND_NS)
    assert refusal_of(row, ProposedAnswer("allow", "h1"), START_NS + SECOND_NS - 1) is None
    refusal = refusal_of(row, ProposedAnswer("allow", "h1"), START_NS + SECOND_NS)
    assert refusal is not None
    assert refusal.code == "already_closed"
    assert "expired" in refusal.detail
    assert "`deny`" in refusal.detail, "what counts now"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_any_json_is_json(value: object) -> None:
    assert json_mistake(json.dumps(value)) is None


@given(st.text())
def test_no_text_breaks_the_check(text: str) -> None:
    mistake = json_mistake(text)
    assert mistake is None or isinstance(mistake, str)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("NaN", "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ('{"a": 1, "a": 2}', "duplicate key 'a'"),
        ("[" * 100_000, "nested too deeply"),
        ("", "Expecting value"),
    ],
)
def test_what_readers_would_take_for_different_things_is_refused(text: str, says: str) -> None:
    assert says in (json_mistake(text) or "")


def test_numbers_of_any_length_are_json() -> None:
    assert json_mistake(f'{{"n": {"9" * 20_000}}}') is None
