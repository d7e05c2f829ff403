"""`GET /compare`: the differences between two sessions."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Query

from inspector.service import wire
from inspector.service.analysis.answers import ContentReader
from inspector.service.analysis.compare import Comparison, compare
from inspector.service.http.parts import MAX_COMPARED_SPANS, ReadPartsDep
from inspector.service.http.problems import session_not_found
from inspector.service.http.queries import span_pages
from inspector.service.model.rows import SessionRow, SpanRow
from inspector.service.present import rows as presenter
from inspector.service.storage.base import Reader
from inspector.service.wire.comparison import Change

router = APIRouter(tags=["sessions"])

_PAGE = 20_000


@router.get("/compare")
def compare_sessions(
    parts: ReadPartsDep,
    left: Annotated[str, Query(max_length=1000, description="Id of a session: how it was.")],
    right: Annotated[str, Query(max_length=1000, description="Id of another: how it became.")],
    change: Annotated[
        list[Change] | None,
        Query(max_length=len(Change), description="Only differences of these kinds; default all."),
    ] = None,
    offset: Annotated[
        int, Query(ge=0, le=2 * MAX_COMPARED_SPANS, description="Differences to skip.")
    ] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> wire.Comparison:
    """Compare two sessions: list added, removed and different spans.

    Spans are paired from the roots down by kind and name; where several are alike, by what they
    were asked, else by start.
    """
    with parts.store.read() as reader:
        before, after = _session(reader, left), _session(reader, right)
        pair = before.id, after.id
        version = tuple(map(reader.last_change, pair))
        found, not_compared = parts.comparisons.answer(
            pair, version, lambda: _compared(reader, *pair)
        )
    wanted = frozenset(change or Change)
    differences = [one for one in found.differences if wanted.intersection(one.changes)]
    page = differences[offset : offset + limit]
    is_last = offset + limit >= len(differences)
    return wire.Comparison(
        left=presenter.session(before),
        right=presenter.session(after),
        counts=found.counts(),
        same_count=found.same_count,
        difference_count=len(differences),
        differences=[presenter.difference(found, one) for one in page],
        diverged=presenter.difference(found, found.diverged) if found.diverged else None,
        not_compared=not_compared,
        next_offset=None if is_last else offset + limit,
    )


def _compared(reader: Reader, left: str, right: str) -> tuple[tuple[Comparison, int], int]:
    """Return the comparison with the number of spans left out of it, and the number of spans."""
    answers = ContentReader(reader)
    sides = _spans(reader, left), _spans(reader, right)
    found = compare(*sides, answers)
    return (found, answers.left_out), sum(map(len, sides))


def _session(reader: Reader, session_id: str) -> SessionRow:
    record = reader.session(session_id)
    if record is None and (moved_to := reader.destination(session_id)):
        record = reader.session(moved_to)
    if record is None:
        raise session_not_found(session_id)
    return record.row


def _spans(reader: Reader, session_id: str) -> list[SpanRow]:
    pages = islice(span_pages(reader, session_id, _PAGE), MAX_COMPARED_SPANS // _PAGE)
    return [record.row() for page in pages for record in page]
