"""Two runs of the same task, the second with a mistake, for tests of reading sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from inspector.service.model.rows import Json
from tests.support.telemetry.otlp import SECOND_NS, START_NS, resource, span

FIRST: Final = 0xA1
SECOND: Final = 0xA2
FIRST_ID: Final = f"{FIRST:032x}"
SECOND_ID: Final = f"{SECOND:032x}"


def _tool(name: str, arguments: str, result: str) -> Mapping[str, Json]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": result,
    }


def _resource_spans(trace: int, title: str, spans: list[Span]) -> ResourceSpans:
    root = span(
        "invoke_agent planner",
        trace=trace,
        span_id=1,
        duration_ns=9 * SECOND_NS,
        attributes={"gen_ai.operation.name": "invoke_agent", "inspector.session.title": title},
    )
    scopes = [ScopeSpans(spans=[root, *spans])]
    return ResourceSpans(resource=resource(service_name="planner"), scope_spans=scopes)


def _step(trace: int, number: int, name: str, seconds: float, **more: object) -> Span:
    return span(
        name,
        trace=trace,
        span_id=number,
        parent=1,
        start_ns=START_NS + number * SECOND_NS // 10,
        duration_ns=round(seconds * SECOND_NS),
        **more,  # type: ignore[arg-type]  # what `span` takes
    )


def two_runs() -> bytes:
    """Return both runs as an OTLP request: one reads and merges, the other fails to merge."""
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "large"}
    first = [
        _step(FIRST, 2, "chat large", 1, attributes={**chat, "gen_ai.usage.input_tokens": 400}),
        _step(FIRST, 3, "execute_tool read", 0.2, attributes=_tool("read", "notes.md", "a\nb\nc")),
        _step(FIRST, 4, "execute_tool merge", 0.3, attributes=_tool("merge", "main", "merged")),
        _step(FIRST, 5, "execute_tool tag", 0.1, attributes=_tool("tag", "v1", "tagged")),
    ]
    second = [
        _step(SECOND, 2, "chat large", 4, attributes={**chat, "gen_ai.usage.input_tokens": 900}),
        _step(SECOND, 3, "execute_tool read", 0.2, attributes=_tool("read", "notes.md", "a\nB\nc")),
        _step(
            SECOND,
            4,
            "execute_tool merge",
            0.3,
            attributes=_tool("merge", "main", "a merge conflict in src/app.py, lines 3 to 9"),
            error="merge conflict",
        ),
        _step(SECOND, 6, "execute_tool abort", 0.1, attributes=_tool("abort", "main", "left it")),
    ]
    request = ExportTraceServiceRequest(
        resource_spans=[
            _resource_spans(FIRST, "Release, first try", first),
            _resource_spans(SECOND, "Release, second try", second),
        ]
    )
    return request.SerializeToString()
