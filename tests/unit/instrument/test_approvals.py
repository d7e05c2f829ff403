"""Approval by a person: only a clear yes grants."""

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from instrument import (
    ApprovalAnswer,
    ApprovalRequest,
    Bus,
    Decision,
    HookDenied,
    Operation,
    Outcome,
    waiting,
)
from instrument.asking import Subject, ask_person
from instrument.parts import Question
from instrument.waiting import AsyncWaiting
from tests.unit.instrument.conftest import NEVER, Person, Story, cancel_after, only

ASK = Decision.ask_user("Delete everything?", timeout=5)


class PersonOfSyncCode(Person):
    """A provider that sync code calls on a thread."""

    def ask_sync(self, request: ApprovalRequest) -> Any:
        return asyncio.run(self.ask(request))


def asking(decision: Decision = ASK) -> Callable[..., Decision]:
    return lambda **_: decision


@pytest.mark.parametrize(
    "answer", ["allow", "Allow once", "allow_always", "ALLOW", ApprovalAnswer("allow")]
)
async def test_a_yes_lets_the_operation_run(bus: Bus, answer: Any) -> None:
    bus.intercept("before_tool_call", asking(), name="gate")
    bus.set_approval_provider(person := Person(answer))

    assert await bus.call("tool_call", lambda _: "ran", tool_name="rm", args={}) == "ran"

    (request,) = person.requests
    assert (request.prompt, request.options) == ("Delete everything?", ("Allow", "Deny"))
    assert (request.hook, request.interceptor, request.kind) == (
        "before_tool_call",
        "gate",
        "approval",
    )
    assert request.data["tool_name"] == "rm"
    assert request.call_id == request.data["call_id"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("deny", "refused: deny"),
        ("yes", "refused: yes"),
        ("", "refused: "),
        ("allow everything", "refused: allow everything"),
        (ApprovalAnswer("deny", "not on Fridays"), "not on Fridays"),
        (ApprovalAnswer("answer", payload="allow"), "refused: answer"),
        (True, "the approval provider returned bool, which is not an answer"),
        (None, "the approval provider returned NoneType, which is not an answer"),
        (
            ApprovalAnswer(1),  # type: ignore[arg-type] # that is the point
            "the approval provider returned ApprovalAnswer, which is not an answer",
        ),
        (
            ApprovalAnswer("allow", changes=[1]),  # type: ignore[arg-type] # that is the point
            "the approval provider returned ApprovalAnswer, which is not an answer",
        ),
        (ValueError("no terminal"), "asking failed: no terminal"),
        (asyncio.CancelledError(), "asking failed: "),
    ],
)
async def test_anything_else_denies(bus: Bus, answer: Any, reason: str) -> None:
    bus.intercept("before_tool_call", asking(), on_error="continue")
    bus.set_approval_provider(Person(answer))

    outcome = await bus.dispatch("before_tool_call")

    assert (outcome.action, outcome.reason, outcome.decided_by) == ("deny", reason, "approval")


async def test_with_nobody_to_ask_the_answer_is_no(bus: Bus, events: Story) -> None:
    bus.intercept("before_tool_call", asking(Decision.ask_user("?", default="allow")))

    outcome = await bus.dispatch("before_tool_call")

    assert (outcome.action, outcome.reason) == ("deny", "no approval provider")
    assert not any(name.startswith("request_") for name, _ in events)


LINE_IS_DEAD = TimeoutError("no connection")


@pytest.mark.parametrize("person", [Person(LINE_IS_DEAD), PersonOfSyncCode(LINE_IS_DEAD)])
def test_a_time_out_on_the_way_to_a_person_is_not_their_silence(bus: Bus, person: Person) -> None:
    bus.intercept("before_tool_call", asking(Decision.ask_user("?", default="allow")))
    bus.set_approval_provider(person)

    async def from_async_code() -> Outcome:
        return await bus.dispatch("before_tool_call")

    for outcome in (asyncio.run(from_async_code()), bus.dispatch_sync("before_tool_call")):
        assert (outcome.action, outcome.reason) == ("deny", "asking failed: no connection")


