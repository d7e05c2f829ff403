"""Deliberation: run the interceptors of one event and combine their decisions.

They run in order until one ends the chain; a person is asked last, about the final data. No failure
counts as consent: an invalid decision denies, one that breaks the contract raises or denies, and
from the first `ask_user` on every failure denies.

The loop awaits nothing without need: one interceptor without an objection costs 41 times an awaited
empty coroutine, and would cost 57 with a coroutine for each step (`benchmarks/bench_dispatch.py`).
Tests compare it with the plain version.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from inspect import isawaitable
from time import perf_counter_ns
from typing import Any, cast

from instrument.approvals import ApprovalAnswer
from instrument.asking import Subject, ask_person
from instrument.contracts import changes_of, check_changes
from instrument.decision import CHANGING, ENDING, NO_CHANGES, Decision, Outcome, Verdict
from instrument.delivery import HOOK_FAILED, is_our_own_cancellation
from instrument.edits import copies_of, edited
from instrument.errors import HookContractError, HookFailed, MalformedDecisionError
from instrument.interceptors import Interceptor, Registry
from instrument.question import Question
from instrument.waiting import Channel, Waiting

HOOK_DECIDED = "hook_decided"
PERSON = "approval"
"""Name of a person's answer in the trail."""

MAX_DEPTH = 8
"""Limit of decisions on an event inside a decision on it; an interceptor may emit."""

GOING_ON = Decision.continue_()
"""The decision for a returned None."""

_logger = logging.getLogger("mcp.instrument")


class _Level:
    """A running decision, and the one around it.

    Contexts outlive decisions (a task that an interceptor starts has a copy for its lifetime), so
    the outcome is dropped at the end, and levels without one are skipped.
    """

    __slots__ = ("outcome", "outer")

    def __init__(self, outcome: Outcome, outer: _Level | None) -> None:
        self.outcome: Outcome | None = outcome
        self.outer = outer


_deciding: ContextVar[_Level | None] = ContextVar("instrument.deciding", default=None)


def being_decided() -> Outcome | None:
    """Return the current outcome of the event that the calling interceptor decides on."""
    level = _open_level()
    return None if level is None else level.outcome


def _open_level() -> _Level | None:
    level = _deciding.get()
    while level is not None and level.outcome is None:
        level = level.outer
    return level


def _depth(level: _Level | None, hook: str) -> int:
    """Return the number of running decisions on `hook`, from `level` outward."""
    depth = 0
    while level is not None:
        if level.outcome is not None and level.outcome.hook == hook:
            depth += 1
        level = level.outer
    return depth


async def decide(
    bus: Channel,
    waiting: Waiting,
    outcome: Outcome,
    *,
    spelling: str | None = None,
    registry: Registry | None = None,
    asks: bool = True,
) -> None:
    """Let the interceptors of `outcome.hook` decide on `outcome.data`; fill in the rest.

    When this raises, the outcome has the decisions until then.

    Args:
        bus: The bus of the interceptors.
        waiting: The way to wait for them.
        outcome: Outcome of the event, with its kwargs.
        spelling: Name of the event in another vocabulary: interceptors of another name of the same
            event are skipped.
        registry: Registry that emits the event, if it is not the bus: interceptors of another
            registry of its vocabulary are skipped.
        asks: Whether to ask a person; else the action stays `ask_user`, for the caller to ask.

    Raises:
        Exception: Raised by an interceptor with `on_error="raise"`.
        HookContractError: It broke the contract, or the event is being decided inside itself
            more than `MAX_DEPTH` times.
    """
    outer = _open_level()
    if _depth(outer, outcome.hook) >= MAX_DEPTH:
        raise HookContractError(
            f"{outcome.hook} is being decided inside itself {MAX_DEPTH} times: an interceptor "
            "emits the event that it decides on. Emit another, or only from the outside."
        )
    inner = _Level(outcome, outer)
    _deciding.set(inner)
    try:
        chain = _Chain(bus, waiting, outcome, registry)
        await chain.run(spelling)
        if outcome.action == "ask_user" and asks:
            await chain.ask()
    finally:
        inner.outcome = None
        # Not `reset`: a coroutine may be closed in another context.
        if _deciding.get() is inner:
            _deciding.set(outer)


