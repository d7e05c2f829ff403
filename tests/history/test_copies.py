"""What a store has is in its history, whatever happens on the way; on real ClickHouses."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.history import copier as copier_module
from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.copier import Copier, OlderStoreError
from inspector.service.history.schema import migrate
from inspector.service.model.rows import Json
from inspector.service.query.tree import All
from inspector.service.search.documents import VERSION, session_document, span_document
from inspector.service.storage import open_store
from inspector.service.storage.base import Store
from tests.support.docs.page import DocPage
from tests.support.models.schedules import Step, controlled_schedules
from tests.support.services.clickhouse import ClickHouseServer
from tests.support.services.process import wait_for
from tests.support.services.recorder_rig import Rig, play
from tests.support.telemetry.otlp import SECOND_NS, span

pytestmark = pytest.mark.slow

State = dict[str, Any]
_COMPARED = ("version", "of", "called", "ended", "began", "until", "data")


@pytest.fixture(scope="module")
def history(clickhouse: ClickHouseServer) -> Iterator[ClickHouse]:
    client = clickhouse.client()
    migrate(client)
    yield client
    client.close()


def stored(store: Store) -> State:
    """What the store has."""
    with store.read() as reader:
        sessions = reader.newest_sessions(All(), None, 10_000).rows
        spans = [one for found in sessions for one in reader.spans_of(found.row.id)]
        contents = reader.contents([one.content for one in spans])
        moments = [one for found in sessions for one in reader.moments_of(found.row.id)]
    return {
        "sessions": {
            one.row.id: (one.change, orjson.loads(orjson.dumps(one.row)), session_document(one))
            for one in sessions
        },
        "spans": {
            (one.trace_id, one.span_id): (
                one.change,
                one.session_id,
                one.name,
                one.status.value,
                one.start_ns,
                -1 if one.end_ns is None else one.end_ns,
                content.payload.hex(),
                sorted(span_document(one, content).split()),
            )
            for one, content in zip(spans, contents, strict=True)
        },
        "moments": {
            (one.trace_id or "", one.span_id or "", one.digest.hex(), one.changed_ns)
            for one in moments
        },
    }


def copied(history: ClickHouse, store_id: str) -> State:
    """What the history has, read as its rules say: the newest version of each row."""
    mine = f"store = '{store_id}'"
    newest = {
        one["session"]: one["gone"]
        for one in history.rows(
            "SELECT session, max(change) AS gone FROM departure"
            f" WHERE {mine} AND is_whole = 1 GROUP BY session"
        )
    }
    sessions = {
        one["id"]: (one["version"], orjson.loads(one["row"]), one["document"])
        for one in history.rows(
            "SELECT id, max(change) AS version, argMax(body, change) AS row,"
            " argMax(words, change) AS document FROM session"
            f" WHERE {mine} AND words_version = {VERSION} GROUP BY id"
        )
        if one["version"] > newest.get(one["id"], 0)
    }
    spans = history.rows(
        "SELECT lower(hex(trace)) AS t, lower(hex(span)) AS s, max(change) AS version,"
        " argMax(session, change) AS of, argMax(name, change) AS called,"
        " argMax(status, change) AS ended, argMax(start_ns, change) AS began,"
        " argMax(end_ns, change) AS until, lower(hex(argMax(payload, change))) AS data,"
        " argMax(words, change) AS document"
        f" FROM span WHERE {mine} AND words_version = {VERSION} GROUP BY trace, span"
    )
    moments = history.rows(
        "SELECT DISTINCT trace, span, lower(hex(digest)) AS d, session, changed_ns FROM moment"
        f" WHERE {mine}"
    )
    traces = {
        one["t"]: one["of"]
        for one in history.rows(
            "SELECT lower(hex(trace)) AS t, argMax(session, change) AS of FROM trace"
            f" WHERE {mine} GROUP BY trace"
        )
    }
    return {
        "sessions": sessions,
        "spans": {
            (one["t"], one["s"]): (
                *(one[column] for column in _COMPARED),
                sorted(one["document"].split()),
            )
            for one in spans
            if one["of"] in sessions
        },
        "moments": {
            (one["trace"], one["span"], one["d"], one["changed_ns"])
            for one in moments
            if traces.get(one["trace"], one["session"]) in sessions
        },
    }


@given(
    steps=controlled_schedules,
    copies=st.lists(st.integers(0, 3), min_size=1, max_size=20),
)
def test_after_any_schedule_the_history_has_what_the_store_has(
    history: ClickHouse, steps: list[Step], copies: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(open_store(f"sqlite:///{folder}/store.sqlite3"))
        copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
        for number, step in enumerate(steps):
            play(rig, step)
            match copies[number % len(copies)]:
                case 1:
                    copier.step()
                case 2:  # the answer to the last batch was lost
                    before = copier.through
                    copier.step()
                    copier.through = before
                case 3:  # the companion was killed after it had inserted a part
                    copier.step()
                    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
                case _:
                    pass
        while copier.step():
            pass
        copier.delete_departed()
        wait_for(lambda: not history.rows("SELECT 1 FROM system.mutations WHERE is_done = 0"))
        assert copied(history, rig.store.id) == stored(rig.store)
        rig.store.close()


def test_what_is_deleted_leaves_the_history(
    clickhouse: ClickHouseServer,
    history: ClickHouse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(copier_module, "_VALUES_A_DELETION", 1)
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    rig.record(span(trace=1, span_id=2, parent=1))
    rig.record(span(trace=2, attributes={"session.id": "b"}))
    copier.step()
    rig.record(span(trace=1, attributes={"session.id": "b"}))  # the whole trace moves to `b`
    copier.step()
    rig.delete("b")
    rig.record(span(trace=3, attributes={"session.id": "b"}))  # a new one by that name
    copier.step()

    if clickhouse.kind == "server":  # it would do those that wait together, and wrongly
        history.run("SYSTEM STOP MERGES")
        with monkeypatch.context() as hurried:
            hurried.setattr(copier_module, "_DELETION_S", 0)
            copier.delete_departed()
        history.run("SYSTEM START MERGES")
        copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    copier.delete_departed()

    mine = f"store = '{rig.store.id}'"

    def left(table: str, what: str) -> list[Any]:
        return [one["x"] for one in history.rows(f"SELECT {what} AS x FROM {table} WHERE {mine}")]

    (trace,) = {one.trace_id for one in _spans(rig.store)}
    wait_for(lambda: left("span", "lower(hex(trace))") == [trace])
    wait_for(lambda: left("session", "id") == ["b"])
    assert copied(history, rig.store.id) == stored(rig.store)


def test_changes_of_the_last_seconds_wait_and_those_of_a_clock_that_was_set_back_do_not(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns)
    rig.record(span())
    assert not copier.step()
    assert copier.through == 0
    rig.now_ns -= 3600 * SECOND_NS
    copier.step()
    assert copied(history, rig.store.id) == stored(rig.store)


def test_a_store_that_is_older_than_its_history_is_not_copied(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    rig.record(span())
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    copier.step()
    copier.through += 10
    with pytest.raises(OlderStoreError):
        copier.step()


def test_the_query_of_the_page_adds_up_tokens(
    clickhouse: ClickHouseServer, history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    now_ns = time.time_ns()
    for number in (1, 2):
        used: dict[str, Json] = {
            "gen_ai.usage.input_tokens": 3,
            "gen_ai.usage.output_tokens": number,
        }
        chat: dict[str, Json] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            **used,
        }
        rig.record(span(trace=number, start_ns=now_ns, attributes=chat))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    copier.step()
    copier.step()
    [query] = DocPage("docs/operate/history.md").of("sql")
    mine = query.text.replace("WHERE", f"WHERE store = '{rig.store.id}' AND")
    [found] = history.rows(mine)
    assert sorted(map(str, found.values())) == ["2", "3", "6", "m"]


def test_a_large_backlog_is_copied_in_batches(
    history: ClickHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copier_module, "_CHUNK", 3)
    monkeypatch.setattr(copier_module, "_MAX_ROWS", 10)
    monkeypatch.setattr(copier_module, "_MAX_CHUNK_BYTES", 100)
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    for number in range(1, 30):
        rig.record(span(trace=number))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    steps = 1
    while copier.step():
        steps += 1
    assert steps > 3
    assert copied(history, rig.store.id) == stored(rig.store)


def _spans(store: Store) -> list[Any]:
    with store.read() as reader:
        sessions = reader.newest_sessions(All(), None, 100).rows
        return [one for found in sessions for one in reader.spans_of(found.row.id)]
