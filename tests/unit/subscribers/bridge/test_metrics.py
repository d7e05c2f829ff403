"""Durations and tokens, read back from the SDK."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    HistogramDataPoint,
    InMemoryMetricReader,
    Metric,
)

from instrument.stream import StreamStats
from subscribers import Vocabulary
from tests.unit.subscribers.conftest import Traced

NEVER = {"jsonrpc.request.id", "mcp.session.id", "session.id", "mcp.resource.uri"}


class Measured(Traced):
    """A bus whose hooks are counted, too."""

    def __init__(self, **options: Any) -> None:
        self.reader = InMemoryMetricReader()
        meters = MeterProvider([self.reader], shutdown_on_exit=False)
        super().__init__(meter_provider=meters, **{"has_metrics": True, **options})

    def metrics(self) -> dict[str, Metric]:
        data = self.reader.get_metrics_data()
        if data is None:
            return {}
        return {
            metric.name: metric
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def points(self, name: str) -> list[HistogramDataPoint]:
        metric = self.metrics().get(name)
        points = [] if metric is None else list(metric.data.data_points)
        found = [point for point in points if isinstance(point, HistogramDataPoint)]
        assert found == points
        assert not any(NEVER & set(point.attributes or {}) for point in found)
        return found

    def point(self, name: str) -> HistogramDataPoint:
        (point,) = self.points(name)
        return point


@pytest.fixture(params=Vocabulary)
def measured(request: pytest.FixtureRequest) -> Iterator[Measured]:
    token = otel_context.attach(Context())
    measured = Measured(vocabulary=request.param)
    yield measured
    measured.off()
    otel_context.detach(token)


def llm(**more: Any) -> dict[str, Any]:
    return {"llm": None, "prompt": "p", "model": "m-1", "provider": "azure", **more}


async def test_a_model_call_has_a_duration_and_its_tokens(measured: Measured) -> None:
    async with measured.bus.operation("llm_generate", **llm()) as op:
        op.result = {"model": "m-1-0613"}
        op.set(usage={"input_tokens": 30, "output_tokens": 5})
    duration = measured.point("gen_ai.client.operation.duration")
    expected = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "azure.ai.openai",
        "gen_ai.request.model": "m-1",
        "gen_ai.response.model": "m-1-0613",
    }
    assert duration.attributes == expected
    assert (duration.count, duration.sum > 0) == (1, True)
    assert duration.explicit_bounds[:2] == (0.01, 0.02)
    tokens = {
        str((point.attributes or {})["gen_ai.token.type"]): point
        for point in measured.points("gen_ai.client.token.usage")
    }
    assert {kind: point.sum for kind, point in tokens.items()} == {"input": 30, "output": 5}
    assert tokens["input"].attributes == {**expected, "gen_ai.token.type": "input"}
    assert measured.metrics()["gen_ai.client.token.usage"].unit == "{token}"
    assert measured.metrics()["gen_ai.client.operation.duration"].unit == "s"


async def test_a_model_call_that_fails_says_why_and_counts_no_tokens(measured: Measured) -> None:
    with contextlib.suppress(TimeoutError):
        async with measured.bus.operation("llm_generate", **llm()):
            raise TimeoutError
    duration = measured.point("gen_ai.client.operation.duration")
    assert (duration.attributes or {})["error.type"] == "timeout"
    assert measured.points("gen_ai.client.token.usage") == []


async def test_a_streamed_answer_has_a_time_to_its_first_piece(measured: Measured) -> None:
    emit, stream = measured.bus._emit, StreamStats(3, None, 2_500_000_000, 0)
    for noun, kwargs in (("llm_generate", llm()), ("agent_call", {"agent": None})):
        identity = {"call_id": noun, "noun": noun}
        await emit("operation_opened", parent_call_id=None, kwargs=kwargs, **identity)
        await emit("operation_closed", status="ok", exc=None, stream=stream, **identity)
    assert measured.point("gen_ai.client.operation.time_to_first_chunk").sum == 2.5


def request(tool: str = "t") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool}}


@pytest.mark.parametrize("is_merged", [True, False])
async def test_a_request_is_counted_once_with_what_its_emitter_measured(
    measured: Measured, is_merged: bool
) -> None:
    emit = measured.bus._emit
    if is_merged:
        await emit("before_tool_call", tool_name="t", args={}, context=None)
    await emit("before_rpc_request", envelope=request(), transport="http")
    answer = {"jsonrpc": "2.0", "id": 7, "result": {"content": []}}
    await emit("after_rpc_response", envelope=answer, transport="http", duration_ms=250)
    if is_merged:
        await emit("after_tool_call", tool_name="t", args={}, result="x", context=None)
    point = measured.point("mcp.client.operation.duration")
    assert (point.count, point.sum) == (1, 0.25)
    expected = dict(point.attributes or {})
    assert expected["mcp.method.name"] == "tools/call"
    assert expected["gen_ai.tool.name"] == "t"
    assert expected["network.transport"] == "tcp"
    assert "error.type" not in expected


@pytest.mark.parametrize(
    ("noun", "code", "error_type"),
    [
        ("rpc_request", -32602, "-32602"),
        ("rpc_handle", -32602, None),
        ("rpc_handle", -32603, "-32603"),
    ],
)
async def test_a_request_that_fails_is_counted_as_its_side_sees_it(
    measured: Measured, noun: str, code: int, error_type: str | None
) -> None:
    async with measured.bus.operation(noun, envelope=request(), transport="stdio") as op:
        op.result = {"jsonrpc": "2.0", "id": 7, "error": {"code": code, "message": "m"}}
    side = "server" if noun == "rpc_handle" else "client"
    expected = dict(measured.point(f"mcp.{side}.operation.duration").attributes or {})
    assert expected.get("error.type") == error_type
    assert expected["rpc.response.status_code"] == str(code)


async def test_workflows_and_connections_have_durations(measured: Measured) -> None:
    async with measured.bus.operation("workflow_run", workflow={"name": "w"}, context=None):
        pass
    assert measured.point("gen_ai.workflow.duration").attributes == {"gen_ai.workflow.name": "w"}
    emit, where = measured.bus._emit, {"transport_type": "sse", "uri": "http://h/"}
    await emit("transport_connected", **where)
    await emit("transport_disconnected", **where, reason=OSError("gone"))
    await emit("transport_disconnected", **where, reason=None)
    point = measured.point("mcp.client.session.duration")
    assert point.count == 1
    assert point.attributes == {
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "error.type": "OSError",
    }


async def test_an_end_without_a_beginning_has_no_duration(measured: Measured) -> None:
    await measured.bus._emit("after_llm_generate", **llm(), response="r", usage=None)
    assert len(measured.spans) == 1
    assert measured.metrics() == {}


async def test_nothing_is_counted_unless_enabled() -> None:
    measured = Measured(has_metrics=False)
    async with measured.bus.operation("llm_generate", **llm()):
        pass
    assert measured.metrics() == {}
