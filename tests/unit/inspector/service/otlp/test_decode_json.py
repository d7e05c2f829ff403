import json
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import BadDataError, TooLargeError
from inspector.service.otlp import decode_json as module
from inspector.service.otlp.decode_json import decode_json
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import LOGS, METRICS, TRACES

SPAN = {
    "traceId": "5B8EFFF798038103D269B633813FC60C",
    "spanId": "eee19b7ec3c1b174",
    "name": "work",
    "kind": 3,
    "startTimeUnixNano": "1544712660000000000",
    "endTimeUnixNano": 1544712661000000000,
}


def decode(*spans: dict[str, Any]) -> tuple[list[Span], Rejections]:
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})
    rejections = Rejections()
    request: Any = decode_json(TRACES, body.encode(), rejections)
    return list(request.resource_spans[0].scope_spans[0].spans), rejections


def attribute(value: object) -> AnyValue:
    spans, rejections = decode({**SPAN, "attributes": [{"key": "a", "value": value}]})
    assert rejections.count == 0, rejections.reason
    return spans[0].attributes[0].value


def test_ids_are_hex_in_either_case_and_times_are_numbers_or_strings() -> None:
    [span], _ = decode(SPAN)
    assert span.trace_id.hex() == "5b8efff798038103d269b633813fc60c"
    assert span.span_id.hex() == "eee19b7ec3c1b174"
    assert span.start_time_unix_nano == 1544712660000000000
    assert span.end_time_unix_nano == 1544712661000000000
    assert span.kind == Span.SPAN_KIND_CLIENT


def test_base64_ids_are_recognised_by_their_length() -> None:
    [span], _ = decode({**SPAN, "traceId": "W47/95gDgQPSabYzgT/GDA==", "spanId": "7uGbfsPBsXQ="})
    assert span.trace_id.hex() == "5b8efff798038103d269b633813fc60c"
    assert span.span_id.hex() == "eee19b7ec3c1b174"


@pytest.mark.parametrize("kind", ["SPAN_KIND_CLIENT", 3, "3"])
def test_enums_are_numbers_or_names(kind: object) -> None:
    [span], _ = decode({**SPAN, "kind": kind})
    assert span.kind == Span.SPAN_KIND_CLIENT


def test_null_is_absent_and_unknown_fields_are_ignored() -> None:
    [span], rejections = decode({**SPAN, "name": None, "links": None, "someFuture": {"x": [1]}})
    assert span.name == ""
    assert rejections.count == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"intValue": "5"}, AnyValue(int_value=5)),
        ({"intValue": 5}, AnyValue(int_value=5)),
        ({"intValue": -(2**63)}, AnyValue(int_value=-(2**63))),
        ({"intValue": "9007199254740993"}, AnyValue(int_value=9007199254740993)),
        ({"intValue": str(2**63)}, AnyValue(string_value=str(2**63))),
        ({"doubleValue": 1}, AnyValue(double_value=1.0)),
        ({"doubleValue": "Infinity"}, AnyValue(double_value=float("inf"))),
        ({"doubleValue": None}, AnyValue()),
        ({"stringValue": ""}, AnyValue(string_value="")),
        ({"boolValue": False}, AnyValue(bool_value=False)),
        ({"bytesValue": "AAE="}, AnyValue(bytes_value=b"\0\1")),
        ({"bytesValue": "AAE"}, AnyValue(bytes_value=b"\0\1")),
        ({}, AnyValue()),
    ],
)
def test_values_are_read_as_senders_write_them(value: object, expected: AnyValue) -> None:
    assert attribute(value) == expected


def test_nan_is_a_number() -> None:
    assert repr(attribute({"doubleValue": "NaN"}).double_value) == "nan"
    assert repr(attribute({"doubleValue": float("nan")}).double_value) == "nan"


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert attribute({"stringValue": "a\ud800b"}).string_value == "a�b"
    assert attribute({"stringValue": "\ud83d\ude00"}).string_value == "😀"


@pytest.mark.parametrize(
    "bad",
    [
        {"traceId": "xyz"},
        {"spanId": 5},
        {"startTimeUnixNano": "soon"},
        {"startTimeUnixNano": -1},
        {"endTimeUnixNano": 2**64},
        {"kind": "CLIENT"},
        {"name": 7},
        {"attributes": {"a": 1}},
        {"attributes": [{"key": "a", "value": {"stringValue": 5}}]},
        {"attributes": [{"key": "a", "value": "plain"}]},
        {"attributes": [{"key": "a", "value": {"boolValue": "yes"}}]},
        {"status": {"code": "STATUS_CODE_FINE"}},
        {"flags": 2**32},
    ],
)
def test_a_span_that_does_not_fit_is_dropped_alone(bad: dict[str, Any]) -> None:
    good = {**SPAN, "spanId": "aaaaaaaaaaaaaaaa"}
    spans, rejections = decode(good, {**SPAN, **bad}, good)
    assert [span.span_id.hex() for span in spans] == ["a" * 16] * 2
    assert rejections.count == 1
    assert rejections.reason


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"resourceSpans": {}}', b"[" * 3000],
)
def test_what_is_no_request_is_bad_data(body: bytes) -> None:
    with pytest.raises(BadDataError):
        decode_json(TRACES, body, Rejections())


