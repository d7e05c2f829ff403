"""A wired bus with an inspector that is not reachable."""

from __future__ import annotations

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from instrument import Bus
from subscribers import Options
from subscribers.send.delivery import Limits
from subscribers.wiring import Wiring, wire


class WiredBus:
    """A bus with its wiring, and a provider that stores ended spans in memory."""

    def __init__(self) -> None:
        self.bus = Bus()
        self.session: str | None = None
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(
            resource=Resource({"service.name": "svc"}), shutdown_on_exit=False
        )
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.wiring: Wiring = wire(
            "http://127.0.0.1:9",
            None,
            options=Options(),
            set_global=False,
            bus=self.bus,
            tracer_provider=self.provider,
            session_id=lambda: self.session,
            limits=Limits(exit_s=0.05),
        )

    def ids(self) -> list[str | None]:
        return [operation.call_id for operation in self.wiring.open_operations()]

    def spans(self) -> dict[str, ReadableSpan]:
        """Return the ended spans by name."""
        return {span.name: span for span in self.exporter.get_finished_spans()}
