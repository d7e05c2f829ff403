"""Deliberation: run the interceptors of one event and combine their decisions.

They run in order until one ends the chain; a person is asked last, about the final data. No failure
counts as consent: an invalid decision denies, one that breaks the contract raises or denies, and
from the first `ask_user` on every failure denies.

Most interceptors return None at once, and until one does not, nothing is awaited and nothing is
made but lines of the trail. The rest is a coroutine, which the caller awaits. Tests compare both
with the plain version, and `benchmarks/bench_dispatch.py` with an awaited empty coroutine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from contextvars import ContextVar
from inspect import isawaitable
from time import perf_counter_ns
from types import CoroutineType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from instrument.contracts import changes_of, check_changes
from instrument.decision import CHANGING, ENDING, NO_CHANGES, Decision, Outcome
from instrument.delivery import HOOK_FAILED, Observer, Table, is_our_own_cancellation
from instrument.edits import copies_of, edited
from instrument.errors import HookContractError, HookFailed, MalformedDecisionError
from instrument.interceptors import Interceptor

if TYPE_CHECKING:
    from instrument.approvals import ApprovalAnswer
    from instrument.channel import Channel, Registry, Waiting
    from instrument.parts import Question

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

    __slots__ = ("outcome", "outer")  # set by `decide`: a constructor takes as long as both sets

    outcome: Outcome | None
    outer: _Level | None

    def end(self) -> None:
        """Drop the outcome, and let the level around this one be the innermost again."""
        self.outcome = None
        # Not `reset`: a coroutine may be closed in another context.
        if _deciding.get() is self:
            _deciding.set(self.outer)


_deciding: ContextVar[_Level | None] = ContextVar("instrument.deciding", default=None)


def being_decided() -> Outcome | None:
    """Return the current outcome of the event that the calling interceptor decides on."""
    level = _open(_deciding.get())
    return None if level is None else level.outcome


def _open(level: _Level | None) -> _Level | None:
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


async def _refuse_to_nest(hook: str) -> None:
    raise HookContractError(
        f"{hook} is nested in its own decision {MAX_DEPTH} times: an interceptor emits the event "
        "that it decides on. Emit another event."
    )


def decide(
    bus: Channel,
    waiting: Waiting,
    outcome: Outcome,
    spelling: str | None = None,
    registry: Registry | None = None,
    asks: bool = True,
) -> Coroutine[Any, Any, None] | None:
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

    Returns:
        What is left of it, to be awaited; None if all of them returned None at once. It raises what
        an interceptor with `on_error="raise"` raised, and `HookContractError` if one broke the
        contract, or if the event is being decided inside itself more than `MAX_DEPTH` times.
    """
    outer = _deciding.get()
    if outer is not None:
        outer = _open(outer)
        if _depth(outer, outcome.hook) >= MAX_DEPTH:
            return _refuse_to_nest(outcome.hook)
    level = _Level()
    level.outcome, level.outer = outcome, outer
    _deciding.set(level)
    rest = None
    try:
        entries: Iterator[Observer] = iter(bus._hooks.get(outcome.hook, ()))
        if spelling is not None or registry is not None:
            entries = _only_for(spelling, registry, entries)
        answer = _next_answer(bus._hooks, outcome, entries)
        if answer is not None:
            rest = _Chain(bus, waiting, outcome, registry).finish(answer, entries, asks, level)
            del answer  # the traceback of a failure has this frame: no cycle
    finally:
        if rest is None:
            level.end()
    return rest


_Answer: TypeAlias = tuple[Interceptor, int, Any, BaseException | None, Mapping[str, Any]]
"""An interceptor, when it began, what it returned, what it raised, and copies of what it got."""


def _only_for(
    spelling: str | None, registry: Registry | None, entries: Iterable[Observer]
) -> Iterator[Observer]:
    for entry in entries:
        if type(entry) is not Interceptor or entry.is_for(spelling, registry):
            yield entry


def _next_answer(
    table: Table,
    outcome: Outcome,
    entries: Iterator[Observer],
    copies: Mapping[str, Any] | None = None,
) -> _Answer | None:
    """Call one interceptor after the other until one does more than return None at once.

    Most never do: nothing is made for them but their line in the trail.

    Args:
        table: The table of the bus.
        outcome: Outcome of the event.
        entries: The interceptors still to be called, and the observers.
        copies: Copies of its writable kwargs, if nothing has changed since.
    """
    data = outcome.data
    for entry in entries:
        if type(entry) is not Interceptor:
            return None  # observers come last
        if copies is None:
            copies = copies_of(entry.writable, data)
        began_ns = perf_counter_ns()
        try:
            returned = entry.fn(**data)
            if returned is not None or (copies and edited(copies, data)):
                return entry, began_ns, returned, None, copies
        except BaseException as error:  # noqa: BLE001 - `finish` raises it
            return entry, began_ns, None, error, copies
        if not entry.is_quiet:
            if HOOK_DECIDED in table:
                return entry, began_ns, None, None, copies
            took_us = (perf_counter_ns() - began_ns) / 1000
            outcome._lines.append((entry.name, "continue", took_us, None, None))
    return None


