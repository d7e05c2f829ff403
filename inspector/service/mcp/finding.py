"""`find_sessions` and `search_spans`: the query language, newest first, a page at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import Field

from inspector.errors import RefusedError
from inspector.service.analysis.formatting import (
    LEAST_IDLE_NS,
    duration_ms,
    money,
    plural,
    silence,
    tokens,
)
from inspector.service.analysis.sanitise import visible_line
from inspector.service.mcp.answer import (
    MAX_CHARS,
    MAX_CURSOR_CHARS,
    ClosedModel,
    PartialAnswer,
    Recorded,
    milliseconds,
    missing,
    not_searched,
    within,
)
from inspector.service.mcp.source import Archive
from inspector.service.mcp.tool import ServedTool
from inspector.service.normalise.session_ids import MAX_CHARACTERS
from inspector.service.query.syntax import MAX_CHARS as MAX_QUERY_CHARS

_TITLE_CHARS = 120
_NAME_CHARS = 80
_WHY_CHARS = 200
_ID_CHARS = 10 * MAX_CHARACTERS
"""Limit of an id after escaping: a character may become ten."""
_MAX_NAMES = 4
_ROOM_CHARS = 500

L = TypeVar("L", bound=ClosedModel)

_LANGUAGE = """\
Query language: terms are ANDed; OR, NOT, -term and parentheses work; a bare word, \
prefix* or "some words" is searched in names and content.
Session fields: status (waiting paused running lost failed cancelled completed), title, started, \
ended, duration, waiting, errors, spans, llm_calls, tool_calls, tokens, cost, model, service, \
agent, tag, id, cause, cause_key.
Span fields: name, kind (agent llm tool workflow step mcp resource prompt retrieval embedding \
memory guardrail database messaging http other), status (running unset ok error cancelled lost), \
tool, agent, model, duration, tokens, cost, size, started, root, id, trace; attributes as \
@key:value.
Operators: field:value (* is a wildcard, a,b a choice, 1s..5s a range), field>value, field~part, \
field!=value. Structure: parent(…) child(…) ancestor(…) descendant(…) span(…) session(…).
Values: durations 200ms 1.5s 2h, times 2026-11-01 today -2h, amounts 1.5k $0.05."""


class FindSessions(ClosedModel):
    """Arguments of `find_sessions`."""

    query: str = Field("", max_length=MAX_QUERY_CHARS, description="Empty: all sessions.")
    limit: int = Field(12, ge=1, le=20, description="Sessions per page.")
    cursor: str | None = Field(
        None, max_length=MAX_CURSOR_CHARS, description="`next` of the previous page."
    )


class SessionLine(ClosedModel):
    """A session, as lists show it."""

    id: str
    title: str
    status: str
    started_at: str
    duration_ms: float | None = Field(description="Null while anything runs.")
    waiting_ms: float = Field(description="Part of the duration spent waiting for a person.")
    idle_ms: float = Field(
        description="Time outside the duration in which nothing ran, such as between two runs."
    )
    silent_since: str | None = Field(
        description="For a running session without a live process: time of its last telemetry."
    )
    span_count: int
    error_count: int
    llm_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    models: list[str]
    services: list[str]
    cause: str | None = Field(description="Root cause of an ended session.")
    answer: str | None = Field(description="Last model output of an ended session without errors.")


class Sessions(PartialAnswer):
    """Sessions, newest start first."""

    sessions: list[SessionLine]


class SearchSpans(ClosedModel):
    """Arguments of `search_spans`."""

    query: str = Field(
        min_length=1, max_length=MAX_QUERY_CHARS, description="Words, phrases and fields of spans."
    )
    limit: int = Field(20, ge=1, le=40, description="Spans per page.")
    cursor: str | None = Field(
        None, max_length=MAX_CURSOR_CHARS, description="`next` of the previous page."
    )


class Hit(ClosedModel):
    """A span that was found."""

    session_id: str
    session_title: str
    span_id: str
    name: str
    kind: str
    status: str
    duration_ms: float | None


class Hits(PartialAnswer):
    """Spans, last changed first."""

    spans: list[Hit]


def session_line(session: dict[str, Any]) -> SessionLine:
    """Return a session as lists show it."""
    fields = {name: session[name] for name in SessionLine.model_fields}
    fields["title"] = visible_line(session["title"], _TITLE_CHARS)
    for one in ("cause", "answer"):
        fields[one] = session[one] and visible_line(session[one], _WHY_CHARS)
    for many in ("models", "services"):
        fields[many] = [visible_line(one, _NAME_CHARS) for one in session[many][:_MAX_NAMES]]
    return SessionLine(**fields)


def session_text(session: SessionLine) -> str:
    """Return a session in a few lines: its title and id, its figures, its cause or answer."""
    facts = [
        session.started_at[:19] + "Z",
        duration_ms(session.duration_ms) or "still running",
        silence(session.silent_since, time.time()),
        f"waited {duration_ms(session.waiting_ms)}" if session.waiting_ms else "",
        f"idle {duration_ms(session.idle_ms)}" if session.idle_ms * 1e6 >= LEAST_IDLE_NS else "",
        plural(session.span_count, "span"),
        plural(session.error_count, "error") if session.error_count else "",
        plural(session.llm_calls, "llm call") if session.llm_calls else "",
        plural(session.tool_calls, "tool call") if session.tool_calls else "",
        tokens(session.input_tokens, session.output_tokens),
        money(session.cost_usd) if session.cost_usd else "",
        " ".join(session.models),
    ]
    head = f"{session.status.upper():<9} {session.title}  {_id(session.id)}"
    why = f"\n  root cause: {session.cause}" if session.cause else ""
    why = f"\n  last output: {session.answer}" if session.answer else why
    return f"{head}\n  " + " · ".join(filter(None, facts)) + why


def _id(session_id: str) -> str:
    """Return an id in full: a model passes it back."""
    return f"[session_id: {visible_line(session_id, _ID_CHARS)}]"


async def find_sessions(archive: Archive, arguments: FindSessions) -> Recorded[Sessions]:
    """Return a page of sessions."""
    found, page = await _page(archive, "/sessions", "sessions", session_line, arguments)
    more = page["next_cursor"]
    return Recorded(
        ("\n".join(map(session_text, found)) or _nothing("session", more)) + not_searched(page),
        Sessions(sessions=found, not_searched=missing(page)),
        {"cursor": more} if more else {},
        "Next: session_outline or session_errors with a session_id." if found else "",
    )


async def search_spans(archive: Archive, arguments: SearchSpans) -> Recorded[Hits]:
    """Return a page of spans."""
    found, page = await _page(archive, "/search", "spans", _hit, arguments)
    more = page["next_cursor"]
    return Recorded(
        ("\n".join(map(_hit_text, found)) or _nothing("span", more)) + not_searched(page),
        Hits(spans=found, not_searched=missing(page)),
        {"cursor": more} if more else {},
        "Next: get_span with session_id and span_id." if found else "",
    )


async def _page(
    archive: Archive,
    path: str,
    what: str,
    line: Callable[[dict[str, Any]], L],
    arguments: FindSessions | SearchSpans,
) -> tuple[list[L], dict[str, Any]]:
    """Return lines, and the page that they are of.

    Fewer lines than the limit where they are too long.
    """
    limit = arguments.limit
    while True:
        try:
            page = await archive.get(path, q=arguments.query, limit=limit, cursor=arguments.cursor)
        except RefusedError as error:
            raise RefusedError(error.pointed(arguments.query)) from error
        found = [line(row) for row in page[what]]
        fitting = len(within(found, MAX_CHARS - _ROOM_CHARS))
        if fitting >= len(found) or limit == 1:
            return found, page
        limit = fitting


def _hit(hit: dict[str, Any]) -> Hit:
    span = hit["span"]
    return Hit(
        session_id=hit["session_id"],
        session_title=visible_line(hit["session_title"], _NAME_CHARS),
        span_id=span["span_id"],
        name=visible_line(span["name"], _TITLE_CHARS),
        kind=span["kind"],
        status=span["status"],
        duration_ms=milliseconds(span["duration_ns"]),
    )


def _hit_text(hit: Hit) -> str:
    took = "" if hit.duration_ms is None else f"  {duration_ms(hit.duration_ms)}"
    where = f"{hit.session_title} {_id(hit.session_id)}"
    return f"{hit.kind} {hit.name}  {hit.status}{took}  [span_id: {hit.span_id}]  in {where}"


def _nothing(what: str, more: str | None) -> str:
    if more:
        return f"No matching {what} so far; the search is not complete."
    return f"No matching {what}."


FIND_SESSIONS = ServedTool(
    "find_sessions",
    "Find sessions",
    "List recorded runs of AI agents (sessions), newest first: id, title, status, duration, "
    "errors, tokens, cost. Start here. Examples of `query`: `status:failed started>-2h`, "
    "`tool:git_* cost>0.5`, `errors>0 service:checkout`.\n" + _LANGUAGE,
    FindSessions,
    Sessions,
    find_sessions,
)

SEARCH_SPANS = ServedTool(
    "search_spans",
    "Search spans",
    "Find single operations (LLM calls, tool calls, MCP requests …) across all sessions, newest "
    'first. Use it to find where something occurs: `kind:tool status:error`, `"merge conflict"`, '
    "`kind:llm tokens>10k`. Same query language as find_sessions.",
    SearchSpans,
    Hits,
    search_spans,
)
