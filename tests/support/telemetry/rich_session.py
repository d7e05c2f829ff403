"""A session with every kind of span content, and long values of each shape."""

from __future__ import annotations

import base64
import io
import json
import struct
import wave
import zlib
from collections.abc import Callable, Mapping
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from inspector.service.model.rows import Json
from tests.support.telemetry.otlp import SECOND_NS, START_NS, key_values, resource, span

MODEL, TOOL, AGENT, DUPLICATE = 2, 3, 1, 4
"""Span ids, all of one trace."""
TRACE, LONG_TRACE = 7, 8
TRACEBACK: Final = "\n".join(
    [
        "Traceback (most recent call last):",
        '  File "/app/tools.py", line 12, in delete_file',
        "    fetch(path)",
        *(
            f'  File "/venv/lib/python3.12/site-packages/httpx/_client.py", line {n}, in send\n'
            "    return self.send()"
            for n in range(5)
        ),
        "PermissionError: build/old is read-only",
    ]
)


def rich_session() -> ExportTraceServiceRequest:
    """Return an agent that plans, calls a model and two tools, fails, and keeps its state."""
    plan = {"left": ["read", "delete", "report"], "done": [], "id": 9007199254740993}
    then = {"left": ["report"], "done": ["read"], "id": 9007199254740993, "why": "half way"}
    agent = span(
        "invoke_agent planner",
        trace=TRACE,
        span_id=AGENT,
        duration_ns=8 * SECOND_NS,
        error="A tool failed",
        attributes={"gen_ai.operation.name": "invoke_agent", "session.id": "rich"},
        events=[_state(1, plan), _state(6, then)],
    )
    model = span(
        "chat gpt-5",
        trace=TRACE,
        span_id=MODEL,
        parent=AGENT,
        start_ns=START_NS + SECOND_NS,
        duration_ns=2 * SECOND_NS,
        attributes=_model_attributes(),
    )
    tool = span(
        "execute_tool delete_file",
        trace=TRACE,
        span_id=TOOL,
        parent=AGENT,
        start_ns=START_NS + 3 * SECOND_NS,
        duration_ns=SECOND_NS,
        error="build/old is read-only",
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "delete_file",
            "gen_ai.tool.call.arguments": '{"path": "build/old", "recursive": true}',
            "user.id": "ann",
            "inspector.tags": ["nightly", "cleanup"],
            "error.type": "PermissionError",
        },
        events=[
            Span.Event(
                name="exception",
                time_unix_nano=START_NS + 4 * SECOND_NS,
                attributes=key_values(
                    {
                        "exception.type": "PermissionError",
                        "exception.message": "build/old is read-only",
                        "exception.stacktrace": TRACEBACK,
                    }
                ),
            ),
            _state(4, {**plan, "left": ["delete", "report"], "done": ["read"]}),
        ],
    )
    tool.links.add(trace_id=TRACE.to_bytes(16, "big"), span_id=MODEL.to_bytes(8, "big"))
    tool.links.add(
        trace_id=b"\x99" * 16,
        span_id=b"\x98" * 8,
        attributes=key_values({"why": "the run before"}),
    )
    duplicate = span(
        "delete_file",
        trace=TRACE,
        span_id=DUPLICATE,
        parent=AGENT,
        start_ns=START_NS + 3 * SECOND_NS,
        attributes={"inspector.duplicate_of": f"{TOOL:016x}"},
    )
    return request([agent, model, tool, duplicate])


def long_value(value: str, key: str = "gen_ai.tool.call.result") -> ExportTraceServiceRequest:
    """Return a session of one tool call with a long result."""
    attributes: Mapping[str, Json] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read_all",
        "session.id": "long",
        key: value,
    }
    return request(
        [span("execute_tool read_all", trace=LONG_TRACE, span_id=1, attributes=attributes)]
    )


def request(spans: list[Span]) -> ExportTraceServiceRequest:
    """Return the export request of the session."""
    scope = ScopeSpans(scope=InstrumentationScope(name="tests", version="1"), spans=spans)
    group = ResourceSpans(resource=resource(service_name="cleaner"), scope_spans=[scope])
    return ExportTraceServiceRequest(resource_spans=[group])


