"""`GET /query/values`: completions for the value of a query field, from stored rows."""

from __future__ import annotations

from time import time_ns
from typing import Annotated

from fastapi import APIRouter, Query

from inspector.service.http.parts import ReadPartsDep
from inspector.service.http.problems import ProblemError
from inspector.service.http.queries import partial_of, searching
from inspector.service.search.observed import MAX_VALUE, observable, observed_values
from inspector.service.wire import query as wire_query

router = APIRouter(tags=["sessions"])


@router.get("/query/values")
def query_values(
    parts: ReadPartsDep,
    field: Annotated[
        str, Query(max_length=100, description="As in a query: `agent`, `span.model`, `tool`.")
    ],
    prefix: Annotated[str, Query(max_length=MAX_VALUE, description="Ignores case.")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> wire_query.QueryValues:
    """List values of a query field in the newest sessions or spans."""
    found = observable(field)
    if found is None:
        raise ProblemError(
            404,
            "no_such_values",
            "No values to list",
            f"Cannot list values of {field!r}. Use a text field or a field with a few choices, "
            "such as agent, model, service, tag, tool or status.",
        )
    with searching(parts, time_ns()) as search:
        observed = observed_values(search, found, prefix, limit)
        partial = partial_of(search)
    return wire_query.QueryValues(
        field=f"{found.scope}.{found.name}",
        values=[wire_query.QueryValue(value=text, count=n) for text, n in observed.values],
        is_complete=observed.is_complete,
        partial=partial,
    )
