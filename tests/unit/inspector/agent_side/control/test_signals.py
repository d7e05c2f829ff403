"""Signals: requested from people while a workflow waits, and sent to the handlers."""

import asyncio
import threading
from typing import Any

import pytest

from inspector.agent_side.control.open_requests import (
    MAX_OPEN,
    AnswerOutcome,
    PendingRequest,
    ReceivedAnswer,
    RequestClosed,
    RequestTable,
)
from inspector.agent_side.control.provider import InspectorProvider
from inspector.agent_side.control.signals import NOBODY, PausedSessions, Signal, Signals
from instrument import Bus
from subscribers.bridge.location import TraceLocation


class Waiting:
    """A bus, its paused sessions, and the handlers of their signals."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.requests = RequestTable()
        self.signals = Signals()
        self.paused = PausedSessions(self.requests, self.signals)
        self.paused.install(bus)

    def pause(self, signal_name: Any = "go", prompt: Any = "Go?", session_id: Any = "s") -> None:
        self.bus._emit_sync(
            "session_paused", session_id=session_id, signal_name=signal_name, prompt=prompt
        )

    def resume(self, signal_name: str = "go", session_id: str = "s") -> None:
        self.bus._emit_sync(
            "session_resumed", session_id=session_id, signal_name=signal_name, payload=1
        )

    def open_signals(self) -> list[str | None]:
        return [request.signal_name for request in self.requests.pending()]

    def answer(self, decision: str = "answer", payload_json: str | None = "1") -> AnswerOutcome:
        (request,) = self.requests.pending()
        return self.answer_to(request, decision, payload_json)

    def answer_to(
        self, request: PendingRequest, decision: str, payload_json: str | None
    ) -> AnswerOutcome:
        received = ReceivedAnswer(decision, "ANNA", "browser", "why", payload_json=payload_json)
        return self.requests.answer(request.id, received)

    def closed(self) -> list[tuple[str, str | None, str | None]]:
        reports = self.requests.unconfirmed(100)
        return [(r.status, r.decision, r.reason) for r in reports if isinstance(r, RequestClosed)]


@pytest.fixture
def waiting(bus: Bus) -> Waiting:
    return Waiting(bus)


def test_a_session_that_waits_is_a_question(waiting: Waiting) -> None:
    waiting.pause("approve", "May it go out?")

    (request,) = waiting.requests.pending()
    assert (request.kind, request.signal_name, request.prompt) == (
        "question",
        "approve",
        "May it go out?",
    )
    assert (request.session_id, request.timeout_s, request.can_always) == ("s", None, False)


@pytest.mark.parametrize("prompt", [None, "", 7, {"a": 1}])
def test_a_prompt_that_is_no_text_leaves_the_name_of_the_signal(
    waiting: Waiting, prompt: Any
) -> None:
    waiting.pause("approve", prompt)

    assert waiting.requests.pending()[0].prompt == "Waiting for signal approve."


def test_a_pause_without_a_session_or_signal_opens_no_request(waiting: Waiting) -> None:
    waiting.pause(signal_name=None)
    waiting.pause(session_id=7)

    assert waiting.open_signals() == []


@pytest.mark.parametrize(
    ("decision", "payload_json", "payload"),
    [
        ("answer", '{"n": 9007199254740993}', {"n": 9007199254740993}),
        ("decline", None, None),
        ("cancel", None, None),
    ],
)
def test_an_answer_reaches_the_handlers(
    waiting: Waiting, decision: str, payload_json: str | None, payload: Any
) -> None:
    got: list[Signal] = []
    waiting.signals.on_signal(got.append)
    waiting.pause()

    assert waiting.answer(decision, payload_json).applied

    assert got == [Signal("s", "go", payload, decision, "why", "ANNA", "browser")]
    assert waiting.closed() == [("answered", decision, "why")]


def test_an_answer_that_nobody_takes_is_not_applied_and_the_session_waits_on(
    waiting: Waiting,
) -> None:
    waiting.signals.on_signal(lambda signal: signal.name == "another")
    waiting.pause()

    assert waiting.answer() == AnswerOutcome(False, NOBODY)

    assert waiting.open_signals() == ["go"]
    waiting.resume()
    assert waiting.closed() == [("withdrawn", None, "answered elsewhere")]


@pytest.mark.parametrize(
    ("decision", "payload_json", "why"),
    [("answer", "{", "not JSON"), ("allow", None, "not a valid answer to a question")],
)
def test_an_answer_that_is_none_is_not_applied(
    waiting: Waiting, decision: str, payload_json: str | None, why: str
) -> None:
    waiting.signals.on_signal(lambda _: True)
    waiting.pause()

    outcome = waiting.answer(decision, payload_json)

    assert not outcome.applied
    assert why in (outcome.reason or "")
    assert waiting.open_signals() == ["go"]


def test_a_session_that_goes_on_while_its_answer_is_brought_was_answered(waiting: Waiting) -> None:
    waiting.signals.on_signal(lambda _: waiting.resume())
    waiting.pause()

    assert waiting.answer().applied
    assert waiting.closed() == [("answered", "answer", "why")]


def test_a_session_that_goes_on_by_itself_while_nobody_takes_the_answer_is_closed(
    waiting: Waiting,
) -> None:
    def elsewhere(_: Signal) -> bool:
        waiting.resume()
        return False

    waiting.signals.on_signal(elsewhere)
    waiting.pause()

    assert not waiting.answer().applied
    assert waiting.open_signals() == []
    assert waiting.closed() == [("withdrawn", None, "answered elsewhere")]


def test_an_end_or_a_new_pause_withdraws_the_request(waiting: Waiting) -> None:
    waiting.pause()
    (before,) = waiting.requests.pending()
    waiting.pause(prompt="Go now?")
    assert [request.prompt for request in waiting.requests.pending()] == ["Go now?"]
    assert not waiting.answer_to(before, "answer", "1").applied

    waiting.bus._emit_sync("session_finished", session_id="other", status="failed", error=None)
    assert waiting.open_signals() == ["go"]
    waiting.bus._emit_sync("session_finished", session_id="s", status="completed", error=None)

    assert [reason for _, _, reason in waiting.closed()] == [
        "asked again",
        "the session has ended",
    ]


def test_a_session_waits_also_when_too_many_requests_are_open(
    waiting: Waiting, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(MAX_OPEN + 1):
        waiting.pause(session_id=f"s-{number}")

    assert len(waiting.open_signals()) == MAX_OPEN
    assert f"Cannot open a request for session s-{MAX_OPEN}" in caplog.text
    waiting.resume(session_id=f"s-{MAX_OPEN}")
    waiting.resume(session_id="s-0")
    waiting.pause(session_id=f"s-{MAX_OPEN}")
    assert len(waiting.open_signals()) == MAX_OPEN


@pytest.mark.parametrize("is_paused_first", [True, False])
async def test_a_question_of_its_own_stands_for_the_signal(
    bus: Bus, waiting: Waiting, is_paused_first: bool
) -> None:
    location = TraceLocation("s", "a" * 32, "b" * 16)
    provider = InspectorProvider(
        waiting.requests, location_of=lambda _: location, watcher=waiting.paused
    )
    provider.install(bus)
    if is_paused_first:
        waiting.pause()
    task = asyncio.create_task(bus.ask("Which way?", signal_name="go"))
    for _ in range(3):  # the provider runs in a task of its own
        await asyncio.sleep(0)
    if not is_paused_first:
        waiting.pause()

    assert [request.prompt for request in waiting.requests.pending()] == ["Which way?"]
    waiting.answer()
    assert (await task).payload == 1
    waiting.pause()
    assert waiting.open_signals() == ["go"]


# --- handlers of signals ----------------------------------------------------------------------


def send(signals: Signals, name: str = "go") -> AnswerOutcome:
    return signals.send(Signal("s", name))


def test_a_signal_is_brought_to_all_until_they_are_off() -> None:
    signals, got = Signals(), list[str]()
    off = signals.on_signal(lambda _: got.append("one"))
    signals.on_signal(lambda _: got.append("two"))

    assert send(signals).applied
    off()
    off()
    assert send(signals).applied

    assert got == ["one", "two", "two"]


def test_a_failing_handler_does_not_stop_the_next_one(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Signal) -> None:
        raise ValueError("bug")

    signals = Signals()
    signals.on_signal(broken)
    assert send(signals) == AnswerOutcome(False, "the agent's handler failed (ValueError)")

    signals.on_signal(lambda _: None)
    assert send(signals) == AnswerOutcome(True, None)
    assert "bug" in caplog.text


def test_a_handler_that_cannot_be_called_is_an_error() -> None:
    with pytest.raises(TypeError, match="not callable"):
        Signals().on_signal(7)  # type: ignore[arg-type] # that is the point


async def test_an_async_one_runs_on_the_loop_on_which_it_was_registered() -> None:
    signals, got = Signals(), asyncio.Queue[tuple[Any, Signal]]()

    async def handle(signal: Signal) -> None:
        await got.put((asyncio.get_running_loop(), signal))

    signals.on_signal(handle)
    outcome = await asyncio.to_thread(send, signals)

    assert outcome.applied
    async with asyncio.timeout(5):
        loop, signal = await got.get()
    assert loop is asyncio.get_running_loop()
    assert signal.name == "go"


def test_an_async_one_without_a_loop_runs_on_a_thread_of_its_own() -> None:
    signals, is_done = Signals(), threading.Event()

    async def handle(_: Signal) -> None:
        await asyncio.sleep(0)
        is_done.set()

    signals.on_signal(handle)

    assert send(signals).applied
    assert is_done.wait(5)


def test_an_async_one_whose_loop_has_ended_takes_nothing() -> None:
    signals = Signals()

    async def handle(_: Signal) -> None:
        raise AssertionError("never")

    async def register() -> None:
        signals.on_signal(handle)

    asyncio.run(register())

    assert send(signals) == AnswerOutcome(False, NOBODY)


@pytest.mark.parametrize(
    ("payload_json", "payload"), [(None, None), ('"x"', "x"), ('{"a": 1.0}', {"a": 1.0})]
)
def test_a_signal_without_a_question_is_brought_too(payload_json: str | None, payload: Any) -> None:
    signals, got = Signals(), list[Signal]()
    signals.on_signal(got.append)

    outcome = signals.deliver("s", "go", payload_json, reason="now", actor="ANNA", origin="cli")

    assert outcome.applied
    assert got == [Signal("s", "go", payload, "answer", "now", "ANNA", "cli")]


def test_a_signal_that_is_no_json_is_not_brought() -> None:
    signals, got = Signals(), list[Signal]()
    signals.on_signal(got.append)

    assert "not JSON" in (signals.deliver("s", "go", "{").reason or "")
    assert got == []
