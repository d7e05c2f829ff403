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
            raise AttributeError(f"A tool use has no {name}; it has {', '.join(self)}.") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Interrupted(Exception):  # noqa: N818 - how a call-back is left, not an error
    """A call-back waits for a person."""

    def __init__(self, name: str, reason: Any) -> None:
        super().__init__(name)
        self.name = name
        self.reason = reason


@dataclass
class BaseHookEvent:
    """A moment. Properties are read-only, but for those that `_can_write` allows.

    Writing another one is an `AttributeError`.

    A dataclass made of it is an event of its own: call-backs can be added for it, and
    `invoke_callbacks` brings it to them.
    """

    writable: ClassVar[frozenset[str]] = frozenset()
    is_after: ClassVar[bool] = False

    @property
    def should_reverse_callbacks(self) -> bool:
        """True if callbacks run in reverse order."""
        return self.is_after

    def _can_write(self, name: str) -> bool:
        return name in self.writable

    def __post_init__(self) -> None:
        self.__dict__["_interrupts"] = set()
        self.__dict__["_answers"] = {}  # from now on only what is writable can be written

    def __setattr__(self, name: str, value: Any) -> None:
        if "_answers" in self.__dict__ and not self._can_write(name):
            allowed = ", ".join(sorted(self.writable)) or "nothing"
            raise AttributeError(
                f"Property {name} of {type(self).__name__} is not writable. Writable: {allowed}."
            )
        object.__setattr__(self, name, value)

    def interrupt(self, name: str, reason: Any = None, response: Any = None) -> Any:
        """Wait for a person, and return the answer.

        The call-back is left here, and run again from its beginning once there is an answer.

        Args:
            name: Of the question; once in each call-back.
            reason: What the person is told; default: the name.
            response: An answer that is there already.

        Raises:
            ValueError: The name was used before.
        """
        interrupts: set[str] = self.__dict__["_interrupts"]
        if name in interrupts:
            raise ValueError(f"This call-back has interrupted as {name!r} already; names are once.")
        interrupts.add(name)
        answers: dict[str, Any] = self.__dict__["_answers"]
        if name in answers:
            return answers[name]
        if response is not None:
            return response
        raise Interrupted(name, reason)


@dataclass
class HookEvent(BaseHookEvent):
    """A moment in the life of an agent.

    Attributes:
        agent: Whose life; None where the emitter did not say and the registry has none.
    """

    agent: Any


@dataclass
class LifecycleEvent(HookEvent):
    """The base class of the events below, whose `agent` is optional."""

    agent: Any = None


class ModelStopResponse(NamedTuple):
    """The answer of a model and its stop reason, if given."""

    message: Any
    stop_reason: Any


@dataclass
class AgentInitializedEvent(LifecycleEvent):
    """An agent has been built: the end of its `__init__`."""


@dataclass
class BeforeInvocationEvent(LifecycleEvent):
    """A request to an agent begins.

    Attributes:
        messages: What the agent is asked; may be replaced.
        invocation_state: What travels with the request.
        cancel: Set it to a reason, or to True, to keep the agent from being asked.
    """

    messages: Any = None
    invocation_state: dict[str, Any] = field(default_factory=dict)
    cancel: bool | str = False

    writable: ClassVar[frozenset[str]] = frozenset({"messages", "cancel"})


@dataclass
class AfterInvocationEvent(LifecycleEvent):
    """A request to an agent has ended, with a result or an exception.

    Attributes:
        result: What the agent answered.
        exception: Why it did not.
        resume: Set it to ask the agent again, with this.
    """

    result: Any = None
    exception: BaseException | None = None
    resume: Any = None
    invocation_state: dict[str, Any] = field(default_factory=dict)

    writable: ClassVar[frozenset[str]] = frozenset({"resume"})
    is_after: ClassVar[bool] = True


@dataclass
class MessageAddedEvent(LifecycleEvent):
    """A message has entered the agent's history."""

    message: Any = None


@dataclass
class BeforeModelCallEvent(LifecycleEvent):
    """A model is about to be called.

    Attributes:
        messages: What it will see.
        cancel: Set it to a reason, or to True, to keep the model from being called.
    """

    messages: Any = None
    cancel: bool | str = False
    invocation_state: dict[str, Any] = field(default_factory=dict)

    writable: ClassVar[frozenset[str]] = frozenset({"cancel"})


@dataclass
class AfterModelCallEvent(LifecycleEvent):
    """A model has answered, or failed.

    Attributes:
        response: What it answered.
        exception: Why it did not.
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
        """The answer and why it ended; None where there is no answer."""
        answer = self.response
        if answer is None:
            return None
        fields = answer if isinstance(answer, Mapping) else getattr(answer, "__dict__", {})
        return ModelStopResponse(fields.get("message", answer), fields.get("stop_reason"))


@dataclass
class BeforeToolCallEvent(LifecycleEvent):
    """A tool is about to be called.

    Attributes:
        selected_tool: The tool itself; replace it to call another.
        tool_use: What the model asked for; may be replaced or written into.
        cancel_tool: Set it to a reason, or to True, to keep the tool from being called.
    """

    selected_tool: Any = None
    tool_use: ToolUse = field(default_factory=ToolUse)
    invocation_state: dict[str, Any] = field(default_factory=dict)
    cancel_tool: bool | str = False

    writable: ClassVar[frozenset[str]] = frozenset({"selected_tool", "tool_use", "cancel_tool"})


@dataclass
class AfterToolCallEvent(LifecycleEvent):
    """A tool has returned, or failed, or was kept from being called.

    Attributes:
        result: What it returned; may be replaced or written into.
        exception: Why it did not.
        cancel_message: Why it was kept from being called.
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
"""The names of the seed; the same classes."""
