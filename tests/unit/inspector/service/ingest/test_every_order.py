"""The rules of sessions, with plain OTLP, in every order in which the spans may arrive."""

from __future__ import annotations

from itertools import permutations

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Engine, Json, SessionRow, SessionStatus
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import trace_hex

CONVERSATION: dict[str, Json] = {"gen_ai.conversation.id": "chat"}
BETTER: dict[str, Json] = {"session.id": "S"}
AGENT: dict[str, Json] = {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 30}
LLM: dict[str, Json] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "large",
    "gen_ai.usage.input_tokens": 10,
}
TOOL: dict[str, Json] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}

FLAG_REMOTE = 0x301
"""The parent's context is known to be remote."""

# Two traces of one session: the first says so by one of its children only.
RUN = (
    span("plan", trace=1, span_id=1, duration_ns=3 * SECOND_NS, attributes=AGENT),
    span("ask", trace=1, span_id=2, parent=1, start_ns=START_NS + 1, attributes={**LLM, **BETTER}),
    span("look", trace=1, span_id=3, parent=1, attributes=TOOL, error="no such page"),
    span("deep", trace=1, span_id=4, parent=3, attributes=CONVERSATION),
    span("again", trace=2, span_id=1, start_ns=START_NS + 9 * SECOND_NS, attributes=BETTER),
)


def arrived(spans: tuple[Span, ...]) -> Rig:
    """Return a rig where they came one after another, a moment apart."""
    rig = Rig()
    for one in spans:
        rig.record(one)
        rig.now_ns += SECOND_NS // 10
    return rig


def test_two_traces_of_one_session_come_to_the_same_in_every_order() -> None:
    for order in permutations(RUN):
        rig = arrived(order)
        assert rig.session().status is SessionStatus.RUNNING
        rig.wait(6)
        row = rig.session()
        assert summary(row) == (
            "S",
            SessionStatus.COMPLETED,  # an error of a child alone does not fail it
            "plan",
            Engine.OTLP,
            5,
            1,
            (1, 1),
            10,  # of the leaf: what the agent says is the same once more
            ("large",),
            START_NS,
            START_NS + 10 * SECOND_NS,
        )
        assert offsets(rig, "S") == [0, 0, 0, 1, 9 * SECOND_NS]
        assert moved(rig) <= {trace_hex(1), "chat"}


@pytest.mark.parametrize(
    ("first", "last", "status"),
    [
        (None, "boom", SessionStatus.FAILED),
        ("boom", None, SessionStatus.COMPLETED),
        ("boom", "boom", SessionStatus.FAILED),
    ],
)
def test_the_root_that_ended_last_decides_in_every_order(
    first: str | None, last: str | None, status: SessionStatus
) -> None:
    spans = (
        span(trace=1, attributes=BETTER, error=first),
        span(trace=1, span_id=2, parent=1, error="boom"),
        span(trace=2, attributes=BETTER, start_ns=START_NS + SECOND_NS, error=last),
        span(trace=2, span_id=2, parent=1, duration_ns=9 * SECOND_NS),
    )
    for order in permutations(spans):
        rig = arrived(order)
        rig.wait(6)
        assert rig.session().status is status


def test_without_a_root_it_is_lost_after_ten_silent_minutes_in_every_order() -> None:
    spans = tuple(span(span_id=number, parent=number + 1) for number in range(1, 5))
    for order in permutations(spans):
        rig = arrived(order)
        rig.wait(590)
        assert rig.session().status is SessionStatus.RUNNING
        rig.wait(20)
        assert rig.session().status is SessionStatus.LOST


def test_a_root_that_comes_after_it_was_lost_settles_it_in_every_order() -> None:
    late = span("root", span_id=9, duration_ns=4 * SECOND_NS)
    for order in permutations([span(span_id=n, parent=9) for n in range(1, 4)]):
        rig = arrived(order)
        rig.wait(700)
        rig.record(late)
        assert rig.session().status is SessionStatus.RUNNING
        rig.wait(6)
        assert (rig.session().status, rig.session().title) == (
            SessionStatus.COMPLETED,
            "root",
        )


def test_a_parent_in_another_process_makes_a_root_in_every_order() -> None:
    spans = (
        span("serve", span_id=1, parent=77, flags=FLAG_REMOTE, error="boom"),
        span("inner", span_id=2, parent=1),
        span("leaf", span_id=3, parent=2),
    )
    for order in permutations(spans):
        rig = arrived(order)
        rig.wait(6)
        assert (rig.session().status, rig.session().title) == (
            SessionStatus.FAILED,
            "serve",
        )


def test_a_late_span_that_makes_another_the_parent_of_usage_is_counted_right() -> None:
    spans = (
        span(span_id=1, attributes=AGENT),
        span(span_id=2, parent=1),  # joins the two others
        span(span_id=3, parent=2, attributes=LLM),
        span(span_id=4, parent=2, attributes=LLM),
    )
    for order in permutations(spans):
        assert arrived(order).session().input_tokens == 20


def summary(row: SessionRow) -> tuple[object, ...]:
    return (
        row.id,
        row.status,
        row.title,
        row.engine,
        row.span_count,
        row.error_count,
        (row.llm_calls, row.tool_calls),
        row.input_tokens,
        row.models,
        row.started_ns,
        row.ended_ns,
    )


def offsets(rig: Rig, session_id: str) -> list[int]:
    """Return where the spans begin, counted from the session's first."""
    with rig.store.read() as reader:
        rows = [one.row() for one in reader.spans_of(session_id)]
    first = min(row.offset_ns for row in rows)
    return sorted(row.offset_ns - first for row in rows)


def moved(rig: Rig) -> set[str]:
    """Return the ids that lead to the session and are not its own."""
    with rig.store.read() as reader:
        return {id_ for id_ in (trace_hex(1), trace_hex(2), "chat") if reader.destination(id_)}
