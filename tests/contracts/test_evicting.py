"""The content of sessions that the history has goes; what the rules go on from stays."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.query.tree import All
from inspector.service.storage import Store, open_store
from tests.contracts.test_deleting import SESSION, everything, fill, rows
from tests.support.models.schedules import Step, controlled_schedules
from tests.support.models.store import ModelStore
from tests.support.services.recorder_rig import Rig, play
from tests.support.telemetry.otlp import SECOND_NS, span
from tests.support.telemetry.records import trace_hex


@given(controlled_schedules, st.lists(st.booleans(), min_size=14, max_size=14))
def test_sqlite_has_what_the_model_has_after_any_evictions(
    steps: list[Step], evictions: list[bool]
) -> None:
    desks = [Rig(ModelStore()), Rig(open_store("memory:"))]
    for step, is_evicting in zip(steps, evictions, strict=False):
        for rig in desks:
            play(rig, step)
            if is_evicting:
                rig.evict()
    model, sqlite = (everything(rig.store) for rig in desks)
    assert sqlite == model
    for rig in desks:
        rig.store.close()


def test_of_an_evicted_session_its_row_and_the_states_of_its_traces_are_left(
    tmp_path: Path,
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/s.sqlite3"))
    fill(rig)
    rig.wait(3600)
    before = rig.sessions()
    assert rig.evict() == ["S"]
    assert rig.sessions() == before
    rig.store.close()
    counts = {"meta": 1, "session": 1, "trace": 2, "departure": 2, "usage_ancestor": 2}
    assert rows(tmp_path / "s.sqlite3") == counts


def test_what_comes_after_an_eviction_is_counted_and_stays_until_the_next(store: Store) -> None:
    rig = Rig(store)
    rig.record(span(trace=1), span(trace=1, span_id=2, parent=1))
    rig.wait(60)
    rig.evict()
    rig.record(span("late", trace=1, span_id=3, parent=2))
    with store.read() as reader:
        assert [one.name for one in reader.spans_of(trace_hex(1))] == ["late"]
    assert rig.session().span_count == 3
    rig.wait(60)
    assert rig.evict() == [trace_hex(1)]
    with store.read() as reader:
        assert reader.spans_of(trace_hex(1)) == []
    assert rig.session().span_count == 3


def test_an_evicted_trace_stays_in_its_session_whatever_comes_late(store: Store) -> None:
    rig = Rig(store)
    rig.record(span(trace=1))
    rig.wait(60)
    rig.evict()
    rig.record(span(trace=1, span_id=2, attributes={"session.id": "S"}))
    assert list(rig.sessions()) == [trace_hex(1)]
    assert rig.session().span_count == 2
    with store.read() as reader:
        assert {one.session_id for one in reader.newest_spans(All(), None, 9).rows} == {
            trace_hex(1)
        }


def test_an_evicted_session_keeps_its_first_cause_and_its_times_only_grow(store: Store) -> None:
    rig = Rig(store)
    rig.record(span("boom", error="it broke", attributes=SESSION))
    rig.wait(60)
    rig.evict()
    before = rig.session()
    assert before.cause is not None
    rig.now_ns += 3600 * SECOND_NS
    rig.record(span("again", trace=2, error="it broke again", attributes=SESSION))
    rig.wait(60)
    after = rig.session()
    assert (after.cause, after.error_count) == (before.cause, 2)
    assert after.duration_ns(rig.now_ns) >= before.duration_ns(rig.now_ns)
