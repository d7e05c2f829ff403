"""Operations: their events, in order, each exactly once."""

import asyncio
import contextvars
import gc
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument import Bus, Decision, Operation, Outcome, deliberation, operations, stream
from instrument.interceptors import Interceptor
from instrument.testing import capture_hook
from tests.unit.instrument.conftest import Pause, Story, cancel_after, names, only


async def test_an_operation_is_reported_from_opening_to_closing(bus: Bus, events: Story) -> None:
    context = object()

    async with bus.operation("tool_call", tool_name="add", args={"a": 1}, context=context) as op:
        assert names(events) == ["operation_opened", "before_tool_call"]
        op.result = op.args["a"] + 1

    assert names(events)[2:] == ["after_tool_call", "operation_closed"]
    identity = {"call_id": op.call_id, "parent_call_id": None}
    passed = {"tool_name": "add", "args": {"a": 1}, "context": context}
    assert only(events, "operation_opened") == {**identity, "noun": "tool_call", "kwargs": passed}
    assert only(events, "before_tool_call") == {**passed, **identity}
    assert only(events, "after_tool_call") == {**passed, "result": 2, **identity}
    assert only(events, "operation_closed") == {
        "call_id": op.call_id,
        "noun": "tool_call",
        "status": "ok",
        "exc": None,
        "stream": None,
    }


def test_sync_code_reports_the_same_events(bus: Bus, events: Story) -> None:
    with bus.operation("tool_call", tool_name="add") as op:
        op.result = 2

    assert names(events) == [
        "operation_opened",
        "before_tool_call",
        "after_tool_call",
        "operation_closed",
    ]
    assert only(events, "after_tool_call")["result"] == 2


async def test_an_exception_leaves_as_it_came_and_is_reported_as_an_error(
    bus: Bus, events: Story
) -> None:
    error = ValueError("no such tool")

    with pytest.raises(ValueError, match="no such tool") as caught:
        async with bus.operation("tool_call", tool_name="add", args={"a": 1}):
            raise error

    assert caught.value is error
    assert names(events)[2:] == ["error_tool_call", "operation_closed"]
    assert only(events, "error_tool_call") == {
        "tool_name": "add",
        "args": {"a": 1},
        "context": None,
        "exc": error,
        "call_id": only(events, "operation_opened")["call_id"],
        "parent_call_id": None,
    }
    assert only(events, "operation_closed")["status"] == "error"
    assert only(events, "operation_closed")["exc"] is error


async def test_a_cancelled_operation_is_reported_as_an_error_and_closed_as_cancelled(
    bus: Bus, events: Story
) -> None:
    is_waiting = asyncio.Event()

    async def work() -> None:
        async with bus.operation("llm_generate", prompt="hi"):
            is_waiting.set()
            await asyncio.Event().wait()

    await cancel_after(is_waiting, work())

    assert names(events)[2:] == ["error_llm_generate", "operation_closed"]
    assert isinstance(only(events, "error_llm_generate")["exc"], asyncio.CancelledError)
    assert only(events, "operation_closed")["status"] == "cancelled"


async def test_an_operation_cancelled_while_observers_run_is_closed_all_the_same(
    bus: Bus,
) -> None:
    for hook in ("operation_opened", "before_tool_call", "after_tool_call"):
        other, is_waiting = Bus(), asyncio.Event()
        events: list[str] = []

        async def wait(is_waiting: asyncio.Event = is_waiting, **_: Any) -> None:
            is_waiting.set()
            await asyncio.Event().wait()

        other.observe_all(lambda name, /, events=events, **_: events.append(name))
        other.register(hook, wait)

        async def work(other: Bus = other) -> None:
            async with other.operation("tool_call"):
                pass

        await cancel_after(is_waiting, work())

        assert events[-1] == "operation_closed"
        assert events.count("operation_closed") == 1
        assert events.count("error_tool_call") == (1 if hook == "before_tool_call" else 0)


@pytest.mark.parametrize("how", ["close", "collect"])
def test_a_generator_closed_early_ends_its_operation(bus: Bus, events: Story, how: str) -> None:
    def numbers() -> Generator[int, None, None]:
        with bus.operation("tool_call", tool_name="count"):
            yield 1
            yield 2

    generator = numbers()
    assert next(generator) == 1
    if how == "close":
        generator.close()
    del generator
    gc.collect()

    assert names(events)[2:] == ["error_tool_call", "operation_closed"]
    assert isinstance(only(events, "error_tool_call")["exc"], GeneratorExit)
    assert only(events, "operation_closed")["status"] == "cancelled"