@pytest.mark.parametrize(("default", "action"), [("deny", "deny"), ("allow", "continue")])
async def test_when_nobody_answers_in_time_the_default_counts(
    bus: Bus, events: Story, default: str, action: str
) -> None:
    class Silent:
        was_cancelled = False

        async def ask(self, request: ApprovalRequest) -> str:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise
            return "allow"

    bus.intercept("before_tool_call", asking(Decision.ask_user("?", default=default, timeout=0.01)))
    bus.set_approval_provider(silent := Silent())

    async with asyncio.timeout(5):
        outcome = await bus.dispatch("before_tool_call")

    assert outcome.action == action
    assert silent.was_cancelled
    closed = only(events, "request_closed")
    assert (closed["status"], closed["reason"]) == ("expired", "nobody answered within 0.01 s")


async def test_a_question_is_reported_from_opening_to_closing(bus: Bus, events: Story) -> None:
    bus.intercept("before_tool_call", asking())
    answer = ApprovalAnswer(
        "allow", "fine", changes={"args": {"a": 2}}, actor="ANNA", origin="browser"
    )
    bus.set_approval_provider(Person(answer))

    await bus.call("tool_call", lambda op: op.args, args={"a": 1})

    names = [name for name, _ in events]
    assert names == [
        "operation_opened",
        "hook_decided",
        "request_opened",
        "request_closed",
        "hook_decided",  # the policies decide again, on the person's edit
        "hook_decided",
        "before_tool_call",
        "after_tool_call",
        "operation_closed",
    ]
    opened, closed = only(events, "request_opened"), only(events, "request_closed")
    call_id = only(events, "operation_opened")["call_id"]
    assert opened.pop("request_id") == closed.pop("request_id")
    assert opened == {
        "call_id": call_id,
        "kind": "approval",
        "hook": "before_tool_call",
        "prompt": "Delete everything?",
        "interceptor": opened["interceptor"],
        "signal_name": None,
    }
    assert closed == {
        "call_id": call_id,
        "status": "answered",
        "answer": {"decision": "allow", "changes": {"args": {"a": 2}}},
        "reason": "fine",
        "actor": "ANNA",
        "origin": "browser",
    }
    person = events[names.index("before_tool_call") - 1][1]
    assert (person["interceptor"], person["action"], person["reason"]) == (
        "approval",
        "modify",
        "fine",
    )
    assert (person["before"], person["after"]) == ({"args": {"a": 1}}, {"args": {"a": 2}})
    assert (person["actor"], person["origin"]) == ("ANNA", "browser")


async def test_the_person_sees_the_final_arguments_and_may_edit_them(bus: Bus) -> None:
    bus.intercept("before_tool_call", asking(), priority=-1)
    bus.intercept("before_tool_call", lambda args, **_: Decision.modify({**args, "b": 2}))
    bus.set_approval_provider(person := Person(ApprovalAnswer("allow", changes={"args": {"c": 3}})))

    assert await bus.call("tool_call", lambda op: op.args, args={"a": 1}) == {"c": 3}
    assert person.requests[0].data["args"] == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"args": {"path": "/etc"}}, "not /etc"),
        ({"args": "text"}, "wrong args: expected Mapping"),
        ({"context": "mine"}, "read-only"),
    ],
)
async def test_an_edit_does_not_pass_a_policy(
    bus: Bus, changes: dict[str, Any], reason: str
) -> None:
    def policy(args: Any, **_: Any) -> Decision | None:
        return Decision.deny("not /etc") if args["path"] == "/etc" else None

    bus.intercept("before_tool_call", asking())
    bus.intercept("before_tool_call", policy)
    bus.set_approval_provider(Person(ApprovalAnswer("allow", changes=changes)))

    with pytest.raises(HookDenied, match=reason):
        await bus.call("tool_call", lambda _: "ran", args={"path": "/tmp"})


