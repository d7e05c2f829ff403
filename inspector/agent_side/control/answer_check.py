"""Validation of answers by the agent. Pure.

An answer must be about the arguments shown, of a kind that the request allows, and usable. Any
other is refused, and the request waits on for another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from inspector.agent_side.control.arguments import (
    ArgumentsView,
    EditError,
    changes_from,
    is_edited,
    is_still,
)
from inspector.agent_side.control.exact_json import BadJsonError, parsed
from inspector.agent_side.control.forms import problem_of
from inspector.agent_side.control.open_requests import AnswerOutcome, ReceivedAnswer
from instrument import ApprovalAnswer, ApprovalRequest

MAX_PAYLOAD_BYTES = 2**20
MAX_ACTOR_CHARS = 80
MAX_REASON_CHARS = 4_000

CHANGED = "the arguments changed while the request was open"
CHANGED_SINCE = "the arguments changed after they were allowed"

_DECISIONS: Mapping[str, tuple[str, ...]] = {
    "approval": ("allow", "allow_always", "deny"),
    "breakpoint": ("allow", "deny"),
    "question": ("answer", "decline", "cancel"),
}


class ArgumentsChangedError(RuntimeError):
    """The arguments differ from those shown, so nobody can allow the operation."""


class AnswerCheck(NamedTuple):
    """The result of checking an answer."""

    outcome: AnswerOutcome
    ending: ApprovalAnswer | ArgumentsChangedError | None = None
    """The end of the request; None: it waits on."""


def check_answer(
    request: ApprovalRequest, view: ArgumentsView, can_always: bool, answer: ReceivedAnswer
) -> AnswerCheck:
    """Check an answer to `request`, of which the person saw `view`."""
    fault = _fault(request, view, can_always, answer)
    if fault is not None:
        return AnswerCheck(AnswerOutcome(False, fault))
    try:
        if answer.decision == "answer":
            payload = _payload(request.form, answer)
            _check_unchanged(request, view)
            return _accepted(answer, payload=payload, check=_check_of(request, view, None))
        if answer.decision.startswith("allow"):
            _check_unchanged(request, view)
            text = answer.args_json
            changes = {} if text is None else changes_from(view, request.data, text)
            return _accepted(answer, changes=changes, check=_check_of(request, view, text))
    except (BadJsonError, EditError) as error:
        return AnswerCheck(AnswerOutcome(False, str(error)))
    except ArgumentsChangedError as error:
        return AnswerCheck(AnswerOutcome(False, str(error)), error)
    return _accepted(answer)


def _fault(
    request: ApprovalRequest, view: ArgumentsView, can_always: bool, answer: ReceivedAnswer
) -> str | None:
    possible = _DECISIONS[request.kind]
    if answer.decision not in possible:
        return f"{answer.decision!r:.80} is not a valid answer; use one of {', '.join(possible)}"
    if answer.decision == "allow_always" and not can_always:
        return "this request cannot be allowed always"
    if answer.args_hash != view.args_hash:
        return "the answer is for different arguments"
    if answer.args_json is not None and not answer.decision.startswith("allow"):
        return f"{answer.decision} does not accept arguments"
    return None


def _check_unchanged(request: ApprovalRequest, view: ArgumentsView) -> None:
    if not is_still(view, request.hook, request.data):
        raise ArgumentsChangedError(CHANGED)


def _check_of(
    request: ApprovalRequest, view: ArgumentsView, text: str | None
) -> Callable[[Mapping[str, Any]], str | None]:
    """Return the last check before it runs: a busy loop may handle an answer late."""
    if text is None:
        is_as_seen = partial(is_still, view, request.hook)
    else:
        is_as_seen = partial(is_edited, view, text)
    return lambda data: None if is_as_seen(data) else CHANGED_SINCE


def _payload(form: Mapping[str, Any] | None, answer: ReceivedAnswer) -> Any:
    nothing = "null" if form is None else "{}"
    text = nothing if answer.payload_json is None else answer.payload_json
    try:
        payload = parsed(text, MAX_PAYLOAD_BYTES)
    except BadJsonError as error:
        raise BadJsonError(f"the answer is invalid: {error}") from error
    problem = None if form is None else problem_of(form, payload)
    if problem is not None:
        raise BadJsonError(f"the answer does not match the form: {problem}")
    return payload


def _accepted(answer: ReceivedAnswer, **parts: Any) -> AnswerCheck:
    ending = ApprovalAnswer(
        answer.decision,
        None if answer.reason is None else answer.reason[:MAX_REASON_CHARS],
        actor=answer.actor[:MAX_ACTOR_CHARS],
        origin=answer.origin[:MAX_ACTOR_CHARS],
        **parts,
    )
    return AnswerCheck(AnswerOutcome(True, None), ending)
