"""Checks of decisions against the contract of their event.

Every message names the hook, the interceptor, the expected and the actual value, and where it is
allowed. Names outside the catalogue have no contract: every valid decision is allowed there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from instrument.catalogue import CATALOGUE, NOUNS, Hook
from instrument.decision import ACTIONS, NO_CHANGES, ROLES, UNSET, Decision
from instrument.errors import HookContractError, MalformedDecisionError
from instrument.question import are_kwargs, is_duration


def changes_of(hook: str, decision: Decision, interceptor: str) -> dict[str, Any]:
    """Check `decision` and return the kwargs that it replaces.

    Raises:
        MalformedDecisionError: It is not a decision, or has invalid parts.
        HookContractError: The event does not allow it.
    """
    changes: dict[str, Any] = {}
    try:
        problem = _problem_of(decision)
        if problem is None:
            changes.update(decision.changes)
    except Exception as error:  # noqa: BLE001 - its parts may be any objects, which may raise
        problem = f"returned an unreadable decision: {type(error).__name__}"
    if problem is not None:
        raise MalformedDecisionError(f"{interceptor} on {hook} {problem}.")
    if decision.action == "retry":
        _check_retry(hook, interceptor)
        check_changes(_before(hook), changes, interceptor)
        return changes
    if decision.action == "stop":
        _check_stop(hook, decision.value, interceptor)
    elif decision.value is not UNSET:
        changes[_value_kwarg(hook, interceptor)] = decision.value
    check_changes(hook, changes, interceptor)
    return changes


def check_changes(hook: str, changes: Mapping[str, Any], interceptor: str) -> None:
    """Raise `HookContractError` unless the contract allows all `changes` to kwargs.

    Kwargs that the catalogue lacks for the hook may be added freely.
    """
    row = CATALOGUE.get(hook) if changes else None
    if row is None:
        return
    types = {kwarg.name: kwarg.type for kwarg in row.kwargs}
    for name, value in changes.items():
        if name not in types:
            continue
        if name not in row.writable:
            allowed = ", ".join(row.writable) or "nothing"
            raise HookContractError(
                f"{interceptor} wants to change {name} of {hook}, which is read-only. "
                f"Writable there: {allowed}."
            )
        if not _has_type(value, types[name]):
            raise HookContractError(
                f"{interceptor} gave {hook} a wrong {name}: expected {types[name]}, "
                f"got {type(value).__name__}."
            )


def is_fixed(hook: str, kwarg: str) -> bool:
    """Return whether the catalogue has `kwarg` on `hook` as read-only."""
    row = CATALOGUE.get(hook)
    if row is None or kwarg in row.writable:
        return False
    return any(known.name == kwarg for known in row.kwargs)


def _problem_of(decision: object) -> str | None:
    if not isinstance(decision, Decision):
        return f"returned {type(decision).__name__}, not a Decision or None"
    if decision.action not in ACTIONS:
        return f"decided {decision.action!r}; use one of {', '.join(ACTIONS)}"
    if decision.by is not None and not _is_text(decision.by):
        return f"decided with by={decision.by!r}, which is not a name"
    if decision.changes is not NO_CHANGES and not are_kwargs(decision.changes):
        return "returned changes that are not a mapping from kwarg to value"
    if decision.action == "inject_context":
        return _problem_of_injection(decision)
    if decision.action == "ask_user":
        return _problem_of_question(decision)
    return None


def _problem_of_injection(decision: Decision) -> str | None:
    from instrument.parts import Injection  # noqa: PLC0415 - see there

    injection: object = decision.injection
    if not isinstance(injection, Injection) or not _is_text(injection.text):
        return "wants to inject context, but gave no text"
    if injection.role not in ROLES:
        return f"wants to inject context as {injection.role!r}; use one of {', '.join(ROLES)}"
    return None


def _problem_of_question(decision: Decision) -> str | None:
    from instrument.parts import Question  # noqa: PLC0415 - see there

    question: object = decision.question
    if not isinstance(question, Question) or not _is_text(question.prompt) or not question.prompt:
        return "wants to ask a person, but gave no prompt"
    if question.kind not in ("approval", "breakpoint"):
        return f"asks a {question.kind!r}; use approval or breakpoint"
    if question.default not in ("allow", "deny"):
        return f"asks with default {question.default!r}; use allow or deny"
    if not is_duration(question.timeout_s):
        return f"asks with timeout {question.timeout_s!r}; it must be a positive number of seconds"
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _check_retry(hook: str, interceptor: str) -> None:
    row = CATALOGUE.get(hook)
    if row is not None and not row.retryable:
        raise HookContractError(
            f"{interceptor} wants a retry on {hook}, which cannot be retried. "
            f"A retry is possible on {_those(lambda row: row.retryable)}."
        )


def _before(hook: str) -> str:
    """Return the before hook of the same noun, at which the next attempt begins."""
    return next((noun.before for noun in NOUNS.values() if hook in (noun.after, noun.error)), hook)


def _check_stop(hook: str, value: Any, interceptor: str) -> None:
    row = CATALOGUE.get(hook)
    stop_type = "Any" if row is None else _stop_type(row)
    if stop_type is None:
        raise HookContractError(
            f"{interceptor} wants to stop on {hook}, which cannot be stopped. A stop is possible "
            f"on {_those(lambda row: _stop_type(row) is not None)}."
        )
    if value is UNSET:
        raise HookContractError(f"{interceptor} wants to stop on {hook}, but gave no value.")
    if not _has_type(value, stop_type):
        raise HookContractError(
            f"{interceptor} stopped {hook} with a wrong value: expected {stop_type}, "
            f"got {type(value).__name__}."
        )


def _stop_type(row: Hook) -> str | None:
    return None if row.value is None else row.value.stop


def value_kwarg(hook: str) -> str | None:
    """Return the kwarg that is the value of `hook`; None if it has none."""
    row = CATALOGUE.get(hook)
    if row is None:
        return _PLAIN_VALUES.get(hook.partition("_")[0])
    return None if row.value is None else row.value.kwarg


def writable_kwargs(hook: str) -> tuple[str, ...]:
    """Return the kwargs of `hook` that an interceptor may replace."""
    row = CATALOGUE.get(hook)
    if row is not None:
        return row.writable
    name = value_kwarg(hook)
    return () if name is None else (name,)


def _value_kwarg(hook: str, interceptor: str) -> str:
    kwarg = value_kwarg(hook)
    if kwarg is not None:
        return kwarg
    raise HookContractError(
        f"{interceptor} gave {hook} a new value, but that event has none. "
        f"Name the kwarg instead: Decision.modify(name=…). "
        f"Events with a value: {_those(lambda row: row.value is not None)}."
    )


_PLAIN_VALUES = {"before": "args", "after": "result", "error": "result"}
"""Value kwarg by prefix of the hook, for nouns outside the catalogue."""


def _those(is_one: Callable[[Hook], bool]) -> str:
    return ", ".join(row.name for row in CATALOGUE.values() if is_one(row))


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


_TYPES: Mapping[str, Callable[[object], bool]] = {
    "str": lambda value: isinstance(value, str),
    "Mapping[str, Any]": lambda value: isinstance(value, Mapping),
    "Sequence[Any]": _is_sequence,
    "None": lambda value: value is None,
}


def _has_type(value: object, annotation: str) -> bool:
    """Check a value against an annotation of the catalogue; a test covers all of them."""
    if annotation == "Any":
        return True
    return any(_TYPES[part](value) for part in annotation.split(" | "))
