# ruff: noqa: N815 - mcp-toolkit spells attributes in camelCase
"""Session state, enforced: no tool call before the session is initialised.

A session goes `uninitialized` → `initialized` → `ready` → `working`; `ready`, for programs with a
reporting tool, may be skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import Any, Literal, TypeAlias, get_args

from instrument.guidance.checks import choice, names, scope, wrong
from instrument.guidance.errors import GuidanceError, GuidanceValueError
from instrument.guidance.spelling import Alias, merged

SessionState: TypeAlias = Literal["uninitialized", "initialized", "ready", "working"]
"""State of a session."""

INIT_TOOL = "session_init"

_GUIDANCE: dict[SessionState, str] = {
    "initialized": "Session initialized. Ready to work.",
    "ready": "Reporting checked. Ready to work.",
}


@dataclass(frozen=True)
class StateTransition:
    """The effect of a tool call on the session."""

    previous_state: SessionState
    """The state before the call."""
    new_state: SessionState
    """The state after it."""
    guidance: str | None
    """Guidance for the model's next action, if any."""

    previousState = Alias[SessionState]("previous_state")
    newState = Alias[SessionState]("new_state")

    @property
    def transitioned(self) -> bool:
        """True if the state changed."""
        return self.previous_state != self.new_state


@dataclass(frozen=True)
class TimingInfo:
    """The state of the session and the time of its initialisation."""

    state: SessionState
    """The state of the session."""
    init_at: datetime | None
    """Time of the initialisation, in UTC."""
    session_id: str | None
    """Its id, if it was given one."""
    request_id: str | None
    """The last checked or recorded request."""

    initAt = Alias["datetime | None"]("init_at")
    sessionId = Alias["str | None"]("session_id")
    requestId = Alias["str | None"]("request_id")


