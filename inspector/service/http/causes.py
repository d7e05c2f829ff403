"""`GET /causes`: what sessions failed from, alike causes in one group."""

from __future__ import annotations

from time import time_ns
from typing import Annotated

from fastapi import APIRouter, Query

from inspector.service import wire
from inspector.service.http.parts import ReadPartsDep
from inspector.service.http.queries import QueryText, SinceMs, UntilMs, partial_of, searching
from inspector.service.model.records import MAX_INT
from inspector.service.present import rows as presenter
from inspector.service.query import QueryScope, parse_query
from inspector.service.search.causes import group_causes

router = APIRouter(tags=["sessions"])

_Bound = Annotated[
    int | None,
    Query(
        ge=0,
        le=MAX_INT,
        description="Start, in Unix ns, of the first or last session that `counts` includes; set "
        "both. Default: of the first and last of these.",
    ),
]


@router.get("/causes")
def list_causes(
    parts: ReadPartsDep,
    q: QueryText = "",
    since_ms: SinceMs = None,
    until_ms: UntilMs = None,
    buckets: Annotated[int, Query(ge=1, le=100)] = 30,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    counts_from_ns: _Bound = None,
    counts_until_ns: _Bound = None,
) -> wire.CauseList:
    """Group sessions by root cause, the most frequent first.

    Causes that differ only in ids, numbers, times and paths are one group. Includes sessions that
    recovered from their errors; exclude them with `q=status:failed`.
    """
    now_ns = time_ns()
    wanted = parse_query(q, QueryScope.SESSION, now_ns)
    since_ns = (since_ms or 0) * 1_000_000
    until_ns = MAX_INT if until_ms is None else until_ms * 1_000_000
    bounds_ns = None
    if counts_from_ns is not None and counts_until_ns is not None:
        bounds_ns = counts_from_ns, max(counts_from_ns, counts_until_ns)
    with searching(parts, now_ns) as search:
        found = group_causes(
            search,
            wanted,
            since_ns,
            until_ns,
            bucket_count=buckets,
            most=limit,
            bounds_ns=bounds_ns,
        )
        partial = partial_of(search)
    return presenter.causes(found).model_copy(update={"partial": partial})
