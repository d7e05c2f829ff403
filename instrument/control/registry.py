"""The registry: `ns:name` events and dicts of data over the hooks and kwargs of the bus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from inspect import isawaitable
from typing import Any, Protocol, runtime_checkable

from instrument import default
from instrument.bus import Bus
from instrument.control.result import HookResult, decision_from, result_from
from instrument.decision import Outcome
from instrument.delivery import describe
from instrument.interceptors import Interceptor
from instrument.views import changed, copied, hooks_named
from instrument.waiting import AsyncWaiting


@runtime_checkable
class HookHandler(Protocol):
    """Handles an event (001-01)."""

    async def __call__(self, event: str, data: dict[str, Any]) -> HookResult:
        """Return what is to happen."""


_ERROR: Mapping[str, str] = {"exc": "error"}
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "after_agent_call": {"result": "response"},
    "error_agent_call": _ERROR,
    "before_tool_call": {"args": "tool_input"},
    "after_tool_call": {"args": "tool_input", "result": "tool_result"},
    "error_tool_call": {"args": "tool_input", "result": "tool_result", **_ERROR},
    "before_llm_generate": {"prompt": "messages"},
    "after_llm_generate": {"prompt": "messages"},
    "error_llm_generate": {"prompt": "messages", **_ERROR},
}
"""Kwarg to the name that it has in `data` (001-17); others keep theirs."""

REGISTRY = "hooks"
"""Where a handler finds the registry in its data (001-18)."""


class HookRegistry:
    """Handlers of `ns:name` events, in order of priority.

    A view: handlers live on the bus, and also decide on the operations that it is told of.

    Args:
        bus: Default: the one that everybody shares.
    """

    def __init__(self, bus: Bus | None = None) -> None:
        self.bus = default.bus if bus is None else bus

    def register(
        self,
        event: str,
        handler: Callable[[str, dict[str, Any]], Any],
        priority: int = 0,
        name: str | None = None,
    ) -> Callable[[], None]:
        """Let `handler(event, data)`, async or sync, decide on every later `event`.

        Args:
            event: Such as `tool:pre`; any other name is an event of its own (001-19).
            handler: Returns a `HookResult`. When it raises, the next one is asked (001-15);
                when it returns something else, the operation is denied.
            priority: Lower is earlier; 10 to 90 recommended (001-02).
            name: For the record; default: that of `handler`.

        Returns:
            A function that removes this registration (001-03).
        """
        _check_event(event)
        if not callable(handler):
            raise TypeError(
                f"Cannot register {handler!r} for {event}: it is not callable. "
                "Give a function that takes the event and its data."
            )
        adapter = _Adapter(self, event, handler)
        offs = [
            self.bus._add_interceptor(
                Interceptor(
                    hook,
                    adapter.on(hook),
                    priority=priority,
                    name=name or describe(handler),
                    on_error="continue",
                    spelling=event,
                )
            )
            for hook in hooks_named("control", event)
        ]

        def unregister() -> None:
            for off in offs:
                off()

        return unregister

    on = register

    @property
    def handlers(self) -> Mapping[str, list[Callable[..., Any]]]:
        """Event to its handlers, in order; an event without any has an empty list (001-05)."""
        found: defaultdict[str, list[Callable[..., Any]]] = defaultdict(list)
        seen: set[_Adapter] = set()
        for entries in list(self.bus._hooks.values()):
            for entry in entries:
                adapter = getattr(getattr(entry, "fn", None), "adapter", None)
                if not isinstance(adapter, _Adapter) or adapter in seen:
                    continue
                if adapter.registry is self:
                    seen.add(adapter)
                    found[adapter.event].append(adapter.handler)
        return found

    async def emit(self, event: str, data: Mapping[str, Any] | None = None) -> HookResult:
        """Ask the handlers of `event`, tell observers, and return what it adds up to.

        A question is not asked: the caller does, with `ModuleCoordinator.process_hook_result`.
        """
        _check_event(event)
        given = dict(data or {})
        given.pop(REGISTRY, None)
        hook = _hook_for(event, given)
        outcome = Outcome(hook, _kwargs(hook, given))
        await self.bus._dispatch(AsyncWaiting(self.bus), outcome, spelling=event, asks=False)
        return result_from(outcome, _data(hook, outcome.data))


class _OnHook:
    """A handler as an interceptor of one hook."""

    def __init__(self, adapter: _Adapter, hook: str) -> None:
        self.adapter = adapter
        self._hook = hook

    def __call__(self, /, **kwargs: Any) -> Any:
        return self.adapter.decide(self._hook, kwargs)


class _Adapter:
    """A handler of one event."""

    def __init__(self, registry: HookRegistry, event: str, handler: Callable[..., Any]) -> None:
        self.registry = registry
        self.event = event
        self.handler = handler

    def on(self, hook: str) -> _OnHook:
        return _OnHook(self, hook)

    def decide(self, hook: str, kwargs: dict[str, Any]) -> Any:
        """Call the handler with data of its own, and return its decision, or that to be awaited."""
        given = _data(hook, kwargs)
        data = copied(given)
        data[REGISTRY] = self.registry

        def changes_of(wanted: Mapping[str, Any]) -> dict[str, Any]:
            kept = {key: value for key, value in wanted.items() if key != REGISTRY}
            return _kwargs(hook, changed(given, kept))

        returned = self.handler(self.event, data)
        if isawaitable(returned):
            return _decided_later(returned, changes_of)
        return decision_from(returned, changes_of)


async def _decided_later(returned: Any, changes_of: Any) -> Any:
    return decision_from(await returned, changes_of)


def _check_event(event: object) -> None:
    if not isinstance(event, str) or not event:
        raise TypeError(f"An event is a name such as 'tool:pre', and not {event!r}.")


def _hook_for(event: str, data: Mapping[str, Any]) -> str:
    """Return the hook to emit: of an event that has two, that for errors when there is one."""
    hooks = hooks_named("control", event)
    if len(hooks) > 1 and data.get("error") is not None:
        return next((hook for hook in hooks if hook.startswith("error_")), hooks[0])
    return hooks[0]


def _data(hook: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    names = _FIELDS.get(hook, {})
    return {names.get(key, key): value for key, value in kwargs.items()}


def _kwargs(hook: str, data: Mapping[str, Any]) -> dict[str, Any]:
    names = {theirs: ours for ours, theirs in _FIELDS.get(hook, {}).items()}
    return {names.get(key, key): value for key, value in data.items()}
