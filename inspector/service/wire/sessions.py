"""Sessions, their list and their histogram."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from inspector.service.model.rows import Engine, SessionStatus
from inspector.service.wire.base import ListPosition, QualifiedId, Wire, optional


class Session(Wire):
    """One session: a conversation, a run, or a single trace."""

    id: QualifiedId
    title: str
    status: SessionStatus
    engine: Engine
    started_at: str = Field(description="RFC 3339, UTC.")
    ended_at: str | None = Field(description="RFC 3339, UTC; null while anything runs.")
    duration_ms: float | None = Field(
        description="Time in which any span ran: without `idle_ms`. Null while it runs."
    )
    waiting_ms: float = Field(
        description="Time in which any span waited for a person; overlapping waits count once. Up "
        "to `waiting_since` if it waits now."
    )
    waiting_since: str | None = None
    paused_since: str | None = Field(
        None, description="Since when an operator pauses it, even if it also waits for a person."
    )
    silent_since: str | None = Field(
        None,
        description="For a running session without a live process: time of its last telemetry. "
        "Ten minutes later it is `lost`.",
    )
    idle_ms: float = Field(
        0.0,
        description="Time between start and end in which no span ran, such as gaps between runs; "
        "up to `idle_since` if none runs now.",
    )
    idle_since: str | None = Field(
        None, description="Since when no span runs, if it has not ended."
    )
    epoch_ns: str = Field(description="Unix ns as a decimal string; offsets count from it.")
    span_count: int
    error_count: int
    llm_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None = Field(description="Null if no telemetry carries a cost.")
    models: list[str]
    services: list[str]
    agents: list[str]
    tags: list[str]
    users: list[str] = Field(description="Ids of its end users, as reported by senders.")
    has_mcp: bool = Field(description="Whether any of its telemetry may be about MCP.")
    dropped_count: int
    cause: str | None = Field(
        None,
        description="Root cause of an ended session, on one line of at most 200 characters, such "
        "as `fetch_page: 504 from mirror`. Of several, one that made the root fail.",
    )
    cause_key: str | None = Field(
        None, description="Equal for causes that differ only in ids, numbers and paths."
    )
    cause_span: str | None = Field(
        None,
        description="The span that `cause` is about, as `trace_id.span_id`; null if it was stored "
        "by an older version.",
    )
    answer: str | None = Field(
        None,
        description="Last model output of an ended session without errors, on one line of at most "
        "200 characters.",
    )
    change: int = Field(
        description="Change number of this version: an older one never replaces a newer one."
    )
    changed_at: str = Field(description="RFC 3339: when this version was stored.")


class Partial(Wire):
    """A part of the sessions that an answer leaves out."""

    part: Literal["history", "writer"] = Field(
        description="`history`: what has left the disk of a service; `writer`: a whole service "
        "that a reader could not ask."
    )
    writer: str | None = Field(default=None, description="Of a reader: the name of the service.")
    why: str
    since: str | None = Field(description="Start, where that is known.")


class Searched(Wire):
    """An answer from a search."""

    partial: list[Partial] = Field(
        default_factory=list, description="What could not be searched; empty: nothing."
    )


class Positioned(Wire):
    """A page of a list."""

    positions: list[ListPosition] | None = Field(
        None, description="With `positions`: where each row is.", json_schema_extra=optional
    )


class IndexState(Wire):
    """The state of the word index. Rows not indexed yet are searched too, but slower."""

    is_complete: bool
    changes_behind: int = Field(description="Changes not indexed yet.")


SessionSort: TypeAlias = Literal[
    "started",
    "-started",
    "changed",
    "-changed",
    "title",
    "-title",
    "duration",
    "-duration",
    "waiting",
    "-waiting",
    "spans",
    "-spans",
    "errors",
    "-errors",
    "llm_calls",
    "-llm_calls",
    "tool_calls",
    "-tool_calls",
    "tokens",
    "-tokens",
    "cost",
    "-cost",
]
"""Sort order of sessions; `changed`: by the time of the last change."""


class SessionList(Searched, Positioned):
    """A page of sessions, in the requested order."""

    sessions: list[Session]
    next_cursor: str | None
    index: IndexState | None = Field(None, description="With `q`; null without an index.")
    as_of: str = Field(description="Change-feed position: pass it to `/events?after=`.")


class SessionBucket(Wire):
    """The sessions that started in an interval."""

    started_at: str = Field(description="Start of the interval; RFC 3339.")
    counts: dict[SessionStatus, int] = Field(description="Sessions by status; without zeros.")


class UsageTotal(Wire):
    """Usage of sessions."""

    session_count: int
    llm_calls: int
    tool_calls: int = Field(description="0 in the group of a model.")
    input_tokens: int
    output_tokens: int
    cost_usd: float | None = Field(description="Null if no telemetry carries a cost.")
    uncosted_calls: int = Field(
        description="Calls with tokens but no cost, which `cost_usd` does not include."
    )


class UsageGroup(UsageTotal):
    """Usage of the sessions of one user, tag, model or day."""

    name: str = Field(description="Empty: none is reported. A day: `2026-01-31`, UTC.")


class SessionUsage(Searched):
    """Usage of sessions by user, tag, model or day."""

    total: UsageTotal = Field(description="Counts each session once.")
    groups: list[UsageGroup] = Field(
        description="At most 1000: the most expensive first, then the most tokens; days: newest."
    )
    group_count: int
    counted_from: str | None = Field(
        description="Earlier sessions are not counted (time limit); null: all are."
    )


class SessionHistogram(Searched):
    """Number of sessions by the time of their start."""

    bucket_ms: int
    buckets: list[SessionBucket] = Field(description="Oldest first, without gaps.")
    counted_from: str | None = Field(
        description="Earlier sessions are not counted (time limit); null: all are."
    )


class SessionCount(Searched):
    """Number of sessions that match a filter."""

    count: int = Field(description="Matches in this page.")
    next_cursor: str | None = Field(
        description="Continues where the page reached its time limit; null: all are counted."
    )


class LastGoodSession(Wire):
    """The run of the same title to compare a session with."""

    session_id: QualifiedId | None = Field(
        description="The newest session with this title that completed without an error; null: "
        "none."
    )


class CauseGroup(Wire):
    """Sessions with the same root cause."""

    key: str = Field(description="The query `cause_key:KEY` finds these sessions.")
    cause: str = Field(
        description="Cause of the newest, with placeholders such as `<n>` and `<path>`."
    )
    session_count: int
    failed_count: int = Field(
        description="Failed sessions; the others recovered, or were cancelled or lost."
    )
    first_seen: str = Field(description="Start of the first session in the time range; RFC 3339.")
    last_seen: str
    counts: list[int] = Field(description="Sessions by start; see `bucket_ms`.")
    example: Session = Field(description="The newest session.")
    good_session_id: QualifiedId | None = Field(
        description="The newest session with the example's title that completed without an error, "
        "for comparison."
    )


class CauseList(Searched):
    """Root causes of sessions, the most frequent first."""

    groups: list[CauseGroup]
    group_count: int = Field(description="Number of all groups.")
    session_count: int = Field(description="Number of sessions with a cause.")
    counts_from: str = Field(description="Start of the first bucket of `counts`; RFC 3339.")
    bucket_ms: float
    counted_from: str | None = Field(
        description="Earlier sessions are not counted (too many); null: all are."
    )
