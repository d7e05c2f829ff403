"""Errors as `application/problem+json` (RFC 9457), each with a stable `code`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from inspector.errors import (
    EvictedError,
    HistoryError,
    InspectorError,
    OverloadedError,
    StoreUnavailableError,
)
from inspector.service.query import QueryError
from inspector.service.wire import Problem

MEDIA_TYPE = "application/problem+json"


class ProblemError(Exception):
    """An error that a route raises to answer with a problem.

    Args:
        status: HTTP status.
        code: Stable, snake case: clients switch on it.
        title: The kind of problem, in a few words.
        detail: The attempt, the problem and its remedy.
        headers: To add to the answer.
        place: (index, length) of the mistake in a text that was sent.
        suggestion: A likely correction.
        session_id: The session that is missing.
    """

    def __init__(
        self,
        status: int,
        code: str,
        title: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        place: tuple[int, int] | None = None,
        suggestion: str | None = None,
        session_id: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.suggestion, self.session_id = suggestion, session_id
        self.position = place[0] if place else None
        self.length = place[1] if place else None
        self.status, self.code, self.title, self.detail = status, code, title, detail
        self.headers = dict(headers or {})


def session_not_found(session_id: str) -> ProblemError:
    """Return the error of a session that does not exist."""
    return ProblemError(
        404,
        "session_not_found",
        "No such session",
        f"Session not found: {session_id!r}.",
        session_id=session_id,
    )


def span_not_found(trace_id: str, span_id: str) -> ProblemError:
    """Return the error of a span that does not exist."""
    return ProblemError(
        404, "span_not_found", "No such span", f"Span not found: {span_id} of trace {trace_id}."
    )


def problem_response(error: ProblemError) -> Response:
    """Return `error` as a response."""
    body = Problem(
        title=error.title,
        status=error.status,
        detail=error.detail,
        code=error.code,
        position=error.position,
        length=error.length,
        suggestion=error.suggestion,
        session_id=error.session_id,
    )
    return Response(
        body.model_dump_json(exclude_none=True),
        status_code=error.status,
        media_type=MEDIA_TYPE,
        headers=error.headers,
    )


def as_problem(error: Exception) -> ProblemError:
    """Convert any error to a problem. An unforeseen error reveals nothing about itself."""
    match error:
        case ProblemError():
            return error
        case OverloadedError():
            return ProblemError(
                503,
                error.code,
                "Overloaded",
                str(error),
                headers={"Retry-After": str(error.retry_after_s)},
            )
        case StoreUnavailableError():
            return ProblemError(
                503, error.code, "Store unavailable", str(error), headers={"Retry-After": "5"}
            )
        case EvictedError():
            return ProblemError(503, error.code, "In the history", str(error))
        case HistoryError():
            return ProblemError(
                503, error.code, "History unavailable", str(error), headers={"Retry-After": "5"}
            )
        case QueryError():
            return ProblemError(
                400,
                error.code,
                "Bad query",
                str(error),
                place=(error.position, error.length),
                suggestion=error.suggestion,
            )
        case InspectorError():
            return ProblemError(500, error.code, "Failed", str(error))
        case RequestValidationError():
            return ProblemError(422, "bad_request", "Bad request", _validation_text(error))
        case HTTPException():
            phrase = HTTPStatus(error.status_code).phrase
            code = phrase.lower().replace(" ", "_").replace("-", "_")
            return ProblemError(
                error.status_code, code, phrase, str(error.detail), headers=error.headers
            )
        case _:
            return ProblemError(500, "internal", "Internal error", "See the service's log.")


def install(
    app: FastAPI,
    routes: Sequence[BaseRoute] = (),
    render: Callable[[Scope, ProblemError], Response] | None = None,
) -> None:
    """Make every error of ours, and of the framework, a problem.

    Other errors reach the `Guard`, which is outside of everything.

    Args:
        app: The application.
        routes: All routes; FastAPI does not list those of an included router.
        render: Makes a response of a problem; default: problem+json.
    """

    async def on_error(request: Request, error: Exception) -> Response:
        problem = as_problem(error)
        if problem.status == 405 and routes:
            problem.headers["Allow"] = ", ".join(sorted(_methods(routes, request.scope)))
        return render(request.scope, problem) if render else problem_response(problem)

    for kind in (ProblemError, InspectorError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, on_error)


def route_path(scope: Scope) -> str:
    """Return the path below the mount point of the application."""
    root: str = scope.get("root_path", "")
    path: str = scope["path"]
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def _methods(routes: Sequence[BaseRoute], scope: Scope) -> set[str]:
    """Return the methods of the path. Starlette names those of one route only."""
    fitting = [route for route in routes if route.matches(scope)[0] is not Match.NONE]
    paths = [getattr(route, "path", "") for route in fitting]
    return {
        method
        for route, path in zip(fitting, paths, strict=True)
        if path == paths[0]  # a later route with another path does not get the request
        for method in getattr(route, "methods", None) or ()
    }


def _validation_text(error: RequestValidationError) -> str:
    mistakes = [
        f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors()
    ]
    return "; ".join(mistakes[:10])
