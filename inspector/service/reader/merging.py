"""Put the answers of several services together: lists by position, the rest by sums. Pure.

Answers are JSON as it came: what a newer service adds passes, what an older one lacks is none.
"""

from __future__ import annotations

import base64
import json
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from inspector.service.http.problems import ProblemError

Answers: TypeAlias = Mapping[str, Any]
"""The answer of each service, by its name."""
Cursors: TypeAlias = Mapping[str, str | None]
"""Where each service goes on; None: from its beginning. One that is not in it has no more."""


class MergedPage(NamedTuple):
    """A page of a list of several services."""

    rows: list[tuple[str, Any]]
    """Each with the name of its service."""
    next: dict[str, str | None]
    """Empty: there is no more."""


def merge_pages(
    answers: Answers,
    cursors: Cursors,
    rows_of: str,
    limit: int,
    *,
    is_descending: bool,
    has_common_places: bool,
) -> MergedPage:
    """Merge pages of the same list, each in order.

    A page that is not the last may be short, or empty. What its service has not found yet comes
    after its last row, so the merged page ends there.

    Args:
        answers: Pages with `positions`.
        cursors: What the pages continue; a service without a page is left out from now on.
        rows_of: The name of the field with the rows.
        limit: Most rows of the merged page.
        is_descending: Whether the list begins with the highest value.
        has_common_places: Whether a cursor means the same in every service.
    """
    pages = {
        name: deque(
            _Placed(position["value"], str(row.get("id", "")), name, row, position["cursor"])
            for row, position in zip(page[rows_of], page["positions"], strict=True)
        )
        for name, page in answers.items()
    }
    unfinished = [name for name, page in answers.items() if page["next_cursor"] is not None]
    first = max if is_descending else min
    shown: list[_Placed] = []
    while len(shown) < limit and any(pages.values()) and all(pages[name] for name in unfinished):
        best = first((rows[0] for rows in pages.values() if rows), key=lambda one: one[:3])
        shown.append(pages[best.name].popleft())
    last_of = {one.name: one.cursor for one in shown}
    further: dict[str, str | None] = {}
    for name, page in answers.items():
        rest = pages[name]
        if not rest:
            if page["next_cursor"] is not None:
                further[name] = page["next_cursor"]
        elif name in last_of:
            further[name] = last_of[name]
        else:  # from the last row shown: what began meanwhile does not come below older rows
            is_apart = shown and has_common_places and rest[0][:2] != shown[-1][:2]
            further[name] = shown[-1].cursor if is_apart else cursors[name]
    return MergedPage([(one.name, one.row) for one in shown], further)


class _Placed(NamedTuple):
    value: Any
    own_id: str
    name: str
    row: Any
    cursor: str


