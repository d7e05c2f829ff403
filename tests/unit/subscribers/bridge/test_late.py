"""Late attributes, beside those of the SDK that are set at once."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.trace import NonRecordingSpan

from subscribers.bridge import late
from subscribers.bridge.late import MAX_LATE, LateAttributes

_KEYS = st.sampled_from(["a", "b", "c", "d", "e", ""])
"""The last is none: it is dropped, and counted."""
_ITEMS = st.dictionaries(_KEYS, st.integers() | st.text(max_size=9) | st.lists(st.integers()))
_STEPS = st.lists(st.tuples(st.sampled_from(["late", "set", "one", "read", "delete"]), _ITEMS))


_READINGS: list[Callable[[Any], object]] = [
    len,
    repr,
    dict,
    lambda attributes: attributes.copy(),
    lambda attributes: dict(copy.copy(attributes)),
    lambda attributes: dict(copy.deepcopy(attributes)),
]


@given(
    _ITEMS,
    _STEPS,
    st.none() | st.integers(0, 4),
    st.none() | st.integers(1, 5),
    st.sampled_from(_READINGS),
)
def test_they_are_what_they_would_be_if_they_were_set_at_once(
    known: dict[str, Any],
    steps: list[tuple[str, dict[str, Any]]],
    maxlen: int | None,
    max_value_len: int | None,
    first_reading: Callable[[Any], object],
) -> None:
    eager = BoundedAttributes(maxlen, known, False, max_value_len)
    slow = LateAttributes(BoundedAttributes(maxlen, known, False, max_value_len))
    for what, items in steps:
        match what:
            case "late":
                slow.add(lambda items=items: items)  # type: ignore[misc]
                eager.update(items)
            case "set":
                slow._set_items(items)
                eager._set_items(items)
            case "one":
                for key, value in items.items():
                    eager[key] = slow[key] = value
            case "read":
                assert [slow.get(key) for key in items] == [eager.get(key) for key in items]
            case "delete":
                for key in items.keys() & eager.keys():
                    del slow[key], eager[key]
    for reading in (first_reading, *_READINGS):
        assert reading(slow) == reading(eager)
    # What was set after late ones is kept once: what was dropped and came back counts once.
    assert bool(slow.dropped) == bool(eager.dropped)
    assert slow.dropped == eager.dropped or maxlen is not None


def test_they_are_computed_once_and_after_the_end_too_and_a_failure_costs_only_its_own(
    caplog: pytest.LogCaptureFixture,
) -> None:
    limits = SpanLimits(max_attribute_length=4)
    provider = TracerProvider(span_limits=limits, shutdown_on_exit=False)
    span: Any = provider.get_tracer("t").start_span("s", attributes={"a": 1})
    calls: list[str] = []

    def failing() -> dict[str, Any]:
        raise ValueError

    def computed() -> dict[str, Any]:
        calls.append("computed")
        return {"b": "long text"}

    late.set_attributes(span, failing)
    late.set_attributes(span, computed)
    late.add_event(span, "event", {"c": 3}, 1, computed)
    span.set_attribute("b2", "after")
    span.end()
    with pytest.raises(TypeError):
        span._attributes["d"] = 1
    assert not calls
    for _ in range(2):
        assert dict(span.attributes) == {"a": 1, "b": "long", "b2": "afte"}
        assert dict(span.events[0].attributes) == {"c": 3, "b": "long"}
    assert calls == ["computed"] * 2
    assert [record.message for record in caplog.records if "computed" in record.message]
    with pytest.raises(TypeError):
        span._attributes["d"] = 1


def test_a_span_that_runs_for_long_holds_only_the_newest_that_are_late() -> None:
    computed: list[int] = []

    def computing(number: int) -> dict[str, Any]:
        computed.append(number)
        return {"n": number}

    slow = LateAttributes(BoundedAttributes(immutable=False))
    for number in range(100):
        slow.add(partial(computing, number))
    assert computed == list(range(100 - MAX_LATE))
    assert dict(slow) == {"n": 99}


def test_a_redactor_may_write_to_the_span_that_it_is_called_for() -> None:
    span: Any = TracerProvider(shutdown_on_exit=False).get_tracer("t").start_span("s")

    def redacted(number: int) -> dict[str, Any]:
        span.set_attribute("redacted", number)
        return {f"content {number}": span.attributes.get("name")}

    def agent() -> None:
        span.set_attribute("name", "the agent's")
        for number in range(MAX_LATE):
            late.set_attributes(span, partial(redacted, number))
        for number in range(2 * MAX_LATE):
            span.set_attribute("step", number)
        late.set_attributes(span, partial(redacted, MAX_LATE))
        span.end()

    thread = threading.Thread(target=agent, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive(), "a lock of the span is held while the redactor runs"
    attributes = dict(span.attributes)
    assert attributes["redacted"] in range(MAX_LATE + 1)
    assert attributes["step"] == 2 * MAX_LATE - 1
    assert {f"content {number}" for number in range(MAX_LATE + 1)} <= set(attributes)
    assert attributes["content 0"] == "the agent's"


def test_setting_more_attributes_keeps_no_more_than_the_span_does() -> None:
    slow = LateAttributes(BoundedAttributes(4, None, False))
    slow.add(dict)
    for number in range(1_000):
        slow[str(number)] = number
    assert len(slow._late) == 2
    assert dict(slow) == {str(number): number for number in range(996, 1_000)}
    assert slow.dropped == 996


def test_a_copy_is_complete_and_leaves_the_original_complete() -> None:
    for read_first in ("copy", "original"):
        slow = LateAttributes(BoundedAttributes(attributes={"a": 1}, immutable=False))
        slow.add(lambda: {"b": 2})
        copied = copy.copy(slow)
        for one in (copied, slow) if read_first == "copy" else (slow, copied):
            assert dict(one) == {"a": 1, "b": 2}
        slow["c"] = 3
        assert "c" not in copied


def test_a_wrapper_of_a_span_gets_them_as_it_gets_others() -> None:
    class Wrapper(NonRecordingSpan):
        """Hands on what it lacks, as Logfire's does, and hides a value."""

        def __init__(self, span: Any) -> None:
            super().__init__(span.get_span_context())
            self._span = span

        def __getattr__(self, name: str) -> Any:
            return getattr(self._span, name)

        def set_attributes(self, attributes: Mapping[str, Any]) -> None:
            self._span.set_attributes({**attributes, "secret": "hidden"})

        def add_event(self, name: str, attributes: Any = None, timestamp: Any = None) -> None:
            self._span.add_event(name, {**attributes, "secret": "hidden"}, timestamp)

    inner: Any = TracerProvider(shutdown_on_exit=False).get_tracer("t").start_span("s")
    late.set_attributes(Wrapper(inner), lambda: {"a": 1, "secret": "s"})
    late.add_event(Wrapper(inner), "event", {"b": 2}, 3, lambda: {"secret": "s"})
    assert dict(inner.attributes) == {"a": 1, "secret": "hidden"}
    assert dict(inner.events[0].attributes) == {"b": 2, "secret": "hidden"}


def test_a_span_whose_parts_have_other_names_gets_them_at_once() -> None:
    class Other:
        def __init__(self) -> None:
            self.attributes: dict[str, Any] = {}
            self.events: list[Any] = []

        def set_attributes(self, attributes: Any) -> None:
            self.attributes.update(attributes)

        def add_event(self, *event: Any) -> None:
            self.events.append(event)

    span: Any = Other()
    late.set_attributes(span, lambda: {"a": 1})
    late.add_event(span, "event", {"b": 2}, 3, lambda: {"c": 4})
    assert span.attributes == {"a": 1}
    assert span.events == [("event", {"b": 2, "c": 4}, 3)]
