"""Callbacks for typed events: the contract of Strands as a view of the bus.

    class Agent(HookHost):
        ...

    agent = Agent(hooks=[LoggingHook()])
    agent.hooks.add_callback(BeforeToolCallEvent, gate)

A callback reads its event and sets its writable properties. Callbacks of after-events run in
reverse order.
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
