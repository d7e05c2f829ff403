"""Any telemetry: each span is stored or rejected by name, and no route fails on it."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.support.services.app import service_client
from tests.support.telemetry.otlp import START_NS

PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}
few = settings(
    max_examples=settings().max_examples // 3,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # each example is a whole service
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def outcome_of(play: Callable[[httpx.AsyncClient], Awaitable[Any]]) -> Any:
    """Return the result of `play` on a new service."""

    async def in_service() -> Any:
        async with service_client() as client:
            return await play(client)

    return asyncio.run(in_service())


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
times = st.sampled_from([0, 1, START_NS, START_NS + 5, 2**63 - 1, 2**63, 2**64 - 1])
counts = st.sampled_from([0, 1, 2**32 - 1])
values = st.recursive(
    st.one_of(
        st.just(AnyValue()),
        words.map(lambda text: AnyValue(string_value=text)),
        st.integers(-(2**63), 2**63 - 1).map(lambda number: AnyValue(int_value=number)),
        st.floats().map(lambda number: AnyValue(double_value=number)),
        st.booleans().map(lambda truth: AnyValue(bool_value=truth)),
        st.binary(max_size=5).map(lambda raw: AnyValue(bytes_value=raw)),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(
            lambda items: AnyValue(array_value=ArrayValue(values=items))
        ),
        st.lists(st.tuples(words, inner), max_size=3).map(
            lambda pairs: AnyValue(kvlist_value=KeyValueList(values=key_values(pairs)))
        ),
    ),
    max_leaves=5,
)


def key_values(pairs: list[tuple[str, AnyValue]]) -> list[KeyValue]:
    return [KeyValue(key=key, value=value) for key, value in pairs]


known_keys = st.sampled_from(
    ["session.id", "gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.usage.input_tokens",
     "gen_ai.tool.call.arguments", "mcp.method.name", "openinference.span.kind", "error.type",
     "inspector.session.title", "inspector.duplicate_of", "gen_ai.request.model", "ai.operationId",
     "llm.input_messages.0.message.content", "inspector.truncated", "inspector.redacted"]
)  # fmt: skip
attributes = st.lists(st.tuples(known_keys | words, values), max_size=4).map(key_values)
events = st.builds(
    Span.Event,
    name=words | st.sampled_from(["exception", "gen_ai.choice", "inspector.state"]),
    time_unix_nano=times,
    attributes=attributes,
    dropped_attributes_count=counts,
)
links = st.builds(
    Span.Link, trace_id=st.binary(max_size=17), span_id=st.binary(max_size=9), flags=counts,
    attributes=attributes, trace_state=words,
)  # fmt: skip
spans = st.builds(
    Span,
    trace_id=st.sampled_from([b"t" * 16, b"u" * 16, bytes(16), b"", b"short"]),
    span_id=st.sampled_from([*(bytes([n]) * 8 for n in range(1, 6)), bytes(8), b"x"]),
    parent_span_id=st.sampled_from([b"", b"\x01" * 8, b"\x02" * 8, b"\x09" * 8, b"bad"]),
    name=words,
    kind=st.integers(-1, 9) | st.just(2**31 - 1),
    start_time_unix_nano=times,
    end_time_unix_nano=times,
    flags=st.sampled_from([0, 1, 0x100, 0x301, 2**32 - 1]),
    trace_state=words,
    attributes=attributes,
    events=st.lists(events, max_size=2),
    links=st.lists(links, max_size=2),
    status=st.builds(Status, code=st.integers(-1, 7), message=words),
    dropped_attributes_count=counts,
    dropped_events_count=counts,
    dropped_links_count=counts,
)


def request(spans: list[Span]) -> ExportTraceServiceRequest:
    made = ExportTraceServiceRequest()
    made.resource_spans.add().scope_spans.add().spans.extend(spans)
    return made


def is_good(one: Span) -> bool:
    return (
        len(one.trace_id) == 16
        and any(one.trace_id)
        and len(one.span_id) == 8
        and any(one.span_id)
        and len(one.parent_span_id) in (0, 8)
    )


def as_otlp_json(made: ExportTraceServiceRequest) -> bytes:
    plain = MessageToDict(made, use_integers_for_enums=True)
    for group in plain["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for one in scope.get("spans", ()):
                for owner in (one, *one.get("links", ())):
                    for name in {"traceId", "spanId", "parentSpanId"} & owner.keys():
                        owner[name] = base64.b64decode(owner[name]).hex()
    return json.dumps(plain).encode()


async def everything(client: httpx.AsyncClient) -> dict[tuple[str, str], Any]:
    """Return the answers of every route, by span."""
    listed = await client.get("/sessions")
    assert listed.status_code == 200, listed.text
    details = {}
    for session in listed.json()["sessions"]:
        for address in (f"/sessions/{session['id']}", f"/trace/{session['id']}"):
            assert (await client.get(address)).status_code == 200
        columns = await client.get(f"/sessions/{session['id']}/spans?format=columns")
        assert columns.status_code == 200, columns.text
        for row in (await client.get(f"/sessions/{session['id']}/spans")).json()["spans"]:
            detail = await client.get(f"/spans/{row['trace_id']}/{row['span_id']}")
            assert detail.status_code == 200, detail.text
            assert (row["duration_ns"] or 0) >= 0
            details[row["trace_id"], row["span_id"]] = detail.json()
    return details


def written(details: dict[tuple[str, str], Any]) -> list[str]:
    """Return `details` as text, where NaN equals NaN, without numbers of this store."""
    here = ({**detail, "change": None} for detail in details.values())
    return sorted(json.dumps(detail, sort_keys=True) for detail in here)


@pytest.mark.slow
@few
@given(st.lists(spans, max_size=4))
def test_each_span_is_stored_or_rejected_the_same_in_both_encodings(spans: list[Span]) -> None:
    made = request(spans)

    async def send(client: httpx.AsyncClient, body: bytes, headers: dict[str, str]) -> Any:
        answer = await client.post("/v1/traces", content=body, headers=headers)
        assert answer.status_code == 200, answer.content
        if headers is JSON:
            rejected = int(answer.json().get("partialSuccess", {}).get("rejectedSpans", "0"))
        else:
            response = ExportTraceServiceResponse.FromString(answer.content)
            rejected = response.partial_success.rejected_spans
        assert rejected == sum(not is_good(one) for one in spans)
        return await everything(client)

    one = outcome_of(lambda client: send(client, made.SerializeToString(), PROTOBUF))
    other = outcome_of(lambda client: send(client, as_otlp_json(made), JSON))
    assert set(one) == {(s.trace_id.hex(), s.span_id.hex()) for s in spans if is_good(s)}
    assert written(one) == written(other)


@pytest.mark.slow
@few
@given(st.lists(spans.filter(is_good), min_size=1, max_size=3, unique_by=lambda s: s.span_id))
def test_what_is_exported_is_what_was_sent(spans: list[Span]) -> None:
    async def play(client: httpx.AsyncClient) -> list[bytes]:
        body = request(spans).SerializeToString()
        assert (await client.post("/v1/traces", content=body, headers=PROTOBUF)).content == b""
        sessions = (await client.get("/sessions")).json()["sessions"]
        lines = [
            gzip.decompress((await client.get(f"/trace/{session['id']}")).content)
            for session in sessions
        ]
        return b"".join(lines).splitlines()

    async def again(client: httpx.AsyncClient) -> Any:
        for line in lines:
            answer = await client.post("/v1/traces", content=line, headers=JSON)
            assert (answer.status_code, answer.json()) == (200, {})
        return await everything(client)

    async def first(client: httpx.AsyncClient) -> Any:
        body = request(spans).SerializeToString()
        await client.post("/v1/traces", content=body, headers=PROTOBUF)
        return await everything(client)

    lines = outcome_of(play)
    timeless = ("offset_ns", "session_id")
    before, after = outcome_of(first), outcome_of(again)
    for details in (before, after):
        for detail in details.values():
            for placed in (detail, *detail["events"]):
                for name in timeless:
                    placed.pop(name, None)
    assert written(before) == written(after)


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["resourceSpans", "scopeSpans", "spans", "resource", "scope", "attributes", "key",
             "value", "stringValue", "intValue", "doubleValue", "boolValue", "bytesValue",
             "arrayValue", "kvlistValue", "values", "traceId", "spanId", "kind", "status", "code",
             "events", "links", "startTimeUnixNano", "flags", "logRecords", "body", "metrics"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


def with_something_else(value: Any, path: list[int], other: Any) -> Any:
    """Return a copy of `value` with `other` at a place deep inside."""
    if not path or not isinstance(value, (dict, list)) or not value:
        return other
    if isinstance(value, list):
        place = path[0] % len(value)
        return [
            with_something_else(item, path[1:], other) if index == place else item
            for index, item in enumerate(value)
        ]
    place_name = list(value)[path[0] % len(value)]
    return {
        name: with_something_else(item, path[1:], other) if name == place_name else item
        for name, item in value.items()
    }


@pytest.mark.slow
@few
@given(st.lists(plain, min_size=5, max_size=8), st.data())
def test_no_json_is_too_strange(values: list[Any], data: st.DataObject) -> None:
    good = json.loads(as_otlp_json(request([data.draw(spans)])))
    bodies = [
        *values,
        *(
            with_something_else(good, data.draw(st.lists(st.integers(0, 9), max_size=9)), one)
            for one in values
        ),
    ]

    async def play(client: httpx.AsyncClient) -> None:
        for value in bodies:
            for path in ("/v1/traces", "/v1/logs", "/v1/metrics"):
                answer = await client.post(path, content=json.dumps(value), headers=JSON)
                assert answer.status_code in (200, 400), (answer.status_code, value)
        await everything(client)

    outcome_of(play)


@few
@given(st.lists(st.binary(max_size=60), max_size=5), st.data())
def test_no_bytes_are_too_strange(junk: list[bytes], data: st.DataObject) -> None:
    good = bytearray(request([data.draw(spans), data.draw(spans)]).SerializeToString())
    for _ in range(3):
        if good:
            good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(good)))

    async def play(client: httpx.AsyncClient) -> None:
        for body in (*junk, bytes(good), bytes(good[:cut])):
            for path in ("/v1/traces", "/v1/logs", "/v1/metrics"):
                answer = await client.post(path, content=body, headers=PROTOBUF)
                assert answer.status_code in (200, 400), (answer.status_code, body)
        await everything(client)

    outcome_of(play)


EDGES: dict[str, tuple[Any, Any]] = {
    "no number at all": ({"doubleValue": None}, None),
    "NaN as a text": ({"doubleValue": "NaN"}, {"doubleValue": "NaN"}),
    "an infinity": ({"doubleValue": "-Infinity"}, {"doubleValue": "-Infinity"}),
    "an integer as a number": ({"intValue": 5}, 5),
    "an integer as a text": ({"intValue": "5"}, 5),
    "an integer as a float": ({"intValue": 5.0}, 5),
    "beyond 64 bits": ({"intValue": "9223372036854775808"}, "9223372036854775808"),
    "an empty value": ({}, None),
    "bytes": ({"bytesValue": "AAEC"}, {"bytesValue": "AAEC"}),
    "different kinds": (
        {"arrayValue": {"values": [{"intValue": 1}, {"stringValue": "a"}, {}]}},
        [1, "a", None],
    ),
    "an empty list": ({"arrayValue": {}}, []),
    "an empty map": ({"kvlistValue": {"values": None}}, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_values_at_the_edge_are_stored_as_well_as_can_be(edge: str) -> None:
    sent, shown = EDGES[edge]
    one = {"traceId": "AB" * 16, "spanId": "cd" * 8, "attributes": [{"key": "k", "value": sent}]}

    async def play(client: httpx.AsyncClient) -> Any:
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]})
        answer = await client.post("/v1/traces", content=body, headers=JSON)
        assert (answer.status_code, answer.json()) == (200, {})
        return await everything(client)

    assert outcome_of(play)["ab" * 16, "cd" * 8]["attributes"]["k"] == shown


def test_any_content_of_a_prompt_is_stored() -> None:
    texts = {
        "surrogate": '"\\ud83d alone"',
        "pair": '"\\ud83d\\ude80"',
        "long": json.dumps("x" * (2 << 20)),
        "nul": '"a\\u0000b"',
        "bidi": '"\\u202eevil"',
    }
    pairs = ",".join(
        f'{{"key": "{key}", "value": {{"stringValue": {text}}}}}' for key, text in texts.items()
    )
    many = ",".join(f'{{"key": "k{n}", "value": {{"intValue": {n}}}}}' for n in range(1_100))
    ids = ("ab" * 16, "cd" * 8)
    body = (
        f'{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{{"traceId": "{ids[0]}", '
        f'"spanId": "{ids[1]}", "droppedAttributesCount": 7, '
        f'"attributes": [{pairs}, {many}]}}]}}]}}]}}'
    )

    async def play(client: httpx.AsyncClient) -> Any:
        answer = await client.post("/v1/traces", content=body.encode(), headers=JSON)
        assert (answer.status_code, answer.json()) == (200, {})
        return await everything(client)

    detail = outcome_of(play)["ab" * 16, "cd" * 8]
    shown = detail["attributes"]
    assert shown["surrogate"] == "\ufffd alone"
    assert shown["pair"] == "🚀"
    assert len(shown["long"]) == 2 << 20
    assert (shown["nul"], shown["bidi"]) == ("a\0b", "\u202eevil")
    assert [shown[f"k{n}"] for n in range(1_100)] == list(range(1_100))
    assert detail["dropped"]["attributes"] == 7


@pytest.mark.parametrize("depth", [20, 65, 150])
def test_a_value_of_any_depth_is_stored(depth: int) -> None:
    value: Any = {"stringValue": "innermost"}
    for _ in range(depth):
        value = {"arrayValue": {"values": [value]}}
    one = {"traceId": "ab" * 16, "spanId": "cd" * 8, "attributes": [{"key": "k", "value": value}]}

    async def play(client: httpx.AsyncClient) -> Any:
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]})
        answer = await client.post("/v1/traces", content=body, headers=JSON)
        assert (answer.status_code, answer.json()) == (200, {})
        return await everything(client)

    assert "innermost" in json.dumps(outcome_of(play)["ab" * 16, "cd" * 8]["attributes"]["k"])


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_an_empty_body_is_an_empty_request_whatever_its_coding(coding: str) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        headers = {**PROTOBUF, "content-encoding": coding}
        return await client.post("/v1/traces", content=b"", headers=headers)

    answer = outcome_of(play)
    assert (answer.status_code, answer.content) == (200, b"")