class _Chain:
    """The rest of the run of the interceptors of one event, from the first answer on."""

    __slots__ = ("_askers", "_bus", "_copies", "_outcome", "_registry", "_waiting")

    def __init__(
        self, bus: Channel, waiting: Waiting, outcome: Outcome, registry: Registry | None
    ) -> None:
        self._bus = bus
        self._waiting = waiting
        self._outcome = outcome
        self._registry = registry
        self._copies: Mapping[str, Any] | None = None  # of writable kwargs, before an edit
        self._askers: list[tuple[str, Any]] = []

    async def finish(
        self, answer: _Answer | None, entries: Iterator[Observer], asks: bool, level: _Level
    ) -> None:
        """Put one answer after the other in force, until one ends the chain; then ask a person."""
        table = self._bus._hooks
        try:
            while answer is not None:
                entry, began_ns, returned, failure, self._copies = answer
                name = entry.name
                try:
                    if failure is not None:
                        raise failure
                    if type(returned) is CoroutineType or _must_be_awaited(returned):
                        returned = await self._waiting.finish(returned, entry.timeout_s)
                    decision, changes, name = self._read(returned, name)
                except (Exception, asyncio.CancelledError) as error:
                    if is_our_own_cancellation(error):
                        raise
                    decision, changes = await self._after_failure(entry, error), NO_CHANGES
                decision, changes = self._with_edits(decision, changes)
                if decision is not GOING_ON or not entry.is_quiet:
                    took_us = self._record(name, decision, began_ns)
                    if HOOK_DECIDED in table:
                        event = self._event(name, decision, changes, took_us)
                        await self._waiting.notify(HOOK_DECIDED, event)
                    if decision is not GOING_ON and self._apply(name, decision, changes, entry.fn):
                        return
                answer = _next_answer(table, self._outcome, entries, self._copies)
            if asks and self._outcome.action == "ask_user":
                await self.ask()
        finally:
            answer = failure = None  # as in `decide`
            level.end()

    def _read(self, returned: Any, name: str) -> tuple[Decision, Mapping[str, Any], str]:
        """Return a checked decision, the kwargs that it replaces, and who decided."""
        if returned is None:
            return GOING_ON, NO_CHANGES, name
        changes: Mapping[str, Any] = changes_of(self._outcome.hook, returned, name)
        if returned.action not in CHANGING and returned.action != "retry":
            changes = NO_CHANGES
        return returned, changes, returned.by or name

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

    async def _after_failure(self, interceptor: Interceptor, error: BaseException) -> Decision:
        hook, name = self._outcome.hook, interceptor.name
        _logger.warning("Interceptor %s failed on %s", name, hook, exc_info=error)
        if HOOK_FAILED in self._bus._hooks:
            call_id = self._outcome.data.get("call_id")
            await self._waiting.notify(
                HOOK_FAILED, {"call_id": call_id, "hook": hook, "handler": name, "exc": error}
            )
        is_malformed = isinstance(error, MalformedDecisionError)
        # Once a person is to be asked, every failure denies.
        must_deny = self._outcome.question is not None or is_malformed
        if must_deny or interceptor.on_error == "deny":
            return Decision.deny(_failure(name, error))
        if interceptor.on_error == "raise":
            if isinstance(error, Exception):
                try:
                    raise error
                finally:
                    del error  # as in `decide`
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
            outcome.changes = {**outcome.changes, **changes}
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
        outcome.retry_changes = changes
        outcome.stop_value = decision.value if decision.action == "stop" else None
        return True

    def _add_question(self, name: str, decision: Decision) -> None:
        """Store the first question; a timeout allows only if all questions say so."""
        outcome, question = self._outcome, cast("Question", decision.question)
        if outcome.question is None:
            outcome.question, outcome.action = question, "ask_user"
            outcome.reason, outcome.decided_by = decision.reason, name
        elif outcome.question.default != question.default:
            outcome.question = outcome.question._replace(default="deny")

    async def ask(self) -> None:
        """Ask a person about the final data, and apply the answer."""
        from instrument.asking import Subject, ask_person  # noqa: PLC0415 - few processes ask

        outcome = self._outcome
        question = cast("Question", outcome.question)
        began_ns = perf_counter_ns()
        # All names: `allow always` for one asker does not cover the others.
        names = dict.fromkeys(name for name, _ in self._askers)
        callbacks = tuple(fn for _, fn in self._askers)
        subject = Subject(outcome.hook, ", ".join(names), outcome.data, callbacks)
        answer = await ask_person(self._bus, self._waiting, question, subject)
        outcome.approval, outcome.decided_by = answer, PERSON
        edits = dict(answer.changes)
        decision = await self._granted(answer, edits)
        took_us = self._record(PERSON, decision, began_ns, answer.actor)
        if HOOK_DECIDED in self._bus._hooks:
            event = self._event(PERSON, decision, edits, took_us, answer)
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
        edited.question = self._outcome.question
        entries = _only_for(None, self._registry, self._bus._hooks.get(edited.hook, ()))
        again = _Chain(self._bus, self._waiting, edited, self._registry)
        await again.finish(
            _next_answer(self._bus._hooks, edited, entries), entries, False, _Level()
        )
        if edited.action in ENDING:
            return edited.reason or f"{edited.action} by {edited.decided_by}"
        return None

    def _record(
        self, name: str, decision: Decision, began_ns: int, actor: str | None = None
    ) -> float:
        """Add a decision to the trail; return the microseconds that it took."""
        took_us = (perf_counter_ns() - began_ns) / 1000
        self._outcome._lines.append((name, decision.action, took_us, decision.reason, actor))
        return took_us

    def _event(
        self,
        name: str,
        decision: Decision,
        changes: Mapping[str, Any],
        took_us: float,
        answer: ApprovalAnswer | None = None,
    ) -> dict[str, Any]:
        """Return the kwargs of `hook_decided`."""
        outcome = self._outcome
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
            "actor": None if answer is None else answer.actor,
            "origin": None if answer is None else answer.origin,
        }


def _must_be_awaited(returned: object) -> bool:
    if returned is None or type(returned) is Decision:
        return False
    return isawaitable(returned)


def _failure(name: str, error: BaseException) -> str:
    if isinstance(error, HookContractError):
        return str(error) if name in str(error) else f"{name}: {error}"
    return f"{name} failed: {type(error).__name__}: {error}"
