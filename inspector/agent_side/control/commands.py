"""Commands from the service: validated, and carried out once."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from inspector.agent_side.control.gate import Gate, SessionRef
from inspector.agent_side.control.hold import By
from inspector.agent_side.control.open_requests import AnswerOutcome, ReceivedAnswer, RequestTable

_logger = logging.getLogger("inspector")

MAX_REMEMBERED = 4_096
"""Commands that are known to have been handled: more than may wait for one process."""
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
    given: ReceivedAnswer | None
    """Of an answer."""
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
    def by(self) -> By:
        """The sender of the command, and their reason."""
        return By(self.actor, self.origin, self.reason)


class MalformedCommandError(ValueError):
    """An invalid command; `seq` is its number, if that could be read."""

    def __init__(self, problem: str, seq: int | None = None) -> None:
        super().__init__(problem)
        self.seq = seq


def read_command(text: str) -> ControlCommand:
    """Read the `data` of one event.

    Raises:
        MalformedCommandError: It is no command.
    """
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedCommandError(f"not JSON: {type(error).__name__}") from None
    if not isinstance(fields, dict):
        raise MalformedCommandError("not an object")
    seq = fields.get("seq")
    if type(seq) is not int or not 1 <= seq < 2**63:
        raise MalformedCommandError("without a number")
    try:
        return _command(seq, fields)
    except (TypeError, ValueError) as error:
        raise MalformedCommandError(str(error), seq) from None


Handler: TypeAlias = Callable[[ControlCommand], AnswerOutcome]


class Commands:
    """Carries out each command once; called by one thread."""

    def __init__(self, requests: RequestTable, gate: Gate) -> None:
        """Make one that has handled nothing."""
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
        taken = self._handled.get(command.identity)
        if taken is None:
            taken = self._handled[command.identity] = self._do(command)
            if len(self._handled) > MAX_REMEMBERED:
                self._handled.popitem(last=False)
        return taken

    def forget(self) -> None:
        """Start afresh in a forked child."""
        self._handled.clear()

    def _do(self, command: ControlCommand) -> AnswerOutcome:
        handler = self._handlers.get(command.type)
        if handler is None:
            return AnswerOutcome(False, f"this agent knows no {command.type!r}")
        try:
            return handler(command)
        except Exception as error:
            _logger.warning("Cannot do what %s wants.", command.by, exc_info=True)
            return AnswerOutcome(False, f"the agent failed on it ({type(error).__name__})")


def _verb(act: Callable[[SessionRef, By], AnswerOutcome]) -> Handler:
    def handle(command: ControlCommand) -> AnswerOutcome:
        if not command.session_id:
            return AnswerOutcome(False, "no session is named")
        return act(command.session, command.by)

    return handle


def _answer(requests: RequestTable, command: ControlCommand) -> AnswerOutcome:
    if command.request_id is None or command.given is None:
        return AnswerOutcome(False, "an answer without an answer")
    return requests.answer(command.request_id, command.given)


def _command(seq: int, fields: dict[str, Any]) -> ControlCommand:
    actor, origin = _text(fields, "actor"), _text(fields, "origin")
    reason = _text(fields, "reason", _MAX_REASON)
    trace_ids = fields.get("trace_ids") or []
    if not isinstance(trace_ids, list):
        raise TypeError("trace_ids is no list")
    answer, given, request_id = fields.get("answer"), None, None
    if answer is not None:
        if not isinstance(answer, dict):
            raise TypeError("answer is no object")
        request_id = _needed(answer, "request_id")
        given = ReceivedAnswer(
            decision=_needed(answer, "decision"),
            reason=reason,
            args_json=_text(answer, "args_json", None),
            args_hash=_text(answer, "args_hash"),
            payload_json=_text(answer, "payload_json", None),
            actor=actor or "",
            origin=origin or "",
        )
    return ControlCommand(
        seq=seq,
        type=_needed(fields, "type"),
        session_id=_text(fields, "session_id") or "",
        trace_ids=tuple(one for one in trace_ids[:_MAX_TRACES] if isinstance(one, str)),
        request_id=request_id,
        given=given,
        signal_name=_text(fields, "signal_name"),
        payload_json=_text(fields, "payload_json", None),
        reason=reason,
        actor=actor or "",
        origin=origin or "",
        issued_at=_text(fields, "issued_at") or "",
    )


def _needed(fields: dict[str, Any], name: str) -> str:
    text = _text(fields, name)
    if not text:
        raise ValueError(f"{name} is missing")
    return text


def _text(fields: dict[str, Any], name: str, longest: int | None = _MAX_NAME) -> str | None:
    """Return a text of `fields`; what is only shown is cut, None means that nothing is."""
    text = fields.get(name)
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{name} is no text")
    return text if longest is None else text[:longest]