async def test_an_async_generator_closed_by_another_task_ends_its_operation(
    bus: Bus, events: Story
) -> None:
    async def numbers() -> AsyncGenerator[int, None]:
        async with bus.operation("tool_call", tool_name="count"):
            yield 1
            yield 2

    generator = numbers()
    assert await anext(generator) == 1

    async def close() -> None:
        await generator.aclose()

    async with asyncio.timeout(5):
        await asyncio.create_task(close())

    assert names(events)[2:] == ["error_tool_call", "operation_closed"]
    async with bus.operation("llm_generate") as after:  # what was left behind is not a parent
        assert after.parent_call_id is None


def test_a_coroutine_closed_while_it_waits_ends_its_operation_though_observers_are_async(
    bus: Bus, events: Story
) -> None:
    ended: list[str] = []

    async def slow(**kwargs: Any) -> None:
        await asyncio.sleep(0)
        ended.append(kwargs["call_id"])

    async def work() -> None:
        async with bus.operation("tool_call"):
            bus.register("error_tool_call", slow)
            await Pause()

    coroutine = work()
    coroutine.send(None)
    coroutine.close()

    assert names(events)[2:] == ["error_tool_call", "operation_closed"]
    assert len(ended) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_operation_is_closed(
    bus: Bus, events: Story, error: type[BaseException]
) -> None:
    with pytest.raises(error), bus.operation("tool_call"):
        raise error

    expected = "cancelled" if error is KeyboardInterrupt else "error"
    assert only(events, "operation_closed")["status"] == expected


async def test_an_interrupt_from_an_observer_of_the_opening_still_closes(
    bus: Bus, events: Story
) -> None:
    def interrupt(**_: Any) -> None:
        raise KeyboardInterrupt

    bus.register("before_tool_call", interrupt)

    with pytest.raises(KeyboardInterrupt):
        async with bus.operation("tool_call"):
            raise AssertionError("the body must not run")
    with pytest.raises(KeyboardInterrupt), bus.operation("tool_call"):
        raise AssertionError("the body must not run")

    assert (
        names(events)
        == [
            "operation_opened",
            "before_tool_call",
            "error_tool_call",
            "operation_closed",
        ]
        * 2
    )


async def test_what_the_contract_promises_and_was_not_passed_is_none(
    bus: Bus, events: Story
) -> None:
    async with bus.operation("llm_generate"):
        pass

    before = only(events, "before_llm_generate")
    after = only(events, "after_llm_generate")
    assert (before["llm"], before["prompt"]) == (None, None)
    assert (after["response"], after["usage"]) == (None, None)
    assert "model" not in before


async def test_further_kwargs_travel_to_every_hook_of_the_operation(
    bus: Bus, events: Story
) -> None:
    async with bus.operation("tool_call", tool_name="x", attempt=2):
        pass

    assert [kwargs.get("attempt") for _, kwargs in events] == [None, 2, 2, None]
    assert only(events, "operation_opened")["kwargs"]["attempt"] == 2


async def test_set_adds_kwargs_to_the_after_hook(bus: Bus, events: Story) -> None:
    async with bus.operation("llm_generate", prompt="hi") as op:
        op.result = "hello"
        op.set(usage={"input_tokens": 1})
        op.set(finish_reason="stop")

    after = only(events, "after_llm_generate")
    assert after["response"] == "hello"
    assert after["usage"] == {"input_tokens": 1}
    assert after["finish_reason"] == "stop"


async def test_an_error_carries_what_had_come_until_then(bus: Bus, events: Story) -> None:
    async def work() -> None:
        async with bus.operation("tool_call", tool_name="x") as op:
            op.result = {"isError": True}
            op.set(server_name="git")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await work()

    error = only(events, "error_tool_call")
    assert error["result"] == {"isError": True}
    assert error["server_name"] == "git"


async def test_an_rpc_reports_the_response_as_envelope_and_how_long_it_took(
    bus: Bus, events: Story
) -> None:
    request = {"method": "tools/list"}
    response: dict[str, Any] = {"result": {}}

    async with bus.operation("rpc_request", envelope=request, transport="stdio") as op:
        assert op.args is request
        op.result = response

    after = only(events, "after_rpc_response")
    assert after["envelope"] is response
    assert after["request_envelope"] is request
    assert after["transport"] == "stdio"
    assert after["duration_ms"] > 0


