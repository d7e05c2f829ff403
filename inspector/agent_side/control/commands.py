"""Commands from the service: validated, and carried out once."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from inspector.agent_side.control.gate import Gate, SessionRef
from inspector.agent_side.control.hold import Issuer
from inspector.agent_side.control.open_requests import AnswerOutcome, ReceivedAnswer, RequestTable

_logger = logging.getLogger("inspector")

MAX_REMEMBERED = 4_096
"""Handled commands that are remembered: more than may wait for one process."""
_MAX_TRACES = 1_000
_MAX_NAME = 256
_MAX_REASON = 4_000


class ControlCommand(NamedTuple):
    """`Command` of the wire."""

    seq: int
    type: str
    session_id: str
    trace_ids: tuple[str, ...]
    request_id: str | None
    answer: ReceivedAnswer | None
    """The answer of a command of type `answer`, else None."""
    signal_name: str | None
    payload_json: str | None
    reason: str | None
    actor: str
    origin: str
    issued_at: str

    @property
    def identity(self) -> tuple[object, ...]:
        """The command's unique key: numbers alone start again in another store."""
        return (self.seq, self.issued_at, self.type, self.session_id, self.request_id)

    @property
    def session(self) -> SessionRef:
        """The session that the command is for."""
        return SessionRef(self.session_id, self.trace_ids)

    @property
    def by(self) -> Issuer:
        """The sender of the command, and their reason."""
        return Issuer(self.actor, self.origin, self.reason)


class MalformedCommandError(ValueError):
    """An invalid command; `seq` is its number, if that could be read."""

    def __init__(self, problem: str, seq: int | None = None) -> None:
        super().__init__(problem)
        self.seq = seq


def read_command(text: str) -> ControlCommand:
    """Read the `data` of one event.

    Raises:
        MalformedCommandError: It is invalid.
    """
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedCommandError(f"not JSON: {type(error).__name__}") from None
    if not isinstance(fields, dict):
        raise MalformedCommandError("not an object")
    seq = fields.get("seq")
    if type(seq) is not int or not 1 <= seq < 2**63:
        raise MalformedCommandError("seq is missing or invalid")
    try:
        return _command(seq, fields)
    except (TypeError, ValueError) as error:
        raise MalformedCommandError(str(error), seq) from None


Handler: TypeAlias = Callable[[ControlCommand], AnswerOutcome]


class Commands:
    """The executor of commands: it runs each one once, on one thread."""

    def __init__(self, requests: RequestTable, gate: Gate) -> None:
        """Make an executor with no handled commands."""
        self._handlers: dict[str, Handler] = {
            "answer": lambda command: _answer(requests, command),
            "pause": _verb(gate.pause),
            "resume": _verb(gate.resume),
            "step": _verb(gate.step),
            "cancel": _verb(gate.cancel),
        }
        self._handled: OrderedDict[tuple[object, ...], AnswerOutcome] = OrderedDict()

    def on(self, command_type: str, handler: Handler) -> None:
        """Register `handler` for commands of this type; it must not block."""
        self._handlers[command_type] = handler

    def handle(self, command: ControlCommand) -> AnswerOutcome:
        """Carry out a command, or return the earlier result of a repeated one; never raises."""
        outcome = self._handled.get(command.identity)
        if outcome is None:
            outcome = self._handled[command.identity] = self._do(command)
            if len(self._handled) > MAX_REMEMBERED:
                self._handled.popitem(last=False)
        return outcome

    def forget(self) -> None:
        """Start afresh in a forked child."""
        self._handled.clear()

    def _do(self, command: ControlCommand) -> AnswerOutcome:
        handler = self._handlers.get(command.type)
        if handler is None:
            return AnswerOutcome(False, f"this agent does not support {command.type!r}")
        try:
            return handler(command)
        except Exception as error:
            _logger.warning("Cannot run the command of %s.", command.by, exc_info=True)
            return AnswerOutcome(False, f"the agent failed to run it ({type(error).__name__})")


def _verb(act: Callable[[SessionRef, Issuer], AnswerOutcome]) -> Handler:
    def handle(command: ControlCommand) -> AnswerOutcome:
        if not command.session_id:
            return AnswerOutcome(False, "session_id is missing")
        return act(command.session, command.by)

    return handle


def _answer(requests: RequestTable, command: ControlCommand) -> AnswerOutcome:
    if command.request_id is None or command.answer is None:
        return AnswerOutcome(False, "answer is missing")
    return requests.answer(command.request_id, command.answer)


def _command(seq: int, fields: dict[str, Any]) -> ControlCommand:
    actor, origin = _text(fields, "actor") or "", _text(fields, "origin") or ""
    reason = _text(fields, "reason", _MAX_REASON)
    trace_ids = fields.get("trace_ids") or []
    if not isinstance(trace_ids, list):
        raise TypeError("trace_ids is not a list")
    parts, answer, request_id = fields.get("answer"), None, None
    if parts is not None:
        if not isinstance(parts, dict):
            raise TypeError("answer is not an object")
        request_id = _needed(parts, "request_id")
        answer = ReceivedAnswer(
            decision=_needed(parts, "decision"),
            reason=reason,
            args_json=_text(parts, "args_json", None),
            args_hash=_text(parts, "args_hash"),
            payload_json=_text(parts, "payload_json", None),
            actor=actor,
            origin=origin,
        )
    return ControlCommand(
        seq=seq,
        type=_needed(fields, "type"),
        session_id=_text(fields, "session_id") or "",
        trace_ids=tuple(one for one in trace_ids[:_MAX_TRACES] if isinstance(one, str)),
        request_id=request_id,
        answer=answer,
        signal_name=_text(fields, "signal_name"),
        payload_json=_text(fields, "payload_json", None),
        reason=reason,
        actor=actor,
        origin=origin,
        issued_at=_text(fields, "issued_at") or "",
    )


def _needed(fields: dict[str, Any], name: str) -> str:
    text = _text(fields, name)
    if not text:
        raise ValueError(f"{name} is missing")
    return text


def _text(fields: dict[str, Any], name: str, longest: int | None = _MAX_NAME) -> str | None:
    """Return a text of `fields`, cut to `longest`; None: it must not be cut."""
    text = fields.get(name)
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{name} is not a string")
    return text if longest is None else text[:longest]
