"""A framework and its client report one LLM call, each in its own trace: it counts once."""

from __future__ import annotations

from itertools import permutations

import pytest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope

from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.rows import Json
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import START_NS, span
from tests.support.telemetry.records import incoming, span_hex, trace_hex

MS = 1_000_000
USAGE: dict[str, Json] = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 7}
CALL: dict[str, Json] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o", **USAGE}
CHAIN: dict[str, Json] = {"openinference.span.kind": "CHAIN"}


def framework(
    trace: int,
    number: int,
    attributes: dict[str, Json],
    *,
    parent: int | None = None,
    ms: tuple[int, int] = (0, 100),
    scope: str = "framework",
    process: str | None = "p1",
) -> IncomingSpan:
    sent = span(
        "x",
        trace=trace,
        span_id=number,
        parent=parent,
        start_ns=START_NS + ms[0] * MS,
        duration_ns=(ms[1] - ms[0]) * MS,
        attributes=attributes,
    )
    return incoming(sent, process, scope=InstrumentationScope(name=scope))


def client(
    trace: int,
    number: int,
    other: dict[str, Json] | None = None,
    *,
    parent: int | None = None,
    ms: tuple[int, int] = (5, 95),
    scope: str = "client",
    process: str | None = "p1",
) -> IncomingSpan:
    attributes = {**CALL, "gen_ai.request.model": "gpt-4o-2024-11-20", **(other or {})}
    return framework(trace, number, attributes, parent=parent, ms=ms, scope=scope, process=process)


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("is_at_once", [False, True])
@pytest.mark.parametrize("name", [None, "mine"])
def test_the_clients_trace_is_of_the_frameworks_session_and_the_call_counts_once(
    order: tuple[int, ...], *, is_at_once: bool, name: str | None
) -> None:
    rig = Rig()
    # The session is named last, by what is around the call.
    named: dict[str, Json] = {"session.id": name} if name else {}
    spans = [
        framework(1, 1, {**CHAIN, **named}, ms=(0, 110)),
        framework(1, 2, CALL, parent=1),
        client(2, 3),
    ]
    chosen = [spans[index] for index in order]
    for batch in [chosen] if is_at_once else [[one] for one in chosen]:
        rig.record(*batch)
    row = rig.session()
    assert row.id == (name or trace_hex(1))
    assert (row.span_count, row.llm_calls, row.input_tokens) == (3, 1, 100)
    assert rig.span(3, 2).duplicate_of == span_hex(2)


def test_calls_at_the_same_time_that_are_all_alike_are_as_many_as_the_framework_reports() -> None:
    rig = Rig()
    outer = [framework(1, n, CALL, parent=9, ms=(n, 100 + n)) for n in range(1, 5)]
    inner = [client(10 + n, 20 + n, ms=(n + 1, 98 + n)) for n in range(1, 5)]
    rig.record(*outer, framework(1, 9, CHAIN, ms=(0, 200)), *inner)
    row = rig.session()
    assert (row.span_count, row.llm_calls, row.input_tokens) == (9, 4, 400)


def test_beside_each_other_in_one_trace_they_are_one_call_too() -> None:
    rig = Rig()
    rig.record(framework(1, 2, CALL, parent=1), client(1, 3, parent=1, process=None))
    rig.record(framework(1, 1, CHAIN), client(1, 4, parent=1))
    assert rig.span(4).duplicate_of == span_hex(2)
    assert rig.session().llm_calls == 2  # of the other it is not known whose process it was


def test_of_one_answer_they_are_one_call_though_they_count_its_tokens_in_two_ways() -> None:
    rig = Rig()
    answer: dict[str, Json] = {"gen_ai.response.id": "a"}
    rig.record(
        client(2, 3, {**answer, "gen_ai.usage.output_tokens": 8}),
        framework(1, 2, {**CALL, **answer}),
    )
    row = rig.session()
    assert (row.llm_calls, row.output_tokens) == (1, 7)


@pytest.mark.parametrize(
    "other",
    [
        client(2, 3, process="p2"),
        client(2, 3, ms=(50, 150)),
        client(2, 3, scope="framework"),
        client(2, 3, {"gen_ai.usage.output_tokens": 8}),
        client(2, 3, {"gen_ai.request.model": "o3"}),
        client(2, 3, {"gen_ai.response.id": "b"}),
        client(2, 3, {"session.id": "theirs"}),
    ],
)
def test_what_is_not_surely_the_same_stays_a_call_and_a_session(other: IncomingSpan) -> None:
    rig = Rig()
    rig.record(framework(1, 2, {**CALL, "gen_ai.response.id": "a"}), other)
    assert [row.llm_calls for row in rig.sessions().values()] == [1, 1]


def test_a_call_of_a_deleted_session_is_no_duplicate() -> None:
    rig = Rig()
    rig.record(framework(1, 2, CALL))
    rig.delete(trace_hex(1))
    rig.record(client(2, 3))
    assert (rig.session().id, rig.session().llm_calls) == (trace_hex(2), 1)
