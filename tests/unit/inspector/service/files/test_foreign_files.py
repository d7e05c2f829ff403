"""Files of other programs: Jaeger, Langfuse, JavaScript's console."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import BadDataError
from inspector.service.files.importer import FileOutcome, import_stream
from inspector.service.files.inspected import read_inspected
from inspector.service.ingest.writer import Restored
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.otlp_values import flat_attributes

_FILES = Path(__file__).parent / "files"
_SECOND_US = 1_000_000
_START_US = 1_767_225_600 * _SECOND_US

JAEGER = {
    "data": [
        {
            "traceID": "1a2b",
            "spans": [
                {
                    "traceID": "1a2b",
                    "spanID": "1",
                    "operationName": "GET /plan",
                    "references": [],
                    "startTime": _START_US,
                    "duration": 3 * _SECOND_US,
                    "tags": [
                        {"key": "span.kind", "type": "string", "value": "server"},
                        {"key": "http.response.status_code", "type": "int64", "value": 200},
                        {"key": "otel.scope.name", "type": "string", "value": "agents"},
                    ],
                    "logs": [],
                    "processID": "p1",
                    "warnings": None,
                },
                {
                    "traceID": "1a2b",
                    "spanID": "2",
                    "operationName": "chat gpt-5",
                    "references": [{"refType": "CHILD_OF", "traceID": "1a2b", "spanID": "1"}],
                    "startTime": _START_US + _SECOND_US,
                    "duration": _SECOND_US,
                    "tags": [
                        {"key": "error", "type": "bool", "value": True},
                        {"key": "otel.status_code", "type": "string", "value": "ERROR"},
                        {"key": "otel.status_description", "type": "string", "value": "no"},
                    ],
                    "logs": [
                        {
                            "timestamp": _START_US + _SECOND_US,
                            "fields": [
                                {"key": "event", "type": "string", "value": "exception"},
                                {"key": "exception.type", "type": "string", "value": "Oops"},
                            ],
                        }
                    ],
                    "processID": "p1",
                },
            ],
            "processes": {"p1": {"serviceName": "planner", "tags": []}},
        }
    ],
    "total": 0,
    "errors": None,
}
_AT = "2026-01-31T10:00:0{}.000Z"
_TRACE: dict[str, Any] = {
    "id": "0af7651916cd43dd8448eb211c80319c",
    "timestamp": _AT.format(0),
    "name": "plan a trip",
    "sessionId": "s-1",
    "tags": ["nightly"],
}
_OBSERVATIONS: list[dict[str, Any]] = [
    {
        "id": "b7ad6b7169203331",
        "traceId": _TRACE["id"],
        "type": "AGENT",
        "name": "planner",
        "startTime": _AT.format(1),
        "endTime": _AT.format(5),
        "parentObservationId": None,
        "input": {"city": "Oslo"},
        "level": "DEFAULT",
    },
    {
        "id": "6c0b4d0e-34a6-4f3e-9c1e-9a4e2f0b7c11",
        "traceId": _TRACE["id"],
        "type": "GENERATION",
        "name": "chat",
        "model": "gpt-5",
        "startTime": _AT.format(2),
        "endTime": _AT.format(3),
        "parentObservationId": "b7ad6b7169203331",
        "input": '[{"role": "user", "content": "Where to?"}]',
        "output": "Bergen",
        "usageDetails": {"input": 12, "output": 3, "total": 15},
        "totalCost": 0.5,
        "level": "ERROR",
        "statusMessage": "too slow",
    },
]


async def imported(text: str | bytes) -> tuple[dict[str, Span], FileOutcome, list[IncomingSpan]]:
    stored: list[IncomingSpan] = []

    async def restore(spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> Restored:
        stored.extend(spans)
        return Restored(len(spans), len(logs), [])

    async def chunks() -> AsyncIterator[bytes]:
        data = text if isinstance(text, bytes) else text.encode()
        for first in range(0, len(data), 100):
            yield data[first : first + 100]

    report = await import_stream(chunks(), restore)
    return {item.span.name: item.span for item in stored}, report, stored


@pytest.mark.parametrize("indent", [None, 2])
async def test_jaegers_own_json_is_read(indent: int | None) -> None:
    spans, report, stored = await imported(json.dumps(JAEGER, indent=indent))
    assert report.mistakes == []
    root, child = spans["GET /plan"], spans["chat gpt-5"]
    assert root.trace_id.hex() == "1a2b".zfill(32)
    assert (root.kind, root.parent_span_id) == (Span.SPAN_KIND_SERVER, b"")
    assert root.end_time_unix_nano - root.start_time_unix_nano == 3 * _SECOND_US * 1000
    assert flat_attributes(root.attributes) == {"http.response.status_code": 200}
    assert child.parent_span_id == root.span_id
    assert (child.status.code, child.status.message) == (2, "no")
    assert [event.name for event in child.events] == ["exception"]
    origin = stored[0].content.resource_spans()
    assert flat_attributes(origin.resource.attributes) == {"service.name": "planner"}
    assert origin.scope_spans[0].scope.name == "agents"


_FORMS: dict[str, Any] = {
    "of its page": {"trace": _TRACE, "observations": _OBSERVATIONS},
    "of its API": {**_TRACE, "observations": _OBSERVATIONS},
    "a list of its API": {"data": [{**_TRACE, "observations": _OBSERVATIONS}], "meta": {}},
    "a session": {"id": "s-1", "traces": [{**_TRACE, "observations": _OBSERVATIONS}]},
}


@pytest.mark.parametrize("form", _FORMS)
async def test_exports_of_langfuse_are_read(form: str) -> None:
    spans, report, stored = await imported(json.dumps(_FORMS[form], indent=2))
    assert report.mistakes == []
    assert spans.keys() == {"planner", "chat"}
    agent, chat = spans["planner"], spans["chat"]
    assert (agent.trace_id.hex(), agent.span_id.hex()) == (_TRACE["id"], "b7ad6b7169203331")
    assert chat.parent_span_id == agent.span_id
    facts = {item.record.name: item.record for item in stored}
    assert [facts[name].kind for name in ("planner", "chat")] == ["agent", "llm"]
    assert (facts["chat"].model, facts["chat"].status) == ("gpt-5", "error")
    assert (facts["chat"].input_tokens, facts["chat"].output_tokens) == (12, 3)
    assert facts["chat"].cost_usd == 0.5
    assert [item.session_key and item.session_key[1] for item in stored] == ["s-1", None]
    assert flat_attributes(chat.attributes)["output.value"] == "Bergen"


async def test_rows_of_observations_are_read_line_by_line() -> None:
    lines = "\n".join(json.dumps(one) for one in _OBSERVATIONS)
    spans, report, _ = await imported(lines)
    assert report.mistakes == []
    assert spans["chat"].parent_span_id == spans["planner"].span_id


async def test_a_trace_of_several_observations_beside_each_other_has_a_root() -> None:
    beside = [{**one, "parentObservationId": None} for one in _OBSERVATIONS]
    spans, _, _ = await imported(json.dumps({**_TRACE, "observations": beside}))
    root = spans.pop("plan a trip")
    assert {span.parent_span_id for span in spans.values()} == {root.span_id}


async def test_what_the_console_of_javascript_prints_is_read() -> None:
    spans, report, stored = await imported((_FILES / "javascript_console.txt").read_bytes())
    assert report.mistakes == []
    root, chat = spans["invoke_agent"], spans["chat gpt-5"]
    assert (root.kind, chat.kind) == (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT)
    assert chat.parent_span_id == root.span_id
    assert chat.start_time_unix_nano == 1_795_424_712_086_000_000
    assert chat.end_time_unix_nano - chat.start_time_unix_nano == 25_631_986
    found = flat_attributes(chat.attributes)
    assert found["list"] == ["a", "it's", "\"both\" and 'single'"]
    assert found["text"] == (
        'line one\nline "two" {with} [brackets] ' + "x" * 90 + "\nand `ticks` \x1b é\\"
    )
    assert found["all"] == "a'b\"c`d"
    assert (found["neg"], found["ratio"], found["ok"]) == (-3, 0.5, True)
    assert [event.name for event in chat.events] == ["step", "exception"]
    assert chat.events[0].time_unix_nano == 1_795_424_712_111_013_858
    assert (chat.status.code, chat.status.message) == (2, "it broke")
    assert chat.links[0].span_id == root.span_id
    origin = stored[0].content.resource_spans()
    assert flat_attributes(origin.resource.attributes) == {"service.name": "planner's {own}"}
    scope = origin.scope_spans[0].scope
    assert (scope.name, scope.version) == ("agents", "1.2")


@pytest.mark.parametrize(
    "text",
    [
        '{"data": [{"traceID": "1", "spans": [{"spanID": "1"}], "processes": {}}]}',
        '{"id": "a", "type": "SPAN", "traceId": "b", "startTime": "yesterday"}',
        "{ traceId: 'a', timestamp: 'now', duration: 1 }",
        "{ traceId: 'a', timestamp: ",
        "{ traceId }",
        '{"data": [1]}',
    ],
)
async def test_what_cannot_be_read_is_named_and_costs_nothing_else(text: str) -> None:
    _, report, _ = await imported(text + "\n")
    assert report.mistake_count == 1
    assert report.spans == 0


@given(st.text(alphabet="{}[]:,'\"`\\+ \nab1n.-", max_size=60))
def test_no_text_breaks_the_reader_of_what_node_prints(text: str) -> None:
    with contextlib.suppress(BadDataError):
        read_inspected(text.encode())
