"""What a store has is in its history, whatever happens on the way; on real ClickHouses."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import HistoryError, StoreUnavailableError
from inspector.service.history import copier as copier_module
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.companion import SameStore
from inspector.service.history.copier import Copier, OlderStoreError
from inspector.service.history.row_binary import NS_A_DAY
from inspector.service.history.schema import migrate
from inspector.service.model.rows import Json
from inspector.service.query.tree import All
from inspector.service.search.documents import VERSION, session_document, span_document
from inspector.service.storage import open_store
from inspector.service.storage.base import Store
from tests.support.docs.page import DocPage
from tests.support.models.schedules import Step, controlled_schedules
from tests.support.services.clickhouse import PASSWORD, ClickHouseServer, running_clickhouse
from tests.support.services.process import wait_for
from tests.support.services.recorder_rig import Rig, play
from tests.support.telemetry.otlp import SECOND_NS, span
from tests.support.telemetry.records import heartbeat, log, span_hex, started, trace_hex

pytestmark = pytest.mark.slow

State = dict[str, Any]
_DELETIONS_S = 150.0
"""ClickHouse 18.16 may look for work twice a minute."""
_COMPARED = ("version", "of", "called", "ended", "began", "until", "data")


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


def delete_departed(history: ClickHouse, copier: Copier) -> None:
    """Delete all that has departed, and wait until it is gone."""
    wait_for(lambda: not copier.delete_departed(), deadline_s=_DELETIONS_S)
    pending = "SELECT 1 FROM system.mutations WHERE is_done = 0"
    wait_for(lambda: not history.rows(pending), deadline_s=_DELETIONS_S)


def nothing_else(history: ClickHouse, store: Store) -> bool:
    """Check that the history has no row of what the store has not, whether it is shown or not."""
    mine = f"FROM {{}} WHERE store = '{store.id}'"

    def rows(columns: str, table: str) -> list[dict[str, Any]]:
        return history.rows(f"SELECT DISTINCT {columns} {mine.format(table)}")

    with store.read() as reader:
        for one in rows("lower(hex(trace)) AS t, lower(hex(span)) AS s", "span"):
            assert reader.spans(one["t"], [one["s"]]), f"span {one}"
        for one in rows("lower(hex(trace)) AS t", "trace"):
            assert reader.traces([one["t"]]), f"trace {one}"
        for one in rows("id", "session"):
            assert reader.session(one["id"]), f"session {one}"
        for one in rows("trace, span, session, lower(hex(digest)) AS d", "moment"):
            place = (one["trace"] or None, one["span"] or None, one["session"] or None)
            digests = {moment.digest.hex() for moment in reader.moments(*place)}
            assert one["d"] in digests, f"moment {one}"
    return True


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
        delete_departed(history, copier)
        assert copied(history, rig.store.id) == stored(rig.store)
        assert nothing_else(history, rig.store)
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

    delete_departed(history, copier)
    assert copied(history, rig.store.id) == stored(rig.store)
    assert nothing_else(history, rig.store)


def test_a_trace_that_reports_after_its_deletion_is_deleted_again(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    about: dict[str, Json] = {"session.id": "a"}
    for number in (1, 2):
        rig.record(span(f"secret {number}", trace=1, span_id=number, attributes=about))
        copier.step()
        rig.delete("a")
        copier.step()
    rig.record(span("new", trace=9, attributes=about))
    copier.step()
    delete_departed(history, copier)
    assert copied(history, rig.store.id) == stored(rig.store)
    assert nothing_else(history, rig.store)


def test_a_trace_that_moved_and_was_deleted_meanwhile_leaves_the_session_it_came_from(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    about: dict[str, Json] = {"gen_ai.conversation.id": "a"}
    rig.record(span(trace=1, span_id=2, parent=1, attributes=about))
    rig.record(log("note", trace=1, span_id=2), span(trace=2, attributes=about))
    copier.step()
    (session_id,) = rig.sessions()
    rig.record(span(trace=1, attributes={"session.id": "b"}))
    rig.delete("b")
    assert list(rig.sessions()) == [session_id]
    copier.step()
    delete_departed(history, copier)
    assert copied(history, rig.store.id) == stored(rig.store)
    assert nothing_else(history, rig.store)


def test_what_was_deleted_while_there_was_no_history_is_deleted_when_it_is_back(
    history: ClickHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copier_module, "_VALUES_A_DELETION", 2)
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    rig.record(*(span(trace=number, attributes={"session.id": "a"}) for number in (1, 2, 3)))
    rig.record(log("inspector.session.started", attributes={"session.id": "b"}))
    rig.record(*(span(trace=number) for number in (4, 5, 6)))
    copier.step()
    delete_departed(history, copier)
    rig.record(span(trace=5, span_id=2, attributes={"session.id": "c"}))
    for session_id in ("a", "b", "c"):
        rig.delete(session_id)
    rig.now_ns += 2 * 86_400 * SECOND_NS
    rig.record(span(trace=7))
    rig.store.forget_departures(10**9, rig.now_ns, 100)
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    copier.step()  # and the companion is killed
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    copier.step()
    delete_departed(history, copier)
    assert copied(history, rig.store.id) == stored(rig.store)
    assert nothing_else(history, rig.store)


def test_deletions_are_done_in_parts(
    history: ClickHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copier_module, "_SESSIONS_A_DELETION", 1)
    statements = list[str]()
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    for number in (1, 2):
        rig.record(span(trace=number))
        rig.delete(trace_hex(number))
    copier.step()
    monkeypatch.setattr(history, "run", statements.append)
    parts = 0
    while copier.delete_departed():
        parts += 1
        assert len(statements) <= parts
    assert len(statements) == 4


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


def test_a_session_that_is_never_quiet_is_there_as_it_was_seconds_ago(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns)
    rig.record(started(span(trace=1), "p1"))
    for number in range(2, 40):
        rig.now_ns += SECOND_NS
        rig.record(heartbeat("p1"), span(trace=1, span_id=number, parent=1))
        copier.step()
        if number > 12:
            [row] = history.rows(
                "SELECT argMax(span_count, change) AS count FROM session"
                f" WHERE store = '{rig.store.id}'"
            )
            assert number - 10 <= row["count"] <= number


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


def test_a_store_that_was_put_back_is_refused_however_much_it_has_got_since(
    history: ClickHouse, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    rig.record(*(span(trace=number) for number in range(1, 4)))
    rig.store.close()
    before = path.read_bytes()
    rig = Rig(open_store(f"sqlite:///{path}"))
    rig.record(*(span(trace=number) for number in range(4, 8)))
    Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0).step()
    Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0).step()
    rig.store.close()
    path.write_bytes(before)
    rig = Rig(open_store(f"sqlite:///{path}"))
    rig.now_ns += SECOND_NS
    rig.record(*(span(trace=number) for number in range(20, 40)))
    with pytest.raises(OlderStoreError):
        Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)


def test_a_store_in_the_place_of_another_is_not_read(history: ClickHouse, tmp_path: Path) -> None:
    rigs = [Rig(open_store(f"sqlite:///{tmp_path}/{name}.sqlite3")) for name in ("one", "two")]
    for rig in rigs:
        rig.record(span(trace=1), span(trace=2))
        rig.store.close()
    store = SameStore(tmp_path / "one.sqlite3")
    copier = Copier(store, history)
    (tmp_path / "two.sqlite3").rename(tmp_path / "one.sqlite3")
    with pytest.raises(StoreUnavailableError, match="was replaced"):
        copier.step()
    assert not history.rows(f"SELECT 1 FROM span WHERE store = '{store.id}'")


def test_each_of_several_servers_gets_everything(
    clickhouse: ClickHouseServer, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    with running_clickhouse(clickhouse.kind, tmp_path / "first") as first:
        second = clickhouse.address.rpartition("@")[2]
        both = first.address.rpartition("/")[0] + f",{second}"
        address = HistoryAddress.parse(both)

        def connected() -> ClickHouse:
            client = ClickHouse(address, PASSWORD)
            client.connect()
            migrate(client)
            return client

        clients = [connected()]
        copiers = [Copier(rig.store, clients[0], clock=lambda: rig.now_ns, behind_ns=0)]
        rig.record(span(trace=1))
        copiers[0].step()
        first.stop()
        rig.record(span(trace=2))
        with pytest.raises(HistoryError, match="Cannot reach"):
            copiers[0].step()
        clients.append(connected())
        copiers.append(Copier(rig.store, clients[1], clock=lambda: rig.now_ns, behind_ns=0))
        copiers[1].step()
        first.start()
        rig.record(span(trace=3))
        copiers[1].step()
        names = f"SELECT name FROM span WHERE store = '{rig.store.id}'"
        assert len(list(clients[1].stream(names))) == 3
        Copier(rig.store, clients[0], clock=lambda: rig.now_ns, behind_ns=0).step()
        for client in clients:
            assert copied(client, rig.store.id) == stored(rig.store)
            client.close()


def test_times_that_no_server_knows_stop_nothing(history: ClickHouse, tmp_path: Path) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    for number, day in enumerate((5, 49_709, 49_711, 60_000, 70_000), start=1):
        rig.now_ns = day * NS_A_DAY
        late: dict[str, Json] = {"session.id": f"s{day}"}
        rig.record(log("inspector.session.started", time_ns=(day - 3) * NS_A_DAY, attributes=late))
        rig.record(span(trace=number, start_ns=rig.now_ns))
        copier.step()
    assert copied(history, rig.store.id) == stored(rig.store)
    days = history.rows(
        f"SELECT toString(first_day) AS day FROM moment WHERE store = '{rig.store.id}' ORDER BY day"
    )
    assert [one["day"] for one in days] == ["1970-01-06", *["2106-02-06"] * 4]


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
    unknown: dict[str, Json] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    rig.record(span(trace=3, start_ns=now_ns, attributes=unknown))
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    copier.step()
    copier.step()
    [query] = DocPage("docs/operate/history.md").of("sql")
    mine = query.text.replace("WHERE", f"WHERE store = '{rig.store.id}' AND")
    [found] = history.rows(mine)
    assert sorted(map(str, found.values())) == ["3", "3", "6", "m"]


_OF_GRAFANA = """
WITH '{trace_id}' AS trace_id,
  (SELECT min(Start) FROM otel_traces_trace_id_ts WHERE TraceId = trace_id) AS first,
  (SELECT max(End) + 1 FROM otel_traces_trace_id_ts WHERE TraceId = trace_id) AS last
