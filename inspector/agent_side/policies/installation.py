"""Installation of policies on a bus, and their removal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from time import monotonic
from typing import Any

from inspector import context
from inspector.agent_side.policies.budgets import Ledger
from inspector.agent_side.policies.file import Rules
from inspector.agent_side.policies.interceptor import PolicyInterceptor
from inspector.agent_side.policies.locations import PolicyFile
from inspector.agent_side.policies.open_operations import OperationTracker
from inspector.agent_side.policies.sources import load_or_deny
from instrument import Bus
from instrument.default import bus as default_bus
from instrument.once import once
from subscribers.bridge.sessions import Sessions

LAST = 1_000_000
"""The priority of policies: last, so that they see the final arguments."""
NAME = "policies"

_logger = logging.getLogger("inspector")
_lock = Lock()
_installed: dict[int, tuple[int, Callable[[], None], Bus]] = {}
"""Bus id → count, undo, and the bus itself, so that its id stays unique."""


def install(bus: Bus | None, sources: Sequence[PolicyFile], prices_file: str) -> Callable[[], None]:
    """Enforce the policies of `sources` on `bus`; see `policies.install`."""
    bus = bus or default_bus
    with _lock:
        count, undo, _ = _installed.get(id(bus), (0, None, bus))
        if undo is None:
            rules = [one for source in sources if (one := load_or_deny(source)) is not None]
            undo = enforce(bus, rules, prices_file=prices_file)
        _installed[id(bus)] = (count + 1, undo, bus)
    return once(partial(_remove, bus))


def _remove(bus: Bus) -> None:
    with _lock:
        count, undo, _ = _installed[id(bus)]
        if count > 1:
            _installed[id(bus)] = (count - 1, undo, bus)
            return
        del _installed[id(bus)]
    undo()


def enforce(
    bus: Bus,
    rules: Sequence[Rules],
    *,
    prices_file: str | None = None,
    now_s: Callable[[], float] = monotonic,
) -> Callable[[], None]:
    """Enforce `rules` on `bus`; an event without a rule costs nothing.

    Returns:
        A function that undoes it.
    """
    if not rules:
        return lambda: None
    for one in rules:
        _logger.info(
            "%s is in force: %d policies, %d breakpoints, %d budgets.",
            one.file,
            len(one.policies.policies),
            len(one.breakpoints.policies),
            len(one.budgets),
        )
    budgets = [budget for one in rules for budget in one.budgets]
    ledger, operations = Ledger(budgets, now_s), OperationTracker()
    sessions = Sessions(context.get)
    current = partial(_current, sessions)
    interceptor = PolicyInterceptor(rules, ledger, operations, current)
    hooks = {hook for one in rules for hook in (*one.policies.hooks, *one.breakpoints.hooks)}
    hooks |= {hook for budget in budgets for hook in budget.gates}
    offs = [
        bus.intercept(
            hook,
            partial(interceptor.decide, hook),
            priority=LAST,
            name=NAME,
            on_error="deny",
            quiet=True,
        )
        for hook in sorted(hooks)
    ]
    knows_agents = any(
        policy.agents is not None
        for one in rules
        for policy in (*one.policies.policies, *one.breakpoints.policies)
    )
    if budgets or knows_agents:
        offs += _follow_operations(bus, interceptor, operations)
    if budgets:
        offs += _account_usage(bus, ledger, operations, sessions, current, prices_file)

    def undo() -> None:
        for off in offs:
            off()

    return undo


def _current(sessions: Sessions) -> str | None:
    kwargs: dict[str, Any] = {}
    sessions.add_to(kwargs, is_root=False)
    return kwargs.get("$session")


def _follow_operations(
    bus: Bus, interceptor: PolicyInterceptor, operations: OperationTracker
) -> list[Callable[[], None]]:
    def opened(
        call_id: str, parent_call_id: str | None, noun: str, kwargs: Mapping[str, Any], **_: Any
    ) -> None:
        operations.opened(call_id, parent_call_id, noun, kwargs)

    def closed(call_id: str, exc: object = None, **_: Any) -> None:
        interceptor.closed(call_id, exc)

    return [bus.observe("operation_opened", opened), bus.observe("operation_closed", closed)]


def _account_usage(
    bus: Bus,
    ledger: Ledger,
    operations: OperationTracker,
    sessions: Sessions,
    current: Callable[[], str | None],
    prices_file: str | None,
) -> list[Callable[[], None]]:
    from inspector.agent_side.policies.usage import UsageReader, read_prices  # noqa: PLC0415 - reads a spec

    reader = UsageReader(read_prices(prices_file))

    def started(session_id: str | None = None, **_: Any) -> None:
        sessions.begin(session_id, None, None)
        ledger.begin(current())

    def used(**kwargs: Any) -> None:
        usage = operations.own_usage(kwargs.get("call_id"), reader.read(kwargs))
        ledger.spend(usage, current())

    def failed(**kwargs: Any) -> None:
        if kwargs.get("usage") is not None:  # a failed call without one is not of unknown usage
            used(**kwargs)

    observers: Mapping[str, Callable[..., object]] = {
        "session_started": started,
        "session_finished": lambda session_id=None, **_: sessions.finish(session_id),
        "after_llm_generate": used,
        "error_llm_generate": failed,
        "request_opened": lambda request_id, **_: ledger.wait(request_id, current()),
        "request_closed": lambda request_id, **_: ledger.resume(request_id),
        "session_paused": lambda **kwargs: ledger.wait(_pause_id(kwargs), current()),
        "session_resumed": lambda **kwargs: ledger.resume(_pause_id(kwargs)),
    }
    return [bus.observe(hook, observer) for hook, observer in observers.items()]


def _pause_id(kwargs: Mapping[str, Any]) -> str:
    return f"pause {kwargs.get('session_id')} {kwargs.get('signal_name')}"
