"""Span events of `capture_state` and `dump_state_to_span`."""

from __future__ import annotations

import contextvars
import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import attrs
import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.trace import Span, SpanContext
from pydantic import BaseModel

import inspector
from instrument import Bus
from subscribers import (
    Capture,
    Options,
    Vocabulary,
    capture_state,
    dump_state_to_span,
    install,
)
from subscribers.bridge.moments import LiveRecords
from subscribers.content.json_patch import difference
from subscribers.content.redaction import Redactor
from subscribers.content.serialise import to_json
from subscribers.content.snapshots import (
    MAX_SNAPSHOT_BYTES,
    MAX_SNAPSHOT_NODES,
    MAX_UNREAD,
    Snapshots,
)
from tests.unit.subscribers.conftest import Traced


@dataclasses.dataclass
class Point:
    x: int
    password: str


class Model(BaseModel):
    x: int
    password: str


@attrs.define
class Attrs:
    x: int
    password: str


def captured(traced: Traced, *values: Any, name: str = "plan") -> list[dict[str, Any]]:
    with traced.bus.operation("tool_call", tool_name="t", args={}):
        for value in values:
            capture_state(name, value, description="said", bus=traced.bus)
    span = traced.spans[-1]
    return [dict(event.attributes or {}) for event in span.events]


@pytest.mark.parametrize("make", [Point, Model, Attrs, lambda x, password: locals()])
def test_state_is_an_event_with_the_whole_snapshot_but_its_secrets(
    traced: Traced, make: Any
) -> None:
    (event,) = captured(traced, make(x=1, password="hunter22"))
    assert json.loads(event["inspector.state.value"]) == {"x": 1, "password": "[redacted]"}
    assert event["inspector.state.name"] == "plan"
    assert event["inspector.state.description"] == "said"
    span = traced.spans[-1]
    assert span.events[0].name == "inspector.state"
    assert (span.attributes or {})["mcp.state.plan_json"] == event["inspector.state.value"]


async def test_a_decorated_function_shows_what_it_returns(traced: Traced) -> None:
    @dump_state_to_span(description="route", bus=traced.bus)
    def choose() -> dict[str, str]:
        return {"to": "a"}

    @dump_state_to_span(bus=traced.bus)
    async def plan() -> list[int]:
        return [1]

    async with traced.bus.operation("tool_call", tool_name="t", args={}):
        assert choose() == {"to": "a"}
        assert await plan() == [1]
    attributes = traced.spans[-1].attributes or {}
    assert attributes["mcp.result.route_json"] == '{"to":"a"}'
    assert attributes["mcp.result.plan_json"] == "[1]"
    names = [(e.attributes or {})["inspector.state.name"] for e in traced.spans[-1].events]
    assert names == ["route", "plan"]


def test_a_large_state_is_reported_by_what_changed(traced: Traced) -> None:
    states = [{"n": n, "notes": ["note " * 20] * 500} for n in range(3)]
    first, second, third = captured(traced, *states)
    assert "inspector.state.patch" not in first
    assert "inspector.state.value" in first["inspector.truncated"]
    for before, event, state in ((first, second, states[1]), (second, third, states[2])):
        assert "inspector.state.value" not in event
        assert event["inspector.state.base"] == before["inspector.state.hash"]
        assert event["inspector.state.hash"] == canonical_hash(state)
    assert json.loads(third["inspector.state.patch"]) == [
        {"op": "replace", "path": "/n", "value": 2}
    ]


def test_a_state_that_grew_too_large_can_be_put_together(traced: Traced) -> None:
    small: dict[str, Any] = {"notes": ["note " * 20] * 250}
    large = {"notes": [*small["notes"], *["more " * 20] * 100]}
    whole, patch = captured(traced, small, large)
    rebuilt = jsonpatch.apply_patch(
        json.loads(whole["inspector.state.value"]), json.loads(patch["inspector.state.patch"])
    )
    assert rebuilt == large
    assert patch["inspector.state.base"] == canonical_hash(small)


def test_a_state_that_is_far_too_large_is_cut_and_marked() -> None:
    snapshot = Snapshots(None, 30_720).take("k", {"s": "x" * (MAX_SNAPSHOT_BYTES + 1)})()
    assert snapshot.value is not None
    assert snapshot.value.is_truncated
    assert len(snapshot.value.text) <= 30_720
    assert snapshot.hash is None


