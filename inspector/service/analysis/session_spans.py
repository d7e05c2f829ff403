"""What statistics need of a session's spans, read again only where it changed.

A page that shows a live session asks for its statistics again and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from inspector.service.analysis.model_calls import CallDetails, read_details
from inspector.service.storage.base import Reader, SpanFacts

_position = attrgetter("offset_ns", "span_id")


@dataclass(frozen=True, slots=True)
class SessionSpans:
    """The spans of a session up to a change, and the details of its model calls."""

    head: int
    spans: list[SpanFacts]
    """By start, then by span id."""
    details: CallDetails


def read_spans(
    reader: Reader, session_id: str, before: SessionSpans | None, most: int
) -> SessionSpans:
    """Read the first `most` spans of a session; `before`: those of an earlier time, if any."""
    spans = _renewed(reader, session_id, before) if before is not None else None
    if spans is None:
        spans = reader.span_facts(session_id, most)
    details = read_details(reader, spans, before.details if before is not None else None)
    return SessionSpans(reader.head, spans, details)


def _renewed(reader: Reader, session_id: str, before: SessionSpans) -> list[SpanFacts] | None:
    """Return earlier spans with what changed; None: they have to be read anew."""
    # The changes are those of all sessions: of many, reading all of one session takes less.
    if not 0 <= reader.head - before.head <= len(before.spans):
        return None
    changed, count = reader.changed_facts(session_id, before.head)
    newest = {(one.trace_id, one.span_id): one for one in chain(before.spans, changed)}
    if len(newest) != count:  # some are gone, or in another session
        return None
    return sorted(newest.values(), key=_position)
