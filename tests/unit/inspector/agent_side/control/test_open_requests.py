"""The table of open requests and unconfirmed reports."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agent_side.control import open_requests
from inspector.agent_side.control.open_requests import (
    AnswerOutcome,
    PendingRequest,
    ReceivedAnswer,
    Report,
    RequestClosed,
    RequestOpened,
    RequestTable,
    TooManyOpenError,
)

ALLOW = ReceivedAnswer("allow", "ANNA", "browser")


def pending_request(request_id: str, **changed: Any) -> PendingRequest:
    return PendingRequest(
        request_id,
        None,
        "approval",
        "Delete it?",
        "deny",
        monotonic(),
        **{"options": ("allow", "deny"), **changed},
    )


def accept(answer: ReceivedAnswer) -> AnswerOutcome:
    return AnswerOutcome(True, answer.decision)


def names(reports: list[Report]) -> list[tuple[str, str]]:
    return [(type(report).__name__, report.request_id) for report in reports]


def test_an_answer_reaches_the_handler_of_its_request() -> None:
    requests = RequestTable()
    requests.open(pending_request("a"), accept)
    requests.open(pending_request("b"), lambda _: AnswerOutcome(False, "other hash"))

    assert requests.answer("a", ALLOW) == AnswerOutcome(True, "allow")
    assert requests.answer("b", ALLOW) == AnswerOutcome(False, "other hash")


def test_a_request_that_is_not_open_accepts_no_answer() -> None:
    requests = RequestTable()
    requests.open(pending_request("a"), accept)
    requests.close("a", "expired", "deny", None)

    assert requests.answer("a", ALLOW) == AnswerOutcome(False, "the request is not open")
    assert requests.answer("nobody", ALLOW) == AnswerOutcome(False, "the request is not open")


def test_a_handler_that_fails_has_not_applied_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: ReceivedAnswer) -> AnswerOutcome:
        raise LookupError("secret")

    requests = RequestTable()
    requests.open(pending_request("a"), fails)

    assert requests.answer("a", ALLOW) == AnswerOutcome(
        False, "the agent failed to apply it (LookupError)"
    )
    assert caplog.records[0].levelno == logging.WARNING


def test_a_handler_may_close_its_request() -> None:
    requests = RequestTable()

    def closes(_: ReceivedAnswer) -> AnswerOutcome:
        requests.close("a", "answered", "allow", None)
        return AnswerOutcome(True, None)

    requests.open(pending_request("a"), closes)

    assert requests.answer("a", ALLOW).applied
    assert requests.pending() == []


def test_a_request_above_the_limit_is_refused_until_another_has_closed() -> None:
    requests = RequestTable()
    for n in range(open_requests.MAX_OPEN):
        requests.open(pending_request(str(n)), accept)

    with pytest.raises(TooManyOpenError):
        requests.open(pending_request("one more"), accept)
    requests.close("0", "answered", "allow", None)
    requests.open(pending_request("one more"), accept)

    assert requests.answer("one more", ALLOW).applied


def test_texts_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_requests, "MAX_OPEN_CHARS", 1_000)
    requests = RequestTable()
    requests.open(pending_request("a", args_json="x" * 600), accept)

    with pytest.raises(TooManyOpenError):
        requests.open(pending_request("b", args_json="x" * 600), accept)
    requests.close("a", "answered", "allow", None)
    requests.open(pending_request("b", args_json="x" * 600), accept)


def test_an_id_is_open_once() -> None:
    requests = RequestTable()
    requests.open(pending_request("a"), accept)

    with pytest.raises(ValueError, match="already open"):
        requests.open(pending_request("a"), accept)


def test_a_confirmed_report_is_sent_again_only_on_demand() -> None:
    requests = RequestTable()
    requests.open(pending_request("a"), accept)
    first = requests.unconfirmed(10)
    assert requests.unconfirmed(10) == first  # the same message on each try

    requests.confirm(first)
    assert requests.unconfirmed(10) == []

    requests.report_again()
    again = requests.unconfirmed(10)
    assert names(again) == names(first)
    assert again[0].id != first[0].id


def test_the_arguments_are_gone_when_the_request_has_closed() -> None:
    requests = RequestTable()
    requests.open(pending_request("a", args_json="{}", args_text="{}"), accept)
    requests.open(pending_request("b", args_json="{}", keeps_args=True), accept)
    requests.close("a", "expired", "deny", None)
    requests.close("b", "expired", "deny", None)

    opened = {
        r.request_id: r.request for r in requests.unconfirmed(10) if isinstance(r, RequestOpened)
    }
    assert (opened["a"].args_json, opened["a"].args_text) == (None, None)
    assert opened["b"].args_json == "{}"


def test_few_unconfirmed_closed_requests_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_requests, "MAX_UNCONFIRMED_CLOSED", 2)
    requests = RequestTable()
    for request_id in "abc":
        requests.open(pending_request(request_id), accept)
        requests.close(request_id, "expired", "deny", None)

    assert [name for name, _ in names(requests.unconfirmed(10))] == [
        "RequestOpened",
        "RequestClosed",
    ] * 2
    assert {request_id for _, request_id in names(requests.unconfirmed(10))} == {"b", "c"}


def test_forgetting_needs_no_lock_of_the_parent() -> None:
    requests = RequestTable()
    requests.open(pending_request("a"), accept)
    with requests._lock:  # as the parent's other thread at the moment of the fork
        requests.forget()
        requests.open(pending_request("b"), accept)

    assert [one.id for one in requests.pending()] == ["b"]


def test_many_threads_open_answer_and_close() -> None:
    requests = RequestTable()
    applied: list[str] = []

    def work(n: int) -> None:
        for k in range(20):
            request_id = f"{n}-{k}"
            requests.open(pending_request(request_id), accept)
            if requests.answer(request_id, ALLOW).applied:
                applied.append(request_id)
            requests.confirm(requests.unconfirmed(50))
            requests.close(request_id, "answered", "allow", None)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(applied)) == 400
    requests.confirm(requests.unconfirmed(1_000))
    assert (requests.pending(), requests.unconfirmed(10)) == ([], [])


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["open", "close", "try", "confirm", "report_again"]), st.sampled_from("012")
    ),
    max_size=40,
)


@given(STEPS)
def test_a_service_that_receives_all_in_order_knows_the_open_requests(
    steps: list[tuple[str, str]],
) -> None:
    requests = RequestTable()
    received: list[Report] = []
    tried: list[Report] = []
    opened: list[str] = []

    def try_to_report() -> None:
        nonlocal tried
        tried = requests.unconfirmed(3)
        received.extend(tried)

    def open_next(_: str) -> None:
        opened.append(f"{len(opened)}")
        requests.open(pending_request(opened[-1]), accept)

    def close_one(which: str) -> None:
        for one in requests.pending()[int(which) :][:1]:
            requests.close(one.id, "withdrawn", None, None)

    acts: dict[str, Callable[[str], None]] = {
        "open": open_next,
        "close": close_one,
        "try": lambda _: try_to_report(),
        "confirm": lambda _: requests.confirm(tried),
        "report_again": lambda _: requests.report_again(),
    }
    for act, which in steps:
        acts[act](which)
    while requests.unconfirmed(3):
        try_to_report()
        requests.confirm(tried)

    assert is_open_after(received) == {
        name: name in {one.id for one in requests.pending()} for name in opened
    }


def is_open_after(received: list[Report]) -> dict[str, bool]:
    """Return the requests as a service knows them; a closed one is not opened again."""
    known: dict[str, bool] = {}
    for report in received:
        if isinstance(report, RequestClosed):
            assert report.request_id in known, "closed before it was opened"
            known[report.request_id] = False
        else:
            known.setdefault(report.request_id, True)
    return known
