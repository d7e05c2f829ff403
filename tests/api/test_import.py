"""A session is the same after export and import; and other files of spans."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

from inspector.service.http import bodies
from inspector.service.model.rows import Json
from tests.support.services.api import Api, FakeClock, open_api
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import (
    heartbeat,
    incoming,
    log,
    paused,
    progressed,
    resumed,
    span_hex,
    started,
    trace_hex,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "release_notes.otlp.jsonl"


@pytest.fixture
async def here() -> AsyncIterator[Api]:
    async with open_api(clock=FakeClock(START_NS + 3600 * SECOND_NS)) as api:
        yield api


@pytest.fixture
async def there(here: Api) -> AsyncIterator[Api]:
    async with open_api(clock=here.clock) as api:
        yield api


async def send(here: Api, *items: Any) -> None:
    """Submit spans and log records of a process that is known."""
    spans = (incoming(one, process="p1") if isinstance(one, Span) else one for one in items)
    await here.submit(*spans)


async def take(client: Api, content: bytes) -> dict[str, Any]:
    answer = await client.post("/import", content=content)
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    return report


async def shown(client: Api, session_id: str) -> dict[str, Any]:
    """Return all answers about a session, with what does not depend on the order of arrival."""
    row = (await client.get(f"/sessions/{session_id}")).json()
    for name in ("epoch_ns", "change"):
        del row[name]
    row["sorted"] = {
        name: sorted(row.pop(name)) for name in ("models", "services", "agents", "tags")
    }
    page = (await client.get(f"/sessions/{session_id}/spans")).json()
    details = {}
    for one in page["spans"]:
        one["start_ns"] = int(page["epoch_ns"]) + one.pop("offset_ns")
        detail = (await client.get(f"/spans/{one['trace_id']}/{one['span_id']}")).json()
        context = [detail["context"]] if detail["context"] is not None else []
        del one["change"], detail["change"]
        for placed in (detail, *detail["events"], *context):
            placed["at_ns"] = int(page["epoch_ns"]) + placed.pop("offset_ns")
        details[one["span_id"]] = detail
    return {"row": row, "spans": page["spans"], "details": details}


async def carried(here: Api, there: Api, session_id: str) -> tuple[Any, Any]:
    """Return the answers about a session before its export and after its import."""
    exported = (await here.get(f"/trace/{session_id}")).content
    before = await shown(here, session_id)
    report = await take(there, exported)
    assert (report["rejected"], report["mistakes"]) == (0, [])
    assert report["sessions"][-1] == session_id
    return before, await shown(there, session_id)


async def test_the_golden_trace_is_the_same_in_another_store(here: Api, there: Api) -> None:
    for line in GOLDEN.read_bytes().splitlines():
        await take(here, line)
    assert (await here.get("/sessions/golden")).json()["status"] == "lost"
    before, after = await carried(here, there, "golden")
    assert after == before
    assert after["row"]["input_tokens"] == 2012


async def test_waits_decisions_and_outcome_tell_the_same_elsewhere(here: Api, there: Api) -> None:
    about: dict[str, Json] = {"session.id": "S"}
    root = span("agent", attributes=about, duration_ns=9 * SECOND_NS, error="it failed")
    tool = span("tool", span_id=2, parent=1, start_ns=START_NS + SECOND_NS)
    decided: dict[str, Json] = {"inspector.decision.action": "deny", "inspector.hook": "h"}
    await send(
        here,
        heartbeat(),
        log("inspector.session.started", attributes={**about, "inspector.session.title": "T"},
            process="p1"),
        started(root), started(tool),
        paused(1, 2, START_NS + SECOND_NS), resumed(1, 2, START_NS + 2 * SECOND_NS),
        log("inspector.decision", trace=1, span_id=2, attributes=decided, process="p1"),
        log("inspector.state", trace=1, span_id=1, attributes={"inspector.state.name": "n",
            "inspector.state.value": "{}"}, process="p1"),
        progressed(tool, START_NS + 2 * SECOND_NS),
    )  # fmt: skip
    finished: dict[str, Json] = {**about, "inspector.session.status": "failed"}
    ended = log(
        "inspector.session.finished",
        attributes=finished,
        process="p1",
        time_ns=START_NS + 9 * SECOND_NS,
    )
    await send(here, root, tool, ended)
    before, after = await carried(here, there, "S")
    assert after == before
    assert (after["row"]["status"], after["row"]["title"]) == ("failed", "T")
    assert after["row"]["waiting_ms"] == 1000
    assert after["details"][span_hex(2)]["view"]["decisions"]


async def test_what_still_ran_is_lost_elsewhere_and_waits_for_nobody(here: Api, there: Api) -> None:
    about: dict[str, Json] = {"session.id": "S"}
    await send(
        here,
        heartbeat(),
        log("inspector.session.started", attributes=about, process="p1"),
        started(span(attributes=about)),
        started(span(span_id=2, parent=1)),
        paused(1, 2, START_NS + SECOND_NS),
    )
    before, after = await carried(here, there, "S")
    assert before["row"]["status"] == "waiting"
    assert {one["status"] for one in after["spans"]} == {"lost"}
    assert after["row"]["status"] == "lost"
    assert after["row"]["waiting_since"] is None
    listed = (await there.get("/sessions", params={"status": ["running", "waiting"]})).json()
    assert listed["sessions"] == []


async def test_a_file_of_live_records_makes_nothing_run(there: Api) -> None:
    one = started(span(attributes={"session.id": "S"}))
    lines = [
        {
            "resourceLogs": [
                {
                    "resource": MessageToDict(one.resource),
                    "scopeLogs": [
                        {
                            "scope": {"name": "inspector.live"},
                            "logRecords": [MessageToDict(record)],
                        }
                    ],
                }
            ]
        }
        for record in (heartbeat().record, one.record, heartbeat().record)
    ]
    report = await take(there, "\n".join(map(json.dumps, lines)).encode())
    assert report["sessions"] == ["S"]
    assert (await there.get("/sessions/S")).json()["status"] == "lost"


async def test_a_session_that_ended_is_over_at_once(there: Api) -> None:
    await take(there, json.dumps(MessageToDict(trace_request())).encode())
    (row,) = (await there.get("/sessions")).json()["sessions"]
    assert (row["status"], row["span_count"]) == ("completed", 1)


async def test_the_same_file_once_more_changes_nothing(here: Api, there: Api) -> None:
    await send(here, span(attributes={"session.id": "S"}), log("note", trace=1, span_id=1))
    await send(here, heartbeat(), started(span("open", span_id=2, parent=1)))
    exported = (await here.get("/trace/S")).content
    first = await take(there, exported)
    assert (first["spans"], first["logs"]) == (2, 1)
    before = (await there.get("/sessions")).json()
    again = await take(there, exported)
    assert (again["spans"], again["span_duplicates"]) == (0, 2)
    assert (again["logs"], again["log_duplicates"]) == (0, 1)
    assert (await there.get("/sessions")).json() == before, "the position in the stream too"


async def test_a_running_session_is_not_hurt_by_its_own_export(here: Api) -> None:
    await send(here, heartbeat(), started(span("open", attributes={"session.id": "S"})))
    before = (await here.get("/sessions")).json()
    report = await take(here, (await here.get("/trace/S")).content)
    assert report["span_duplicates"] == 1
    assert (await here.get("/sessions")).json() == before
    assert before["sessions"][0]["status"] == "running"


def documents() -> dict[str, bytes]:
    """Return one trace of two spans in every form of OTLP in JSON."""
    one, two = (trace_request(span(f"s{n}", span_id=n)) for n in (1, 2))
    canonical = [MessageToDict(part) for part in (one, two)]
    plain: list[Any] = json.loads(json.dumps(canonical))
    for request in plain:
        for record in request["resourceSpans"][0]["scopeSpans"][0]["spans"]:
            for name in ("traceId", "spanId"):
                record[name] = base64.b64decode(record[name]).hex()
            record["kind"] = 1
    lines = b"".join(json.dumps(request).encode() + b"\r\n" for request in plain)
    both = {"resourceSpans": [group for request in plain for group in request["resourceSpans"]]}
    mixed = [{**plain[0], "resourceLogs": [], "resourceMetrics": []}, plain[1]]
    return {
        "lines": lines,
        "lines, gzip": gzip.compress(lines, mtime=0),
        "lines, gzip in two parts": gzip.compress(lines[:50], mtime=0) + gzip.compress(lines[50:]),
        "canonical protobuf": "\n".join(map(json.dumps, canonical)).encode(),
        "canonical, an array": json.dumps(canonical).encode(),
        "pretty": json.dumps(both, indent=2).encode(),
        "pretty, with a BOM": b"\xef\xbb\xbf" + json.dumps(both, indent=2).encode(),
        "pretty, one after another": b"\n".join(json.dumps(r, indent=4).encode() for r in plain),
        "an array": json.dumps(plain).encode(),
        "a pretty array": json.dumps(plain, indent=2).encode(),
        "lines of an array": b"[\n" + b",\n".join(json.dumps(r).encode() for r in plain) + b"\n]",
        "mixed signals": "\n".join(map(json.dumps, mixed)).encode(),
        "Jaeger's answer": json.dumps({"result": both}).encode(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("form", documents())
async def test_every_form_of_otlp_in_json_is_read(there: Api, form: str) -> None:
    report = await take(there, documents()[form])
    assert (report["spans"], report["mistakes"]) == (2, [])
    page = (await there.get(f"/sessions/{trace_hex(1)}/spans")).json()
    assert [one["name"] for one in page["spans"]] == ["s1", "s2"]


@pytest.mark.parametrize("indent", [None, 4])
async def test_spans_as_the_python_sdk_prints_them_are_read(there: Api, indent: int | None) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("mcp_agent")
    attributes: dict[str, Any] = {
        "session.id": "S",
        "n": 3,
        "half": 0.5,
        "yes": True,
        "list": ["a", "b"],
    }
    with tracer.start_as_current_span("root", kind=SpanKind.CLIENT, attributes=attributes) as root:
        root.add_event("seen", {"k": "v"})
        root.set_status(Status(StatusCode.ERROR, "it failed"))
        with tracer.start_as_current_span("child", links=[Link(root.get_span_context())]):
            pass
    lines = [one.to_json(indent=indent) for one in exporter.get_finished_spans()]
    report = await take(there, "\n".join(lines).encode())
    assert (report["spans"], report["mistakes"]) == (2, [])
    page = (await there.get("/sessions/S/spans")).json()["spans"]
    by_name = {one["name"]: one for one in page}
    assert by_name["child"]["parent_span_id"] == by_name["root"]["span_id"]
    first = exporter.get_finished_spans()[1]
    address = f"/spans/{by_name['root']['trace_id']}/{by_name['root']['span_id']}"
    detail = (await there.get(address)).json()
    assert detail["attributes"] == attributes
    assert [event["name"] for event in detail["events"]] == ["seen"]
    assert detail["status"] == "error"
    took_ns = (first.end_time or 0) - (first.start_time or 0)
    # Each of the two times is printed in microseconds.
    assert abs(by_name["root"]["duration_ns"] - took_ns) <= 2000
    assert detail["resource"]["attributes"]["telemetry.sdk.language"] == "python"


async def test_mistakes_are_named_by_their_line_and_the_rest_is_stored(there: Api) -> None:
    good = [json.dumps(MessageToDict(trace_request(span(span_id=n)))) for n in (1, 2)]
    bad_span = {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "zz"}, {"spanId": ""}]}]}]}
    lines = [
        good[0],
        '{"resourceSpans": [',
        "",
        json.dumps(bad_span),
        '{"hello": 1}',
        '{"context": {"trace_id": "0x1"}, "start_time": "yesterday"}',
        '{"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "m"}]}]}]}',
        "[" * 500 + "]" * 500,
        good[1],
    ]
    report = await take(there, "\n".join(lines).encode())
    assert (report["spans"], report["rejected"], report["not_stored"]) == (2, 5, 1)
    mistakes = [(mistake["line"], mistake["message"]) for mistake in report["mistakes"]]
    assert [line for line, _ in mistakes] == [2, 4, 5, 6]
    assert "JSON" in mistakes[0][1]
    assert "2 spans" in mistakes[1][1]
    assert "resourceSpans" in mistakes[2][1]
    assert "yesterday" in mistakes[3][1]


async def test_a_damaged_archive_costs_only_what_is_behind_the_damage(there: Api) -> None:
    lines = [json.dumps(MessageToDict(trace_request(span(span_id=n)))) for n in range(1, 400)]
    packed = gzip.compress("\n".join(lines).encode())
    report = await take(there, packed[: len(packed) // 2])
    assert 0 < report["spans"] < 399
    assert report["rejected"] == 0
    [mistake] = report["mistakes"]
    assert mistake["line"] == report["spans"]
    assert mistake["message"] == (
        "Cannot read the gzip file to its end: it is truncated. Import the whole file to add the "
        "rest."
    )

    # Only the checksum is missing: the last line is whole.
    report = await take(there, packed[:-4])
    assert report["spans"] + report["span_duplicates"] == 399
    assert len(report["mistakes"]) == 1


@pytest.mark.parametrize("content", [b"", b"\n\n", b"[]", gzip.compress(b"", mtime=0)])
async def test_an_empty_file_is_no_mistake(there: Api, content: bytes) -> None:
    report = await take(there, content)
    assert (report["spans"], report["mistakes"]) == (0, [])


@pytest.mark.parametrize(
    "content",
    [b"\x00\x01\x02", b"hello", b"\x1f\x8bnot gzip", b'"text"', b"Dear diary,\nnothing happened."],
)
async def test_what_is_no_telemetry_is_reported(there: Api, content: bytes) -> None:
    report = await take(there, content)
    assert report["mistake_count"] == 1
    assert report["mistakes"][0]["line"] == 1


async def test_secrets_in_a_file_are_removed(there: Api) -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwx"
    made = trace_request(span(attributes={"session.id": "S", "arg_0": secret}))
    await take(there, json.dumps(MessageToDict(made)).encode())
    assert secret not in gzip.decompress((await there.get("/trace/S")).content).decode()


async def test_a_file_that_stops_coming_is_408(there: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MAX_SILENCE_S", 0.01)

    async def stopping() -> AsyncIterator[bytes]:
        import asyncio

        yield b"{"
        await asyncio.Event().wait()

    answer = await there.post("/import", content=stopping())
    assert (answer.status_code, answer.json()["code"]) == (408, "body_stalled")


@pytest.mark.slow
async def test_many_spans_are_stored_in_several_commits(there: Api) -> None:
    lines = (
        json.dumps(MessageToDict(trace_request(span(trace=n, span_id=n)))) for n in range(1, 4500)
    )
    report = await take(there, "\n".join(lines).encode())
    assert report["spans"] == 4499
    assert len(report["sessions"]) == 1000
    assert report["mistakes"] == []
