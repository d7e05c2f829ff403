"""A synthetic MCP session for the gallery: every kind of message, in both eras.

`archive` speaks the protocol with a handshake over stdio, `release desk` the stateless one over
HTTP; `search index` loses its connection, and `broken` never had one.
"""

from __future__ import annotations

import json
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json
from tests.support.telemetry.otlp import SECOND_NS, START_NS, any_value, key_values, resource, span

SESSION: Final = "wire"
TRACE: Final = 0x31
EPOCH_NS: Final = START_NS + (10 * 3600 + 60) * SECOND_NS
"""Start of the drawn traces: a minute before the pictures are taken."""
MS_NS: Final = 1_000_000

_LONG = "a_tool_with_a_name_that_says_at_length_what_it_does_and_then_goes_on_to_say_it_once_more"
_HOSTILE = "\u202egnihtemos<b>x</b>"
_ARCHIVE: dict[str, Json] = {
    "inspector.mcp.server.name": "archive",
    "inspector.mcp.connection.id": "a1",
    "inspector.mcp.transport": "stdio",
}
_RELEASES: dict[str, Json] = {
    "inspector.mcp.server.name": "release desk",
    "inspector.mcp.connection.id": "d1",
    "inspector.mcp.transport": "http",
    "mcp.protocol.version": "2026-07-28",
}
_INDEX: dict[str, Json] = {
    "inspector.mcp.server.name": "search index",
    "inspector.mcp.connection.id": "i1",
    "inspector.mcp.transport": "http",
}
_BROKEN: dict[str, Json] = {
    "inspector.mcp.server.name": "broken",
    "inspector.mcp.transport": "stdio",
}
_META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
_HEADERS = {"mcp-method": "tools/call", "mcp-name": "publish", "content-type": "application/json"}


