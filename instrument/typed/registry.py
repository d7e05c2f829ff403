"""A registry of callbacks by typed event."""

from __future__ import annotations

import weakref
from collections.abc import Awaitable, Callable, Iterator
from inspect import isawaitable, iscoroutinefunction
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

from instrument import default
from instrument.asking import Subject, ask_person
from instrument.bus import Bus
from instrument.decision import Decision, Outcome
from instrument.delivery import describe
from instrument.interceptors import Interceptor
from instrument.parts import Question
from instrument.typed.events import AgentInitializedEvent, BaseHookEvent, Interrupted
from instrument.typed.inference import event_types
from instrument.typed.translation import (
    HOOKS,
    decision_from,
    event_from,
    hooks_of,
    is_reversed,
    kwargs_from,
)
from instrument.waiting import completed

E = TypeVar("E", bound=BaseHookEvent)
C = TypeVar("C", bound=BaseHookEvent, contravariant=True)


class HookCallback(Protocol[C]):
    """A callback that takes an event and sets its writable properties; its result is ignored."""

    def __call__(self, event: C, /) -> Awaitable[None] | None:
        """Handle the event."""


class HookOrder:
    """Orders of callbacks: lower is earlier, also on after-events."""

    SDK_FIRST: Final = -100
    """Before every callback of a program."""
    DEFAULT: Final = 0
    """The order of a callback that names none."""
    SDK_LAST: Final = 100
    """After every callback of a program."""


@runtime_checkable
class HookProvider(Protocol):
    """An object that registers several callbacks."""

    def register_hooks(self, registry: HookRegistry) -> None:
        """Add callbacks to `registry`."""


class HookRegistry:
    """Callbacks of typed events.

    A view of the bus: callbacks also decide on the operations of the bus. An event that a host
    passes here reaches the callbacks of this registry only.

    Args:
        bus: Default: the shared one.
        agent: The agent of the registry. Events of another agent do not reach its callbacks; events
            without an agent get this one. The reference is weak, and the callbacks are removed with
            the agent.
    """

    vocabulary = "typed"
    """The name by which the bus knows these events."""

    def __init__(self, bus: Bus | None = None, *, agent: Any = None) -> None:
        self.bus = default.bus if bus is None else bus
        self._offs: dict[int, Callable[[], None]] = {}
        self._agent: Callable[[], Any] = lambda: None
        if agent is not None:
            self._agent = weakref.ref(agent)
            weakref.finalize(agent, self.clear).atexit = False

    @property
    def agent(self) -> Any:
        """The agent that owns the registry."""
        return self._agent()

    def add_callback(
        self,
        event_type: type[E] | list[type[E]] | None,
        callback: Callable[[E], Any],
        *,
        order: int = HookOrder.DEFAULT,
    ) -> Callable[[], None]:
        """Call `callback(event)` for each later event whose class is exactly `event_type`.

        Callbacks run in order of registration, those of after-events in reverse. They run inline
        with the agent, may be async if the agent is, and their exceptions are raised in the agent.

        Args:
            event_type: The event, or a list of events; None: from the callback's annotation.
            callback: The function.
            order: Lower is earlier; the order above applies among equals.

        Returns:
            A function that removes it, once.

        Raises:
            TypeError: `event_type` is not an event, or `callback` cannot be called.
            ValueError: An async callback for `AgentInitializedEvent`, as `__init__` cannot wait; or
                neither an argument nor an annotation names an event.
        """
        if not callable(callback):
            raise TypeError(
                f"Cannot add {callback!r} for {event_type!r}: it is not callable. "
                "Give a function that takes the event."
            )
        kinds = event_types(event_type, callback)
        if AgentInitializedEvent in kinds and _is_async(callback):
            raise ValueError(
                f"Cannot add {describe(callback)} for AgentInitializedEvent: it is async, and "
                "`__init__` cannot wait for it. Use a plain function."
            )
        offs = [self._add(kind, callback, order) for kind in kinds]

        def remove() -> None:
            for off in offs:
                off()

        return remove

    def add_hook(self, provider: HookProvider | Callable[..., Any]) -> None:
        """Let `provider` register its callbacks; a function registers by its annotation.

        Raises:
            TypeError: It is a class, or has no `register_hooks` and is no function.
            ValueError: It is a function whose annotation names no event.
        """
        if isinstance(provider, type):
            raise TypeError(f"Cannot add the class {provider.__name__}: add an instance of it.")
        if isinstance(provider, HookProvider):
            provider.register_hooks(self)
        elif callable(provider):
            self.add_callback(None, provider)
        else:
            raise TypeError(
                f"Cannot add {provider!r}: it has no `register_hooks(registry)`. "
                "For a single function use `add_callback`."
            )

    def has_callbacks(self) -> bool:
        """Return whether there are callbacks."""
        return bool(self._offs)

    def get_callbacks_for(self, event: BaseHookEvent) -> Iterator[Callable[..., Any]]:
        """Return the callbacks for `event`, in order."""
        for entry in self.bus._hooks.get(hooks_of(type(event))[0], ()):
            adapter = getattr(getattr(entry, "fn", None), "__self__", None)
            if isinstance(adapter, _Adapter) and adapter.registry is self:
                yield adapter.callback

    def clear(self) -> None:
        """Remove every callback of this registry."""
        while self._offs:
            _, off = self._offs.popitem()
            off()

    def invoke_callbacks(self, event: E) -> E:
        """Pass an event made by the host to its callbacks, and write back their changes.

        Raises:
            RuntimeError: A callback is async; use `invoke_callbacks_async`.
        """
        for callback in self.get_callbacks_for(event):
            if _is_async(callback):
                raise RuntimeError(
                    f"Cannot call {describe(callback)} with {type(event).__name__}: it is "
                    "async. Use `await invoke_callbacks_async(event)`."
                )
        bus, outcome = self.bus, Outcome(*kwargs_from(event))
        rest = bus._dispatch(bus._sync_waiting, outcome, registry=self)
        if rest is not None:
            completed(rest)
        return _write_back(event, outcome)

    async def invoke_callbacks_async(self, event: E) -> E:
        """Pass an event made by the host to its callbacks, and write back their changes."""
        outcome = Outcome(*kwargs_from(event))
        rest = self.bus._dispatch(self.bus._waiting, outcome, registry=self)
        if rest is not None:
            await rest
        return _write_back(event, outcome)

    def _add(
        self, kind: type[BaseHookEvent], callback: Callable[..., Any], order: int
    ) -> Callable[[], None]:
        adapter = _Adapter(self, kind, callback)
        removals = [
            self.bus._add_interceptor(
                Interceptor(
                    hook,
                    adapter.decide,
                    priority=order,
                    name=describe(callback),
                    registry=self,
                    is_reversed=is_reversed(kind),
                )
            )
            for hook in hooks_of(kind)
        ]
        key = id(adapter)

        def off() -> None:
            self._offs.pop(key, None)
            for remove in removals:
                remove()

        self._offs[key] = off
        return off


