"""Routes of a reader that one service answers: that of the session, the request or the trace."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeAlias
from urllib.parse import quote

import httpx
import orjson
from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute

from inspector.service.http.audit import NDJSON
from inspector.service.http.caller import forwarded_caller
from inspector.service.http.problems import MEDIA_TYPE as PROBLEM
from inspector.service.http.problems import ProblemError, span_not_found
from inspector.service.model.writer_names import qualified
from inspector.service.reader.ids import Qualify, qualifier, segment
from inspector.service.reader.parts import ReaderParts, reader_parts_of
from inspector.service.reader.writers import (
    ANSWER_S,
    SILENCE_S,
    Fleet,
    Query,
    RemoteWriter,
    WriterAwayError,
)
from inspector.service.wire import Problem

_SENT_ON = (
    "accept",
    "content-encoding",
    "content-type",
    "if-none-match",
    "if-range",
    "inspector-grant",
    "range",
)
_SENT_BACK = (
    "accept-ranges",
    "allow",
    "cache-control",
    "content-disposition",
    "content-range",
    "content-type",
    "etag",
    "inspector-next-cursor",
    "retry-after",
)
_IN_SESSION = "{session_id:path}"
_IN_REQUEST = "{request_id:path}"
_COMPARED = ("left", "right", "session")
_TRACE, _SPAN = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{16}")
_MAX_TRACES = 10_000
_MOST_REFUSED_BYTES = 256 * 1024 * 1024
_ELSEWHERE = ("/v1/", "/processes/", "/prices", "/import")

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


def passing_router(routes: Iterable[BaseRoute]) -> APIRouter:
    """Return routes that pass on what the routes of a service answer.

    Args:
        routes: The routes of a service; of others than these, none is passed on.
    """
    router = APIRouter()
    traces = _Traces()
    for route in routes:
        if isinstance(route, APIRoute) and (endpoint := _endpoint(route, traces)) is not None:
            router.add_route(route.path, endpoint, [*(route.methods or ())], name=route.name)
    return router


def _endpoint(route: APIRoute, traces: _Traces) -> Endpoint | None:
    if route.path.startswith(_ELSEWHERE):
        return _refuse
    qualify = qualifier(route.response_model)
    if _IN_SESSION in route.path:
        return _of_session(route, qualify)
    if _IN_REQUEST in route.path:
        return _of_request(route, qualify)
    if route.path.startswith("/spans/"):
        return _of_trace(traces, qualify)
    if route.path.startswith("/compare"):
        return _of_compared(qualify)
    return None


async def _refuse(request: Request) -> Response:
    # Who is still sending does not read an answer.
    with suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(SILENCE_S):
            size_bytes = 0
            async for piece in request.stream():
                size_bytes += len(piece)
                if size_bytes > _MOST_REFUSED_BYTES:
                    break
    names = ", ".join(reader_parts_of(request).fleet.writers)
    detail = (
        f"This is a reader: it stores nothing. Send to one of the services that it reads: {names}."
    )
    if request.url.path.startswith("/prices"):
        detail = (
            "This is a reader: each service has prices of its own. Set INSPECTOR_URL to the "
            f"address of one of them: {names}."
        )
    raise ProblemError(421, "reader", "Not here", detail)


def _of_session(route: APIRoute, qualify: Qualify | None) -> Endpoint:
    async def pass_on(request: Request) -> Response:
        parts, shown_id = reader_parts_of(request), request.path_params["session_id"]
        found = parts.owner(shown_id)
        if found is None:
            shown_id = await parts.find_owner(shown_id)
            if request.method in ("GET", "HEAD"):
                return _moved(request, route, shown_id)
            found = parts.owner(shown_id)
        assert found is not None
        writer, own_id = found
        path = route.path.replace(_IN_SESSION, segment(own_id))
        answer = await _send(parts, writer, request, path)
        if answer.status_code == 308:
            await answer.aclose()
            target = writer.target(answer, route.path_regex)
            return _moved(request, route, qualified(writer.name, target))
        return await _returned(answer, writer, qualify)

    return pass_on


def _of_request(route: APIRoute, qualify: Qualify | None) -> Endpoint:
    async def pass_on(request: Request) -> Response:
        parts, shown_id = reader_parts_of(request), request.path_params["request_id"]
        found = parts.owner(shown_id)
        if found is None:
            raise ProblemError(
                404, "no_such_request", "Not found", "No request has this id: use `NAME:ID`."
            )
        writer, own_id = found
        path = route.path.replace(_IN_REQUEST, segment(own_id))
        return await _returned(await _send(parts, writer, request, path), writer, qualify)

    return pass_on


def _of_trace(traces: _Traces, qualify: Qualify | None) -> Endpoint:
    async def pass_on(request: Request) -> Response:
        parts, trace_id = reader_parts_of(request), request.path_params["trace_id"]
        span_id = request.path_params["span_id"]
        if not (_TRACE.fullmatch(trace_id) and _SPAN.fullmatch(span_id)):
            raise span_not_found(trace_id, span_id)
        query, owners = await _own_query(request, ("session_id",))
        for owner, _ in owners:
            return await _returned(
                await _send(parts, owner, request, _path(request), query), owner, qualify
            )
        away: WriterAwayError | None = None
        missing: Response | None = None
        for writer in traces.order(parts.fleet, trace_id):
            try:
                answer = await _send(parts, writer, request, _path(request), timeout_s=ANSWER_S)
                if answer.status_code == 404 and _media_type(answer) != PROBLEM:
                    await answer.aclose()
                    raise writer.failed("answers 404, as Inspector does not")
            except WriterAwayError as error:
                away = away or error
                continue
            back = await _returned(answer, writer, qualify)
            if answer.status_code != 404:
                traces.note(trace_id, writer.name)
                return back
            missing = missing or back
        if missing is None or away is not None:
            assert away is not None
            raise away.with_traceback(None)
        return missing

    return pass_on


class _Traces:
    """The service that had a trace the last time: it is asked first."""

    def __init__(self) -> None:
        self._names = OrderedDict[str, str]()

    def order(self, fleet: Fleet, trace_id: str) -> list[RemoteWriter]:
        first = self._names.get(trace_id)

        def place(writer: RemoteWriter) -> tuple[bool, bool]:
            return writer.away is not None, writer.name != first

        return sorted(fleet.distinct.values(), key=place)

    def note(self, trace_id: str, name: str) -> None:
        self._names[trace_id] = name
        self._names.move_to_end(trace_id)
        if len(self._names) > _MAX_TRACES:
            self._names.popitem(last=False)


def _of_compared(qualify: Qualify | None) -> Endpoint:
    async def pass_on(request: Request) -> Response:
        parts = reader_parts_of(request)
        query, owners = await _own_query(request, _COMPARED)
        writer = owners[0][0] if owners else next(iter(parts.fleet.writers.values()))
        if all(one is writer for one, _ in owners):
            answer = await _send(parts, writer, request, _path(request), query)
            return await _returned(answer, writer, qualify)
        return await parts.imported.compare(_path(request), query, owners)

    return pass_on


async def _own_query(
    request: Request, names: Sequence[str]
) -> tuple[list[tuple[str, str]], list[tuple[RemoteWriter, str]]]:
    """Return the parameters with sessions' own ids, and the services with these ids.

    Args:
        request: The request.
        names: The parameters that are ids of sessions.

    Raises:
        ProblemError: It is not known which service has one of them.
    """
    query, owners = list[tuple[str, str]](), list[tuple[RemoteWriter, str]]()
    for key, value in request.query_params.multi_items():
        if key in names:
            owners.append(await reader_parts_of(request).locate(value))
        query.append((key, owners[-1][1] if key in names else value))
    return query, owners


def _path(request: Request) -> str:
    root: str = request.scope.get("root_path", "")
    return quote(request.scope["path"].removeprefix(root))


async def _send(
    parts: ReaderParts,
    writer: RemoteWriter,
    request: Request,
    path: str,
    query: Query | None = None,
    timeout_s: float = SILENCE_S,
) -> httpx.Response:
    headers = {name: request.headers[name] for name in _SENT_ON if name in request.headers}
    headers |= forwarded_caller(request, parts.access)
    # Ids are replaced in what comes back.
    headers["accept-encoding"] = "identity"
    is_change = request.method not in ("GET", "HEAD")
    return await writer.send(
        request.method,
        path,
        request.scope["query_string"] if query is None else query,
        headers=headers,
        content=request.stream() if is_change else None,
        timeout_s=timeout_s,
    )


async def _returned(
    answer: httpx.Response, writer: RemoteWriter, qualify: Qualify | None
) -> Response:
    """Return a service's answer with the name of the service before ids."""
    headers = {name: answer.headers[name] for name in _SENT_BACK if name in answer.headers}
    media_type = _media_type(answer)
    if media_type == PROBLEM:
        qualify = qualifier(Problem)
    if qualify is not None and media_type == NDJSON:
        pieces = _lines(answer, writer, qualify)
    elif qualify is not None and media_type in ("application/json", PROBLEM):
        body = await writer.body(answer)
        made = await asyncio.to_thread(_qualified, body, qualify, writer.name)
        return Response(made, answer.status_code, headers)
    else:
        if "content-length" in answer.headers and "content-encoding" not in answer.headers:
            headers["content-length"] = answer.headers["content-length"]
        pieces = answer.aiter_bytes()
    return StreamingResponse(
        pieces, answer.status_code, headers, background=BackgroundTask(answer.aclose)
    )


def _media_type(answer: httpx.Response) -> str:
    return str(answer.headers.get("content-type", "")).partition(";")[0]


def _qualified(body: bytes, qualify: Qualify, name: str) -> bytes:
    return orjson.dumps(qualify(orjson.loads(body), name))


async def _lines(
    answer: httpx.Response, writer: RemoteWriter, qualify: Qualify
) -> AsyncIterator[bytes]:
    async for line in writer.lines(answer):
        yield await asyncio.to_thread(_qualified, line, qualify, writer.name) + b"\n"


def _moved(request: Request, route: APIRoute, shown_id: str) -> Response:
    url = request.url_for(route.name, session_id=shown_id)
    query = request.url.query
    return RedirectResponse(url.path + (f"?{query}" if query else ""), status_code=308)
