"""Values that flow through events, and the status passed to a rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast


@dataclass(slots=True)
class AssistantMessage:
    """The answer of a model."""

    content: Any = ""
    """Text of the message."""
    tool_calls: list[Any] = field(default_factory=list)
    """Tool calls that the model requests, each a `ToolCall`."""


@dataclass(slots=True)
class ToolCall:
    """A tool call requested by the model."""

    id: str | None = None
    """Id that the result refers to."""
    name: str | None = None
    """Name of the tool."""
    arguments: Any = None
    """Arguments of the call."""


@dataclass(slots=True)
class ToolResult:
    """The result of a tool; `error` if it failed."""

    tool_call_id: str | None = None
    """Id of the call."""
    tool_name: str | None = None
    """Name of the tool."""
    result: Any = None
    """What the tool returned."""
    error: str | None = None
    """Why it failed; None if it did not."""


@dataclass(slots=True)
class AssistantResponse:
    """The final answer of an agent."""

    content: Any = ""
    """Text of the answer."""


@dataclass(frozen=True, slots=True)
class FlowTypes:
    """Classes of the values; a host can use its own.

    Each must take the keywords of the default one, and have the same attributes.
    """

    AssistantMessage: type = AssistantMessage
    """Class of the answer of a model."""
    ToolCall: type = ToolCall
    """Class of a tool call."""
    ToolResult: type = ToolResult
    """Class of the result of a tool."""
    AssistantResponse: type = AssistantResponse
    """Class of the final answer."""

    def named(self, name: str) -> type:
        """Return the class of that name."""
        return cast(type, getattr(self, name))


@dataclass(slots=True)
class AgentStatus:
    """The state of an agent at one event; fields that the event lacks are None.

    Attributes:
        event: The event.
        agent: The agent.
        iteration: Number of the round in the agent's loop; 0 if the emitter does not report it.
        tool_call: The current tool call.
        tool_result: Its result.
        assistant_message: The model's answer.
        error: The error, as text.
        conversation_history: The agent's own list, to which an effect may append.
    """

    event: Any
    agent: Any = None
    iteration: int = 0
    tool_call: Any = None
    tool_result: Any = None
    assistant_message: Any = None
    error: str | None = None
    conversation_history: list[Any] = field(default_factory=list)
