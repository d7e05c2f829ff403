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
from inspector.agent_side.policies.judge import Judge
from inspector.agent_side.policies.locations import PolicyFile
from inspector.agent_side.policies.open_operations import OperationTracker
from inspector.agent_side.policies.sources import load_or_deny
from instrument import Bus
from instrument.default import bus as default_bus
from instrument.once import once
from subscribers.bridge.sessions import Sessions

LAST = 1_000_000
"""The priority of policies: what they judge is what runs."""
NAME = "policies"

_logger = logging.getLogger("inspector")
_lock = Lock()
_installed: dict[int, tuple[int, Callable[[], None], Bus]] = {}
"""By bus: how often, how to undo it, and the bus itself, so that its id stays its own."""


def install(bus: Bus | None, sources: Sequence[PolicyFile], prices_file: str) -> Callable[[], None]:
    """Enforce the policies of `sources` on `bus`; see `inspector.policies.install`."""
    bus = bus or default_bus
    with _lock:
        count, undo, _ = _installed.get(id(bus), (0, None, bus))
        if undo is None:
            rules = [one for source in sources if (one := load_or_deny(source)) is not None]
            undo = enforce(bus, rules, prices_file=prices_file)
        _installed[id(bus)] = (count + 1, undo, bus)
    return once(partial(_take_off, bus))


def _take_off(bus: Bus) -> None:
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
    """Enforce `rules` on `bus`; an event that none of them covers costs nothing.

    Returns:
        A function that undoes it.
    """
    if not rules:
        return lambda: None
    _tell(rules)
    budgets = [budget for one in rules for budget in one.budgets]
    ledger, operations = Ledger(budgets, now_s), OperationTracker()
    sessions = Sessions(context.get)
    current = partial(_current, sessions)
    judge = Judge(rules, ledger, operations, current)
    hooks = {hook for one in rules for hook in (*one.policies.hooks, *one.breakpoints.hooks)}
    hooks |= {hook for budget in budgets for hook in budget.gates}
    offs = [
        bus.intercept(
            hook,
            partial(judge.decide, hook),
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
        offs += _follow_operations(bus, judge, operations)
    if budgets:
        offs += _keep_books(bus, ledger, operations, sessions, current, prices_file)

    def undo() -> None:
        for off in offs:
            off()

    return undo


def _current(sessions: Sessions) -> str | None:
    kwargs: dict[str, Any] = {}
    sessions.add_to(kwargs, is_root=False)
    return kwargs.get("$session")


def _follow_operations(
    bus: Bus, judge: Judge, operations: OperationTracker
) -> list[Callable[[], None]]:
    def opened(**told: Any) -> None:
        operations.opened(told["call_id"], told["parent_call_id"], told["noun"], told["kwargs"])

    def closed(**told: Any) -> None:
        judge.closed(told["call_id"], told.get("exc"))

    return [bus.observe("operation_opened", opened), bus.observe("operation_closed", closed)]


def _keep_books(
    bus: Bus,
    ledger: Ledger,
    operations: OperationTracker,
    sessions: Sessions,
    current: Callable[[], str | None],
    prices_file: str | None,
) -> list[Callable[[], None]]:
    from inspector.agent_side.policies.usage import UsageReader, read_prices  # noqa: PLC0415 - reads a spec

    reader = UsageReader(read_prices(prices_file))

    def started(**told: Any) -> None:
        sessions.begin(told.get("session_id"), None, None)
        ledger.begin(current())

    def finished(**told: Any) -> None:
        sessions.finish(told.get("session_id"))

    def used(**told: Any) -> None:
        usage = operations.own_usage(told.get("call_id"), reader.read(told))
        ledger.spend(usage, current())

    def failed(**told: Any) -> None:
        if told.get("usage") is not None:  # one that failed mostly has none, and that is no riddle
            used(**told)

    def asked(**told: Any) -> None:
        ledger.wait(told["request_id"], current())

    def answered(**told: Any) -> None:
        ledger.go_on(told["request_id"])

    def paused(**told: Any) -> None:
        ledger.wait(_pause(told), current())

    def resumed(**told: Any) -> None:
        ledger.go_on(_pause(told))

    heard = {
        "session_started": started,
        "session_finished": finished,
        "after_llm_generate": used,
        "error_llm_generate": failed,
        "request_opened": asked,
        "request_closed": answered,
        "session_paused": paused,
        "session_resumed": resumed,
    }
    return [bus.observe(hook, hear) for hook, hear in heard.items()]


def _pause(told: Mapping[str, Any]) -> str:
    return f"pause {told.get('session_id')} {told.get('signal_name')}"


def _tell(rules: Sequence[Rules]) -> None:
    for one in rules:
        _logger.info(
            "%s is in force: %d policies, %d breakpoints, %d budgets.",
            one.file,
            len(one.policies.policies),
            len(one.breakpoints.policies),
            len(one.budgets),
        )