def test_a_body_of_very_many_values_is_refused_before_it_is_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_CONTAINERS", 10)
    with pytest.raises(TooLargeError):
        decode_json(TRACES, b"[" * 11, Rejections())


@pytest.mark.parametrize("kind", ["arrayValue", "kvlistValue"])
@pytest.mark.parametrize("levels", [30, 31, 64, 65, 200])
def test_however_deep_a_value_is_it_can_be_parsed_again_and_nothing_is_lost(
    kind: str, levels: int
) -> None:
    value: dict[str, Any] = {"stringValue": "bottom"}
    for _ in range(levels):
        item = value if kind == "arrayValue" else {"key": "k", "value": value}
        value = {kind: {"values": [item]}}
    body = {
        "resourceSpans": [
            {"scopeSpans": [{"spans": [{**SPAN, "events": [{"attributes": [_pair(value)]}]}]}]}
        ]
    }
    request = decode_json(TRACES, json.dumps(body).encode(), Rejections())
    again = ExportTraceServiceRequest.FromString(request.SerializeToString())
    assert "bottom" in str(again)


def test_a_value_that_is_as_deep_as_can_be_keeps_its_structure() -> None:
    value: dict[str, Any] = {"intValue": 1}
    for _ in range(module.MAX_NESTING):
        value = {"arrayValue": {"values": [value]}}
    found = attribute(value)
    for _ in range(module.MAX_NESTING):
        found = found.array_value.values[0]
    assert found.int_value == 1


def test_logs_and_metrics_have_the_same_rules() -> None:
    logs = {
        "resourceLogs": [
            {
                "resource": {"attributes": [_pair({"stringValue": "x"})]},
                "scopeLogs": [
                    {
                        "logRecords": [
                            {
                                "timeUnixNano": 5,
                                "severityNumber": "SEVERITY_NUMBER_INFO",
                                "body": {"stringValue": "said"},
                                "traceId": SPAN["traceId"],
                                "eventName": "inspector.span.progress",
                            },
                            {"severityNumber": {}},
                        ]
                    }
                ],
            }
        ]
    }
    rejections = Rejections()
    request: Any = decode_json(LOGS, json.dumps(logs).encode(), rejections)
    [record] = request.resource_logs[0].scope_logs[0].log_records
    assert record.body.string_value == "said"
    assert record.severity_number == 9
    assert record.event_name == "inspector.span.progress"
    assert rejections.count == 1

    metrics = {
        "resourceMetrics": [
            {"scopeMetrics": [{"metrics": [_metric("a"), {"name": "b", "sum": {"dataPoints": 1}}]}]}
        ]
    }
    request = decode_json(METRICS, json.dumps(metrics).encode(), rejections)
    [metric] = request.resource_metrics[0].scope_metrics[0].metrics
    assert list(metric.histogram.data_points[0].bucket_counts) == [1, 2]
    assert rejections.count == 2


def _metric(name: str) -> dict[str, Any]:
    point = {"timeUnixNano": "1", "bucketCounts": ["1", 2], "explicitBounds": [0.5], "count": "3"}
    return {"name": name, "histogram": {"dataPoints": [point], "aggregationTemporality": 2}}


def _pair(value: object) -> dict[str, Any]:
    return {"key": "a", "value": value}


def _array(items: list[AnyValue]) -> AnyValue:
    value = AnyValue()
    value.array_value.SetInParent()
    value.array_value.values.extend(items)
    return value


text = st.text(alphabet="aB é😀", max_size=10)
ids = st.binary(min_size=16, max_size=16)
values: st.SearchStrategy[AnyValue] = st.recursive(
    st.one_of(
        st.builds(AnyValue),
        st.builds(AnyValue, string_value=text),
        st.builds(AnyValue, int_value=st.integers(-(2**63), 2**63 - 1)),
        st.builds(AnyValue, double_value=st.floats(allow_nan=False)),
        st.builds(AnyValue, bool_value=st.booleans()),
        st.builds(AnyValue, bytes_value=st.binary(max_size=10)),
    ),
    lambda inner: st.lists(inner, max_size=3).map(_array),
    max_leaves=6,
)