class _Wire:
    """The records of a session, each some milliseconds after the one before."""

    def __init__(self) -> None:
        self.records: list[LogRecord] = []
        self._at_ns = EPOCH_NS

    def log(self, name: str, body: str, attributes: dict[str, Json], after_ms: int = 20) -> None:
        self._at_ns += after_ms * MS_NS
        self.records.append(
            LogRecord(
                event_name=name,
                time_unix_nano=self._at_ns,
                trace_id=TRACE.to_bytes(16, "big"),
                body=any_value(body),
                attributes=key_values(attributes),
            )
        )

    def frame(
        self,
        place: dict[str, Json],
        direction: str,
        message: Json,
        after_ms: int = 20,
        **more: Json,
    ) -> None:
        attributes = {**place, "inspector.mcp.direction": direction}
        attributes |= {
            f"inspector.mcp.{key.replace('_', '.')}": value for key, value in more.items()
        }
        body = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
        self.log("inspector.mcp.frame", body, attributes, after_ms)

    def call(
        self, place: dict[str, Json], number: Json, method: str, params: Json, **more: Json
    ) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.frame(place, "to_server", message, **more)  # type: ignore[arg-type]

    def answer(
        self, place: dict[str, Json], number: Json, result: Json, after_ms: int = 180, **more: Json
    ) -> None:
        message = {"jsonrpc": "2.0", "id": number, "result": result}
        self.frame(place, "to_client", message, after_ms, **more)

    def refuse(self, place: dict[str, Json], number: Json, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self.frame(place, "to_client", {"jsonrpc": "2.0", "id": number, "error": error}, 90)

    def notify(self, place: dict[str, Json], direction: str, method: str, params: Json) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.frame(place, direction, message)

    def ask_back(self, place: dict[str, Json], number: str, method: str, params: Json) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.frame(place, "to_client", message)

    def moved(self, place: dict[str, Json], state: str, **more: Json) -> None:
        attributes = {f"inspector.transport.{key}": value for key, value in more.items()}
        self.log(f"inspector.transport.{state}", "", {**place, **attributes})

    def wrote(self, place: dict[str, Json], text: str) -> None:
        self.log("inspector.mcp.stderr", text, place)


def wire_spans() -> bytes:
    """Return a running agent, and a call that only a span reports, as OTLP."""
    agent: dict[str, Json] = {
        "session.id": SESSION,
        "inspector.session.title": "Everything that a wire can carry",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "clerk",
    }
    paused = Span.Event(
        name="inspector.session.paused",
        time_unix_nano=EPOCH_NS + 300 * MS_NS,
        attributes=key_values(
            {
                "inspector.session.signal": "elicitation",
                "inspector.session.prompt": "Which channel?",
            }
        ),
    )
    resumed = Span.Event(
        name="inspector.session.resumed",
        time_unix_nano=EPOCH_NS + 2_600 * MS_NS,
        attributes=key_values(
            {
                "inspector.session.signal": "elicitation",
                "inspector.session.payload": '{"channel": "stable"}',
            }
        ),
    )
    content: dict[str, Json] = {
        "session.id": SESSION,
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "announce",
        "gen_ai.tool.call.arguments": '{"where": "the list"}',
        "gen_ai.tool.call.result": '{"sent": 41}',
        "inspector.mcp.server.name": "release desk",
        "inspector.mcp.transport": "http",
    }
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.CopyFrom(resource(service_name="clerk"))
    group.scope_spans.add().spans.extend([
        span("invoke_agent clerk", trace=TRACE, start_ns=EPOCH_NS, duration_ns=None,
             attributes=agent),
        span("tools/call announce", trace=TRACE, span_id=2, parent=1, kind=Span.SPAN_KIND_CLIENT,
             start_ns=EPOCH_NS + 200 * MS_NS, duration_ns=2_800 * MS_NS,
             attributes=content, events=[paused, resumed]),
    ])  # fmt: skip
    return request.SerializeToString()


def wire_records() -> bytes:
    """Return the messages on the wire as an OTLP request."""
    wire = _Wire()
    _with_handshake(wire)
    _stateless(wire)
    _in_trouble(wire)
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.CopyFrom(resource(service_name="proxy"))
    group.scope_logs.add().log_records.extend(wire.records)
    return request.SerializeToString()


def _with_handshake(wire: _Wire) -> None:
    to = _ARCHIVE
    command: dict[str, Json] = {
        **to,
        "inspector.mcp.server.command": "python -m archive --root /srv",
    }
    wire.moved(command, "connected")
    wire.call(to, 0, "initialize", {"protocolVersion": "2025-11-25",
              "clientInfo": {"name": "clerk", "version": "1.0"}})  # fmt: skip
    wire.answer(to, 0, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "archive", "version": "0.9.0"}})  # fmt: skip
    wire.notify(to, "to_server", "notifications/initialized", {})
    wire.call(to, 1, "tools/list", {})
    wire.answer(to, 1, {"tools": [{"name": "count"}, {"name": "review"}, {"name": _LONG}]})
    wire.call(to, 2, "tools/call", {"name": "count", "arguments": {"to": 3},
              "_meta": {"progressToken": 9}})  # fmt: skip
    for value in (1, 2, 3):
        wire.notify(to, "to_client", "notifications/progress", {
            "progressToken": 9, "progress": value, "total": 3,
            "message": f"counted {value} of the three that were asked for"})  # fmt: skip
    wire.answer(to, 2, {"content": [{"type": "text", "text": "3"}], "n": 9007199254740993})
    wire.call(to, 3, "tools/call", {"name": "review", "arguments": {"path": "notes.md"}})
    wire.ask_back(
        to,
        "s-1",
        "sampling/createMessage",
        {
            "maxTokens": 200,
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "Is this a release note?"}}
            ],
        },
    )
    wire.frame(to, "to_server", {"jsonrpc": "2.0", "id": "s-1", "result": {
        "model": "gpt-4o", "role": "assistant",
        "content": {"type": "text", "text": "Yes."}}}, 800)  # fmt: skip
    wire.ask_back(
        to,
        "e-1",
        "elicitation/create",
        {
            "message": "Publish it?",
            "requestedSchema": {"type": "object", "properties": {"publish": {"type": "boolean"}}},
        },
    )
    wire.frame(to, "to_server", {"jsonrpc": "2.0", "id": "e-1", "result": {
        "action": "accept", "content": {"publish": True}}}, 1_500)  # fmt: skip
    wire.answer(to, 3, {"content": [{"type": "text", "text": "reviewed"}]})
    wire.call(to, 4, "resources/read", {"uri": "file:///srv/archive/2025/a/very/long/path/gone.md"})
    wire.refuse(to, 4, -32002, "No such file: it was moved when the archive was split in two")
    wire.call(to, 5, "prompts/get", {"name": _HOSTILE})
    wire.refuse(to, 5, -32603, "no such prompt")
    wire.call(to, 6, "tools/call", {"name": _LONG, "arguments": {"text": "word " * 400}})
    wire.answer(to, 6, {"content": [{"type": "text", "text": "lorem ipsum " * 300}]})
    wire.call(to, 7, "tools/call", {"name": "sleep", "arguments": {"seconds": 60}})
    wire.notify(to, "to_server", "notifications/cancelled",
              {"requestId": 7, "reason": "The user went on without it."})  # fmt: skip
    wire.notify(to, "to_client", "notifications/message",
              {"level": "warning", "data": "The disk is nearly full."})  # fmt: skip
    wire.notify(to, "to_client", "notifications/tools/list_changed", {})
    wire.wrote(to, "WARNING: cache is cold")
    wire.wrote(to, 'Traceback (most recent call last):\n  File "archive.py", line 41, in crash\n'
               "    raise SystemExit(137)\nSystemExit: 137 " + "and so on " * 40)  # fmt: skip
    wire.call(to, 8, "tools/call", {"name": "crash", "arguments": {}})
    wire.moved(to, "disconnected", reason="the server exited with code 137")


