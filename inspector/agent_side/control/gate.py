"""The gate: pause, step, resume and cancel for the sessions of this process.

While a session is paused or being cancelled, an interceptor before all others lets an operation
begin, holds it or denies it. Otherwise nothing of it is on the bus. Messages on the wire
(`rpc_request`, `rpc_handle`) are part of their operation and never held.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import perf_counter_ns
from typing import Any, NamedTuple
from weakref import WeakSet

from inspector.agent_side.control.hold import OPERATOR, Hold, Issuer, Release
from inspector.agent_side.control.open_requests import AnswerOutcome
from instrument import Bus, Decision
from instrument.catalogue import NOUNS
from subscribers.bridge.location import OpenOperation, TraceLocation

_logger = logging.getLogger("inspector")

FIRST = -(2**63)
"""Priority before every policy: nobody is asked about a held or cancelled operation."""
MAX_SESSIONS = 1_000
"""Limit of sessions that are paused or being cancelled."""
MAX_STEPS = 100
MAX_NOUNS = 1_000
_ON_THE_WIRE = frozenset({"rpc_request", "rpc_handle"})


class SessionRef(NamedTuple):
    """A reference to a session, by its id or the traces by which the service may call it."""

    id: str
    trace_ids: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """All names of the session in trace locations."""
        return frozenset(filter(None, (self.id, *self.trace_ids)))


@dataclass(eq=False, slots=True)
class _Rule:
    """The pause and the cancellation of one session."""

    names: set[str]
    paused_by: Issuer | None = None
    steps: int = 0
    """Number of operations that may still begin."""
    holds: dict[Hold, None] = field(default_factory=dict)
    """The waiting operations, oldest first."""
    cancelled_by: Issuer | None = None
    cancelled_ns: int = 0
    cancelled_tasks: WeakSet[asyncio.Task[Any]] = field(default_factory=WeakSet)
    """Tasks that were cancelled. Once is enough: they may have work to do at their end."""

    @property
    def is_idle(self) -> bool:
        return self.paused_by is None and self.cancelled_by is None


class Gate:
    """The gate of one bus: it holds and cancels operations. Thread-safe."""

    def __init__(
        self,
        bus: Bus,
        location_of: Callable[[str | None], TraceLocation],
        open_operations: Callable[[], list[OpenOperation]],
    ) -> None:
        """Make a gate that lets everything pass."""
        self._bus = bus
        self._location_of = location_of
        self._open_operations = open_operations
        self._offs: list[Callable[[], None]] = []
        self._begin()

    def _begin(self) -> None:
        self._lock = Lock()
        self._rules: dict[str, _Rule] = {}
        """Rules by each name of their session."""
        self._cancelling: dict[_Rule, None] = {}
        self._covered: set[str] = set()

    # --- verbs --------------------------------------------------------------------------------

    def pause(self, session: SessionRef, by: Issuer) -> AnswerOutcome:
        """Pause a session: hold each operation that starts from now on."""
        with self._lock:
            rule = self._rule(session)
            if rule is None:
                return _too_many()
            if rule.paused_by is not None:
                return AnswerOutcome(True, f"already paused by {rule.paused_by}")
            rule.paused_by = by
            self._install()
        return AnswerOutcome(True, None)

    def step(self, session: SessionRef, by: Issuer) -> AnswerOutcome:
        """Let one operation start: the oldest hold, else the next one."""
        with self._lock:
            rule = self._rule(session)
            if rule is None:
                return _too_many()
            rule.paused_by = rule.paused_by or by
            self._install()
            oldest = next(iter(rule.holds), None)
            if oldest is None:
                rule.steps = min(rule.steps + 1, MAX_STEPS)
                return AnswerOutcome(True, "the next operation may start")
            del rule.holds[oldest]
        oldest.release(Release("step", f"one step by {by}"))
        return AnswerOutcome(True, None)

    def resume(self, session: SessionRef, by: Issuer) -> AnswerOutcome:
        """Resume a session; succeeds as well if it is not paused."""
        rule = self._find(session.names)
        if rule is None or rule.paused_by is None:
            return AnswerOutcome(True, "not paused")
        self._release_all(rule, Release("resume", f"resumed by {by}"))
        return AnswerOutcome(True, None)

    def cancel(self, session: SessionRef, by: Issuer) -> AnswerOutcome:
        """Cancel running operations, and deny new ones until all running ones have ended."""
        with self._lock:
            rule = self._rule(session)
            if rule is None:
                return _too_many()
            was_paused = rule.paused_by is not None
            rule.cancelled_by, rule.cancelled_ns = by, perf_counter_ns()
            self._cancelling[rule] = None
            rule.cancelled_tasks = WeakSet()
            self._install()  # before looking for running operations: new ones are denied
        running = self._running(rule)
        release = Release("cancel", f"cancelled by {by}")
        holds = self._unpause(rule)
        for one in holds:
            one.expect(release)
        # Tasks first: a hold released before would run on, into a denial that it can swallow.
        count = self._cancel_tasks(rule, by, running)
        for one in holds:
            one.release(release)
        self.refresh()
        if not running:
            return AnswerOutcome(was_paused, "nothing is running in this process")
        uninterruptible = sum(one.task is None for one in _outermost(running))
        return AnswerOutcome(
            count > 0 or uninterruptible > 0, _cancel_reason(count, uninterruptible)
        )

    def release_all(self, why: str) -> None:
        """Release every hold, because no operator is left to do so."""
        with self._lock:
            rules = list(dict.fromkeys(self._rules.values()))
        for rule in rules:
            if rule.paused_by is not None:
                _logger.warning("A session paused by %s resumes: %s.", rule.paused_by, why)
                self._release_all(rule, Release("withdraw", f"resumed: {why}"))

    def refresh(self) -> None:
        """Drop finished cancellations; repeat those with running operations."""
        with self._lock:
            cancelling = list(self._cancelling)
        for rule in cancelling:
            by = rule.cancelled_by
            if by is None:  # another thread has dropped it
                continue
            running = self._running(rule)
            if running:
                self._cancel_tasks(rule, by, running)
                continue
            with self._lock:
                rule.cancelled_by = None
                self._cancelling.pop(rule, None)
                self._tidy(rule)

    def close(self, why: str) -> None:
        """Release all holds, and drop all cancellations."""
        self.release_all(why)
        with self._lock:
            self._rules.clear()
            self._cancelling.clear()
            self._uninstall()

    def forget(self) -> None:
        """Start afresh in a forked child: holds and cancellations are the parent's."""
        self._begin()
        self._uninstall()

    # --- the interceptor ----------------------------------------------------------------------

    def _on_before(self, hook: str, /, **kwargs: Any) -> Decision | Hold | None:
        call_id = kwargs.get("call_id")
        rule = self._rule_at(self._location_of(call_id))
        if rule is None:
            return None
        with self._lock:
            if rule.cancelled_by is not None:
                return Decision.deny(f"cancelled by {rule.cancelled_by}")
            if rule.paused_by is None:
                return None
            if rule.steps:
                rule.steps -= 1
                return Decision.continue_(f"one step by {rule.paused_by}")
            hold = Hold(self._bus, rule.paused_by, hook, call_id, partial(self._drop_hold, rule))
            rule.holds[hold] = None
        return hold if asyncio._get_running_loop() is not None else hold.block()

    def _on_opened(self, **kwargs: Any) -> None:
        """Cover a noun outside the catalogue, before its before hook is dispatched."""
        noun = kwargs.get("noun")
        if isinstance(noun, str) and noun not in self._covered:
            with self._lock:
                if self._offs and len(self._covered) < MAX_NOUNS:
                    self._cover(noun)

    def _on_closed(self, **_: Any) -> None:
        if self._cancelling:
            self.refresh()

    # --- rules; those with "lock held" are called so ------------------------------------------

    def _rule_at(self, location: TraceLocation) -> _Rule | None:
        rules, (session_id, trace_id, _, run_id) = self._rules, location
        named = rules.get(session_id or "") or rules.get(trace_id or "")
        return named or rules.get(run_id or "")

    def _find(self, names: frozenset[str]) -> _Rule | None:
        return next((self._rules[name] for name in names if name in self._rules), None)

    def _rule(self, session: SessionRef) -> _Rule | None:
        """Return the rule of a session, made if need be; lock held."""
        rule = self._find(session.names)
        if rule is None:
            if len({id(known) for known in self._rules.values()}) >= MAX_SESSIONS:
                return None
            rule = _Rule(set())
        rule.names |= session.names - self._rules.keys()
        self._rules.update(dict.fromkeys(rule.names, rule))
        return rule

    def _release_all(self, rule: _Rule, release: Release) -> None:
        for one in self._unpause(rule):
            one.release(release)

    def _unpause(self, rule: _Rule) -> list[Hold]:
        """Pause no longer; return the holds to release."""
        with self._lock:
            holds, rule.holds = list(rule.holds), {}
            rule.paused_by, rule.steps = None, 0
            self._tidy(rule)
        return holds

    def _drop_hold(self, rule: _Rule, hold: Hold) -> None:
        with self._lock:
            rule.holds.pop(hold, None)

    def _tidy(self, rule: _Rule) -> None:
        """Drop a rule without effect; lock held."""
        if rule.is_idle:
            for name in rule.names:
                if self._rules.get(name) is rule:
                    del self._rules[name]
        if not self._rules:
            self._uninstall()

    # --- hooks on the bus ---------------------------------------------------------------------

    def _install(self) -> None:
        if self._offs:
            return
        for noun in NOUNS:
            self._cover(noun)
        self._offs.append(self._bus.observe("operation_opened", self._on_opened))
        self._offs.append(self._bus.observe("operation_closed", self._on_closed))

    def _cover(self, noun: str) -> None:
        if noun in self._covered or noun in _ON_THE_WIRE:
            return
        self._covered.add(noun)
        hook = f"before_{noun}"
        off = self._bus.intercept(
            hook,
            partial(self._on_before, hook),
            priority=FIRST,
            name=OPERATOR,
            on_error="continue",
            quiet=True,
        )
        self._offs.append(off)

    def _uninstall(self) -> None:
        offs, self._offs = self._offs, []
        self._covered = set()
        for off in offs:
            off()

    # --- cancelling ---------------------------------------------------------------------------

    def _running(self, rule: _Rule) -> list[OpenOperation]:
        """Return the operations of a session that ran when it was cancelled and still run."""
        return [
            one
            for one in self._open_operations()
            if one.began_ns <= rule.cancelled_ns and self._rule_at(one.location) is rule
        ]

    def _cancel_tasks(self, rule: _Rule, by: Issuer, running: list[OpenOperation]) -> int:
        """Cancel the tasks of the outermost operations, each once; return their number.

        A blocked loop cancels when it continues.
        """
        count = 0
        for one in _outermost(running):
            with self._lock:
                if one.task is None or one.task in rule.cancelled_tasks:
                    continue
                rule.cancelled_tasks.add(one.task)
            with suppress(RuntimeError):  # its loop has been closed
                one.task.get_loop().call_soon_threadsafe(self._cancel_task, one, one.task, by)
                count += 1
        return count

    def _cancel_task(self, one: OpenOperation, task: asyncio.Task[Any], by: Issuer) -> None:
        """Cancel a task on its own loop; report the issuer before the operation ends."""
        if task.done():
            return
        reason = f"cancelled by {by}"
        try:
            self._bus.dispatch_sync(
                "hook_decided",
                call_id=one.call_id,
                hook="operation_cancelled",
                interceptor=OPERATOR,
                action="deny",
                reason=reason,
                microseconds=0.0,
                before=None,
                after=None,
            )
        finally:
            task.cancel(reason)


def _too_many() -> AnswerOutcome:
    return AnswerOutcome(False, f"{MAX_SESSIONS} sessions are already paused or cancelled")


def _outermost(running: list[OpenOperation]) -> list[OpenOperation]:
    spans = {one.location.span_id for one in running}
    return [one for one in running if one.parent_span_id not in spans]


def _cancel_reason(count: int, uninterruptible: int) -> str | None:
    if not uninterruptible:
        return None if count else "its event loops are closed"
    parts = [f"{count} cancelled"] if count else []
    parts.append(
        f"{uninterruptible} in sync code, which cannot be interrupted: their next operation is "
        "denied"
    )
    return "; ".join(parts)
