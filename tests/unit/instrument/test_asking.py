"""Questions to a person outside an operation."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from instrument import ApprovalAnswer, ApprovalRequest, Bus, Decision, operation
from instrument import ask as ask_on_the_shared_bus
from instrument.typed import BeforeToolCallEvent, HookRegistry
from tests.unit.instrument.conftest import Person, Story, only

FORM = {"type": "object", "properties": {"title": {"type": "string"}}}


class Silence:
    """A provider without an answer, but with a last word."""

    def __init__(self, last_word: Callable[[], Any]) -> None:
        self._last_word = last_word

    async def ask(self, request: ApprovalRequest) -> str:
        await asyncio.Event().wait()
        return "allow"

    def ask_sync(self, request: ApprovalRequest) -> str:
        threading.Event().wait(5)
        return "allow"

    def last_word(self, request: ApprovalRequest) -> Any:
        return self._last_word()


async def test_a_question_gets_its_answer_and_says_who_gave_it(bus: Bus, events: Story) -> None:
    answer = ApprovalAnswer("answer", payload={"title": "x"}, actor="ANNA", origin="browser")
    bus.set_approval_provider(person := Person(answer))

    reply = await bus.ask("Which title?", form=FORM, signal_name="title", name="editor")

    assert reply.is_answered
    assert reply.payload == {"title": "x"}
    (request,) = person.requests
    assert (request.kind, request.hook, request.interceptor) == ("question", None, "editor")
    assert (request.form, request.signal_name, request.default) == (FORM, "title", "decline")
    opened, closed = only(events, "request_opened"), only(events, "request_closed")
    assert (opened["interceptor"], opened["signal_name"]) == ("editor", "title")
    assert (closed["actor"], closed["origin"], closed["status"]) == ("ANNA", "browser", "answered")


async def test_a_question_sits_on_the_operation_that_asks_it(bus: Bus, events: Story) -> None:
    bus.set_approval_provider(Person("decline"))

    async with bus.operation("tool_call", tool_name="t") as op:
        async with operation("index"):  # of another bus
            await bus.ask("Really?")
        call_id = op.call_id
    await bus.ask("And now?")

    opened = [kwargs["call_id"] for name, kwargs in events if name == "request_opened"]
    assert opened == [call_id, None]


@pytest.mark.parametrize("default", ["decline", "cancel"])
async def test_an_answer_is_never_made_up(bus: Bus, default: str) -> None:
    nobody = await bus.ask("?", default=default)
    bus.set_approval_provider(Person(ValueError("no terminal")))
    failed = await bus.ask("?", default=default)
    bus.set_approval_provider(Person(7))
    rubbish = await bus.ask("?", default=default)
    bus.set_approval_provider(Silence(lambda: None))
    silence = await bus.ask("?", default=default, timeout=0.01)

    answers = [nobody, failed, rubbish, silence]
    assert [answer.decision for answer in answers] == [default] * 4
    assert [answer.is_answered or answer.payload for answer in answers] == [None] * 4
    assert nobody.reason == "no approval provider"
    assert silence.reason == "nobody answered within 0.01 s"


@pytest.mark.parametrize(
    ("default", "is_granted"), [(None, False), ("deny", False), ("allow", True)]
)
async def test_a_breakpoint_goes_on_only_if_its_author_allows_it(
    bus: Bus, default: str | None, is_granted: bool
) -> None:
    bus.set_approval_provider(Silence(lambda: None))

    answer = await bus.ask("Look around.", kind="breakpoint", default=default, timeout=0.01)

    assert answer.is_granted is is_granted


def test_sync_code_asks_too(bus: Bus) -> None:
    bus.set_approval_provider(person := Person(ApprovalAnswer("answer", payload="blue")))

    assert bus.ask_sync("Which colour?").payload == "blue"
    assert person.requests[0].kind == "question"


async def test_sync_code_does_not_stop_a_running_loop_to_ask(bus: Bus) -> None:
    bus.set_approval_provider(Person("answer"))

    answer = bus.ask_sync("Which colour?")

    assert answer.decision == "decline"
    assert "event loop is running" in (answer.reason or "")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"prompt": ""}, "give a prompt"),
        ({"kind": "approval"}, "question or breakpoint"),
        ({"default": "allow"}, "decline or cancel"),
        ({"default": "decline", "kind": "breakpoint"}, "deny or allow"),
        ({"timeout": 0}, "seconds"),
        ({"timeout": None}, "seconds"),
        ({"form": "text"}, "JSON Schema"),
        ({"form": FORM, "kind": "breakpoint"}, "only for questions"),
        ({"signal_name": 7}, "signal_name"),
    ],
)
async def test_an_impossible_question_is_an_error(
    bus: Bus, wrong: dict[str, Any], message: str
) -> None:
    arguments: dict[str, Any] = {"prompt": "?", **wrong}

    with pytest.raises(ValueError, match=message):
        await bus.ask(**arguments)
    with pytest.raises(ValueError, match=message):
        bus.ask_sync(**arguments)


async def test_the_shared_bus_asks_by_a_function() -> None:
    assert (await ask_on_the_shared_bus("Anybody?")).reason == "no approval provider"


async def test_a_decision_may_ask_as_a_breakpoint(bus: Bus) -> None:
    bus.intercept("my_hook", lambda **_: Decision.ask_user("Here.", kind="breakpoint"))
    bus.set_approval_provider(person := Person("allow"))

    assert (await bus.dispatch("my_hook")).is_allowed
    assert person.requests[0].kind == "breakpoint"


async def test_a_decision_cannot_ask_a_question(bus: Bus) -> None:
    kind: Any = "question"
    bus.intercept("my_hook", lambda **_: Decision.ask_user("What?", kind=kind))

    outcome = await bus.dispatch("my_hook")

    assert (outcome.action, "use approval or breakpoint" in str(outcome.reason)) == (
        "deny",
        True,
    )


async def test_the_trail_says_who_allowed_it(bus: Bus) -> None:
    bus.intercept("my_hook", lambda **_: Decision.ask_user("May it?"))
    bus.set_approval_provider(Person(ApprovalAnswer("allow", "fine", actor="ANNA")))

    outcome = await bus.dispatch("my_hook")

    assert [(v.interceptor, v.reason, v.actor) for v in outcome.trail][-1] == (
        "approval",
        "fine",
        "ANNA",
    )


# --- an answer in time to a busy asker ------------------------------------------------------


@pytest.mark.parametrize("is_sync", [False, True])
async def test_what_was_answered_in_time_counts_although_the_asker_noticed_late(
    bus: Bus, events: Story, is_sync: bool
) -> None:
    bus.set_approval_provider(Silence(lambda: ApprovalAnswer("answer", payload=1, actor="ANNA")))

    if is_sync:
        answer = await asyncio.to_thread(bus.ask_sync, "?", timeout=0.01)
    else:
        answer = await bus.ask("?", timeout=0.01)

    assert (answer.payload, answer.actor) == (1, "ANNA")
    assert only(events, "request_closed")["status"] == "answered"


async def test_a_last_word_that_fails_refuses(bus: Bus, events: Story) -> None:
    def broken() -> None:
        raise RuntimeError("lost it")

    bus.intercept("my_hook", lambda **_: Decision.ask_user("?", default="allow", timeout=0.01))
    bus.set_approval_provider(Silence(broken))

    outcome = await bus.dispatch("my_hook")

    assert (outcome.action, outcome.reason) == ("deny", "asking failed: lost it")
    assert only(events, "request_closed")["status"] == "withdrawn"


async def test_an_interrupt_is_a_question_that_a_decline_refuses(bus: Bus) -> None:
    registry = HookRegistry(bus=bus)

    def gate(event: BeforeToolCallEvent) -> None:
        event.tool_use["input"] = {"colour": event.interrupt("colour", "Which colour?")}

    registry.add_callback(BeforeToolCallEvent, gate)
    bus.set_approval_provider(person := Person(ApprovalAnswer("answer", payload="blue")))

    async def painted() -> Any:
        return await bus.call("tool_call", lambda op: op.args, tool_name="paint", args={})

    assert await painted() == {"colour": "blue"}
    assert person.requests[0].kind == "question"
    bus.set_approval_provider(Person("decline"))
    with pytest.raises(Exception, match="refused: decline"):
        await painted()
