"""What an event costs its emitter: `python benchmarks/bench_emit.py`.

Ratios from one run, because nanoseconds of one machine say little about another. Rounds of all
cases are interleaved and the best of each counts, so that a busy moment hits all alike.

The seed's code is that of its listing: a defaultdict of lists, `iscoroutinefunction` per call.
The floor with three kwargs is a coroutine that takes them and does nothing: no `async def` that
accepts `**kwargs` can be faster. Other libraries are measured where they are installed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import sys
from collections import defaultdict
from collections.abc import Callable, Coroutine
from inspect import iscoroutinefunction
from pathlib import Path
from time import perf_counter_ns
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from instrument import Bus
from instrument.control import HookRegistry, HookResult
from instrument.flow import AgentEvent, HookPoint
from instrument.typed import BeforeToolCallEvent
from instrument.typed import HookRegistry as TypedRegistry

ROUNDS = 40
EMITS_PER_ROUND = 1000

EMPTY = "empty await"
Case = tuple[str, Callable[..., Any]]
"""The statement to run, and what it calls as `f`."""

AWAIT = "await f()"
EMIT = "await f('before_tool_call', tool_name='search', args=None, context=None)"
GUARDED = "if f('before_tool_call'): pass"
OPERATION = "async with f('tool_call', tool_name='search', args=None, context=None): pass"
OPERATION_SYNC = "with f('tool_call', tool_name='search', args=None, context=None): pass"
SEND = "f('x', tool_name='search', args=None, context=None)"
CALL = "f(tool_name='search', args=None, context=None)"
RUN = "await f('tool_call', work, tool_name='search', args=None, context=None)"
DISPATCH = "await f('before_tool_call', tool_name='search', args=None, context=None)"
CONTROL = "await f('tool:pre', {'tool_name': 'search', 'tool_input': None})"


async def empty() -> None:
    """Do nothing."""


async def empty_with_kwargs(name: str, /, *args: Any, **kwargs: Any) -> None:
    """Do nothing with what an emission carries."""


async def observer(**kwargs: Any) -> None:
    """Observe nothing."""


def sync_observer(**kwargs: Any) -> None:
    """Observe nothing."""


def seed_emit(*observers: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, None]]:
    """Return the emit function of seed 000 §3."""
    logger = logging.getLogger("seed")
    hooks: dict[str, list[Callable[..., Any]]] = defaultdict(list)
    hooks["before_tool_call"].extend(observers)
    if not observers:
        hooks.clear()
    module = {"_hooks": hooks, "iscoroutinefunction": iscoroutinefunction, "_logger": logger}
    exec(  # globals, as in the seed's module
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
    emit: Callable[..., Coroutine[Any, Any, None]] = module["_emit"]  # type: ignore[assignment] # made by exec
    return emit


def plain_loop(*callbacks: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, None]]:
    """Return the least that calls async observers."""

    async def emit(name: str, /, **kwargs: Any) -> None:
        for callback in callbacks:
            await callback(**kwargs)

    return emit


def bus_with(hook: str | None = None, fn: Callable[..., Any] = observer) -> Bus:
    """Return a bus with one observer, or none."""
    bus = Bus()
    if hook is not None:
        bus.register(hook, fn)
    return bus


def bus_with_observer_of_all() -> Bus:
    """Return a bus where a plain function hears everything."""
    bus = Bus()
    bus.observe_all(lambda name, **kwargs: None)
    return bus


def bus_deciding(count: int, hook: str = "before_tool_call") -> Bus:
    """Return a bus where `count` interceptors have no objection."""
    bus = Bus()
    for _ in range(count):
        bus.intercept(hook, sync_observer)
    return bus


def bus_with_many(count: int) -> Bus:
    """Return a bus where `count` observers hear of a tool call."""
    bus = Bus()
    for _ in range(count):
        bus.register("before_tool_call", observer)
    return bus


def work(op: Any) -> None:
    """Do nothing as an operation."""


async def handle(event: str, data: dict[str, Any]) -> HookResult:
    """Have no objection, as a handler of the control vocabulary."""
    return HookResult()


def vocabularies() -> dict[str, Case]:
    """Return one decision of each vocabulary."""
    control, typed, flow = Bus(), Bus(), Bus()
    HookRegistry(control).register("tool:pre", handle)
    TypedRegistry(typed).add_callback(BeforeToolCallEvent, work)
    HookPoint(bus=flow).on(AgentEvent.BEFORE_TOOL_EXECUTION).handle()
    return {
        "control, emit, one handler": (CONTROL, HookRegistry(control).emit),
        "control, dispatch, one handler": (DISPATCH, control.dispatch),
        "typed, dispatch, one call-back": (DISPATCH, typed.dispatch),
        "flow, dispatch, one rule": (DISPATCH, flow.dispatch),
    }


def cases() -> dict[str, Case]:
    """Return what is measured."""
    one = bus_with("before_tool_call")
    sync_one = bus_with("before_tool_call", sync_observer)
    return {
        EMPTY: (AWAIT, empty),
        "empty await with the kwargs": (EMIT, empty_with_kwargs),
        "seed, idle": (EMIT, seed_emit()),
        "emit, idle": (EMIT, bus_with()._emit),
        "guard, idle": (GUARDED, bus_with()._hooks.get),
        "plain loop, one async": (EMIT, plain_loop(observer)),
        "seed, one async": (EMIT, seed_emit(observer)),
        "emit, one async": (EMIT, one._emit),
        "emit, one sync": (EMIT, sync_one._emit),
        "operation, idle": (OPERATION, bus_with().operation),
        "operation, one async before": (OPERATION, one.operation),
        "operation, one async after": (OPERATION, bus_with("after_tool_call").operation),
        "operation, observer of all": (OPERATION, bus_with_observer_of_all().operation),
        "plain loop, five async": (EMIT, plain_loop(*[observer] * 5)),
        "seed, five async": (EMIT, seed_emit(*[observer] * 5)),
        "emit, five async": (EMIT, bus_with_many(5)._emit),
        "operation, five async before": (OPERATION, bus_with_many(5).operation),
        "call, idle": (RUN, Bus().call),
        "call, one async before": (RUN, one.call),
        "call, five async before": (RUN, bus_with_many(5).call),
        "dispatch, idle": (DISPATCH, Bus().dispatch),
        "dispatch, one interceptor": (DISPATCH, bus_deciding(1).dispatch),
        "dispatch, five interceptors": (DISPATCH, bus_deciding(5).dispatch),
        "operation, one interceptor": (OPERATION, bus_deciding(1).operation),
        "call, one interceptor": (RUN, bus_deciding(1).call),
        **vocabularies(),
        "sync operation, idle": (OPERATION_SYNC, bus_with().operation),
        "sync operation, one sync": (OPERATION_SYNC, sync_one.operation),
        **other_libraries(),
    }


def other_libraries() -> dict[str, Case]:
    """Return the same emission by libraries that happen to be installed, one sync observer."""
    found: dict[str, Case] = {}
    if importlib.util.find_spec("blinker"):
        import blinker  # noqa: PLC0415 - only where installed

        signal = blinker.Signal()
        signal.connect(_receive)
        found["blinker, one sync"] = (SEND, signal.send)
    if importlib.util.find_spec("pluggy"):
        import pluggy  # noqa: PLC0415 - only where installed

        manager = pluggy.PluginManager("bench")
        manager.add_hookspecs(_specification(pluggy.HookspecMarker("bench")))
        manager.register(_specification(pluggy.HookimplMarker("bench")))
        found["pluggy, one sync"] = (CALL, manager.hook.before_tool_call)
    if importlib.util.find_spec("pyee"):
        from pyee.base import EventEmitter  # noqa: PLC0415 - only where installed

        emitter = EventEmitter()
        emitter.on("x", sync_observer)
        found["pyee, one sync"] = (SEND, emitter.emit)
    return {**found, **other_registries()}


def other_registries() -> dict[str, Case]:
    """Return one decision by registries of other frameworks, where they are installed."""
    found: dict[str, Case] = {}
    if importlib.util.find_spec("strands"):
        import strands.hooks as strands  # noqa: PLC0415 - only where installed

        theirs = strands.HookRegistry()
        theirs.add_callback(strands.BeforeToolCallEvent, work)
        use = {"name": "search", "toolUseId": "1", "input": {}}

        async def invoke() -> None:
            await theirs.invoke_callbacks_async(
                strands.BeforeToolCallEvent(
                    agent=None, selected_tool=None, tool_use=use, invocation_state={}
                )
            )

        found["strands, one call-back"] = (AWAIT, invoke)
    if importlib.util.find_spec("amplifier_core"):
        from amplifier_core.hooks import HookRegistry as Amplifier  # noqa: PLC0415 - as above
        from amplifier_core.models import HookResult as Result  # noqa: PLC0415 - as above

        async def go_on(event: str, data: dict[str, Any]) -> Any:
            return Result(action="continue")

        amplifier = Amplifier()
        amplifier.register("tool:pre", go_on, priority=10, name="go_on")
        found["amplifier, one handler"] = (CONTROL, amplifier.emit)
    return found


def _receive(sender: object, **kwargs: Any) -> None:
    pass


def _specification(marker: Callable[..., Any]) -> object:
    class Hooks:
        @marker
        def before_tool_call(self, tool_name: str, args: Any, context: Any) -> None:
            """Observe nothing."""

    return Hooks if marker.__class__.__name__ == "HookspecMarker" else Hooks()


async def measure(measured: dict[str, Case]) -> dict[str, float]:
    """Return the best time of each case, in nanoseconds."""
    best_ns = dict.fromkeys(measured, float("inf"))
    runners = {name: (_runner(statement), f) for name, (statement, f) in measured.items()}
    for _ in range(ROUNDS):
        for name, (run, f) in runners.items():
            began_ns = perf_counter_ns()
            await run(f, EMITS_PER_ROUND)
            took_ns = (perf_counter_ns() - began_ns) / EMITS_PER_ROUND
            best_ns[name] = min(best_ns[name], took_ns)
    return best_ns


def _runner(statement: str) -> Callable[..., Coroutine[Any, Any, None]]:
    namespace: dict[str, Any] = {}
    namespace["work"] = work
    exec(f"async def run(f, n):\n    for _ in range(n):\n        {statement}\n", namespace)
    run: Callable[..., Coroutine[Any, Any, None]] = namespace["run"]
    return run


RATIOS = [
    ("emit, idle", "seed, idle", 0.6),
    ("emit, idle", EMPTY, 2.2),
    ("emit, idle", "empty await with the kwargs", None),
    ("empty await with the kwargs", EMPTY, None),
    ("guard, idle", EMPTY, 0.25),
    ("guard, idle", "seed, idle", 0.25),
    ("emit, one async", "plain loop, one async", 1.5),
    ("emit, one async", "seed, one async", None),
    ("operation, idle", EMPTY, 8),
    ("operation, one async before", EMPTY, 50),
    ("operation, one async after", EMPTY, 50),
    ("operation, observer of all", EMPTY, None),
    ("emit, five async", "plain loop, five async", 1.5),
    ("emit, five async", "seed, five async", None),
    ("operation, five async before", EMPTY, None),
    ("call, idle", EMPTY, None),
    ("call, one async before", "operation, one async before", None),
    ("dispatch, idle", EMPTY, None),
    ("dispatch, one interceptor", EMPTY, None),
    ("dispatch, five interceptors", "dispatch, one interceptor", None),
    ("operation, one interceptor", "operation, one async before", None),
    ("control, emit, one handler", "amplifier, one handler", None),
    ("typed, dispatch, one call-back", "strands, one call-back", None),
    ("flow, dispatch, one rule", EMPTY, None),
    ("emit, one sync", "blinker, one sync", None),
    ("emit, one sync", "pyee, one sync", None),
    ("emit, one sync", "pluggy, one sync", None),
    ("sync operation, idle", EMPTY, None),
    ("sync operation, one sync", EMPTY, None),
]


def main() -> None:
    """Measure and print."""
    best_ns = asyncio.run(measure(cases()))
    for name, ns in best_ns.items():
        print(f"{name:<32} {ns:8.0f} ns {ns / best_ns[EMPTY]:8.2f} x {EMPTY}")
    print(f"\n{'ratio':<62} {'now':>6}  goal")
    for name, base, goal in RATIOS:
        if base not in best_ns:
            print(f"{name + ' / ' + base:<62}      -  not installed")
            continue
        ratio = best_ns[name] / best_ns[base]
        verdict = "" if goal is None else f"≤ {goal:<5} {'ok' if ratio <= goal else 'MISSED'}"
        print(f"{name + ' / ' + base:<62} {ratio:6.2f}  {verdict}")


if __name__ == "__main__":
    main()
