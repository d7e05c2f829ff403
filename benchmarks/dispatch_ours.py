"""Benchmark cases of our own dispatch: the bus, and each vocabulary on top of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dispatch_work import (
    CONTROL,
    DECIDE_FIVE,
    DECIDE_ONE,
    EMIT,
    FIVE_ASYNC,
    FIVE_SYNC,
    KWARGS,
    NOTHING,
    ONE_ASYNC,
    ONE_SYNC,
    OPERATION,
    REFUSE,
    SEND,
    cancel,
    observer,
    on_event,
    sync_observer,
)
from measuring import Case

from instrument import Bus, Decision
from instrument.control import HookRegistry, HookResult
from instrument.flow import AgentEvent, HookDecision, HookPoint
from instrument.guidance import SessionStateTracker, attach_gate
from instrument.typed import BeforeToolCallEvent
from instrument.typed import HookRegistry as TypedRegistry

EMIT_ASYNC = "instrument, await _emit"
EMIT_SYNC = "instrument, _emit_sync"
GUARDED = "instrument, guarded"
DISPATCH = "instrument, dispatch"
CONTROL_EMIT = "control, emit (async)"
TYPED_INVOKE = "typed, invoke_callbacks_async"

HOOK = "before_tool_call"
GUARD = f"if f('{HOOK}'): pass"
ASYNC_WITH = f"async with f('tool_call', {KWARGS}): pass"
WITH = f"with f('tool_call', {KWARGS}): pass"
RUN = f"await f('tool_call', work, {KWARGS})"
INVOKE = "await f(Event(None, None, {'name': 'search', 'toolUseId': '1', 'input': {}}, {}))"
EVENT = {"Event": BeforeToolCallEvent}


def our_cases() -> Iterator[Case]:
    """Yield all cases of our own packages."""
    yield Case(NOTHING, EMIT_ASYNC, EMIT, Bus()._emit)
    yield Case(NOTHING, EMIT_SYNC, SEND, Bus()._emit_sync)
    yield Case(NOTHING, GUARDED, GUARD, Bus()._hooks.get)
    yield Case(NOTHING, DISPATCH, EMIT, Bus().dispatch)
    yield Case(NOTHING, CONTROL_EMIT, CONTROL, HookRegistry(Bus()).emit)
    yield Case(
        NOTHING, TYPED_INVOKE, INVOKE, TypedRegistry(Bus()).invoke_callbacks_async, names=EVENT
    )
    for work, count in ((ONE_SYNC, 1), (FIVE_SYNC, 5)):
        yield Case(work, EMIT_ASYNC, EMIT, _observed(sync_observer, count)._emit)
        yield Case(work, EMIT_SYNC, SEND, _observed(sync_observer, count)._emit_sync)
    for work, count in ((ONE_ASYNC, 1), (FIVE_ASYNC, 5)):
        yield Case(work, EMIT_ASYNC, EMIT, _observed(observer, count)._emit)
    for work, count in ((DECIDE_ONE, 1), (DECIDE_FIVE, 5)):
        yield from _deciding(work, count)
    yield from _refusing()
    yield from _operations()


def _observed(fn: Callable[..., Any], count: int, hook: str = HOOK) -> Bus:
    bus = Bus()
    for _ in range(count):
        bus.register(hook, fn)
    return bus


def _intercepted(fn: Callable[..., Any], count: int) -> Bus:
    bus = Bus()
    for _ in range(count):
        bus.intercept(HOOK, fn)
    return bus


def _deciding(work: str, count: int) -> Iterator[Case]:
    control, typed, flow, guidance = Bus(), Bus(), Bus(), Bus()
    point = HookPoint(bus=flow)
    tracker = SessionStateTracker()
    tracker.record_tool_call("session_init")
    for _ in range(count):
        HookRegistry(control).register("tool:pre", _go_on)
        TypedRegistry(typed).add_callback(BeforeToolCallEvent, on_event)
        point.on(AgentEvent.BEFORE_TOOL_EXECUTION).when(lambda status: True).handle()
        attach_gate(guidance, tracker)
    yield Case(work, DISPATCH, EMIT, _intercepted(sync_observer, count).dispatch)
    yield Case(work, "instrument, dispatch (async)", EMIT, _intercepted(observer, count).dispatch)
    bus = _intercepted(sync_observer, count)
    yield Case(work, "instrument, dispatch_sync", SEND, bus.dispatch_sync)
    yield Case(work, CONTROL_EMIT, CONTROL, HookRegistry(control).emit)
    yield Case(work, "typed, dispatch", EMIT, typed.dispatch)
    yield Case(work, TYPED_INVOKE, INVOKE, TypedRegistry(typed).invoke_callbacks_async, names=EVENT)
    yield Case(work, "flow, dispatch", EMIT, flow.dispatch)
    yield Case(work, "guidance, dispatch through the gate", EMIT, guidance.dispatch)


def _refusing() -> Iterator[Case]:
    control, typed, flow, guidance = Bus(), Bus(), Bus(), Bus()
    HookRegistry(control).register("tool:pre", _refuse)
    TypedRegistry(typed).add_callback(BeforeToolCallEvent, cancel)
    HookPoint(bus=flow).on(AgentEvent.BEFORE_TOOL_EXECUTION).handle(HookDecision.FAIL, "no")
    attach_gate(guidance, SessionStateTracker())
    deny = Decision.deny("no")
    yield Case(REFUSE, DISPATCH, EMIT, _intercepted(lambda **_: deny, 1).dispatch)
    yield Case(REFUSE, CONTROL_EMIT, CONTROL, HookRegistry(control).emit)
    yield Case(REFUSE, "typed, dispatch", EMIT, typed.dispatch)
    yield Case(
        REFUSE, TYPED_INVOKE, INVOKE, TypedRegistry(typed).invoke_callbacks_async, names=EVENT
    )
    yield Case(REFUSE, "flow, dispatch", EMIT, flow.dispatch)
    yield Case(REFUSE, "guidance, dispatch through the gate", EMIT, guidance.dispatch)


def _operations() -> Iterator[Case]:
    for count, what in ((0, "idle"), (1, "one observer"), (5, "five observers")):
        bus, sync_bus = _observed(observer, count), _observed(sync_observer, count)
        yield Case(OPERATION, f"operation, {what}", ASYNC_WITH, bus.operation)
        yield Case(OPERATION, f"call, {what}", RUN, bus.call, names={"work": on_event})
        yield Case(OPERATION, f"sync operation, {what}", WITH, sync_bus.operation)
    after, all_of_it = _observed(observer, 1, "after_tool_call"), Bus()
    all_of_it.observe_all(sync_observer)
    yield Case(OPERATION, "operation, one observer after", ASYNC_WITH, after.operation)
    yield Case(OPERATION, "operation, observer of all", ASYNC_WITH, all_of_it.operation)
    for count, what in ((1, "one interceptor"), (5, "five interceptors")):
        bus = _intercepted(sync_observer, count)
        yield Case(OPERATION, f"operation, {what}", ASYNC_WITH, bus.operation)
        yield Case(OPERATION, f"call, {what}", RUN, bus.call, names={"work": on_event})


async def _go_on(event: str, data: dict[str, Any]) -> HookResult:
    return HookResult()


async def _refuse(event: str, data: dict[str, Any]) -> HookResult:
    return HookResult("deny", reason="no")
