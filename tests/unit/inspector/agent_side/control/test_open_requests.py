"""The table of what this process waits for people for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest
from hypothesis import given, settings
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

ALLOW = ReceivedAnswer("allow", None, None, None, None, "ANNA", "browser")


def asked(request_id: str, **changed: Any) -> PendingRequest:
    values: dict[str, Any] = dict.fromkeys(PendingRequest._fields)
    values.update(
        id=request_id,
        kind="approval",
        prompt="Delete it?",
        options=("allow", "deny"),
        default="deny",
        can_always=False,
        keeps_args=False,
        opened_monotonic_s=monotonic(),
    )
    return PendingRequest(**{**values, **changed})


def takes(given: ReceivedAnswer) -> AnswerOutcome:
    return AnswerOutcome(True, given.decision)


def names(reports: list[Report]) -> list[tuple[str, str]]:
    return [(type(report).__name__, report.request_id) for report in reports]


def test_an_answer_reaches_the_judge_of_its_request() -> None:
    requests = RequestTable()
    requests.open(asked("a"), takes)
    requests.open(asked("b"), lambda _: AnswerOutcome(False, "other hash"))

    assert requests.answer("a", ALLOW) == AnswerOutcome(True, "allow")
    assert requests.answer("b", ALLOW) == AnswerOutcome(False, "other hash")


def test_what_is_not_open_takes_no_answer() -> None:
    requests = RequestTable()
    requests.open(asked("a"), takes)
    requests.close("a", "expired", "deny", None)

    assert requests.answer("a", ALLOW) == AnswerOutcome(False, "not open here")
    assert requests.answer("nobody", ALLOW) == AnswerOutcome(False, "not open here")


def test_a_judge_that_fails_has_not_taken_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: ReceivedAnswer) -> AnswerOutcome:
        raise LookupError("secret")

    requests = RequestTable()
    requests.open(asked("a"), fails)

    assert requests.answer("a", ALLOW) == AnswerOutcome(
        False, "the agent failed on it (LookupError)"
    )
    assert caplog.records[0].levelno == logging.WARNING


def test_a_judge_may_close_its_request() -> None:
    requests = RequestTable()

    def closes(_: ReceivedAnswer) -> AnswerOutcome:
        requests.close("a", "answered", "allow", None)
        return AnswerOutcome(True, None)

    requests.open(asked("a"), closes)

    assert requests.answer("a", ALLOW).applied
    assert requests.still_open() == []


def test_one_more_than_the_most_is_refused_and_fits_when_one_has_closed() -> None:
    requests = RequestTable()
    for n in range(open_requests.MAX_OPEN):
        requests.open(asked(str(n)), takes)

    with pytest.raises(TooManyOpenError):
        requests.open(asked("one more"), takes)
    requests.close("0", "answered", "allow", None)
    requests.open(asked("one more"), takes)

    assert requests.answer("one more", ALLOW).applied


def test_texts_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_requests, "MAX_OPEN_CHARS", 1_000)
    requests = RequestTable()
    requests.open(asked("a", args_json="x" * 600), takes)

    with pytest.raises(TooManyOpenError):
        requests.open(asked("b", args_json="x" * 600), takes)
    requests.close("a", "answered", "allow", None)
    requests.open(asked("b", args_json="x" * 600), takes)


def test_an_id_is_open_once() -> None:
    requests = RequestTable()
    requests.open(asked("a"), takes)

    with pytest.raises(ValueError, match="open already"):
        requests.open(asked("a"), takes)


def test_what_is_said_is_not_said_twice_but_for_when_it_is_said_again() -> None:
    requests = RequestTable()
    requests.open(asked("a"), takes)
    first = requests.to_say(10)
    assert requests.to_say(10) == first  # the same message on each try

    requests.said(first)
    assert requests.to_say(10) == []

    requests.say_again()
    again = requests.to_say(10)
    assert names(again) == names(first)
    assert again[0].id != first[0].id


def test_the_arguments_are_gone_when_the_request_has_closed() -> None:
    requests = RequestTable()
    requests.open(asked("a", args_json="{}", args_text="{}"), takes)
    requests.open(asked("b", args_json="{}", keeps_args=True), takes)
    requests.close("a", "expired", "deny", None)
    requests.close("b", "expired", "deny", None)

    said = {r.request_id: r.asked for r in requests.to_say(10) if isinstance(r, RequestOpened)}
    assert (said["a"].args_json, said["a"].args_text) == (None, None)
    assert said["b"].args_json == "{}"


def test_few_are_remembered_that_closed_unheard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_requests, "MAX_UNSAID_CLOSED", 2)
    requests = RequestTable()
    for request_id in "abc":
        requests.open(asked(request_id), takes)
        requests.close(request_id, "expired", "deny", None)

    assert [name for name, _ in names(requests.to_say(10))] == [
        "RequestOpened",
        "RequestClosed",
    ] * 2
    assert {request_id for _, request_id in names(requests.to_say(10))} == {"b", "c"}


def test_forgetting_needs_no_lock_that_somebody_holds() -> None:
    requests = RequestTable()
    requests.open(asked("a"), takes)
    with requests._lock:  # as the parent's other thread at the moment of the fork
        requests.forget()
        requests.open(asked("b"), takes)

    assert [one.id for one in requests.still_open()] == ["b"]


def test_many_threads_open_answer_and_close() -> None:
    requests = RequestTable()
    taken: list[str] = []

    def work(n: int) -> None:
        for k in range(20):
            request_id = f"{n}-{k}"
            requests.open(asked(request_id), takes)
            if requests.answer(request_id, ALLOW).applied:
                taken.append(request_id)
            requests.said(requests.to_say(50))
            requests.close(request_id, "answered", "allow", None)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(taken)) == 400
    requests.said(requests.to_say(1_000))
    assert (requests.still_open(), requests.to_say(10)) == ([], [])


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["open", "close", "try", "said", "say_again"]), st.sampled_from("012")
    ),
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_a_service_that_hears_all_in_order_knows_what_is_open(steps: list[tuple[str, str]]) -> None:
    requests = RequestTable()
    heard: list[Report] = []
    tried: list[Report] = []
    opened: list[str] = []

    def try_to_say() -> None:
        nonlocal tried
        tried = requests.to_say(3)
        heard.extend(tried)

    def open_next(_: str) -> None:
        opened.append(f"{len(opened)}")
        requests.open(asked(opened[-1]), takes)

    def close_one(which: str) -> None:
        for one in requests.still_open()[int(which) :][:1]:
            requests.close(one.id, "withdrawn", None, None)

    acts: dict[str, Callable[[str], None]] = {
        "open": open_next,
        "close": close_one,
        "try": lambda _: try_to_say(),
        "said": lambda _: requests.said(tried),
        "say_again": lambda _: requests.say_again(),
    }
    for act, which in steps:
        acts[act](which)
    while requests.to_say(3):
        try_to_say()
        requests.said(tried)

    assert is_open_after(heard) == {
        name: name in {one.id for one in requests.still_open()} for name in opened
    }


def is_open_after(heard: list[Report]) -> dict[str, bool]:
    """Return what a service makes of it; a request that has closed is not opened again."""
    known: dict[str, bool] = {}
    for report in heard:
        if isinstance(report, RequestClosed):
            assert report.request_id in known, "closed before it was opened"
            known[report.request_id] = False
        else:
            known.setdefault(report.request_id, True)
    return known
