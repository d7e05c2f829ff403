"""Shared parts of the control routes: bounded bodies, audited refusals, problems."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Message, Receive

from inspector.service.http.bodies import MAX_BODY_S, MAX_SILENCE_S
from inspector.service.http.caller import caller_of
from inspector.service.http.parts import parts_of
from inspector.service.http.problems import ProblemError, as_problem
from inspector.service.ingest.requests.answering import Refusal
from inspector.service.model.rows import AuditRow

MAX_BODY_BYTES = 32 * 1024 * 1024
ACK_TIMEOUT_S = 1.5
"""Time that a person waits for the agent's ack."""
_STATUS = {
    "no_such_request": 404,
    "no_such_process": 404,
    "session_not_found": 404,
    "already_answered": 409,
    "already_closed": 409,
    "too_many_commands": 429,
    "too_many_processes": 429,
}
_TITLES = {404: "Not found", 409: "Too late", 422: "Not possible", 429: "Too many"}


class ControlRoute(APIRoute):
    """A route with bounded bodies and an audit entry for each caller's mistake.

    The control plane records what it refuses itself.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, wrapped."""
        handle = super().get_route_handler()

        async def handle_controlled(request: Request) -> Response:
            bounded = Request(request.scope, _bounded(request.receive))
            try:
                return await handle(bounded)
            except (RequestValidationError, HTTPException) as error:
                if request.method not in ("GET", "HEAD"):
                    action = self.name.removesuffix("_alias")
                    await _record_refusal(request, action, as_problem(error))
                raise

        return handle_controlled


def problem_of(refusal: Refusal) -> ProblemError:
    """Return a refusal as a problem."""
    status = _STATUS.get(refusal.code, 422)
    return ProblemError(status, refusal.code, _TITLES[status], refusal.detail)


async def _record_refusal(request: Request, action: str, problem: ProblemError) -> None:
    parts = await parts_of(request)
    caller, path = caller_of(request, parts.access), request.path_params
    row = AuditRow(
        at_ns=0,
        actor=caller.actor,
        origin=caller.origin,
        address=caller.address,
        action=action,
        result="refused",
        request_id=path.get("request_id"),
        session_id=path.get("session_id"),
        process_id=path.get("process_id"),
        code=problem.code,
        detail=problem.detail[:4000],
    )
    parts.writer.record_audit(row)


def _bounded(receive: Receive) -> Receive:
    """Return `receive`, ending a body that is too large or too slow."""
    clock = asyncio.get_running_loop().time
    end_s, left_bytes, is_all = clock() + MAX_BODY_S, MAX_BODY_BYTES, False

    async def receive_bounded() -> Message:
        nonlocal left_bytes, is_all
        if is_all:
            return await receive()  # only that the caller goes
        try:
            async with asyncio.timeout(min(MAX_SILENCE_S, max(0.0, end_s - clock()))):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(408, "The request body timed out.") from error
        left_bytes -= len(message.get("body", b""))
        is_all = not message.get("more_body", False)
        if left_bytes < 0:
            raise HTTPException(413, f"The body is larger than {MAX_BODY_BYTES} bytes.")
        return message

    return receive_bounded