async def test_a_deny_after_the_question_wins_and_asks_nobody(bus: Bus) -> None:
    bus.intercept("before_tool_call", asking())
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no"))
    bus.set_approval_provider(person := Person("allow"))

    assert (await bus.dispatch("before_tool_call")).reason == "no"
    assert person.requests == []


@pytest.mark.parametrize("on_error", ["raise", "deny", "continue"])
async def test_from_the_question_on_every_failure_denies(bus: Bus, on_error: Any) -> None:
    def broken(**_: Any) -> None:
        raise ValueError("bug")

    bus.intercept("before_tool_call", asking(), priority=-1)
    bus.intercept("before_tool_call", broken, on_error=on_error)
    bus.set_approval_provider(person := Person("allow"))

    assert (await bus.dispatch("before_tool_call")).action == "deny"
    assert person.requests == []


async def test_of_several_questions_the_first_reaches_a_person(bus: Bus) -> None:
    bus.intercept("before_tool_call", asking(Decision.ask_user("one?")))
    bus.intercept("before_tool_call", asking(Decision.ask_user("two?")))
    bus.set_approval_provider(person := Person("allow"))

    outcome = await bus.dispatch("before_tool_call")

    assert [request.prompt for request in person.requests] == ["one?"]
    assert outcome.approval == ApprovalAnswer("allow")
    assert outcome.decided_by == "approval"
    actions = [verdict.action for verdict in outcome.trail]
    assert actions == ["ask_user", "ask_user", "continue"]


@pytest.mark.parametrize(
    ("defaults", "action"),
    [
        (("allow", "allow"), "continue"),
        (("allow", "deny"), "deny"),
        (("deny", "allow"), "deny"),
        (("allow", "deny", "allow"), "deny"),
    ],
)
async def test_silence_allows_only_where_all_who_ask_say_so(
    bus: Bus, defaults: tuple[str, ...], action: str
) -> None:
    for default in defaults:
        question = Decision.ask_user("one?", default=default, timeout=0.01)
        bus.intercept("before_tool_call", asking(question))
    bus.set_approval_provider(Person(NEVER))

    assert (await bus.dispatch("before_tool_call")).action == action


async def test_the_last_provider_that_was_set_is_used(bus: Bus) -> None:
    bus.intercept("before_tool_call", asking())
    first, second = Person("allow"), Person("deny")
    bus.set_approval_provider(first)
    off = bus.set_approval_provider(second)

    assert (await bus.dispatch("before_tool_call")).action == "deny"
    off()
    off()
    assert (await bus.dispatch("before_tool_call")).action == "continue"
    with pytest.raises(TypeError, match=r"no `ask\(request\)`"):
        bus.set_approval_provider(object())  # type: ignore[arg-type] # that is the point


async def test_a_request_of_a_cancelled_agent_is_withdrawn(bus: Bus, events: Story) -> None:
    has_begun = asyncio.Event()

    class Slow:
        async def ask(self, request: ApprovalRequest) -> str:
            has_begun.set()
            await asyncio.Event().wait()
            return "allow"

    bus.intercept("before_tool_call", asking())
    bus.set_approval_provider(Slow())
    await cancel_after(has_begun, bus.call("tool_call", lambda _: "ran"))

    assert only(events, "request_closed")["status"] == "withdrawn"
    assert only(events, "operation_closed")["status"] == "cancelled"


async def test_while_one_operation_waits_the_others_go_on(bus: Bus) -> None:
    may_answer = asyncio.Event()

    class Slow:
        async def ask(self, request: ApprovalRequest) -> str:
            await may_answer.wait()
            return "allow"

    def gate(tool_name: str, **_: Any) -> Decision | None:
        return ASK if tool_name == "slow" else None

    bus.intercept("before_tool_call", gate)
    bus.set_approval_provider(Slow())
    async with asyncio.timeout(5):
        waiting = asyncio.create_task(bus.call("tool_call", _name, tool_name="slow"))
        assert await bus.call("tool_call", _name, tool_name="fast") == "fast"
        assert not waiting.done()
        may_answer.set()
        assert await waiting == "slow"


