"""Validate an answer: the request is open, the answer fits it, and is the first. Pure.

The agent checks again, with what only it knows. The checks here give a person an error at once.
Texts are read, never changed: they go on as they were sent.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from inspector.service.model.rows import RequestRow, RequestStatus
from inspector.service.model.times import clock_time

_DECISIONS = {
    "approval": frozenset({"allow", "allow_always", "deny"}),
    "breakpoint": frozenset({"allow", "allow_always", "deny"}),
    "question": frozenset({"answer", "decline", "cancel"}),
}
_ALLOWS = frozenset({"allow", "allow_always"})


@dataclass(frozen=True, slots=True)
class ProposedAnswer:
    """An answer as it was received."""

    decision: str
    args_hash: str | None = None
    args_json: str | None = None
    payload_json: str | None = None
    reason: str | None = None

    def is_edit_of(self, row: RequestRow) -> bool:
        """Return whether it has other arguments than the request."""
        return self.args_json is not None and self.args_json != row.args_json


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason for a refused action. `code` is part of the HTTP contract."""

    code: str
    detail: str


def refusal_of(row: RequestRow | None, answer: ProposedAnswer, now_ns: int) -> Refusal | None:
    """Return the reason why `answer` cannot be the answer; None if it can."""
    if row is None:
        return Refusal("no_such_request", "Request not found. It may have been deleted.")
    return _is_closed(row, now_ns) or _is_unfit(row, answer) or _is_other(row, answer)


def _is_closed(row: RequestRow, now_ns: int) -> Refusal | None:
    answer = row.answer
    if row.status is RequestStatus.ANSWERED and answer is not None:
        return Refusal(
            "already_answered",
            f"{answer.actor} ({answer.origin}) already answered with `{answer.decision}` at "
            f"{clock_time(answer.at_ns)}.",
        )
    if row.status is not RequestStatus.PENDING:
        why = row.transitions[-1].reason
        because = f" {why}." if why else ""
        return Refusal("already_closed", f"Too late: the request is {row.status.value}.{because}")
    if row.expires_ns is not None and row.expires_ns <= now_ns:
        return Refusal(
            "already_closed",
            f"Too late: the request expired at {clock_time(row.expires_ns)} with its default, "
            f"`{row.default}`.",
        )
    return None


def _is_unfit(row: RequestRow, answer: ProposedAnswer) -> Refusal | None:
    fitting = _DECISIONS.get(row.kind, frozenset())
    if not row.can_always:
        fitting -= {"allow_always"}
    decision = answer.decision
    if decision not in fitting:
        listed = ", ".join(f"`{one}`" for one in sorted(fitting))
        what = f"`{decision}` is not a valid answer to this {row.kind}."
        return Refusal("wrong_decision", f"{what} Use one of {listed}.")
    if answer.args_json is not None and decision not in _ALLOWS:
        return Refusal("wrong_decision", f"Edited arguments require `allow`, not `{decision}`.")
    if decision == "answer" and answer.payload_json is None:
        return Refusal("wrong_decision", "`answer` requires a `payload_json`.")
    if decision != "answer" and answer.payload_json is not None:
        return Refusal("wrong_decision", f"A `payload_json` requires `answer`, not `{decision}`.")
    return None


def _is_other(row: RequestRow, answer: ProposedAnswer) -> Refusal | None:
    if answer.args_hash != row.args_hash:
        return Refusal(
            "wrong_hash",
            "`args_hash` does not match the arguments of this request"
            + (": it is missing." if answer.args_hash is None else ". Reload the request."),
        )
    if answer.args_json is not None and row.args_json is None:
        return Refusal(
            "not_editable",
            "These arguments are not JSON, or too long: allow or deny them unchanged.",
        )
    for name, text in (("args_json", answer.args_json), ("payload_json", answer.payload_json)):
        if text is not None and (mistake := json_mistake(text)) is not None:
            return Refusal("bad_json", f"`{name}` is not valid JSON: {mistake}.")
    return None


def json_mistake(text: str) -> str | None:
    """Return the reason why `text` is not unambiguous JSON; None if it is."""
    try:
        json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once, parse_int=str)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError as error:
        return str(error)
    return None


def _once(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object that has a name twice: readers differ in which of them counts."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"duplicate key {twice[:100]!r}")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
