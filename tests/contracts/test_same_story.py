"""The same history leaves the same content in both stores."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.model.records import MomentRecord
from inspector.service.model.rows import RequestStatus
from inspector.service.query.tree import All
from inspector.service.sessions.state import REQUEST_WAIT, SessionState
from inspector.service.storage import Store, open_store
from tests.support.models.schedules import Step, controlled_schedules
from tests.support.models.store import ModelStore
from tests.support.services.recorder_rig import Rig, play
from tests.support.telemetry.records import trace_hex

_FAST = "/dev/shm" if Path("/dev/shm").is_dir() else None


def story(store: Store) -> dict[str, object]:
    with store.read() as reader:
        sessions = reader.newest_sessions(All(), None, 1000).rows
        moments: list[MomentRecord] = []
        for record in sessions:
            moments += reader.moments_of(record.row.id)
        return {
            "head": reader.head,
            "sessions": sessions,
            "spans": [reader.spans_of(record.row.id) for record in sessions],
            "contents": [
                reader.content(row) for record in sessions for row in reader.spans_of(record.row.id)
            ],
            "moments": moments,
            "changes": reader.changes(0, 10_000),
            "unsettled": sorted(record.row.id for record in reader.unsettled()),
            "processes": reader.open_processes(),
            "traces": [reader.traces([trace_hex(n)]) for n in (1, 2, 3)],
            "ancestors": [reader.usage_ancestors(trace_hex(n)) for n in (1, 2, 3)],
            "requests": reader.requests(most=1000),
            "asked in": [reader.requests_of_trace(trace_hex(n)) for n in (1, 2, 3)],
            "waiting": reader.waiting_requests(),
            "pending": reader.pending_count(),
            "commands": [reader.commands(name, 0, 1000) for name in ("p1", "p2")],
            "agents": reader.processes(),
            "audit": reader.audit_after(0, 10_000),
            "moved": {id_: reader.destination(id_) for id_ in ("S", "C", "T", trace_hex(1))},
        }


@given(controlled_schedules, st.lists(st.integers(0, 4), min_size=14, max_size=14))
def test_sqlite_has_the_story_that_the_model_has(steps: list[Step], sweeps: list[int]) -> None:
    """The model removes deleted content at once, however much SQLite still has."""
    with tempfile.TemporaryDirectory(dir=_FAST) as folder:
        desks = [
            Rig(ModelStore()),
            Rig(open_store(f"sqlite:///{folder}/s.sqlite3")),
        ]
        try:
            for step, sweep_count in zip(steps, sweeps, strict=False):
                for rig in desks:
                    play(rig, step)
                for _ in range(sweep_count):
                    desks[1].store.sweep()
            model, sqlite = (story(rig.store) for rig in desks)
            assert sqlite == model
        finally:
            for rig in desks:
                rig.store.close()


@pytest.mark.slow
@given(controlled_schedules)
def test_after_an_hour_of_silence_nothing_runs_and_nothing_waits(steps: list[Step]) -> None:
    rig = Rig()
    for step in steps:
        play(rig, step)
    rig.wait(3600)
    statuses = {row.status.value for row in rig.sessions().values()}
    assert statuses <= {"completed", "failed", "cancelled", "lost"}
    with rig.store.read() as reader:
        assert reader.open_processes() == set()
        assert reader.waiting_requests() == []
        assert reader.processes() == []
        assert [reader.commands(name, 0, 10) for name in ("p1", "p2")] == [[], []]


@given(controlled_schedules)
def test_a_session_waits_exactly_while_a_request_of_it_is_pending(steps: list[Step]) -> None:
    rig = Rig()
    for step in steps:
        play(rig, step)
        with rig.store.read() as reader:
            pending = reader.requests(RequestStatus.PENDING, most=1000).rows
            known = {one.row.session_id: set[str]() for one in pending}
            for one in pending:
                known[one.row.session_id].add(one.row.id)
            for record in reader.newest_sessions(All(), None, 1000).rows:
                waits = SessionState.load(record.state).open_waits
                asking = {k.removeprefix(REQUEST_WAIT) for k in waits if REQUEST_WAIT in k}
                assert asking == known.pop(record.row.id, set())
            assert known == {}, "a request whose session is not there"