def _name(op: Operation) -> Any:
    return op.kwargs["tool_name"]


# --- sync -------------------------------------------------------------------------------------


class Terminal:
    """A provider for sync code."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.threads: list[threading.Thread] = []

    async def ask(self, request: ApprovalRequest) -> str:
        raise AssertionError("sync code asks with ask_sync")

    def ask_sync(self, request: ApprovalRequest) -> Any:
        self.threads.append(threading.current_thread())
        if isinstance(self._answer, threading.Event):
            self._answer.wait(5)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def test_sync_code_asks_on_a_thread_of_its_own(bus: Bus) -> None:
    bus.intercept("before_tool_call", asking())
    bus.set_approval_provider(terminal := Terminal("allow"))

    assert bus.call_sync("tool_call", lambda _: "ran") == "ran"
    assert terminal.threads != [threading.current_thread()]


def test_sync_code_is_refused_when_asking_fails(bus: Bus, caplog: pytest.LogCaptureFixture) -> None:
    bus.intercept("before_tool_call", asking())
    bus.set_approval_provider(Terminal(OSError("no tty")))

    assert bus.dispatch_sync("before_tool_call").reason == "asking failed: no tty"
    assert "Asking a person failed on before_tool_call" in caplog.text
    assert "OSError: no tty" in caplog.text  # with its traceback


def test_sync_code_waits_no_longer_than_its_timeout(bus: Bus, events: Story) -> None:
    release = threading.Event()
    bus.intercept("before_tool_call", asking(Decision.ask_user("?", timeout=0.01)))
    bus.set_approval_provider(terminal := Terminal(release))

    assert bus.dispatch_sync("before_tool_call").action == "deny"
    assert only(events, "request_closed")["status"] == "expired"
    release.set()
    terminal.threads[0].join(5)


@pytest.mark.parametrize("timeout_s", [threading.TIMEOUT_MAX * 2, sys.float_info.max])
@pytest.mark.parametrize("provider", ["sync", "async"])
async def test_a_question_may_wait_longer_than_a_thread_can(
    bus: Bus, timeout_s: float, provider: str
) -> None:
    bus.intercept("before_tool_call", asking(Decision.ask_user("?", timeout=timeout_s)))
    bus.set_approval_provider(Terminal("allow") if provider == "sync" else Person("allow"))

    in_sync_code = await asyncio.to_thread(bus.dispatch_sync, "before_tool_call")
    assert in_sync_code.is_allowed
    if provider == "async":
        assert (await bus.dispatch("before_tool_call")).is_allowed


async def test_sync_code_on_a_running_loop_is_refused_rather_than_block_it(bus: Bus) -> None:
    bus.intercept("before_tool_call", asking())
    bus.set_approval_provider(terminal := Terminal("allow"))

    outcome = bus.dispatch_sync("before_tool_call")

    assert outcome.action == "deny"
    assert outcome.reason is not None
    assert "while this thread's event loop is running" in outcome.reason
    assert terminal.threads == []


async def test_a_provider_withdrawn_while_it_is_looked_up_is_still_used(
    bus: Bus,
) -> None:
    class Withdrawing:
        """Another thread withdraws the provider between two looks at the bus."""

        def __init__(self) -> None:
            self.looks: list[tuple[Any, ...]] = [(), ([Person("allow")],)]

        def __getattr__(self, name: str) -> Any:
            return getattr(bus, name)

        @property
        def _approval_providers(self) -> tuple[Any, ...]:
            return self.looks.pop()

    watched: Any = Withdrawing()
    answer = await ask_person(
        watched, AsyncWaiting(bus), Question("Sure?"), Subject(None, "gate", {})
    )

    assert answer.is_granted


def test_sync_code_waits_for_the_answer_on_a_thread_that_does_not_keep_the_program_alive(
    bus: Bus,
) -> None:
    asking_thread = threading.get_ident()
    daemons: list[bool] = []

    class Patient(Terminal):
        """Answers once the asking thread waits."""

        def ask_sync(self, request: ApprovalRequest) -> str:
            daemons.append(threading.current_thread().daemon)
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline and not is_joining(asking_thread):
                pass
            return "allow"

    bus.intercept("before_tool_call", asking())
    bus.set_approval_provider(Patient("allow"))

    assert bus.call_sync("tool_call", lambda _: "ran") == "ran"
    assert daemons == [True]


def is_joining(thread_id: int) -> bool:
    frame = sys._current_frames()[thread_id]
    while frame.f_back is not None and frame.f_code is not threading.Thread.join.__code__:
        frame = frame.f_back
    return frame.f_code is threading.Thread.join.__code__


async def test_policies_that_fail_when_run_again_on_an_edit_refuse_it(bus: Bus) -> None:
    consulted: list[int] = []

    def checks(args: dict[str, int], **_: Any) -> None:
        consulted.append(args["n"])
        if args["n"] > 1:
            raise LookupError("unknown number")

    bus.intercept("before_tool_call", checks, on_error="continue")
    bus.intercept("before_tool_call", asking())
    bus.set_approval_provider(Person(ApprovalAnswer("allow", changes={"args": {"n": 2}})))

    outcome = await bus.dispatch("before_tool_call", args={"n": 1})

    assert consulted == [1, 2]
    assert outcome.action == "deny"
    assert "unknown number" in (outcome.reason or "")


async def test_a_person_may_edit_a_kwarg_of_any_name(bus: Bus) -> None:
    bus.intercept("my_hook", asking())
    bus.set_approval_provider(Person(ApprovalAnswer("allow", changes={"reason": "r", "self": 1})))

    outcome = await bus.dispatch("my_hook")

    assert outcome.is_allowed
    assert outcome.data == {"reason": "r", "self": 1}


async def test_edits_that_are_no_kwargs_are_no_answer(bus: Bus) -> None:
    bus.intercept("my_hook", asking())
    edits: Any = {1: "x"}
    bus.set_approval_provider(Person(ApprovalAnswer("allow", changes=edits)))

    assert (await bus.dispatch("my_hook")).action == "deny"


async def test_policies_run_again_on_an_edit_see_all_of_the_event(bus: Bus) -> None:
    seen: list[tuple[str, Any]] = []
    bus.intercept("before_tool_call", lambda tool_name, args, **_: seen.append((tool_name, args)))
    bus.intercept("before_tool_call", asking())
    bus.set_approval_provider(Person(ApprovalAnswer("allow", changes={"args": {"n": 2}})))

    outcome = await bus.dispatch("before_tool_call", tool_name="add", args={"n": 1})

    assert outcome.is_allowed
    assert seen == [("add", {"n": 1}), ("add", {"n": 2})]


async def test_an_objection_without_a_reason_says_whose_it_is(bus: Bus) -> None:
    def gate(x: int, **_: Any) -> Decision | None:
        return Decision.stop("instead") if x == 2 else None

    bus.intercept("my_hook", gate, name="gate")
    bus.intercept("my_hook", asking())
    bus.set_approval_provider(Person(ApprovalAnswer("allow", changes={"x": 2})))

    outcome = await bus.dispatch("my_hook", x=1)

    assert (outcome.action, outcome.reason) == ("deny", "stop by gate")


async def test_what_a_person_says_beyond_yes_is_reported(bus: Bus, events: Story) -> None:
    bus.intercept("my_hook", asking())
    bus.set_approval_provider(Person(ApprovalAnswer("allow", "looks fine", payload={"n": 7})))

    await bus.dispatch("my_hook")

    closed = only(events, "request_closed")
    assert closed["answer"] == {"decision": "allow", "payload": {"n": 7}}
    assert closed["reason"] == "looks fine"
    decided = [kwargs for name, kwargs in events if name == "hook_decided"]
    assert [(kwargs["before"], kwargs["after"]) for kwargs in decided] == [(None, None)] * 2


async def test_an_answer_that_is_none_is_logged(bus: Bus, caplog: pytest.LogCaptureFixture) -> None:
    bus.intercept("my_hook", asking())
    bus.set_approval_provider(Person(42))

    assert (await bus.dispatch("my_hook")).action == "deny"
    assert "the approval provider returned int, which is not an answer" in caplog.text


async def test_a_question_closed_while_it_waits_is_withdrawn_also_for_async_observers(
    bus: Bus,
) -> None:
    heard: list[str] = []
    closed = asyncio.Event()

    async def observer(status: str, **_: Any) -> None:
        await asyncio.sleep(0)
        heard.append(status)
        closed.set()

    bus.register("request_closed", observer)
    bus.set_approval_provider(Person(NEVER))
    question = Question("Sure?", timeout_s=60)
    coroutine = ask_person(bus, AsyncWaiting(bus), question, Subject(None, "gate", {}))
    coroutine.send(None)
    coroutine.close()
    await closed.wait()

    assert heard == ["withdrawn"]


class Stubborn:
    """A provider that swallows its cancellation; ends when it is released."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.cancelled = 0

    async def ask(self, request: ApprovalRequest) -> str:
        while not self.released.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                self.cancelled += 1
        return "allow"


