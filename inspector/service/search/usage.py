"""What sessions used, added up by user, tag, model or day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from inspector.service.model.rows import SessionRow
from inspector.service.query.tree import Node
from inspector.service.search.search import Search

MAX_S = 1.0
"""Time limit of all pages together."""
_ROWS_A_PAGE = 1_000


class UsageKey(StrEnum):
    """What usage is grouped by."""

    USER = "user"
    TAG = "tag"
    MODEL = "model"
    DAY = "day"


@dataclass(slots=True)
class UsageSum:
    """What sessions used; `cost_usd` is None where no call carried one."""

    session_count: int = 0
    llm_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    uncosted_calls: int = 0
    """Calls that carried tokens and no cost, which `cost_usd` leaves out."""

    def add(self, other: UsageSum) -> None:
        """Add what another one used."""
        self.session_count += other.session_count
        self.llm_calls += other.llm_calls
        self.tool_calls += other.tool_calls
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.uncosted_calls += other.uncosted_calls
        if other.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + other.cost_usd


@dataclass(frozen=True, slots=True)
class GroupedUsage:
    """Usage by the name of its group; empty for sessions, or LLM calls, that name none."""

    groups: dict[str, UsageSum]
    total: UsageSum
    """Each session once, whatever it names."""
    counted_from_ns: int | None
    """The time was up: sessions before this are not counted. None: all are."""


def group_usage(search: Search, node: Node, key: UsageKey) -> GroupedUsage:
    """Add up what the sessions that match `node` used, newest first, until the time is up.

    A session of two users, or with two tags, counts for both of them.
    """
    groups: dict[str, UsageSum] = {}
    total = UsageSum()
    place, until_s = None, search.clock() + MAX_S
    search.reads_spans = True
    while True:
        page = search.sessions(node, place, _ROWS_A_PAGE)
        used = _used(search, [record.row for record in page.rows])
        for _, usage in used:
            total.add(usage)
        for name, usage in _by_model(search, used) if key is UsageKey.MODEL else _named(used, key):
            groups.setdefault(name, UsageSum()).add(usage)
        place = page.next
        if place is None or search.clock() >= until_s:
            return GroupedUsage(groups, total, None if place is None else place[0])


def _used(search: Search, rows: Sequence[SessionRow]) -> list[tuple[SessionRow, UsageSum]]:
    uncosted = search.source.uncosted_calls([row.id for row in rows])
    return [
        (
            row,
            UsageSum(
                1,
                row.llm_calls,
                row.tool_calls,
                row.input_tokens,
                row.output_tokens,
                row.cost_usd,
                uncosted.get(row.id, 0),
            ),
        )
        for row in rows
    ]


def _named(
    used: Iterable[tuple[SessionRow, UsageSum]], key: UsageKey
) -> Iterator[tuple[str, UsageSum]]:
    for row, usage in used:
        match key:
            case UsageKey.USER:
                names = row.users
            case UsageKey.TAG:
                names = row.tags
            case _:
                names = (datetime.fromtimestamp(row.started_ns / 1e9, UTC).date().isoformat(),)
        for name in names or ("",):
            yield name, usage


def _by_model(
    search: Search, used: Iterable[tuple[SessionRow, UsageSum]]
) -> Iterator[tuple[str, UsageSum]]:
    for one in search.source.model_usage([row.id for row, _ in used]):
        usage = UsageSum(
            one.session_count,
            one.llm_calls,
            0,
            one.input_tokens,
            one.output_tokens,
            one.cost_usd,
            one.uncosted_calls,
        )
        yield one.model or "", usage
