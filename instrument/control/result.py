"""`HookResult`, the return value of a handler, and its conversion to a decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from instrument.decision import Decision, Outcome
from instrument.errors import MalformedDecisionError
from instrument.parts import Injection, Question
from instrument.question import APPROVAL_OPTIONS, APPROVAL_TIMEOUT_S

ResultAction: TypeAlias = Literal["continue", "deny", "modify", "inject_context", "ask_user"]


@dataclass
class HookResult:
    """The return value of a handler.

    Attributes:
        action: `continue`, `deny`, `modify`, `inject_context` or `ask_user`.
        data: For `modify`, the event's new data.
        reason: Reason of the action; the agent sees that of a deny.
        context_injection: For `inject_context`, text for the model.
        context_injection_role: Role of the text: `system`, `user` or `assistant`.
        context_injections: In the result of `emit`: every injection, in order.
        ephemeral: Whether the text is for the next LLM call only.
        suppress_output: Whether the text is hidden from the user.
        append_to_last_tool_result: Whether it belongs to the last tool result, if there is one.
        approval_prompt: For `ask_user`, the question.
        approval_options: Possible answers; default: Allow and Deny.
        approval_timeout: In seconds.
        approval_default: Decision after the timeout: `allow` or `deny`.
        user_message: A line for the user, whatever the action.
        user_message_level: Level of that line: `info`, `warning` or `error`.
        user_message_source: Who says it; None: the handler.
    """

    action: ResultAction = "continue"
    data: dict[str, Any] | None = None
    reason: str | None = None
    context_injection: str | None = None
    context_injection_role: str = "system"
    ephemeral: bool = False
    suppress_output: bool = False
    append_to_last_tool_result: bool = False
    context_injections: tuple[Injection, ...] = ()
    approval_prompt: str | None = None
    approval_options: list[str] | None = None
    approval_timeout: float = APPROVAL_TIMEOUT_S
    approval_default: str = "deny"
    user_message: str | None = None
    user_message_level: str = "info"
    user_message_source: str | None = None


_NAMES = frozenset(field.name for field in fields(HookResult))
_SHAPE = frozenset({"action", "data", "reason"})
"""Attributes that every result has."""
_ABSENT = object()


def decision_from(
    returned: Any, changes_of: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> Decision | None:
    """Convert a handler's return value to a `Decision`, or None for None.

    Args:
        returned: A `HookResult`, any object or dict with its fields, or None.
        changes_of: Returns the kwargs of the hook that the data of a `modify` changes.

    Raises:
        MalformedDecisionError: It is not a valid result; the operation is denied.
    """
    if returned is None:
        return None
    result = returned if isinstance(returned, HookResult) else _as_result(returned)
    action: object = result.action
    if not isinstance(action, str) or action not in _MAKERS:
        raise MalformedDecisionError(
            f"A handler returned a HookResult with action {action!r}; use one of "
            f"{', '.join(_MAKERS)}."
        )
    if action == "continue" and result.reason is None and result.user_message is None:
        return None
    made = _MAKERS[action](result)
    if action == "modify" and result.data is not None:
        made.changes = changes_of(_mapping(result.data))
    made.reason, made.user_message = result.reason, result.user_message
    return made


def _as_result(returned: Any) -> HookResult:
    """Convert an object or dict with the fields of a result, such as `amplifier_core`'s."""
    if isinstance(returned, Mapping):
        values = dict(returned) if returned.keys() <= _NAMES else {}
    else:
        # Duck-typed: the class may be of any library.
        try:
            found = {name: getattr(returned, name, _ABSENT) for name in _NAMES}
        except Exception:  # noqa: BLE001 - a property of the handler's object
            found = {}
        values = {name: value for name, value in found.items() if value is not _ABSENT}
        values = values if values.keys() >= _SHAPE else {}
    if not values and returned != {}:
        raise MalformedDecisionError(
            f"A handler returned {type(returned).__name__}, which is not a HookResult."
        )
    return HookResult(**values)


def _mapping(data: object) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return data
    raise MalformedDecisionError(
        f"A handler returned a modify whose data is {type(data).__name__}, not a dict."
    )


def _plain(result: HookResult) -> Decision:
    return Decision(result.action)


def _injecting(result: HookResult) -> Decision:
    injection = Injection(
        result.context_injection,  # type: ignore[arg-type] # the bus checks it
        result.context_injection_role,
        result.ephemeral,
        is_hidden=result.suppress_output,
        is_for_tool_result=result.append_to_last_tool_result,
    )
    return Decision("inject_context", injection=injection)


def question_of(result: HookResult) -> Question:
    """Return the question of an `ask_user` result."""
    return Question(
        result.approval_prompt or "",
        tuple(result.approval_options or APPROVAL_OPTIONS),
        result.approval_default,
        result.approval_timeout,
    )


def _asking(result: HookResult) -> Decision:
    return Decision("ask_user", question=question_of(result))


_MAKERS: Mapping[str, Callable[[HookResult], Decision]] = {
    "continue": _plain,
    "deny": _plain,
    "modify": _plain,
    "inject_context": _injecting,
    "ask_user": _asking,
}


def result_from(outcome: Outcome, data: dict[str, Any]) -> HookResult:
    """Return the combined result of all handlers of one event.

    A deny wins over a question, which wins over injections, in any order of handlers. Modifications
    are in `data` with any other decision, except after a deny. Decisions of other vocabularies
    (`fail`, `stop`, `retry`) become a deny.
    """
    messages = "\n".join(outcome.user_messages) or None
    if outcome.action not in ("continue", "ask_user"):
        reason = outcome.reason or f"{outcome.action} by {outcome.decided_by}"
        return HookResult("deny", reason=reason, user_message=messages)
    result = HookResult(data=data, user_message=messages)
    if outcome.injections:
        _merge(result, outcome.injections)
    if outcome.action == "ask_user" and outcome.question is not None:
        question = outcome.question
        result.action, result.reason = "ask_user", outcome.reason
        result.approval_prompt = question.prompt
        result.approval_options = list(question.options)
        result.approval_default = question.default
        result.approval_timeout = question.timeout_s
    return result


def _merge(result: HookResult, injections: list[Injection]) -> None:
    first = injections[0]
    result.action = "inject_context"
    result.context_injections = tuple(injections)
    result.context_injection = "\n\n".join(injection.text for injection in injections)
    result.context_injection_role = first.role
    result.ephemeral = first.is_ephemeral
    result.suppress_output = first.is_hidden
    result.append_to_last_tool_result = any(entry.is_for_tool_result for entry in injections)
