"""Validation of answers, with the agent as the judge. Pure.

An answer is for this request, about what was shown, of a kind that was asked for, and usable;
whatever else comes is not taken, and the request waits on for another.
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

CHANGED = "the arguments were changed while a person looked at them"
CHANGED_SINCE = "the arguments were changed after a person had allowed them"

_DECISIONS: Mapping[str, tuple[str, ...]] = {
    "approval": ("allow", "allow_always", "deny"),
    "breakpoint": ("allow", "deny"),
    "question": ("answer", "decline", "cancel"),
}


class ArgumentsChangedError(RuntimeError):
    """The arguments are no longer those shown, so nobody can allow the operation."""


class AnswerCheck(NamedTuple):
    """The result of checking an answer."""

    taken: AnswerOutcome
    ending: ApprovalAnswer | ArgumentsChangedError | None = None
    """What ends the waiting; None: it goes on."""


def judge(
    request: ApprovalRequest, shown: ArgumentsView, can_always: bool, given: ReceivedAnswer
) -> AnswerCheck:
    """Check the answer `given` to `request`, of which the person was `shown` this."""
    fault = _fault(request, shown, can_always, given)
    if fault is not None:
        return AnswerCheck(AnswerOutcome(False, fault))
    try:
        if given.decision == "answer":
            payload = _payload(request.form, given)
            _check_unchanged(request, shown)
            return _taken(given, payload=payload, check=_check_of(request, shown, None))
        if given.decision.startswith("allow"):
            _check_unchanged(request, shown)
            text = given.args_json
            changes = {} if text is None else changes_from(shown, request.data, text)
            return _taken(given, changes=changes, check=_check_of(request, shown, text))
    except (BadJsonError, EditError) as error:
        return AnswerCheck(AnswerOutcome(False, str(error)))
    except ArgumentsChangedError as error:
        return AnswerCheck(AnswerOutcome(False, str(error)), error)
    return _taken(given)


def _fault(
    request: ApprovalRequest, shown: ArgumentsView, can_always: bool, given: ReceivedAnswer
) -> str | None:
    possible = _DECISIONS[request.kind]
    if given.decision not in possible:
        return f"{given.decision!r:.80} is no answer to this: possible are {', '.join(possible)}"
    if given.decision == "allow_always" and not can_always:
        return "this cannot be allowed always"
    if given.args_hash != shown.args_hash:
        return "it is about other arguments than those that wait"
    if given.args_json is not None and not given.decision.startswith("allow"):
        return f"{given.decision} takes no arguments"
    return None


def _check_unchanged(request: ApprovalRequest, shown: ArgumentsView) -> None:
    if not is_still(shown, request.hook, request.data):
        raise ArgumentsChangedError(CHANGED)


def _check_of(
    request: ApprovalRequest, shown: ArgumentsView, text: str | None
) -> Callable[[Mapping[str, Any]], str | None]:
    """Return what is asked once more before it runs: a busy loop may take up an answer late."""
    if text is None:
        is_what_was_seen = partial(is_still, shown, request.hook)
    else:
        is_what_was_seen = partial(is_edited, shown, text)
    return lambda data: None if is_what_was_seen(data) else CHANGED_SINCE


def _payload(form: Mapping[str, Any] | None, given: ReceivedAnswer) -> Any:
    nothing = "null" if form is None else "{}"
    text = nothing if given.payload_json is None else given.payload_json
    try:
        payload = parsed(text, MAX_PAYLOAD_BYTES)
    except BadJsonError as error:
        raise BadJsonError(f"the answer cannot be taken: {error}") from error
    problem = None if form is None else problem_of(form, payload)
    if problem is not None:
        raise BadJsonError(f"the answer does not fit the form: {problem}")
    return payload


def _taken(given: ReceivedAnswer, **parts: Any) -> AnswerCheck:
    answer = ApprovalAnswer(
        given.decision,
        None if given.reason is None else given.reason[:MAX_REASON_CHARS],
        actor=given.actor[:MAX_ACTOR_CHARS],
        origin=given.origin[:MAX_ACTOR_CHARS],
        **parts,
    )
    return AnswerCheck(AnswerOutcome(True, None), answer)
