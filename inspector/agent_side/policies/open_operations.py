"""Open operations and their nesting, for agent names and nested usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.agent_side.policies.budgets import CallUsage
from subscribers.content.paths import read_path

MAX_OPEN = 100_000
MAX_NESTED = 1_000
_OWN_WORK = frozenset({"tool_call", "agent_call", "workflow_run"})
"""An LLM call inside one of these is not part of an LLM call around it."""


@dataclass(slots=True, eq=False)
class _Open:
    noun: str
    parent: _Open | None
    agent: str
    inner: list[CallUsage] = field(default_factory=list)


class OperationTracker:
    """A tracker of `operation_opened` and `operation_closed`; each step is one dict operation."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}

    def opened(
        self, call_id: str, parent_call_id: str | None, noun: str, kwargs: Mapping[str, Any]
    ) -> None:
        """Record the start of an operation."""
        parent = self._open.get(parent_call_id) if parent_call_id is not None else None
        agent = parent.agent if parent is not None else ""
        if noun == "agent_call":
            name = read_path(kwargs, "agent.name|agent")
            agent = name if isinstance(name, str) else agent
        self._open[call_id] = _Open(noun, parent, agent)
        if len(self._open) > MAX_OPEN:
            self._open.pop(next(iter(self._open)), None)

    def closed(self, call_id: str) -> None:
        """Forget a closed operation."""
        self._open.pop(call_id, None)

    def agent_of(self, call_id: object, parent_call_id: object = None) -> str:
        """Return the name of the innermost agent around an operation; "" if unknown."""
        for one in (call_id, parent_call_id):
            known = self._open.get(one) if isinstance(one, str) else None
            if known is not None:
                return known.agent
        return ""

    def own_usage(self, call_id: object, usage: CallUsage) -> CallUsage:
        """Return the usage to count for an LLM call that ended.

        Two emitters may report one call, one inside the other. The usage of the inner ones is
        counted already, so that the outer one adds only the rest. Unknown usage does not count as
        unknown while a call around it may still report it.
        """
        known = self._open.get(call_id) if isinstance(call_id, str) else None
        if known is None:
            return usage
        inner, outer = known.inner, _around(known)
        counted = CallUsage(*(_sum(getattr(one, name) for one in inner) for name in _AMOUNTS))
        if outer is not None and len(outer.inner) < MAX_NESTED:
            outer.inner.append(
                CallUsage(*(_larger(getattr(usage, n), getattr(counted, n)) for n in _AMOUNTS))
            )
        rest = (
            _rest(getattr(usage, n), getattr(counted, n), has_outer=outer is not None)
            for n in _AMOUNTS
        )
        return CallUsage(*rest)._replace(model=usage.model)


_AMOUNTS = ("input_tokens", "output_tokens", "cost_usd")


def _sum(amounts: Iterable[Any]) -> Any:
    known = [one for one in amounts if one is not None]
    return sum(known) if known else None


def _larger(one: Any, other: Any) -> Any:
    return max((amount for amount in (one, other) if amount is not None), default=None)


def _rest(reported: Any, counted: Any, *, has_outer: bool) -> Any:
    if reported is None:
        return 0 if has_outer or counted is not None else None
    return max(reported - (counted or 0), 0)


def _around(inner: _Open) -> _Open | None:
    outer = inner.parent
    while outer is not None and outer.noun not in _OWN_WORK:
        if outer.noun == "llm_generate":
            return outer
        outer = outer.parent
    return None
