"""Turns at the writer: bounded, fair, and nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.service.ingest.turns import COMMIT_S, MAX_WORK, MIN_WORK, Part, Submission, Turns
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming, log

_MOST_OF_ONE_ITEM = 5
"""A span in a trace of its own."""


def _batch(traces: int, spans_each: int = 1, logs: int = 0) -> Submission:
    spans = [
        incoming(span(trace=trace + 1, span_id=number + 1))
        for trace in range(traces)
        for number in range(spans_each)
    ]
    return Submission(spans, [log("note", trace=1) for _ in range(logs)], size_bytes=1)


def _work(parts: list[Part]) -> int:
    return sum(part.work for part in parts)


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 3), st.integers(0, 900)), max_size=5),
    st.lists(st.floats(0.001, 5), min_size=1, max_size=5),
)
def test_every_commit_is_bounded_and_takes_each_item_once(
    shapes: list[tuple[int, int, int]], times_s: list[float]
) -> None:
    turns, batches = Turns(), [_batch(*shape) for shape in shapes]
    for batch in batches:
        turns.add(batch)
    spans = {id(batch): 0 for batch in batches}
    logs = dict(spans)
    turn = 0
    while turns:
        parts = turns.take()
        assert parts
        assert MIN_WORK <= turns.work <= MAX_WORK
        assert _work(parts) <= turns.work + _MOST_OF_ONE_ITEM
        for part in parts:
            spans[id(part.batch)] += len(part.spans)
            logs[id(part.batch)] += len(part.logs)
            if not part.batch.is_done:
                turns.add(part.batch)
        turns.learn(parts, times_s[turn % len(times_s)])
        turn += 1
    assert list(spans.values()) == [len(batch.spans) for batch in batches]
    assert list(logs.values()) == [len(batch.logs) for batch in batches]


@pytest.mark.slow
def test_a_commit_that_took_long_makes_the_next_one_smaller_and_fast_ones_larger() -> None:
    turns, large = Turns(), _batch(20_000)
    turns.add(large)
    first = turns.take()
    turns.learn(first, 4 * COMMIT_S)
    turns.add(large)
    second = turns.take()
    assert _work(second) < _work(first) / 3
    for _ in range(10):
        turns.add(large)
        turns.learn(turns.take(), COMMIT_S / 10)
    assert turns.work == MAX_WORK


def test_what_came_first_is_done_first_and_a_large_batch_shares() -> None:
    turns = Turns()
    large, small = _batch(5_000), _batch(10)
    turns.add(large)
    turns.add(small)
    parts = turns.take()
    assert [part.batch for part in parts] == [large, small]
    assert small.is_done
    assert not large.is_done


def test_the_key_of_a_session_goes_first() -> None:
    """A trace whose last span names the session would be written twice."""
    many = _batch(1, 3_000)
    late = incoming(span(trace=1, span_id=9_999, attributes={"session.id": "s"}))
    assert Submission([*many.spans, late], [], 1).take(1).spans == [late]
