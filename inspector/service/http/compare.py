"""`GET /compare`, `/compare/rows` and `/compare/runs`: what sessions did unlike each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Query

from inspector.service import wire
from inspector.service.analysis.alignment import AlignedRows, count_between
from inspector.service.analysis.answers import ContentReader
from inspector.service.analysis.compare import Comparison, compare
from inspector.service.analysis.runs import ComparedRuns, compare_runs
from inspector.service.http.cursors import encode_cursor
from inspector.service.http.parts import MAX_COMPARED_SPANS, ReadParts, ReadPartsDep
from inspector.service.http.problems import ProblemError, session_not_found
from inspector.service.http.queries import span_pages
from inspector.service.model.records import SessionRecord
from inspector.service.model.rows import SpanRow
from inspector.service.present import comparison as presenter
from inspector.service.present.rows import session as session_line
from inspector.service.storage.base import Reader
from inspector.service.wire.comparison import Change

router = APIRouter(tags=["sessions"])

MAX_RUNS = 20
_PAGE = 20_000

_Left = Annotated[str, Query(max_length=1000, description="Id of the baseline session.")]
_Right = Annotated[str, Query(max_length=1000, description="Id of the session to compare.")]
_Changes = Annotated[
    list[Change] | None,
    Query(max_length=len(Change), description="Kinds of differences to include; default: all."),
]
_Limit = Annotated[int, Query(ge=1, le=1000)]
_Row = Annotated[int, Query(ge=0, le=2 * MAX_COMPARED_SPANS, description="The first row.")]
_Every = Annotated[
    bool,
    Query(
        description="Include all rows; default: rows that differ, the top rows of added and "
        "removed subtrees, their ancestors, and, without `change`, a row alone between these."
    ),
]
_Version = Annotated[
    str | None,
    Query(max_length=2000, description="`version` of an earlier page, to reject changed rows."),
]


@router.get("/compare")
def compare_sessions(
    parts: ReadPartsDep,
    left: _Left,
    right: _Right,
    change: _Changes = None,
    offset: Annotated[
        int, Query(ge=0, le=2 * MAX_COMPARED_SPANS, description="Number of differences to skip.")
    ] = 0,
    limit: _Limit = 200,
) -> wire.Comparison:
    """Compare two sessions: list added, removed and different spans.

    Spans are paired from the roots down by kind and name, then by input, then by start.
    """
    (before, after), _, found, not_compared = _compared(parts, left, right)
    wanted = frozenset(change or Change)
    differences = [one for one in found.differences if wanted.intersection(one.changes)]
    page = differences[offset : offset + limit]
    is_last = offset + limit >= len(differences)
    return wire.Comparison(
        left=session_line(before),
        right=session_line(after),
        counts=found.counts(),
        same_count=found.same_count,
        difference_count=len(differences),
        differences=[presenter.difference(found, one) for one in page],
        diverged=presenter.difference(found, found.diverged) if found.diverged else None,
        not_compared=not_compared,
        next_offset=None if is_last else offset + limit,
    )


@router.get("/compare/rows")
def align_sessions(
    parts: ReadPartsDep,
    left: _Left,
    right: _Right,
    change: _Changes = None,
    every: _Every = False,
    row: _Row = 0,
    limit: _Limit = 200,
    version: _Version = None,
    span: Annotated[
        str | None, Query(max_length=100, description="`trace.span` whose row to find.")
    ] = None,
) -> wire.AlignedSteps:
    """List the steps of two sessions as one tree, in depth-first order.

    Children are in the order of the first session; steps only in the second follow the step that
    precedes them there. Rows that are not listed are unchanged, or inside an added or removed
    subtree.
    """
    _, current, found, _ = _compared(parts, left, right)
    check_version(version, current)
    wanted = frozenset(change or Change)
    marked = [at for at, one in found.by_row.items() if wanted.intersection(one.changes)]
    first = -1 if found.first_row is None else found.first_row
    # What is alone between the wanted differences may differ in another way.
    rows, next_row = _page(
        found.rows, marked, every=every, start=row, limit=limit, with_alone=change is None
    )
    return wire.AlignedSteps(
        steps=[presenter.aligned_step(found, one, marked) for one in rows],
        row_count=len(found.rows.cells),
        first_difference=found.first_row,
        later_count=count_between(marked, first + 1, _END) if first in marked else 0,
        found_row=_row_of(found, span) if span else None,
        version=current,
        next_row=next_row,
    )


@router.get("/compare/runs")
def compare_many_sessions(
    parts: ReadPartsDep,
    session: Annotated[
        list[Annotated[str, Query(max_length=1000)]],
        Query(
            min_length=2,
            max_length=MAX_RUNS,
            description="Session ids; the first is the baseline.",
        ),
    ],
    every: _Every = False,
    row: _Row = 0,
    limit: _Limit = 200,
    version: _Version = None,
) -> wire.RunTable:
    """Compare 2 to 20 sessions step by step, each with the first.

    Errors: `same_session` (422) for a duplicate id, `too_many_spans` (422) above 200 000 spans in
    total.
    """
    with parts.store.read() as reader:
        ids = tuple(_session(reader, one).row.id for one in session)
        if len(set(ids)) < len(ids):
            raise ProblemError(422, "same_session", "Duplicate session", "List each session once.")
    with parts.store.read_whole(*ids) as reader:
        sessions = [_session(reader, one) for one in ids]
        if (total := sum(one.row.span_count for one in sessions)) > MAX_COMPARED_SPANS:
            raise ProblemError(
                422,
                "too_many_spans",
                "Too many spans",
                f"The sessions have {total} spans in total; the limit is {MAX_COMPARED_SPANS}. "
                "Choose fewer sessions, or compare two of them.",
            )
        numbers = tuple(map(reader.last_change, ids))
        found, not_compared = parts.runs.answer(ids, numbers, lambda: _aligned(reader, ids))
    current = encode_cursor(*numbers)
    check_version(version, current)
    rows, next_row = _page(found.rows, found.differing, every=every, start=row, limit=limit)
    return wire.RunTable(
        sessions=[session_line(one) for one in sessions],
        steps=[presenter.run_step(found, one) for one in rows],
        row_count=len(found.rows.cells),
        differing_count=len(found.differing),
        first_difference=found.first_difference,
        not_compared=not_compared,
        version=current,
        next_row=next_row,
    )


def _compared(
    parts: ReadParts, left: str, right: str
) -> tuple[tuple[SessionRecord, SessionRecord], str, Comparison, int]:
    """Return both sessions, their version, the comparison, and the number of spans left out."""
    with parts.store.read() as reader:
        pair = _session(reader, left).row.id, _session(reader, right).row.id
    with parts.store.read_whole(*pair) as reader:
        sessions = _session(reader, pair[0]), _session(reader, pair[1])
        numbers = tuple(map(reader.last_change, pair))

        def work() -> tuple[tuple[Comparison, int], int]:
            answers = ContentReader(reader)
            sides = _spans(reader, pair[0]), _spans(reader, pair[1])
            found = compare(*sides, answers)
            return (found, answers.left_out), sum(map(len, sides))

        found, not_compared = parts.comparisons.answer(pair, numbers, work)
    return sessions, encode_cursor(*numbers), found, not_compared


def _aligned(reader: Reader, ids: Sequence[str]) -> tuple[tuple[ComparedRuns, int], int]:
    """Return the comparison with the number of spans left out of it, and the number of spans."""
    answers = ContentReader(reader)
    runs = [_spans(reader, one) for one in ids]
    found = compare_runs(runs, answers)
    return (found, answers.left_out), sum(map(len, runs))


_END = 2 * MAX_COMPARED_SPANS


def _page(
    rows: AlignedRows,
    marked: Sequence[int],
    *,
    every: bool,
    start: int,
    limit: int,
    with_alone: bool = True,
) -> tuple[list[int], int | None]:
    """Return the rows of a page, and the first row of the next one."""
    listed: Iterable[int] = range(start, len(rows.cells))
    if not every:
        listed = rows.leading_to(marked, start, with_alone=with_alone)
    page = list(islice(listed, limit + 1))
    return page[:limit], page[limit] if len(page) > limit else None


def check_version(wanted: str | None, current: str) -> None:
    """Refuse to go on with rows that may have moved.

    Raises:
        ProblemError: `wanted`, of an earlier page, is another version than `current`.
    """
    if wanted is not None and wanted != current:
        raise ProblemError(
            409,
            "sessions_changed",
            "Sessions changed",
            "New spans moved the rows since that version. Start again at row 0 without a version.",
        )


def _row_of(found: Comparison, key: str) -> int | None:
    trace_id, _, span_id = key.partition(".")
    for at, places in enumerate(found.rows.cells):
        for tree, place in zip((found.left, found.right), places, strict=True):
            one = None if place is None else tree.rows[place]
            if one and one.span_id == span_id and one.trace_id == trace_id:
                return at
    return None


def _session(reader: Reader, session_id: str) -> SessionRecord:
    record = reader.session(session_id)
    if record is None and (moved_to := reader.destination(session_id)):
        record = reader.session(moved_to)
    if record is None:
        raise session_not_found(session_id)
    return record


def _spans(reader: Reader, session_id: str) -> list[SpanRow]:
    pages = islice(span_pages(reader, session_id, _PAGE), MAX_COMPARED_SPANS // _PAGE)
    return [record.row() for page in pages for record in page]
