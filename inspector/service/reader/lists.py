"""Routes of a reader that ask all services, and put their answers together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from time import monotonic, time_ns
from typing import Any

import orjson
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from inspector.service import wire
from inspector.service.http.audit import NdjsonResponse
from inspector.service.model.times import unix_ns
from inspector.service.model.writer_names import split_id
from inspector.service.present.rows import MAX_GROUPS
from inspector.service.query import QueryScope, parse_query
from inspector.service.reader.ids import own_query, qualifier
from inspector.service.reader.merging import (
    Cursors,
    decode_cursors,
    encode_cursors,
    merge_causes,
    merge_counts,
    merge_histograms,
    merge_index,
    merge_pages,
    merge_usage,
    merge_values,
)
from inspector.service.reader.mirror import join_positions
from inspector.service.reader.parts import reader_parts_of
from inspector.service.reader.writers import ANSWER_S, Fleet, Gathered, Query
from inspector.service.wire import control as wire_control

router = APIRouter()

_ROUNDS_S = 1.0
"""Time in which services that found nothing yet are asked again."""
_MAX_CAUSES = 200
_MAX_VALUES = 100


class _Page:
    """A page of a list of all services."""

    def __init__(
        self, gathered: Gathered, rows_of: str, rows: list[tuple[str, Any]], cursors: Cursors
    ) -> None:
        self.answers = gathered.answers
        self._partial, self._rows_of, self._rows = gathered.partial, rows_of, rows
        self._cursors = cursors

    def answer(self, shape: type[BaseModel], **also: Any) -> Response:
        """Return it as JSON.

        Args:
            shape: Of the list; says which fields are ids.
            also: Further fields.
        """
        body = {
            "next_cursor": encode_cursors(self._cursors),
            "partial": self._partial,
            "positions": None,
            **also,
        }
        if any("as_of" in one for one in self.answers.values()):
            body["as_of"] = join_positions(one["as_of"] for one in self.answers.values())
        rows = [
            _qualified(shape, {self._rows_of: [row]}, name)[self._rows_of][0]
            for name, row in self._rows
        ]
        return _answer({**body, self._rows_of: rows})


class _ListRequest:
    """A request for a list of all services.

    Attributes:
        limit: Most rows of the page.
    """

    def __init__(self, request: Request) -> None:
        self._path = request.url.path.removeprefix(request.scope.get("root_path", ""))
        self._fleet: Fleet = reader_parts_of(request).fleet
        own = ("cursor", "positions")
        self._query = [one for one in request.query_params.multi_items() if one[0] not in own]
        self._cursor = request.query_params.get("cursor")
        self._q = self.get("q")
        if self._path != "/audit":  # a text, no query
            scope = QueryScope.SPAN if self._path == "/search" else QueryScope.SESSION
            parse_query(self._q, scope, time_ns())  # mistakes are where they were typed
        limit = self.get("limit", "100")
        self.limit = min(int(limit), 1000) if limit.isdecimal() and len(limit) < 9 else 100

    def get(self, name: str, default: str = "") -> str:
        """Return a parameter."""
        return next((value for key, value in self._query if key == name), default)

    def cursors(self) -> dict[str, str | None]:
        """Return where each service goes on."""
        return decode_cursors(self._cursor, self._fleet.writers)

    async def gather(
        self, cursors: Cursors | None = None, also: Mapping[str, str] | None = None
    ) -> Gathered:
        """Ask the services that have more, and those that a session in the query names."""
        session = split_id(self.get("session_id"), self._fleet.writers)

        def query_of(name: str) -> Query | None:
            if session is not None and session[0] != name:
                return None
            if cursors is not None and name not in cursors:
                return None
            query = [(key, value) for key, value in self._query if key not in (also or ())]
            own_q = (
                self._q.removeprefix(f"{name}:")
                if self._path == "/audit"
                else own_query(self._q, name)
            )
            own = {"q": own_q, "session_id": session and session[1]}
            query = [(key, own.get(key) or value) for key, value in query]
            query += (also or {}).items()
            if cursors is not None and (cursor := cursors[name]) is not None:
                query.append(("cursor", cursor))
            return query

        return await self._fleet.gather(self._path, query_of)

    async def page(
        self, rows_of: str, *, is_descending: bool, has_common_places: bool = False
    ) -> _Page:
        """Return the next rows of a list of all services."""
        cursors, until_s = self.cursors(), monotonic() + _ROUNDS_S
        while True:
            found = await self.gather(cursors, {"positions": "true"})
            for name in [*found.answers]:
                if found.answers[name].get("positions") is None:
                    del found.answers[name]
                    error = self._fleet.writers[name].failed("is of an older version: update it")
                    found.partial.append(error.partial())
            rows, further = merge_pages(
                found.answers,
                cursors,
                rows_of,
                self.limit,
                is_descending=is_descending,
                has_common_places=has_common_places,
            )
            if rows or not further or monotonic() >= until_s:
                return _Page(found, rows_of, rows, further)
            cursors = further


def _qualified(shape: type[BaseModel], value: Any, name: str) -> Any:
    qualify = qualifier(shape)
    return value if qualify is None else qualify(value, name)


def _answer(body: Any) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")


@router.get("/sessions")
async def list_sessions(request: Request) -> Response:
    """List the sessions of all services."""
    query = _ListRequest(request)
    sort = query.get("sort", "-started")
    page = await query.page(
        "sessions",
        is_descending=sort.startswith("-"),
        has_common_places=not sort.endswith("changed"),
    )
    return page.answer(wire.SessionList, index=merge_index(page.answers))


@router.get("/sessions/count")
async def session_count(request: Request) -> Response:
    """Count the sessions of all services."""
    query = _ListRequest(request)
    found = await query.gather(query.cursors())
    count, more = merge_counts(found.answers)
    return _answer({"count": count, "next_cursor": encode_cursors(more), "partial": found.partial})


@router.get("/sessions/histogram")
async def session_histogram(request: Request) -> Response:
    """Count the sessions of all services per interval."""
    query = _ListRequest(request)
    # By one clock, or the services' bounds differ.
    found = await query.gather(also={"until_ms": query.get("until_ms", str(time_ns() // 10**6))})
    return _answer({**merge_histograms(found.answers), "partial": found.partial})


@router.get("/sessions/usage")
async def session_usage(request: Request) -> Response:
    """Sum the usage of the sessions of all services."""
    query = _ListRequest(request)
    found = await query.gather()
    usage = merge_usage(found.answers, is_by_day=query.get("by") == "day", most=MAX_GROUPS)
    return _answer({**usage, "partial": found.partial})


@router.get("/search")
async def search(request: Request) -> Response:
    """Search all services."""
    query = _ListRequest(request)
    page = await query.page("spans", is_descending=True)
    hits = [(name, hit) for name, one in page.answers.items() for hit in one["sessions"]]
    hits.sort(key=lambda hit: hit[1]["started_at"], reverse=True)
    return page.answer(
        wire.SearchResult,
        sessions=[_qualified(wire.SessionHit, hit, name) for name, hit in hits[: query.limit]],
        index=merge_index(page.answers),
    )


@router.get("/query/values")
async def query_values(request: Request) -> Response:
    """List values of a field in all services."""
    query = _ListRequest(request)
    found = await query.gather(also={"limit": str(_MAX_VALUES)})
    return _answer({**merge_values(found.answers, query.limit), "partial": found.partial})


@router.get("/causes")
async def list_causes(request: Request) -> Response:
    """Group the sessions of all services by root cause."""
    query = _ListRequest(request)
    also = {"limit": str(_MAX_CAUSES)}
    found = await query.gather(also=also)
    if len({(one["counts_from"], one["bucket_ms"]) for one in found.answers.values()}) > 1:
        seen = [group for one in found.answers.values() for group in one["groups"]]
        if seen:  # the same bounds in all
            first, last = (
                min(group["first_seen"] for group in seen),
                max(group["last_seen"] for group in seen),
            )
            also["counts_from_ns"] = str(unix_ns(first))
            also["counts_until_ns"] = str(unix_ns(last))
            found = await query.gather(also=also)
    for name, one in found.answers.items():
        _qualified(wire.CauseList, one, name)
    return _answer({**merge_causes(found.answers, query.limit), "partial": found.partial})


@router.get("/requests")
async def list_requests(request: Request) -> Response:
    """List the requests of all services."""
    query = _ListRequest(request)
    page = await query.page("requests", is_descending=True, has_common_places=True)
    return page.answer(
        wire_control.RequestList,
        pending_count=sum(one["pending_count"] for one in page.answers.values()),
    )


@router.get("/audit")
async def list_audit(request: Request) -> Response:
    """List the audit log of all services."""
    page = await _ListRequest(request).page("entries", is_descending=True)
    names = list(reader_parts_of(request).fleet.writers)
    for name, one in page.answers.items():
        for entry in one["entries"]:
            entry["id"] = _audit_id(entry["id"], names, name)
    return page.answer(wire_control.AuditLog)


@router.get("/audit/export")
async def export_audit(request: Request) -> Response:
    """Return the audit logs of all services, one after the other."""
    fleet = reader_parts_of(request).fleet
    names = list(fleet.writers)
    async with AsyncExitStack() as stack:
        answers = {}
        for name, writer in fleet.distinct.items():
            answer = await writer.send("GET", "/audit/export", timeout_s=ANSWER_S)
            stack.push_async_callback(answer.aclose)
            if answer.status_code != 200:
                raise writer.failed(f"answers {answer.status_code}")
            answers[name] = answer
        opened = stack.pop_all()

    async def lines() -> AsyncIterator[bytes]:
        async with opened:
            for name, answer in answers.items():
                async for line in fleet.writers[name].lines(answer):
                    entry = _qualified(wire_control.AuditEntry, orjson.loads(line), name)
                    entry["id"] = _audit_id(entry["id"], names, name)
                    yield orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)

    return NdjsonResponse(lines())


def _audit_id(own_id: int, names: Sequence[str], name: str) -> int:
    """Return an id that no other service's entry has."""
    return own_id * len(names) + names.index(name)
