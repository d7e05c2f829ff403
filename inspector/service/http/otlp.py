"""`POST /v1/traces`, `/v1/logs`, `/v1/metrics`: OTLP/HTTP, protobuf and JSON."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from google.protobuf.json_format import MessageToDict
from google.rpc import code_pb2, status_pb2  # type: ignore[import-untyped]  # it has no types
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Scope

from inspector.errors import (
    BadDataError,
    InspectorError,
    OverloadedError,
    ReceiveError,
    StoreUnavailableError,
    TooLargeError,
)
from inspector.service.http import bodies
from inspector.service.http.access import OTLP_PATHS
from inspector.service.http.otlp_schema import request_schema
from inspector.service.http.parts import PartsDep
from inspector.service.http.problems import ProblemError, problem_response, route_path
from inspector.service.otlp.body import CODINGS, MAX_BODY_BYTES
from inspector.service.otlp.receiver import Receiver, Room
from inspector.service.otlp.signals import SIGNALS, OtlpSignal

PROTOBUF, JSON = "application/x-protobuf", "application/json"

_CODES = {
    400: code_pb2.INVALID_ARGUMENT,
    401: code_pb2.UNAUTHENTICATED,
    403: code_pb2.PERMISSION_DENIED,
    404: code_pb2.UNIMPLEMENTED,
    405: code_pb2.UNIMPLEMENTED,
    408: code_pb2.DEADLINE_EXCEEDED,
    413: code_pb2.RESOURCE_EXHAUSTED,
    415: code_pb2.INVALID_ARGUMENT,
    429: code_pb2.RESOURCE_EXHAUSTED,
    503: code_pb2.UNAVAILABLE,
}

router = APIRouter(tags=["otlp"])


def error_response(
    request_type: str, status: int, message: str, *, retry_after_s: int | None = None
) -> Response:
    """Return an error as `google.rpc.Status`, in the encoding of the request.

    Args:
        request_type: The request's `Content-Type`; anything but JSON is answered in protobuf.
        status: HTTP status.
        message: The problem and its remedy.
        retry_after_s: For `Retry-After`.
    """
    body = status_pb2.Status(code=_CODES.get(status, code_pb2.INTERNAL), message=message)
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    if _media_type(request_type) == JSON:
        text = json.dumps({"code": body.code, "message": body.message})
        return Response(text, status, headers, media_type=JSON)
    return Response(body.SerializeToString(), status, headers, media_type=PROTOBUF)


def render(scope: Scope, problem: ProblemError) -> Response:
    """Return a problem as a response, in OTLP's format for OTLP requests."""
    if route_path(scope) not in OTLP_PATHS:
        return problem_response(problem)
    content_type = Headers(scope=scope).get("content-type", "")
    response = error_response(content_type, problem.status, problem.detail)
    response.headers.update(problem.headers)
    return response


async def receive(request: Request, receiver: Receiver, signal: OtlpSignal) -> Response:
    """Answer one OTLP request, with any error in OTLP's own format."""
    content_type = request.headers.get("content-type", "")
    try:
        return await _receive(request, receiver, signal, content_type)
    except OverloadedError as error:
        return error_response(content_type, 429, str(error), retry_after_s=error.retry_after_s)
    except StoreUnavailableError as error:
        return error_response(content_type, 503, str(error), retry_after_s=5)
    except TooLargeError as error:
        return error_response(content_type, 413, str(error))
    except ReceiveError as error:
        return error_response(content_type, 400, str(error))
    except InspectorError as error:
        return error_response(content_type, 500, str(error))
    except ClientDisconnect:
        return error_response(content_type, 400, "The request was interrupted.")


async def _receive(
    request: Request, receiver: Receiver, signal: OtlpSignal, content_type: str
) -> Response:
    media_type = _media_type(content_type)
    if media_type not in (PROTOBUF, JSON):
        return error_response(
            content_type, 415, f"Content-Type must be {PROTOBUF} or {JSON}, not {media_type!r}."
        )
    coding = request.headers.get("content-encoding", "").strip().lower()
    if coding not in CODINGS:
        known = ", ".join(sorted(CODINGS - {""}))
        response = error_response(
            content_type, 415, f"Content-Encoding must be one of {known}, not {coding!r}."
        )
        response.headers["Accept-Encoding"] = known
        return response
    with receiver.room() as room:
        try:
            body = await _read(request, room)
        except TimeoutError:
            return _stalled(content_type)
        answer = await receiver.receive(
            signal,
            body,
            encoding="json" if media_type == JSON else "protobuf",
            coding=coding,
            hops=request.headers.get("x-inspector-hop", ""),
            room=room,
        )
    if media_type == JSON:
        return Response(json.dumps(MessageToDict(answer)), media_type=JSON)
    return Response(answer.SerializeToString(), media_type=PROTOBUF)


