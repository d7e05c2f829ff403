"""Synthetic sessions for the gallery: two runs with every difference, states, and links."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import Final

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from inspector.service.model.rows import Json
from tests.support.telemetry.otlp import SECOND_NS, START_NS, key_values, resource, span
from tests.support.telemetry.rich_session import rich_session

EPOCH_NS: Final = START_NS + 10 * 3600 * SECOND_NS
BEFORE, AFTER, AGAIN, STATES, LINKS, PLAIN = "before", "after", "again", "states", "links", "plain"
"""Ids of sessions."""
SESSIONS: Final = (BEFORE, AFTER, AGAIN, STATES, LINKS, PLAIN, "rich")
_TRACES: Final = {BEFORE: 0x11, AFTER: 0x12, AGAIN: 0x13, STATES: 0x21, LINKS: 0x22, PLAIN: 0x23}
_LONG = "Summarise everything that was merged since the last release, by area, with names " * 2
_OLD_NOTES = "# v1.4\n\n- Faster start\n- Two fixes in the cache\n- A new door\n\nThanks to all."
_NEW_NOTES = "# v1.4\n\n- Faster start\n- Four fixes in the cache\n- A new door\n\nThat is all."


def past_sessions() -> bytes:
    """Return all of them, which are over, as a file to import."""
    groups = [
        _group(_run(BEFORE, "Release, first try")),
        _group(_run(AGAIN, "Release, once more")),
        _group(_changed_run()),
        _group(_states()),
        _group(_links()),
        _group([_root(PLAIN, "Nothing but an agent")]),
    ]
    request = ExportTraceServiceRequest(resource_spans=groups)
    request.resource_spans.extend(rich_session().resource_spans)
    return MessageToJson(request, indent=None).encode()


def _group(spans: list[Span]) -> ResourceSpans:
    scope = ScopeSpans(scope=InstrumentationScope(name="gallery", version="1"), spans=spans)
    return ResourceSpans(resource=resource(service_name="planner"), scope_spans=[scope])


def _root(session: str, title: str, **more: Json) -> Span:
    attributes: dict[str, Json] = {
        "session.id": session,
        "inspector.session.title": title,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "planner",
        **more,
    }
    return span("invoke_agent planner", trace=_TRACES[session], start_ns=EPOCH_NS,
                duration_ns=20 * SECOND_NS, attributes=attributes)  # fmt: skip


def _step(
    session: str,
    number: int,
    name: str,
    seconds: float,
    attributes: dict[str, Json],
    error: str | None = None,
    events: list[Span.Event] | None = None,
) -> Span:
    return span(name, trace=_TRACES[session], span_id=number, parent=1,
                start_ns=EPOCH_NS + number * SECOND_NS, duration_ns=round(seconds * SECOND_NS),
                attributes=attributes, error=error, events=events or [])  # fmt: skip


def _tool(name: str, arguments: Json, result: str) -> dict[str, Json]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": json.dumps(arguments),
        "gen_ai.tool.call.result": result,
    }


def _chat(prompt: str, answer: str, *, model: str, tokens: int, usd: float) -> dict[str, Json]:
    def message(role: str, text: str) -> str:
        return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.usage.input_tokens": tokens,
        "gen_ai.usage.output_tokens": tokens // 4,
        "gen_ai.input.messages": message("user", prompt),
        "gen_ai.output.messages": message("assistant", answer),
        "inspector.cost.usd": usd,
    }


def _run(session: str, title: str) -> list[Span]:
    step = partial(_step, session)
    return [
        _root(session, title),
        step(2, "chat plan", 1, _chat("Plan it.", "Read, write, merge.", model="large",
             tokens=400, usd=0.004)),
        step(3, "execute_tool read", 0.2, _tool("read", {"path": "notes.md"}, "a\nb\nc")),
        step(4, "chat write", 3, _chat(_LONG, _OLD_NOTES, model="large", tokens=9_000, usd=0.09)),
        step(5, "execute_tool fetch", 4, _tool("fetch", {"url": "https://example.org/log"}, "log")),
        step(6, "execute_tool merge", 0.3, _tool("merge", {"branch": "main"}, "merged")),
        step(7, "execute_tool lint", 0.3, _tool("lint", {}, ""), error="2 warnings"),
        step(8, "execute_tool tag", 0.1, _tool("tag", {"name": "v1.4"}, "tagged")),
        step(9, "chat check", 1, _chat("Is it right?", "It is.", model="large", tokens=500,
             usd=0.005)),
    ]  # fmt: skip


def _changed_run() -> list[Span]:
    step = partial(_step, AFTER)
    conflict = "merge conflict in src/app.py, lines 3 to 9\nboth modified: src/app.py"
    return [
        _root(AFTER, "Release, second try, with a title that is longer than any place it has"),
        step(2, "chat plan", 4, _chat("Plan it.", "Read, write, merge.", model="large",
             tokens=4_000, usd=0.04)),
        step(3, "execute_tool read", 0.2, _tool("read", {"path": "CHANGES.md"}, "a\nB\nc")),
        step(4, "chat write", 2, _chat(_LONG, _NEW_NOTES, model="large", tokens=3_000, usd=0.03)),
        step(5, "execute_tool fetch", 1, _tool("fetch", {"url": "https://example.org/log"}, "log")),
        step(6, "execute_tool merge", 0.3, _tool("merge", {"branch": "main"}, conflict),
             error="merge conflict"),
        step(7, "execute_tool lint", 0.3, _tool("lint", {}, "clean")),
        step(9, "chat check", 1, _chat("Is it right?", "It is not.", model="small", tokens=500,
             usd=0.005)),
        step(10, "execute_tool abort_what_was_begun_and_leave_everything_as_it_was_before", 0.1,
             _tool("abort", {}, "left it")),
    ]  # fmt: skip


def _state(at_s: float, name: str, value: Json = None, **more: Json) -> Span.Event:
    attributes: dict[str, Json] = {"inspector.state.name": name}
    if value is not None:
        attributes["inspector.state.value"] = json.dumps(value, ensure_ascii=False)
    attributes |= {f"inspector.state.{key}": one for key, one in more.items()}
    return Span.Event(name="inspector.state", time_unix_nano=EPOCH_NS + round(at_s * SECOND_NS),
                      attributes=key_values(attributes))  # fmt: skip


def _states() -> list[Span]:
    first: dict[str, Json] = {"goal": "ship v1.4", "left": ["read", "write", "merge"], "done": []}
    then: dict[str, Json] = {
        "goal": "ship v1.4",
        "left": ["merge"],
        "notes": {"path": "notes.md", "text": "A line of notes that is long. " * 12},
        "by": "\u202eerugif <b>planner</b>",
    }
    table = {f"row {at}": {"count": at, "name": f"entry {at}"} for at in range(120)}
    counted = {f"row {at}": {"count": at + 1, "name": f"entry {at}"} for at in range(120)}
    lost = hashlib.sha256(b"what nobody has").hexdigest()
    patch = json.dumps([{"op": "replace", "path": "/goal", "value": "ship v1.5"}])
    tool = _tool("write", {}, "written")
    return [
        _root(STATES, "What an agent knew, step by step"),
        _step(STATES, 2, "execute_tool read", 0.5, tool, events=[
            _state(2, "plan", first, description="What is left to do.")]),
        _step(STATES, 3, "execute_tool write", 0.5, tool, events=[_state(3, "plan", then)]),
        _step(STATES, 4, "execute_tool wait", 0.5, tool, events=[_state(4, "plan", then)]),
        _step(STATES, 5, "execute_tool count", 0.5, tool, events=[
            _state(5, "table", table), _state(5.2, "plan", {**then, "done": True})]),
        _step(STATES, 6, "execute_tool count", 0.5, tool, events=[_state(6, "table", counted)]),
        _step(STATES, 7, "execute_tool merge", 0.5, tool, events=[
            _state(7, "plan", patch=patch, base=lost, hash=lost)]),
    ]  # fmt: skip


def _links() -> list[Span]:
    pointing = _step(LINKS, 3, "execute_tool publish", 1, _tool("publish", {}, "out"))
    trace = _TRACES[LINKS].to_bytes(16, "big")
    pointing.links.add(trace_id=trace, span_id=(2).to_bytes(8, "big"))
    pointing.links.add(
        trace_id=_TRACES[BEFORE].to_bytes(16, "big"),
        span_id=(6).to_bytes(8, "big"),
        trace_state="vendor=of-the-run-before",
        attributes=key_values({"why": "the run before", "times": 3, "path": "a/long/path/" * 8}),
    )
    pointing.links.add(trace_id=b"\x99" * 16, span_id=b"\x98" * 8, dropped_attributes_count=2)
    return [
        _root(LINKS, "A step that points at others"),
        _step(LINKS, 2, "chat plan", 1,
              _chat("Plan it.", "Publish.", model="large", tokens=40, usd=0.0004)),
        pointing,
        _step(LINKS, 4, "publish", 1, {"inspector.duplicate_of": f"{3:016x}"}),
    ]  # fmt: skip
