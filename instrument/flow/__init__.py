"""Rules, `on(event).when(condition).handle(decision, value, effects)`, as a view of the bus.

    class Agent(HookPoint):
        def __init__(self) -> None:
            self.on(AgentEvent.BEFORE_FINAL_RESPONSE).when(self._has_no_plan).handle(
                decision=HookDecision.RETRY, effects=[self._ask_for_a_plan]
            )

A value replaces the next input of the pipeline; an effect changes the state of the agent.
"""

from instrument.flow.contracts import CONTRACTS, AgentEvent, EventContract, HookDecision
from instrument.flow.point import Hook, HookPoint
from instrument.flow.values import (
    AgentStatus,
    AssistantMessage,
    AssistantResponse,
    FlowTypes,
    ToolCall,
    ToolResult,
)

__all__ = [
    "CONTRACTS",
    "AgentEvent",
    "AgentStatus",
    "AssistantMessage",
    "AssistantResponse",
    "EventContract",
    "FlowTypes",
    "Hook",
    "HookDecision",
    "HookPoint",
    "ToolCall",
    "ToolResult",
]
