"""Events and decisions of rules, and the contract of each event."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from instrument.errors import HookContractError
from instrument.flow.values import FlowTypes


class AgentEvent(StrEnum):
    """An event in an agent's work."""

    BEFORE_LLM_CALL = "before_llm_call"
    """An LLM is about to be called."""
    AFTER_LLM_CALL = "after_llm_call"
    """An LLM has answered."""
    BEFORE_TOOL_EXECUTION = "before_tool_execution"
    """A tool is about to run."""
    AFTER_TOOL_EXECUTION = "after_tool_execution"
    """A tool has returned."""
    ON_TOOL_ERROR = "on_tool_error"
    """A tool has failed."""
    BEFORE_FINAL_RESPONSE = "before_final_response"
    """An agent is about to give its final answer."""
    QUERY_END = "query_end"
    """A query has ended, whatever the outcome."""


class HookDecision(StrEnum):
    """The decision of a rule."""

    CONTINUE = "continue"
    """Continue with the next rule."""
    RETRY = "retry"
    """Run the phase again."""
    FAIL = "fail"
    """Stop with an error."""
    STOP = "stop"
    """Stop, and return the value."""
    ASK = "ask"
    """Continue only if a person allows it."""


class EventContract(NamedTuple):
    """The contract of an event; types are names in `FlowTypes`, None means no value."""

    value: str | None
    """Type of the value, before and after."""
    is_optional: bool = False
    """Whether the value may be None."""
    is_retryable: bool = False
    """Whether the phase can be run again."""
    stop: str | None = None
    """Type of a stop's value; None: the event cannot be stopped."""


CONTRACTS: Mapping[AgentEvent, EventContract] = {
    AgentEvent.BEFORE_LLM_CALL: EventContract(None, stop="AssistantMessage"),
    AgentEvent.AFTER_LLM_CALL: EventContract(
        "AssistantMessage", is_retryable=True, stop="AssistantMessage"
    ),
    AgentEvent.BEFORE_TOOL_EXECUTION: EventContract("ToolCall"),
    AgentEvent.AFTER_TOOL_EXECUTION: EventContract("ToolResult"),
    AgentEvent.ON_TOOL_ERROR: EventContract("ToolResult"),
    AgentEvent.BEFORE_FINAL_RESPONSE: EventContract(
        "AssistantMessage", is_retryable=True, stop="AssistantMessage"
    ),
    AgentEvent.QUERY_END: EventContract("AssistantResponse", is_optional=True),
}
"""Contracts by event."""


def check_value(event: AgentEvent, types: FlowTypes, value: Any, what: str) -> None:
    """Raise `HookContractError` unless `value` has the type that `event` takes."""
    contract = CONTRACTS[event]
    if value is None and (contract.is_optional or contract.value is None):
        return
    if contract.value is not None and isinstance(value, types.named(contract.value)):
        return
    expected = contract.value or "None"
    if contract.is_optional:
        expected += " or None"
    raise HookContractError(
        f"A hook on {event.name} has a wrong {what}: expected {expected}, "
        f"got {type(value).__name__}."
    )


def check_retry(event: AgentEvent) -> None:
    """Raise `HookContractError` unless `event` can be retried."""
    if not CONTRACTS[event].is_retryable:
        allowed = ", ".join(other.name for other in AgentEvent if CONTRACTS[other].is_retryable)
        raise HookContractError(
            f"A hook on {event.name} requested RETRY, which that event does not allow. "
            f"Retryable events: {allowed}."
        )


def check_stop(event: AgentEvent, types: FlowTypes, value: Any) -> None:
    """Raise `HookContractError` unless `event` can be stopped, with `value`."""
    stop = CONTRACTS[event].stop
    if stop is None:
        allowed = ", ".join(other.name for other in AgentEvent if CONTRACTS[other].stop)
        raise HookContractError(
            f"A hook on {event.name} requested STOP, which that event does not allow. "
            f"Events that can be stopped: {allowed}."
        )
    if not isinstance(value, types.named(stop)):
        raise HookContractError(
            f"A hook on {event.name} requested STOP with a wrong value: expected {stop}, "
            f"got {type(value).__name__}."
        )
