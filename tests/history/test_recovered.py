"""A store that was lost with its disk is made anew from the history."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from time import time_ns
from typing import Any

import orjson
import pytest

from inspector.errors import HistoryError, SettingsError, StoreError
from inspector.service.history import clickhouse as clickhouse_client
from inspector.service.history import recovering
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse, Stores, literal
from inspector.service.history.copier import Copier
from inspector.service.history.recovering import chosen, copied_stores, recover, recover_from
from inspector.service.history.schema import migrate
from inspector.service.history.searching import HistoryIndex
from inspector.service.history.tiers import TieredStore
from inspector.service.history.unpacking import unpack
from inspector.service.model.rows import Json
from inspector.service.storage import open_store
from inspector.service.storage.base import Store
from inspector.service.storage.health import HistoryProgress
from inspector.service.storage.sqlite_backup import back_up, restore
from tests.support.services.api import open_api
from tests.support.services.clickhouse import PASSWORD, ClickHouseServer, running_clickhouse
from tests.support.services.crawler import FILES, Crawler
from tests.support.services.process import wait_for
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import started, trace_hex

_OF_A_STORE = ("change", "changed_at", "as_of", "next_cursor", "version")


def copied(store: Store, history: ClickHouse) -> None:
    copier = Copier(store, history, behind_ns=0)
    while copier.step():
        pass


def shown(store: Store, history: ClickHouse, path: Path, session_id: str) -> list[str]:
    """Return the names of a session's spans, which are read in the history."""
    with store.read() as reader:
        unpack(reader, history, Stores(store.id, store.former), [session_id], path)
    with closing(open_store(f"sqlite:///{path}")) as unpacked, unpacked.read() as reader:
        return [one.name for one in reader.spans_of(session_id)]


def add_sessions(history: ClickHouse, store_id: str) -> None:
    """Insert 60 MB of sessions like the one that there is."""
    (one,) = history.rows(f"SELECT id, body FROM session FINAL WHERE store = '{store_id}'")
    before, _, after = one["body"].partition(one["id"])
    id_, padded = "concat('more ', toString(number))", after + " " * 1_000
    history.run(
        f"INSERT INTO session (store, id, change, body) SELECT '{store_id}', {id_}, number + 1000,"
        f" concat({literal(before)}, {id_}, {literal(padded)}) FROM numbers(40000)"
    )


def add_spans(history: ClickHouse, store_id: str) -> None:
    """Insert 20 MB of spans, of traces and a session that are not there."""
    history.run(
        f"INSERT INTO span (store, trace, span, change, session) SELECT '{store_id}',"
        f" toFixedString(toString(number), 16), '12345678', 1, '{'s' * 200}' FROM numbers(100000)"
    )


def recovered(history: ClickHouse, lost: Store, path: Path) -> Store:
    (one,) = (one for one in copied_stores(history) if one.id == lost.id)
    recover(history, one, path)
    return open_store(f"sqlite:///{path}")


@pytest.mark.slow
async def test_every_view_of_a_recovered_store_answers_as_before(
    clickhouse: ClickHouseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovering, "_A_COMMIT", 7)
    with closing(clickhouse.client()) as history:
        migrate(history)
        store = open_store(f"sqlite:///{tmp_path}/store.sqlite3")
        async with open_api(store) as api:
            for file in FILES[::2]:
                (await api.post("/import", content=file.read_bytes())).raise_for_status()
            before = Crawler(api, _OF_A_STORE)
            await before.crawl()
        copied(store, history)
        again = recovered(history, store, tmp_path / "again.sqlite3")
        copied(again, history)
        assert again.id != store.id

        def unpacked(path: Path, session_ids: Any) -> None:
            with again.read() as reader, closing(clickhouse.client()) as client:
                unpack(reader, client, Stores(again.id, again.former), session_ids, path)

        views = TieredStore(again, tmp_path / "unpacked", unpacked)
        with again.read() as reader:
            health = HistoryProgress("ok", through=reader.head, here=reader.head)
        stores = Stores(again.id, again.former)
        words = HistoryIndex(stores, clickhouse.client, lambda: health)
        async with open_api(again, views=views, words=words) as api:
            after = Crawler(api, _OF_A_STORE)
            await after.crawl()
    assert after.answers.keys() == before.answers.keys()
    assert [path for path in before.answers if after.answers[path] != before.answers[path]] == []
    for part in (views, words, again, store):
        part.close()


