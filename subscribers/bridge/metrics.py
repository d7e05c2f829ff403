"""Durations and tokens as OpenTelemetry metrics, off by default (`INSPECTOR_METRICS=on`).

Names are those of the last released conventions (GenAI and MCP, 1.41), which backends chart today.
Newer ones are not written beside them, so nothing counts twice. Ids, URIs and sessions are never
attributes of a metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter_ns
from typing import Any

from opentelemetry.metrics import Histogram, Meter

from subscribers.bridge.failures import Failure, is_callers_fault
from subscribers.content.convert import number

_MODEL_CALL = (
    "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model",
    "gen_ai.response.model", "server.address", "server.port",
)  # fmt: skip
_RPC = (
    "mcp.method.name", "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.prompt.name",
    "mcp.protocol.version", "jsonrpc.protocol.version", "network.transport",
    "network.protocol.name", "server.address", "server.port",
)  # fmt: skip
_WORKFLOW = ("gen_ai.workflow.name",)
_SESSION = ("network.transport", "network.protocol.name", "mcp.protocol.version")
_REQUIRED = {"gen_ai.provider.name": "unknown", "gen_ai.operation.name": "chat"}

_CALL_BUCKETS_S = [0.01 * 2**power for power in range(14)]
_TOKEN_BUCKETS = [4**power for power in range(14)]
_RPC_BUCKETS_S = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
_WORKFLOW_BUCKETS_S = [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200]

MAX_CONNECTIONS = 256


class Metrics:
    """The instruments of one meter."""

    def __init__(self, meter: Meter) -> None:
        def seconds(name: str, what: str, buckets: Sequence[float]) -> Histogram:
            return meter.create_histogram(
                name, "s", what, explicit_bucket_boundaries_advisory=buckets
            )

        self._model_calls = seconds(
            "gen_ai.client.operation.duration", "Duration of an LLM call.", _CALL_BUCKETS_S
        )
        self._first_chunks = seconds(
            "gen_ai.client.operation.time_to_first_chunk",
            "Time from an LLM call to the first chunk of its response.",
            _CALL_BUCKETS_S,
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Input and output tokens of LLM calls.",
            explicit_bucket_boundaries_advisory=_TOKEN_BUCKETS,
        )
        self._workflows = seconds(
            "gen_ai.workflow.duration", "Duration of a workflow.", _WORKFLOW_BUCKETS_S
        )
        self._sent = seconds(
            "mcp.client.operation.duration", "Duration of a sent MCP request.", _RPC_BUCKETS_S
        )
        self._handled = seconds(
            "mcp.server.operation.duration", "Duration of a handled MCP request.", _RPC_BUCKETS_S
        )
        self._sessions = seconds(
            "mcp.client.session.duration", "Duration of an MCP connection.", _RPC_BUCKETS_S
        )
        self._connected_ns: dict[Any, int] = {}

    def finished(
        self, family: str, facts: Mapping[str, Any], took_s: float, failure: Failure | None
    ) -> None:
        """Count an operation that has ended.

        Args:
            family: Family of its span; only some are counted.
            facts: Attributes in the official vocabulary.
            took_s: Duration in seconds.
            failure: Reason of a failure.
        """
        error_type = None if failure is None else failure.type
        match family:
            case "llm":
                self._model_call(facts, took_s, error_type)
            case "workflow":
                attributes = _failed(_only(_WORKFLOW, facts), error_type)
                self._workflows.record(took_s, attributes)
            case "rpc":
                self._sent.record(took_s, _rpc_attributes(facts, failure, error_type))
            case "rpc_handle":
                if failure is not None and is_callers_fault(failure):
                    error_type = None
                self._handled.record(took_s, _rpc_attributes(facts, failure, error_type))

    def _model_call(self, facts: Mapping[str, Any], took_s: float, error_type: str | None) -> None:
        attributes = {**_REQUIRED, **_only(_MODEL_CALL, facts)}
        for side in ("input", "output"):
            count = facts.get(f"gen_ai.usage.{side}_tokens")
            if isinstance(count, int) and count >= 0:
                self._tokens.record(count, {**attributes, "gen_ai.token.type": side})
        self._model_calls.record(took_s, _failed(attributes, error_type))

    def first_chunk(self, facts: Mapping[str, Any], first_chunk_ns: int) -> None:
        """Record the time to the first chunk of a streamed answer."""
        self._first_chunks.record(first_chunk_ns / 1e9, {**_REQUIRED, **_only(_MODEL_CALL, facts)})

    def connected(self, connection: Any) -> None:
        """Record the start of a connection; the oldest goes when there are too many."""
        if len(self._connected_ns) >= MAX_CONNECTIONS:
            self._connected_ns.pop(next(iter(self._connected_ns)), None)
        self._connected_ns[connection] = perf_counter_ns()

    def disconnected(self, connection: Any, facts: Mapping[str, Any], error: str | None) -> None:
        """Count a closed connection whose start is known."""
        began_ns = self._connected_ns.pop(connection, None)
        if began_ns is not None:
            attributes = _failed(_only(_SESSION, facts), error)
            self._sessions.record((perf_counter_ns() - began_ns) / 1e9, attributes)


def duration_s(kwargs: Mapping[str, Any], began_ns: int) -> float:
    """Return the emitter's measurement, else the time since `began_ns` (`perf_counter_ns`)."""
    duration_ms = number(kwargs.get("duration_ms"))
    if duration_ms is not None and duration_ms >= 0:
        return duration_ms / 1e3
    return (perf_counter_ns() - began_ns) / 1e9


def _only(keys: tuple[str, ...], facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: facts[key] for key in keys if key in facts}


def _rpc_attributes(
    facts: Mapping[str, Any], failure: Failure | None, error_type: str | None
) -> dict[str, Any]:
    attributes = _failed(_only(_RPC, facts), error_type)
    if failure is not None and failure.rpc_code is not None:
        attributes["rpc.response.status_code"] = failure.rpc_code
    return attributes


def _failed(attributes: dict[str, Any], error_type: str | None) -> dict[str, Any]:
    return attributes if error_type is None else {**attributes, "error.type": error_type}
