"""Faults that only a store on a disk can have."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from inspector.errors import StoreError, StoreInUseError, StoreNewerError, StoreUnavailableError
from inspector.service.model.records import Changes, Tombstone
from inspector.service.model.rows import Json
from inspector.service.query.tree import All
from inspector.service.storage import open_store, open_to_read
from inspector.service.storage.orders import Order, SortKey
from inspector.service.storage.sqlite_numbers import Blobs
from tests.contracts.test_store import content_of, fill, moment, session, trace
from tests.contracts.test_store import span as stored_span
from tests.support.services.recorder_rig import Rig, sweep_all
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import incoming, span_hex, started, trace_hex

_ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "store.sqlite3"


CONTROL_TABLES = ("request", "command", "agent", "audit")
SORTED_BY = (
    "ended_ns",
    "waiting_ns",
    "waiting_since_ns",
    "idle_ns",
    "idle_since_ns",
    "span_count",
    "error_count",
    "llm_calls",
    "tool_calls",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def test_what_was_committed_is_there_after_a_restart_under_the_same_id(path: Path) -> None:
    store = open_store(url(path))
    fill(store)
    store.close()
    again = open_store(url(path))
    with again.read() as reader:
        assert (again.id, reader.head, len(reader.spans_of("S"))) == (store.id, 4, 2)
    again.close()


def test_a_trace_that_an_older_version_named_as_a_process_is_still_found(path: Path) -> None:
    stand_in = f"trace:{trace_hex(1)}"
    store = open_store(url(path))
    running = stored_span(1, 2, end_ns=None, process_id=stand_in)
    store.commit(Changes(1, 2, [session("S", 1)], [trace(1)], [running], content_of(2)))
    store.close()
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute("INSERT INTO process VALUES (7, ?)", (stand_in,))
        connection.execute("UPDATE span SET process_no = 7")
    again = open_store(url(path))
    with again.read() as reader:
        assert reader.open_processes() == {stand_in}
        assert reader.open_spans(stand_in) == [running]
    again.close()


def test_a_second_service_on_the_same_file_is_refused_with_one_sentence(path: Path) -> None:
    store = open_store(url(path))
    with pytest.raises(StoreInUseError, match="another Inspector service has it open"):
        open_store(url(path))
    store.close()
    open_store(url(path)).close()


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(path: Path) -> None:
    open_store(url(path)).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreNewerError, match=r"a newer version wrote it \(schema 99"):
        open_store(url(path))
    assert path.read_bytes() == before


def test_a_store_of_the_first_version_is_brought_up_to_date_with_all_it_has(path: Path) -> None:
    store = open_store(url(path))
    fill(store)
    store.close()
    connection = apsw.Connection(str(path))
    _undo_the_latest(connection)
    for index in ("content_by_origin", "moment_by_origin", "span_ended"):
        connection.execute(f"DROP INDEX {index}")
    for table in ("doomed_session", "doomed_trace", *CONTROL_TABLES):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("ALTER TABLE span DROP COLUMN waited")
    connection.execute("ALTER TABLE span DROP COLUMN subject")
    for index in ("session_by_start", "session_by_title"):
        connection.execute(f"DROP INDEX {index}")
    for column in SORTED_BY:
        connection.execute(f"ALTER TABLE session DROP COLUMN {column}")
    connection.execute("CREATE INDEX session_by_start ON session (started_ns, id)")
    connection.pragma("user_version", 1)
    connection.close()
    again = open_store(url(path))
    with again.read() as reader:
        assert (again.id, reader.head, len(reader.spans_of("S"))) == (store.id, 4, 2)
    again.commit(Changes(first=5, head=5, departures=[Tombstone("S", None, change=5)]))
    sweep_all(again)
    assert [_count(path, table) for table in ("origin", "process")] == [0, 0]
    again.close()


def test_sessions_of_a_store_of_before_lose_the_pauses_between_their_runs(path: Path) -> None:
    rig = Rig(open_store(url(path)))
    chat: dict[str, Json] = {"session.id": "S"}
    hour_ns = 3600 * SECOND_NS
    rig.record(
        span(trace=1, duration_ns=9 * SECOND_NS, attributes=chat),
        span(trace=1, span_id=2, parent=1, start_ns=START_NS + SECOND_NS),
        span(trace=2, duration_ns=4 * SECOND_NS, attributes=chat),
        span(trace=3, start_ns=START_NS + hour_ns, duration_ns=SECOND_NS, attributes=chat),
        started(span(trace=4, start_ns=START_NS + 2 * hour_ns, attributes=chat), "p1"),
        incoming(
            span(trace=4, span_id=2, parent=1, start_ns=START_NS + 2 * hour_ns + SECOND_NS), "p1"
        ),
        span(trace=5),
    )
    rig.wait(60)
    before = rig.sessions()
    assert before["S"].duration_ns(0) == 12 * SECOND_NS
    rig.store.close()
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute("DROP INDEX session_by_start")
        for column in ("idle_ns", "idle_since_ns"):
            connection.execute(f"ALTER TABLE session DROP COLUMN {column}")
        for column, path_of in (("body", "$.idle_ns"), ("state", "$.run_time")):
            less = f"CAST(json_remove(CAST({column} AS TEXT), '{path_of}') AS BLOB)"
            connection.execute(f"UPDATE session SET {column} = {less}")
        connection.execute("CREATE INDEX session_by_start ON session (started_ns, id)")
        connection.execute("ALTER TABLE span DROP COLUMN subject")
        _undo_the_latest(connection)
        connection.pragma("user_version", 7)
    longest = Order(SortKey.DURATION, is_descending=True, now_ns=START_NS)
    with open_to_read(url(path)).read() as reader:
        assert reader.session_places(All(), longest, None, 1) == [
            (2 * hour_ns + 2 * SECOND_NS, "S")
        ]
    again = Rig(open_store(url(path)))
    again.now_ns = rig.now_ns
    assert again.sessions() == before
    with again.store.read() as reader:
        assert reader.session_places(All(), longest, None, 1) == [(12 * SECOND_NS, "S")]
    again.record(span(trace=6, start_ns=START_NS + hour_ns - SECOND_NS, attributes=chat))
    assert again.session("S").duration_ns(0) == 13 * SECOND_NS
    again.store.close()


def test_spans_of_a_store_of_before_are_of_the_tool_or_agent_that_names_or_attributes_say(
    path: Path,
) -> None:
    rig = Rig(open_store(url(path)))
    by_kind = {
        "AGENT": ("invoke_agent planner", "create_agent x", "weather.agent", "invoke_agent"),
        "TOOL": ("execute_tool read", "MCP send tools/call read", "read.tool", "read"),
        "LLM": ("chat",),
    }
    kinds = [(kind, name) for kind, names in by_kind.items() for name in names]
    for number, (kind, name) in enumerate(kinds, start=1):
        attributes: dict[str, Json] = {"openinference.span.kind": kind}
        rig.record(span(name, span_id=number, attributes=attributes))
    names = len(kinds)
    for one, key in (("AGENT", "gen_ai.agent.name"), ("TOOL", "tool.name")):
        kinds.append((one, "run"))
        attributes = {"openinference.span.kind": one, key: "by attribute"}
        rig.record(span("run", span_id=len(kinds), attributes=attributes))
    before = {n: rig.span(n).subject for n in range(1, len(kinds) + 1)}
    rig.store.close()
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute("ALTER TABLE span DROP COLUMN subject")
        _undo_the_latest(connection)
        connection.pragma("user_version", 8)
    with open_to_read(url(path)).read() as reader:
        spans = reader.spans(trace_hex(1))
        seen = {int(one.span_id, 16): one.subject for one in spans}
    assert [seen[n] for n in before] == [*list(before.values())[:names], "run", "run"]
    again = Rig(open_store(url(path)))
    assert {n: again.span(n).subject for n in before} == before
    assert (before[1], before[names + 1], before[names + 2]) == (
        "planner",
        "by attribute",
        "by attribute",
    )
    again.store.close()


@pytest.mark.parametrize("is_deleted_before", [True, False])
def test_a_session_of_a_store_of_before_is_deleted_with_all_that_only_it_had(
    path: Path, is_deleted_before: bool
) -> None:
    rig = Rig(open_store(url(path)))
    rig.record(
        incoming(span(trace=1, span_id=1), "p1", "one"),
        incoming(span(trace=1, span_id=2), "p2", "both"),
        incoming(span(trace=2, span_id=1), "p2", "both"),
    )
    if is_deleted_before:
        rig.delete(trace_hex(1))  # and not swept yet
    rig.store.close()
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        _undo_the_latest(connection)
        connection.pragma("user_version", 9)
    again = Rig(open_store(url(path)))
    if not is_deleted_before:
        again.delete(trace_hex(1))
    sweep_all(again.store)
    tables = ("content", "origin", "process", "trace_origin", "trace_process")
    assert [_count(path, table) for table in tables] == [1] * 5
    again.delete(trace_hex(2))
    sweep_all(again.store)
    assert [_count(path, table) for table in tables] == [0] * 5
    again.store.close()


def test_open_spans_are_found_among_many_by_their_own_index(path: Path) -> None:
    open_store(url(path)).close()
    connection = apsw.Connection(str(path))
    sql = "EXPLAIN QUERY PLAN SELECT * FROM span WHERE process_no = 1 AND end_ns IS NULL"
    assert "span_open" in str(list(connection.execute(sql)))
    connection.close()


@pytest.mark.parametrize(
    ("where", "index"),
    [
        ("1", "request_by_time"),
        ("status = 'pending'", "request_by_status"),
        ("session_id = 'S' AND status = 'pending'", "request_by_session"),
        ("session_id = 'S' AND (created_ns, id) < (5, 'a')", "request_by_session"),
    ],
)
def test_pages_of_requests_are_read_in_the_order_of_an_index(
    path: Path, where: str, index: str
) -> None:
    open_store(url(path)).close()
    connection = apsw.Connection(str(path))
    newest = "ORDER BY created_ns DESC, id DESC LIMIT 10"
    sql = f"EXPLAIN QUERY PLAN SELECT id FROM request WHERE {where} {newest}"
    plan = str(list(connection.execute(sql)))
    connection.close()
    assert index in plan
    assert "TEMP B-TREE" not in plan, "nothing is sorted"


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    path.parent.mkdir()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        open_store(url(path))


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="not an SQLite file"):
        open_store(url(path))


def test_a_place_that_cannot_be_written_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="INSPECTOR_STORE"):
        open_store(url(tmp_path / "file" / "store.sqlite3"))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_only_its_owner_may_read_what_is_made_for_a_store(path: Path) -> None:
    before = os.umask(0o022)
    try:
        store = open_store(url(path))
        fill(store)
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        store.close()
    finally:
        os.umask(before)
    names = {path.name + end for end in ("", "-wal", "-shm", "-lock")}
    assert modes == dict.fromkeys(names, 0o600)
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_a_store_and_a_directory_that_exist_keep_the_mode_that_they_have(path: Path) -> None:
    path.parent.mkdir(mode=0o755)
    open_store(url(path)).close()
    path.chmod(0o640)
    store = open_store(url(path))
    fill(store)
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.parent.stat().st_mode & 0o777 == 0o755
    store.close()


def test_a_refused_second_opening_leaves_the_lock_to_the_first(path: Path) -> None:
    """Another process must be refused too: POSIX locks go with any descriptor of the file."""
    store = open_store(url(path))
    with pytest.raises(StoreInUseError):
        open_store(url(path))
    program = "import sys; from inspector.service import storage; storage.open_store(sys.argv[1])"
    other = subprocess.run(
        [sys.executable, "-c", program, url(path)],
        capture_output=True,
        text=True,
        cwd=_ROOT,
        check=False,
    )
    assert "StoreInUseError" in other.stderr
    store.close()


@pytest.mark.parametrize("address", ["postgres://x", "sqlite:///", "sqlite://x", ""])
def test_an_address_that_names_no_store_is_refused(address: str) -> None:
    with pytest.raises(StoreError, match="must be `sqlite:///PATH` or `memory:`"):
        open_store(address)


def test_a_full_disk_keeps_nothing_of_the_batch_and_the_next_one_goes_in(path: Path) -> None:
    rig = Rig(open_store(url(path)))
    rig.record(span(span_id=1))
    writer = rig.store._writer  # type: ignore[attr-defined]  # no other way to fill the disk
    pages = writer.pragma("page_count")
    writer.pragma("max_page_count", pages)
    with pytest.raises(StoreUnavailableError, match="Free some space"):
        rig.record(span("x" * 1_000_000, span_id=2))
    rig.recorder.forget()
    writer.pragma("max_page_count", 2**31 - 2)
    rig.record(span(span_id=2))
    assert rig.session().span_count == 2
    rig.store.close()


def test_a_store_that_another_program_locks_is_unavailable_until_that_one_is_done(
    path: Path,
) -> None:
    rig = Rig(open_store(url(path)))
    rig.store._writer.set_busy_timeout(0)  # type: ignore[attr-defined]  # so as not to wait
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="another program has locked it"):
        rig.record(span(span_id=1))
    rig.recorder.forget()
    other.execute("ROLLBACK")
    other.close()
    rig.record(span(span_id=1))
    assert rig.session().span_count == 1
    rig.store.close()


def test_a_new_snapshot_of_a_store_that_was_moved_says_what_to_do(path: Path) -> None:
    """Every other connection is in use: it is a new one that finds the file gone."""
    with contextlib.closing(open_store(url(path))) as store, store.read():
        path.rename(path.with_suffix(".moved"))
        with (
            pytest.raises(StoreUnavailableError, match="the file was deleted or moved"),
            store.read(),
        ):
            pass


def test_a_snapshot_of_a_locked_store_is_unavailable(path: Path) -> None:
    store = open_store(url(path))
    with (
        pytest.raises(StoreUnavailableError, match="Cannot read the store"),
        store.read(),
    ):
        raise apsw.BusyError("database is locked")
    store.close()


_WRITER = """
import sys
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from inspector.service.storage import open_store