async def _read(request: Request, room: Room) -> bytes:
    """Return the body.

    Raises:
        TimeoutError: It does not come, or too slowly.
        BadDataError: It was announced, and nothing of it came.
        TooLargeError: It is above the limit.
        OverloadedError: There is no room for it.
    """
    body = bytearray()
    chunks = bodies.body_parts(request, max_s=bodies.MAX_BODY_S)
    async for chunk in chunks:
        try:
            room.grow(len(chunk))
        except OverloadedError:
            # Read to its end: a sender that is cut off sees a broken connection, no answer.
            body.clear()
            async for _ in chunks:
                pass
            raise
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise TooLargeError(
                f"The request is larger than {MAX_BODY_BYTES // 2**20} MiB. Send smaller batches."
            )
    if not body and _announces_body(request.headers):
        raise BadDataError(
            "The request announces a body, but none arrived. If a server in front drops bodies of "
            "clients that offer HTTP/2 (`Upgrade: h2c`), use HTTP/1.1 only."
        )
    return bytes(body)


def _announces_body(headers: Headers) -> bool:
    # A chunked body may be empty; beside an offer of another protocol it has rather been dropped.
    is_dropped = "transfer-encoding" in headers and "upgrade" in headers
    return is_dropped or headers.get("content-length", "0").strip("0") != ""


def _stalled(content_type: str) -> Response:
    response = error_response(
        content_type,
        408,
        f"The body must arrive within {bodies.MAX_BODY_S:g} seconds, with no pause of "
        f"{bodies.MAX_SILENCE_S:g} seconds. Send it again, or in smaller batches.",
    )
    response.headers["Connection"] = "close"  # the rest of the body is not waited for
    return response


def _media_type(content_type: str) -> str:
    """Return the type without parameters such as `charset`."""
    return content_type.partition(";")[0].strip().lower()


def _document(signal: OtlpSignal) -> dict[str, Any]:
    """Return the OpenAPI of a route that reads its body itself."""
    binary = {"type": "string", "format": "binary"}
    status = {"$ref": "#/components/schemas/RpcStatus"}

    def both(schema: dict[str, Any]) -> dict[str, Any]:
        return {JSON: {"schema": schema}, PROTOBUF: {"schema": binary}}

    errors = {
        400: "Bad data.",
        401: "Missing or wrong token.",
        403: "This client is not allowed.",
        408: "The request body timed out.",
        413: "Too large.",
        415: "Unsupported content type or encoding.",
        429: "Overloaded; see Retry-After.",
        503: "The store is unavailable; see Retry-After.",
    }
    return {
        "requestBody": {"required": True, "content": both(request_schema(signal))},
        "responses": {
            "200": {
                "description": f"`{signal.response.DESCRIPTOR.full_name}`, in the request's "
                "encoding; the data is committed.",
                "content": both({"$ref": "#/components/schemas/ExportResponse"}),
            },
            **{
                str(code): {
                    "description": f"{text} `google.rpc.Status`, in the request's encoding.",
                    "content": both(status),
                }
                for code, text in errors.items()
            },
        },
    }


@router.post("/v1/traces", openapi_extra=_document(SIGNALS["traces"]), response_class=Response)
async def receive_traces(request: Request, parts: PartsDep) -> Response:
    """Receive spans."""
    return await receive(request, parts.receiver, SIGNALS["traces"])


@router.post("/v1/logs", openapi_extra=_document(SIGNALS["logs"]), response_class=Response)
async def receive_logs(request: Request, parts: PartsDep) -> Response:
    """Receive log records; the records of a trace are stored with their span."""
    return await receive(request, parts.receiver, SIGNALS["logs"])


@router.post("/v1/metrics", openapi_extra=_document(SIGNALS["metrics"]), response_class=Response)
async def receive_metrics(request: Request, parts: PartsDep) -> Response:
    """Receive metrics: forwarded and counted, not stored."""
    return await receive(request, parts.receiver, SIGNALS["metrics"])