@st.composite
def requests(draw: st.DrawFn) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    for _ in range(draw(st.integers(0, 2))):
        scope = request.resource_spans.add().scope_spans.add()
        for _ in range(draw(st.integers(0, 3))):
            span = scope.spans.add(
                trace_id=draw(ids),
                span_id=draw(ids)[:8],
                name=draw(text),
                kind=draw(st.integers(0, 5)),
                start_time_unix_nano=draw(st.integers(0, 2**64 - 1)),
                flags=draw(st.integers(0, 2**32 - 1)),
                dropped_attributes_count=draw(st.integers(0, 2**32 - 1)),
            )
            for value in draw(st.lists(values, max_size=3)):
                span.attributes.add(key=draw(text)).value.CopyFrom(value)
            span.links.add(trace_id=draw(ids), span_id=draw(ids)[:8])
            span.events.add(name="said", time_unix_nano=draw(st.integers(0, 2**64 - 1)))
            span.status.code = draw(st.integers(0, 2))  # type: ignore[assignment]  # an open enum
    return request


@given(requests())
def test_what_protobuf_says_in_json_is_decoded_to_the_same_messages(
    request: ExportTraceServiceRequest,
) -> None:
    written = _with_hex_ids(MessageToDict(request))
    rejections = Rejections()
    assert decode_json(TRACES, json.dumps(written).encode(), rejections) == request
    assert rejections.count == 0, rejections.reason


def _with_hex_ids(written: Any) -> Any:
    """Protobuf's own JSON has ids in base64; OTLP's has them in hex."""
    import base64

    if isinstance(written, dict):
        return {
            key: base64.b64decode(value).hex()
            if key in ("traceId", "spanId", "parentSpanId")
            else _with_hex_ids(value)
            for key, value in written.items()
        }
    return [_with_hex_ids(item) for item in written] if isinstance(written, list) else written


KEYS = [
    "resourceSpans",
    "scopeSpans",
    "spans",
    "resource",
    "scope",
    "attributes",
    "key",
    "value",
    "kind",
]
KEYS += [
    "traceId",
    "spanId",
    "name",
    "stringValue",
    "intValue",
    "arrayValue",
    "kvlistValue",
    "values",
    "events",
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(json_values)
def test_any_json_is_decoded_or_refused(value: object) -> None:
    try:
        decode_json(TRACES, json.dumps(value).encode(), Rejections())
    except BadDataError:
        return


def decode_whole(body: object) -> tuple[list[Span], Rejections]:
    rejections = Rejections()
    request: Any = decode_json(TRACES, json.dumps(body).encode(), rejections)
    return [span for _, scope in TRACES.walk(request) for span in scope.spans], rejections


def test_a_resource_that_does_not_fit_costs_its_own_spans_only() -> None:
    good = {"scopeSpans": [{"spans": [SPAN]}]}
    bad = {"resource": {"attributes": [{"key": "a", "value": "plain"}]}}
    bad["scopeSpans"] = [{"spans": [SPAN, SPAN, {"kind": "?"}]}, {"spans": [SPAN]}]  # type: ignore[assignment]
    spans, rejections = decode_whole({"resourceSpans": [good, None, bad, "?", good]})
    assert len(spans) == 2
    assert rejections.count == 4 + 1
    assert "a value must be an object" in rejections.reason


def test_a_scope_that_does_not_fit_costs_its_own_spans_only() -> None:
    scopes = [{"scope": "?", "spans": [SPAN, SPAN]}, {"spans": [SPAN]}]
    spans, rejections = decode_whole({"resourceSpans": [{"scopeSpans": scopes}]})
    assert (len(spans), rejections.count) == (1, 2)


def test_names_may_be_in_snake_case() -> None:
    values = [{"key": "n", "value": {"array_value": {"values": [{"int_value": "5"}]}}}]
    snake = {"trace_id": SPAN["traceId"], "span_id": SPAN["spanId"], "attributes": values}
    [span], rejections = decode_whole({"resource_spans": [{"scope_spans": [{"spans": [snake]}]}]})
    assert rejections.count == 0
    assert span.span_id.hex() == SPAN["spanId"]
    assert span.attributes[0].value.array_value.values[0].int_value == 5


def test_a_byte_order_mark_does_no_harm() -> None:
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]}).encode()
    request: Any = decode_json(TRACES, b"\xef\xbb\xbf" + body, Rejections())
    assert len(request.resource_spans[0].scope_spans[0].spans) == 1


def test_more_items_than_a_request_may_hold_are_refused_before_they_are_made() -> None:
    with pytest.raises(TooLargeError, match="spans"):
        decode_whole({"resourceSpans": [{"scopeSpans": [{"spans": [{}] * 100_001}]}]})
