"""The sort orders of the session list, and the position of a session in one of them.

Every store has the same order: values compare as numbers, titles by their bytes in lower case
(ASCII), ties by id. Unknown values come last, in either direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.service.model.rows import SessionRow

MAX_TITLE = 64
"""Characters of a title that the order compares."""
BEYOND = 1e300
"""Value above any cost, in place of an unknown one."""

SortValue: TypeAlias = int | float | str
SortPosition: TypeAlias = tuple[SortValue, str]
"""(value, session id)."""


class SortKey(StrEnum):
    """The properties by which sessions can be sorted."""

    STARTED = "started"
    CHANGED = "changed"
    TITLE = "title"
    DURATION = "duration"
    WAITING = "waiting"
    SPANS = "spans"
    ERRORS = "errors"
    LLM_CALLS = "llm_calls"
    TOOL_CALLS = "tool_calls"
    TOKENS = "tokens"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class Order:
    """One order of all sessions."""

    key: SortKey
    is_descending: bool
    now_ns: int
    """The end of running durations: the same for all pages of a listing."""

    @classmethod
    def parse(cls, name: str, now_ns: int) -> Order:
        """Return the order of a name such as `cost`, or `-cost` for descending."""
        return cls(SortKey(name.removeprefix("-")), name.startswith("-"), now_ns)

    @property
    def name(self) -> str:
        """The name, which `parse` reads."""
        return f"{'-' if self.is_descending else ''}{self.key}"

    @property
    def unknown(self) -> float:
        """The stand-in for an unknown value: the last in this order."""
        return -BEYOND if self.is_descending else BEYOND


def place_of(row: SessionRow, change: int, order: Order) -> SortPosition:
    """Return the place of a session whose last change is `change`."""
    match order.key:
        case SortKey.CHANGED:
            return change, row.id
        case SortKey.COST if row.cost_usd is None:
            return order.unknown, row.id
    return _READERS[order.key](row, order.now_ns), row.id


def _waiting_ns(row: SessionRow, now_ns: int) -> int:
    since_ns = row.waiting_since_ns
    return row.waiting_ns + (0 if since_ns is None else max(now_ns - since_ns, 0))


_READERS: Mapping[SortKey, Callable[[SessionRow, int], SortValue]] = {
    SortKey.STARTED: lambda row, _: row.started_ns,
    SortKey.TITLE: lambda row, _: row.title.encode().lower().decode()[:MAX_TITLE],
    SortKey.DURATION: lambda row, now_ns: row.duration_ns(now_ns),
    SortKey.WAITING: _waiting_ns,
    SortKey.SPANS: lambda row, _: row.span_count,
    SortKey.ERRORS: lambda row, _: row.error_count,
    SortKey.LLM_CALLS: lambda row, _: row.llm_calls,
    SortKey.TOOL_CALLS: lambda row, _: row.tool_calls,
    SortKey.TOKENS: lambda row, _: row.input_tokens + row.output_tokens,
    SortKey.COST: lambda row, _: row.cost_usd or 0.0,
}
