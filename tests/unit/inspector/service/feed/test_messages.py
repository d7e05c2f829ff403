"""Messages of the stream equal those of their models, which do not write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service import wire
from inspector.service.feed.messages import entries_of
from inspector.service.model.records import MAX_INT, SessionRecord, SpanRecord
from inspector.service.model.rows import Engine, SessionRow, SessionStatus, SpanKind, SpanStatus
from inspector.service.model.times import rfc3339
from inspector.service.present import rows as presenter

times = st.integers(0, MAX_INT)
counts = st.integers(0, 2**53)
texts = st.text(max_size=20)
costs = st.none() | st.floats(allow_nan=True, allow_infinity=True)
rows = st.builds(
    SessionRow,
    id=texts,
    title=texts,
    status=st.sampled_from(SessionStatus),
    engine=st.sampled_from(Engine),
    epoch_ns=times,
    started_ns=times,
    ended_ns=st.none() | times,
    waiting_ns=times,
    waiting_since_ns=st.none() | times,
    paused_since_ns=st.none() | times,
    span_count=counts,
    cost_usd=costs,
    models=st.lists(texts, max_size=2).map(tuple),
    tags=st.lists(texts, max_size=2).map(tuple),
)
spans = st.builds(
    SpanRecord,
    trace_id=texts,
    span_id=texts,
    session_id=texts,
    epoch_ns=times,
    parent_span_id=st.none() | texts,
    name=texts,
    kind=st.sampled_from(SpanKind),
    status=st.sampled_from(SpanStatus),
    start_ns=times,
    end_ns=st.none() | times,
    is_root=st.booleans(),
    process_id=texts,
    model=st.none() | texts,
    input_tokens=st.none() | counts,
    cost_usd=costs,
    change=st.just(5),
    changed_ns=times,
)


@given(row=rows, created=st.sampled_from([1, 5]), settled=st.sampled_from([0, 5]), at=times)
def test_a_session_message_is_that_of_its_model(
    row: SessionRow, created: int, settled: int, at: int
) -> None:
    record = SessionRecord(row, b"{}", change=5, created=created, settled=settled, changed_ns=at)
    [entry] = entries_of([record], lambda _: None)
    for fits in ({}, {"fits": False}):
        for text in (entry.unfit if fits else entry).messages(4):
            model = getattr(wire, json.loads(text)["type"])
            shown = presenter.session(record)
            expected = model(time=rfc3339(at), session_id=row.id, session=shown, **fits)
            missing = {"fits"} - fits.keys()
            assert json.loads(text) == json.loads(expected.model_dump_json(exclude=missing))


@pytest.mark.parametrize(("created", "settled"), [(1, 0), (5, 0), (5, 5), (1, 5)])
@given(record=spans)
def test_a_span_message_is_that_of_its_model(
    record: SpanRecord, created: int, settled: int
) -> None:
    record.created, record.settled = created, settled
    [entry] = entries_of([record], lambda _: None)
    for text in entry.messages(4):
        model = getattr(wire, json.loads(text)["type"])
        shown = presenter.span_row(record.row())
        time = rfc3339(record.changed_ns)
        expected = model(time=time, session_id=record.session_id, span=shown)
        assert json.loads(text) == json.loads(expected.model_dump_json())
