"""A registry of `ns:name` events with dict data, over the hooks and kwargs of the bus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from inspect import isawaitable
from typing import Any, Protocol, runtime_checkable

from instrument import default
from instrument.bus import Bus
from instrument.contracts import is_fixed
from instrument.control import events
from instrument.control.result import HookResult, decision_from, result_from
from instrument.decision import Outcome
from instrument.deliberation import being_decided
from instrument.delivery import describe
from instrument.interceptors import Interceptor
from instrument.views import changed, copied, hooks_named


@runtime_checkable
class HookHandler(Protocol):
    """A handler of events."""

    async def __call__(self, event: str, data: dict[str, Any]) -> HookResult:
        """Return the decision about an event."""


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
"""Kwargs that have another name in `data`, by hook."""

_KWARGS: Mapping[str, Mapping[str, str]] = {
    hook: {theirs: ours for ours, theirs in names.items()} for hook, names in _FIELDS.items()
}
"""Names in `data` to kwargs, by hook."""

_PROMISED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    events.EXECUTION_START: {"prompt": ("agent", "input")},
    events.EXECUTION_END: {"response": ()},
    events.PROMPT_SUBMIT: {"prompt": ()},
    events.TOOL_PRE: {"tool_name": (), "tool_input": ()},
    events.TOOL_POST: {"tool_name": (), "tool_result": ()},
    events.TOOL_ERROR: {"tool_name": (), "error": ()},
    events.PROVIDER_REQUEST: {"provider": ("llm", "provider"), "messages": ()},
    events.PROVIDER_RESPONSE: {"provider": ("llm", "provider"), "response": (), "usage": ()},
}
"""Keys that an event's data always has, with a path to a substitute in the kwargs."""

REGISTRY = "hooks"
"""Key of the registry in a handler's data."""

TIMESTAMP = "timestamp"
"""Key of the time of the emission, in UTC."""

_OURS = frozenset({REGISTRY, TIMESTAMP})
"""Keys that only the registry sets."""


class HookRegistry:
    """Handlers of `ns:name` events, in order of priority.

    A view of the bus: handlers also decide on the operations of the bus. An event emitted here
    reaches the handlers of this registry only.

    A handler may change the writable kwargs of the event. Other changes are only shown to later
    handlers, not to the operation: a module can mask a value for the log.

    Args:
        bus: Default: the shared one.
    """

    vocabulary = "control"
    """The name by which the bus knows these events."""

    SESSION_START = events.SESSION_START
    """`session:start`: a session begins."""
    SESSION_END = events.SESSION_END
    """`session:end`: a session has ended."""
    PROMPT_SUBMIT = events.PROMPT_SUBMIT
    """`prompt:submit`: a user has sent a prompt."""
    TOOL_PRE = events.TOOL_PRE
    """`tool:pre`: a tool is about to run."""
    TOOL_POST = events.TOOL_POST
    """`tool:post`: a tool has returned."""
    CONTEXT_PRE_COMPACT = events.CONTEXT_PRE_COMPACT
    """`context:pre_compact`: the context is about to be compacted."""
    ORCHESTRATOR_COMPLETE = events.ORCHESTRATOR_COMPLETE
    """`orchestrator:complete`: the loop over a prompt has ended."""
    USER_NOTIFICATION = events.USER_NOTIFICATION
    """`user:notification`: a message for the user."""

    def __init__(self, bus: Bus | None = None) -> None:
        self.bus = default.bus if bus is None else bus
        self._default_fields: dict[str, Any] = {}

    def register(
        self,
        event: str,
        handler: Callable[[str, dict[str, Any]], Any],
        priority: int = 0,
        name: str | None = None,
    ) -> Callable[[], None]:
        """Let `handler(event, data)`, async or sync, decide about each later `event`.

        Args:
            event: Such as `tool:pre`; any other name is a custom event.
            handler: Returns a `HookResult`. If it raises, the next handler runs; if it returns
                something else, the operation is denied.
            priority: Lower is earlier; 10 to 90 recommended.
            name: For the trail; default: the name of `handler`.

        Returns:
            A function that removes this registration.

        Raises:
            TypeError: `event` is not a name, or `handler` cannot be called.
        """
        _check_event(event)
        if not callable(handler):
            raise TypeError(
                f"Cannot register {handler!r} for {event}: it is not callable. "
                "Give a function that takes the event and its data."
            )
        adapter = _Adapter(self, event, handler, name or describe(handler))
        adapter.offs = [
            self.bus._add_interceptor(
                Interceptor(
                    hook,
                    adapter.on(hook),
                    priority=priority,
                    name=adapter.name,
                    on_error="continue",
                    spelling=event,
                    registry=self,
                )
            )
            for hook in hooks_named("control", event)
        ]
        return adapter.remove

    on = register

    def unregister(self, name: str) -> None:
        """Remove every handler registered as `name`; do nothing if there is none."""
        for adapter in self._adapters():
            if adapter.name == name:
                adapter.remove()

    @property
    def handlers(self) -> Mapping[str, list[Callable[..., Any]]]:
        """Handlers by event, in order; an event without handlers has an empty list."""
        found: defaultdict[str, list[Callable[..., Any]]] = defaultdict(list)
        for adapter in self._adapters():
            found[adapter.event].append(adapter.handler)
        return found

    def list_handlers(self, event: str | None = None) -> dict[str, list[str]]:
        """Return the names of the handlers, in order, by event or of one event."""
        found: dict[str, list[str]] = {} if event is None else {event: []}
        for adapter in self._adapters():
            if event in (None, adapter.event):
                found.setdefault(adapter.event, []).append(adapter.name)
        return found

    def set_default_fields(self, **fields: Any) -> None:
        """Add `fields`, such as `session_id`, to the data of every event that lacks them."""
        self._default_fields.update(fields)

    async def emit(self, event: str, data: Mapping[str, Any] | None = None) -> HookResult:
        """Run the handlers of `event`, notify observers, and return the combined result.

        Interceptors of the bus, such as policies, run too; handlers of other registries do not.
        The caller asks a question, with `ModuleCoordinator.process_hook_result`.

        Raises:
            TypeError: `event` is not a name.
        """
        _check_event(event)
        fields: dict[str, Any] = {**self._default_fields, **(data or {})}
        for key in _OURS:
            fields.pop(key, None)
        hook = _hook_for(event, fields)
        outcome = Outcome(hook, _kwargs(hook, fields))
        rest = self.bus._dispatch(
            self.bus._waiting, outcome, spelling=event, registry=self, asks=False
        )
        if rest is not None:
            await rest
        final = {**_data(hook, outcome.data), **outcome.shown}
        final.pop(TIMESTAMP, None)
        return result_from(outcome, final)

    def _adapters(self) -> Iterator[_Adapter]:
        """Yield the handlers of this registry on the bus, each once, in order."""
        seen: set[_Adapter] = set()
        for entries in list(self.bus._hooks.values()):
            for entry in entries:
                adapter = getattr(getattr(entry, "fn", None), "adapter", None)
                if isinstance(adapter, _Adapter) and adapter not in seen:
                    seen.add(adapter)
                    if adapter.registry is self:
                        yield adapter