async def test_a_failed_rpc_reports_the_request_as_envelope(bus: Bus, events: Story) -> None:
    request = {"method": "tools/list"}

    async def work() -> None:
        async with bus.operation("rpc_request", envelope=request, transport="sse") as op:
            op.result = {"error": {"code": -32000}}
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        await work()

    assert only(events, "error_rpc_request")["envelope"] is request


async def test_the_after_hook_drops_what_the_contract_has_only_before(
    bus: Bus, events: Story
) -> None:
    async with bus.operation("prompt_apply", template_id="t", parameters={"a": 1}) as prompt:
        prompt.result = "rendered text"
    async with bus.operation("resource_fetch", uri="file:///x") as resource:
        resource.result = "text"
        resource.set(mime_type="text/plain")
    async with bus.operation("model_select", preferences={}, available_models=["m"]) as choice:
        choice.result = "m"

    assert "parameters" not in only(events, "after_prompt_apply")
    assert only(events, "after_prompt_apply")["rendered"] == "rendered text"
    assert only(events, "after_resource_fetch")["content"] == "text"
    assert only(events, "after_resource_fetch")["mime_type"] == "text/plain"
    assert "preferences" not in only(events, "after_model_select")
    assert only(events, "after_model_select")["selected_model"] == "m"


async def test_a_noun_outside_the_catalogue_has_hooks_named_after_it(
    bus: Bus, events: Story
) -> None:
    async with bus.operation("teleport", args={"to": "mars"}) as op:
        assert op.args == {"to": "mars"}
        op.result = "arrived"

    assert names(events) == [
        "operation_opened",
        "before_teleport",
        "after_teleport",
        "operation_closed",
    ]
    assert only(events, "after_teleport")["result"] == "arrived"


async def test_an_operation_inside_another_names_its_parent(bus: Bus, events: Story) -> None:
    async with bus.operation("agent_call") as outer, bus.operation("llm_generate") as first:
        pass
    assert first.parent_call_id == outer.call_id

    async with bus.operation("agent_call") as outer:
        with bus.operation("workflow_run") as middle:
            async with bus.operation("tool_call") as inner:
                pass
        async with bus.operation("tool_call") as second:
            pass

    assert [op.parent_call_id for op in (outer, middle, inner, second)] == [
        None,
        outer.call_id,
        middle.call_id,
        outer.call_id,
    ]
    assert len({op.call_id for op in (outer, middle, inner, second, first)}) == 5


async def test_concurrent_operations_have_the_operation_that_started_them_as_parent(
    bus: Bus, events: Story
) -> None:
    ready = asyncio.Barrier(3)

    async def child() -> Operation:
        async with bus.operation("tool_call") as op:
            await ready.wait()
            async with bus.operation("rpc_request") as inner:
                assert inner.parent_call_id == op.call_id
        return op

    async with asyncio.timeout(5), bus.operation("agent_call") as agent:
        children = await asyncio.gather(child(), child(), child())

    assert {op.parent_call_id for op in children} == {agent.call_id}


async def test_a_thread_with_a_copied_context_keeps_the_parent(bus: Bus, events: Story) -> None:
    def work() -> str | None:
        with bus.operation("tool_call") as op:
            return op.parent_call_id

    async with bus.operation("agent_call") as agent:
        assert await asyncio.to_thread(work) == agent.call_id

    parents: list[str | None] = []
    thread = threading.Thread(target=lambda: parents.append(work()))
    with bus.operation("agent_call"):
        thread.start()
        thread.join(5)
    assert parents == [None]


async def test_an_operation_ended_in_another_task_leaves_no_parent_behind(
    bus: Bus, events: Story
) -> None:  # telemetry E1: entered by the caller, left by a child task
    op = bus.operation("workflow_run")
    async with bus.operation("agent_call") as agent:
        await op.__aenter__()
        await asyncio.create_task(op.__aexit__(None, None, None))
        async with bus.operation("tool_call") as following:
            pass

    assert following.parent_call_id == agent.call_id
    assert names(events).count("operation_closed") == 3


async def test_operations_left_behind_closed_do_not_pile_up(bus: Bus, events: Story) -> None:
    for _ in range(20):
        op = bus.operation("workflow_run")
        await op.__aenter__()
        await asyncio.create_task(op.__aexit__(None, None, None))

    current = next(
        value
        for var, value in contextvars.copy_context().items()
        if var.name == "instrument.operation"
    )
    assert sum(type(item) is type(current) for item in _reachable(current)) == 1


