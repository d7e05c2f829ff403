"""Operations with decisions of interceptors: on running, kwargs and outcome."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Callable
from inspect import iscoroutinefunction
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
    Operation,
)
from instrument.decision import ENDING
from tests.support.faults.interleaving import interrupted_at_each_line
from tests.unit.instrument.conftest import Pause, Story, cancel_after, names, only


def saying(*decisions: Any) -> Callable[..., Any]:
    """Return an interceptor that decides one after the other, and the last one from then on."""
    left = list(decisions)
    return lambda **_: left.pop(0) if len(left) > 1 else left[0]


class Body:
    """The thing that must, or must not, run."""

    def __init__(self, *results: Any) -> None:
        self.runs: list[Any] = []
        self._results = list(results) or ["done"]

    def __call__(self, op: Operation) -> Any:
        self.runs.append(op.args)
        result = self._results.pop(0) if len(self._results) > 1 else self._results[0]
        if isinstance(result, BaseException):
            raise result
        return result


DENIED = ["operation_opened", "before_tool_call", "error_tool_call", "operation_closed"]


async def test_a_denied_operation_does_not_run_and_is_reported_to_its_end(
    bus: Bus, events: Story
) -> None:
    bus.intercept("before_tool_call", saying(Decision.deny("no")), name="gate")
    body = Body()

    with pytest.raises(HookDenied, match="no") as caught:
        async with bus.operation("tool_call", args={"a": 1}) as op:
            body(op)
    with pytest.raises(HookDenied), bus.operation("tool_call", args={"a": 1}) as op:
        body(op)
    with pytest.raises(HookDenied):
        await bus.call("tool_call", body, args={"a": 1})
    with pytest.raises(HookDenied):
        bus.call_sync("tool_call", body, args={"a": 1})

    assert body.runs == []
    assert names(events) == DENIED * 4
    assert {k["status"] for name, k in events if name == "operation_closed"} == {"denied"}
    assert events[1][0] == "hook_decided"  # after the opening, before the final event
    assert caught.value.call_id == events[0][1]["call_id"]
    assert only(events[:5], "error_tool_call")["exc"] is caught.value
    assert (caught.value.hook, caught.value.interceptor) == ("before_tool_call", "gate")


async def test_the_body_and_observers_get_the_final_arguments(bus: Bus, events: Story) -> None:
    bus.intercept("before_tool_call", saying(Decision.modify({"a": 2}, tool_name="safe", tag=1)))

    async with bus.operation("tool_call", tool_name="risky", args={"a": 1}) as op:
        assert op.args == {"a": 2}
        assert op.kwargs == {"tool_name": "safe", "args": {"a": 2}, "tag": 1}

    assert only(events, "operation_opened")["kwargs"] == {"tool_name": "risky", "args": {"a": 1}}
    assert only(events, "before_tool_call")["args"] == {"a": 2}
    after = only(events, "after_tool_call")
    assert (after["args"], after["tool_name"], after["tag"]) == ({"a": 2}, "safe", 1)


async def test_a_result_can_be_replaced(bus: Bus, events: Story) -> None:
    bus.intercept("after_tool_call", lambda result, **_: Decision.modify(result + "!"))

    async with bus.operation("tool_call") as op:
        op.result = "raw"
    with bus.operation("tool_call") as sync_op:
        sync_op.result = "raw"

    assert (op.result, sync_op.result) == ("raw!", "raw!")
    assert await bus.call("tool_call", Body("raw")) == "raw!"
    assert bus.call_sync("tool_call", Body("raw")) == "raw!"
    assert [k["result"] for name, k in events if name == "after_tool_call"] == ["raw!"] * 4


async def test_a_denied_result_leaves_as_an_error_and_is_reported_as_one(
    bus: Bus, events: Story
) -> None:
    bus.intercept("after_tool_call", saying(Decision.deny("leaks a key")))

    with pytest.raises(HookDenied, match="leaks a key"):
        await bus.call("tool_call", Body("sk-…"))

    assert names(events) == DENIED
    assert only(events, "operation_closed")["status"] == "denied"


async def test_a_fail_ends_with_an_error(bus: Bus, events: Story) -> None:
    bus.intercept("before_llm_generate", saying(Decision.fail("out of budget")))

    with pytest.raises(HookFailed, match="out of budget"):
        await bus.call("llm_generate", Body())

    assert only(events, "operation_closed")["status"] == "error"


async def test_a_stop_beforehand_gives_the_value_without_running(bus: Bus, events: Story) -> None:
    bus.intercept("before_llm_generate", saying(Decision.stop("cached")))
    body = Body()

    assert await bus.call("llm_generate", body, prompt="hi") == "cached"
    assert bus.call_sync("llm_generate", body, prompt="hi") == "cached"
    with pytest.raises(HookStopped) as caught:
        async with bus.operation("llm_generate", prompt="hi") as op:
            body(op)

    assert (caught.value.value, body.runs) == ("cached", [])
    one = ["operation_opened", "before_llm_generate", "after_llm_generate", "operation_closed"]
    assert names(events) == one * 3
    assert {k["response"] for name, k in events if name == "after_llm_generate"} == {"cached"}
    assert {k["status"] for name, k in events if name == "operation_closed"} == {"stopped"}


async def test_a_stop_afterwards_replaces_the_result(bus: Bus, events: Story) -> None:
    bus.intercept("after_llm_generate", saying(Decision.stop("enough")))

    assert await bus.call("llm_generate", Body("long answer")) == "enough"
    with pytest.raises(HookStopped):
        async with bus.operation("llm_generate") as op:
            op.result = "long answer"

    assert op.result == "enough"
    assert [k["response"] for name, k in events if name == "after_llm_generate"] == ["enough"] * 2


async def test_a_stop_further_in_ends_the_operation_around_it_as_stopped(
    bus: Bus, events: Story
) -> None:
    bus.intercept("before_llm_generate", saying(Decision.stop("cached")))

    async def agent(op: Operation) -> None:
        async with bus.operation("llm_generate"):
            raise AssertionError("must not run")

    with pytest.raises(HookStopped):
        await bus.call("agent_call", agent)

    assert [k["status"] for name, k in events if name == "operation_closed"] == ["stopped"] * 2


async def test_a_denied_step_is_an_error_of_what_it_was_part_of(bus: Bus, events: Story) -> None:
    bus.intercept("before_tool_call", saying(Decision.deny("no")))

    with pytest.raises(HookDenied):
        async with bus.operation("agent_call"):
            await bus.call("tool_call", Body())

    assert [k["status"] for name, k in events if name == "operation_closed"] == ["denied", "error"]


async def test_call_runs_again_what_is_to_be_retried(bus: Bus, events: Story) -> None:
    bus.intercept("after_llm_generate", saying(Decision.retry("no plan"), Decision.retry(), None))

    assert await bus.call("llm_generate", Body("a", "b", "c")) == "c"

    closed = [k["status"] for name, k in events if name == "operation_closed"]
    responses = [k["response"] for name, k in events if name == "after_llm_generate"]
    assert (closed, responses) == (["error", "error", "ok"], ["a", "b", "c"])
    assert len({k["call_id"] for name, k in events if name == "operation_opened"}) == 3


def test_call_sync_runs_again_after_an_error(bus: Bus, events: Story) -> None:
    bus.intercept("error_tool_call", saying(Decision.retry()))

    assert bus.call_sync("tool_call", Body(OSError("down"), "up")) == "up"
    assert [k["status"] for name, k in events if name == "operation_closed"] == ["error", "ok"]


async def test_a_used_up_retry_is_raised_from_the_error_of_the_last_attempt() -> None:
    bus = Bus(max_retries=1)
    bus.intercept("error_tool_call", lambda **_: Decision.retry("once more"))
    last = OSError("the second")
    with pytest.raises(HookFailed, match="once more") as failed:
        await bus.call("tool_call", Body(OSError("the first"), last))
    assert failed.value.__cause__ is last
    with pytest.raises(HookFailed) as failed:
        bus.call_sync("tool_call", Body(OSError("the first"), last))
    assert failed.value.__cause__ is last


async def test_an_attempt_whose_result_was_discarded_says_who_did_not_want_it(
    bus: Bus, events: Story
) -> None:
    bus.intercept("after_tool_call", saying(Decision.retry("too short"), None), name="critic")
    assert await bus.call("tool_call", Body("a", "bcd")) == "bcd"
    first, second = [k for name, k in events if name == "operation_closed"]
    assert (first["status"], second["status"], second["exc"]) == ("error", "ok", None)
    assert isinstance(first["exc"], HookFailed)
    assert str(first["exc"]) == "discarded: critic wants a retry: too short"


async def test_retries_are_bounded() -> None:
    bus = Bus(max_retries=2)
    bus.intercept("after_llm_generate", saying(*[Decision.retry("no plan")] * 20, None))
    body = Body()

    with pytest.raises(HookFailed, match=r"llm_generate was retried 2 times, and .*: no plan"):
        await bus.call("llm_generate", body)
    with pytest.raises(HookFailed, match="2 times"):
        bus.call_sync("llm_generate", body)
    assert len(body.runs) == 6


async def test_a_retry_decides_anew_on_the_original_arguments(bus: Bus) -> None:
    bus.intercept("before_tool_call", lambda args, **_: Decision.modify({"n": args["n"] + 1}))
    bus.intercept("after_tool_call", saying(Decision.retry(), None))
    body = Body()

    await bus.call("tool_call", body, args={"n": 1})

    assert body.runs == [{"n": 2}, {"n": 2}]


async def test_a_retry_may_ask_for_other_arguments(bus: Bus) -> None:
    bus.intercept("after_tool_call", saying(Decision.retry(args={"n": 2}), None))
    body = Body()

    await bus.call("tool_call", body, args={"n": 1}, tool_name="x")

    assert body.runs == [{"n": 1}, {"n": 2}]
    bus._hooks.clear()
    bus.intercept("after_tool_call", saying(Decision.retry(args="text")))
    with pytest.raises(HookContractError, match="before_tool_call a wrong args"):
        await bus.call("tool_call", body)


async def test_a_body_that_is_a_block_cannot_be_retried(bus: Bus, events: Story) -> None:
    bus.intercept("after_llm_generate", saying(Decision.retry()), name="gate")

    with pytest.raises(HookContractError, match=r"gate wants a retry .* must use `call`"):
        async with bus.operation("llm_generate"):
            pass

    assert names(events)[2:] == ["error_llm_generate", "operation_closed"]


async def test_what_was_streamed_cannot_be_retried(bus: Bus) -> None:
    bus.intercept("after_llm_generate", saying(Decision.retry()))

    async def pieces() -> AsyncIterator[str]:
        yield "a"

    async def stream(op: Operation) -> str:
        return "".join([piece async for piece in op.stream(pieces())])

    with pytest.raises(HookContractError, match="already streamed"):
        await bus.call("llm_generate", stream)


def in_place(response: list[str], **_: Any) -> None:
    response.append("edited")


@pytest.mark.parametrize(
    ("change", "trail"),
    [
        (saying(Decision.modify(["edited"])), ["modify", "continue"]),
        (saying(Decision.stop(["edited"])), ["stop", "continue"]),
        (in_place, ["modify", "continue"]),
        (saying(Decision.continue_()), ["continue"]),
    ],
)
async def test_what_a_consumer_has_already_is_reported_as_it_has_it(
    bus: Bus, events: Story, change: Any, trail: list[str]
) -> None:
    bus.intercept("after_llm_generate", change)

    async with bus.operation("llm_generate") as op:
        op.seal()
        op.result = ["one", "two"]
    with bus.operation("llm_generate") as op:
        op.seal()
        op.result = ["one", "two"]

    after = [kwargs["response"] for name, kwargs in events if name == "after_llm_generate"]
    assert after == [["one", "two"]] * 2
    decided = [kwargs for name, kwargs in events if name == "hook_decided"]
    assert [one["action"] for one in decided] == trail * 2
    reasons = [one["reason"] for one in decided if one["interceptor"] == "stream"]
    assert len(reasons) == (len(trail) - 1) * 2
    assert all("not applied" in reason for reason in reasons)


async def test_an_error_can_be_replaced_by_a_result_in_call(bus: Bus, events: Story) -> None:
    bus.intercept("error_tool_call", lambda exc, **_: Decision.modify(f"sorry: {exc}"))

    assert await bus.call("tool_call", Body(OSError("down"))) == "sorry: down"
    assert bus.call_sync("tool_call", Body(OSError("down"))) == "sorry: down"
    with pytest.raises(OSError, match="down"):  # a block cannot be made to have succeeded
        async with bus.operation("tool_call"):
            raise OSError("down")

    assert {k["result"] for name, k in events if name == "error_tool_call"} == {"sorry: down"}
    assert {k["status"] for name, k in events if name == "operation_closed"} == {"error"}


async def test_an_error_can_be_replaced_by_a_refusal(bus: Bus) -> None:
    bus.intercept("error_tool_call", saying(Decision.fail("give up")))

    with pytest.raises(HookFailed, match="give up") as caught:
        await bus.call("tool_call", Body(OSError("down")))
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize(
    "decision", [Decision.modify("sorry"), Decision.retry(), Decision.deny("x"), ValueError()]
)
async def test_after_a_deny_closing_interceptors_are_called_and_change_nothing(
    bus: Bus, events: Story, decision: Any
) -> None:
    called = []

    def clean_up(**kwargs: Any) -> Decision:
        called.append(kwargs["exc"])
        if isinstance(decision, Exception):
            raise decision
        assert isinstance(decision, Decision)
        return decision

    bus.intercept("before_tool_call", saying(Decision.deny("no")))
    bus.intercept("error_tool_call", clean_up)
    body = Body()

    with pytest.raises(HookDenied, match="no") as caught:
        await bus.call("tool_call", body)

    assert (called, body.runs) == ([caught.value], [])
    assert names(events) == DENIED
    assert only(events, "error_tool_call")["exc"] is caught.value


async def test_when_an_interceptor_raises_nothing_runs_and_what_began_is_closed(
    bus: Bus, events: Story
) -> None:
    closing = []

    def broken(**_: Any) -> None:
        raise LookupError("a bug")

    bus.intercept("before_tool_call", broken)
    bus.intercept("error_tool_call", lambda exc, **_: closing.append(exc))
    bus.intercept("error_tool_call", saying(Decision.retry()))
    body = Body()

    with pytest.raises(LookupError) as caught:
        await bus.call("tool_call", body)

    assert (body.runs, closing) == ([], [caught.value])
    assert names(events) == DENIED
    assert only(events, "operation_closed")["status"] == "error"


async def test_when_a_closing_interceptor_raises_that_is_what_leaves(
    bus: Bus, events: Story
) -> None:
    def broken(**_: Any) -> None:
        raise LookupError("a bug")

    bus.intercept("after_tool_call", broken)

    with pytest.raises(LookupError):
        await bus.call("tool_call", Body())

    assert names(events) == DENIED


async def test_a_cancelled_operation_lets_closing_interceptors_clean_up(
    bus: Bus, events: Story
) -> None:
    is_waiting, cleaned = asyncio.Event(), []

    async def clean_up(exc: BaseException, **_: Any) -> Decision:
        await asyncio.sleep(0)
        cleaned.append(exc)
        return Decision.modify("too late")

    async def work(op: Operation) -> None:
        is_waiting.set()
        await asyncio.Event().wait()

    bus.intercept("error_tool_call", clean_up)
    await cancel_after(is_waiting, bus.call("tool_call", work))

    assert [type(error) for error in cleaned] == [asyncio.CancelledError]
    assert only(events, "operation_closed")["status"] == "cancelled"


async def test_an_operation_cancelled_while_it_is_decided_never_runs_and_is_reported(
    bus: Bus, events: Story
) -> None:
    is_waiting = asyncio.Event()

    async def wait(**_: Any) -> None:
        is_waiting.set()
        await asyncio.Event().wait()

    bus.intercept("before_tool_call", wait)
    body = Body()
    await cancel_after(is_waiting, bus.call("tool_call", body))

    assert (body.runs, names(events)) == ([], DENIED)
    assert only(events, "operation_closed")["status"] == "cancelled"


@pytest.mark.parametrize("hook", ["before_tool_call", "after_tool_call"])
def test_a_coroutine_closed_while_it_is_decided_reports_its_end(
    bus: Bus, events: Story, hook: str
) -> None:
    async def wait(**_: Any) -> None:
        await Pause()

    bus.intercept(hook, wait)
    coroutine = bus.call("tool_call", Body())
    coroutine.send(None)
    coroutine.close()

    assert names(events) == DENIED
    assert only(events, "operation_closed")["status"] == "cancelled"


async def test_a_stream_abandoned_early_lets_closing_interceptors_clean_up(
    bus: Bus, events: Story
) -> None:
    cleaned = []
    bus.intercept("error_tool_call", lambda exc, **_: cleaned.append(type(exc)))

    async def numbers() -> AsyncIterator[int]:
        async with bus.operation("tool_call"):
            yield 1

    generator = numbers()
    await anext(generator)
    await generator.aclose()  # type: ignore[attr-defined] # an async generator has it

    assert cleaned == [GeneratorExit]
    assert names(events)[-2:] == ["error_tool_call", "operation_closed"]


async def test_injections_reach_the_emitter(bus: Bus) -> None:
    bus.intercept("before_llm_generate", saying(Decision.inject_context("be brief")))
    bus.intercept("after_llm_generate", saying(Decision.inject_context("3 lint errors")))

    async with bus.operation("llm_generate") as op:
        assert [injection.text for injection in op.injections] == ["be brief"]
    assert [injection.text for injection in op.injections] == ["be brief", "3 lint errors"]
    assert bus.operation("tool_call").injections == ()


async def test_interceptors_without_any_observer_decide(bus: Bus) -> None:
    bus.intercept("after_tool_call", saying(Decision.modify("changed")))

    assert await bus.call("tool_call", Body()) == "changed"


async def test_an_operation_entered_again_is_decided_again(bus: Bus) -> None:
    bus.intercept("before_tool_call", saying(Decision.inject_context("one"), None))
    op = bus.operation("tool_call")

    async with op:
        assert len(op.injections) == 1
    async with op:
        assert not op.injections


async def test_a_custom_noun_is_decided_too(bus: Bus) -> None:
    bus.intercept("before_teleport", saying(Decision.stop("here already")))

    assert await bus.call("teleport", Body()) == "here already"
    bus._hooks.clear()
    bus.intercept("before_teleport", saying(Decision.retry()))
    with pytest.raises(HookContractError, match="nothing has run yet"):
        await bus.call("teleport", Body())


# --- any operation, any interceptors ----------------------------------------------------------

_SAYS = {
    "nothing": None,
    "modify": Decision.modify("v"),
    "deny": Decision.deny("d"),
    "stop": Decision.stop("s"),
    "fail": Decision.fail("f"),
    "retry": Decision.retry("r"),
    "inject": Decision.inject_context("i"),
    "ask": Decision.ask_user("?"),
    "rubbish": "rubbish",
    "bug": ValueError("bug"),
    "cancel": asyncio.CancelledError(),
}
_says = st.lists(
    st.tuples(
        st.sampled_from(sorted(_SAYS)),
        st.sampled_from(["raise", "deny", "continue"]),
        st.booleans(),
    ),
    max_size=3,
)
_ways = st.sampled_from(["operation", "call", "sync operation", "sync call", "generator"])
_ends = st.sampled_from(["return", "raise", "cancel"])


async def _run(bus: Bus, way: str, body: Callable[[Operation], Any]) -> None:
    match way:
        case "operation":
            async with bus.operation("llm_generate") as op:
                body(op)
        case "sync operation":
            with bus.operation("llm_generate") as op:
                body(op)
        case "call":
            await bus.call("llm_generate", body)
        case "sync call":
            bus.call_sync("llm_generate", body)
        case _:

            async def generate() -> AsyncIterator[None]:
                async with bus.operation("llm_generate") as op:
                    body(op)
                    yield None

            stream = generate()
            await anext(stream)
            await stream.aclose()  # type: ignore[attr-defined] # an async generator has it


@given(_says, _says, _says, _ways, _ends, st.booleans())
def test_whatever_is_decided_what_began_ends_once_and_what_was_refused_never_runs(
    before: Any, after: Any, error: Any, way: str, end: str, granted: bool
) -> None:
    bus, events, runs = Bus(max_retries=1), [], 0
    bus.observe_all(lambda name, /, **kwargs: events.append((name, kwargs)))
    bus.set_approval_provider(_Person(granted))
    for hook, entries in (("before", before), ("after", after), ("error", error)):
        for word, on_error, is_async in entries:
            bus.intercept(
                f"{hook}_llm_generate", _interceptor(_SAYS[word], is_async), on_error=on_error
            )

    def body(op: Operation) -> str:
        nonlocal runs
        runs += 1
        if end == "return":
            return "ran"
        raise LookupError if end == "raise" else asyncio.CancelledError

    async def agent() -> None:
        with contextlib.suppress(Exception, asyncio.CancelledError):
            await _run(bus, way, body)

    asyncio.run(agent())

    calls = _stories(events)
    for story in calls.values():
        assert story[:2] == ["operation_opened", "before_llm_generate"]
        assert story[2] in ("after_llm_generate", "error_llm_generate")
        assert story[3:] == ["operation_closed"]
    refused = {
        kwargs["call_id"]
        for name, kwargs in events
        if (name, kwargs.get("hook")) == ("hook_decided", "before_llm_generate")
        and kwargs["action"] in ENDING
    }
    assert runs <= len(calls) - len(refused)
    if not {"bug", "cancel", "retry"} & {word for word, _, _ in before}:
        assert runs == len(calls) - len(refused)
    opened = [kwargs["request_id"] for name, kwargs in events if name == "request_opened"]
    closed = [kwargs["request_id"] for name, kwargs in events if name == "request_closed"]
    assert opened == closed


def _stories(events: Story) -> dict[str, list[str]]:
    calls: dict[str, list[str]] = {}
    for name, kwargs in events:
        if not name.startswith(("hook_", "request_")):
            calls.setdefault(kwargs["call_id"], []).append(name)
    return calls


class _Person:
    def __init__(self, is_kind: bool) -> None:
        self._is_kind = is_kind

    async def ask(self, request: Any) -> str:
        return "allow" if self._is_kind else "deny"

    def ask_sync(self, request: Any) -> str:
        return "allow" if self._is_kind else "deny"


def _interceptor(word: Any, is_async: bool) -> Callable[..., Any]:
    def decide(**_: Any) -> Any:
        if isinstance(word, BaseException):
            raise word
        return word

    async def decide_later(**_: Any) -> Any:
        return decide()

    return decide_later if is_async else decide


# --- what only one statement sees to ----------------------------------------------------------


def test_what_is_decided_on_the_end_of_a_sync_block_leaves_it(bus: Bus, events: Story) -> None:
    bus.intercept("after_tool_call", saying(Decision.deny("not this result")))

    with pytest.raises(HookDenied, match="not this result"), bus.operation("tool_call"):
        pass

    assert names(events) == DENIED


@pytest.mark.parametrize("is_sync", [True, False])
async def test_the_error_of_an_operation_that_was_let_run_can_be_decided_on(
    bus: Bus, is_sync: bool
) -> None:
    bus.intercept("before_llm_generate", saying(None))
    bus.intercept("error_llm_generate", saying(Decision.retry("overloaded")))
    body = Body(ValueError("overloaded"), "done")

    if is_sync:
        assert bus.call_sync("llm_generate", body) == "done"
    else:
        assert await bus.call("llm_generate", body) == "done"


async def test_an_operation_entered_again_has_forgotten_what_was_decided(
    bus: Bus, events: Story
) -> None:
    off = bus.intercept("before_tool_call", saying(Decision.deny("no")))
    op = bus.operation("tool_call")
    with pytest.raises(HookDenied) as first:
        await op.__aenter__()
    off()
    events.clear()

    with pytest.raises(HookDenied) as second:
        async with op:
            raise first.value  # now it is the body's own

    assert second.value is first.value
    assert only(events, "operation_closed")["status"] == "error"


async def test_a_retry_wins_over_a_modification_before_it(bus: Bus) -> None:
    bus.intercept("after_llm_generate", saying(Decision.modify("polished"), None))
    bus.intercept("after_llm_generate", saying(Decision.retry("once more"), None))
    body = Body("first", "second")

    assert await bus.call("llm_generate", body) == "second"
    assert len(body.runs) == 2


@pytest.mark.parametrize("is_sync", [True, False])
async def test_an_interrupt_of_a_closing_interceptor_is_reported_before_it_leaves(
    bus: Bus, events: Story, is_sync: bool
) -> None:
    def interrupt(**_: Any) -> None:
        raise KeyboardInterrupt

    async def agent() -> None:
        if is_sync:
            bus.call_sync("tool_call", Body())
        else:
            await bus.call("tool_call", Body())

    bus.intercept("after_tool_call", interrupt)

    with pytest.raises(KeyboardInterrupt):
        await agent()

    assert names(events) == DENIED
    assert isinstance(only(events, "error_tool_call")["exc"], KeyboardInterrupt)
    assert only(events, "operation_closed")["status"] == "cancelled"


@pytest.mark.parametrize("hook", ["before_tool_call", "after_tool_call"])
def test_a_coroutine_closed_while_it_is_decided_reaches_observers_that_have_to_wait(
    bus: Bus, hook: str
) -> None:
    async def gate(**_: Any) -> None:
        await Pause()

    heard: list[str] = []

    async def observer(name: str, **_: Any) -> None:
        await asyncio.sleep(0)
        heard.append(name)

    bus.intercept(hook, gate)
    for name in DENIED[1:]:
        bus.register(name, functools.partial(observer, name))
    coroutine = bus.call("tool_call", Body())
    while not is_waiting(coroutine, Pause):
        coroutine.send(None)
    coroutine.close()

    assert heard == DENIED[1:]


def is_waiting(coroutine: Any, kind: type) -> bool:
    """Return whether it is suspended in the `__await__` of `kind`."""
    while getattr(coroutine, "cr_await", None) is not None:
        coroutine = coroutine.cr_await
    return getattr(coroutine, "gi_code", None) is kind.__await__.__code__  # type: ignore[attr-defined]


@pytest.mark.parametrize("hook", ["before_tool_call", "after_tool_call"])
@pytest.mark.parametrize(
    "step", [Operation.__enter__, Operation.__exit__, Operation.__aenter__, Operation.__aexit__]
)
def test_an_interceptor_that_comes_during_an_operation_is_heeded_or_too_late(
    hook: str, step: Callable[..., Any]
) -> None:
    buses: list[Bus] = []
    failures: list[dict[str, Any]] = []
    heeded: list[bool] = []

    def work() -> None:
        bus = Bus()
        bus.observe(hook, lambda **_: None)
        bus.observe("hook_failed", lambda **failure: failures.append(failure))
        buses.append(bus)
        try:
            if iscoroutinefunction(step):
                asyncio.run(bus.call("tool_call", lambda _: None))
            else:
                bus.call_sync("tool_call", lambda _: None)
        except HookDenied:
            heeded.append(True)
        else:
            heeded.append(False)

    def register() -> None:
        buses[-1].intercept(hook, lambda **_: Decision.deny("no"))

    assert interrupted_at_each_line(step, work, register) > 3
    assert failures == []
    assert heeded[0] is ("enter" in step.__name__ or hook == "after_tool_call")
    assert heeded[-1] is False  # no interceptor was added any more
