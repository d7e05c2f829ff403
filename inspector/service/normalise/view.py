"""The content of a span, in one form for all conventions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.service.model.otlp_values import as_float, as_int, as_text, flat_attributes
from inspector.service.model.rows import UNTOLD_MESSAGE, Json, Moment, SpanKind
from inspector.service.model.times import rfc3339
from inspector.service.normalise import keys
from inspector.service.normalise.conventions import SpanSource, first_found
from inspector.service.normalise.conversation import answers, conversation, stopped_because
from inspector.service.normalise.finish_reasons import finish_reason
from inspector.service.normalise.kinds import kind_of, mcp_method_in_name, tool_name
from inspector.service.normalise.messages import load, tool_message
from inspector.service.normalise.parts import tool_result
from inspector.service.normalise.payload import attribute_payload
from inspector.service.normalise.providers import provider_of
from inspector.service.normalise.request_facts import request_facts
from inspector.service.normalise.usage import usage_of
from inspector.service.wire import (
    Decision,
    ErrorView,
    LlmView,
    McpView,
    Message,
    Payload,
    StateChange,
    TextSoFar,
    ToolView,
    View,
)

_MCP_REQUEST_ID = ("jsonrpc.request.id", "mcp.request.id", "mcp.request_id")
_MCP_TRANSPORT = ("inspector.mcp.transport", "mcp.rpc.transport", "network.transport")
_MCP_REQUEST = (
    "inspector.rpc.request",
    "mcp.rpc.request_json",
    "request",
    "traceloop.entity.input",
)
_MCP_RESPONSE = (
    "inspector.rpc.response",
    "mcp.rpc.response_json",
    "response",
    "traceloop.entity.output",
)
_ERROR_TYPE = ("error.type", "mcp.error.code")
_ERROR_CODE = ("rpc.response.status_code", "http.response.status_code", "http.status_code")
_ERROR_EVENTS = ("exception", "error")
_ERROR_EVENT_TYPE = ("exception.type", "error.type", "type")
_ERROR_EVENT_MESSAGE = (
    "exception.message", "error.message", "message", "error", "error.object"
)  # fmt: skip
_MAX_SO_FAR_CHARS = 4_096
"""Limit of the text of an answer that streams, for senders that have none."""
_UNTOLD = ErrorView(type=None, code=None, message=None, status_message=None, stacktrace=None)
_OTHER_ERROR = "_OTHER"
"""What OpenTelemetry calls an error that has no type."""

Attributes = Mapping[str, Json]


def span_view(span: Span, moments: Sequence[Moment] = ()) -> View:
    """Read messages, tool, usage, state, decisions, MCP exchange and error; never raises.

    `moments` are the log records stored with the span; span events of the same name and time are
    the same moment, so it is read once.
    """
    attributes = flat_attributes(span.attributes)
    truncated = truncated_keys(attributes)
    kind = kind_of(span, attributes)
    happened = _moments(span, moments)
    source = SpanSource(attributes, span.name, kind, span.start_time_unix_nano, happened)
    return View(
        messages=conversation(source),
        llm=_llm(source) if kind in (SpanKind.LLM, SpanKind.EMBEDDING) else None,
        tool=_tool(span, source, truncated) if kind is SpanKind.TOOL else None,
        usage=usage_of(attributes, kind),
        state=[_state(moment) for moment in happened if moment.name == "inspector.state"],
        decisions=[_decision(moment) for moment in happened if moment.name == "inspector.decision"],
        mcp=mcp_view(span.name, attributes),
        error=_error(span, attributes, happened),
        user_id=as_text(keys.first(attributes, keys.USER)),
        metadata=first_found(source, lambda convention: convention.metadata) or {},
        request=request_facts(span, attributes),
        truncated=truncated,
    )


class Failure(NamedTuple):
    """The parts of a view that say why a span failed."""

    error: ErrorView | None
    result: Payload | None
    """Of the tool that it called."""


def failure_of(span: Span, moments: Sequence[Moment] = ()) -> Failure:
    """Read why a span failed: a tenth of `span_view`'s work."""
    attributes = flat_attributes(span.attributes)
    kind = kind_of(span, attributes)
    happened = _moments(span, moments)
    result = None
    if kind is SpanKind.TOOL:
        source = SpanSource(attributes, span.name, kind, span.start_time_unix_nano, happened)
        result = _tool(span, source, []).result
    return Failure(_error(span, attributes, happened), result)