async def test_a_task_that_outlives_its_operation_is_not_the_child_of_a_closed_one(
    bus: Bus, events: Story
) -> None:
    go_on = asyncio.Event()

    async def straggler() -> str | None:
        await go_on.wait()
        async with bus.operation("tool_call") as op:
            return op.parent_call_id

    async with bus.operation("agent_call") as agent:
        async with bus.operation("workflow_run"):
            task = asyncio.create_task(straggler())
        go_on.set()
        async with asyncio.timeout(5):
            assert await task == agent.call_id


async def test_an_operation_of_another_bus_is_not_a_parent(bus: Bus, events: Story) -> None:
    other = Bus()
    other.observe_all(lambda name, /, **_: None)

    async with (
        bus.operation("agent_call") as outer,
        other.operation("tool_call") as foreign,
        bus.operation("llm_generate") as inner,
    ):
        pass

    assert foreign.parent_call_id is None
    assert inner.parent_call_id == outer.call_id


async def test_an_operation_entered_again_is_a_new_one(bus: Bus, events: Story) -> None:
    op = bus.operation("tool_call")
    async with op:
        first = op.call_id
    async with op:
        second = op.call_id

    assert first != second
    assert names(events).count("operation_closed") == 2


async def test_the_id_of_an_operation_is_known_before_it_begins(bus: Bus, events: Story) -> None:
    op = bus.operation("tool_call")
    call_id = op.call_id
    async with op:
        pass

    assert [kwargs["call_id"] for _, kwargs in events] == [call_id] * 4


async def test_operations_that_end_out_of_order_leave_nothing_current(
    bus: Bus, events: Story
) -> None:
    first, second = bus.operation("agent_call"), bus.operation("tool_call")
    await first.__aenter__()
    await second.__aenter__()
    await first.__aexit__(None, None, None)
    await second.__aexit__(None, None, None)

    async with bus.operation("llm_generate") as following:
        assert following.parent_call_id is None


async def test_a_context_is_no_way_back_to_the_payload_of_a_closed_operation(
    bus: Bus, events: Story
) -> None:
    class Payload:
        pass

    payload = Payload()
    contexts: list[contextvars.Context] = []
    async with bus.operation("tool_call", args=payload):
        contexts.append(contextvars.copy_context())
    events.clear()

    holders = gc.get_referrers(payload)
    assert not any(isinstance(holder, contextvars.Context) for holder in holders)
    frame = next(value for var, value in contexts[0].items() if var.name == "instrument.operation")
    assert not any(value is payload for value in _reachable(frame))


def _reachable(start: object) -> Iterator[object]:
    seen: set[int] = set()
    stack = [start]
    while stack:
        item = stack.pop()
        if id(item) in seen or isinstance(item, type | Bus):
            continue
        seen.add(id(item))
        yield item
        stack.extend(gc.get_referents(item))


@pytest.mark.parametrize(
    "kind",
    [
        *(operations.Frame, operations.Operation, operations.RepeatableOperation),
        *(operations.OperationDecision, deliberation._Chain, deliberation._Level),
        *(Decision, Outcome, Interceptor),
        *(stream.Step, stream.StepContext, stream.StreamMeter),
    ],
)
def test_what_is_made_for_each_operation_has_no_dict_of_its_own(kind: type) -> None:
    assert kind.__dictoffset__ == 0


async def test_an_operation_that_nobody_heard_begin_stays_silent(bus: Bus) -> None:
    async with bus.operation("tool_call") as op:
        with capture_hook("after_tool_call", bus=bus) as calls:
            await op.__aexit__(None, None, None)

    with bus.operation("tool_call") as op, capture_hook("after_tool_call", bus=bus) as sync_calls:
        op.__exit__(None, None, None)

    assert calls == sync_calls == []
    assert op.parent_call_id is None
    assert op.call_id == op.call_id


async def test_an_operation_without_observers_returns_its_kwargs() -> None:
    bus = Bus()
    async with bus.operation("tool_call", args={"a": 1}) as op:
        op.chunk()
        op.set(usage=None)
        assert op.args == {"a": 1}
        assert op.noun == "tool_call"
        assert [piece async for piece in op.stream(_letters())] == ["a", "b"]
        assert list(op.stream(["c"])) == ["c"]
        with bus.operation("llm_generate") as inner:
            assert inner.args is None


async def _letters() -> AsyncIterator[str]:
    for letter in "ab":
        await asyncio.sleep(0)
        yield letter


async def test_call_runs_a_function_as_an_operation(bus: Bus, events: Story) -> None:
    async def add(op: Operation) -> int:
        op.set(server_name="math")
        return int(op.args["a"]) + 1

    assert await bus.call("tool_call", add, tool_name="add", args={"a": 1}) == 2
    assert await bus.call("tool_call", lambda op: op.args["a"], args={"a": 5}) == 5
    assert bus.call_sync("tool_call", lambda op: op.args + 1, args=6) == 7

    first, *others = (kwargs for name, kwargs in events if name == "after_tool_call")
    assert (first["result"], first["server_name"]) == (2, "math")
    assert [kwargs["result"] for kwargs in others] == [5, 7]


