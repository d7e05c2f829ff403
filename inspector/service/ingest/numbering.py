"""Number the rows of a commit: viewers see them in the order of their change numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from inspector.service.ingest.unit_of_work import CachedSession, PendingChanges
from inspector.service.model.records import (
    Changes,
    MomentRecord,
    RequestRecord,
    SessionRecord,
    Tombstone,
)
from inspector.service.model.rows import SessionStatus
from inspector.service.sessions.state import SETTLED


def number(pending: PendingChanges, statuses: Mapping[str, SessionStatus]) -> Changes:
    """Return the commit of the pending changes.

    Args:
        pending: The changes of one unit of work.
        statuses: Status of each changed session, by id.
    """
    changes, now_ns = pending.changes, pending.now_ns
    opening, others = list[CachedSession](), list[CachedSession]()
    for session in pending.sessions:
        is_opening = session.record is None and statuses[session.state.id] not in SETTLED
        (opening if is_opening else others).append(session)
    numbers = itertools.count(pending.last_number + 1)
    # A session comes before its first spans, and finishes after its last.
    for session in opening:
        changes.sessions.append(_record(session, statuses[session.state.id], numbers, now_ns))
    for trace_id, spans in pending.spans.items():
        contents = pending.contents[trace_id]
        for span_id, span in spans.items():
            change = span.change = next(numbers)
            span.changed_ns = now_ns
            span.created = span.created or change
            if span.end_ns is not None and not span.settled:
                span.settled = change
            if (content := contents.get(span_id)) is not None:
                span.content = change
                changes.contents[change] = content
            changes.spans.append(span)
    rows: list[MomentRecord | Tombstone | RequestRecord]
    rows = [*changes.moments, *changes.departures, *changes.requests]
    for row in rows:
        row.change, row.changed_ns = next(numbers), now_ns
    for request in changes.requests:
        request.created = request.created or request.change
    for session in others:
        changes.sessions.append(_record(session, statuses[session.state.id], numbers, now_ns))
    changes.first, changes.head = pending.head + 1, next(numbers) - 1
    return changes


def _record(
    session: CachedSession, status: SessionStatus, numbers: Iterator[int], now_ns: int
) -> SessionRecord:
    """Return the new record of a session; it keeps its number if its row is the same."""
    before, row = session.record, session.state.row(status)
    record = SessionRecord(row, session.state.dump())
    if before is None or row != before.row:
        record.change, record.changed_ns = next(numbers), now_ns
    else:
        record.change, record.changed_ns = before.change, before.changed_ns
    record.created = before.created if before else record.change
    if before:
        record.evicted, record.evicted_spans = before.evicted, before.evicted_spans
        record.evicted_moments = before.evicted_moments
    if status in SETTLED:
        record.settled = (before.settled if before else 0) or record.change
    session.record = record
    return record