@pytest.mark.slow
def test_what_ran_is_lost_what_was_deleted_stays_gone_and_what_comes_later_counts(
    clickhouse: ClickHouseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovering, "_A_COMMIT", 1)
    with closing(clickhouse.client()) as history:
        migrate(history)
        rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
        rig.record(span("deleted", trace=2))
        rig.record(span("over", trace=3))
        rig.record(span("begins again", trace=4))
        rig.wait(60)
        rig.delete(trace_hex(2))
        rig.delete(trace_hex(4))
        rig.record(span("began again", trace=4, span_id=2))
        rig.wait(60)
        rig.record(started(span("runs", trace=1)))
        assert rig.session(trace_hex(1)).status.value == "running"
        copied(rig.store, history)
        again = recovered(history, rig.store, tmp_path / "again.sqlite3")
        rig.store.close()
        later = Rig(again)
        found = {one.title: one.status.value for one in later.sessions().values()}
        assert found == {"runs": "lost", "over": "completed", "began again": "completed"}
        later.now_ns = rig.now_ns + 10**9
        later.record(span("late", trace=3, span_id=2, parent=1))
        assert later.session(trace_hex(3)).span_count == 2
        assert later.session(trace_hex(3)).title == "over"
        path = tmp_path / "unpacked.sqlite3"
        with again.read() as reader:
            everything = [trace_hex(3), trace_hex(4)]
            unpack(reader, history, Stores(again.id, again.former), everything, path)
        with closing(open_store(f"sqlite:///{path}")) as store, store.read() as reader:
            names = [[one.name for one in reader.spans_of(id_)] for id_ in everything]
        assert names == [["over", "late"], ["began again"]]
        again.close()


