"""Callbacks for typed events: the contract of Strands as a view of the bus.

    class Agent(HookHost):
        ...

    agent = Agent(hooks=[LoggingHook()])
    agent.hooks.add_callback(BeforeToolCallEvent, gate)

A call-back reads its event and writes the properties that may be written. After-events are
brought to call-backs in reverse order.
"""

from instrument.typed.events import (
    AfterInvocationEvent,
    AfterModelCallEvent,
    AfterModelInvocationEvent,
    AfterToolCallEvent,
    AfterToolInvocationEvent,
    AgentInitializedEvent,
    BaseHookEvent,
    BeforeInvocationEvent,
    BeforeModelCallEvent,
    BeforeModelInvocationEvent,
    BeforeToolCallEvent,
    BeforeToolInvocationEvent,
    HookEvent,
    MessageAddedEvent,
    ModelStopResponse,
    ToolUse,
)
from instrument.typed.host import HookHost
from instrument.typed.registry import HookCallback, HookOrder, HookProvider, HookRegistry

__all__ = [
    "AfterInvocationEvent",
    "AfterModelCallEvent",
    "AfterModelInvocationEvent",
    "AfterToolCallEvent",
    "AfterToolInvocationEvent",
    "AgentInitializedEvent",
    "BaseHookEvent",
    "BeforeInvocationEvent",
    "BeforeModelCallEvent",
    "BeforeModelInvocationEvent",
    "BeforeToolCallEvent",
    "BeforeToolInvocationEvent",
    "HookCallback",
    "HookEvent",
    "HookHost",
    "HookOrder",
    "HookProvider",
    "HookRegistry",
    "MessageAddedEvent",
    "ModelStopResponse",
    "ToolUse",
]
