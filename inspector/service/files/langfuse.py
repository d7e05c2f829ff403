"""Convert traces and observations exported by Langfuse to OTLP as plain JSON.

From its API (`GET /api/public/traces/ID`, `/observations`) and its page (a trace with its
observations, or a row for each). An observation becomes a span with attributes of OpenInference.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import orjson

from inspector.service.files.values import attributes, objects, unix_nano

_HEX = re.compile(r"[0-9a-f]+")
_KINDS = {"GENERATION": "LLM", "SPAN": "CHAIN", "EVENT": "CHAIN"}
_TOKENS = {
    "llm.token_count.prompt": ("input", "prompt_tokens", "input_tokens"),
    "llm.token_count.completion": ("output", "completion_tokens", "output_tokens"),
}


def is_langfuse(value: dict[str, Any]) -> bool:
    """Return whether a value is a trace or an observation of Langfuse's."""
    return _is_document(value) or _is_trace(value) or _is_observation(value)


def request_of(value: dict[str, Any]) -> dict[str, Any]:
    """Return a trace with its observations, or one of these, as an export request.

    Raises:
        BadDataError: A time cannot be read.
    """
    if _is_observation(value):
        spans = [_observation(value, _get(value, "traceId"), {})]
    else:
        trace = value["trace"] if _is_document(value) else value
        spans = list(_trace(trace, objects(value.get("observations"))))
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "langfuse"}, "spans": spans}]}]}


def _is_document(value: dict[str, Any]) -> bool:
    return isinstance(value.get("trace"), dict) and isinstance(value.get("observations"), list)


def _is_trace(value: dict[str, Any]) -> bool:
    is_reported = any(
        _get(value, name) is not None
        for name in ("observations", "htmlPath", "sessionId", "userId", "projectId", "totalCost")
    )
    return "id" in value and "timestamp" in value and is_reported


def _is_observation(value: dict[str, Any]) -> bool:
    has_place = _get(value, "traceId") is not None and _get(value, "startTime") is not None
    return "id" in value and "type" in value and has_place


def _trace(trace: dict[str, Any], observations: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the spans, with a root of their own unless one observation is above all others."""
    known = {one.get("id") for one in observations}
    tops = [one for one in observations if _get(one, "parentObservationId") not in known]
    shared = {
        "session.id": _get(trace, "sessionId"),
        "user.id": _get(trace, "userId"),
        "tag.tags": trace.get("tags") or None,
    }
    root_id = None
    if len(tops) != 1:
        yield (root := _root(trace, observations, shared))
        root_id = root["spanId"]
    for one in observations:
        is_top = any(one is top for top in tops)
        span = _observation(one, trace.get("id"), shared if is_top else {})
        if is_top:
            span["parentSpanId"] = root_id
        yield span


def _root(
    trace: dict[str, Any], observations: list[dict[str, Any]], shared: dict[str, Any]
) -> dict[str, Any]:
    start = unix_nano(trace.get("timestamp"))
    times = [start] + [unix_nano(_get(one, name)) for one in observations for name in _TIMES]
    known = [int(time) for time in times if time is not None]
    return {
        "traceId": _id(trace.get("id"), 16),
        "spanId": _id(f"trace {trace.get('id')}", 8),
        "name": trace.get("name") or "trace",
        "startTimeUnixNano": str(min(known, default=0)),
        "endTimeUnixNano": str(max(known, default=0)),
        "attributes": attributes({"openinference.span.kind": "CHAIN", **_content(trace), **shared}),
    }


_TIMES = ("startTime", "endTime")


def _observation(one: dict[str, Any], trace_id: Any, shared: dict[str, Any]) -> dict[str, Any]:
    kind = str(one.get("type") or "SPAN").upper()
    start, end = (unix_nano(_get(one, name)) for name in _TIMES)
    usage = _get(one, "usageDetails") or one.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    parent = _get(one, "parentObservationId")
    tokens = {
        name: next((usage[key] for key in keys if usage.get(key) is not None), None)
        for name, keys in _TOKENS.items()
    }
    model_parameters = _get(one, "modelParameters")
    is_failed = one.get("level") == "ERROR"
    cost = next((c for n in _COSTS if (c := _get(one, n)) is not None), None)
    found = {
        "openinference.span.kind": _KINDS.get(kind, kind),
        "llm.model_name": one.get("model") or _get(one, "providedModelName"),
        "llm.invocation_parameters": _json(model_parameters) if model_parameters else None,
        **tokens,
        "llm.cost.total": cost,
        "tool.name": one.get("name") if kind == "TOOL" else None,
        "langfuse.level": one.get("level"),
        "session.id": _get(one, "sessionId"),
        **_content(one),
        **shared,
    }
    return {
        "traceId": _id(trace_id, 16),
        "spanId": _id(one.get("id"), 8),
        "parentSpanId": _id(parent, 8) if parent else None,
        "name": one.get("name") or kind.lower(),
        "startTimeUnixNano": start,
        "endTimeUnixNano": end or (start if kind == "EVENT" else None),
        "attributes": attributes(found),
        "status": {"code": 2 if is_failed else 0, "message": _get(one, "statusMessage")},
    }


_COSTS = ("totalCost", "calculatedTotalCost")


def _content(one: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("input", "output"):
        if (value := one.get(name)) is not None:
            is_text = isinstance(value, str) and value[:1] not in ("{", "[")
            found[f"{name}.value"] = value if isinstance(value, str) else _json(value)
            found[f"{name}.mime_type"] = "text/plain" if is_text else "application/json"
    if metadata := one.get("metadata"):
        found["metadata"] = metadata if isinstance(metadata, str) else _json(metadata)
    return found


def _get(value: dict[str, Any], name: str) -> Any:
    """Return the value of a name, which some exports write in snake_case."""
    if name in value:
        return value[name]
    return value.get(re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name))


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _id(value: Any, size_bytes: int) -> str:
    """Return an id of OTLP: a UUID or any other id is hashed to one."""
    text = str(value or "").lower()
    plain = text.replace("-", "")
    if len(plain) == 2 * size_bytes and _HEX.fullmatch(plain):
        return plain
    return hashlib.blake2b(text.encode(), digest_size=size_bytes).hexdigest()
