"""A search reads of sessions that have left the store what their views show."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.history import rows, searching
from inspector.service.history.clickhouse import ClickHouse, Stores
from inspector.service.history.copier import Copier
from inspector.service.history.rows import of_traces, span_counts
from inspector.service.history.searching import HistoryIndex
from inspector.service.history.unpacking import unpack
from inspector.service.model.records import SpanRecord, TraceRecord
from inspector.service.query import QueryScope, parse_query
from inspector.service.query.tree import Node
from inspector.service.sessions.recovered import recovered_trace
from inspector.service.storage import open_store
from inspector.service.storage.base import Reader, SpanPosition, SpanReader
from inspector.service.storage.health import HistoryProgress
from inspector.service.storage.sqlite_backup import back_up, restore
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore
from tests.support.models.schedules import Step, controlled_schedules
from tests.support.services.clickhouse import ClickHouseServer
from tests.support.services.recorder_rig import Rig, play
from tests.support.telemetry.otlp import START_NS, span
from tests.support.telemetry.records import log, span_hex, trace_hex

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_MAX_BYTES", 200)  # a content or two
    monkeypatch.setattr(rows, "_VALUES_A_QUERY", 2)


@contextmanager
def searched(
    rig: Rig, connect: Callable[[], ClickHouse], copier: Copier
) -> Iterator[tuple[Reader, SpanReader]]:
    stores = Stores(rig.store.id, rig.store.former)
    health = HistoryProgress("ok", through=copier.through, here=copier.through)
    index = HistoryIndex(stores, connect, lambda: health)
    with index.read() as words, rig.store.read() as reader:
        yield reader, words.source(reader, rig.now_ns)
        assert words.missing is None
    index.close()


def paged(
    source: SpanReader, session_id: str, limit: int, node: Node | None = None
) -> list[SpanRecord]:
    found, after = list[SpanRecord](), None
    while page := source.spans_of(session_id, after, limit, node):
        assert len(page) <= limit
        found += page
        after = SpanPosition(page[-1].start_ns, page[-1].span_id, page[-1].trace_id)
    return found


def copy_all(rig: Rig, history: ClickHouse) -> Copier:
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    while copier.step():
        pass
    return copier


@given(
    steps=controlled_schedules, later=controlled_schedules, limit=st.integers(1, 4), is_swept=...
)
def test_whatever_came_late_it_reads_what_the_views_show(
    clickhouse: ClickHouseServer,
    history: ClickHouse,
    steps: list[Step],
    later: list[Step],
    limit: int,
    is_swept: bool,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(open_store(f"sqlite:///{folder}/store.sqlite3"))
        for step in steps:
            play(rig, step)
        rig.wait(60)
        copier = copy_all(rig, history)
        if is_swept:
            rig.evict()
        else:
            with rig.store.read() as reader:
                ids = [one.row.id for one in reader.oldest_here(1000)]
                rig.store.evict({one: reader.last_change(one) for one in ids})
        for step in later:
            play(rig, step)
        stores = Stores(rig.store.id, rig.store.former)
        with searched(rig, clickhouse.client, copier) as (reader, source):
            for id_ in (one for one in rig.sessions() if reader.is_any_evicted([one])):
                path = Path(folder) / "unpacked.sqlite3"
                unpack(reader, history, stores, [id_], path)
                with ReadOnlySqliteStore(path).read() as whole:
                    spans = whole.spans_of(id_)
                    assert paged(source, id_, limit) == spans
                    for one in spans:
                        assert source.content(one) == whole.content(one)
                        place = one.trace_id, one.span_id, id_
                        assert source.moments(*place) == whole.moments(*place)
                        (found,) = source.spans(one.trace_id, [one.span_id])
                        assert found == one
                    assert source.model_usage([id_]) == whole.model_usage([id_])
                    assert source.uncosted_calls([id_]) == whole.uncosted_calls([id_])
        rig.store.close()


def test_of_a_store_that_was_restored_each_span_is_found_once_and_as_it_was_then(
    clickhouse: ClickHouseServer, history: ClickHouse, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    rig.record(*(span("then", span_id=n, start_ns=START_NS + 10 * n) for n in range(1, 21)))
    rig.record(*(log(f"note {n}", trace=1, span_id=1) for n in range(4)))
    rig.wait(60)
    back_up(path, tmp_path / "backup.sqlite3")
    rig.record(*(span("since", span_id=n, start_ns=START_NS + 10 * n) for n in range(5, 10)))
    rig.record(*(span("since", span_id=n, start_ns=START_NS + 5) for n in range(10, 25)))
    copy_all(rig, history)
    for _ in range(2):  # restored twice: of each store the next one has all
        rig.store.close()
        restore(tmp_path / "backup.sqlite3", path)
        rig = Rig(open_store(f"sqlite:///{path}"))
        copier = copy_all(rig, history)
        back_up(path, tmp_path / "backup 2.sqlite3")
        (tmp_path / "backup 2.sqlite3").replace(tmp_path / "backup.sqlite3")
        rig.record(span("since", span_id=19, start_ns=START_NS + 5))
        copier = copy_all(rig, history)
    rig.store.close()
    restore(tmp_path / "backup.sqlite3", path)

    rig = Rig(open_store(f"sqlite:///{path}"))
    rig.evict()  # what it has is in the history under the ids of those before
    copier = copy_all(rig, history)
    rig.record(*(span("late", span_id=n, start_ns=START_NS + 10 * n) for n in (3, 4, 30)))
    id_, unpacked = trace_hex(1), tmp_path / "unpacked.sqlite3"
    with searched(rig, clickhouse.client, copier) as (reader, source):
        unpack(reader, history, Stores(rig.store.id, rig.store.former), [id_], unpacked)
        with ReadOnlySqliteStore(unpacked).read() as whole:
            spans = whole.spans_of(id_)
            notes = whole.moments(id_, span_hex(1), id_)
        assert {one.name for one in spans} == {"then", "since", "late"}
        for limit in (1, 4, 6, 100):
            assert paged(source, id_, limit) == spans
        node = parse_query("name:since", QueryScope.SPAN, rig.now_ns)
        assert [one for one in paged(source, id_, 4, node) if one not in spans] == []
        assert source.moments(id_, span_hex(1), id_, 4) == notes
        assert len(notes) == 4
    rig.store.close()


def test_a_query_names_as_many_traces_as_a_long_chat_has(history: ClickHouse) -> None:
    traces = [
        TraceRecord(
            trace_hex(n),
            "chat",
            recovered_trace(trace_hex(n), "chat", seen_ns=0, since=n % 2).dump(),
            is_new=True,
        )
        for n in range(1, 30_001)
    ]
    (found,) = history.rows(f"SELECT count() AS n FROM span WHERE {of_traces(traces)}")
    assert int(found["n"]) >= 0
    assert span_counts(history, Stores("none", {}), traces[:5]) == {}