SELECT TraceId AS traceID, ParentSpanId AS parentSpanID, ServiceName AS serviceName,
  SpanName AS operationName, Timestamp AS startTime, multiply(Duration, 0.000001) AS duration,
  arrayMap(key -> map('key', key, 'value', SpanAttributes[key]), mapKeys(SpanAttributes)) AS tags,
  arrayMap(key -> map('key', key, 'value', ResourceAttributes[key]),
    mapKeys(ResourceAttributes)) AS serviceTags,
  if(StatusCode = 'Error', 2, 0) AS statusCode, StatusMessage AS statusMessage,
  arrayMap((name, at, attributes) -> tuple(name, toString(at), attributes),
    `Events.Name`, `Events.Timestamp`, `Events.Attributes`) AS logs
FROM otel_traces WHERE traceID = trace_id AND startTime >= first AND startTime <= last
ORDER BY startTime
"""


def test_a_dashboard_for_the_tables_of_the_collectors_exporter_shows_a_trace(
    clickhouse: ClickHouseServer, history: ClickHouse, tmp_path: Path
) -> None:
    if clickhouse.kind == "server":
        pytest.skip("18.16 has no maps")
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    trace = 0xDA5B0A2D
    rig.record(
        span("root", trace=trace, span_id=1, error="boom", attributes={"a.key": "value"}),
        span("child", trace=trace, span_id=2, parent=1),
    )
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    copier.step()
    copier.step()
    rows = history.rows(_OF_GRAFANA.format(trace_id=trace_hex(trace)))
    root, child = sorted(rows, key=lambda row: row["parentSpanID"])
    assert (root["operationName"], root["statusCode"], root["duration"]) == ("root", 2, 1000)
    assert root["tags"] == [{"key": "a.key", "value": "value"}]
    assert (child["operationName"], child["parentSpanID"]) == ("child", span_hex(1))


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


def test_a_history_that_is_gone_is_noticed_although_nothing_is_sent(
    history: ClickHouse, tmp_path: Path
) -> None:
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    rig.record(span())
    copier = Copier(rig.store, history, clock=lambda: rig.now_ns, behind_ns=0)
    copier.step()
    assert not copier.step()
    history.run(f"ALTER TABLE position DELETE WHERE store = '{rig.store.id}'")
    gone = f"SELECT 1 AS x FROM position WHERE store = '{rig.store.id}'"
    wait_for(lambda: not history.rows(gone), deadline_s=150)
    with pytest.raises(HistoryError, match="has lost what was copied"):
        copier.step()