rig = Rig(open_store(sys.argv[1]))
for batch in range(int(sys.argv[2]), 100_000):
    rig.record(*(span(trace=batch // 4 + 1, span_id=batch * 8 + n + 1) for n in range(8)))
    print(batch, flush=True)
"""


@pytest.mark.slow
def test_no_acknowledged_span_is_lost_when_the_writer_is_killed(path: Path) -> None:
    """Kill it while it writes, again and again; all that it acknowledged is there, and whole."""
    acknowledged = -1
    for round_number in range(4):
        acknowledged = _write_until_killed(path, acknowledged + 1, lines=3 + 7 * round_number)
        store = open_store(url(path))
        try:
            _check(Rig(store), acknowledged)
        finally:
            store.close()
        connection = apsw.Connection(str(path))
        assert connection.pragma("integrity_check") == "ok"
        connection.close()


def _write_until_killed(path: Path, first: int, lines: int) -> int:
    """Return the last batch that the writer acknowledged before SIGKILL hit it."""
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, url(path), str(first)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    ) as process:
        assert process.stdout is not None
        printed = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        printed += process.stdout.readlines()
    return int([line for line in printed if line.endswith("\n")][-1])


def _check(rig: Rig, acknowledged: int) -> None:
    with rig.store.read() as reader:
        for batch in range(acknowledged + 1):
            wanted = [span_hex(batch * 8 + n + 1) for n in range(8)]
            found = reader.spans(trace_hex(batch // 4 + 1), wanted)
            assert len(found) == 8, f"batch {batch}"
            assert all(reader.content(row).span().name == "span" for row in found)
        for session_id, row in rig.sessions().items():
            spans = reader.spans_of(session_id, limit=10_000)
            assert row.span_count == len(spans), session_id


def test_a_store_may_be_looked_at_beside_its_service_and_never_in_its_way(path: Path) -> None:
    service = open_store(url(path))
    fill(service)
    looking = open_to_read(url(path))
    with looking.read() as reader:
        assert (looking.id, reader.head, len(reader.spans_of("S"))) == (service.id, 4, 2)
        service.close()
        service = open_store(url(path))  # one that starts meanwhile
        service.commit(Changes(first=5, head=5, sessions=[session("T", 5)]))
        assert reader.head == 4
    with looking.read() as reader:
        assert reader.head == 5
    looking.close()
    service.close()


def test_looking_at_a_store_leaves_its_file_as_it_is(path: Path) -> None:
    store = open_store(url(path))
    fill(store)
    store.close()
    before = path.read_bytes()
    path.with_name(path.name + "-lock").unlink()
    looking = open_to_read(url(path))
    with looking.read() as reader:
        assert reader.head == 4
    assert path.read_bytes() == before
    assert not path.with_name(path.name + "-lock").exists()


def test_a_store_of_before_can_be_looked_at_as_it_is(path: Path) -> None:
    store = open_store(url(path))
    fill(store)
    store.close()
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute("ALTER TABLE span DROP COLUMN waited")
        connection.execute("ALTER TABLE span DROP COLUMN subject")
        for table in CONTROL_TABLES:
            connection.execute(f"DROP TABLE {table}")
        connection.pragma("user_version", 4)
    before = path.read_bytes()
    with open_to_read(url(path)).read() as reader:
        assert [span.waited for span in reader.spans_of("S")] == [(), ()]
        assert (reader.pending_count(), reader.audit(None, 5), len(reader.changes(0, 9))) == (
            0,
            [],
            4,
        )
    assert path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_store_in_a_directory_that_cannot_be_written_can_be_looked_at(path: Path) -> None:
    store = open_store(url(path))
    fill(store)
    store.close()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        with open_to_read(url(path)).read() as reader:
            assert len(reader.spans_of("S")) == 2
    finally:
        path.parent.chmod(0o700)


def test_what_is_no_store_of_this_version_cannot_be_looked_at(path: Path) -> None:
    path.parent.mkdir()
    with pytest.raises(StoreError, match="Cannot read the store"):
        open_to_read(url(path))
    assert not path.exists()
    path.touch()
    with pytest.raises(StoreError, match="it is empty"):
        open_to_read(url(path))
    path.unlink()
    open_store(url(path)).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()
    with pytest.raises(StoreNewerError):
        open_to_read(url(path))


def test_the_last_session_of_a_process_takes_its_name_and_resource_along(path: Path) -> None:
    store = open_store(url(path))
    fill(store)
    store.commit(
        Changes(
            first=5,
            head=7,
            sessions=[session("T", 5)],
            traces=[trace(2, "T")],
            spans=[stored_span(3, 6, trace_number=2, session_id="T")],
            contents=content_of(6),
            moments=[moment(7, trace_id=trace_hex(2), span_number=3)],
        )
    )
    rows = []
    for change, session_id in ((8, "S"), (9, "T")):
        departure = Tombstone(session_id, None, change=change)
        store.commit(Changes(first=change, head=change, departures=[departure]))
        sweep_all(store)
        rows.append([_count(path, table) for table in ("origin", "process")])
    assert rows == [[1, 1], [0, 0]]
    store.close()


def test_resources_are_numbered_once_and_remembered_in_bounded_memory(path: Path) -> None:
    open_store(url(path)).close()
    with contextlib.closing(apsw.Connection(str(path))) as connection, connection:
        origins = Blobs(connection, "origin")
        sent = [b"x" * 100_000, *(b"%d" % number for number in range(4_100))]
        numbers = [origins.of(one) for one in sent]
        assert [origins.of(one) for one in sent] == numbers
        assert len(set(numbers)) == len(sent)
        assert 0 < len(origins._known) <= 4_000
        assert max(map(len, origins._known)) < 100


def _undo_the_latest(connection: apsw.Connection) -> None:
    """Find what a deleted session leaves by indexes on every span, as up to version 9.

    And nothing is shared by payloads, and nobody knows what failed first.
    """
    connection.execute("DROP INDEX span_failed; DROP INDEX session_by_start")
    connection.execute("DROP INDEX session_by_cause; DROP INDEX session_good")
    connection.execute("DROP INDEX session_here; DROP TABLE evicting; DROP TABLE former_store")
    connection.execute("ALTER TABLE meta DROP COLUMN evicted")
    for column in ("cause_key", "evicted", "evicted_spans", "evicted_moments"):
        connection.execute(f"ALTER TABLE session DROP COLUMN {column}")
    connection.execute("CREATE INDEX session_by_start ON session (started_ns, id)")
    for column in ("service", "stall_start_ns", "stall_ns"):
        connection.execute(f"ALTER TABLE span DROP COLUMN {column}")
    connection.execute("DROP INDEX span_uncosted; DROP TABLE trace_shared; DROP TABLE shared")
    for table in ("content", "moment"):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN pieces")
    connection.execute("ALTER TABLE departure DROP COLUMN trace_id")
    connection.execute("DROP TABLE trace_origin; DROP TABLE trace_process")
    connection.execute("CREATE INDEX content_by_origin ON content (origin_no)")
    connection.execute("CREATE INDEX span_ended ON span (process_no) WHERE end_ns IS NOT NULL")


def _count(path: Path, table: str) -> int:
    connection = apsw.Connection(str(path))
    (count,) = next(connection.execute(f"SELECT count(*) FROM {table}"))
    connection.close()
    return int(count)


def test_a_burst_of_snapshots_leaves_few_connections_with_small_caches(path: Path) -> None:
    store = open_store(url(path))
    fill(store)
    with contextlib.ExitStack() as burst:
        heads = [burst.enter_context(store.read()).head for _ in range(20)]
    assert heads == [4] * 20
    idle = store._readers  # memory of the process shows it too late
    kib = [-connection.pragma("cache_size") for connection in idle]
    assert sum(kib) <= 32 * 1024
    assert -store._writer.pragma("cache_size") == 64 * 1024
    store.close()


def test_each_commit_is_flushed_to_the_disk(path: Path) -> None:
    """SIGKILL cannot show this: only power loss undoes writes of the system."""
    store = open_store(url(path))
    writer = store._writer  # a setting of the connection itself
    assert (writer.pragma("journal_mode"), writer.pragma("synchronous")) == ("wal", 2)
    store.close()