class SessionStateTracker:
    """The state machine of one session. Thread-safe.

    Call `check_tool_allowed` before a tool runs, and `record_tool_call` after it.

    Args:
        options: The keywords below as a mapping, in either spelling.
        **named: `init_tools` (`["session_init"]`), always allowed; `requires_init` (None: every
            other tool), tools that are forbidden before; `transition_triggers`
            (`{"session_init": "initialized"}`), the state after a call of a tool; `session_id`;
            `now`, the clock.

    Raises:
        GuidanceValueError: An option is invalid, or no tool can initialise the session.
    """

    def __init__(self, options: Mapping[str, object] | None = None, /, **named: Any) -> None:
        known = {"init_tools", "requires_init", "transition_triggers", "session_id", "now"}
        values = merged(_ATTEMPT, options, named, known)
        self._init_tools = frozenset(
            names(_ATTEMPT, "init_tools", values.get("init_tools", (INIT_TOOL,)))
        )
        tools = values.get("requires_init")
        self._requires_init = (
            None if tools is None else frozenset(names(_ATTEMPT, "requires_init", tools))
        )
        self._triggers = _triggers(values.get("transition_triggers", {INIT_TOOL: "initialized"}))
        self._ways_in = [
            tool
            for tool, state in self._triggers.items()
            if state == "initialized" and not self._needs_init(tool)
        ]
        if not self._ways_in:
            raise GuidanceValueError(
                f"Cannot {_ATTEMPT}: no tool that is always allowed leads to 'initialized'. List "
                "one in init_tools and in transition_triggers."
            )
        self._now: Callable[[], datetime] = values.get("now") or partial(datetime.now, UTC)
        self._session_id = scope(_ATTEMPT, "session_id", values.get("session_id"))
        self._lock = Lock()
        self._state: SessionState = "uninitialized"
        self._init_at: datetime | None = None
        self._request_id: str | None = None

    @property
    def state(self) -> SessionState:
        """The current state."""
        return self._state

    @property
    def session_id(self) -> str | None:
        """The session's id; None: any session."""
        return self._session_id

    @property
    def init_at(self) -> datetime | None:
        """The time of initialisation, in UTC; None before it."""
        return self._init_at

    @property
    def is_initialized(self) -> bool:
        """True if tools may be called."""
        return self._state != "uninitialized"

    def check_tool_allowed(self, tool_name: str, request_id: str | int | None = None) -> str | None:
        """Return None if the tool may be called now, otherwise the steps to take first."""
        with self._lock:
            self._store_request(request_id)
            if self.is_initialized or not self._needs_init(tool_name):
                return None
        return (
            f'Tool "{tool_name}" requires session initialization. '
            f"You MUST {self._way_in()} first before using any other tools. "
            "This is a MANDATORY first action."
        )

    def require_tool_allowed(self, tool_name: str, request_id: str | int | None = None) -> None:
        """Raise unless the tool may be called now.

        Raises:
            WorkflowViolationError: It must not be called yet; the message names the first step.
        """
        message = self.check_tool_allowed(tool_name, request_id)
        if message is not None:
            raise WorkflowViolationError(message, tool_name, "uninitialized", self._way_in())

    def record_tool_call(
        self,
        tool_name: str,
        tool_input: object = None,
        request_id: str | int | None = None,
    ) -> StateTransition:
        """Record a tool call; return the transition and guidance for the next step."""
        with self._lock:
            self._store_request(request_id)
            before = self._state
            self._state = self.next_state(before, tool_name, tool_input)
            if before == "uninitialized" and self._state != before:
                self._init_at = self._now()
            if self._state == "uninitialized":
                self._init_at = None
            guidance = _GUIDANCE.get(self._state) if self._state != before else None
            return StateTransition(before, self._state, guidance)

    def next_state(
        self,
        state: SessionState,
        tool_name: str,
        tool_input: object,
    ) -> SessionState:
        """Return the state after a call; override it to use the tool's input.

        A trigger names the next state, but `uninitialized` only leads to `initialized`. The first
        call of another tool after that leads to `working`.
        """
        target = self._triggers.get(tool_name)
        if state == "uninitialized":
            return "initialized" if target == "initialized" else state
        if target is not None:
            return target
        return state if tool_name in self._init_tools else "working"

    def reset(self) -> None:
        """Return to the first state, without a session id."""
        with self._lock:
            self._state = "uninitialized"
            self._init_at = self._session_id = self._request_id = None

    def get_timing_info(self) -> TimingInfo:
        """Return the state of the session and the time of its initialisation."""
        with self._lock:
            return TimingInfo(self._state, self._init_at, self._session_id, self._request_id)

    checkToolAllowed = check_tool_allowed
    recordToolCall = record_tool_call
    getTimingInfo = get_timing_info
    initAt = init_at

    def _needs_init(self, tool_name: str) -> bool:
        if tool_name in self._init_tools:
            return False
        return self._requires_init is None or tool_name in self._requires_init

    def _way_in(self) -> str:
        return f"call {' or '.join(self._ways_in)}"

    def _store_request(self, request_id: str | int | None) -> None:
        if request_id is not None:
            self._request_id = str(request_id)


_ATTEMPT = "create a session state tracker"


def create_blocking_response(message: str) -> dict[str, Any]:
    """Return MCP's result of a forbidden tool call."""
    return {"isError": True, "content": [{"type": "text", "text": message}]}


def _triggers(value: object) -> dict[str, SessionState]:
    if not isinstance(value, Mapping):
        raise wrong(_ATTEMPT, "transition_triggers", value, "a mapping from tool names to states")
    names(_ATTEMPT, "transition_triggers", value.keys())
    for tool, state in value.items():
        choice(_ATTEMPT, f"transition_triggers[{tool!r}]", state, get_args(SessionState))
    return dict(value)


class WorkflowViolationError(GuidanceError, RuntimeError):
    """A tool call is not allowed yet."""

    def __init__(
        self, message: str, tool_name: str, current_state: SessionState, required_action: str
    ) -> None:
        super().__init__(message)
        self.tool_name = tool_name
        self.current_state = current_state
        self.required_action = required_action
        """The first step, such as `call session_init`."""