async def test_call_lets_exceptions_through(bus: Bus, events: Story) -> None:
    def fail(op: Operation) -> None:
        raise LookupError(op.noun)

    with pytest.raises(LookupError):
        await bus.call("tool_call", fail)
    with pytest.raises(LookupError):
        bus.call_sync("tool_call", fail)

    assert names(events).count("error_tool_call") == 2


# A body is a list of operations: (is it async?, how it ends, the operations inside it).
Body = list[tuple[bool, str, Any]]
_bodies: st.SearchStrategy[Body] = st.recursive(
    st.just([]),
    lambda inner: st.lists(
        st.tuples(st.booleans(), st.sampled_from(["return", "raise", "cancel"]), inner),
        max_size=3,
    ),
    max_leaves=8,
)
_ENDS = {"raise": ValueError, "cancel": asyncio.CancelledError}


async def _perform(bus: Bus, body: Body) -> None:
    for is_async, end, inner in body:
        try:
            if is_async:
                async with bus.operation("tool_call"):
                    await _end(bus, end, inner)
            else:
                with bus.operation("tool_call"):
                    await _end(bus, end, inner)
        except (ValueError, asyncio.CancelledError):
            pass


async def _end(bus: Bus, end: str, inner: Body) -> None:
    await _perform(bus, inner)
    if end in _ENDS:
        raise _ENDS[end]


def _expected(body: Body) -> list[str]:
    events = []
    for _, end, inner in body:
        outcome = "after_tool_call" if end == "return" else "error_tool_call"
        events += ["operation_opened", "before_tool_call", *_expected(inner)]
        events += [outcome, "operation_closed"]
    return events


@given(_bodies, st.sets(st.integers(0, 40)))
def test_every_operation_is_reported_once_and_nested_as_it_ran(
    body: Body, failing: set[int]
) -> None:
    bus = Bus()
    events: Story = []

    def observe(name: str, /, **kwargs: Any) -> None:
        if name == "hook_failed":
            return
        events.append((name, kwargs))
        if len(events) in failing:
            raise ValueError("a bug in an observer")

    bus.observe_all(observe)
    asyncio.run(_perform(bus, body))

    assert names(events) == _expected(body)
    open_ids: list[str] = []
    for name, kwargs in events:
        if name == "operation_opened":
            assert kwargs["parent_call_id"] == (open_ids[-1] if open_ids else None)
            open_ids.append(kwargs["call_id"])
        assert kwargs["call_id"] == open_ids[-1]
        if name == "operation_closed":
            open_ids.pop()
    assert open_ids == []


async def test_an_exception_that_leaves_is_not_its_own_cause(bus: Bus, events: Story) -> None:
    with pytest.raises(ValueError, match="x") as from_async:
        async with bus.operation("tool_call"):
            raise ValueError("x")
    with pytest.raises(ValueError, match="x") as from_sync, bus.operation("tool_call"):
        raise ValueError("x")

    assert from_async.value.__cause__ is from_sync.value.__cause__ is None


@pytest.mark.parametrize("is_async", [True, False])
async def test_an_interrupt_of_a_closing_observer_leaves_an_operation_that_is_closed(
    bus: Bus, events: Story, is_async: bool
) -> None:
    def interrupt(**_: Any) -> None:
        raise KeyboardInterrupt

    async def agent() -> None:
        if is_async:
            async with bus.operation("tool_call"):
                pass
        else:
            with bus.operation("tool_call"):
                pass

    bus.register("after_tool_call", interrupt)

    with pytest.raises(KeyboardInterrupt):
        await agent()

    assert names(events)[2:] == ["after_tool_call", "operation_closed"]
    assert only(events, "operation_closed")["status"] == "cancelled"
    assert isinstance(only(events, "operation_closed")["exc"], KeyboardInterrupt)


def test_what_is_streamed_when_the_operation_is_over_is_not_inside_it(bus: Bus) -> None:
    ambient = contextvars.ContextVar("ambient", default="outside")
    bus.register("operation_opened", lambda **_: ambient.set("inside"))
    with bus.operation("llm_generate") as op:
        pass
    ambient.set("outside")

    assert list(op.stream(ambient.get() for _ in range(2))) == ["outside", "outside"]
