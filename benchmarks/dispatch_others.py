"""The other cases: the code of mcp-agent, and five public registries.

Of the five contracts only 000 lists code that runs. 001 is that of amplifier-core and 002 that of
Strands, which are measured themselves; 003 and 004 describe theirs in words.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction
from typing import Any

import amplifier_core.hooks as amplifier
import blinker
import pluggy
import pyee
import pyee.asyncio
import strands.hooks as strands
from dispatch_floors import ASYNC_COUNTS
from dispatch_ours import (
    CONTROL_EMIT,
    DISPATCH,
    EMIT_ASYNC,
    EMIT_SYNC,
    GUARD,
    TYPED_INVOKE,
)
from dispatch_work import (
    CALL,
    CONTROL,
    DECIDE_FIVE,
    DECIDE_ONE,
    EMIT,
    FIVE_SYNC,
    NOTHING,
    ONE_SYNC,
    REFUSE,
    SEND,
    cancel,
    observer,
    on_event,
    sync_observer,
)
from measuring import Case

MCP_AGENT = "mcp-agent"

SYNC_COUNTS = ((NOTHING, 0), (ONE_SYNC, 1), (FIVE_SYNC, 5))
DECIDED = ((DECIDE_ONE, 1), (DECIDE_FIVE, 5))


def other_cases() -> Iterator[Case]:
    """Give all that is not ours."""
    yield Case(NOTHING, "mcp-agent, guarded", GUARD, defaultdict(list).get)
    for work, count in SYNC_COUNTS:
        yield Case(work, MCP_AGENT, EMIT, _mcp_agent([sync_observer] * count), EMIT_ASYNC)
    for work, count in ASYNC_COUNTS:
        yield Case(work, MCP_AGENT, EMIT, _mcp_agent([observer] * count), EMIT_ASYNC)
    yield from _blinker()
    yield from _pluggy()
    yield from _pyee()
    yield from _strands()
    yield from _amplifier()


def _mcp_agent(observers: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Return the emit function of mcp-agent."""
    hooks: dict[str, list[Callable[..., Any]]] = defaultdict(list)
    if observers:
        hooks["before_tool_call"].extend(observers)
    module: dict[str, Any] = {
        "_hooks": hooks,
        "iscoroutinefunction": iscoroutinefunction,
        "_logger": logging.getLogger("mcp-agent"),
    }
    exec(  # globals, as in mcp-agent's module
        "async def _emit(name, *a, **k):\n"
        "    for cb in _hooks.get(name, []):\n"
        "        try:\n"
        "            if iscoroutinefunction(cb):\n"
        "                await cb(*a, **k)\n"
        "            else:\n"
        "                cb(*a, **k)\n"
        "        except Exception:\n"
        "            _logger.exception('Hook %s failed in %s', name, cb)\n",
        module,
    )
    emit: Callable[..., Any] = module["_emit"]
    return emit


_receivers: list[Callable[..., Any]] = []  # blinker holds receivers weakly


def _signal(count: int, fn: Callable[..., Any]) -> blinker.Signal:
    signal = blinker.Signal()
    for _ in range(count):
        receiver = _distinct(fn)
        _receivers.append(receiver)
        signal.connect(receiver)
    return signal


def _distinct(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of a function, for libraries that register a function only once."""
    return type(fn)(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def _blinker() -> Iterator[Case]:
    for work, count in SYNC_COUNTS:
        signal = _signal(count, sync_observer)
        yield Case(work, "blinker, send", SEND, signal.send, EMIT_SYNC)
    for work, count in ASYNC_COUNTS:
        signal = _signal(count, observer)
        yield Case(work, "blinker, send_async", EMIT, signal.send_async, EMIT_ASYNC)


def _pluggy_call(count: int, returned: object = None, *, is_first: bool = False) -> Any:
    specified, implemented = pluggy.HookspecMarker("bench"), pluggy.HookimplMarker("bench")

    def before_tool_call(tool_name: str, args: Any, context: Any) -> object:
        return returned

    manager = pluggy.PluginManager("bench")
    specification = specified(firstresult=is_first)(_distinct(before_tool_call))
    manager.add_hookspecs(type("Specification", (), {"before_tool_call": specification}))
    for number in range(count):
        plugin = type("Plugin", (), {})()
        plugin.before_tool_call = implemented(_distinct(before_tool_call))
        manager.register(plugin, name=str(number))
    return manager.hook.before_tool_call


def _pluggy() -> Iterator[Case]:
    for work, count in SYNC_COUNTS:
        yield Case(work, "pluggy", CALL, _pluggy_call(count), EMIT_SYNC)
    for work, count in DECIDED:
        call = _pluggy_call(count, is_first=True)
        yield Case(work, "pluggy, firstresult", CALL, call, "instrument, dispatch_sync")
    call = _pluggy_call(1, "deny", is_first=True)
    yield Case(REFUSE, "pluggy, firstresult", CALL, call, DISPATCH)


def _pyee() -> Iterator[Case]:
    for work, count in SYNC_COUNTS:
        emitter = pyee.EventEmitter()
        for _ in range(count):
            emitter.add_listener("before_tool_call", _distinct(sync_observer))
        yield Case(work, "pyee, emit", SEND, emitter.emit, EMIT_SYNC)
    for work, count in ASYNC_COUNTS:
        emitter = pyee.asyncio.AsyncIOEventEmitter()
        for _ in range(count):
            emitter.add_listener("before_tool_call", _distinct(observer))
        statement = f"{SEND}; await wait()"
        names = {"wait": emitter.wait_for_complete}
        yield Case(work, "pyee, emit and wait", statement, emitter.emit, EMIT_ASYNC, names)


def _strands() -> Iterator[Case]:
    for work, count in ((NOTHING, 0), *DECIDED):
        yield _strands_case(work, on_event, count)
    yield _strands_case(REFUSE, cancel, 1)


def _strands_case(work: str, callback: Callable[[Any], None], count: int) -> Case:
    registry = strands.HookRegistry()
    for _ in range(count):
        registry.add_callback(strands.BeforeToolCallEvent, callback)
    statement = (
        "await f(Event(agent=None, selected_tool=None, "
        "tool_use={'name': 'search', 'toolUseId': '1', 'input': {}}, invocation_state={}))"
    )
    names = {"Event": strands.BeforeToolCallEvent}
    invoke = registry.invoke_callbacks_async
    return Case(work, "strands, invoke_callbacks_async", statement, invoke, TYPED_INVOKE, names)


def _amplifier() -> Iterator[Case]:
    async def go_on(event: str, data: dict[str, Any]) -> Any:
        return amplifier.HookResult()

    async def refuse(event: str, data: dict[str, Any]) -> Any:
        return amplifier.HookResult(action="deny", reason="no")

    for work, handler, count in (
        (NOTHING, go_on, 0),
        (DECIDE_ONE, go_on, 1),
        (DECIDE_FIVE, go_on, 5),
        (REFUSE, refuse, 1),
    ):
        registry = amplifier.HookRegistry()
        for number in range(count):
            registry.register("tool:pre", handler, name=str(number))
        yield Case(work, "amplifier-core, emit", CONTROL, registry.emit, CONTROL_EMIT)
