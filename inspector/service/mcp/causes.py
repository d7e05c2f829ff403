"""`failure_causes`: what many sessions failed from, alike causes in one group."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from inspector.errors import RefusedError
from inspector.service.analysis.formatting import plural
from inspector.service.analysis.sanitise import visible_line
from inspector.service.mcp.answer import (
    MAX_CHARS,
    ClosedModel,
    PartialAnswer,
    Recorded,
    missing,
    not_searched,
    within,
)
from inspector.service.mcp.source import Archive
from inspector.service.mcp.tool import ServedTool
from inspector.service.query.syntax import MAX_CHARS as MAX_QUERY_CHARS

_CAUSE_CHARS = 200
_TEXT_CHARS = MAX_CHARS - 500


class FailureCauses(ClosedModel):
    """Arguments of `failure_causes`."""

    query: str = Field(
        "",
        max_length=MAX_QUERY_CHARS,
        description="Query for sessions, as in find_sessions, such as `started>-24h`; empty: all.",
    )
    limit: int = Field(12, ge=1, le=40, description="Groups, the most frequent first.")


class CauseGroupLine(ClosedModel):
    """Sessions with causes that are alike."""

    cause: str = Field(description="With placeholders such as <n> for variable parts.")
    session_count: int
    failed_count: int = Field(
        description="Failed sessions; the others recovered, or were cancelled or lost."
    )
    first_seen: str
    last_seen: str
    example_session_id: str = Field(description="The newest session.")
    good_session_id: str | None = Field(
        description="The newest session with the same title and no errors."
    )
    query: str = Field(description="A query that finds the sessions.")


class CauseGroups(PartialAnswer):
    """What sessions failed from, the most frequent first."""

    groups: list[CauseGroupLine]
    group_count: int
    session_count: int


async def failure_causes(archive: Archive, arguments: FailureCauses) -> Recorded[CauseGroups]:
    """Return the most frequent causes."""
    try:
        found = await archive.get("/causes", q=arguments.query, limit=arguments.limit, buckets=1)
    except RefusedError as error:
        raise RefusedError(error.pointed(arguments.query)) from error
    groups = within([_line(one) for one in found["groups"]], _TEXT_CHARS)
    counts = {name: found[name] for name in ("group_count", "session_count")}
    head = (
        f"{plural(counts['group_count'], 'cause')} in {plural(counts['session_count'], 'session')}"
    )
    return Recorded(
        ("\n\n".join([head, *map(_text, groups)]) if groups else "No errors.")
        + not_searched(found),
        CauseGroups(groups=groups, **counts, not_searched=missing(found)),
        {},
        "Next: session_errors of an example, or compare_sessions of it with a good one."
        if groups
        else "",
    )


def _line(group: dict[str, Any]) -> CauseGroupLine:
    shared = ("session_count", "failed_count", "first_seen", "last_seen", "good_session_id")
    return CauseGroupLine(
        **{name: group[name] for name in shared},
        cause=visible_line(group["cause"], _CAUSE_CHARS),
        example_session_id=group["example"]["id"],
        query=f"cause_key:{group['key']}",
    )


def _text(group: CauseGroupLine) -> str:
    good = f", good: [session_id: {group.good_session_id}]" if group.good_session_id else ""
    return (
        f"{group.cause}\n"
        f"  {plural(group.session_count, 'session')} ({group.failed_count} failed),"
        f" {group.first_seen[:19]}Z to {group.last_seen[:19]}Z\n"
        f"  example: [session_id: {group.example_session_id}]{good}"
    )


CAUSES = ServedTool(
    "failure_causes",
    "Causes of failures",
    "Group sessions by root cause (their first failure), the most frequent first. Each group has "
    "its number of sessions, when it was first and last seen, an example, and a good session to "
    "compare it with.",
    FailureCauses,
    CauseGroups,
    failure_causes,
)
