"""A store that was lost with its disk is made anew from the history."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from time import time_ns
from typing import Any

import pytest

from inspector.errors import SettingsError, StoreError
from inspector.service.history.clickhouse import ClickHouse, Stores
from inspector.service.history.copier import Copier
from inspector.service.history.recovering import chosen, copied_stores, recover
from inspector.service.history.schema import migrate
from inspector.service.history.searching import HistoryIndex
from inspector.service.history.tiers import TieredStore
from inspector.service.history.unpacking import unpack
from inspector.service.storage import open_store
from inspector.service.storage.base import Store
from inspector.service.storage.health import HistoryProgress
from inspector.service.storage.sqlite_backup import back_up, restore
from tests.support.services.api import open_api
from tests.support.services.clickhouse import ClickHouseServer
from tests.support.services.crawler import FILES, Crawler
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import started, trace_hex

_OF_A_STORE = ("change", "changed_at", "as_of", "next_cursor", "version")


def copied(store: Store, history: ClickHouse) -> None:
    copier = Copier(store, history, behind_ns=0)
    while copier.step():
        pass


def recovered(history: ClickHouse, lost: Store, path: Path) -> Store:
    (one,) = (one for one in copied_stores(history) if one.id == lost.id)
    recover(history, one, path)
    return open_store(f"sqlite:///{path}")


@pytest.mark.slow
async def test_every_view_of_a_recovered_store_answers_as_before(
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
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
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
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
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        with closing(open_store(f"sqlite:///{tmp_path}/store.sqlite3")) as store:
            rig = Rig(store)
            rig.record(span(trace=1), span(trace=1, span_id=2, parent=1))
            rig.wait(60)
            copied(store, history)
            journal = tmp_path / "again.sqlite3-wal"
            journal.write_bytes(b"left over")
            began_ns = time_ns()
            again = recovered(history, store, tmp_path / "again.sqlite3")
        assert [one.name for one in tmp_path.glob("*replaced*")] == ["again.sqlite3.replaced-1-wal"]
        with again.read() as reader:
            (record,) = reader.sessions([trace_hex(1)])
        again.close()
        assert record.changed_ns >= began_ns, "retention counts from now"
        assert record.evicted_spans == 2


@pytest.mark.slow
def test_what_had_left_a_store_before_it_was_restored_is_found_after_it_was_lost(
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
        rig.record(span("left", trace=1), span("inner", trace=1, span_id=2, parent=1))
        rig.wait(60)
        copied(rig.store, history)
        rig.evict()
        back_up(tmp_path / "store.sqlite3", tmp_path / "backup.sqlite3")
        rig.store.close()
        restore(tmp_path / "backup.sqlite3", tmp_path / "restored.sqlite3")
        with closing(open_store(f"sqlite:///{tmp_path}/restored.sqlite3")) as restored:
            copied(restored, history)
            again = recovered(history, restored, tmp_path / "again.sqlite3")
        path = tmp_path / "unpacked.sqlite3"
        with again.read() as reader:
            unpack(reader, history, Stores(again.id, again.former), [trace_hex(1)], path)
        again.close()
        with closing(open_store(f"sqlite:///{path}")) as store, store.read() as reader:
            assert [one.name for one in reader.spans_of(trace_hex(1))] == ["left", "inner"]


@pytest.mark.slow
def test_one_of_several_stores_must_be_named_and_no_file_is_replaced(
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
    with closing(clickhouse.client()) as history:
        migrate(history)
        ids = []
        for number in (1, 2):
            with closing(open_store(f"sqlite:///{tmp_path}/{number}.sqlite3")) as store:
                Rig(store).record(span(trace=number))
                copied(store, history)
                ids.append(store.id)
        stores = copied_stores(history)
        with pytest.raises(SettingsError, match="name one that the history has") as refused:
            chosen(stores, None)
        assert ids[1] in str(refused.value)
        assert chosen(stores, ids[1]).id == ids[1]
        with pytest.raises(StoreError, match="Move it away first"):
            recover(history, chosen(stores, ids[1]), tmp_path / "1.sqlite3")
