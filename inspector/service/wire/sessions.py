"""Sessions, their list and their histogram."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from inspector.service.model.rows import Engine, SessionStatus
from inspector.service.wire.base import Wire


class Session(Wire):
    """One session: a conversation, a run, or a single trace."""

    id: str
    title: str
    status: SessionStatus
    engine: Engine
    started_at: str = Field(description="RFC 3339, UTC.")
    ended_at: str | None = Field(description="RFC 3339, UTC; null while anything runs.")
    duration_ms: float | None = Field(
        description="Time in which anything of it ran: without `idle_ms`. Null while it runs."
    )
    waiting_ms: float = Field(
        description="Time in which any of it waited for a person, side by side counted once; up "
        "to `waiting_since` if it waits now."
    )
    waiting_since: str | None = None
    paused_since: str | None = Field(
        None, description="While an operator holds it, also while it waits for a person besides."
    )
    silent_since: str | None = Field(
        None,
        description="While it runs and no process of it gives a sign of life: when something of it "
        "arrived last. Ten minutes later it is `lost`.",
    )
    idle_ms: float = Field(
        0.0,
        description="Time between its start and its end in which nothing of it ran, such as the "
        "pauses between its runs; up to `idle_since` if nothing runs now.",
    )
    idle_since: str | None = Field(
        None, description="While it has not ended and nothing of it runs: since when."
    )
    epoch_ns: str = Field(description="Unix ns as a decimal string; offsets count from it.")
    span_count: int
    error_count: int
    llm_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None = Field(description="Null when no telemetry carried a cost.")
    models: list[str]
    services: list[str]
    agents: list[str]
    tags: list[str]
    users: list[str] = Field(description="Whom it worked for, by the ids that its senders give.")
    has_mcp: bool = Field(description="Whether any of its telemetry may be about MCP.")
    dropped_count: int
    cause: str | None = Field(
        None,
        description="Once it is over: what failed first, on one line of at most 200 characters, "
        "such as `fetch_page: 504 from mirror`. Of several, one that its root failed from.",
    )
    cause_key: str | None = Field(
        None, description="The same for causes that differ in ids, numbers and paths alone."
    )
    answer: str | None = Field(
        None,
        description="Once it is over, and nothing failed: the last answer of a model, on one line "
        "of at most 200 characters.",
    )


class IndexState(Wire):
    """The state of the index of words. Rows not indexed yet are searched too, but slower."""

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
"""Order of a list of sessions; `changed`: by the time of the last change."""


class SessionList(Wire):
    """A page of sessions, in the requested order."""

    sessions: list[Session]
    next_cursor: str | None
    index: IndexState | None = Field(None, description="With `q`; null without an index.")
    as_of: str = Field(description="Change-feed position: pass it to `/events?after=`.")


class SessionBucket(Wire):
    """The sessions that began in an interval."""

    started_at: str = Field(description="Start of the interval; RFC 3339.")
    counts: dict[SessionStatus, int] = Field(description="Sessions by status; without zeros.")


class UsageTotal(Wire):
    """What sessions used."""

    session_count: int
    llm_calls: int
    tool_calls: int = Field(description="0 in the group of a model.")
    input_tokens: int
    output_tokens: int
    cost_usd: float | None = Field(description="Null when no telemetry carried a cost.")
    uncosted_calls: int = Field(
        description="Calls that carried tokens and no cost: `cost_usd` is without them."
    )


class UsageGroup(UsageTotal):
    """What the sessions of one user, tag, model or day used."""

    name: str = Field(description="Empty: they name none. A day: `2026-01-31`, UTC.")


class SessionUsage(Wire):
    """What sessions used, by user, tag, model or day."""

    total: UsageTotal = Field(description="Each session once, whatever it names.")
    groups: list[UsageGroup] = Field(
        description="At most 1000: the most expensive first, then the most tokens; days: newest."
    )
    group_count: int
    counted_from: str | None = Field(
        description="Earlier sessions were not counted for lack of time; null: all were."
    )


class SessionHistogram(Wire):
    """Number of sessions by the time of their start."""

    bucket_ms: int
    buckets: list[SessionBucket] = Field(description="Oldest first, one after another.")
    counted_from: str | None = Field(
        description="Earlier sessions were not counted for lack of time; null: all were."
    )


class SessionCount(Wire):
    """Number of sessions that a filter finds."""

    count: int = Field(description="Found in this page.")
    next_cursor: str | None = Field(
        description="Continues where the time of the page was up; null: all are counted."
    )


class LastGoodSession(Wire):
    """The run of the same title to compare a session with."""

    session_id: str | None = Field(
        description="The newest session with the title that completed without an error; null: "
        "there is none."
    )


class CauseGroup(Wire):
    """Sessions with causes that are alike."""

    key: str = Field(description="`cause_key:KEY` as a query finds the sessions.")
    cause: str = Field(
        description="Of the newest, with placeholders such as `<n>` and `<path>` for what varies."
    )
    session_count: int
    failed_count: int = Field(
        description="Those that failed; the others recovered, or were cancelled or lost."
    )
    first_seen: str = Field(description="Start of the first; RFC 3339, within the time.")
    last_seen: str
    counts: list[int] = Field(description="Sessions by the time of their start, see `bucket_ms`.")
    example: Session = Field(description="The newest.")
    good_session_id: str | None = Field(
        description="The newest session with the title of the example that completed without an "
        "error, to compare it with."
    )


class CauseList(Wire):
    """What sessions failed from, the most frequent first."""

    groups: list[CauseGroup]
    group_count: int = Field(description="Number of all groups.")
    session_count: int = Field(description="Number of sessions with a cause.")
    counts_from: str = Field(description="Start of the first bucket of `counts`; RFC 3339.")
    bucket_ms: float
    counted_from: str | None = Field(
        description="Earlier sessions are not counted, as they are too many; null: all are."
    )