def answers_of(span: Span, moments: Sequence[Moment] = ()) -> list[Message]:
    """Read the messages that a model answered with, without those that it was sent."""
    attributes = flat_attributes(span.attributes)
    happened = _moments(span, moments)
    return answers(
        SpanSource(
            attributes,
            span.name,
            kind_of(span, attributes),
            span.start_time_unix_nano,
            happened,
        )
    )


def truncated_keys(attributes: Attributes) -> list[str]:
    """Return the attributes that their sender cut."""
    listed = attributes.get("inspector.truncated")
    marked = [key.removesuffix("_truncated") for key in attributes if key.endswith("_truncated")]
    names = [*(listed if isinstance(listed, list) else []), *marked]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def _moments(span: Span, moments: Sequence[Moment]) -> list[Moment]:
    seen = {(event.name, event.time_unix_nano) for event in span.events}
    of_logs = [moment for moment in moments if (moment.name, moment.time_ns) not in seen]
    return sorted([*moments_of_span(span), *of_logs], key=lambda moment: moment.time_ns)


def moments_of_span(span: Span) -> list[Moment]:
    """Return the events of a span."""
    return [
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


def _llm(source: SpanSource) -> LlmView:
    attributes = source.attributes
    reasons = stopped_because(source)
    return LlmView(
        provider=provider_of(attributes),
        model_requested=as_text(keys.first(attributes, keys.MODEL_REQUESTED))
        or first_found(source, lambda convention: convention.model_requested),
        model_responded=_known_model(keys.first(attributes, keys.MODEL_RESPONDED)),
        finish_reasons=[finish_reason(reason) for reason in reasons],
        finish_reasons_raw=reasons,
        time_to_first_chunk_ms=first_found(source, lambda convention: convention.first_chunk_ms),
        request_params=first_found(source, lambda convention: convention.request_params) or {},
        tools_offered=first_found(source, lambda convention: convention.tools) or [],
        so_far=_so_far(attributes),
    )


def _so_far(attributes: Attributes) -> TextSoFar | None:
    text, chars = attributes.get(keys.STREAM_TEXT), as_int(attributes.get(keys.STREAM_CHARS))
    if not isinstance(text, str):
        return None
    return TextSoFar(text=text[-_MAX_SO_FAR_CHARS:], chars=max(chars or 0, len(text)))


def _known_model(value: Json) -> str | None:
    """Return the name of a model; Micrometer writes `none` for an unknown one."""
    return None if value == "none" else as_text(value)


def _tool(span: Span, source: SpanSource, truncated: list[str]) -> ToolView:
    attributes = source.attributes
    arguments = attribute_payload(
        attributes, keys.first_key(attributes, keys.TOOL_ARGUMENTS), truncated
    )
    result = attribute_payload(attributes, keys.first_key(attributes, keys.TOOL_RESULT), truncated)
    result = result or first_found(source, lambda convention: convention.tool_result)
    call_id, is_error = as_text(keys.first(attributes, keys.TOOL_CALL_ID)), False
    if result is not None and (packed := _packed(result)) is not None:
        answer = tool_result(packed)
        call_id, is_error = call_id or answer.id, packed.get("status") == "error"
        result = answer.result
    return ToolView(
        name=tool_name(span.name, attributes),
        call_id=call_id,
        description=as_text(keys.first(attributes, keys.TOOL_DESCRIPTION)),
        arguments=arguments or first_found(source, lambda convention: convention.tool_arguments),
        result=result,
        is_error=is_error or _is_error(span) or _says_error(attributes, result),
    )


def _packed(result: Payload) -> Mapping[str, Any] | None:
    """Return the message that LangChain made of a tool's result, if it is in one."""
    return tool_message(result.text) if '"tool_call_id"' in result.text else None


def _says_error(attributes: Attributes, result: Payload | None) -> bool:
    """Return whether a successful call returned a tool's failure (MCP's `isError`)."""
    if attributes.get("result.isError") is True or attributes.get("gen_ai.tool.status") == "error":
        return True
    if result is None or not result.is_json or '"isError"' not in result.text:
        return False
    answer = load(result.text)
    return isinstance(answer, dict) and answer.get("isError") is True


def _state(moment: Moment) -> StateChange:
    attributes = moment.attributes
    truncated = truncated_keys(attributes)
    return StateChange(
        name=as_text(attributes.get("inspector.state.name")) or "state",
        description=as_text(attributes.get("inspector.state.description")),
        time=rfc3339(moment.time_ns),
        value=attribute_payload(attributes, "inspector.state.value", truncated),
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


def mcp_view(name: str, attributes: Attributes) -> McpView | None:
    """Return the MCP exchange of a span of this name, if it has one."""
    truncated = truncated_keys(attributes)
    method = as_text(keys.first(attributes, keys.MCP_METHOD)) or mcp_method_in_name(name)
    if method is None:
        return None
    return McpView(
        method=method,
        request_id=_id(keys.first(attributes, _MCP_REQUEST_ID)),
        protocol_version=as_text(attributes.get("mcp.protocol.version")),
        transport=as_text(keys.first(attributes, _MCP_TRANSPORT)),
        server=as_text(attributes.get("inspector.mcp.server.name")),
        resource_uri=as_text(attributes.get("mcp.resource.uri")),
        mime_type=as_text(attributes.get("inspector.resource.mime_type")),
        size_bytes=as_int(attributes.get("inspector.resource.size")),
        prompt_name=as_text(attributes.get("gen_ai.prompt.name")),
        request=attribute_payload(attributes, keys.first_key(attributes, _MCP_REQUEST), truncated),
        response=attribute_payload(
            attributes, keys.first_key(attributes, _MCP_RESPONSE), truncated
        ),
    )


def _id(value: Json) -> str | None:
    """JSON-RPC ids are text or numbers."""
    return str(value) if isinstance(value, int) else as_text(value)


def _is_error(span: Span) -> bool:
    return span.status.code == Status.STATUS_CODE_ERROR


def _error(span: Span, attributes: Attributes, happened: Sequence[Moment]) -> ErrorView | None:
    if not _is_error(span) and "error.type" not in attributes:
        return None
    raised = [moment.attributes for moment in happened if moment.name in _ERROR_EVENTS]
    exception = raised[-1] if raised else {}
    status = as_text(span.status.message)
    stated = as_text(keys.first(attributes, _ERROR_TYPE))
    stated = None if stated == _OTHER_ERROR else stated
    # What was raised says it best: SDKs write their own summary of it into the status.
    type_ = as_text(keys.first(exception, _ERROR_EVENT_TYPE)) or stated
    message = as_text(keys.first(exception, _ERROR_EVENT_MESSAGE))
    message = message or status or as_text(attributes.get("mcp.error.message"))
    names = (type_, type_.rpartition(".")[2]) if type_ else ()
    known = {message, *names, *(f"{name}: {message}" for name in names)}
    code = _id(keys.first(attributes, _ERROR_CODE)) or (None if stated in names else stated)
    found = ErrorView(
        type=type_,
        code=code,
        message=message,
        status_message=None if status in known else status,
        stacktrace=as_text(exception.get("exception.stacktrace")),
    )
    if found == _UNTOLD:
        fields = json.dumps(dict(exception), ensure_ascii=False) if exception else None
        found.message = fields or UNTOLD_MESSAGE
    return found
