"""The three signals of OTLP, and the names of their messages.

Their requests have one shape: `resource_xs[].scope_xs[].xs[]`, with the same field numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

ExportRequest: TypeAlias = (
    ExportTraceServiceRequest | ExportLogsServiceRequest | ExportMetricsServiceRequest
)
ExportResponse: TypeAlias = (
    ExportTraceServiceResponse | ExportLogsServiceResponse | ExportMetricsServiceResponse
)


NO_TOKEN = (
    "A token is required: run `inspector token` where the service runs. Set "
    "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20TOKEN at the sender, or accept OTLP from "
    "everyone who can reach the service with INSPECTOR_OPEN_INGEST=true."
)
"""The text for a sender, and in the log."""
WRONG_TOKEN = (
    "The token is wrong. The right one is what `inspector token` prints where the service runs; "
    "clients read it from INSPECTOR_TOKEN, OpenTelemetry SDKs from "
    "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20TOKEN."
)
"""The same for one that carries another token."""


@dataclass(frozen=True, slots=True)
class OtlpSignal:
    """A signal of OTLP: traces, logs or metrics.

    Attributes:
        name: `traces`, `logs` or `metrics`: also the end of its HTTP path.
        service: Full name of its gRPC service, whose method is `Export`.
        groups: Field of the request that holds one entry per resource.
        scopes: Field of a group that holds one entry per scope.
        items: Field of a scope that holds the spans, records or metrics.
        rejected: Field of `partial_success` with the number of rejected items.
    """

    name: str
    service: str
    request: type[ExportRequest]
    response: type[ExportResponse]
    groups: str
    scopes: str
    items: str
    rejected: str

    @property
    def groups_json(self) -> str:
        """Name of `groups` in JSON."""
        return self.request.DESCRIPTOR.fields_by_name[self.groups].json_name

    def walk(self, request: ExportRequest) -> Iterator[tuple[Any, Any]]:
        """Yield (group, scope) of `request`: the message classes differ, the shape does not."""
        for group in getattr(request, self.groups):
            for scope in getattr(group, self.scopes):
                yield group, scope


TRACES = OtlpSignal(
    name="traces",
    service="opentelemetry.proto.collector.trace.v1.TraceService",
    request=ExportTraceServiceRequest,
    response=ExportTraceServiceResponse,
    groups="resource_spans",
    scopes="scope_spans",
    items="spans",
    rejected="rejected_spans",
)
LOGS = OtlpSignal(
    name="logs",
    service="opentelemetry.proto.collector.logs.v1.LogsService",
    request=ExportLogsServiceRequest,
    response=ExportLogsServiceResponse,
    groups="resource_logs",
    scopes="scope_logs",
    items="log_records",
    rejected="rejected_log_records",
)
METRICS = OtlpSignal(
    name="metrics",
    service="opentelemetry.proto.collector.metrics.v1.MetricsService",
    request=ExportMetricsServiceRequest,
    response=ExportMetricsServiceResponse,
    groups="resource_metrics",
    scopes="scope_metrics",
    items="metrics",
    rejected="rejected_data_points",
)
SIGNALS = {signal.name: signal for signal in (TRACES, LOGS, METRICS)}


def halve(signal: OtlpSignal, body: bytes) -> list[bytes]:
    """Return a request as two with half of the items each; one item cannot be divided.

    For receivers with a smaller size limit than ours.
    """
    request = signal.request.FromString(body)
    count = sum(len(getattr(scope, signal.items)) for _, scope in signal.walk(request))
    if count < 2:
        return [body]
    halves = [signal.request(), signal.request()]
    seen = 0
    for group, scope in signal.walk(request):
        items = getattr(scope, signal.items)
        middle = max(0, min(len(items), count // 2 - seen))
        seen += len(items)
        for half, part in zip(halves, (items[:middle], items[middle:]), strict=True):
            if part:
                _add_scope(signal, half, group, scope, part)
    return [half.SerializeToString() for half in halves]


def _add_scope(signal: OtlpSignal, target: Any, group: Any, scope: Any, items: Any) -> None:
    new_group = getattr(target, signal.groups).add(
        resource=group.resource, schema_url=group.schema_url
    )
    new_scope = getattr(new_group, signal.scopes).add(
        scope=scope.scope, schema_url=scope.schema_url
    )
    getattr(new_scope, signal.items).extend(items)
