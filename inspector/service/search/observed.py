"""Values of a field in the newest rows, to complete a query while it is typed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.service.model.records import SessionRecord, SpanRecord
from inspector.service.model.rows import SpanKind
from inspector.service.query.fields import FIELDS, SPAN_FIELDS, Field, Kind, QueryScope
from inspector.service.query.tree import All, Compare, Node, Operator
from inspector.service.search.fields import read
from inspector.service.search.search import Search

MOST_ROWS = 2_000
"""Sessions, or spans, that are read."""
MAX_VALUE = 200
"""Characters of a value; longer ones are of no use in a list."""

_ONE_EACH = frozenset({"id", "trace"})
_KINDS = {"tool": SpanKind.TOOL, "agent": SpanKind.AGENT}


@dataclass(frozen=True, slots=True)
class Observed:
    """Values of a field in the newest rows."""

    values: list[tuple[str, int]]
    """(value, number of rows that have it), the most frequent first."""
    is_complete: bool
    """Whether all rows were read."""


def observable(name: str) -> Field | None:
    """Return the field that `name` means in a query for sessions, if its values can be listed."""
    scope, _, plain = name.lower().rpartition(".")
    found = [
        FIELDS[one][plain] for one in QueryScope if scope in ("", one) and plain in FIELDS[one]
    ]
    if not found or plain in _ONE_EACH:
        return None
    return found[0] if found[0].kind in (Kind.TEXT, Kind.CHOICE) else None


def observed_values(search: Search, field: Field, prefix: str, most: int) -> Observed:
    """Return values of `field` that begin with `prefix`, in any case, of the newest rows."""
    rows: Sequence[SessionRecord | SpanRecord]
    if field.scope is QueryScope.SESSION:
        sessions = search.sessions(All(), None, MOST_ROWS)
        rows, is_complete = sessions.rows, sessions.next is None
    else:
        spans = search.spans(_having(field), None, MOST_ROWS)
        rows, is_complete = spans.rows, spans.next is None
    begun = prefix.casefold()
    counts = Counter(
        value
        for row in rows
        for value in _texts(field, row, search.now_ns)
        if value.casefold().startswith(begun)
    )
    found = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return Observed(found[:most], is_complete)


def _having(field: Field) -> Node:
    """Return a condition that all spans with the field meet."""
    if kind := _KINDS.get(field.name):
        return Compare(SPAN_FIELDS["kind"], Operator.EQUALS, kind.value)
    return All()


def _texts(field: Field, row: SessionRecord | SpanRecord, now_ns: int) -> Iterable[str]:
    value = read(field, row, now_ns)
    texts = value if isinstance(value, tuple) else (value,)
    return {text for text in texts if isinstance(text, str) and 0 < len(text) <= MAX_VALUE}