class _OnHook:
    """A handler as an interceptor of one hook."""

    def __init__(self, adapter: _Adapter, hook: str) -> None:
        self.adapter = adapter
        self._hook = hook

    def __call__(self, /, **kwargs: Any) -> Any:
        return self.adapter.decide(self._hook, kwargs)


class _Adapter:
    """A handler of one event."""

    def __init__(
        self, registry: HookRegistry, event: str, handler: Callable[..., Any], name: str
    ) -> None:
        self.registry = registry
        self.event = event
        self.handler = handler
        self.name = name
        self.offs: list[Callable[[], None]] = []

    def on(self, hook: str) -> _OnHook:
        return _OnHook(self, hook)

    def remove(self) -> None:
        """Remove the handler from the bus; idempotent."""
        for off in self.offs:
            off()

    def decide(self, hook: str, kwargs: dict[str, Any]) -> Any:
        """Call the handler with its own copy of the data; return its decision or an awaitable."""
        outcome = being_decided() or Outcome(hook, kwargs)
        if TIMESTAMP not in outcome.shown:
            outcome.shown = {**outcome.shown, TIMESTAMP: datetime.now(UTC).isoformat()}
        fields = {**self.registry._default_fields, **_data(hook, kwargs), **outcome.shown}
        for key, place in _PROMISED.get(self.event, {}).items():
            if fields.get(key) is None:
                fields[key] = _found(kwargs, place)
        data = copied(fields)
        data[REGISTRY] = self.registry

        def changes_of(wanted: Mapping[str, Any]) -> dict[str, Any]:
            names = _KWARGS.get(hook, {})
            changes: dict[str, Any] = {}
            for key, value in changed(fields, wanted).items():
                kwarg = names.get(key, key)
                if key in _OURS:
                    continue
                if is_fixed(hook, kwarg):
                    outcome.shown = {**outcome.shown, key: value}
                else:
                    changes[kwarg] = value
            return changes

        returned = self.handler(self.event, data)
        if type(returned) is not HookResult and isawaitable(returned):
            return _decided_later(returned, changes_of)
        return decision_from(returned, changes_of)


async def _decided_later(returned: Any, changes_of: Any) -> Any:
    return decision_from(await returned, changes_of)


def _check_event(event: object) -> None:
    if not isinstance(event, str) or not event:
        raise TypeError(f"An event must be a name such as 'tool:pre', not {event!r}.")


def _hook_for(event: str, data: Mapping[str, Any]) -> str:
    """Return the hook to emit: the error hook for data with an error, if the event has one."""
    hooks = hooks_named("control", event)
    if len(hooks) > 1 and data.get("error") is not None:
        return next((hook for hook in hooks if hook.startswith("error_")), hooks[0])
    return hooks[0]


def _found(kwargs: Mapping[str, Any], place: tuple[str, ...]) -> Any:
    """Return the value at `place`, or None; an emitter's object that raises counts as None."""
    if not place:
        return None
    value, name = kwargs.get(place[0]), place[1]
    if isinstance(value, Mapping):
        return value.get(name)
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001 - a property of the emitter's object
        return None


def _data(hook: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    names = _FIELDS.get(hook, {})
    return {names.get(key, key): value for key, value in kwargs.items()}


def _kwargs(hook: str, data: Mapping[str, Any]) -> dict[str, Any]:
    names = _KWARGS.get(hook, {})
    return {names.get(key, key): value for key, value in data.items()}
