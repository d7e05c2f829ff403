"""Additions to FastAPI's OpenAPI document: the events of the stream, problems, security."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from inspector.service.http.otlp_schema import SCHEMAS
from inspector.service.wire import Problem, SessionList, SpanDetail, SpanSkeleton
from inspector.service.wire.control import Command, StreamEvent

_SHAPES: dict[str, Any] = {
    "StreamEvent": StreamEvent,
    "Command": Command,
    "Problem": Problem,
    "SessionList": SessionList,
    "SpanDetail": SpanDetail,
    "SpanSkeleton": SpanSkeleton,
}
_REF = "#/components/schemas/{model}"
_PROBLEM = {
    "description": "A problem (RFC 9457).",
    "content": {"application/problem+json": {"schema": {"$ref": _REF.format(model="Problem")}}},
}
_RPC_STATUS = {
    "type": "object",
    "description": "`google.rpc.Status`: why an OTLP request was rejected.",
    "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
    "required": ["code", "message"],
}
_EXPORT_RESPONSE = {
    "type": "object",
    "description": "`Export…ServiceResponse`: empty, or what was rejected and why.",
    "properties": {
        "partialSuccess": {
            "type": "object",
            "properties": {
                "rejectedSpans": {"type": "string"},
                "rejectedLogRecords": {"type": "string"},
                "rejectedDataPoints": {"type": "string"},
                "errorMessage": {"type": "string"},
            },
        }
    },
}
_INGEST_TOKEN = (
    "No token is required from this machine if the service listens on a loopback address and the "
    "request has no proxy headers. INSPECTOR_REQUIRE_INGEST_TOKEN requires it there too; "
    "INSPECTOR_OPEN_INGEST never requires it. A service mounted in another app always requires "
    "it."
)
_METHODS = frozenset({"get", "put", "post", "delete", "patch"})


def with_schemas(app: FastAPI) -> None:
    """Complete the document that `app.openapi()` returns."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _complete(plain())
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way


def _complete(document: dict[str, Any]) -> dict[str, Any]:
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name, kind in _SHAPES.items():
        schema = TypeAdapter(kind).json_schema(ref_template=_REF, mode="serialization")
        schemas.update(schema.pop("$defs", {}))
        schemas[name] = schema
    schemas.update(RpcStatus=_RPC_STATUS, ExportResponse=_EXPORT_RESPONSE, **SCHEMAS)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)  # FastAPI's own: we answer with problems
    document["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
    }
    document["security"] = [{"bearer": []}]
    for path, operations in document["paths"].items():
        for method in _METHODS & operations.keys():
            _complete_operation(path, operations[method])
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document


def _complete_operation(path: str, operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    if path == "/health":
        operation["security"] = []
    if path.startswith("/v1/"):
        operation["security"] = [{}, {"bearer": []}]
        operation["description"] += f"\n\n{_INGEST_TOKEN}"
        return
    if "422" in responses:
        responses["422"] = _PROBLEM
    responses.setdefault("default", _PROBLEM)