class Blocking:
    """A provider that never comes back to its loop."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.cancelled = 1

    async def ask(self, request: ApprovalRequest) -> str:
        self.released.wait()
        return "allow"


async def test_the_bus_owns_the_timeout_whatever_a_provider_does_with_its_cancellation() -> None:
    bus, stubborn = Bus(), Stubborn()
    bus.set_approval_provider(stubborn)
    bus.intercept("before_tool_call", lambda **_: Decision.ask_user("?", timeout=0.05))
    with pytest.raises(HookDenied, match="nobody answered within"):
        async with bus.operation("tool_call", tool_name="t", args={}):
            pass
    assert stubborn.cancelled == 1
    stubborn.released.set()
    await asyncio.gather(*waiting._left)
    await asyncio.sleep(0)
    assert not waiting._left


async def test_an_answer_of_one_that_blocked_the_loop_past_its_time_grants_nothing() -> None:
    class Slow:
        async def ask(self, request: ApprovalRequest) -> str:
            time.sleep(0.2)  # noqa: ASYNC251 - that is the point
            return "allow"

    bus = Bus()
    bus.set_approval_provider(Slow())
    bus.intercept("before_tool_call", asking(Decision.ask_user("Really?", timeout=0.01)))
    with pytest.raises(HookDenied, match="nobody answered within"):
        await bus.call("tool_call", lambda _: "ran", tool_name="rm", args={})


@pytest.mark.parametrize("kind", [Stubborn, Blocking])
def test_the_bus_owns_the_timeout_in_sync_code_too(kind: type[Stubborn | Blocking]) -> None:
    bus, provider = Bus(), kind()
    bus.set_approval_provider(provider)
    bus.intercept("before_tool_call", lambda **_: Decision.ask_user("?", timeout=0.05))
    with (
        pytest.raises(HookDenied, match="nobody answered within"),
        bus.operation("tool_call", tool_name="t", args={}),
    ):
        pass
    assert provider.cancelled == 1
    provider.released.set()


async def test_who_asks_can_be_cancelled_whatever_the_provider_does() -> None:
    bus, stubborn = Bus(), Stubborn()
    closed: list[str] = []
    bus.register("request_closed", lambda **events: closed.append(events["status"]))
    bus.set_approval_provider(stubborn)
    opened = asyncio.Event()
    bus.register("request_opened", lambda **_: opened.set())
    asking = asyncio.create_task(bus.ask("Well?"))
    await opened.wait()
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asking, 5)
    assert closed == ["withdrawn"]
    stubborn.released.set()
    await asyncio.gather(*waiting._left)
