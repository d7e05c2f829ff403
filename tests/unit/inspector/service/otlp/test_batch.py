import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import TooLargeError
from inspector.service.otlp import batch as module
from inspector.service.otlp.batch import Batch, make_batch
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import LOGS, METRICS, TRACES
from tests.support.telemetry.export import TRACE_ID, span, span_id, trace_request


def sort_spans(*spans: Span) -> tuple[Batch, Rejections]:
    rejections = Rejections()
    request = trace_request(*spans)
    body = request.SerializeToString()
    return make_batch(TRACES, request, rejections, size_bytes=0, body=body), rejections


def test_spans_come_with_the_resource_and_scope_they_were_under() -> None:
    batch, _ = sort_spans(span(1), span(2))
    assert [incoming.span.span_id for incoming in batch.spans] == [span_id(1), span_id(2)]
    origin = batch.spans[0].content.resource_spans()
    assert origin.scope_spans[0].scope.name == "tests"
    assert origin.resource.attributes[0].key == "service.name"


@pytest.mark.parametrize(
    "bad",
    [
        Span(span_id=span_id(9)),
        Span(trace_id=bytes(16), span_id=span_id(9)),
        Span(trace_id=TRACE_ID[:15], span_id=span_id(9)),
        Span(trace_id=TRACE_ID),
        Span(trace_id=TRACE_ID, span_id=bytes(8)),
        Span(trace_id=TRACE_ID, span_id=TRACE_ID),
        Span(trace_id=TRACE_ID, span_id=span_id(9), parent_span_id=b"123"),
    ],
)
def test_a_span_with_bad_ids_is_rejected_and_the_rest_stored(bad: Span) -> None:
    batch, rejections = sort_spans(span(1), bad, span(2))
    assert [incoming.span.span_id for incoming in batch.spans] == [span_id(1), span_id(2)]
    assert rejections.count == 1
    assert batch.forward == trace_request(span(1), span(2)).SerializeToString()


def test_more_items_than_are_allowed_are_refused_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ITEMS", 2)
    sort_spans(span(1), span(2))
    with pytest.raises(TooLargeError):
        sort_spans(span(1), span(2), span(3))


def test_a_value_that_is_too_long_is_cut_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_VALUE_BYTES", 10)
    long = span(1)
    long.attributes.add(key="text").value.string_value = "é" * 20
    long.attributes.add(key="bytes").value.bytes_value = b"x" * 20
    long.attributes.add(key="list").value.array_value.values.add(string_value="y" * 20)
    long.attributes.add(key="short").value.string_value = "z" * 10
    long.events.add(name="said").attributes.add(key="event").value.string_value = "e" * 11
    body = trace_request(long).SerializeToString()
    batch = make_batch(TRACES, trace_request(long), Rejections(), size_bytes=11, body=body)
    cut = batch.spans[0].span
    found = {pair.key: pair.value for pair in cut.attributes}
    assert found["text"].string_value == "é" * 5
    assert found["bytes"].bytes_value == b"x" * 10
    assert found["list"].array_value.values[0].string_value == "y" * 10
    assert found["short"].string_value == "z" * 10
    marked = found["inspector.truncated"].array_value.values
    assert [value.string_value for value in marked] == ["text", "bytes", "list"]
    event = {pair.key: pair.value for pair in cut.events[0].attributes}
    assert event["event"].string_value == "e" * 10
    assert "inspector.truncated" in event
    assert batch.forward == trace_request(cut).SerializeToString()


def test_a_log_body_that_is_too_long_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_VALUE_BYTES", 10)
    request = ExportLogsServiceRequest()
    record = request.resource_logs.add().scope_logs.add().log_records.add(trace_id=TRACE_ID)
    record.body.string_value = "b" * 50
    batch = make_batch(LOGS, request, Rejections(), size_bytes=50)
    assert batch.logs[0].record.body.string_value == "b" * 10
    assert batch.logs[0].record.attributes[0].key == "inspector.truncated"


def test_logs_of_a_trace_are_stored_and_others_counted() -> None:
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    scope.log_records.add(trace_id=TRACE_ID)
    scope.log_records.add(event_name="something")
    batch = make_batch(LOGS, request, Rejections(), size_bytes=0)
    assert len(batch.logs) == 1
    assert batch.not_stored == 1
    assert batch.forward == request.SerializeToString()


def test_live_records_are_stored_and_do_not_go_on() -> None:
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    live = group.scope_logs.add()
    live.scope.name = "inspector.live"
    live.log_records.add(event_name="inspector.process.heartbeat")
    other = group.scope_logs.add()
    other.scope.name = "app"
    other.log_records.add(trace_id=TRACE_ID)
    batch = make_batch(LOGS, request, Rejections(), size_bytes=0)
    assert len(batch.logs) == 2
    forwarded = ExportLogsServiceRequest.FromString(batch.forward)
    assert [scope.scope.name for scope in forwarded.resource_logs[0].scope_logs] == ["app"]

    del group.scope_logs[1]
    assert make_batch(LOGS, request, Rejections(), size_bytes=0).forward == b""


def test_metrics_are_counted_and_go_on() -> None:
    request = ExportMetricsServiceRequest()
    request.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    batch = make_batch(METRICS, request, Rejections(), size_bytes=0)
    assert batch.not_stored == 1
    assert batch.forward == request.SerializeToString()
    assert not batch.spans
    assert not batch.logs
