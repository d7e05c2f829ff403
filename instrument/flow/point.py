"""`HookPoint`, the base class of objects with rules, and the execution of one rule."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from inspect import isawaitable
from typing import Any

from instrument import default
from instrument.bus import Bus
from instrument.decision import UNSET, Decision, Unset
from instrument.delivery import describe
from instrument.flow.contracts import (
    CONTRACTS,
    AgentEvent,
    HookDecision,
    check_retry,
    check_stop,
    check_value,
)
from instrument.flow.translation import (
    changes_from,
    has_failed,
    put_value,
    status_from,
    value_from,
)
from instrument.flow.values import AgentStatus, FlowTypes
from instrument.interceptors import Interceptor
from instrument.views import hooks_named

_logger = logging.getLogger("mcp.instrument")


class HookPoint:
    """An object with rules; used alone, or as the base of an agent's class.

    Args:
        agent: The agent in a rule's status; default: an instance of a subclass itself.
        types: The classes of the values; default: those of this package.
        bus: Default: the shared one.

    Raises:
        TypeError: `types` is not a `FlowTypes`.
    """

    _agent: Any = None
    _types = FlowTypes()
    _bus: Bus | None = None

    def __init__(
        self, agent: Any = None, *, types: FlowTypes | None = None, bus: Bus | None = None
    ) -> None:
        if not isinstance(types, FlowTypes | None):
            raise TypeError(
                f"Cannot make a hook point with types={types!r}: give `FlowTypes(…)`, or none."
            )
        self._agent = agent
        self._types = FlowTypes() if types is None else types
        self._bus = bus

    def on(self, event: AgentEvent | str) -> Hook:
        """Start a rule for `event`; it takes effect when its `handle` is called.

        Raises:
            ValueError: There is no such event.
        """
        try:
            known = AgentEvent(event)
        except ValueError:
            names = ", ".join(other.value for other in AgentEvent)
            raise ValueError(f"Cannot put a hook on {event!r}: give one of {names}.") from None
        agent = self._agent
        if agent is None and type(self) is not HookPoint:
            agent = self
        bus = default.bus if self._bus is None else self._bus
        return Hook(known, agent, self._types, bus)


class Hook:
    """A rule; its methods return it, for chaining."""

    def __init__(self, event: AgentEvent, agent: Any, types: FlowTypes, bus: Bus) -> None:
        self._event = event
        self._agent = agent
        self._types = types
        self._bus = bus
        self._conditions: list[Callable[[AgentStatus], Any]] = []
        self._offs: tuple[Callable[[], None], ...] = ()
        self._is_handled = False
        self._decision = HookDecision.CONTINUE
        self._value: Any = UNSET
        self._effects: tuple[Callable[[AgentStatus], Any], ...] = ()

    def __del__(self) -> None:
        if self._conditions and not self._is_handled:
            _logger.warning(
                "A hook on %s has a `when` and no `handle`: it does nothing. Add `.handle(…)`.",
                self._event.name,
            )

    def when(self, condition: Callable[[AgentStatus], Any]) -> Hook:
        """Apply the rule only if `condition(status)`, sync or async, is true.

        Further calls add conditions, which must all be true.

        Raises:
            TypeError: `condition` cannot be called.
        """
        if not callable(condition):
            raise TypeError(f"{self._attempt()}: its condition {condition!r} is not callable.")
        self._conditions.append(condition)
        return self

    def handle(
        self,
        decision: HookDecision | str = HookDecision.CONTINUE,
        value: Any = UNSET,
        effects: Sequence[Callable[[AgentStatus], Any]] | None = None,
    ) -> Hook:
        """Activate the rule, after the existing ones.

        Args:
            decision: The decision on the flow.
            value: The new value, or `value_fn(status, current_value)`; with FAIL a message, with
                ASK a prompt. None means the current value, unless the event allows None.
            effects: `effect_fn(status)`: change the state, through the status. They run before
                the value is computed; their results are ignored.

        Raises:
            ValueError: There is no such decision.
            TypeError: An effect cannot be called.
        """
        try:
            self._decision = HookDecision(decision)
        except ValueError:
            names = ", ".join(other.name for other in HookDecision)
            raise ValueError(f"{self._attempt()}: decision {decision!r}; give {names}.") from None
        wanted: Any = () if effects is None else effects
        if not isinstance(wanted, Sequence) or not all(callable(effect) for effect in wanted):
            raise TypeError(f"{self._attempt()}: effects must be a list of functions.")
        self.remove()
        self._value, self._effects, self._is_handled = value, tuple(wanted), True
        name = f"{self._event.value} {self._decision.value}"
        if self._decision is HookDecision.ASK:  # `allow always` applies to this name
            name = " ".join([name, *(f"when {describe(fn)}" for fn in self._conditions)])
        self._offs = tuple(
            self._bus._add_interceptor(Interceptor(hook, self._decide, name=name))
            for hook in hooks_named("flow", self._event.value)
        )
        return self

    def remove(self) -> None:
        """Deactivate the rule; idempotent and thread-safe."""
        for off in self._offs:
            off()

    async def _decide(self, /, **kwargs: Any) -> Decision | None:
        named = kwargs.get("agent")
        if None not in (self._agent, named) and named is not self._agent:
            return None
        current = value_from(self._event, self._types, kwargs)
        if self._event is AgentEvent.ON_TOOL_ERROR and not has_failed(kwargs, current):
            return None
        check_value(self._event, self._types, current, "input")
        status = status_from(self._event, kwargs, self._agent, current)
        for condition in self._conditions:
            holds = condition(status)
            if not (await holds if _must_be_awaited(holds) else holds):
                return None
        for effect in self._effects:
            returned = effect(status)
            if _must_be_awaited(returned):
                await returned
        if self._effects:  # discard their edits of the value
            current = value_from(self._event, self._types, kwargs)
            put_value(status, current)
        value = self._new_value(status, current)
        if _must_be_awaited(value):
            value = await value
        return self._decided(kwargs, current, value)

    def _new_value(self, status: AgentStatus, current: Any) -> Any:
        """Return the value of the rule, or an awaitable of it."""
        if self._value is UNSET:
            return UNSET
        if callable(self._value):
            return self._value(status, current)
        if self._value is None and not CONTRACTS[self._event].is_optional:
            return UNSET
        return self._value

    def _decided(self, kwargs: dict[str, Any], current: Any, value: Any) -> Decision | None:
        event, types = self._event, self._types
        match self._decision:
            case HookDecision.RETRY:
                check_retry(event)
                return Decision.retry(f"Hook {event.name} requested RETRY")
            case HookDecision.STOP:
                check_stop(event, types, None if value is UNSET else value)
                return Decision.stop(value, f"Hook {event.name} requested STOP")
            case HookDecision.FAIL:
                message = value if isinstance(value, str) else f"Hook {event.name} requested FAIL"
                return Decision.fail(message)
            case HookDecision.ASK:
                prompt = value if isinstance(value, str) and value else f"Hook {event.name} asks"
                return Decision.ask_user(prompt)
        if value is UNSET:
            value = current
        else:
            check_value(event, types, value, "value")
        changes = changes_from(event, types, kwargs, current, value)
        return Decision.modify(**changes) if changes else None

    def _attempt(self) -> str:
        return f"Cannot put a hook on {self._event.name}"


def _must_be_awaited(returned: object) -> bool:
    return type(returned) not in _NEVER_AWAITED and isawaitable(returned)


_NEVER_AWAITED = frozenset({bool, type(None), Unset})
"""Types of most values, tested quicker than by `isawaitable`."""
