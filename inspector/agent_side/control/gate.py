"""The gate: pause, step, resume and cancel for the sessions of this process.

Nothing of it is on the bus while no session is held or being cancelled. While one is, an
interceptor in front of all others lets an operation begin, hold or be denied. Messages on the
wire (`rpc_request`, `rpc_handle`) are part of the operation that they serve and never held.
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

from inspector.agent_side.control.hold import OPERATOR, By, Hold, Release
from inspector.agent_side.control.open_requests import AnswerOutcome
from instrument import Bus, Decision
from instrument.catalogue import NOUNS
from subscribers.bridge.location import OpenOperation, TraceLocation

_logger = logging.getLogger("inspector")

FIRST = -(2**63)
"""Before every policy: what is held or cancelled is not to be asked about."""
MAX_SESSIONS = 1_000
"""That are held or being cancelled."""
MAX_STEPS = 100
MAX_NOUNS = 1_000
_ON_THE_WIRE = frozenset({"rpc_request", "rpc_handle"})


class SessionRef(NamedTuple):
    """A reference to a session, by its id or the traces by which the service may call it."""

    id: str
    trace_ids: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """All names by which a location may refer to the session."""
        return frozenset(filter(None, (self.id, *self.trace_ids)))


@dataclass(eq=False, slots=True)
class _Rule:
    """What counts for one session."""

    names: set[str]
    held_by: By | None = None
    steps: int = 0
    """How many operations may still begin."""
    held: dict[Hold, None] = field(default_factory=dict)
    """Oldest first."""
    cancelled_by: By | None = None
    cancelled_ns: int = 0
    told: WeakSet[asyncio.Task[Any]] = field(default_factory=WeakSet)
    """Tasks that were cancelled: once is enough, they may have work to do at their end."""

    @property
    def is_idle(self) -> bool:
        return self.held_by is None and self.cancelled_by is None


class Gate:
    """Holds and cancels the operations of one bus. Thread-safe."""

    def __init__(
        self,
        bus: Bus,
        place_of: Callable[[str | None], TraceLocation],
        open_operations: Callable[[], list[OpenOperation]],
    ) -> None:
        """Make one that lets everything pass."""
        self._bus = bus
        self._place_of = place_of
        self._open_operations = open_operations
        self._offs: list[Callable[[], None]] = []
        self._begin()

    def _begin(self) -> None:
        self._lock = Lock()
        self._rules: dict[str, _Rule] = {}
        """By each name of their sessions."""
        self._cancelling: dict[_Rule, None] = {}
        self._covered: set[str] = set()

    # --- what an operator may do --------------------------------------------------------------

    def pause(self, session: SessionRef, by: By) -> AnswerOutcome:
        """Hold each operation that starts from now on."""
        with self._lock:
            rule = self._rule(session)
            if rule is None:
                return AnswerOutcome(False, f"{MAX_SESSIONS} sessions are held already")
            if rule.held_by is not None:
                return AnswerOutcome(True, f"held already, by {rule.held_by}")
            rule.held_by = by
            self._put_on()
        return AnswerOutcome(True, None)

    def step(self, session: SessionRef, by: By) -> AnswerOutcome:
        """Let one operation start: the longest held, else the next."""
        with self._lock:
            rule = self._rule(session)
            if rule is None:
                return AnswerOutcome(False, f"{MAX_SESSIONS} sessions are held already")
            rule.held_by = rule.held_by or by
            self._put_on()
            oldest = next(iter(rule.held), None)
            if oldest is None:
                rule.steps = min(rule.steps + 1, MAX_STEPS)
                return AnswerOutcome(True, "the next operation may begin")
            del rule.held[oldest]
        oldest.release(Release("step", f"one step by {by}"))
        return AnswerOutcome(True, None)

    def resume(self, session: SessionRef, by: By) -> AnswerOutcome:
        """Resume a session; succeeds as well if it is not held."""
        rule = self._find(session.names)
        if rule is None or rule.held_by is None:
            return AnswerOutcome(True, "was not held")
        self._let_go(rule, Release("resume", f"resumed by {by}"))
        return AnswerOutcome(True, None)

    def cancel(self, session: SessionRef, by: By) -> AnswerOutcome:
        """Cancel running operations, and deny new ones until all of those have ended."""
        with self._lock:
            rule = self._rule(session)
            if rule is None:
                return AnswerOutcome(False, f"{MAX_SESSIONS} sessions are held already")
            was_held = rule.held_by is not None
            rule.cancelled_by, rule.cancelled_ns = by, perf_counter_ns()
            self._cancelling[rule] = None
            rule.told = WeakSet()
            self._put_on()  # before looking what runs: what begins now is denied
        running = self._running(rule)
        release = Release("cancel", f"cancelled by {by}")
        held = self._take_held(rule)
        for one in held:
            one.expect(release)
        # Tasks first: one that is let go before would run on, into a denial that it can swallow.
        told = self._cancel_tasks(rule, by, running)
        for one in held:
            one.release(release)
        self.refresh()
        if not running:
            return AnswerOutcome(was_held, "nothing of it runs here")
        unheard = sum(one.task is None for one in _outermost(running))
        return AnswerOutcome(told > 0 or unheard > 0, _what_was_told(told, unheard))

    def let_all_go(self, why: str) -> None:
        """Release every hold, as no operator is left to do so."""
        for rule in self._all_rules():
            if rule.held_by is not None:
                _logger.warning("A session held by %s goes on: %s.", rule.held_by, why)
                self._let_go(rule, Release("withdraw", f"it goes on: {why}"))

    def refresh(self) -> None:
        """Drop finished cancellations; repeat those with operations still running."""
        with self._lock:
            cancelling = list(self._cancelling)
        for rule in cancelling:
            by = rule.cancelled_by
            if by is None:  # meanwhile, by another thread
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
        self.let_all_go(why)
        with self._lock:
            self._rules.clear()
            self._cancelling.clear()
            self._take_off()

    def forget(self) -> None:
        """Start afresh in a forked child: holds and cancellations are the parent's."""
        self._begin()
        self._take_off()

    # --- the interceptor ----------------------------------------------------------------------

    def _on_before(self, hook: str, /, **kwargs: Any) -> Decision | Hold | None:
        call_id = kwargs.get("call_id")
        rule = self._rule_at(self._place_of(call_id))
        if rule is None:
            return None
        with self._lock:
            if rule.cancelled_by is not None:
                return Decision.deny(f"cancelled by {rule.cancelled_by}")
            if rule.held_by is None:
                return None
            if rule.steps:
                rule.steps -= 1
                return Decision.continue_(f"one step by {rule.held_by}")
            held = Hold(self._bus, rule.held_by, hook, call_id, partial(self._forget_held, rule))
            rule.held[held] = None
        return held if asyncio._get_running_loop() is not None else held.block()

    def _on_opened(self, **kwargs: Any) -> None:
        """Be there for nouns of one's own, before their before hook is told."""
        noun = kwargs.get("noun")
        if isinstance(noun, str) and noun not in self._covered:
            with self._lock:
                if self._offs and len(self._covered) < MAX_NOUNS:
                    self._cover(noun)

    def _on_closed(self, **_: Any) -> None:
        if self._cancelling:
            self.refresh()

    # --- rules; those with "lock held" are called so ------------------------------------------

    def _rule_at(self, place: TraceLocation) -> _Rule | None:
        rules = self._rules
        return rules.get(place.session_id or "") or rules.get(place.trace_id or "")

    def _find(self, names: frozenset[str]) -> _Rule | None:
        return next((self._rules[name] for name in names if name in self._rules), None)

    def _all_rules(self) -> list[_Rule]:
        with self._lock:
            return list(dict.fromkeys(self._rules.values()))

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

    def _let_go(self, rule: _Rule, release: Release) -> None:
        for one in self._take_held(rule):
            one.release(release)

    def _take_held(self, rule: _Rule) -> list[Hold]:
        """Hold no longer; return what is to be released."""
        with self._lock:
            held, rule.held = list(rule.held), {}
            rule.held_by, rule.steps = None, 0
            self._tidy(rule)
        return held

    def _forget_held(self, rule: _Rule, held: Hold) -> None:
        with self._lock:
            rule.held.pop(held, None)

    def _tidy(self, rule: _Rule) -> None:
        """Drop a rule that says nothing any more; lock held."""
        if rule.is_idle:
            for name in rule.names:
                if self._rules.get(name) is rule:
                    del self._rules[name]
        if not self._rules:
            self._take_off()

    # --- being on the bus ---------------------------------------------------------------------

    def _put_on(self) -> None:
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

    def _take_off(self) -> None:
        offs, self._offs = self._offs, []
        self._covered = set()
        for off in offs:
            off()

    # --- cancelling ---------------------------------------------------------------------------

    def _running(self, rule: _Rule) -> list[OpenOperation]:
        """Return what of a session had begun when it was cancelled, and has not ended."""
        return [
            one
            for one in self._open_operations()
            if one.began_ns <= rule.cancelled_ns and self._rule_at(one.place) is rule
        ]

    def _cancel_tasks(self, rule: _Rule, by: By, running: list[OpenOperation]) -> int:
        """Cancel the tasks of the outermost operations, each once; return how many were told.

        A loop that is blocked does it when it comes back.
        """
        count = 0
        for one in _outermost(running):
            with self._lock:
                if one.task is None or one.task in rule.told:
                    continue
                rule.told.add(one.task)
            with suppress(RuntimeError):  # its loop has been closed
                one.task.get_loop().call_soon_threadsafe(self._cancel_task, one, one.task, by)
                count += 1
        return count

    def _cancel_task(self, one: OpenOperation, task: asyncio.Task[Any], by: By) -> None:
        """Do it, on the task's own loop; and say who wanted it before the operation ends."""
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


def _outermost(running: list[OpenOperation]) -> list[OpenOperation]:
    spans = {one.place.span_id for one in running}
    return [one for one in running if one.parent_span_id not in spans]


def _what_was_told(told: int, unheard: int) -> str | None:
    if not unheard:
        return None if told else "the event loops that it ran on are closed"
    parts = [f"{told} cancelled"] if told else []
    parts.append(
        f"{unheard} in sync code, which cannot be interrupted: it is refused what it begins next"
    )
    return "; ".join(parts)
