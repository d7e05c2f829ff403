"""What a span says, whatever convention it was written in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from pydantic import JsonValue

from inspector.model import Json, Moment, SpanKind
from inspector.normalise import keys
from inspector.normalise.attributes import as_float, as_int, as_text, flat_attributes, json_value
from inspector.normalise.kinds import kind_of
from inspector.normalise.messages import conversation
from inspector.normalise.payload import attribute_payload, payload
from inspector.normalise.times import rfc3339
from inspector.wire import (
    Decision,
    ErrorView,
    LlmView,
    McpView,
    StateChange,
    ToolDefinition,
    ToolView,
    Usage,
    View,
)

_REQUEST_PREFIX = "gen_ai.request."
_MCP_METHOD = ("mcp.method.name", "mcp.rpc.method")
_MCP_TRANSPORT = ("inspector.mcp.transport", "mcp.rpc.transport", "network.transport")
_ERROR_TYPE = ("error.type", "mcp.error.code")

Attributes = Mapping[str, Json]


def span_view(span: Span, moments: Sequence[Moment] = ()) -> View:
    """Read messages, tool, usage, state, decisions, MCP exchange and error; never raises.

    `moments` are the log records kept with the span; span events of the same name and time are
    the same moment, so it is read once.
    """
    attributes = flat_attributes(span.attributes)
    truncated = _truncated(attributes)
    kind = kind_of(span, attributes)
    happened = _moments(span, moments)
    return View(
        messages=conversation(attributes),
        llm=_llm(attributes) if kind in (SpanKind.LLM, SpanKind.EMBEDDING) else None,
        tool=_tool(attributes, truncated, is_error=_is_error(span))
        if kind is SpanKind.TOOL
        else None,
        usage=_usage(attributes),
        state=[_state(moment) for moment in happened if moment.name == "inspector.state"],
        decisions=[_decision(moment) for moment in happened if moment.name == "inspector.decision"],
        mcp=_mcp(attributes, truncated),
        error=_error(span, attributes),
        truncated=truncated,
    )


def _truncated(attributes: Attributes) -> list[str]:
    listed = attributes.get("inspector.truncated")
    marked = [key.removesuffix("_truncated") for key in attributes if key.endswith("_truncated")]
    names = [*(listed if isinstance(listed, list) else []), *marked]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def _moments(span: Span, moments: Sequence[Moment]) -> list[Moment]:
    seen = {(event.name, event.time_unix_nano) for event in span.events}
    of_span = [
        Moment(
            session_id="",
            trace_id=span.trace_id.hex(),
            span_id=span.span_id.hex(),
            time_ns=event.time_unix_nano,
            name=event.name,
            attributes=flat_attributes(event.attributes),
        )
        for event in span.events
    ]
    of_logs = [moment for moment in moments if (moment.name, moment.time_ns) not in seen]
    return sorted([*of_span, *of_logs], key=lambda moment: moment.time_ns)


def _llm(attributes: Attributes) -> LlmView:
    reasons = keys.first(attributes, keys.FINISH_REASONS)
    first_chunk_s = as_float(attributes.get("gen_ai.response.time_to_first_chunk"))
    return LlmView(
        provider=as_text(keys.first(attributes, keys.PROVIDER)),
        model_requested=as_text(keys.first(attributes, keys.MODEL_REQUESTED)),
        model_responded=as_text(keys.first(attributes, keys.MODEL_RESPONDED)),
        finish_reasons=[str(reason) for reason in reasons]
        if isinstance(reasons, list)
        else [str(reasons)]
        if reasons is not None
        else [],
        time_to_first_chunk_ms=None if first_chunk_s is None else first_chunk_s * 1000,
        request_params=_request_params(attributes),
        tools_offered=_tools_offered(attributes),
    )


def _request_params(attributes: Attributes) -> dict[str, JsonValue]:
    return {
        key.removeprefix(_REQUEST_PREFIX): value
        for key, value in attributes.items()
        if key.startswith(_REQUEST_PREFIX) and key != "gen_ai.request.model"
    }


def _tools_offered(attributes: Attributes) -> list[ToolDefinition]:
    found = attribute_payload(attributes, "gen_ai.tool.definitions")
    if found is None or not found.is_json:
        return []
    try:
        value = json.loads(found.text)
    except (ValueError, RecursionError):
        return []
    return [
        ToolDefinition(
            name=str(item["name"]),
            description=as_text(item.get("description")),
            parameters=payload(parameters) if parameters is not None else None,
        )
        for item in (value if isinstance(value, list) else [])
        if isinstance(item, dict) and "name" in item
        for parameters in [item.get("parameters", item.get("inputSchema"))]
    ]


def _tool(attributes: Attributes, truncated: list[str], *, is_error: bool) -> ToolView:
    return ToolView(
        name=as_text(keys.first(attributes, keys.TOOL)) or "",
        call_id=as_text(keys.first(attributes, keys.TOOL_CALL_ID)),
        description=as_text(attributes.get("gen_ai.tool.description")),
        arguments=attribute_payload(
            attributes, keys.first_key(attributes, keys.TOOL_ARGUMENTS), truncated
        ),
        result=attribute_payload(
            attributes, keys.first_key(attributes, keys.TOOL_RESULT), truncated
        ),
        is_error=is_error,
    )


def _usage(attributes: Attributes) -> Usage | None:
    usage = Usage(
        input_tokens=as_int(keys.first(attributes, keys.INPUT_TOKENS)),
        output_tokens=as_int(keys.first(attributes, keys.OUTPUT_TOKENS)),
        cache_read_tokens=as_int(keys.first(attributes, keys.CACHE_READ_TOKENS)),
        cache_write_tokens=as_int(keys.first(attributes, keys.CACHE_WRITE_TOKENS)),
        reasoning_tokens=as_int(keys.first(attributes, keys.REASONING_TOKENS)),
        cost_usd=as_float(keys.first(attributes, keys.COST_USD)),
    )
    return usage if any(value is not None for value in usage.model_dump().values()) else None


def _state(moment: Moment) -> StateChange:
    attributes = moment.attributes
    return StateChange(
        name=as_text(attributes.get("inspector.state.name")) or "state",
        description=as_text(attributes.get("inspector.state.description")),
        time=rfc3339(moment.time_ns),
        value=attribute_payload(attributes, "inspector.state.value"),
        patch=attribute_payload(attributes, "inspector.state.patch"),
    )


def _decision(moment: Moment) -> Decision:
    attributes = moment.attributes
    prefix = "inspector.decision."
    return Decision(
        time=rfc3339(moment.time_ns),
        hook=as_text(attributes.get(prefix + "hook")),
        interceptor=as_text(attributes.get(prefix + "interceptor")),
        action=as_text(attributes.get(prefix + "action")) or "unknown",
        reason=as_text(attributes.get(prefix + "reason")),
        microseconds=as_float(attributes.get(prefix + "microseconds")),
        before=attribute_payload(attributes, prefix + "before"),
        after=attribute_payload(attributes, prefix + "after"),
    )


def _mcp(attributes: Attributes, truncated: list[str]) -> McpView | None:
    method = as_text(keys.first(attributes, _MCP_METHOD))
    if method is None:
        return None
    return McpView(
        method=method,
        request_id=as_text(attributes.get("jsonrpc.request.id")),
        protocol_version=as_text(attributes.get("mcp.protocol.version")),
        transport=as_text(keys.first(attributes, _MCP_TRANSPORT)),
        server=as_text(attributes.get("inspector.mcp.server.name")),
        resource_uri=as_text(attributes.get("mcp.resource.uri")),
        mime_type=as_text(attributes.get("inspector.resource.mime_type")),
        size_bytes=as_int(attributes.get("inspector.resource.size")),
        prompt_name=as_text(attributes.get("gen_ai.prompt.name")),
        request=attribute_payload(
            attributes,
            keys.first_key(attributes, ("inspector.rpc.request", "mcp.rpc.request_json")),
            truncated,
        ),
        response=attribute_payload(
            attributes,
            keys.first_key(attributes, ("inspector.rpc.response", "mcp.rpc.response_json")),
            truncated,
        ),
    )


def _is_error(span: Span) -> bool:
    return span.status.code == Status.STATUS_CODE_ERROR


def _error(span: Span, attributes: Attributes) -> ErrorView | None:
    exception: dict[str, Json] = {}
    for event in span.events:
        if event.name == "exception":
            exception = {pair.key: json_value(pair.value) for pair in event.attributes}
    if not _is_error(span) and "error.type" not in attributes:
        return None
    return ErrorView(
        type=as_text(keys.first(attributes, _ERROR_TYPE))
        or as_text(exception.get("exception.type")),
        code=as_text(attributes.get("rpc.response.status_code")),
        message=span.status.message
        or as_text(exception.get("exception.message"))
        or as_text(attributes.get("mcp.error.message")),
        stacktrace=as_text(exception.get("exception.stacktrace")),
    )
