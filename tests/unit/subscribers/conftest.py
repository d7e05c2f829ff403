from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.metrics import MeterProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from instrument import Bus
from subscribers import Capture, Options, Spec, install, load_spec
from subscribers.bridge.moments import LiveRecords
from tests.support.services.otlp_receiver import Receiver

SPEC = load_spec()


class Traced:
    """A bus whose hooks become spans in memory."""

    def __init__(
        self,
        meter_provider: MeterProvider | None = None,
        *,
        spec: Spec = SPEC,
        live: LiveRecords | None = None,
        **options: Any,
    ) -> None:
        self.bus = Bus()
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.provider.get_tracer("foreign")
        self.session: str | None = None
        self.details: dict[str, Any] = {}
        self.spec = spec
        chosen = Options(**{"capture": Capture.REDACTED, **options})
        self.off = install(
            self.bus,
            tracer_provider=self.provider,
            options=chosen,
            session_id=lambda: self.session,
            session_details=lambda: self.details,
            spec=spec,
            live=live,
            meter_provider=meter_provider,
        )

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        found = self.named(name)
        assert len(found) == 1, [span.name for span in self.spans]
        return found[0]


@pytest.fixture
def traced() -> Iterator[Traced]:
    token = otel_context.attach(Context())
    traced = Traced()
    yield traced
    traced.off()
    otel_context.detach(token)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()
