"""A plain reference implementation of `instrument.deliberation`, step by step."""

from __future__ import annotations

from collections.abc import Awaitable
from inspect import isawaitable
from typing import Any

from instrument import Bus, Decision, HookContractError
from instrument.contracts import changes_of
from instrument.decision import CHANGING, ENDING, Outcome
from instrument.errors import MalformedDecisionError
from instrument.interceptors import Interceptor

NO_OBJECTION = Decision.continue_()


async def decide_plainly(bus: Bus, outcome: Outcome, spelling: str | None = None) -> None:
    """Let the interceptors of an event decide; a question is left to the caller."""
    for interceptor in _applicable(bus, outcome.hook, spelling):
        decision = await _decision_of(bus, interceptor, outcome)
        if decision is NO_OBJECTION and interceptor.is_quiet:
            continue
        changes, name = _changes_of(decision, outcome, interceptor), decision.by or interceptor.name
        outcome._lines.append((name, decision.action, 0.0, decision.reason, None))
        await bus._emit("hook_decided", **_event(name, decision, changes, outcome))
        _apply(name, decision, changes, outcome)
        if decision.action in ENDING:
            return


def _applicable(bus: Bus, hook: str, spelling: str | None) -> list[Interceptor]:
    entries = [entry for entry in bus._hooks.get(hook, ()) if isinstance(entry, Interceptor)]
    if spelling is None:
        return entries
    return [entry for entry in entries if entry.spelling is None or entry.spelling == spelling]


async def _decision_of(bus: Bus, interceptor: Interceptor, outcome: Outcome) -> Decision:
    try:
        returned = interceptor.fn(**outcome.data)
        if isawaitable(returned):
            returned = await _awaited(returned)
        if returned is None:
            return NO_OBJECTION
        changes_of(outcome.hook, returned, interceptor.name)
    except Exception as error:  # noqa: BLE001 - whatever it raised counts
        return await _after_failure(bus, interceptor, outcome, error)
    decision: Decision = returned
    return decision


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


async def _after_failure(
    bus: Bus, interceptor: Interceptor, outcome: Outcome, error: Exception
) -> Decision:
    name = interceptor.name
    call_id = outcome.data.get("call_id")
    await bus._emit("hook_failed", call_id=call_id, hook=outcome.hook, handler=name, exc=error)
    reason = f"{name} failed: {type(error).__name__}: {error}"
    if isinstance(error, HookContractError):
        reason = str(error)
    if isinstance(error, MalformedDecisionError) or interceptor.on_error == "deny":
        return Decision.deny(reason)
    if outcome.question is not None:  # from the first question on, every failure denies
        return Decision.deny(reason)
    if interceptor.on_error == "raise":
        raise error
    if isinstance(error, HookContractError):
        return Decision.deny(reason)
    return Decision.continue_(reason)


def _changes_of(decision: Decision, outcome: Outcome, interceptor: Interceptor) -> dict[str, Any]:
    if decision.action in CHANGING or decision.action == "retry":
        return changes_of(outcome.hook, decision, interceptor.name)
    return {}


def _event(
    name: str, decision: Decision, changes: dict[str, Any], outcome: Outcome
) -> dict[str, Any]:
    return {
        "call_id": outcome.data.get("call_id"),
        "hook": outcome.hook,
        "interceptor": name,
        "action": decision.action,
        "reason": decision.reason,
        "microseconds": 0.0,
        "before": {kwarg: outcome.data.get(kwarg) for kwarg in changes} or None,
        "after": decision.value if decision.action == "stop" else changes or None,
        "actor": None,
        "origin": None,
    }


def _apply(name: str, decision: Decision, changes: dict[str, Any], outcome: Outcome) -> None:
    if decision.action in CHANGING:
        outcome.data = {**outcome.data, **changes}
        outcome.changes = {**outcome.changes, **changes}
    if decision.user_message is not None:
        outcome.user_messages.append(decision.user_message)
    if decision.action == "inject_context" and decision.injection is not None:
        outcome.injections.append(decision.injection._replace(source=name))
    if decision.action == "ask_user" and decision.question is not None:
        if outcome.question is None:
            outcome.action, outcome.question = "ask_user", decision.question
            outcome.reason, outcome.decided_by = decision.reason, name
        elif decision.question.default == "deny":
            outcome.question = outcome.question._replace(default="deny")
    if decision.action in ENDING:
        outcome.action, outcome.reason, outcome.decided_by = decision.action, decision.reason, name
        outcome.retry_changes = changes
        outcome.stop_value = decision.value if decision.action == "stop" else None
