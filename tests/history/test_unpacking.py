"""A session that has left the store is unpacked from the history as it was."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import HistoryError
from inspector.service.history.clickhouse import ClickHouse, Stores
from inspector.service.history.copier import Copier
from inspector.service.history.unpacking import unpack
from inspector.service.query.tree import All
from inspector.service.storage import open_store
from inspector.service.storage.base import Reader
from inspector.service.storage.sqlite_backup import back_up, restore
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore
from tests.support.models.schedules import Step, controlled_schedules
from tests.support.services.process import wait_for
from tests.support.services.recorder_rig import Rig, play
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import log, trace_hex

pytestmark = pytest.mark.slow


def view_of(reader: Reader, session_id: str) -> dict[str, Any]:
    """Return what the views of a session read."""
    session = reader.session(session_id)
    assert session is not None
    spans = reader.spans_of(session_id)
    return {
        "row": session.row,
        "spans": spans,
        "lines": reader.span_lines(session_id, None, 1000, is_columns=True),
        "columns": reader.span_columns(session_id, 1000),
        "contents": [reader.content(one) for one in spans],
        "moments": reader.moments_of(session_id),
        "traces": reader.traces_of(session_id),
        "requests": [reader.requests_of_trace(one.trace_id) for one in spans],
        "change": reader.last_change(session_id),
    }


def unpacked(rig: Rig, history: ClickHouse, session_id: str, folder: str) -> dict[str, Any]:
    path = Path(folder) / "unpacked.sqlite3"
    with rig.store.read() as reader:
        unpack(reader, history, Stores(rig.store.id, rig.store.former), [session_id], path)
        head = reader.head
    with ReadOnlySqliteStore(path).read() as reader:
        assert reader.head == head
        return view_of(reader, session_id)


@given(
    steps=controlled_schedules,
    copies=st.lists(st.booleans(), min_size=14),
    sweeps=st.integers(0, 9),
)
def test_it_is_as_it_was_however_much_of_it_has_gone(
    history: ClickHouse, steps: list[Step], copies: list[bool], sweeps: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(open_store(f"sqlite:///{folder}/store.sqlite3"))
        copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
        for step, is_copied in zip(steps, copies, strict=False):
            play(rig, step)
            if is_copied:
                copier.step()
        while copier.step():
            pass
        with rig.store.read() as reader:
            ids = [one.row.id for one in reader.oldest_here(1000)]
            before = {one: view_of(reader, one) for one in ids}
        rig.store.evict({one: view["change"] for one, view in before.items()})
        for _ in range(sweeps):
            rig.store.sweep()
        assert {one: unpacked(rig, history, one, folder) for one in ids} == before
        rig.store.close()


def test_what_came_late_is_there_and_counts_once(history: ClickHouse, tmp_path: Path) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    rig.record(span("first"), span("second", span_id=2, parent=1), log("note", trace=1, span_id=1))
    rig.wait(60)
    copier.step()
    rig.evict()
    rig.record(span("late", span_id=3, parent=1))
    seen = [unpacked(rig, history, trace_hex(1), str(tmp_path))]
    copier.step()
    seen.append(unpacked(rig, history, trace_hex(1), str(tmp_path)))
    assert seen[0] == seen[1]
    assert [one.name for one in seen[0]["spans"]] == ["first", "second", "late"]
    assert [one.name for one in seen[0]["moments"]] == ["note"]


def test_a_session_that_began_again_has_nothing_of_the_deleted_one(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    rig.record(span("old", span_id=1), span("old", span_id=2), log("old", trace=1, span_id=1))
    copier.step()
    rig.delete(trace_hex(1))
    rig.record(span("new", span_id=1), log("new", trace=1, span_id=1))
    rig.wait(60)
    copier.step()  # and the night's deletion has not been yet
    rig.evict()
    found = unpacked(rig, history, trace_hex(1), str(tmp_path))
    assert [one.name for one in (*found["spans"], *found["moments"])] == ["new", "new"]


def test_several_sessions_are_unpacked_together(history: ClickHouse, tmp_path: Path) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    rig.record(span(trace=1))
    rig.wait(60)
    copier.step()
    rig.evict()
    rig.record(span(trace=2, duration_ns=None))  # it runs, and is here
    path = tmp_path / "unpacked.sqlite3"
    with rig.store.read() as reader:
        unpack(
            reader,
            history,
            Stores(rig.store.id, rig.store.former),
            [trace_hex(1), trace_hex(2)],
            path,
        )
    with ReadOnlySqliteStore(path).read() as reader:
        sessions = reader.newest_sessions(All(), None, 9).rows
        assert sorted(one.row.id for one in sessions) == [trace_hex(1), trace_hex(2)]
        assert len(reader.newest_spans(All(), None, 9).rows) == 2


def test_what_left_a_store_is_there_after_it_was_restored_and_goes_when_it_is_deleted(
    history: ClickHouse, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    rig.record(span("old", trace=1), log("note", trace=1, span_id=1))
    rig.wait(60)
    copier.step()
    rig.evict()
    rig.record(span("here", trace=2))
    rig.store.close()
    back_up(path, tmp_path / "backup.sqlite3")
    restore(tmp_path / "backup.sqlite3", path)

    restored = Rig(open_store(f"sqlite:///{path}"))
    assert restored.store.id != rig.store.id
    copier = Copier(restored.store, history, clock=lambda: restored.now_ns, behind_ns=0)
    while copier.step():
        pass
    found = unpacked(restored, history, trace_hex(1), str(tmp_path))
    assert [one.name for one in (*found["spans"], *found["moments"])] == ["old", "note"]
    restored.delete(trace_hex(1))
    copier.step()
    while copier.delete_departed():
        pass
    mine = Stores(restored.store.id, restored.store.former).all
    wait_for(lambda: not history.rows(f"SELECT 1 AS x FROM span WHERE {mine} AND name = 'old'"))
    assert history.rows(f"SELECT name FROM span WHERE {mine}") == [{"name": "here"}]
    restored.store.close()


def test_a_session_of_which_the_history_has_nothing_is_not_shown_empty(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    rig.record(span())
    rig.wait(60)
    rig.evict()  # it was another history that had it
    with pytest.raises(HistoryError, match="has 0 spans of this session, of 1"):
        unpacked(rig, history, trace_hex(1), str(tmp_path))
    rig.store.close()


def test_of_a_store_that_was_restored_only_what_it_had_is_shown_and_each_once(
    history: ClickHouse, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    rig.record(span("before", trace=1), log("note", trace=1, span_id=1))
    rig.wait(60)
    copier.step()
    back_up(path, tmp_path / "backup.sqlite3")
    rig.record(span("after", trace=1, span_id=2), log("later", trace=1, span_id=1))
    rig.record(span("before, again", trace=1))
    copier.step()
    rig.store.close()
    restore(tmp_path / "backup.sqlite3", path)

    restored = Rig(open_store(f"sqlite:///{path}"))
    copier = Copier(restored.store, history, clock=lambda: restored.now_ns, behind_ns=0)
    while copier.step():
        pass
    restored.evict()
    found = unpacked(restored, history, trace_hex(1), str(tmp_path))
    assert [one.name for one in (*found["spans"], *found["moments"])] == ["before", "note"]
    restored.store.close()


def test_a_session_of_which_a_part_is_lost_is_not_shown_as_the_whole(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    rig.record(span(), span(span_id=2, parent=1))
    rig.wait(60)
    rig.evict()  # it was another history that had it
    rig.record(span("late", span_id=3, parent=1))
    with pytest.raises(HistoryError, match="has 1 spans of this session, of 2"):
        unpacked(rig, history, trace_hex(1), str(tmp_path))
    assert not list(tmp_path.glob("unpacked*")), "nothing fills the disk"
    rig.store.close()