def encode_cursors(cursors: Cursors) -> str | None:
    """Return the cursor of a reader; None when no service has more."""
    if not cursors:
        return None
    text = json.dumps(cursors, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def decode_cursors(cursor: str | None, names: Iterable[str]) -> dict[str, str | None]:
    """Return where each service goes on.

    Raises:
        ProblemError: It is no cursor of a reader of these services.
    """
    known = set(names)
    if cursor is None:
        return dict.fromkeys(names)
    try:
        text = base64.b64decode(cursor.encode() + b"=" * (-len(cursor) % 4), b"-_", validate=True)
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and all(
        name in known and (one is None or isinstance(one, str)) for name, one in found.items()
    ):
        return {name: found[name] for name in names if name in found}
    raise ProblemError(
        400,
        "bad_cursor",
        "Bad cursor",
        "The cursor is invalid. Use `next_cursor` of the previous page, or omit it.",
    )


def merge_counts(answers: Answers) -> tuple[int, dict[str, str | None]]:
    """Return the sum of pages of `wire.SessionCount`, and where each service goes on."""
    more = {
        name: page["next_cursor"]
        for name, page in answers.items()
        if page["next_cursor"] is not None
    }
    return sum(page["count"] for page in answers.values()), more


def merge_histograms(answers: Answers) -> dict[str, Any]:
    """Return the sum of `wire.SessionHistogram` with the same bounds."""
    first, *others = answers.values()
    for other in others:
        for bucket, more in zip(first["buckets"], other["buckets"], strict=True):
            bucket["counts"] = dict(Counter(bucket["counts"]) + Counter(more["counts"]))
    return {**first, "counted_from": _latest(answers, "counted_from")}


def merge_usage(answers: Answers, *, is_by_day: bool, most: int) -> dict[str, Any]:
    """Return the sum of `wire.SessionUsage`, by the names of the groups."""
    groups: dict[str, dict[str, Any]] = {}
    total: dict[str, Any] = {}
    for one in answers.values():
        _add_usage(total, one["total"])
        for group in one["groups"]:
            _add_usage(groups.setdefault(group["name"], {"name": group["name"]}), group)

    def place(group: Mapping[str, Any]) -> tuple[float, int]:
        return -(group["cost_usd"] or 0.0), -(group["input_tokens"] + group["output_tokens"])

    ordered = sorted(groups.values(), key=lambda group: group["name"], reverse=is_by_day)
    if not is_by_day:
        ordered.sort(key=place)
    return {
        "total": total,
        "groups": ordered[:most],
        "group_count": max(len(groups), *(one["group_count"] for one in answers.values())),
        "counted_from": _latest(answers, "counted_from"),
    }


def _add_usage(total: dict[str, Any], one: Mapping[str, Any]) -> None:
    for key, value in one.items():
        if isinstance(value, int | float):
            total[key] = (total.get(key) or 0) + value
        else:
            total.setdefault(key, value)


def merge_causes(answers: Answers, most: int) -> dict[str, Any]:
    """Return the sum of `wire.CauseList` with the same bounds, by the keys of the groups."""
    groups: dict[str, dict[str, Any]] = {}
    for one in answers.values():
        for group in one["groups"]:
            known = groups.get(group["key"])
            groups[group["key"]] = group if known is None else _both_causes(known, group)
    ordered = sorted(groups.values(), key=lambda group: group["key"])
    ordered.sort(key=lambda group: group["last_seen"], reverse=True)
    ordered.sort(key=lambda group: group["session_count"], reverse=True)
    first = next(iter(answers.values()))
    return {
        "groups": ordered[:most],
        "group_count": max(len(groups), *(one["group_count"] for one in answers.values())),
        "session_count": sum(one["session_count"] for one in answers.values()),
        "counts_from": first["counts_from"],
        "bucket_ms": first["bucket_ms"],
        "counted_from": _latest(answers, "counted_from"),
    }


def _both_causes(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    newer = max(one, other, key=lambda group: group["last_seen"])
    return {
        **newer,
        **{key: one[key] + other[key] for key in ("session_count", "failed_count")},
        "first_seen": min(one["first_seen"], other["first_seen"]),
        "counts": [sum(both) for both in zip(one["counts"], other["counts"], strict=True)],
    }


def merge_values(answers: Answers, most: int) -> dict[str, Any]:
    """Return the sum of `wire.query.QueryValues`, the most frequent first."""
    counts = Counter[str]()
    for one in answers.values():
        for value in one["values"]:
            counts[value["value"]] += value["count"]
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return {
        "field": next(iter(answers.values()))["field"],
        "values": [{"value": value, "count": count} for value, count in ordered[:most]],
        "is_complete": all(one["is_complete"] for one in answers.values()),
    }


def merge_index(answers: Answers) -> dict[str, Any] | None:
    """Return the sum of `wire.IndexState`; None where no service has an index of words."""
    known = [one["index"] for one in answers.values() if one.get("index")]
    if not known:
        return None
    return {
        "is_complete": all(one["is_complete"] for one in known),
        "changes_behind": sum(one["changes_behind"] for one in known),
    }


def _latest(answers: Answers, key: str) -> str | None:
    """Return the latest of times; None: of none. What is before it, some service left out."""
    return max((one[key] for one in answers.values() if one[key] is not None), default=None)
