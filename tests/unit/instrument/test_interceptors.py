"""Decisions on one event: order, combination, contract."""

import asyncio
import copy
import gc
import logging
import pickle
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument import (
    Bus,
    Decision,
    HookContractError,
    HookDenied,
    HookFailed,
    HookStopped,
    Outcome,
    contracts,
)
from instrument.catalogue import CATALOGUE, Hook, Value
from instrument.contracts import _has_type
from instrument.decision import ENDING
from instrument.deliberation import being_decided
from instrument.interceptors import only_observers_of
from instrument.parts import Injection, Question
from instrument.testing import capture_hook
from instrument.waiting import completed
from tests.unit.instrument.conftest import Pause, Story, cancel_after

TOOL = {"tool_name": "rm", "args": {"path": "/"}, "context": None}


def saying(decision: Any) -> Any:
    return lambda **_: decision


async def test_interceptors_run_by_priority_then_in_order_of_registration(bus: Bus) -> None:
    called: list[str] = []
    for name, priority in (("c", 10), ("a", -5), ("d", 10), ("b", 0)):
        bus.intercept(
            "before_tool_call", lambda name=name, **_: called.append(name), priority=priority
        )

    await bus.dispatch("before_tool_call", **TOOL)

    assert called == ["a", "b", "c", "d"]


async def test_observers_hear_the_final_event_after_everybody_has_decided(bus: Bus) -> None:
    heard: list[Any] = []
    bus.register("before_tool_call", lambda args, **_: heard.append(args))
    bus.intercept("before_tool_call", saying(Decision.modify({"path": "/tmp"})))

    await bus.dispatch("before_tool_call", **TOOL)

    assert heard == [{"path": "/tmp"}]


async def test_observers_hear_a_denied_event(bus: Bus) -> None:
    bus.intercept("before_tool_call", saying(Decision.deny("no")), priority=-100)

    with capture_hook("before_tool_call", bus=bus) as calls:
        outcome = await bus.dispatch("before_tool_call", **TOOL)

    assert outcome.action == "deny"
    assert len(calls) == 1


async def test_a_deny_ends_the_chain(bus: Bus) -> None:
    bus.intercept("before_tool_call", saying(Decision.deny("not here")), name="gate")
    bus.intercept("before_tool_call", called := _Recorder())

    outcome = await bus.dispatch("before_tool_call", **TOOL)

    assert (outcome.action, outcome.reason, outcome.decided_by) == ("deny", "not here", "gate")
    assert not called.was_called
    with pytest.raises(HookDenied, match="not here") as caught:
        outcome.raise_if_ended()
    assert (caught.value.hook, caught.value.interceptor) == ("before_tool_call", "gate")


class _Recorder:
    was_called = False

    def __call__(self, **_: Any) -> None:
        self.was_called = True


async def test_modifications_chain_and_the_outcome_has_them_all(bus: Bus) -> None:
    bus.intercept("before_tool_call", lambda args, **_: Decision.modify({**args, "a": 1}))
    bus.intercept("before_tool_call", lambda args, **_: Decision.modify({**args, "b": 2}))
    bus.intercept("before_tool_call", saying(Decision.modify(tool_name="ls")))

    outcome = await bus.dispatch("before_tool_call", **TOOL)

    assert outcome.action == "continue"
    assert outcome.data == {
        "tool_name": "ls",
        "args": {"path": "/", "a": 1, "b": 2},
        "context": None,
    }
    assert outcome.changes == {"tool_name": "ls", "args": {"path": "/", "a": 1, "b": 2}}


async def test_injections_keep_their_order_source_and_lifetime(bus: Bus) -> None:
    one = Decision.inject_context("first", user_message="psst")
    two = Decision.inject_context("second", role="user", ephemeral=True)
    bus.intercept("after_tool_call", saying(one), name="one")
    bus.intercept("after_tool_call", saying(Decision.modify("changed")))
    bus.intercept("after_tool_call", saying(two), name="two")

    outcome = await bus.dispatch("after_tool_call", **TOOL, result="r")

    assert [tuple(injection) for injection in outcome.injections] == [
        ("first", "system", False, "one", False, False),
        ("second", "user", True, "two", False, False),
    ]
    assert outcome.user_messages == ["psst"]
    assert outcome.data["result"] == "changed"


