"""Every attribute of ours, read back from a third-party collector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter

from instrument import CATALOGUE
from subscribers import Vocabulary
from tests.support.services.otlp_receiver import Receiver, attributes
from tests.support.services.process import wait_for
from tests.support.services.rotel import Rotel, running_rotel
from tests.unit.subscribers.firing import fire


def _exporter(rotel: Rotel, protocol: str) -> SpanExporter:
    if protocol == "http":
        return HttpExporter(f"{rotel.http_url}/v1/traces")
    return GrpcExporter(rotel.grpc_url.replace("grpc://", "http://"), insecure=True)


def _plain(found: Any) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in dict(found or {}).items()
    }


def _sent(span: ReadableSpan) -> tuple[Any, ...]:
    assert span.context is not None
    events = [(event.name, _plain(event.attributes)) for event in span.events]
    parent = span.parent.span_id if span.parent else 0
    return span.context.span_id, span.name, parent, _plain(span.attributes), events


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "vocabulary"),
    [("http", Vocabulary.DUP), ("grpc", Vocabulary.CURRENT), ("http", Vocabulary.LEGACY)],
)
def test_a_foreign_collector_has_every_attribute_of_every_hook(
    tmp_path: Path, protocol: str, vocabulary: Vocabulary
) -> None:
    spans = fire(CATALOGUE, vocabulary=vocabulary).spans
    with Receiver() as received, running_rotel(tmp_path, received.url, prints=True) as rotel:
        exporter = _exporter(rotel, protocol)
        exporter.export(spans)
        exporter.shutdown()
        wait_for(lambda: len(received.spans) == len(spans))
    printed = (tmp_path / "rotel.out").read_text(encoding="utf-8")
    assert {key for span in spans for key in span.attributes or {} if key not in printed} == set()
    arrived = {int.from_bytes(span.span_id, "big"): span for span in received.spans}
    assert len(arrived) == len(spans) > 100
    for span in spans:
        span_id, name, parent, values, events = _sent(span)
        got = arrived[span_id]
        assert (got.name, int.from_bytes(got.parent_span_id, "big")) == (name, parent)
        assert attributes(got.attributes) == values
        assert [(event.name, attributes(event.attributes)) for event in got.events] == events
        assert got.dropped_attributes_count == 0
