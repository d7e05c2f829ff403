"""Deleted content is unseen at once, and removed in steps that delay nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from inspector.service.model.records import Tombstone
from inspector.service.query.tree import All
from inspector.service.storage import Store, open_store
from inspector.service.storage.sqlite_sweep import BYTES_A_STEP, ROWS_A_STEP
from tests.support.services.recorder_rig import Rig, sweep_all
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming, log, started, trace_hex

SESSION: dict[str, Any] = {"session.id": "S"}
USAGE: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3}
HALF = "x" * (BYTES_A_STEP // 2)
"""Of this size one fits in a step."""


def fill(rig: Rig) -> None:
    """Record two traces of one session, with content of every kind."""
    for trace in (1, 2):
        usage: dict[str, Any] = {"gen_ai.usage.input_tokens": 3, **SESSION}
        rig.record(started(span(trace=trace, span_id=9), "p1"))
        rig.record(span(trace=trace), span(trace=trace, span_id=2, parent=1, attributes=usage))
        rig.record(log("note", trace=trace, span_id=1), log("inspector.decision", trace=trace))
    rig.record(log("inspector.session.started", attributes=SESSION, process="p2"))


def everything(store: Store) -> dict[str, Any]:
    """Return all that any reader can find."""
    with store.read() as reader:
        sessions = reader.newest_sessions(All(), None, 1000).rows
        traces = [trace_hex(number) for number in range(1, 5)]
        return {
            "sessions": [(one.row, one.change) for one in sessions],
            "spans": [reader.spans_of(one.row.id) for one in sessions],
            "by trace": [reader.spans(trace) for trace in traces],
            "newest": reader.newest_spans(All(), None, 1000).rows,
            "moments": [reader.moments_of(one.row.id) for one in sessions],
            "changes": reader.changes(0, 1000),
            "open": sorted(reader.open_processes()),
            "open spans": [reader.open_spans(name) for name in ("p1", "p2")],
            "traces": reader.traces(traces),
            "usage": [reader.usage_ancestors(trace) for trace in traces],
            "unsettled": reader.unsettled(),
        }


def test_a_deleted_session_is_unseen_before_any_of_it_is_removed(store: Store) -> None:
    rig = Rig(store)
    fill(rig)
    rig.delete("S")
    found = everything(store)
    departures = found.pop("changes")
    assert {type(one) for one in departures} == {Tombstone}
    assert departures[-1].session_id == "S"
    assert not any(any(part) if isinstance(part, list) else part for part in found.values())


def test_what_was_deleted_may_come_again_before_it_is_removed(store: Store) -> None:
    rig = Rig(store)
    fill(rig)
    rig.delete("S")
    fill(rig)
    before = everything(store)
    sweep_all(store)
    assert everything(store) == before
    assert rig.session("S").span_count == 6


def test_all_that_a_deleted_session_had_is_removed(tmp_path: Path) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/s.sqlite3"))
    fill(rig)
    rig.delete("S")
    sweep_all(rig.store)
    rig.store.close()
    assert rows(tmp_path / "s.sqlite3") == {"meta": 1, "departure": 3}


def test_it_is_removed_after_a_restart_too(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.sqlite3"
    rig = Rig(open_store(url))
    fill(rig)
    rig.delete("S")
    rig.store.sweep()
    rig.store.close()
    again = open_store(url)
    sweep_all(again)
    again.close()
    assert rows(tmp_path / "s.sqlite3") == {"meta": 1, "departure": 3}


@pytest.mark.slow
def test_a_step_takes_so_many_rows_and_so_many_bytes(tmp_path: Path) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/s.sqlite3"))
    rig.record(*(span(span_id=number) for number in range(1, 2 * ROWS_A_STEP + 1)))
    rig.record(*(span(HALF, trace=2, span_id=number) for number in range(1, 5)))
    for trace, most in ((1, ROWS_A_STEP), (2, 2)):
        rig.delete(trace_hex(trace))
        left = 2 * ROWS_A_STEP if trace == 1 else 4
        while rig.store.sweep():
            now_left = rows(tmp_path / "s.sqlite3").get("doomed", 0)
            assert left - now_left <= most
            left = now_left
    rig.store.close()


def test_a_step_takes_so_many_resources_and_processes_of_traces(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    count = 2 * ROWS_A_STEP
    spans = (span(span_id=number) for number in range(1, count + 1))
    rig.record(*(incoming(one, one.span_id.hex(), one.span_id.hex()) for one in spans))
    rig.delete(trace_hex(1))
    tables = ("trace_origin", "trace_process", "origin", "process")
    left = [rows(path)[table] for table in tables]
    assert left == [count] * 4
    while rig.store.sweep():
        now_left = [rows(path).get(table, 0) for table in tables]
        removed = [before - after for before, after in zip(left, now_left, strict=True)]
        assert sum(removed) <= 2 * ROWS_A_STEP  # each with what only it had
        left = now_left
    assert left == [0] * 4
    rig.store.close()


def test_a_step_takes_so_many_bytes_of_resources(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    spans = (span(span_id=number) for number in range(1, 5))
    rig.record(*(incoming(one, service=f"{one.span_id[-1]}{HALF}") for one in spans))
    rig.delete(trace_hex(1))
    left = 4
    while rig.store.sweep():
        now_left = rows(path).get("origin", 0)
        assert left - now_left <= 1
        left = now_left
    assert left == 0
    rig.store.close()


_MANY = range(1, 2 * ROWS_A_STEP + 1)


@pytest.mark.parametrize(
    ("table", "items", "most"),
    [
        ("moment", [log(f"note {number}", trace=1) for number in _MANY], ROWS_A_STEP),
        ("moment", [log(name, trace=1, attributes={"text": HALF}) for name in "abcd"], 1),
        (
            "usage_ancestor",
            [span(span_id=number, parent=number - 1 or None, attributes=USAGE) for number in _MANY],
            ROWS_A_STEP,
        ),
        ("doomed_trace", [span(trace=number, attributes=SESSION) for number in _MANY], 200),
    ],
    ids=["moments", "bytes of moments", "spans with usage below", "traces"],
)
def test_a_step_takes_so_many_rows_of_each_kind(
    tmp_path: Path, table: str, items: list[Any], most: int
) -> None:
    path = tmp_path / "s.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    rig.record(span(attributes=SESSION), *items)
    rig.delete("S")
    left = rows(path)[table]
    assert left > most
    while rig.store.sweep():
        now_left = rows(path).get(table, 0)
        assert left - now_left <= most
        left = now_left
    assert left == 0
    rig.store.close()


def test_the_numbers_of_what_is_not_removed_yet_are_not_used_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.sqlite3"
    rig = Rig(open_store(url))
    rig.record(*(span(span_id=number) for number in range(1, 2 * ROWS_A_STEP)))
    rig.delete(trace_hex(1))
    rig.store.close()  # whoever opens it knows only what is in the tables
    rig = Rig(open_store(url))
    rig.record(span(trace=2, span_id=1))
    sweep_all(rig.store)
    assert rig.session().span_count == 1
    assert len(everything(rig.store)["newest"]) == 1
    rig.store.close()


def rows(path: Path) -> dict[str, int]:
    """Return the number of rows of each table that has any; `doomed`: of spans unseen."""
    connection = apsw.Connection(str(path))
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    counts = {}
    for table in tables:
        if not table.startswith("sqlite_") and "_by_" not in table:
            kind = "SELECT type FROM sqlite_schema WHERE name = ?"
            if next(connection.execute(kind, (table,)))[0] == "table":
                counts[table] = next(connection.execute(f"SELECT count(*) FROM {table}"))[0]
    sql = "SELECT count(*) FROM span WHERE session_no NOT IN (SELECT no FROM session)"
    counts["doomed"] = next(connection.execute(sql))[0]
    connection.close()
    return {table: int(count) for table, count in counts.items() if count}
