"""Translation between the kwargs of a hook and a typed event, in both directions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from instrument.decision import Decision
from instrument.errors import HookContractError, HookDenied
from instrument.typed.events import (
    AfterInvocationEvent,
    AfterModelCallEvent,
    AfterToolCallEvent,
    AgentInitializedEvent,
    BaseHookEvent,
    BeforeInvocationEvent,
    BeforeModelCallEvent,
    BeforeToolCallEvent,
    HookEvent,
    LifecycleEvent,
    MessageAddedEvent,
    ToolUse,
)
from instrument.views import copied, differs

CANCELLED = "cancelled by a hook"

HOOKS: Mapping[type[BaseHookEvent], tuple[str, ...]] = {
    AgentInitializedEvent: ("agent_initialized",),
    BeforeInvocationEvent: ("before_agent_call",),
    AfterInvocationEvent: ("after_agent_call", "error_agent_call"),
    MessageAddedEvent: ("message_added",),
    BeforeModelCallEvent: ("before_llm_generate",),
    AfterModelCallEvent: ("after_llm_generate", "error_llm_generate"),
    BeforeToolCallEvent: ("before_tool_call",),
    AfterToolCallEvent: ("after_tool_call", "error_tool_call"),
}
"""Hooks by event: after-events have one for success and one for failure."""

_NO_EVENTS = (BaseHookEvent, HookEvent, LifecycleEvent)
"""Base classes, which are not events."""

EVENT = "event"
"""Kwarg of a custom event, which is passed unchanged."""

_ORDERS = frozenset({"cancel_tool", "cancel", "retry", "resume", "cancel_message"})
"""Properties that are not kwargs of the hook."""

_RENAMED: Mapping[type[BaseHookEvent], Mapping[str, str]] = {
    AfterInvocationEvent: {"exception": "exc"},
    BeforeModelCallEvent: {"messages": "prompt"},
    AfterModelCallEvent: {"exception": "exc"},
    AfterToolCallEvent: {"exception": "exc"},
}
"""Kwargs by property, where the names differ."""


_DATA: Mapping[type[BaseHookEvent], tuple[tuple[str, str, bool], ...]] = {
    kind: tuple(
        (name, _RENAMED.get(kind, {}).get(name, name), name in kind.writable)
        for name in (field.name for field in fields(kind))
        if name not in _ORDERS and name not in ("agent", "tool_use")
    )
    for kind in HOOKS
}
"""Properties that are kwargs of the hook: name, kwarg, and whether it is writable."""

_BLANK: Mapping[type[BaseHookEvent], Mapping[str, Any]] = {
    kind: {
        field.name: None if field.default is MISSING else field.default for field in fields(kind)
    }
    for kind in HOOKS
}
"""Default properties of an event; mutable ones are None."""


def hooks_of(kind: object) -> tuple[str, ...]:
    """Return the hooks of an event class: its name for a custom class, none for any other."""
    if not isinstance(kind, type) or not issubclass(kind, BaseHookEvent) or kind in _NO_EVENTS:
        return ()
    return HOOKS.get(kind) or (f"{kind.__module__}.{kind.__qualname__}",)


def is_reversed(kind: type[BaseHookEvent]) -> bool:
    """Return whether callbacks of `kind` run in reverse, also if it overrides that."""
    flag: Any = kind.should_reverse_callbacks
    try:
        return bool(flag.__get__(object.__new__(kind)) if isinstance(flag, property) else flag)
    except Exception:  # noqa: BLE001 - the property may need an event, which does not exist yet
        return False


def event_from(kind: type[BaseHookEvent], kwargs: Mapping[str, Any], agent: Any) -> Any:
    """Make the event of one callback, with copies of its writable values.

    Not by `kind(…)`, which checks for every property whether it is writable, and would take most of
    the time of a callback. Tests compare the two.
    """
    if kind not in HOOKS:
        return kwargs[EVENT]
    event = object.__new__(kind)
    values = event.__dict__
    values.update(_BLANK[kind])
    values["agent"] = kwargs.get("agent") or agent
    for name, kwarg, is_writable in _DATA[kind]:
        if kwarg in kwargs:
            values[name] = copied(kwargs[kwarg]) if is_writable else kwargs[kwarg]
    if "invocation_state" in values and values["invocation_state"] is None:
        values["invocation_state"] = {}
    if "tool_use" in values:
        values["tool_use"] = _tool_use(kwargs)
    if kind is AfterToolCallEvent and isinstance(kwargs.get("exc"), HookDenied):
        values["cancel_message"] = kwargs["exc"].reason
    event.__post_init__()
    return event


def kwargs_from(event: BaseHookEvent) -> tuple[str, dict[str, Any]]:
    """Return the hook and the kwargs of an event that a host made."""
    kind, values = type(event), event.__dict__
    if kind not in HOOKS:
        return hooks_of(kind)[0], {EVENT: event, "agent": getattr(event, "agent", None)}
    kwargs = {kwarg: values[name] for name, kwarg, _ in _DATA[kind]}
    kwargs["agent"] = values["agent"]
    tool_use = values.get("tool_use")
    if tool_use is not None:
        kwargs["tool_name"] = tool_use.get("name")
        kwargs["args"] = tool_use.get("input")
        kwargs["tool_call_id"] = tool_use.get("toolUseId")
    if kwargs.get("exc") is None:
        kwargs.pop("exc", None)
        return HOOKS[kind][0], kwargs
    return HOOKS[kind][-1], kwargs


def decision_from(event: BaseHookEvent, kwargs: Mapping[str, Any]) -> Decision | None:
    """Convert a callback's changes to its event to a decision."""
    read = _READERS.get(type(event))
    return None if read is None else read(event, kwargs)


