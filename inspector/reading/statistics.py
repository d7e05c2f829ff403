"""Where the time, the tokens and the money of a session went: by kind and name of spans. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
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
        median_ns: Of what they took, less what they and anything below them waited; None when
            none ended.
        longest: The one that took longest, likewise.
        longest_ns: How long that was; None when it has not ended.
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
    longest_ns: int | None
    input_tokens: int
    output_tokens: int
    cost_usd: float


def shares(tree: SpanTree) -> list[Share]:
    """Return the shares, the largest own time first; spans that repeat another are left out."""
    waited = tree.waited()
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, row in enumerate(tree.rows):
        if row.duplicate_of is None:
            groups[row.kind, row.name].append(place)
    found = [_share(tree, places, waited) for places in groups.values()]
    return sorted(found, key=lambda share: (-share.own_ns, share.kind, share.name))


def _share(tree: SpanTree, places: list[int], waited: Mapping[int, int]) -> Share:
    rows = [tree.rows[place] for place in places]
    took = {
        place: row.duration_ns - waited.get(place, 0)
        for place, row in zip(places, rows, strict=True)
        if row.duration_ns is not None
    }
    longest = max(places, key=lambda place: took.get(place, 0))
    return Share(
        kind=rows[0].kind,
        name=rows[0].name,
        count=len(rows),
        failed=sum(map(is_failed, rows)),
        running=sum(row.duration_ns is None for row in rows),
        own_ns=sum(tree.own_ns(place) or 0 for place in places),
        wait_ns=sum(row.wait_ns for row in rows),
        median_ns=round(median(took.values())) if took else None,
        longest=tree.rows[longest],
        longest_ns=took.get(longest),
        input_tokens=sum(row.input_tokens or 0 for row in rows),
        output_tokens=sum(row.output_tokens or 0 for row in rows),
        cost_usd=sum(row.cost_usd or 0.0 for row in rows),
    )
