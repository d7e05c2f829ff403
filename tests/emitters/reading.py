"""The captured output of the emitters, as spans with their views."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.otlp_values import flat_attributes, json_value
from inspector.service.model.rows import Moment, SpanKind
from inspector.service.normalise import read_span, span_view
from inspector.service.otlp.decode_json import decode_json
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import LOGS, TRACES
from inspector.service.sessions.live import event_name
from inspector.service.wire import View

CAPTURED = Path(__file__).parent / "captured"


@dataclass(frozen=True)
class CapturedSpan:
    """One span that an emitter sent."""

    span: Span
    resource: Resource
    scope: str
    facts: IncomingSpan
    view: View


def captured_spans(name: str) -> list[CapturedSpan]:
    """Return the spans of one emitter by start, as the service would show them."""
    lines = (CAPTURED / f"{name}.otlp.jsonl").read_text(encoding="utf-8").splitlines()
    moments: defaultdict[bytes, list[Moment]] = defaultdict(list)
    spans: list[tuple[Span, Resource, str]] = []
    for line in lines:
        if line.startswith('{"resourceLogs"'):
            _add_moments(line, moments)
            continue
        rejections = Rejections()
        request = decode_json(TRACES, line.encode(), rejections)
        assert not rejections.count
        assert isinstance(request, ExportTraceServiceRequest)
        spans += [
            (span, group.resource, scope.scope.name)
            for group in request.resource_spans
            for scope in group.scope_spans
            for span in scope.spans
        ]
    spans.sort(key=lambda item: item[0].start_time_unix_nano)
    return [
        CapturedSpan(
            span,
            resource,
            scope,
            read_span(span, resource),
            span_view(span, moments[span.span_id]),
        )
        for span, resource, scope in spans
    ]


def _add_moments(line: str, moments: dict[bytes, list[Moment]]) -> None:
    request = decode_json(LOGS, line.encode(), Rejections())
    assert isinstance(request, ExportLogsServiceRequest)
    for group in request.resource_logs:
        for scope in group.scope_logs:
            for record in scope.log_records:
                moment = Moment(
                    session_id="",
                    trace_id=record.trace_id.hex(),
                    span_id=record.span_id.hex(),
                    time_ns=record.time_unix_nano,
                    name=event_name(record),
                    attributes=flat_attributes(record.attributes),
                    body=json_value(record.body),
                )
                moments[record.span_id].append(moment)


def of_kind(spans: list[CapturedSpan], kind: SpanKind) -> list[CapturedSpan]:
    """Return the spans of a kind."""
    return [one for one in spans if one.facts.record.kind is kind]


def message_parts(view: View) -> list[tuple[str, str, Any]]:
    """Return a conversation in short: role, type and content of each part."""
    return [
        (message.role, part.type, _essence(part.model_dump()))
        for message in view.messages
        for part in message.parts
    ]


def _essence(part: dict[str, Any]) -> Any:
    match part["type"]:
        case "text" | "reasoning":
            return part["text"].strip()
        case "tool_call":
            return part["id"], part["name"], parsed(part["arguments"]["text"])
        case "tool_result":
            return part["id"], parsed(part["result"]["text"])
        case _:
            return part


def parsed(text: str) -> Any:
    """Return JSON text parsed, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
