"""Who hears which typed event."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from inspect import isawaitable, iscoroutinefunction
from typing import Any, Protocol, TypeVar, runtime_checkable

from instrument import default
from instrument.asking import Subject, ask_person
from instrument.bus import Bus
from instrument.decision import Decision, Outcome, Question
from instrument.delivery import describe
from instrument.interceptors import Interceptor
from instrument.typed.events import AgentInitializedEvent, HookEvent, Interrupted
from instrument.typed.translation import HOOKS, decision_from, event_from, kwargs_from
from instrument.waiting import AsyncWaiting

E = TypeVar("E", bound=HookEvent)


@runtime_checkable
class HookProvider(Protocol):
    """Registers several call-backs at once (002-02)."""

    def register_hooks(self, registry: HookRegistry) -> None:
        """Add call-backs to `registry`."""


class HookRegistry:
    """Call-backs of typed events.

    A view: call-backs live on the bus, and also decide on the operations that it is told of.

    Args:
        bus: Default: the one that everybody shares.
        agent: Whose registry it is. Events that name another agent are not brought to its
            call-backs; those that name none have this one. It is held weakly, and when it goes
            its call-backs go.
    """

    def __init__(self, bus: Bus | None = None, *, agent: Any = None) -> None:
        self.bus = default.bus if bus is None else bus
        self._offs: dict[int, Callable[[], None]] = {}
        self._agent: Callable[[], Any] = lambda: None
        if agent is not None:
            self._agent = weakref.ref(agent)
            weakref.finalize(agent, self.clear).atexit = False

    @property
    def agent(self) -> Any:
        """Whose registry it is."""
        return self._agent()

    def add_callback(self, event_type: type[E], callback: Callable[[E], Any]) -> Callable[[], None]:
        """Call `callback(event)` for every later event whose class is exactly `event_type`.

        Before-events and others reach call-backs in order of registration, after-events in
        reverse (002-08). A call-back runs inline with the agent (002-12), may be async where the
        agent is, and what it raises is raised in the agent.

        Returns:
            A function that removes it, once, however often it is called.

        Raises:
            TypeError: `event_type` is no event, or `callback` cannot be called.
            ValueError: An async call-back for `AgentInitializedEvent`: `__init__` cannot wait.
        """
        hooks = HOOKS.get(event_type)
        if hooks is None:
            known = ", ".join(sorted(kind.__name__ for kind in HOOKS))
            raise TypeError(
                f"Cannot add a call-back for {event_type!r}: it is no event. Events: {known}."
            )
        if not callable(callback):
            raise TypeError(
                f"Cannot add {callback!r} for {event_type.__name__}: it is not callable. "
                "Give a function that takes the event."
            )
        if event_type is AgentInitializedEvent and _is_async(callback):
            raise ValueError(
                f"Cannot add {describe(callback)} for AgentInitializedEvent: it is async, and "
                "`__init__` cannot wait for it. Use a plain function."
            )
        return self._keep(event_type, callback, hooks)

    def add_hook(self, provider: HookProvider) -> None:
        """Let `provider` register its call-backs.

        Raises:
            TypeError: It has no `register_hooks`.
        """
        if not isinstance(provider, HookProvider):
            raise TypeError(
                f"Cannot add {provider!r}: it has no `register_hooks(registry)`. "
                "For a single function use `add_callback`."
            )
        provider.register_hooks(self)

    def clear(self) -> None:
        """Remove every call-back of this registry."""
        while self._offs:
            _, off = self._offs.popitem()
            off()

    def invoke_callbacks(self, event: E) -> E:
        """Bring an event that a host made to its call-backs, and write back what they wrote.

        Raises:
            RuntimeError: A call-back is async; use `invoke_callbacks_async`.
        """
        hook, kwargs = kwargs_from(event)
        for entry in self.bus._hooks.get(hook, ()):
            fn = getattr(entry, "fn", None)
            if isinstance(fn, _Adapter) and fn.registry is self and _is_async(fn.callback):
                raise RuntimeError(
                    f"Cannot bring {type(event).__name__} to {describe(fn.callback)}: it is "
                    "async. Use `await invoke_callbacks_async(event)`."
                )
        return _write_back(event, self.bus.dispatch_sync(hook, **kwargs))

    async def invoke_callbacks_async(self, event: E) -> E:
        """Bring an event that a host made to its call-backs, and write back what they wrote."""
        hook, kwargs = kwargs_from(event)
        return _write_back(event, await self.bus.dispatch(hook, **kwargs))

    def _keep(
        self, kind: type[HookEvent], callback: Callable[..., Any], hooks: tuple[str, ...]
    ) -> Callable[[], None]:
        adapter = _Adapter(self, kind, callback)
        removals = [
            self.bus._add_interceptor(
                Interceptor(hook, adapter, name=describe(callback), is_reversed=kind.is_after)
            )
            for hook in hooks
        ]
        key = id(adapter)

        def off() -> None:
            self._offs.pop(key, None)
            for remove in removals:
                remove()

        self._offs[key] = off
        return off


class _Adapter:
    """A call-back as an interceptor."""

    def __init__(
        self, registry: HookRegistry, kind: type[HookEvent], callback: Callable[..., Any]
    ) -> None:
        self.registry = registry
        self.callback = callback
        self._kind = kind

    def __call__(self, /, **kwargs: Any) -> Any:
        """Return what the call-back wrote as a decision, or that to be awaited."""
        agent, named = self.registry.agent, kwargs.get("agent")
        if agent is not None and named is not None and named is not agent:
            return None
        event = event_from(self._kind, kwargs, agent)
        try:
            returned = self.callback(event)
        except Interrupted as interrupt:
            return self._resumed(interrupt, kwargs)
        if isawaitable(returned):
            return self._finished(returned, event, kwargs)
        return decision_from(event, kwargs)

    async def _finished(self, returned: Any, event: HookEvent, kwargs: dict[str, Any]) -> Any:
        try:
            await returned
        except Interrupted as interrupt:
            return await self._resumed(interrupt, kwargs)
        return decision_from(event, kwargs)

    async def _resumed(self, interrupt: Interrupted, kwargs: dict[str, Any]) -> Any:
        """Ask a person, and run the call-back again with the answer, until it asks no more."""
        answers: dict[str, Any] = {}
        while True:
            bus = self.registry.bus
            question = Question(str(interrupt.reason or interrupt.name))
            subject = Subject(HOOKS[self._kind][0], describe(self.callback), kwargs)
            answer = await ask_person(bus, AsyncWaiting(bus), question, subject, "question")
            if answer.decision != "answer" and not answer.is_granted:
                return Decision.deny(answer.reason or f"refused: {answer.decision}")
            payload = answer.payload
            answers[interrupt.name] = answer.decision if payload is None else payload
            event = event_from(self._kind, kwargs, self.registry.agent)
            event.__dict__["_answers"].update(answers)
            try:
                returned = self.callback(event)
                if isawaitable(returned):
                    await returned
            except Interrupted as again:
                interrupt = again
                continue
            return decision_from(event, kwargs)


def _is_async(callback: Any) -> bool:
    return iscoroutinefunction(callback) or iscoroutinefunction(
        getattr(callback, "__call__", None)  # noqa: B004 - an object with an async call
    )


def _write_back(event: E, outcome: Outcome) -> E:
    kind = type(event)
    told = event_from(kind, outcome.data, event.agent)
    for name in kind.writable:
        object.__setattr__(event, name, getattr(told, name))
    reason = outcome.reason or outcome.action
    for name in ("cancel_tool", "cancel"):
        if name in kind.writable and not outcome.is_allowed:
            object.__setattr__(event, name, reason)
    if "retry" in kind.writable:
        object.__setattr__(event, "retry", outcome.action == "retry")
    if "resume" in kind.writable:
        object.__setattr__(event, "resume", outcome.retry_changes.get("resume"))
    return event
