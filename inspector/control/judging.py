"""Which answers count: the agent is the judge of what comes from outside. Pure.

An answer is for this request, about what was shown, of a kind that was asked for; whatever else
comes is not taken. What was taken and cannot be used refuses: nobody can answer a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from inspector.control.arguments import EditError, Shown, changes_from, is_still
from inspector.control.exact_json import BadJsonError, parsed
from inspector.control.forms import problem_of
from inspector.control.open_requests import Given, Taken
from instrument import ApprovalAnswer, ApprovalRequest

MAX_PAYLOAD_BYTES = 2**20
MAX_ACTOR_CHARS = 80
MAX_REASON_CHARS = 4_000

_DECISIONS: Mapping[str, tuple[str, ...]] = {
    "approval": ("allow", "allow_always", "deny"),
    "breakpoint": ("allow", "deny"),
    "question": ("answer", "decline", "cancel"),
}


class Ruling(NamedTuple):
    """What becomes of an answer."""

    taken: Taken
    answer: ApprovalAnswer | None
    """What ends the waiting; None: it goes on."""


def judge(request: ApprovalRequest, shown: Shown, can_always: bool, given: Given) -> Ruling:
    """Return what `given` is to `request`, of which a person was `shown` this."""
    fault = _fault(request, shown, can_always, given)
    if fault is not None:
        return Ruling(Taken(False, fault), None)
    if given.decision == "answer":
        return _answered(request.form, given)
    if given.decision in ("allow", "allow_always"):
        return _allowed(request, shown, given)
    return Ruling(Taken(True, None), _answer(given, given.decision))


def _fault(request: ApprovalRequest, shown: Shown, can_always: bool, given: Given) -> str | None:
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


def _allowed(request: ApprovalRequest, shown: Shown, given: Given) -> Ruling:
    if not is_still(shown, request.hook, request.data):
        return _unusable(given, "deny", "the arguments were changed while a person looked at them")
    changes: dict[str, Any] = {}
    if given.args_json is not None:
        try:
            changes = changes_from(shown, request.data, given.args_json)
        except EditError as error:
            return _unusable(given, "deny", str(error))
    return Ruling(Taken(True, None), _answer(given, given.decision, changes=changes))


def _answered(form: Mapping[str, Any] | None, given: Given) -> Ruling:
    text = "null" if given.payload_json is None else given.payload_json
    try:
        payload = parsed(text, MAX_PAYLOAD_BYTES)
    except BadJsonError as error:
        return _unusable(given, "decline", f"the answer cannot be taken: {error}")
    problem = None if form is None else problem_of(form, payload)
    if problem is not None:
        return _unusable(given, "decline", f"the answer does not fit the form: {problem}")
    return Ruling(Taken(True, None), _answer(given, "answer", payload=payload))


def _unusable(given: Given, refusal: str, why: str) -> Ruling:
    return Ruling(Taken(False, why), _answer(given._replace(reason=why), refusal))


def _answer(given: Given, decision: str, **parts: Any) -> ApprovalAnswer:
    return ApprovalAnswer(
        decision,
        None if given.reason is None else given.reason[:MAX_REASON_CHARS],
        actor=given.actor[:MAX_ACTOR_CHARS],
        origin=given.origin[:MAX_ACTOR_CHARS],
        **parts,
    )