class _Chain:
    """A run of the interceptors of one event."""

    __slots__ = ("_askers", "_bus", "_copies", "_is_closed", "_outcome", "_registry", "_waiting")

    def __init__(
        self, bus: Channel, waiting: Waiting, outcome: Outcome, registry: Registry | None
    ) -> None:
        self._bus = bus
        self._waiting = waiting
        self._outcome = outcome
        self._registry = registry
        self._copies: Mapping[str, Any] | None = None  # of writable kwargs, before an edit
        self._is_closed = False  # from now on every failure denies
        self._askers: list[tuple[str, Any]] = []

    async def run(self, spelling: str | None = None) -> None:
        """Run one interceptor after the other, until one ends the chain."""
        outcome, table, registry = self._outcome, self._bus._hooks, self._registry
        is_from_a_view = spelling is not None or registry is not None
        for entry in table.get(outcome.hook, ()):
            if type(entry) is not Interceptor:
                return  # observers come last
            if is_from_a_view and not entry.is_for(spelling, registry):
                continue
            self._copies = self._copies or copies_of(outcome.hook, outcome.data)
            name, began_ns = entry.name, perf_counter_ns()
            try:
                decision, changes = GOING_ON, NO_CHANGES
                returned = entry.fn(**outcome.data)
                if returned is not None and _must_be_awaited(returned):
                    returned = await self._waiting.finish(returned, entry.timeout_s)
                if returned is not None:
                    changes = self._changes_of(returned, entry.name)
                    decision, name = returned, returned.by or name
            except (Exception, asyncio.CancelledError) as error:
                if is_our_own_cancellation(error):
                    raise
                decision, changes = await self._after_failure(entry, error), NO_CHANGES
            decision, changes = self._with_edits(decision, changes)
            event = self._record(name, decision, changes, began_ns, entry.is_quiet)
            if event is not None:
                await self._waiting.notify(HOOK_DECIDED, event)
            if decision is not GOING_ON and self._apply(name, decision, changes, entry.fn):
                return

    def _with_edits(
        self, decision: Decision, changes: Mapping[str, Any]
    ) -> tuple[Decision, Mapping[str, Any]]:
        """Add edits in place to the changes, where the event continues."""
        if not self._copies or decision.action in ENDING:
            return decision, changes
        edits = edited(self._copies, self._outcome.data)
        if edits and decision.action == "continue":
            decision = Decision.modify(reason=decision.reason)
        return decision, {**edits, **changes} if edits else changes

    def _changes_of(self, decision: Decision, name: str) -> Mapping[str, Any]:
        changes = changes_of(self._outcome.hook, decision, name)
        has_effect = decision.action in CHANGING or decision.action == "retry"
        return changes if has_effect else NO_CHANGES

    async def _after_failure(self, interceptor: Interceptor, error: BaseException) -> Decision:
        hook, name = self._outcome.hook, interceptor.name
        _logger.warning("Interceptor %s failed on %s", name, hook, exc_info=error)
        if HOOK_FAILED in self._bus._hooks:
            call_id = self._outcome.data.get("call_id")
            event = {"call_id": call_id, "hook": hook, "handler": name, "exc": error}
            await self._waiting.notify(HOOK_FAILED, event)
        is_malformed = isinstance(error, MalformedDecisionError)
        if self._is_closed or is_malformed or interceptor.on_error == "deny":
            return Decision.deny(_failure(name, error))
        if interceptor.on_error == "raise":
            if isinstance(error, Exception):
                raise error
            raise HookFailed(  # it cancelled itself, not us
                f"{name} was cancelled on {hook}", hook=hook, interceptor=name
            ) from error
        if isinstance(error, HookContractError):
            return Decision.deny(_failure(name, error))
        return Decision.continue_(_failure(name, error))

    def _apply(
        self, name: str, decision: Decision, changes: Mapping[str, Any], fn: Any = None
    ) -> bool:
        """Apply a decision; return whether it ends the chain."""
        outcome = self._outcome
        if decision.action in CHANGING:
            self._copies = None
            outcome.data = {**outcome.data, **changes}
            outcome.changes.update(changes)
        if decision.user_message is not None:
            outcome.user_messages.append(decision.user_message)
        injection = decision.injection if decision.action == "inject_context" else None
        if injection is not None:
            outcome.injections.append(injection._replace(source=name))
        if decision.action == "ask_user":
            self._askers.append((name, fn))
            self._add_question(name, decision)
        if decision.action not in ENDING:
            return False
        outcome.action, outcome.reason = decision.action, decision.reason
        outcome.decided_by = name
        outcome.retry_changes = dict(changes)
        outcome.stop_value = decision.value if decision.action == "stop" else None
        return True

    def _add_question(self, name: str, decision: Decision) -> None:
        """Store the first question; a timeout allows only if all questions say so."""
        outcome, question = self._outcome, cast(Question, decision.question)
        if outcome.question is None:
            outcome.question, outcome.action = question, "ask_user"
            outcome.reason, outcome.decided_by = decision.reason, name
            self._is_closed = True
        elif outcome.question.default != question.default:
            outcome.question = outcome.question._replace(default="deny")

    async def ask(self) -> None:
        """Ask a person about the final data, and apply the answer."""
        outcome = self._outcome
        question = cast(Question, outcome.question)
        began_ns = perf_counter_ns()
        # All names: `allow always` for one asker does not cover the others.
        names = dict.fromkeys(name for name, _ in self._askers)
        callbacks = tuple(fn for _, fn in self._askers)
        subject = Subject(outcome.hook, ", ".join(names), outcome.data, callbacks)
        answer = await ask_person(self._bus, self._waiting, question, subject)
        outcome.approval, outcome.decided_by = answer, PERSON
        edits = dict(answer.changes)
        decision = await self._granted(answer, edits)
        event = self._record(PERSON, decision, edits, began_ns, answer=answer)
        if event is not None:
            await self._waiting.notify(HOOK_DECIDED, event)
        outcome.action, outcome.reason = "continue", decision.reason
        self._apply(PERSON, decision, edits)

    async def _granted(self, answer: ApprovalAnswer, edits: dict[str, Any]) -> Decision:
        if not answer.is_granted:
            return Decision.deny(answer.reason or f"refused: {answer.decision}")
        objection = await self._objection(edits) if edits else None
        if objection is None:  # last: policies that look at an edit may change it in place
            objection = answer.objection_to({**self._outcome.data, **edits})
        if objection is not None:
            return Decision.deny(objection)
        return Decision("modify" if edits else "continue", reason=answer.reason)

    async def _objection(self, edits: dict[str, Any]) -> str | None:
        """Run the interceptors again, on data that a person edited.

        Only an objection counts: a form must not bypass a policy, and nothing changes after the
        person has seen it.
        """
        edited = Outcome(self._outcome.hook, {**self._outcome.data, **edits})
        try:
            check_changes(edited.hook, edits, "the person")
        except HookContractError as error:
            return str(error)
        again = _Chain(self._bus, self._waiting, edited, self._registry)
        again._is_closed = True
        await again.run()
        if edited.action in ENDING:
            return edited.reason or f"{edited.action} by {edited.decided_by}"
        return None

    def _record(
        self,
        name: str,
        decision: Decision,
        changes: Mapping[str, Any],
        began_ns: int,
        is_quiet: bool = False,
        *,
        answer: ApprovalAnswer | None = None,
    ) -> dict[str, Any] | None:
        """Add a decision to the trail; return the kwargs of `hook_decided`, if it is observed."""
        if is_quiet and decision is GOING_ON:
            return None
        outcome = self._outcome
        took_us = (perf_counter_ns() - began_ns) / 1000
        actor, origin = (None, None) if answer is None else (answer.actor, answer.origin)
        outcome.trail.append(Verdict(name, decision.action, took_us, decision.reason, actor))
        if HOOK_DECIDED not in self._bus._hooks:
            return None
        was = {**outcome.data, **(self._copies or {})}
        after = decision.value if decision.action == "stop" else dict(changes) or None
        return {
            "call_id": outcome.data.get("call_id"),
            "hook": outcome.hook,
            "interceptor": name,
            "action": decision.action,
            "reason": decision.reason,
            "microseconds": took_us,
            "before": {kwarg: was.get(kwarg) for kwarg in changes} or None,
            "after": after,
            "actor": actor,
            "origin": origin,
        }


def _must_be_awaited(returned: object) -> bool:
    return type(returned) is not Decision and isawaitable(returned)


def _failure(name: str, error: BaseException) -> str:
    if isinstance(error, HookContractError):
        return str(error) if name in str(error) else f"{name}: {error}"
    return f"{name} failed: {type(error).__name__}: {error}"