def _stateless(wire: _Wire) -> None:
    to = _RELEASES
    wire.call(to, 1, "server/discover", {"_meta": _META})
    wire.answer(to, 1, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                "_meta": {"io.modelcontextprotocol/serverInfo":
                          {"name": "release desk", "version": "2.1.0"}}})  # fmt: skip
    publish: dict[str, Json] = {"name": "publish", "arguments": {"tag": "v1.4"}, "_meta": _META}
    wire.call(to, 2, "tools/call", publish, headers=json.dumps(_HEADERS))
    wire.answer(to, 2, _asks("one", "channel", "elicitation/create", "Which channel?"))
    wire.call(to, 3, "tools/call", {**publish, **_goes_on("one", "channel", {"to": "stable"})},
              after_ms=900)  # fmt: skip
    wire.answer(to, 3, _asks("two", "summary", "sampling/createMessage", "Sum it up."))
    wire.call(to, 4, "tools/call", {**publish, **_goes_on("two", "summary", {"text": "Faster."})},
              after_ms=700)  # fmt: skip
    wire.answer(to, 4, {"resultType": "complete", "content": [{"type": "text", "text": "out"}]})
    wire.call(to, 5, "tools/call", {"name": "refuse", "arguments": {}, "_meta": _META})
    wire.answer(to, 5, {"isError": True, "content": [{"type": "text", "text": "Not on a Friday."}]})
    wire.call(to, 6, "tools/call", {"name": "sign", "arguments": {}, "_meta": _META})
    wire.answer(to, 6, _asks("three", "key", "elicitation/create", "Which key signs it?"))
    whole = {
        "jsonrpc": "2.0",
        "id": 7,
        "result": {"content": [{"type": "text", "text": "y" * 900}]},
    }
    wire.call(to, 7, "tools/call", {"name": "cut", "arguments": {}, "_meta": _META})
    wire.frame(to, "to_client", json.dumps(whole)[:600], 100, frame_size=4_000_000)
    wire.call(to, 8, "tools/call", {"name": "build", "arguments": {},
              "_meta": {**_META, "progressToken": "b"}})  # fmt: skip
    wire.notify(
        to,
        "to_client",
        "notifications/progress",
        {"progressToken": "b", "progress": 40, "total": 100, "message": "linking"},
    )


def _asks(state: str, key: str, method: str, message: str) -> Json:
    params: dict[str, Json] = {"message": message}
    requests: dict[str, Json] = {key: {"method": method, "params": params}}
    return {"resultType": "input_required", "requestState": state, "inputRequests": requests}


def _goes_on(state: str, key: str, content: Json) -> dict[str, Json]:
    answers: dict[str, Json] = {key: {"action": "accept", "content": content}}
    return {"requestState": state, "inputResponses": answers}


def _in_trouble(wire: _Wire) -> None:
    wire.moved(_INDEX, "connected")
    wire.call(_INDEX, 1, "ping", {})
    wire.answer(_INDEX, 1, {})
    wire.moved(_INDEX, "reconnecting", attempt=3, reason="HTTP 503 from the gateway")
    command: dict[str, Json] = {
        **_BROKEN,
        "inspector.mcp.server.command": "no-such-program --serve",
    }
    wire.moved(command, "failed", step="spawn", reason="No such file or directory")
    wire.frame(_BROKEN, "to_client", "not JSON at all", 20)
