"""Export to other targets, as configured by the standard `OTEL_*` variables.

The official exporters read their variables (endpoint, headers, timeout, compression, certificates,
`OTEL_BSP_*`). Added here: content is treated as for the inspector, a forked child sends under its
own id, and a shutdown takes a second at most.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from urllib.parse import urlsplit

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from subscribers.options import sending_timeout_s

_logger = logging.getLogger("inspector")

Treat = Callable[[ReadableSpan], ReadableSpan]


def standard_target(
    treat: Treat, *, inspector_url: str, environ: Mapping[str, str] = os.environ
) -> BoundedProcessor | None:
    """Return a processor for the OTLP target in the environment; None if there is none.

    Unusable settings are logged.

    Args:
        treat: Applied to each span before it is sent.
        inspector_url: The inspector, which gets the spans anyway; they are not sent twice.
        environ: Source of the variables.
    """
    named = environ.get("OTEL_TRACES_EXPORTER", "").lower()
    endpoint = environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or environ.get(
        "OTEL_EXPORTER_OTLP_ENDPOINT"
    )
    if "otlp" not in named and (named or not endpoint):
        return None
    if endpoint and urlsplit(endpoint).netloc.rpartition("@")[2] == urlsplit(inspector_url).netloc:
        return None
    protocol = environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or environ.get(
        "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"
    )
    try:
        exporter = _exporter(protocol)
        return BoundedProcessor(exporter, BatchSpanProcessor(_Treating(exporter, treat)))
    except ModuleNotFoundError:
        _logger.warning(
            "OTEL_EXPORTER_OTLP_PROTOCOL is %s, but its exporter is not installed. Run: pip "
            "install opentelemetry-exporter-otlp-proto-grpc",
            protocol,
        )
    except Exception as error:  # noqa: BLE001 - a certificate, a number, an address: all from outside
        _logger.warning(
            "Spans are sent to Inspector only: the OTEL_EXPORTER_OTLP_* variables are invalid "
            "(%s).",
            type(error).__name__,
        )
    return None


def _exporter(protocol: str) -> SpanExporter:
    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter as GrpcSpanExporter,
        )

        return GrpcSpanExporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter as HttpSpanExporter,
    )

    return HttpSpanExporter()


class _Treating(SpanExporter):
    """Treats spans on the exporter's thread."""

    def __init__(self, exporter: SpanExporter, treat: Treat) -> None:
        self._exporter = exporter
        self._treat = treat

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([self._treat(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


class BoundedProcessor(SpanProcessor):
    """A batch processor that shuts down within `sending_timeout_s`; afterwards it ignores spans."""

    def __init__(self, exporter: SpanExporter, processor: SpanProcessor) -> None:
        self._exporter = exporter
        self._processor = processor
        self._closing: threading.Thread | None = None
        self._deadline_s = 0.0
        self._is_abandoned = False

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Pass it on."""
        if self._closing is None:
            self._processor.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        """Pass it on."""
        if self._closing is None:
            self._processor.on_end(span)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Wait until all spans are sent."""
        return self._processor.force_flush(timeout_millis)

    def begin_shutdown(self) -> None:
        """Accept no more spans, and send the remaining ones; idempotent."""
        if self._closing is not None:
            return
        # The official one waits up to half a minute for the exporter's retries.
        self._closing = threading.Thread(
            target=self._processor.shutdown, name="inspector-closing", daemon=True
        )
        self._deadline_s = monotonic() + sending_timeout_s()
        try:
            self._closing.start()
        except RuntimeError:  # the interpreter is shutting down: no time is left
            self._exporter.shutdown()

    def shutdown(self) -> None:
        """Send the remaining spans within the time limit; idempotent."""
        self.begin_shutdown()
        if self._closing is None or self._is_abandoned or not self._closing.is_alive():
            return
        self._closing.join(max(self._deadline_s - monotonic(), 0.0))
        if self._closing.is_alive():
            self._is_abandoned = True
            self._exporter.shutdown()  # ends its retries
            _logger.warning(
                "The target of OTEL_EXPORTER_OTLP_* did not accept all spans before the exit."
            )