@pytest.mark.slow
def test_neither_a_journal_nor_retention_nor_a_loss_harms_what_was_recovered(
    clickhouse: ClickHouseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        with closing(open_store(f"sqlite:///{tmp_path}/store.sqlite3")) as store:
            rig = Rig(store)
            rig.record(*(span(trace=1, span_id=n) for n in (1, 2)))
            rig.record(*(span(trace=2, span_id=n) for n in (1, 2, 3)))
            rig.wait(60)
            copied(store, history)
            journal = tmp_path / "again.sqlite3-wal"
            journal.write_bytes(b"left over")
            began_ns = time_ns()
            monkeypatch.setattr(recovering, "_A_COMMIT", 1)
            again = recovered(history, store, tmp_path / "again.sqlite3")
        assert [one.name for one in tmp_path.glob("*replaced*")] == ["again.sqlite3.replaced-1-wal"]
        with again.read() as reader:
            records = sorted(reader.sessions([trace_hex(1), trace_hex(2)]), key=lambda x: x.row.id)
        again.close()
        assert all(one.changed_ns >= began_ns for one in records), "retention counts from now"
        assert [one.evicted_spans for one in records] == [2, 3]


@pytest.mark.slow
def test_what_was_inserted_without_its_position_is_recovered_too(
    clickhouse: ClickHouseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
        rig.record(span("root", trace=1))
        rig.wait(60)
        copied(rig.store, history)
        rig.record(span("late", trace=1, span_id=2, parent=1))
        rig.record(span("new", trace=2))
        rig.wait(60)
        with monkeypatch.context() as patch:
            patch.setattr(Copier, "_note", lambda *_: None)  # the machine is lost before
            copied(rig.store, history)
        again = recovered(history, rig.store, tmp_path / "again.sqlite3")
        rig.store.close()
        for number, names in ((1, ["root", "late"]), (2, ["new"])):
            assert shown(again, history, tmp_path / f"{number}.db", trace_hex(number)) == names
        again.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "limit"), [("max_memory_usage", 100_000_000), ("max_bytes_to_read", 16_000_000)]
)
def test_a_history_is_recovered_from_in_parts(
    clickhouse: ClickHouseServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    limit: int,
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
        rig.record(started(span("runs", trace=1)), span("over", trace=1, span_id=2, parent=1))
        with rig.store.read() as reader:
            over_ns = max(one.end_ns or 0 for one in reader.spans_of(trace_hex(1)))
        copied(rig.store, history)
        if setting == "max_memory_usage":
            add_sessions(history, rig.store.id)
        else:
            add_spans(history, rig.store.id)
        monkeypatch.setitem(clickhouse_client._READING, setting, str(limit))
        again = recovered(history, rig.store, tmp_path / "again.sqlite3")
        rig.store.close()
        with again.read() as reader:
            (found,) = reader.sessions([trace_hex(1)])
        assert (found.row.status.value, found.row.ended_ns) == ("lost", over_ns)
        assert found.evicted_spans == 2
        again.close()


@pytest.mark.slow
def test_a_deletion_that_was_due_when_the_disk_was_lost_is_carried_out(
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
        rig.record(*(span("deleted", trace=1, span_id=n) for n in (1, 2)), span("gone", trace=2))
        rig.wait(60)
        copied(rig.store, history)
        for number in (1, 2):
            rig.delete(trace_hex(number))
        rig.record(span("began again", trace=1, span_id=3))
        rig.wait(60)
        copied(rig.store, history)
        again = recovered(history, rig.store, tmp_path / "again.sqlite3")
        rig.store.close()
        assert shown(again, history, tmp_path / "1.db", trace_hex(1)) == ["began again"]
        copier = Copier(again, history, behind_ns=0)
        wait_for(lambda: not copier.delete_departed())
        mine = f"store = '{rig.store.id}'"

        def left() -> list[list[str]]:
            return [
                [one["name"] for one in history.rows(f"SELECT name FROM span WHERE {mine}")],
                [one["id"] for one in history.rows(f"SELECT id FROM session WHERE {mine}")],
            ]

        wait_for(lambda: left() == [["began again"], [trace_hex(1)]])
        again.close()


def test_of_a_trace_what_any_deletion_of_its_session_was_about_is_not_seen() -> None:
    rows = [
        {"id": trace_hex(1), "session": "a", "version": 10, "day": 0},
        {"id": trace_hex(1), "session": "b", "version": 60, "day": 0},
    ]
    state = recovering._trace_state(rows, {"a": [50, 100]})
    assert orjson.loads(state)["since"] == 51


@pytest.mark.slow
@pytest.mark.parametrize("has_left", [True, False])
def test_what_a_store_had_before_it_was_restored_is_found_after_it_was_lost(
    clickhouse: ClickHouseServer, tmp_path: Path, *, has_left: bool
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
        rig.record(span("outer", trace=1), span("inner", trace=1, span_id=2, parent=1))
        rig.wait(60)
        copied(rig.store, history)
        if has_left:  # or it is copied twice, under the ids of both stores
            rig.evict()
        back_up(tmp_path / "store.sqlite3", tmp_path / "backup.sqlite3")
        rig.store.close()
        restore(tmp_path / "backup.sqlite3", tmp_path / "restored.sqlite3")
        with closing(open_store(f"sqlite:///{tmp_path}/restored.sqlite3")) as restored:
            copied(restored, history)
            again = recovered(history, restored, tmp_path / "again.sqlite3")
        assert shown(again, history, tmp_path / "1.db", trace_hex(1)) == ["outer", "inner"]
        again.close()


@pytest.mark.slow
def test_the_id_of_a_merged_session_leads_where_it_led_before(
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
    chat: dict[str, Json] = {"session.id": "chat"}
    with closing(clickhouse.client()) as history:
        migrate(history)
        rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
        for trace in (1, 2, 3):
            rig.record(span(trace=trace))
            rig.record(span(trace=trace, span_id=2, parent=1, attributes=chat))
        rig.record(span(trace=4, attributes={"session.id": trace_hex(3)}))  # it began again
        rig.delete(trace_hex(3))
        rig.wait(60)
        copied(rig.store, history)
        with rig.store.read() as reader:
            before = [reader.destination(trace_hex(one)) for one in (1, 2, 3)]
        assert before == ["chat", "chat", None]
        again = recovered(history, rig.store, tmp_path / "again.sqlite3")
        rig.store.close()
        with again.read() as reader:
            assert [reader.destination(trace_hex(one)) for one in (1, 2, 3)] == before
        again.close()


@pytest.mark.slow
def test_one_of_several_stores_must_be_named_and_no_file_is_replaced(
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        ids = []
        for number in (1, 2):
            with closing(open_store(f"sqlite:///{tmp_path}/{number}.sqlite3")) as store:
                Rig(store).record(*(span(trace=one + 1) for one in range(number)))
                copied(store, history)
                ids.append(store.id)
        stores = copied_stores(history)
        with pytest.raises(SettingsError, match="name one that the history has") as refused:
            chosen(stores, None)
        assert f"{ids[0]} (1 session, last change 20" in str(refused.value)
        assert f"{ids[1]} (2 sessions, last change 20" in str(refused.value)
        assert chosen(stores, ids[1]).id == ids[1]
        with pytest.raises(StoreError, match="Move it away first"):
            recover(history, chosen(stores, ids[1]), tmp_path / "1.sqlite3")


@pytest.mark.slow
def test_of_several_servers_the_one_that_has_most_is_recovered_from(
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
    with (
        running_clickhouse(clickhouse.kind, tmp_path / "behind") as behind,
        closing(open_store(f"sqlite:///{tmp_path}/store.sqlite3")) as store,
    ):
        for number, server in enumerate((behind, clickhouse), start=1):
            Rig(store).record(span(trace=number))
            with closing(server.client()) as history:
                migrate(history)
                copied(store, history)
        ports = (f"127.0.0.1:{one.port}" for one in (behind, clickhouse))
        both = HistoryAddress.parse(f"clickhouse://inspector@{','.join(ports)}/inspector")
        _, count = recover_from(both, PASSWORD, 1, store.id, tmp_path / "again.sqlite3")
        assert count == 2
        behind.stop()
        with pytest.raises(HistoryError, match=f"Cannot reach .*:{behind.port}/"):
            recover_from(both, PASSWORD, 1, store.id, tmp_path / "and again.sqlite3")
