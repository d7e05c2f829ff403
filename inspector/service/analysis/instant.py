"""The spans of a session as they were at an instant. Pure.

The page makes the same of single rows (`web/src/model/trace/instant.ts`), while a reader moves
the time line; here it is whole columns, of which statistics are computed. Tests of both read one
table of cases (`tests/golden/instants.json`).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from inspector.service.model.waits import Interval, length_ns
from inspector.service.storage.base import SessionColumns


def columns_at(columns: SessionColumns, at_ns: int) -> SessionColumns:
    """Return the spans that had begun; those that had not ended are without what their end brings.

    A span without an end stays as it is, but for its waits: nobody knows when it had which tokens.

    Args:
        columns: The spans, by start.
        at_ns: The instant, in Unix time.
    """
    begun = bisect_right(columns.start_ns, at_ns)
    firsts: Any = (values[:begun] for values in columns)
    found = SessionColumns(*firsts)
    for place, (start_ns, duration_ns) in enumerate(
        zip(found.start_ns, found.duration_ns, strict=True)
    ):
        if duration_ns is not None and start_ns + duration_ns <= at_ns:
            continue
        waited = found.waited[place]
        if any(end_ns is None or end_ns > at_ns for _, end_ns in waited):
            found.waited[place] = then = _waited_at(waited, at_ns)
            found.wait_ns[place] = length_ns(then)
        if duration_ns is None:
            continue
        found.is_error[place] = False
        found.duration_ns[place] = None
        found.input_tokens[place] = found.output_tokens[place] = found.cost_usd[place] = None
    return found


def _waited_at(waited: tuple[Interval, ...], at_ns: int) -> tuple[Interval, ...]:
    return tuple(
        (start_ns, end_ns if end_ns is not None and end_ns <= at_ns else None)
        for start_ns, end_ns in waited
        if start_ns <= at_ns
    )