@pytest.mark.parametrize("notes", [MAX_SNAPSHOT_NODES // 2, MAX_SNAPSHOT_NODES // 2 - 2])
def test_a_state_of_too_many_parts_is_cut_as_one_that_is_read_whole(notes: int) -> None:
    state = {"password": "hunter22", "notes": [{"n": n} for n in range(notes)]}
    snapshot = Snapshots(Redactor(), 1_000).take("k", state)()
    assert snapshot.value is not None
    assert snapshot.value.is_truncated
    assert snapshot.value.text == to_json(state, redactor=Redactor(), max_bytes=1_000).text
    assert "hunter22" not in snapshot.value.text
    assert (snapshot.hash is None) == (notes == MAX_SNAPSHOT_NODES // 2)


def test_states_of_two_traces_are_not_mixed(traced: Traced) -> None:
    large = {"notes": ["note " * 20] * 500}
    captured(traced, large)
    (event,) = captured(traced, large)
    assert "inspector.state.patch" not in event


@pytest.mark.slow
def test_what_is_remembered_is_bounded() -> None:
    snapshots = Snapshots(None, 1_000)
    for number in range(400):
        snapshots.take(number, {"n": number, "s": ["x" * 100] * 1_000})
    assert len(snapshots._stored) < 100
    assert snapshots.take(399, {"n": 400, "s": ["x" * 100] * 1_000})().patch is not None


class Reads(SpanProcessor, LiveRecords):
    """Gets spans and live records, and reads them when it is asked."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []
        self.moments: list[Mapping[str, Any]] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)

    def moment(
        self, name: str, time_ns: int, span: SpanContext | None, attributes: Mapping[str, Any]
    ) -> None:
        self.moments.append(attributes)

    def progress(self, span: Span, attributes: Mapping[str, Any]) -> None: ...

    def soon(self, span: Span, changes: Callable[[], Mapping[str, Any]]) -> None: ...

    def all(self) -> list[Any]:
        events = [dict(event.attributes or {}) for span in self.spans for event in span.events]
        return [
            *events,
            *map(dict, self.moments),
            *[dict(one.attributes or {}) for one in self.spans],
        ]


@pytest.fixture
def reads() -> Reads:
    return Reads()


@contextmanager
def redacting(reads: Reads, callback: Callable[[str], str]) -> Iterator[Bus]:
    """Yield a bus whose states are redacted by `callback`."""
    provider, bus = TracerProvider(shutdown_on_exit=False), Bus()
    provider.add_span_processor(reads)
    options, redactor = Options(capture=Capture.REDACTED), Redactor(callback=callback)
    off = install(bus, tracer_provider=provider, options=options, redactor=redactor, live=reads)
    yield bus
    off()


def test_states_and_results_are_read_at_once_and_treated_by_the_thread_that_reads_the_span(
    reads: Reads,
) -> None:
    threads: set[int] = set()

    def redact(text: str) -> str:
        if text.startswith("note"):
            threads.add(get_ident())
        return text.upper()

    state: dict[str, Any] = {"n": 0, "notes": ["note " * 20] * 500}
    result = ["note"]
    with redacting(reads, redact) as bus, bus.operation("tool_call", tool_name="t", args={}) as op:
        for state["n"] in range(3):
            capture_state("plan", state, bus=bus)
        op.result = result
    state.clear()
    result.clear()
    assert not threads
    with ThreadPoolExecutor(2) as others:
        alike = [others.submit(reads.all).result() for _ in range(2)]
    assert get_ident() not in threads
    assert alike[0] == alike[1] == reads.all()
    *_, last, attributes = reads.all()
    assert json.loads(last["inspector.state.patch"]) == [
        {"op": "replace", "path": "/N", "value": 2}
    ]
    assert attributes["mcp.state.PLAN_json"].startswith('{"N":0,"NOTES":["NOTE ')
    assert attributes["mcp.state.PLAN_json_truncated"] is True
    assert attributes["gen_ai.tool.call.result"] == attributes["mcp.tool.output_json"] == '["NOTE"]'
    assert attributes["mcp.status.code"] == "ok"


def test_few_states_wait_for_somebody_to_read_them(reads: Reads) -> None:
    seen: list[str] = []

    def redact(text: str) -> str:
        if text.startswith("number"):
            seen.append(text)
        return text

    with redacting(reads, redact) as bus, bus.operation("tool_call", tool_name="t", args={}):
        for number in range(40):
            capture_state("plan", {"n": f"number {number}"}, bus=bus)
        assert seen == [f"number {number}" for number in range(40 - MAX_UNREAD)]


@pytest.mark.parametrize("vocabulary", list(Vocabulary))
def test_without_content_only_the_name_is_reported(vocabulary: Vocabulary) -> None:
    traced = Traced(capture=Capture.OFF, vocabulary=vocabulary)
    (event,) = captured(traced, {"x": "secret"})
    assert set(event) <= {"inspector.state.name", "inspector.state.description"}
    assert "secret" not in str(traced.spans[-1].attributes)
    traced.off()


def test_a_state_whose_name_is_a_secrets_is_not_shown(traced: Traced) -> None:
    (event,) = captured(traced, "abc", name="api_key")
    assert event["inspector.state.value"] == '"[redacted]"'


def test_a_span_that_another_task_has_ended_gets_no_state(
    traced: Traced, caplog: pytest.LogCaptureFixture
) -> None:
    here = contextvars.copy_context()
    here.run(traced.bus._emit_sync, "before_tool_call", tool_name="t", args={}, context=None)
    traced.bus._emit_sync("after_tool_call", tool_name="t", args={}, context=None, result=1)
    here.run(capture_state, "plan", 1, bus=traced.bus)
    assert len(traced.spans) == 1
    assert caplog.messages == []


def test_without_a_span_or_a_listener_nothing_happens(traced: Traced) -> None:
    capture_state("x", 1, bus=traced.bus)
    inspector.capture_state("x", 1)
    assert inspector.dump_state_to_span()(lambda: 1)() == 1
    assert traced.spans == []


def canonical_hash(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a", 1.0, 0.5]),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["", "a", "b", "~", "/", "~1", "0"]), inner, max_size=5)
    ),
    max_leaves=25,
)


@given(json_values, json_values)
def test_another_library_makes_the_new_value_of_the_old_one(old: Any, new: Any) -> None:
    patch = list(difference(old, new))
    made = jsonpatch.apply_patch(old, patch)
    assert json.dumps(made, sort_keys=True) == json.dumps(new, sort_keys=True)
    assert list(difference(new, new)) == []
