"""A pending span of Logfire becomes the start of the span that it announces."""

from __future__ import annotations

from itertools import permutations

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import SessionStatus, SpanStatus
from inspector.service.sessions.live import read_pending
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming, span_hex


def pending(number: int, of: int, *, parent: str = "0" * 16, name: str = "work") -> Span:
    """The record, number `number`, that span `of` has begun."""
    return span(
        name,
        span_id=number,
        parent=of,
        duration_ns=0,
        attributes={
            "logfire.span_type": "pending_span",
            "logfire.pending_parent_id": parent,
            "logfire.msg": "at work",
        },
    )


def test_what_has_begun_runs_under_its_own_id_and_parent() -> None:
    rig = Rig()
    rig.record(pending(91, of=2, parent=span_hex(1)))
    row = rig.span(2)
    assert (row.status, row.parent_span_id, row.name) == (
        SpanStatus.RUNNING,
        span_hex(1),
        "work",
    )
    assert [pair.key for pair in rig.content(2).attributes] == ["logfire.msg"]
    assert rig.session().status is SessionStatus.RUNNING
    assert rig.session().span_count == 1


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_begun_and_ended_is_one_span_in_any_order(order: tuple[int, ...]) -> None:
    rig = Rig()
    items = [
        pending(90, of=1),
        pending(91, of=2, parent=span_hex(1)),
        span("work", span_id=2, parent=1),
        span("work", span_id=1),
    ]
    for index in order:
        rig.record(items[index])
    assert rig.session().span_count == 2
    assert rig.span(1).status is rig.span(2).status is SpanStatus.UNSET


def test_a_process_without_heartbeats_is_not_lost_for_being_silent() -> None:
    rig = Rig()
    rig.record(incoming(pending(91, of=1), "logfire-made-this-id-up"))
    rig.wait(60)
    assert rig.span(1).status is SpanStatus.RUNNING


def test_a_span_that_only_takes_no_time_is_none() -> None:
    instant = span("log", parent=1, duration_ns=0, attributes={"logfire.span_type": "log"})
    assert read_pending(instant) is None
    assert read_pending(span("log", parent=1, duration_ns=0)) is None
