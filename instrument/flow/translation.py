"""Translation between the kwargs of a hook and the value and status of a rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from instrument.flow.contracts import AgentEvent
from instrument.flow.values import AgentStatus, FlowTypes
from instrument.views import copied, differs

_MESSAGE_EVENTS = (AgentEvent.AFTER_LLM_CALL, AgentEvent.BEFORE_FINAL_RESPONSE)
_RESULT_EVENTS = (AgentEvent.AFTER_TOOL_EXECUTION, AgentEvent.ON_TOOL_ERROR)


def value_from(event: AgentEvent, types: FlowTypes, kwargs: Mapping[str, Any]) -> Any:
    """Return the value of `event`, converted to the class for that event."""
    if event is AgentEvent.BEFORE_TOOL_EXECUTION:
        return types.ToolCall(
            id=kwargs.get("tool_call_id"),
            name=kwargs.get("tool_name"),
            arguments=copied(kwargs.get("args")),
        )
    if event in _RESULT_EVENTS:
        return _tool_result(types, kwargs)
    if event in _MESSAGE_EVENTS:
        return _wrapped(types.AssistantMessage, kwargs.get("response"))
    if event is AgentEvent.QUERY_END and kwargs.get("result") is not None:
        return _wrapped(types.AssistantResponse, kwargs["result"])
    return None


def changes_from(
    event: AgentEvent, types: FlowTypes, kwargs: Mapping[str, Any], before: Any, after: Any
) -> dict[str, Any]:
    """Return the kwargs that a rule changed by replacing the value `before` by `after`."""
    if event is AgentEvent.BEFORE_TOOL_EXECUTION:
        wanted = {"tool_name": after.name, "args": after.arguments}
        return {name: new for name, new in wanted.items() if differs(kwargs.get(name), new)}
    if _is_the_same(before, after, value_from(event, types, kwargs)):
        return {}
    if event in _RESULT_EVENTS:
        is_native = isinstance(kwargs.get("result"), types.ToolResult)
        return {"result": after if is_native else _plain_result(after)}
    if event in _MESSAGE_EVENTS:
        return {"response": _unwrapped(types.AssistantMessage, kwargs.get("response"), after)}
    if event is AgentEvent.QUERY_END:
        return {"result": _unwrapped(types.AssistantResponse, kwargs.get("result"), after)}
    return {}


def _is_the_same(before: Any, after: Any, pristine: Any) -> bool:
    """Return whether a rule left the value unchanged, also inside."""
    if after is before and (before is pristine or not _can_be_compared(after)):
        return True
    return not differs(pristine, after)


def _can_be_compared(value: object) -> bool:
    return any("__eq__" in vars(kind) for kind in type(value).__mro__[:-1])


def status_from(
    event: AgentEvent, kwargs: Mapping[str, Any], agent: Any, value: Any
) -> AgentStatus:
    """Return the status at `event`; fields of other events are left out."""
    agent = kwargs.get("agent") or agent
    history = getattr(agent, "conversation_history", None)
    if history is None:
        history = kwargs.get("conversation_history", kwargs.get("prompt"))
    status = AgentStatus(
        event,
        agent,
        iteration=kwargs.get("iteration") or 0,
        conversation_history=history if isinstance(history, list) else [],
    )
    put_value(status, value)
    if event is AgentEvent.ON_TOOL_ERROR:
        error = getattr(value, "error", None) or getattr(value, "result", None)
        status.error = error if error is None or isinstance(error, str) else str(error)
    return status


def put_value(status: AgentStatus, value: Any) -> None:
    """Set the current value in the status."""
    if status.event is AgentEvent.BEFORE_TOOL_EXECUTION:
        status.tool_call = value
    elif status.event in _RESULT_EVENTS:
        status.tool_result = value
    elif status.event in _MESSAGE_EVENTS:
        status.assistant_message = value


def has_failed(kwargs: Mapping[str, Any], value: Any) -> bool:
    """Return whether a tool call failed: it raised, or its result is marked as an error."""
    if kwargs.get("exc") is not None or getattr(value, "error", None):
        return True
    result = kwargs.get("result")
    flags = result if isinstance(result, Mapping) else getattr(result, "__dict__", {})
    return flags.get("isError") is True or flags.get("is_error") is True


def _tool_result(types: FlowTypes, kwargs: Mapping[str, Any]) -> Any:
    result = kwargs.get("result")
    if isinstance(result, types.ToolResult):
        return result
    exc = kwargs.get("exc")
    return types.ToolResult(
        tool_call_id=kwargs.get("tool_call_id"),
        tool_name=kwargs.get("tool_name"),
        result=copied(result),
        error=None if exc is None else str(exc) or type(exc).__name__,
    )


def _plain_result(result: Any) -> Any:
    return result.error if result.result is None and result.error else result.result


def _wrapped(kind: type, value: Any) -> Any:
    return value if isinstance(value, kind) else kind(content=copied(value))


def _unwrapped(kind: type, before: Any, after: Any) -> Any:
    """Return the new value in the form of the emitter's value."""
    return after if after is None or isinstance(before, kind) else after.content
