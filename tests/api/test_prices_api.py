from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import StoreUnavailableError
from inspector.service.ingest import repricing
from inspector.service.ingest.recorder import Repriced
from inspector.service.model.rows import Json
from tests.support.services.api import Api
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import span_hex, trace_hex

PROTOBUF = {"content-type": "application/x-protobuf"}


def call(number: int, *, trace: int = 1, model: str = "gpt-4o", **more: Json) -> Span:
    attributes: dict[str, Json] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": model,
        "gen_ai.usage.input_tokens": 1_000,
        "gen_ai.usage.output_tokens": 100,
        "session.id": "S",
        **{key.replace("__", "."): value for key, value in more.items()},
    }
    return span(f"chat {model}", trace=trace, span_id=number, attributes=attributes)


async def get(api: Api, path: str) -> Any:
    answer = await api.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def usage(api: Api, number: int, trace: int = 1) -> Any:
    return (await get(api, f"/spans/{trace_hex(trace)}/{span_hex(number)}"))["view"]["usage"]


async def recomputed(api: Api) -> Any:
    """Compute the costs again, and return the answer once that has ended."""
    assert (await api.post("/prices/recompute")).status_code == 202
    async with asyncio.timeout(20):
        while (found := await get(api, "/prices"))["recomputation"]["is_running"]:
            pass  # each request lets it go on
    return found["recomputation"]


async def test_a_stock_sdks_model_call_has_a_cost_wherever_costs_are_shown(api: Api) -> None:
    priced = call(3, llm__cost__total=1.5)
    body = trace_request(call(1), call(2, model="a-model-of-mine"), priced).SerializeToString()
    assert (await api.post("/v1/traces", content=body, headers=PROTOBUF)).status_code == 200
    (session,) = (await get(api, "/sessions"))["sessions"]
    assert session["cost_usd"] == pytest.approx(1.5035)
    found = [await usage(api, number) for number in (1, 2, 3)]
    assert [(one["cost_usd"], one["cost_source"]) for one in found] == [
        (pytest.approx(0.0035), "prices"),
        (None, None),
        (1.5, "sender"),
    ]
    statistics = await get(api, "/sessions/S/statistics")
    assert statistics["unpriced_models"] == ["a-model-of-mine"]
    by_model = {one["name"]: one["used"]["cost_usd"] for one in statistics["models"]}
    assert by_model["gpt-4o"] == pytest.approx(1.5035)
    assert (await get(api, "/prices"))["price_list"]["state"] == "loaded"


async def test_a_model_is_named_as_without_a_price_only_where_a_price_is_missed(api: Api) -> None:
    above = call(1, model="a-router")
    below = call(2)
    below.parent_span_id = above.span_id
    partly = call(3, model="gpt-5", trace=3, gen_ai__usage__output_tokens=None)
    running = call(4, model="a-model-that-runs", trace=4)
    running.end_time_unix_nano = 0
    unknown = call(5, model="a-model-of-mine", trace=5)
    body = trace_request(above, below, partly, running, unknown).SerializeToString()
    assert (await api.post("/v1/traces", content=body, headers=PROTOBUF)).status_code == 200
    assert (await get(api, "/sessions/S/statistics"))["unpriced_models"] == ["a-model-of-mine"]


async def test_stored_calls_get_their_costs_when_they_are_computed_again(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repricing, "_SPANS_A_STEP", 2)
    priced = call(99, trace=9, llm__cost__total=1.5)
    # As they were stored before there were prices.
    await api.submit(*(call(number) for number in range(1, 6)), call(6, model="mine"), priced)
    before = (await get(api, "/sessions/S"))["cost_usd"]
    assert before == pytest.approx(1.5)
    assert await recomputed(api) == {
        "is_running": False,
        "looked_at": 7,
        "changed": 5,
        "error": None,
    }
    assert (await get(api, "/sessions/S"))["cost_usd"] == pytest.approx(1.5 + 5 * 0.0035)
    assert (await usage(api, 1))["cost_source"] == "prices"
    assert (await usage(api, 99, 9))["cost_usd"] == 1.5
    again = await recomputed(api)
    assert (again["looked_at"], again["changed"]) == (7, 0)


async def test_calls_that_change_or_go_meanwhile_stay_as_they_are(api: Api) -> None:
    await api.submit(call(1), call(2), call(3, trace=2, session__id="T"))
    with api.parts.store.read() as reader:
        seen = [reader.spans(trace_hex(trace))[0] for trace in (1, 2)]
    await api.submit(call(1, llm__cost__total=7.0))
    await api.parts.writer.delete("T")
    stale = [Repriced(one, 0.5) for one in seen]
    assert await api.parts.writer.reprice(stale) == 0
    assert (await get(api, "/sessions/S"))["cost_usd"] == 7.0


async def test_a_store_that_cannot_be_written_ends_it_with_the_reason(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> int:
        raise StoreUnavailableError("Cannot write: the disk is full.")

    await api.submit(call(1))
    monkeypatch.setattr(api.parts.writer, "reprice", refuse)
    assert (await recomputed(api))["error"] == "Cannot write: the disk is full."


async def test_a_fault_ends_it_with_a_word(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("a fault")

    await api.submit(call(1))
    monkeypatch.setattr(api.parts.pricing, "cost_usd", fail)
    assert "a fault" in (await recomputed(api))["error"]


async def test_a_service_that_stops_waits_until_nothing_of_it_reads_the_store(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, answer = threading.Event(), threading.Event()

    def wait(*_: object) -> float:
        reading.set()
        assert answer.wait(20)
        return 0.5

    await api.submit(call(1))
    monkeypatch.setattr(api.parts.pricing, "cost_usd", wait)
    assert api.parts.repricing.start()
    await asyncio.to_thread(reading.wait, 20)
    closing = asyncio.create_task(api.parts.repricing.close())
    await get(api, "/prices")  # time in which it could end too early
    assert not closing.done()
    answer.set()
    await closing
    assert not api.parts.repricing.progress.is_running
    assert (await get(api, "/sessions/S"))["cost_usd"] == 0.5