class _Adapter:
    """A callback as an interceptor."""

    __slots__ = ("_kind", "callback", "registry")

    def __init__(
        self, registry: HookRegistry, kind: type[BaseHookEvent], callback: Callable[..., Any]
    ) -> None:
        self.registry = registry
        self.callback = callback
        self._kind = kind

    def decide(self, /, **kwargs: Any) -> Any:
        """Return the callback's changes as a decision, or an awaitable of it."""
        agent, named = self.registry.agent, kwargs.get("agent")
        if agent is not None and named is not None and named is not agent:
            return None
        event = event_from(self._kind, kwargs, agent)
        try:
            returned = self.callback(event)
        except Interrupted as interrupt:
            return self._resumed(interrupt, kwargs)
        if returned is not None and isawaitable(returned):
            return self._finished(returned, event, kwargs)
        return decision_from(event, kwargs)

    async def _finished(self, returned: Any, event: BaseHookEvent, kwargs: dict[str, Any]) -> Any:
        try:
            await returned
        except Interrupted as interrupt:
            return await self._resumed(interrupt, kwargs)
        return decision_from(event, kwargs)

    async def _resumed(self, interrupt: Interrupted, kwargs: dict[str, Any]) -> Any:
        """Ask a person and run the callback again with the answer, until it asks no more."""
        answers: dict[str, Any] = {}
        while True:
            bus = self.registry.bus
            question = Question(str(interrupt.reason or interrupt.name), kind="question")
            subject = Subject(hooks_of(self._kind)[0], describe(self.callback), kwargs)
            answer = await ask_person(bus, bus._waiting, question, subject)
            if not answer.is_answered and not answer.is_granted:
                return Decision.deny(answer.reason or f"refused: {answer.decision}")
            if (objection := answer.objection_to(kwargs)) is not None:
                return Decision.deny(objection)
            payload = answer.payload
            answers[interrupt.name] = answer.decision if payload is None else payload
            event = event_from(self._kind, kwargs, self.registry.agent)
            event.__dict__["_answers"].update(answers)
            event.__dict__["_interrupts"].clear()
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
    kind, values = type(event), event.__dict__
    if kind not in HOOKS:
        return event
    if outcome.changes:
        changed = event_from(kind, outcome.data, values["agent"])
        values.update({name: changed.__dict__[name] for name in kind.writable})
    for name in ("cancel_tool", "cancel"):
        if name in kind.writable:
            values[name] = False if outcome.is_allowed else outcome.reason or outcome.action
    if "retry" in kind.writable:
        values["retry"] = outcome.action == "retry"
    if "resume" in kind.writable:
        values["resume"] = outcome.retry_changes.get("resume")
    return event
