"""Tables that somebody altered by hand: what is on the disk stays, and no part is the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import HistoryError
from inspector.service.history import checking as checking_module
from inspector.service.history import copier as copier_module
from inspector.service.history.checking import Checking
from inspector.service.history.clickhouse import ClickHouse, Stores
from inspector.service.history.copier import Copier
from inspector.service.history.schema import check, migrate
from inspector.service.history.unpacking import unpack
from inspector.service.storage import open_store
from tests.history.test_copies import copied, stored
from tests.support.services.clickhouse import ClickHouseServer
from tests.support.services.process import wait_for
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import log, trace_hex

pytestmark = pytest.mark.slow

EVICTED, HERE = trace_hex(1), trace_hex(2)


@pytest.fixture
def history(clickhouse: ClickHouseServer) -> Iterator[ClickHouse]:
    client = clickhouse.client()
    clickhouse.run("DROP DATABASE inspector")
    clickhouse.run("CREATE DATABASE inspector")
    migrate(client)
    yield client
    client.close()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    yield rig
    rig.store.close()


def copier_of(rig: Rig, history: ClickHouse) -> Copier:
    return Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)


def copy(copier: Copier) -> None:
    while copier.step():
        pass


def departures(history: ClickHouse) -> list[dict[str, Any]]:
    return history.rows("SELECT session, change FROM departure FINAL ORDER BY change")


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("ALTER TABLE span DROP COLUMN model", "`model` of its table `span` is missing"),
        ("ALTER TABLE moment DROP COLUMN name", "`name` of its table `moment` is missing"),
        ("ALTER TABLE span MODIFY COLUMN waits Int32", "`waits` .* is Int32, not Int64"),
        ("ALTER TABLE session MODIFY COLUMN words_version UInt16", "is UInt16, not UInt8"),
        ("DROP TABLE trace", "`trace` of the history is missing"),
    ],
)
def test_a_column_or_table_that_is_not_as_it_was_is_named_with_what_to_do(
    rig: Rig, history: ClickHouse, statement: str, says: str
) -> None:
    rig.record(span(trace=1))
    copier = copier_of(rig, history)
    copy(copier)
    history.run(statement)
    rig.record(span(trace=2), log("note", trace=2, span_id=1))
    with pytest.raises(HistoryError, match=says) as caught:
        copy(copier)
    for advice in re.findall("`(ALTER [^`]*)`", str(caught.value)):
        history.run(advice)
    migrate(history)
    check(history)
    copy(copier_of(rig, history))
    assert copied(history, rig.store.id)["spans"].keys() == stored(rig.store)["spans"].keys()


def test_a_column_of_ones_own_and_a_type_of_the_same_values_do_no_harm(
    rig: Rig, history: ClickHouse
) -> None:
    history.run("ALTER TABLE span ADD COLUMN team String DEFAULT 'a' AFTER store")
    history.run("ALTER TABLE session ADD COLUMN team String")
    history.run("ALTER TABLE span MODIFY COLUMN model LowCardinality(String)")
    rig.record(span(trace=1), log("note", trace=1, span_id=1))
    copy(copier_of(rig, history))
    assert copied(history, rig.store.id) == stored(rig.store)


@pytest.mark.parametrize("gone", ["span", "moment", "session", "trace", "departure", "day"])
def test_what_the_history_lost_stays_on_the_disk_and_is_copied_again(
    rig: Rig, history: ClickHouse, tmp_path: Path, gone: str
) -> None:
    rig.record(span(trace=1), log("note", trace=1, span_id=1))
    rig.wait(60)
    copier = copier_of(rig, history)
    copy(copier)
    rig.evict()
    rig.record(span(trace=2), log("note", trace=2, span_id=1))
    rig.record(log("alone", attributes={"session.id": HERE}))
    rig.record(span(trace=3))
    rig.wait(60)
    rig.delete(trace_hex(3))
    checking = Checking(rig.store, history)
    checking.step(copier.through)
    assert not checking.whole, "it is not copied yet"
    copy(copier)
    checking = Checking(rig.store, history)
    checking.step(copier.through)
    assert (set(checking.whole), checking.lacks, checking.lost) == ({HERE}, False, set())
    before = copied(history, rig.store.id), departures(history)

    if gone == "day":
        [day] = history.rows("SELECT toString(first_day) AS day FROM span LIMIT 1 BY first_day")
        history.run(f"ALTER TABLE span DROP PARTITION '{day['day']}'")
    else:
        history.run(f"TRUNCATE TABLE {gone}")
    if gone != "day":  # which it sees go
        checking = Checking(rig.store, history)

    def is_noticed() -> bool:
        checking.step(copier.through)
        return checking.lacks

    wait_for(is_noticed)
    assert not checking.whole, "nothing leaves the disk"
    is_lost = gone in ("span", "moment", "day")
    assert bool(checking.lost) == is_lost
    stores, path = Stores(rig.store.id, {}), tmp_path / "unpacked.sqlite3"
    is_readable = pytest.raises(HistoryError, match="has 0") if is_lost else nullcontext()
    with is_readable, rig.store.read() as reader:
        unpack(reader, history, stores, [EVICTED], path)

    copier.begin_again()
    copy(copier)
    checking = Checking(rig.store, history)
    checking.step(copier.through)
    assert (set(checking.whole), checking.lacks) == ({HERE}, False)
    assert copied(history, rig.store.id)["moments"] >= stored(rig.store)["moments"]
    if not is_lost:
        assert (copied(history, rig.store.id), departures(history)) == before


@pytest.mark.parametrize("table", ["span", "moment", "trace", "session"])
def test_a_loss_is_noticed_where_new_rows_came_at_once(
    rig: Rig, history: ClickHouse, table: str
) -> None:
    rig.record(span(trace=1), log("note", trace=1, span_id=1))
    rig.wait(60)
    copier = copier_of(rig, history)
    copy(copier)
    checking = Checking(rig.store, history)
    checking.step(copier.through)
    assert checking.whole

    history.run(f"TRUNCATE TABLE {table}")
    rig.record(span(trace=2), log("note", trace=2, span_id=1))
    rig.wait(60)
    copy(copier)

    def is_noticed() -> bool:
        checking.step(copier.through)
        return checking.lacks

    wait_for(is_noticed)
    assert not checking.whole


def test_what_is_new_is_copied_before_what_is_copied_again(
    rig: Rig, history: ClickHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copier_module, "_CHUNK", 3)
    monkeypatch.setattr(copier_module, "_AGAIN_S", 0)
    for number in range(1, 20):
        rig.record(span(f"old {number}", trace=number))
    copier = copier_of(rig, history)
    copy(copier)
    history.run("TRUNCATE TABLE span")
    copier.begin_again()
    rig.record(span("new", trace=20))
    copier.step()
    copier.step()
    names = {one["name"] for one in history.rows("SELECT name FROM span")}
    assert "new" in names
    assert len(names) < 15
    assert copier.is_copying_again
    rig.record(span("newer", trace=21))
    copy(copier)
    assert copier.has_again
    assert copied(history, rig.store.id) == stored(rig.store)


def test_late_spans_that_are_not_copied_yet_are_no_loss(rig: Rig, history: ClickHouse) -> None:
    rig.record(span("first", trace=1))
    rig.wait(60)
    copier = copier_of(rig, history)
    copy(copier)
    rig.evict()
    rig.record(span("late", trace=1, span_id=2), span("later", trace=1, span_id=3))
    checking = Checking(rig.store, history)
    checking.step(copier.through)
    assert (checking.lost, checking.lacks) == (set(), False)
    copy(copier)
    checking.begin()
    checking.step(copier.through)
    assert (checking.lost, checking.lacks) == (set(), False)


@pytest.mark.parametrize("traces", [1, 1_000])
def test_a_loss_of_one_of_many_sessions_of_a_day_is_noticed(
    rig: Rig, history: ClickHouse, monkeypatch: pytest.MonkeyPatch, traces: int
) -> None:
    monkeypatch.setattr(checking_module, "_MOST_TRACES", traces)
    monkeypatch.setattr(checking_module, "_LOOK_S", 0.0)
    for number in range(1, 6):
        rig.record(span(f"call {number}", trace=number), log("note", trace=number, span_id=1))
    rig.wait(60)
    copier = copier_of(rig, history)
    copy(copier)
    rig.evict()
    checking = Checking(rig.store, history)
    checking.step(copier.through)
    assert checking.lost == set()
    history.run(f"ALTER TABLE span DELETE WHERE trace = unhex('{trace_hex(3)}')")
    wait_for(lambda: not history.rows("SELECT 1 AS x FROM span WHERE name = 'call 3'"))
    checking.begin()
    while not checking._all.is_done:
        assert not checking.has_all
        checking.step(copier.through)
    assert checking.lost == {"2026-01-01"}