def _record(at: int) -> dict[str, Json]:
    nested: Json = {"x": at * 1.5, "y": None, "z": True}
    return {"id": at, "name": f"item {at}", "tags": ["a", str(at % 7)], "nested": nested}


def _records(size: int) -> str:
    one = len(json.dumps(_record(100_000))) + 2
    return json.dumps([_record(at) for at in range(size // one)])


LONG_VALUES: Final[Mapping[str, Callable[[int], str]]] = {
    "nested": _records,
    "string": lambda size: json.dumps("lorem ipsum dolor " * (size // 18)),
    "text": lambda size: "lorem ipsum dolor sit amet\n" * (size // 27),
    "line": lambda size: "lorem ipsum " * (size // 12),
    "numbers": lambda size: json.dumps(list(range(1_000_000, 1_000_000 + size // 9))),
    "escaped": lambda size: json.dumps({"content": _records(int(size * 0.8))}),
}
"""Value of about so many bytes, by shape."""


def _state(at_s: int, value: Json) -> Span.Event:
    return Span.Event(
        name="inspector.state",
        time_unix_nano=START_NS + at_s * SECOND_NS,
        attributes=key_values(
            {"inspector.state.name": "plan", "inspector.state.value": json.dumps(value)}
        ),
    )


def _model_attributes() -> dict[str, Json]:
    tools = [
        {
            "type": "function",
            "name": name,
            "description": f"Use it to {name.replace('_', ' ')}.",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
        }
        for name in ("read_file", "delete_file")
    ]
    messages = [
        {"role": "system", "parts": [{"type": "text", "content": "You tidy up folders."}]},
        {
            "role": "user",
            "parts": [
                {"type": "text", "content": "Tidy **build/**, see <b>the picture</b>."},
                _blob("image", "image/png", picture()),
                _blob("audio", "audio/wav", sound()),
                {
                    "type": "file",
                    "filename": "plan.pdf",
                    "mime_type": "application/pdf",
                    "data": "aGk=",
                },
                _blob("image", "image/svg+xml", b"<svg onload='alert(1)'/>"),
                {"type": "uri", "modality": "image", "uri": "https://example.org/a.png"},
            ],
        },
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "First look, then delete."},
                _call("c1", "read_file", {"path": "build/plan"}),
                _call("c2", "read_file", {"path": "build/old"}),
            ],
        },
        {"role": "tool", "parts": [_result("c1", "keep it"), _result("c2", "obsolete")]},
    ]
    answered = [
        {
            "role": "assistant",
            "finish_reason": "tool_calls",
            "parts": [
                {"type": "text", "content": "I delete **build/old**."},
                {"type": "refusal", "refusal": "I will not delete anything else."},
                _call("c3", "delete_file", {"path": "build/old"}),
            ],
        }
    ]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.response.model": "gpt-5-2026-01-01",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.max_tokens": 2000,
        "gen_ai.response.finish_reasons": ["tool_calls"],
        "gen_ai.response.time_to_first_chunk": 0.42,
        "inspector.stream.longest_stall_s": 0.9,
        "gen_ai.usage.input_tokens": 1200,
        "gen_ai.usage.output_tokens": 340,
        "gen_ai.usage.cache_read.input_tokens": 5000,
        "gen_ai.usage.reasoning.output_tokens": 128,
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps(answered),
        "gen_ai.tool.definitions": json.dumps(tools),
    }


def _call(call_id: str, name: str, arguments: Json) -> dict[str, Json]:
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def _result(call_id: str, text: str) -> dict[str, Json]:
    return {"type": "tool_call_response", "id": call_id, "response": text}


def _blob(modality: str, mime_type: str, data: bytes) -> dict[str, Json]:
    content = base64.b64encode(data).decode()
    return {"type": "blob", "modality": modality, "mime_type": mime_type, "content": content}


def picture(width: int = 64, height: int = 32) -> bytes:
    """Return a PNG of one colour."""
    rows = b"".join(b"\x00" + b"\x40\x80\xc0" * width for _ in range(height))

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def sound() -> bytes:
    """Return a tenth of a second of silence as WAV."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(1)
        writer.setframerate(8000)
        writer.writeframes(b"\x80" * 800)
    return file.getvalue()
