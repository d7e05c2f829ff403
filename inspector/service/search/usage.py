"""What sessions used, added up by user, tag, model or day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """What the sessions of one group used; `cost_usd` is None where nobody knows any."""

    session_count: int = 0
    llm_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    def add(self, other: UsageSum) -> None:
        """Add what another one used."""
        self.session_count += other.session_count
        self.llm_calls += other.llm_calls
        self.tool_calls += other.tool_calls
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        if other.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + other.cost_usd


@dataclass(frozen=True, slots=True)
class GroupedUsage:
    """Usage by the name of its group; empty for sessions, or model calls, that name none."""

    groups: dict[str, UsageSum]
    counted_from_ns: int | None
    """The time was up: sessions before this are not counted. None: all are."""


def group_usage(search: Search, node: Node, key: UsageKey) -> GroupedUsage:
    """Add up what the sessions that match `node` used, newest first, until the time is up.

    A session of two users, or with two tags, counts for both of them.
    """
    groups: dict[str, UsageSum] = {}
    place, until_s = None, search.clock() + MAX_S
    while True:
        page = search.sessions(node, place, _ROWS_A_PAGE)
        rows = [record.row for record in page.rows]
        for name, usage in _by_model(search, rows) if key is UsageKey.MODEL else _named(rows, key):
            groups.setdefault(name, UsageSum()).add(usage)
        place = page.next
        if place is None or search.clock() >= until_s:
            return GroupedUsage(groups, None if place is None else place[0])


def _named(rows: Iterable[SessionRow], key: UsageKey) -> Iterator[tuple[str, UsageSum]]:
    for row in rows:
        usage = UsageSum(
            1, row.llm_calls, row.tool_calls, row.input_tokens, row.output_tokens, row.cost_usd
        )
        match key:
            case UsageKey.USER:
                names = row.users
            case UsageKey.TAG:
                names = row.tags
            case _:
                names = (datetime.fromtimestamp(row.started_ns / 1e9, UTC).date().isoformat(),)
        for name in names or ("",):
            yield name, usage


def _by_model(search: Search, rows: Iterable[SessionRow]) -> Iterator[tuple[str, UsageSum]]:
    for one in search.reader.model_usage([row.id for row in rows]):
        usage = UsageSum(
            one.session_count, one.llm_calls, 0, one.input_tokens, one.output_tokens, one.cost_usd
        )
        yield one.model or "", usage
