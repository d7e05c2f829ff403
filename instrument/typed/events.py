"""Typed events: the properties that a callback reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple


class ToolUse(dict[str, Any]):
    """A tool use of the model: `name`, `toolUseId`, `input`; items and attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"A tool use has no {name}; known: {', '.join(self)}.") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Interrupted(Exception):  # noqa: N818 - control flow, not an error
    """A callback has to wait for a person."""

    def __init__(self, name: str, reason: Any) -> None:
        super().__init__(name)
        self.name = name
        self.reason = reason


@dataclass
class BaseHookEvent:
    """An event. Properties are read-only, except those that `_can_write` allows.

    Setting another one raises `AttributeError`. A dataclass derived from it is a custom event:
    callbacks can be added for it, and `invoke_callbacks` calls them.
    """

    writable: ClassVar[frozenset[str]] = frozenset()
    """Properties that a callback may set."""
    is_after: ClassVar[bool] = False
    """Whether the event follows what it is about: its callbacks run in reverse order."""

    @property
    def should_reverse_callbacks(self) -> bool:
        """True if callbacks run in reverse order."""
        return self.is_after

    def _can_write(self, name: str) -> bool:
        return name in self.writable

    def __post_init__(self) -> None:
        self.__dict__["_interrupts"] = set()
        self.__dict__["_answers"] = {}  # from now on properties are read-only

    def __setattr__(self, name: str, value: Any) -> None:
        if "_answers" in self.__dict__ and not self._can_write(name):
            allowed = ", ".join(sorted(self.writable)) or "nothing"
            raise AttributeError(
                f"Property {name} of {type(self).__name__} is not writable. Writable: {allowed}."
            )
        object.__setattr__(self, name, value)

    def interrupt(self, name: str, reason: Any = None, response: Any = None) -> Any:
        """Wait for a person, and return the answer.

        This leaves the callback, which runs again from its beginning with the answer.

        Args:
            name: Name of the question; unique in each callback.
            reason: Text for the person; default: the name.
            response: An answer that exists already.

        Raises:
            ValueError: The name was used before.
        """
        interrupts: set[str] = self.__dict__["_interrupts"]
        if name in interrupts:
            raise ValueError(
                f"This callback has already interrupted as {name!r}; names must be unique."
            )
        interrupts.add(name)
        answers: dict[str, Any] = self.__dict__["_answers"]
        if name in answers:
            return answers[name]
        if response is not None:
            return response
        raise Interrupted(name, reason)


@dataclass
class HookEvent(BaseHookEvent):
    """An event in the life of an agent.

    Attributes:
        agent: The agent; None if neither the emitter nor the registry names it.
    """

    agent: Any


@dataclass
class LifecycleEvent(HookEvent):
    """The base class of the events below, whose `agent` is optional."""

    agent: Any = None


class ModelStopResponse(NamedTuple):
    """The answer of a model and its stop reason, if given."""

    message: Any
    """The message of the model."""
    stop_reason: Any
    """Why the model stopped; None if it does not say."""


@dataclass
class AgentInitializedEvent(LifecycleEvent):
    """The end of an agent's `__init__`."""


@dataclass
class BeforeInvocationEvent(LifecycleEvent):
    """A request to an agent starts.

    Attributes:
        messages: Input of the agent; may be replaced.
        invocation_state: State of the request.
        cancel: Set it to a reason, or to True, to cancel the request.
    """

    messages: Any = None
    invocation_state: dict[str, Any] = field(default_factory=dict)
    cancel: bool | str = False

    writable: ClassVar[frozenset[str]] = frozenset({"messages", "cancel"})


@dataclass
class AfterInvocationEvent(LifecycleEvent):
    """A request to an agent has ended, with a result or an exception.

    Attributes:
        result: The agent's answer.
        exception: Its exception, in place of an answer.
        invocation_state: State of the request.
        resume: Set it to new input to ask the agent again.
    """

    result: Any = None
    exception: BaseException | None = None
    resume: Any = None
    invocation_state: dict[str, Any] = field(default_factory=dict)

    writable: ClassVar[frozenset[str]] = frozenset({"resume"})
    is_after: ClassVar[bool] = True


@dataclass
class MessageAddedEvent(LifecycleEvent):
    """A message has entered the agent's history.

    Attributes:
        message: The message.
    """

    message: Any = None


@dataclass
class BeforeModelCallEvent(LifecycleEvent):
    """A model is about to be called.

    Attributes:
        messages: Input of the model.
        invocation_state: State of the request.
        cancel: Set it to a reason, or to True, to cancel the call.
    """

    messages: Any = None
    cancel: bool | str = False
    invocation_state: dict[str, Any] = field(default_factory=dict)

    writable: ClassVar[frozenset[str]] = frozenset({"cancel"})


@dataclass
class AfterModelCallEvent(LifecycleEvent):
    """A model has answered, or failed.

    Attributes:
        response: The model's answer.
        exception: Its exception, in place of an answer.
        invocation_state: State of the request.
        retry: Set it to discard the answer and call again.
    """

    response: Any = None
    exception: BaseException | None = None
    retry: bool = False
    invocation_state: dict[str, Any] = field(default_factory=dict)

    writable: ClassVar[frozenset[str]] = frozenset({"retry"})
    is_after: ClassVar[bool] = True

    @property
    def stop_response(self) -> ModelStopResponse | None:
        """The answer and its stop reason; None without an answer."""
        answer = self.response
        if answer is None:
            return None
        fields = answer if isinstance(answer, Mapping) else getattr(answer, "__dict__", {})
        return ModelStopResponse(fields.get("message", answer), fields.get("stop_reason"))


@dataclass
class BeforeToolCallEvent(LifecycleEvent):
    """A tool is about to be called.

    Attributes:
        selected_tool: The tool; replace it to call another.
        tool_use: Name and input; may be replaced or edited.
        invocation_state: State of the request.
        cancel_tool: Set it to a reason, or to True, to cancel the call.
    """

    selected_tool: Any = None
    tool_use: ToolUse = field(default_factory=ToolUse)
    invocation_state: dict[str, Any] = field(default_factory=dict)
    cancel_tool: bool | str = False

    writable: ClassVar[frozenset[str]] = frozenset({"selected_tool", "tool_use", "cancel_tool"})


@dataclass
class AfterToolCallEvent(LifecycleEvent):
    """A tool has returned, failed or been cancelled.

    Attributes:
        selected_tool: The tool.
        tool_use: Its name and input.
        invocation_state: State of the request.
        result: The tool's result; may be replaced or edited.
        exception: Its exception, in place of a result.
        cancel_message: Reason of a cancellation.
        retry: Set it to discard the result and call again.
    """

    selected_tool: Any = None
    tool_use: ToolUse = field(default_factory=ToolUse)
    invocation_state: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    exception: BaseException | None = None
    cancel_message: str | None = None
    retry: bool = False

    writable: ClassVar[frozenset[str]] = frozenset({"result", "retry"})
    is_after: ClassVar[bool] = True


BeforeModelInvocationEvent = BeforeModelCallEvent
AfterModelInvocationEvent = AfterModelCallEvent
BeforeToolInvocationEvent = BeforeToolCallEvent
AfterToolInvocationEvent = AfterToolCallEvent
"""Other names of the same classes."""