def _before_invocation(event: Any, kwargs: Mapping[str, Any]) -> Decision | None:
    if event.cancel:
        return _cancelled(event.cancel)
    return _modified(_written(event, kwargs, "messages"))


def _after_invocation(event: Any, kwargs: Mapping[str, Any]) -> Decision | None:
    if event.resume is None:
        return None
    return Decision.retry("resumed", messages=event.resume, resume=event.resume)


def _before_model(event: Any, kwargs: Mapping[str, Any]) -> Decision | None:
    return _cancelled(event.cancel)


def _after_model(event: Any, kwargs: Mapping[str, Any]) -> Decision | None:
    return Decision.retry() if event.retry else None


def _before_tool(event: Any, kwargs: Mapping[str, Any]) -> Decision | None:
    if event.cancel_tool:
        return _cancelled(event.cancel_tool)
    changes = _written(event, kwargs, "selected_tool")
    tool_use = event.tool_use
    if not isinstance(tool_use, Mapping):
        raise HookContractError(
            "A callback gave BeforeToolCallEvent a wrong tool_use: expected a dict with name and "
            f"input, got {type(tool_use).__name__}. To keep the tool from running, set cancel_tool."
        )
    for key, kwarg in (("name", "tool_name"), ("input", "args")):
        if differs(tool_use.get(key), kwargs.get(kwarg)):
            changes[kwarg] = tool_use.get(key)
    return _modified(changes)


def _after_tool(event: Any, kwargs: Mapping[str, Any]) -> Decision | None:
    if event.retry:
        return Decision.retry()
    return _modified(_written(event, kwargs, "result"))


_READERS: Mapping[type[BaseHookEvent], Callable[[Any, Mapping[str, Any]], Decision | None]] = {
    BeforeInvocationEvent: _before_invocation,
    AfterInvocationEvent: _after_invocation,
    BeforeModelCallEvent: _before_model,
    AfterModelCallEvent: _after_model,
    BeforeToolCallEvent: _before_tool,
    AfterToolCallEvent: _after_tool,
}


def _tool_use(kwargs: Mapping[str, Any]) -> ToolUse:
    return ToolUse(
        toolUseId=kwargs.get("tool_call_id"),
        name=kwargs.get("tool_name"),
        input=copied(kwargs.get("args")),
    )


def _written(event: Any, kwargs: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = getattr(event, name)
    return {name: value} if differs(value, kwargs.get(name)) else {}


def _modified(changes: dict[str, Any]) -> Decision | None:
    return Decision.modify(**changes) if changes else None


def _cancelled(cancel: bool | str) -> Decision | None:
    if not cancel:
        return None
    return Decision.deny(cancel if isinstance(cancel, str) else CANCELLED)
