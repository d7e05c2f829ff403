"""Trace locations of operations and of the running code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context

from subscribers.bridge.location import NO_LOCATION, OpenOperation, TraceLocation
from tests.support.agents.wired_bus import WiredBus


@pytest.fixture
def wired() -> Iterator[WiredBus]:
    token = otel_context.attach(Context())
    wired = WiredBus()
    yield wired
    wired.wiring.undo()
    otel_context.detach(token)


async def test_an_operation_has_the_place_of_its_span_on_any_thread(wired: WiredBus) -> None:
    wired.session = "s-1"
    async with wired.bus.operation("agent_call", agent="a") as op:
        context = trace.get_current_span().get_span_context()
        expected = TraceLocation(
            "s-1",
            trace.format_trace_id(context.trace_id),
            trace.format_span_id(context.span_id),
        )
        found = await asyncio.to_thread(wired.wiring.location_of, op.call_id)
        assert found == expected == wired.wiring.location_of(None)

    assert wired.wiring.location_of(None) == TraceLocation("s-1")
    wired.session = None
    assert wired.wiring.location_of("unknown") == NO_LOCATION


async def test_what_is_open_names_its_task_and_its_parent(wired: WiredBus) -> None:
    async with wired.bus.operation("agent_call", agent="a") as outer:
        async with wired.bus.operation("tool_call", tool_name="t", args={}) as inner:
            found = {one.call_id: one for one in wired.wiring.open_operations()}
            assert found.keys() == {outer.call_id, inner.call_id}
            first, second = found[outer.call_id], found[inner.call_id]
            assert (first.parent_span_id, second.parent_span_id) == (None, first.location.span_id)
            assert first.task is second.task is asyncio.current_task()
            assert first.began_ns < second.began_ns
        assert wired.ids() == [outer.call_id]
    assert wired.ids() == []


async def test_bare_hooks_are_open_operations_too(wired: WiredBus) -> None:
    await wired.bus._emit("before_tool_call", tool_name="t", args={}, context=None)
    (found,) = wired.wiring.open_operations()
    assert (found.call_id, found.task) == (None, asyncio.current_task())
    await wired.bus._emit("after_tool_call", tool_name="t", result=1, context=None)


def test_sync_code_has_no_task(wired: WiredBus) -> None:
    found: list[OpenOperation] = []

    def work() -> None:
        with wired.bus.operation("tool_call", tool_name="t", args={}):
            found.extend(wired.wiring.open_operations())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [one.task for one in found] == [None]


def test_the_process_is_named_as_its_telemetry_names_it(wired: WiredBus) -> None:
    name = wired.wiring.process()
    assert name.service == "svc"
    assert name.id == wired.wiring.process().id != ""