async def test_every_verdict_is_reported_with_what_it_changed(bus: Bus, events: Story) -> None:
    bus.intercept("before_tool_call", saying(None), name="quiet")
    bus.intercept("before_tool_call", saying(Decision.modify({"path": "x"}, reason="safer")))

    outcome = await bus.dispatch("before_tool_call", **TOOL, call_id="c1")

    quiet, change = (kwargs for name, kwargs in events if name == "hook_decided")
    assert (quiet["interceptor"], quiet["action"], quiet["before"]) == ("quiet", "continue", None)
    assert change.pop("microseconds") > 0
    assert change.pop("interceptor").endswith("saying.<locals>.<lambda>")
    assert change == {
        "call_id": "c1",
        "hook": "before_tool_call",
        "action": "modify",
        "reason": "safer",
        "before": {"args": {"path": "/"}},
        "after": {"args": {"path": "x"}},
        "actor": None,
        "origin": None,
    }
    assert [(v.action, v.reason) for v in outcome.trail] == [
        ("continue", None),
        ("modify", "safer"),
    ]
    assert [name for name, _ in events] == ["hook_decided", "hook_decided", "before_tool_call"]


async def test_a_quiet_interceptor_without_an_objection_leaves_no_line(
    bus: Bus, events: Story
) -> None:
    bus.intercept("before_tool_call", lambda **_: None, quiet=True)
    bus.intercept("before_tool_call", lambda **_: Decision.continue_("seen"), quiet=True, name="q")

    outcome = await bus.dispatch("before_tool_call")

    assert [(one.interceptor, one.reason) for one in outcome.trail] == [("q", "seen")]
    assert [kwargs["reason"] for name, kwargs in events if name == "hook_decided"] == ["seen"]


async def test_who_speaks_for_several_decides_in_the_name_of_one(bus: Bus, events: Story) -> None:
    verdict = Decision("deny", reason="no", by="rule 7")
    bus.intercept("before_tool_call", lambda **_: verdict, name="rules")

    outcome = await bus.dispatch("before_tool_call")

    assert outcome.decided_by == "rule 7"
    assert [one.interceptor for one in outcome.trail] == ["rule 7"]
    assert [kwargs["interceptor"] for name, kwargs in events if name == "hook_decided"] == [
        "rule 7"
    ]


async def test_async_interceptors_and_callable_objects_are_awaited(bus: Bus) -> None:
    class Gate:
        async def __call__(self, **_: Any) -> Decision:
            await asyncio.sleep(0)
            return Decision.deny("async object")

    bus.intercept("before_tool_call", Gate())

    outcome = await bus.dispatch("before_tool_call", **TOOL)

    assert outcome.reason == "async object"


async def test_an_interceptor_gets_a_dict_of_its_own(bus: Bus) -> None:
    def greedy(**kwargs: Any) -> None:
        kwargs["tool_name"] = "something else"

    bus.intercept("before_tool_call", greedy)

    outcome = await bus.dispatch("before_tool_call", **TOOL)

    assert outcome.data["tool_name"] == "rm"


async def test_off_removes_one_registration_however_often_it_is_called(bus: Bus) -> None:
    def gate(**_: Any) -> Decision:
        return Decision.deny("no")

    off = bus.intercept("before_tool_call", gate, name="same")
    bus.intercept("before_tool_call", gate, name="same")

    off()
    off()
    assert (await bus.dispatch("before_tool_call", **TOOL)).action == "deny"
    assert len((await bus.dispatch("before_tool_call", **TOOL)).trail) == 1


async def test_an_emission_keeps_the_interceptors_that_it_began_with(bus: Bus) -> None:
    offs: list[Any] = []

    def meddle(**_: Any) -> None:
        offs[0]()
        bus.intercept("before_tool_call", saying(Decision.deny("too late")))

    bus.intercept("before_tool_call", meddle)
    offs.append(bus.intercept("before_tool_call", called := _Recorder()))

    assert (await bus.dispatch("before_tool_call", **TOOL)).is_allowed
    assert called.was_called


# --- failures ---------------------------------------------------------------------------------


def failing(**_: Any) -> None:
    raise ValueError("a bug in a policy")


async def test_a_failing_interceptor_raises_by_default_and_the_event_is_reported(
    bus: Bus, events: Story
) -> None:
    bus.intercept("before_tool_call", failing, name="gate")

    with pytest.raises(ValueError, match="a bug in a policy"):
        await bus.dispatch("before_tool_call", **TOOL)

    assert [name for name, _ in events] == ["hook_failed", "before_tool_call"]
    assert events[0][1]["handler"] == "gate"


async def test_a_failing_interceptor_may_be_passed_over(
    bus: Bus, events: Story, caplog: pytest.LogCaptureFixture
) -> None:
    bus.intercept("before_tool_call", failing, on_error="continue")
    bus.intercept("before_tool_call", called := _Recorder())

    assert (await bus.dispatch("before_tool_call", **TOOL)).is_allowed
    assert called.was_called
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert events[0][0] == "hook_failed"


