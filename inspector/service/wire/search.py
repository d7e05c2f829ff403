"""The HTTP JSON of search results."""

from __future__ import annotations

from pydantic import Field

from inspector.service.model.rows import SessionStatus
from inspector.service.wire.base import QualifiedId, Wire
from inspector.service.wire.sessions import IndexState, Positioned, Searched, Session
from inspector.service.wire.spans import SpanRow


class Excerpt(Wire):
    """An excerpt of a text of a span or a session, with words of the query."""

    place: str = Field(
        description="Of a span: `name`, `status`, `event`, or the key of an attribute. "
        "Of a session: `title`, `cause`, `answer` or `id`."
    )
    before: str
    match: str
    after: str


class SessionHit(Session):
    """A matching session."""

    excerpts: list[Excerpt] = Field(
        default_factory=list, description="Matches in the session's own texts."
    )


class SearchHit(Wire):
    """A matching span, with its session."""

    session_id: QualifiedId
    session_title: str
    session_status: SessionStatus
    session_started_at: str = Field(description="RFC 3339, UTC.")
    span: SpanRow
    error: str | None = Field(description="Why the span failed, on one line; null if it did not.")
    excerpts: list[Excerpt] = Field(default_factory=list, description="Some matches of the query.")


class SearchResult(Searched, Positioned):
    """Newest first. A page may be short or empty without being the last: see `next_cursor`."""

    sessions: list[SessionHit] = Field(
        description="On the first page only: sessions found within the time limit."
    )
    spans: list[SearchHit]
    next_cursor: str | None = Field(description="Cursor for the spans not searched yet.")
    index: IndexState | None = Field(None, description="Null without an index.")
