"""`session_errors`: the causes of a session's failures, those that reached its root first."""

from __future__ import annotations

import asyncio
from collections import Counter

from pydantic import Field

from inspector.service.analysis.causes import Group, error_line, groups_of, is_failed
from inspector.service.analysis.formatting import duration_ms, plural
from inspector.service.analysis.outline import short_ids
from inspector.service.analysis.sanitise import visible_line
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.mcp.answer import MAX_CHARS, ClosedModel, Recorded, within
from inspector.service.mcp.finding import session_line, session_text
from inspector.service.mcp.source import Archive
from inspector.service.mcp.tool import ServedTool
from inspector.service.model.rows import SpanStatus

_CAUSES_A_PAGE = 10
_MAX_COMPARED = 10
_MESSAGE_CHARS = 600
_NAME_CHARS = 80
_PATH_CHARS = 400
_TEXT_CHARS = MAX_CHARS - 3_000


class SessionErrors(ClosedModel):
    """Arguments of `session_errors`."""

    session_id: str = Field(min_length=1, max_length=2_000, description="From find_sessions.")
    offset: int = Field(0, ge=0, description="`next` of the previous response.")


class Cause(ClosedModel):
    """Spans of one kind and name that failed, with nothing below them that did."""

    span_id: str = Field(description="The first failed span.")
    kind: str
    name: str
    message: str = Field(description="The error of the first span, then other ones.")
    path: str = Field(description="Ancestors of the first span, the root first.")
    count: int
    offset_ms: float = Field(description="Start of the first span, from the start of the session.")
    fate: str = Field(description="How far up the failure propagated, in words.")


class Causes(ClosedModel):
    """The causes of a session's failure."""

    causes: list[Cause]
    cause_count: int = Field(description="Number of causes on all pages.")
    cancelled_spans: int
    lost_spans: int


async def session_errors(archive: Archive, arguments: SessionErrors) -> Recorded[Causes]:
    """Return a page of causes."""
    session = await archive.session(arguments.session_id)
    tree = await archive.tree(session)
    groups = await asyncio.to_thread(groups_of, tree)
    chosen = groups[arguments.offset : arguments.offset + _CAUSES_A_PAGE]
    page = within([await _cause(archive, tree, group) for group in chosen], _TEXT_CHARS)
    statuses = Counter(row.status for row in tree.rows)
    causes = Causes(
        causes=page,
        cause_count=len(groups),
        cancelled_spans=statuses[SpanStatus.CANCELLED],
        lost_spans=statuses[SpanStatus.LOST],
    )
    id_length = short_ids(tree.rows)
    reached = arguments.offset + len(page)
    counts = [
        plural(causes.cause_count, "cause"),
        f"{causes.cancelled_spans} cancelled" if causes.cancelled_spans else "",
        f"{causes.lost_spans} lost" if causes.lost_spans else "",
    ]
    head = f"{session_text(session_line(session))}\n{', '.join(filter(None, counts))}"
    text = "\n\n".join(_text(cause, id_length) for cause in page) or "No errors."
    return Recorded(
        f"{head}\n\n{text}",
        causes,
        {"offset": reached} if reached < len(groups) else {},
        "Next: get_span with an id in brackets, or session_outline with it as `under`.",
    )


async def _cause(archive: Archive, tree: SpanTree, group: Group) -> Cause:
    first = group.places[0]
    row = tree.rows[first]
    alike = [tree.rows[place] for place in group.places[:_MAX_COMPARED]]
    errors = [error_line(await archive.span(one), _MESSAGE_CHARS) for one in alike]
    above = (visible_line(tree.rows[place].name, _NAME_CHARS) for place in tree.above(first))
    path = " > ".join(above)
    return Cause(
        span_id=row.span_id,
        kind=row.kind,
        name=visible_line(row.name, _NAME_CHARS),
        message=visible_line("; also: ".join(dict.fromkeys(errors)), _MESSAGE_CHARS),
        path=path if len(path) <= _PATH_CHARS else f"… {path[-_PATH_CHARS:]}",
        count=len(group.places),
        offset_ms=row.offset_ns / 1e6,
        fate=_fate(tree, first),
    )


def _fate(tree: SpanTree, place: int) -> str:
    """Return how far up the failure went, in words."""
    highest = place
    while (above := tree.parents[highest]) is not None and is_failed(tree.rows[above]):
        highest = above
    name = visible_line(tree.rows[highest].name, _NAME_CHARS)
    if above is None:
        return "the root itself" if highest == place else f"made the root fail: {name}"
    caller = visible_line(tree.rows[above].name, _NAME_CHARS)
    if highest == place:
        return f"its caller continued: {caller}"
    return f"propagated to {name}; {caller} continued"


def _text(cause: Cause, id_length: int) -> str:
    times = f"  {cause.count} times" if cause.count > 1 else ""
    return (
        f"{cause.kind} {cause.name}{times}  [{cause.span_id[:id_length]}]"
        f"  +{duration_ms(cause.offset_ms)}\n"
        f"  {cause.message}\n"
        f"  {cause.fate}" + (f"\n  in {cause.path}" if cause.path else "")
    )


ERRORS = ServedTool(
    "session_errors",
    "Errors of a session",
    "Explain why a session failed: its root causes (failed spans without a failed descendant), "
    "each with message, location, number of occurrences, and how far up it propagated. Spans "
    "that only propagated a failure are omitted.",
    SessionErrors,
    Causes,
    session_errors,
)