async def test_a_failing_interceptor_may_deny(bus: Bus) -> None:
    bus.intercept("before_tool_call", failing, on_error="deny", name="gate")

    outcome = await bus.dispatch("before_tool_call", **TOOL)

    assert outcome.action == "deny"
    assert outcome.reason == "gate failed: ValueError: a bug in a policy"


@pytest.mark.parametrize("on_error", ["raise", "deny", "continue"])
def test_a_failure_is_in_no_cycle_once_it_is_handled(
    bus: Bus, on_error: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class BugError(Exception):
        pass

    def fails(**_: Any) -> None:
        raise BugError

    monkeypatch.setattr(logging.getLogger("mcp.instrument"), "disabled", True)
    failures: list[weakref.ref[Exception]] = []
    bus.observe("hook_failed", lambda exc, **_: failures.append(weakref.ref(exc)))
    bus.intercept("before_tool_call", fails, on_error=on_error)
    gc.disable()
    try:
        with suppress(BugError):
            bus.dispatch_sync("before_tool_call", **TOOL)
        assert [failure() for failure in failures] == [None]
    finally:
        gc.enable()


MALFORMED = [
    "deny",
    {"action": "deny"},
    object(),
    False,
    Decision("bogus"),  # type: ignore[arg-type] # that is the point
    Decision("modify", changes=[("a", 1)]),  # type: ignore[arg-type] # that is the point
    Decision("modify", changes={1: 2}),  # type: ignore[dict-item] # that is the point
    Decision("modify", changes=["ab"]),  # type: ignore[arg-type] # that is the point
    Decision("continue", changes="ab"),  # type: ignore[arg-type] # that is the point
    Decision("inject_context"),
    Decision("inject_context", injection="Be brief."),  # type: ignore[arg-type] # that is the point
    Decision("inject_context", injection=Injection(b"Be brief.")),  # type: ignore[arg-type] # so is this
    Decision.inject_context("x", role="root"),
    Decision.inject_context(None),  # type: ignore[arg-type] # that is the point
    Decision("ask_user"),
    Decision("ask_user", question="Sure?"),  # type: ignore[arg-type] # that is the point
    Decision("ask_user", question=Question(7)),  # type: ignore[arg-type] # that is the point
    Decision.ask_user(""),
    Decision.ask_user("?", default="maybe"),
    Decision.ask_user("?", timeout=0),
    Decision.ask_user("?", timeout=True),
]


class Unreadable(Mapping[str, Any]):
    """Raises whatever is done with it."""

    def __repr__(self) -> str:
        raise OSError("unreadable")

    def __getitem__(self, key: str) -> Any:
        raise OSError("unreadable")

    def __iter__(self) -> Iterator[str]:
        return iter(["args"])

    def __len__(self) -> int:
        raise OSError("unreadable")


MALFORMED += [
    Decision.ask_user("?", timeout=10**400),  # no float
    Decision.ask_user("?", timeout=10**5000),  # not even a text
    Decision(Unreadable()),  # type: ignore[arg-type] # that is the point
    Decision("modify", changes=Unreadable()),
    Decision.ask_user("?", default=Unreadable()),  # type: ignore[arg-type] # that is the point
    Decision.inject_context("x", role=Unreadable()),  # type: ignore[arg-type] # that is the point
]


@pytest.mark.parametrize("on_error", ["raise", "deny", "continue"])
@pytest.mark.parametrize("returned", MALFORMED, ids=map(str, range(len(MALFORMED))))
async def test_a_malformed_decision_denies(bus: Bus, returned: Any, on_error: Any) -> None:
    bus.intercept("before_tool_call", saying(returned), on_error=on_error, name="gate")

    outcome = await bus.dispatch("before_tool_call", **TOOL)

    assert outcome.action == "deny"
    assert outcome.reason is not None
    assert outcome.reason.startswith("gate on before_tool_call ")


async def test_a_hanging_interceptor_is_cut_off(bus: Bus) -> None:
    async def hang(**_: Any) -> None:
        await asyncio.Event().wait()

    bus.intercept("before_tool_call", hang, timeout=0.01, on_error="deny", name="slow")

    async with asyncio.timeout(5):
        outcome = await bus.dispatch("before_tool_call", **TOOL)

    assert outcome.reason == "slow failed: TimeoutError: took longer than 0.01 s"


async def test_a_timeout_of_the_interceptors_own_keeps_its_message(bus: Bus) -> None:
    async def impatient(**_: Any) -> None:
        raise TimeoutError("the policy server is slow")

    bus.intercept("before_tool_call", impatient, timeout=5)

    with pytest.raises(TimeoutError, match="the policy server"):
        await bus.dispatch("before_tool_call", **TOOL)


async def test_an_interceptor_that_cancels_itself_does_not_cancel_the_agent(
    bus: Bus,
) -> None:
    async def confused(**_: Any) -> None:
        raise asyncio.CancelledError

    off = bus.intercept("before_tool_call", confused, name="confused")
    with pytest.raises(HookFailed, match="confused was cancelled"):
        await bus.dispatch("before_tool_call", **TOOL)
    off()
    bus.intercept("before_tool_call", confused, on_error="deny")
    assert (await bus.dispatch("before_tool_call", **TOOL)).action == "deny"


async def test_a_cancellation_of_the_agent_passes(bus: Bus, events: Story) -> None:
    is_waiting = asyncio.Event()

    async def slow(**_: Any) -> None:
        is_waiting.set()
        await asyncio.Event().wait()

    bus.intercept("before_tool_call", slow, on_error="deny")
    await cancel_after(is_waiting, bus.dispatch("before_tool_call", **TOOL))
    assert [name for name, _ in events] == ["before_tool_call"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
async def test_an_interrupt_passes_whatever_the_policy(
    bus: Bus, error: type[BaseException]
) -> None:
    def interrupt(**_: Any) -> None:
        raise error

    bus.intercept("before_tool_call", interrupt, on_error="continue")

    with pytest.raises(error):
        await bus.dispatch("before_tool_call", **TOOL)


# --- the contract -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hook", "decision", "message"),
    [
        (
            "before_tool_call",
            Decision.retry(),
            "gate wants a retry on before_tool_call, which cannot be retried. "
            "A retry is possible on after_agent_call, after_llm_generate, error_llm_generate, "
            "after_tool_call, error_tool_call, after_step_run, error_step_run, "
            "before_final_response.",
        ),
        (
            "before_tool_call",
            Decision.stop("x"),
            "gate wants to stop on before_tool_call, which cannot be stopped. A stop is possible "
            "on before_llm_generate, after_llm_generate, before_final_response.",
        ),
        (
            "before_llm_generate",
            Decision("stop"),
            "gate wants to stop on before_llm_generate, but gave no value.",
        ),
        (
            "before_tool_call",
            Decision.modify("text"),
            "gate gave before_tool_call a wrong args: expected Mapping[str, Any], got str.",
        ),
        (
            "before_tool_call",
            Decision.modify(context="mine"),
            "gate wants to change context of before_tool_call, which is read-only. "
            "Writable there: tool_name, args.",
        ),
        (
            "session_started",
            Decision.modify(session_id="s"),
            "gate wants to change session_id of session_started, which is read-only. "
            "Writable there: nothing.",
        ),
        *(
            (
                hook,
                Decision.modify("x"),
                f"gate gave {hook} a new value, but that event has none. "
                "Name the kwarg instead: Decision.modify(name=…). Events with a value: "
                + ", ".join(row.name for row in CATALOGUE.values() if row.value)
                + ".",
            )
            for hook in ("session_started", "before_agent_call", "my-hook:debug")
        ),
    ],
)
async def test_a_decision_that_the_event_forbids_says_what_is_allowed(
    hook: str, decision: Decision, message: str
) -> None:
    strict, lenient = Bus(), Bus()
    strict.intercept(hook, saying(decision), name="gate")
    lenient.intercept(hook, saying(decision), name="gate", on_error="continue")

    with pytest.raises(HookContractError) as caught:
        await strict.dispatch(hook)
    outcome = await lenient.dispatch(hook)

    assert str(caught.value) == message
    assert (outcome.action, outcome.reason) == ("deny", message)


def test_every_type_of_the_catalogue_that_may_change_can_be_checked() -> None:
    for hook in CATALOGUE.values():
        types = {kwarg.type for kwarg in hook.kwargs if kwarg.name in hook.writable}
        types |= {hook.value.stop} if hook.value and hook.value.stop else set()
        for annotation in types:
            assert _has_type(object(), annotation) is (annotation == "Any")


@given(
    st.one_of(st.none(), st.text(), st.lists(st.integers()), st.dictionaries(st.text(), st.none()))
)
def test_a_value_is_checked_as_its_annotation_says(value: Any) -> None:
    is_text = isinstance(value, str)
    assert _has_type(value, "str") is is_text
    assert _has_type(value, "str | None") is (is_text or value is None)
    assert _has_type(value, "Mapping[str, Any]") is isinstance(value, Mapping)
    assert _has_type(value, "Sequence[Any]") is (isinstance(value, Sequence) and not is_text)


async def test_kwargs_outside_the_contract_may_be_added(bus: Bus) -> None:
    bus.intercept("before_tool_call", saying(Decision.modify(sanitized=True)))

    assert (await bus.dispatch("before_tool_call", **TOOL)).data["sanitized"] is True


async def test_an_event_outside_the_catalogue_has_no_contract(bus: Bus) -> None:
    bus.intercept("before_teleport", saying(Decision.modify({"to": "moon"})))
    bus.intercept("before_teleport", saying(Decision.stop("here already")))

    outcome = await bus.dispatch("before_teleport", args={"to": "mars"})

    assert outcome.data["args"] == {"to": "moon"}
    assert (outcome.action, outcome.stop_value) == ("stop", "here already")
    with pytest.raises(HookStopped) as caught:
        outcome.raise_if_ended()
    assert caught.value.value == "here already"


async def test_a_fail_is_a_runtime_error(bus: Bus) -> None:
    bus.intercept("after_llm_generate", saying(Decision.fail("gave up")))

    outcome = await bus.dispatch("after_llm_generate", response="x")

    with pytest.raises(RuntimeError, match="gave up"):
        outcome.raise_if_ended()


async def test_a_question_that_its_emitter_does_not_ask_counts_as_refused(bus: Bus) -> None:
    bus.intercept("before_tool_call", saying(Decision.ask_user("Sure?")))
    outcome = Outcome("before_tool_call", {"tool_name": "rm"})

    rest = bus._dispatch(bus._waiting, outcome, asks=False)
    assert rest is not None
    await rest

    assert not outcome.is_allowed
    with pytest.raises(HookDenied, match="nobody was asked"):
        outcome.raise_if_ended()


def test_what_was_decided_is_shown_without_its_payload() -> None:
    secret = "hunter2"
    decision = Decision.modify(secret, reason="masked", args=secret)
    outcome = Outcome("before_tool_call", {"args": secret})

    assert repr(decision) == "Decision('modify', reason='masked')"
    assert repr(outcome) == "Outcome('before_tool_call', 'continue', reason=None)"
    assert repr(Decision.deny("no").value) == "UNSET"


def test_what_was_decided_can_be_copied_and_pickled_and_not_written_to() -> None:
    outcome = Outcome("before_tool_call", {"args": {"path": "/"}})
    for again in (copy.deepcopy(outcome), pickle.loads(pickle.dumps(outcome))):
        assert again.data == outcome.data
        assert again.changes is again.retry_changes is again.shown is outcome.changes
    assert copy.deepcopy(Decision.deny("no")).value is Decision.deny("no").value
    with pytest.raises(TypeError):
        outcome.changes["args"] = None  # type: ignore[index]
    assert {**outcome.changes} == {}


async def test_a_retry_is_the_emitters_to_do(bus: Bus) -> None:
    bus.intercept("before_final_response", saying(Decision.retry("no plan")))

    outcome = await bus.dispatch("before_final_response", agent=None, response="x")

    assert (outcome.action, outcome.reason, outcome.is_allowed) == ("retry", "no plan", False)
    outcome.raise_if_ended()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"fn": 7}, TypeError, "not callable"),
        ({"priority": "high"}, TypeError, "lower is earlier"),
        ({"priority": True}, TypeError, "lower is earlier"),
        ({"on_error": "ignore"}, ValueError, "raise, deny or continue"),
        ({"timeout": 0}, ValueError, "above 0"),
        ({"hook": "hook_decided"}, ValueError, "Use `observe`"),
    ],
)
def test_a_bad_registration_says_what_to_do(
    bus: Bus, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bus.intercept(**{"hook": "before_tool_call", "fn": failing, **arguments})


# --- emitted, but not to be decided -----------------------------------------------------------


async def test_a_policy_that_is_not_heeded_is_logged_once_and_always_reported(
    bus: Bus, events: Story, caplog: pytest.LogCaptureFixture
) -> None:
    bus.intercept("before_tool_call", saying(Decision.deny("no")), name="gate")
    bus.intercept("before_tool_call", saying(None), name="other")

    assert bus._hooks.get("before_tool_call")  # a guarded emitter emits
    await bus._emit("before_tool_call", **TOOL)
    bus._emit_sync("before_tool_call", **TOOL)

    assert len(caplog.records) == 1
    assert "dispatch" in caplog.text
    assert [name for name, _ in events] == ["hook_failed", "hook_failed", "before_tool_call"] * 2
    assert [k["handler"] for name, k in events if name == "hook_failed"] == ["gate", "other"] * 2


async def test_clearing_the_table_removes_interceptors_too(bus: Bus) -> None:
    bus.intercept("before_tool_call", saying(Decision.deny("no")))

    bus._hooks.clear()

    assert (await bus.dispatch("before_tool_call", **TOOL)).is_allowed


async def test_an_observer_of_a_custom_event_stays_beside_an_interceptor(
    bus: Bus, events: Story
) -> None:
    off = bus.intercept("my-hook:debug", saying(None))
    await bus.dispatch("my-hook:debug", **{"odd key": 1})
    off()
    await bus.dispatch("my-hook:debug")

    assert [name for name, _ in events] == ["hook_decided", "my-hook:debug", "my-hook:debug"]


# --- re-entrance ------------------------------------------------------------------------------


async def test_an_interceptor_that_emits_its_own_event_is_stopped(bus: Bus) -> None:
    depth = 0

    async def emit_again(**kwargs: Any) -> None:
        nonlocal depth
        depth += 1
        await bus.dispatch("my:event", **kwargs)

    bus.intercept("my:event", emit_again)

    with pytest.raises(HookContractError, match="nested in its own decision 8 times"):
        await bus.dispatch("my:event")
    assert depth == 8
    await bus.dispatch("other:event")


async def test_a_task_that_an_interceptor_starts_is_not_inside_what_was_decided(bus: Bus) -> None:
    tasks: list[asyncio.Task[Any]] = []

    def start_another(**_: Any) -> None:
        if len(tasks) < 20:
            tasks.append(asyncio.create_task(dispatch_later()))

    async def dispatch_later() -> None:
        await previous_decided.wait()
        await bus.dispatch("my:event")

    previous_decided = asyncio.Event()
    bus.intercept("my:event", start_another)
    await bus.dispatch("my:event")
    previous_decided.set()
    for number in range(20):  # each task starts the next
        await tasks[number]

    assert len(tasks) == 20


async def test_a_task_that_waits_while_its_event_is_decided_is_inside_it(bus: Bus) -> None:
    depth = 0

    async def emit_in_a_task(**_: Any) -> None:
        nonlocal depth
        depth += 1
        if depth < 20:
            await asyncio.create_task(bus.dispatch("my:event"))

    bus.intercept("my:event", emit_in_a_task)

    with pytest.raises(HookContractError, match="nested in its own decision 8 times"):
        await bus.dispatch("my:event")
    assert depth == 8


async def test_a_task_started_further_in_is_inside_what_is_still_being_decided(bus: Bus) -> None:
    found: list[Outcome | None] = []
    tasks: list[asyncio.Task[None]] = []
    inner_is_over = asyncio.Event()

    async def look() -> None:
        await inner_is_over.wait()
        found.append(being_decided())

    async def decide_outer(**_: Any) -> None:
        await bus.dispatch("my:inner")
        inner_is_over.set()
        await tasks[0]
        found.append(being_decided())

    bus.intercept("my:outer", decide_outer)
    bus.intercept("my:inner", lambda **_: tasks.append(asyncio.create_task(look())))
    outcome = await bus.dispatch("my:outer")

    assert found == [outcome, outcome]
    assert being_decided() is None


async def test_a_decision_leaves_the_context_as_it_was(bus: Bus) -> None:
    bus.intercept("my:event", saying(Decision.modify(x=2)))
    await bus.dispatch("my:event", x=1)  # the first gives variables their value: None
    before = dict(copy_context().items())

    await bus.dispatch("my:event", x=1)

    assert dict(copy_context().items()) == before


async def test_what_was_decided_is_not_retained_by_a_task_that_an_interceptor_started(
    bus: Bus,
) -> None:
    class Payload(dict[str, Any]):
        pass

    is_over = asyncio.Event()
    tasks: list[asyncio.Task[Any]] = []

    def start_a_worker(**_: Any) -> None:
        tasks.append(asyncio.create_task(is_over.wait()))

    bus.intercept("before_tool_call", start_a_worker)
    payload = Payload(path="/")
    events = weakref.ref(payload)
    await bus.dispatch("before_tool_call", tool_name="rm", args=payload)
    del payload
    gc.collect()

    assert events() is None
    is_over.set()
    await tasks[0]


# --- sync -------------------------------------------------------------------------------------


async def _deny(**_: Any) -> Decision:
    return Decision.deny("async gate")


async def _deny_later(**_: Any) -> Decision:
    await asyncio.sleep(0)
    return Decision.deny("async gate")


@pytest.mark.parametrize("gate", [_deny, _deny_later])
def test_sync_code_waits_for_async_interceptors(bus: Bus, gate: Any) -> None:
    bus.intercept("before_tool_call", gate, timeout=5)

    assert bus.dispatch_sync("before_tool_call", **TOOL).reason == "async gate"


async def test_on_a_running_loop_sync_code_hears_async_interceptors_that_need_not_wait(
    bus: Bus,
) -> None:
    bus.intercept("before_tool_call", _deny)

    assert bus.dispatch_sync("before_tool_call", **TOOL).reason == "async gate"


async def test_on_a_running_loop_sync_code_refuses_what_would_have_to_wait(
    bus: Bus,
) -> None:
    off = bus.intercept("before_tool_call", _deny_later)
    with pytest.raises(RuntimeError, match="had to wait"):
        bus.dispatch_sync("before_tool_call", **TOOL)
    off()
    bus.intercept("before_tool_call", _deny_later, on_error="continue")

    assert bus.dispatch_sync("before_tool_call", **TOOL).action == "deny"


async def test_a_thread_decides_for_itself(bus: Bus) -> None:
    bus.intercept("before_tool_call", _deny_later)
    reasons: list[Any] = []
    thread = threading.Thread(
        target=lambda: reasons.append(bus.dispatch_sync("before_tool_call", **TOOL).reason)
    )
    thread.start()
    await asyncio.to_thread(thread.join, 5)

    assert reasons == ["async gate"]


# --- any chain --------------------------------------------------------------------------------

_decisions = st.sampled_from(
    [
        None,
        Decision.continue_(),
        Decision.modify("v"),
        Decision.inject_context("i"),
        Decision.deny("d"),
        Decision.stop("s"),
        Decision.fail("f"),
        Decision.retry("r"),
        "rubbish",
        ValueError("bug"),
    ]
)


@given(st.lists(st.tuples(st.integers(-3, 3), _decisions), max_size=6))
def test_a_chain_ends_with_the_first_who_ends_it(entries: list[tuple[int, Any]]) -> None:
    bus, called = Bus(), []

    def interceptor(number: int, returned: Any) -> Any:
        def decide(**_: Any) -> Any:
            called.append(number)
            if isinstance(returned, Exception):
                raise returned
            return returned

        return decide

    for number, (priority, returned) in enumerate(entries):
        bus.intercept(
            "after_llm_generate",
            interceptor(number, returned),
            priority=priority,
            on_error="continue",
        )
    outcome = bus.dispatch_sync("after_llm_generate", response="r")

    order = sorted(range(len(entries)), key=lambda number: (entries[number][0], number))
    actions = [_action(entries[number][1]) for number in order]
    ends = next((i for i, action in enumerate(actions) if action in ENDING), None)
    heard = order if ends is None else order[: ends + 1]
    assert called == heard
    assert [verdict.action for verdict in outcome.trail] == actions[: len(heard)]
    assert outcome.action == ("continue" if ends is None else actions[ends])
    assert outcome.data["response"] == ("v" if "modify" in actions[: len(heard)] else "r")
    assert len(outcome.injections) == actions[: len(heard)].count("inject_context")


def _action(returned: Any) -> str:
    if isinstance(returned, Decision):
        return returned.action
    return "deny" if returned == "rubbish" else "continue"


# --- no cost without observers ----------------------------------------------------------------


def entered(run: Callable[[], Any]) -> list[str]:
    """Return the names of the functions of ours, or of `inspect`, that `run` enters."""
    seen: list[str] = []

    def profile(frame: FrameType, event: str, arg: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and (module.startswith("instrument") or module == "inspect"):
            seen.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return seen


def test_observers_of_other_hooks_cost_one_look_at_the_table(bus: Bus) -> None:
    bus.register("another_hook", saying(None))

    assert entered(lambda: finished(bus._emit("a_hook", x=1))) == ["_emit"]


def test_a_hook_that_nobody_decides_on_is_reported_without_a_copy_of_its_observers(
    bus: Bus,
) -> None:
    bus.register("a_hook", saying(None))

    assert only_observers_of(bus._hooks, "a_hook") is bus._hooks["a_hook"]


def test_what_observers_return_is_looked_into_only_if_it_is_something(bus: Bus) -> None:
    bus.register("a_hook", saying(None))
    assert "_must_be_awaited" not in entered(lambda: finished(bus._emit("a_hook")))
    assert "_must_be_awaited" not in entered(lambda: bus._emit_sync("a_hook"))

    bus.register("a_hook", _deny)
    assert "isawaitable" not in entered(lambda: finished(bus._emit("a_hook")))


def test_an_interceptor_that_says_nothing_costs_no_more_than_asking_it(bus: Bus) -> None:
    bus.intercept("a_hook", saying(None))
    functions = entered(lambda: bus.dispatch_sync("a_hook"))

    # Neither a coroutine, nor an object for a decision that nobody made.
    assert not {"isawaitable", "finish", "changes_of", "notify", "completed"} & set(functions)


def finished(coroutine: Coroutine[Any, Any, Any]) -> None:
    with pytest.raises(StopIteration):
        coroutine.send(None)


# --- decisions that are nearly right ----------------------------------------------------------


async def test_what_an_action_has_no_use_for_is_not_used(bus: Bus) -> None:
    bus.intercept("my_hook", saying(Decision("continue", changes={"x": 2})))
    bus.intercept("my_hook", saying(Decision("continue", injection=Injection("unheard"))))
    bus.intercept("my_hook", saying(Decision("retry", changes={"x": 3}, value="unused")))

    outcome = await bus.dispatch("my_hook", x=1)

    assert (outcome.data, outcome.changes, outcome.injections) == ({"x": 1}, {}, [])
    assert (outcome.action, outcome.retry_changes) == ("retry", {"x": 3})
    assert outcome.stop_value is None


async def test_a_failing_interceptor_is_reported_and_raises_with_all_that_is_known(
    bus: Bus,
) -> None:
    error = asyncio.CancelledError()

    def gate(**_: Any) -> None:
        raise error

    bus.intercept("a_hook", gate, name="gate")
    with (
        capture_hook("hook_failed", bus=bus) as failures,
        pytest.raises(HookFailed, match="gate was cancelled on a_hook") as caught,
    ):
        await bus.dispatch("a_hook", call_id="c-1")

    events = {"call_id": "c-1", "hook": "a_hook", "handler": "gate", "exc": error}
    assert [kwargs for _, kwargs in failures] == [events]
    assert (caught.value.hook, caught.value.interceptor) == ("a_hook", "gate")


async def test_a_stop_gives_what_its_event_wants(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Hook("before_lookup", "", "1.3", (), value=Value("key", "str", "str", "str"))
    monkeypatch.setattr(contracts, "CATALOGUE", {**CATALOGUE, row.name: row})
    off = bus.intercept("before_lookup", saying(Decision.stop(7)), name="gate")

    with pytest.raises(HookContractError, match=r"gate stopped before_lookup .* expected str, got"):
        await bus.dispatch("before_lookup", key="k")
    off()
    bus.intercept("before_lookup", saying(Decision.stop("seven")))
    assert (await bus.dispatch("before_lookup", key="k")).stop_value == "seven"


# --- waiting in vain --------------------------------------------------------------------------


async def test_an_async_interceptor_that_sync_code_cannot_wait_for_is_closed(bus: Bus) -> None:
    closed: list[bool] = []

    async def gate(**_: Any) -> None:
        try:
            await asyncio.sleep(0)
        finally:
            closed.append(True)

    bus.intercept("a_hook", gate)
    with pytest.raises(HookContractError, match="had to wait") as caught:
        bus.dispatch_sync("a_hook")

    assert closed == [True]
    assert caught.value.__traceback__ is not None  # it would have a reference


async def test_an_awaitable_that_cannot_be_closed_is_refused_like_one_that_can(bus: Bus) -> None:
    class Endless:
        def __await__(self) -> Iterator[None]:
            return iter([None, None])

    bus.intercept("a_hook", lambda **_: Endless())

    with pytest.raises(HookContractError, match="had to wait"):
        bus.dispatch_sync("a_hook")


def test_a_coroutine_that_must_not_suspend_and_does_is_closed_and_reported() -> None:
    closed: list[bool] = []

    async def suspends() -> None:
        try:
            await Pause()
        finally:
            closed.append(True)

    work = suspends()  # referenced, so that the collector does not close it
    with pytest.raises(AssertionError, match="was suspended"):
        completed(work)
    assert closed == [True]


def test_an_event_closed_while_it_is_decided_reaches_observers_that_have_to_wait(bus: Bus) -> None:
    heard: list[int] = []

    async def gate(**_: Any) -> None:
        await Pause()

    async def observer(x: int) -> None:
        await asyncio.sleep(0)
        heard.append(x)

    bus.intercept("a_hook", gate)
    bus.register("a_hook", observer)
    coroutine = bus.dispatch("a_hook", x=1)
    coroutine.send(None)
    coroutine.close()

    assert heard == [1]


async def test_an_interceptor_may_know_what_to_say_where_nobody_can_wait(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    class Wait:
        def __await__(self) -> Generator[Any, None, Decision]:
            yield from asyncio.sleep(0).__await__()
            return Decision.deny("waited")

        def at_once(self) -> Decision:
            return Decision.deny("at once")

    bus.intercept("before_tool_call", lambda **_: Wait())

    assert bus.dispatch_sync("before_tool_call", tool_name="x").reason == "at once"
    assert (await bus.dispatch("before_tool_call", tool_name="x")).reason == "waited"
    assert caplog.records == []
