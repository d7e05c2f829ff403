"""Where the time, the tokens and the money of a session went: by kind and name of spans. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from inspector.model import SpanRow
from inspector.reading.causes import is_failed
from inspector.reading.span_tree import SpanTree


@dataclass(frozen=True, slots=True)
class Share:
    """Spans of one kind and name.

    Attributes:
        own_ns: Time in them and in nothing below them, nor waiting; of those that ended.
        wait_ns: Time waiting for a person.
        median_ns: Of their durations; None when none ended.
        longest: The one that took longest.
    """

    kind: str
    name: str
    count: int
    failed: int
    running: int
    own_ns: int
    wait_ns: int
    median_ns: int | None
    longest: SpanRow
    input_tokens: int
    output_tokens: int
    cost_usd: float


def shares(tree: SpanTree) -> list[Share]:
    """Return the shares, the largest own time first; spans that repeat another are left out."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, row in enumerate(tree.rows):
        if row.duplicate_of is None:
            groups[row.kind, row.name].append(place)
    found = [_share(tree, places) for places in groups.values()]
    return sorted(found, key=lambda share: (-share.own_ns, share.kind, share.name))


def _share(tree: SpanTree, places: list[int]) -> Share:
    rows = [tree.rows[place] for place in places]
    durations = [row.duration_ns for row in rows if row.duration_ns is not None]
    return Share(
        kind=rows[0].kind,
        name=rows[0].name,
        count=len(rows),
        failed=sum(map(is_failed, rows)),
        running=sum(row.duration_ns is None for row in rows),
        own_ns=sum(tree.own_ns(place) or 0 for place in places),
        wait_ns=sum(row.wait_ns for row in rows),
        median_ns=round(median(durations)) if durations else None,
        longest=max(rows, key=lambda row: row.duration_ns or 0),
        input_tokens=sum(row.input_tokens or 0 for row in rows),
        output_tokens=sum(row.output_tokens or 0 for row in rows),
        cost_usd=sum(row.cost_usd or 0.0 for row in rows),
    )
