"""Spans and live records become rows: merging, sessions, counters."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.records import SpanRecord
from inspector.service.model.rows import Json, SessionStatus, SpanStatus
from inspector.service.sessions.state import SessionState
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import (
    heartbeat,
    incoming,
    log,
    progressed,
    span_hex,
    started,
    trace_hex,
)

LLM: dict[str, Json] = {"gen_ai.operation.name": "chat"}
AGENT: dict[str, Json] = {"gen_ai.operation.name": "invoke_agent"}


def usage(tokens: int) -> dict[str, Json]:
    return {"gen_ai.usage.input_tokens": tokens, "gen_ai.usage.output_tokens": 1}


def running(name: str, **about: Any) -> Span:
    made = span(name, duration_ns=None, **about)
    made.ClearField("status")
    return made


# --- merging ----------------------------------------------------------------------------------


def test_a_start_gives_a_running_span_with_what_is_known(rig: Rig) -> None:
    rig.record(started(span("chat gpt", span_id=2, parent=1, attributes={**LLM, "a": 1})))
    row = rig.span(2)
    assert (row.name, row.status, row.end_ns) == ("chat gpt", SpanStatus.RUNNING, None)
    assert (row.parent_span_id, row.start_ns, row.kind) == (span_hex(1), START_NS, "llm")
    assert rig.content(2) == running("chat gpt", span_id=2, parent=1, attributes={**LLM, "a": 1})


def test_progress_replaces_what_it_gives_and_leaves_the_rest(rig: Rig) -> None:
    rig.record(started(span("a", attributes={"x": 1, "y": 1})))
    rig.record(progressed(span("b", attributes={"y": 2}), START_NS + 5))
    assert rig.content() == running("b", attributes={"x": 1, "y": 2})


def test_the_end_of_a_model_call_replaces_what_streamed_of_it(rig: Rig) -> None:
    rig.record(started(span("chat", attributes=LLM)))
    so_far: dict[str, Json] = {
        "inspector.stream.text": "Once upon",
        "inspector.stream.chars": 12,
        "inspector.stream.last_chunk_s": 2.5,
    }
    rig.record(progressed(span("chat", attributes=so_far), START_NS + 5))
    assert (rig.span().stall_start_ns, rig.span().stall_ns) == (2_500_000_000, None)
    assert b"Once upon" in rig.content().SerializeToString()

    stalled: dict[str, Json] = {
        "inspector.stream.longest_stall_s": 4.0,
        "inspector.stream.longest_stall_at_s": 2.5,
    }
    rig.record(incoming(span("chat", attributes={**LLM, **stalled}), "p1"))
    assert (rig.span().stall_start_ns, rig.span().stall_ns) == (2_500_000_000, 4_000_000_000)
    assert b"Once upon" not in rig.content().SerializeToString()
    rig.record(progressed(span("chat", attributes=so_far), START_NS + 9))
    assert b"Once upon" not in rig.content().SerializeToString()


def test_a_short_stall_is_no_mark(rig: Rig) -> None:
    stalled: dict[str, Json] = {
        "inspector.stream.longest_stall_s": 2.9,
        "inspector.stream.longest_stall_at_s": 2.5,
    }
    rig.record(incoming(span("chat", attributes={**LLM, **stalled}), "p1"))
    assert (rig.span().stall_start_ns, rig.span().stall_ns) == (None, None)


def test_progress_that_overtook_its_start_stays_and_the_start_gives_the_time(
    rig: Rig,
) -> None:
    rig.record(progressed(span("b", attributes={"y": 2}), START_NS + 5))
    rig.record(started(span("a", attributes={"x": 1, "y": 1})))
    after = rig.content()
    assert (after.name, after.start_time_unix_nano) == ("b", START_NS)
    assert {pair.key: pair.value.int_value for pair in after.attributes} == {"x": 1, "y": 2}


def test_an_end_wins_over_a_start_that_comes_later(rig: Rig) -> None:
    rig.record(incoming(span("end"), "p1"))
    before = rig.span()
    rig.record(started(span("start")), progressed(span("progress"), START_NS + 1))
    assert rig.span() == before


def test_of_two_ends_the_later_copy_wins(rig: Rig) -> None:
    rig.record(span("first"))
    rig.record(span("second", duration_ns=2 * SECOND_NS))
    assert (rig.span().name, rig.session().span_count) == ("second", 1)


def test_the_same_batch_twice_changes_nothing(rig: Rig) -> None:
    batch = [incoming(span(span_id=n, attributes={**LLM, **usage(7)})) for n in (1, 2, 3)]
    note = [log("note", trace=1, span_id=1)]
    rig.record_batch(batch, note)
    again = rig.recorder.record(batch, note, rig.now_ns)
    assert again.published(after=again.first - 1) == []
    assert rig.session().input_tokens == 21


def test_the_same_span_from_another_encoder_changes_nothing(rig: Rig) -> None:
    sent = incoming(span(attributes=LLM))
    rig.record(sent)
    head, rest = Span(name=sent.span.name), Span.FromString(sent.span.SerializeToString())
    rest.ClearField("name")
    payload = rest.SerializeToString() + head.SerializeToString()
    again = replace(sent, content=replace(sent.content, payload=payload))
    assert rig.recorder.record([again], [], rig.now_ns).spans == []


def test_of_many_sessions_that_end_at_once_each_commit_settles_some(
    rig: Rig,
) -> None:
    rig.record(*(span(trace=number) for number in range(1, 11)))
    rig.now_ns += 6 * SECOND_NS
    settled = []
    while not (changes := rig.recorder.tick(rig.now_ns, most_due=4)).is_empty:
        settled.append(len(changes.sessions))
        rig.commit(changes)
    assert settled == [4, 4, 2]
    assert {row.status for row in rig.sessions().values()} == {SessionStatus.COMPLETED}


def test_a_time_beyond_any_clock_stays_within_what_a_store_holds(
    rig: Rig,
) -> None:
    rig.record(span(start_ns=2**64 - 1, duration_ns=0))
    assert rig.span().start_ns == 2**63 - 1


def test_what_the_senders_sdk_dropped_is_counted(rig: Rig) -> None:
    cut = span()
    cut.dropped_attributes_count, cut.dropped_events_count, cut.dropped_links_count = 1, 2, 3
    rig.record(cut)
    assert rig.session().dropped_count == 6


# --- sessions ---------------------------------------------------------------------------------


def test_a_trace_without_a_key_is_a_session_of_its_own(rig: Rig) -> None:
    rig.record(span(trace=1), span(trace=2))
    assert set(rig.sessions()) == {trace_hex(1), trace_hex(2)}


def test_a_better_key_moves_the_whole_trace_and_the_old_id_says_where(
    rig: Rig,
) -> None:
    rig.record(span(span_id=3, parent=1, attributes={**LLM, **usage(5)}))
    rig.record(span(span_id=2, parent=1, attributes={"gen_ai.conversation.id": "C"}))
    rig.record(span(span_id=1, attributes={"session.id": "S"}))
    assert set(rig.sessions()) == {"S"}
    assert (rig.session("S").span_count, rig.session("S").input_tokens) == (3, 5)
    assert {rig.span(n).session_id for n in (1, 2, 3)} == {"S"}
    with rig.store.read() as reader:
        assert (reader.destination(trace_hex(1)), reader.destination("C")) == ("S", "S")


def test_a_worse_or_equal_key_does_not_move_it_back(rig: Rig) -> None:
    rig.record(span(span_id=1, attributes={"session.id": "S"}))
    rig.record(span(span_id=2, parent=1, attributes={"gen_ai.conversation.id": "C"}))
    rig.record(span(span_id=3, parent=1, attributes={"session.id": "other"}))
    assert set(rig.sessions()) == {"S"}


def test_a_session_keeps_what_a_trace_that_left_did_not_bring(rig: Rig) -> None:
    conversation = {"gen_ai.conversation.id": "C", **LLM}
    first = span(
        "one", trace=1, attributes={**conversation, **usage(5), "gen_ai.request.model": "a"}
    )
    second = span(
        "two",
        trace=2,
        start_ns=START_NS + 9,
        attributes={**conversation, **usage(7), "gen_ai.request.model": "b"},
    )
    rig.record(first, second)
    assert (rig.session("C").input_tokens, rig.session("C").models) == (12, ("a", "b"))
    rig.record(span(trace=1, span_id=2, parent=1, attributes={"session.id": "S"}))
    rest, moved = rig.session("C"), rig.session("S")
    assert (rest.input_tokens, rest.models, rest.title) == (7, ("b",), "two")
    assert (moved.input_tokens, moved.models, moved.span_count) == (5, ("a",), 2)


def test_a_session_record_names_the_session_of_its_trace(rig: Rig) -> None:
    rig.record(span(trace=1))
    rig.record(
        log("inspector.session.started", trace=1, attributes={"session.id": "S"}, process="p1")
    )
    assert set(rig.sessions()) == {"S"}


def test_offsets_count_from_the_first_sight_even_when_the_trace_moves(
    rig: Rig,
) -> None:
    rig.record(span(span_id=2, parent=1, attributes={"session.id": "S"}))
    rig.record(span(span_id=1, start_ns=START_NS - 100))
    session = rig.session("S")
    assert (session.epoch_ns, session.started_ns) == (START_NS, START_NS - 100)
    assert rig.span(1).row().offset_ns == -100


def test_log_records_of_a_trace_without_spans_make_no_session(rig: Rig) -> None:
    rig.record(log("note", trace=1, span_id=1))
    assert rig.sessions() == {}
    rig.record(span())
    with rig.store.read() as reader:
        assert [m.session_id for m in reader.moments_of(trace_hex(1))] == [trace_hex(1)]


def test_log_records_that_belong_to_nothing_are_not_stored(rig: Rig) -> None:
    assert rig.recorder.record([], [log("note")], rig.now_ns).is_empty


# --- titles -----------------------------------------------------------------------------------


def test_what_only_sets_the_stage_gives_no_title_where_anything_else_does(
    rig: Rig,
) -> None:
    rig.record(span("server/discover", span_id=1))
    assert rig.session().title == "server/discover"
    rig.record(span("execute_tool add", span_id=2, parent=9))
    assert rig.session().title == "execute_tool add"


def test_the_title_is_the_chosen_one_else_the_first_message_else_the_root(
    rig: Rig,
) -> None:
    rig.record(span("child", span_id=2, parent=1))
    assert rig.session().title == "child"
    rig.record(span("root", span_id=1))
    assert rig.session().title == "root"
    message = '[{"role": "user", "parts": [{"type": "text", "content": "Summarise it"}]}]'
    rig.record(
        span("chat", span_id=3, parent=1, attributes={**LLM, "gen_ai.input.messages": message})
    )
    assert rig.session().title == "Summarise it"
    rig.record(span(span_id=4, parent=1, attributes={"inspector.session.title": "Chosen"}))
    assert rig.session().title == "Chosen"


# --- counters ---------------------------------------------------------------------------------


def test_agents_are_listed_in_the_order_they_began_though_the_inner_one_ends_first(
    rig: Rig,
) -> None:
    for number, name in ((3, "critic"), (2, "helper"), (1, "lead"), (4, "helper")):
        attributes: dict[str, Json] = {**AGENT, "gen_ai.agent.name": name}
        begun = START_NS + number
        rig.record(incoming(span("run", span_id=number, start_ns=begun, attributes=attributes)))
    assert rig.session().agents == ("lead", "helper", "critic")


def test_agents_of_an_older_store_keep_the_order_they_had() -> None:
    state = json.loads(SessionState("S", START_NS).dump())
    state["profile"]["agents"] = ["b", "a"]
    read = SessionState.load(json.dumps(state).encode())
    assert read.row(SessionStatus.COMPLETED).agents == ("b", "a")


def test_usage_counts_on_the_leaves_whichever_order_they_come_in(rig: Rig) -> None:
    leaf = span(span_id=3, parent=2, attributes={**LLM, **usage(5)})
    outer = span(span_id=1, attributes={**AGENT, **usage(9)})
    between = span(span_id=2, parent=1)
    for order in ([leaf, between, outer], [outer, between, leaf], [leaf, outer, between]):
        rig = Rig()
        for one in order:
            rig.record(one)
        assert rig.session().input_tokens == 5, [one.name for one in order]


def test_the_sum_of_an_agent_stands_in_for_leaves_that_have_none(rig: Rig) -> None:
    rig.record(span(span_id=2, parent=1, attributes=LLM))
    rig.record(span(span_id=1, attributes={**AGENT, **usage(9)}))
    assert rig.session().input_tokens == 9


def test_a_duplicate_shows_but_does_not_count(rig: Rig) -> None:
    duplicate = {**LLM, **usage(5), "inspector.duplicate_of": span_hex(1)}
    rig.record(span(span_id=1, attributes={**LLM, **usage(5)}))
    rig.record(span(span_id=2, parent=1, attributes=duplicate, error="boom"))
    row = rig.session()
    assert (row.span_count, row.llm_calls, row.input_tokens, row.error_count) == (2, 1, 5, 0)


def test_a_cost_is_unknown_until_a_span_has_one(rig: Rig) -> None:
    rig.record(span(span_id=1, attributes={**LLM, **usage(5)}))
    assert rig.session().cost_usd is None
    rig.record(span(span_id=2, attributes={**LLM, "llm.cost.total": 0.1}))
    rig.record(span(span_id=3, attributes={**LLM, "llm.cost.total": 0.2}))
    assert rig.session().cost_usd == 0.3


# --- any schedule -----------------------------------------------------------------------------

_NOTHING: dict[str, Json] = {}
_SESSIONS: tuple[dict[str, Json], ...] = (
    {},
    {},
    {"session.id": "S"},
    {"gen_ai.conversation.id": "C"},
)


@st.composite
def deliveries(draw: st.DrawFn) -> list[IncomingSpan | IncomingLog]:
    """Starts and ends of the spans of two small trees, in any order, some twice."""
    made: list[IncomingSpan | IncomingLog] = []
    for trace in (1, 2):
        for number in range(1, draw(st.integers(1, 6)) + 1):
            parent = draw(st.integers(0, number - 1)) or None
            attributes: dict[str, Json] = dict(draw(st.sampled_from(_SESSIONS)))
            attributes |= draw(st.sampled_from([_NOTHING, LLM, AGENT]))
            begun = _span(trace, number, parent, attributes, None)
            attributes |= draw(st.sampled_from([_NOTHING, usage(number)]))
            ended = _span(trace, number, parent, attributes, number)
            if draw(st.booleans()):
                made.append(started(begun))
            if draw(st.booleans()) or not made:
                made += [incoming(ended, "p1")] * draw(st.integers(1, 2))
    return draw(st.permutations(made))


def _span(
    trace: int,
    number: int,
    parent: int | None,
    attributes: dict[str, Json],
    duration_ns: int | None,
) -> Span:
    return span(
        f"span {number}",
        trace=trace,
        span_id=number,
        parent=parent,
        start_ns=START_NS + number,
        duration_ns=duration_ns,
        attributes=attributes,
        error="boom" if number == 4 else None,
    )


@given(deliveries(), st.lists(st.integers(1, 4), max_size=8))
def test_the_end_state_does_not_depend_on_order_or_batches(
    items: list[IncomingSpan | IncomingLog], cuts: list[int]
) -> None:
    at_once = Rig()
    at_once.record(*sorted(items, key=lambda item: isinstance(item, IncomingSpan)))
    piecemeal = Rig()
    rest = list(items)
    for size in (*cuts, len(items)):
        piecemeal.record(*rest[:size])
        del rest[:size]
        piecemeal.restart()
    for trace in (1, 2):
        assert _rows(piecemeal, trace) == _rows(at_once, trace)


def _rows(rig: Rig, trace: int) -> dict[str, tuple[object, ...]]:
    with rig.store.read() as reader:
        found = reader.spans(trace_hex(trace))
        return {
            row.span_id: (row.name, row.status, row.start_ns, row.end_ns, row.is_counted)
            for row in found
        }


@given(deliveries())
def test_a_session_counts_exactly_what_its_spans_say(
    items: list[IncomingSpan | IncomingLog],
) -> None:
    rig = Rig()
    for item in items:
        rig.record(item)
    for session_id, row in rig.sessions().items():
        with rig.store.read() as reader:
            spans = reader.spans_of(session_id)
        assert row.span_count == len(spans)
        own = [one for one in spans if one.duplicate_of is None]
        assert row.error_count == sum(s.status is SpanStatus.ERROR for s in own)
        assert row.llm_calls == sum(s.kind == "llm" for s in own)
        assert row.input_tokens == sum(s.input_tokens or 0 for s in _usage_leaves(spans))
        assert row.started_ns == min(s.start_ns for s in spans)


def _usage_leaves(spans: list[SpanRecord]) -> list[SpanRecord]:
    by_id = {(s.trace_id, s.span_id): s for s in spans}
    above: set[tuple[str, str]] = set()
    for one in spans:
        parent = one.parent_span_id if one.input_tokens is not None else None
        while parent is not None:
            above.add((one.trace_id, parent))
            known = by_id.get((one.trace_id, parent))
            parent = known.parent_span_id if known else None
    return [s for s in spans if (s.trace_id, s.span_id) not in above]


def test_the_state_of_the_rules_survives_the_store(rig: Rig) -> None:
    rig.record(started(span(span_id=1, attributes={"session.id": "S"})), heartbeat())
    rig.record(span(span_id=2, parent=1, attributes={**LLM, **usage(5)}))
    rig.restart()
    rig.record(incoming(span(span_id=1, attributes={"session.id": "S", **usage(9)}), "p1"))
    row = rig.session("S")
    assert (row.span_count, row.input_tokens, row.status) == (2, 5, SessionStatus.COMPLETED)


def test_no_step_of_a_batch_calls_the_recorder_which_only_makes_and_finishes_the_unit(
    rig: Rig,
) -> None:
    batch = [incoming(span(span_id=n, attributes={**LLM, **usage(7)})) for n in (1, 2, 3)]
    entries = Counter[tuple[str, str]]()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_back is not None:
            caller, callee = (Path(f.f_code.co_filename).stem for f in (frame.f_back, frame))
            if caller != callee:
                entries[caller, callee] += 1

    profile = sys.getprofile()
    sys.setprofile(count)
    try:
        rig.recorder.record(batch, [], rig.now_ns)
    finally:
        sys.setprofile(profile)
    assert sum(n for (_, callee), n in entries.items() if callee == "recorder") == 1
    assert entries["recorder", "unit_of_work"] == 2, "it is made and finished"


def test_a_batch_that_is_tried_again_after_a_failed_commit_gives_the_same_commit() -> None:
    def batch() -> list[IncomingSpan]:
        attributes = {"gen_ai.request.model": "m", **usage(7)}
        names = {1: AGENT, 2: LLM, 3: LLM, 4: {}}  # the second and the third report one call
        return [
            incoming(span("s", span_id=n, parent=n - 1, attributes={**kind, **attributes}))
            for n, kind in reversed(names.items())
        ]

    rig, other, tried = Rig(), Rig(), batch()
    rig.recorder.record(tried, [], rig.now_ns)
    rig.recorder.forget()
    for one in (rig, other):
        one.record(span(trace=2))
    again = rig.recorder.record(tried, [], rig.now_ns)
    assert again == other.recorder.record(batch(), [], rig.now_ns)
    assert [one.is_counted for one in again.spans].count(True) == 1


TITLE_RANKS = {"plan": 0, "act": 0, "MCP send tools/call": 1, "ping": 2, "tools/list": 2}
"""The name of a span → how much worse it is than one about its subject, as a title."""


@given(st.lists(st.tuples(st.sampled_from(list(TITLE_RANKS)), st.booleans(), st.integers(0, 3))))
def test_the_title_is_the_best_name_then_the_earliest_then_the_last_that_came(
    names: list[tuple[str, bool, int]],
) -> None:
    rig, best = Rig(), ((9, 0), "")
    for number, (name, is_root, start_ns) in enumerate(names, start=1):
        parent, at_ns = None if is_root else 99, START_NS + start_ns
        rig.record(span(name, span_id=number, parent=parent, start_ns=at_ns))
        worse = TITLE_RANKS[name]
        rank = 1 + worse if worse else -1 if is_root else 0
        if (rank, start_ns) <= best[0]:
            best = ((rank, start_ns), name)
        assert rig.session().title == best[1]
