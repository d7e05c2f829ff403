"""Make a store anew from the history, after its disk was lost.

Each session gets its row, as after its content has left the disk: that is read in the history. What
the history does not have is gone: requests, commands, the audit log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, groupby, islice, pairwise
from operator import attrgetter, itemgetter
from pathlib import Path
from time import time_ns
from typing import Any, NamedTuple

import orjson

from inspector.errors import HistoryError, SettingsError, StoreError
from inspector.service.analysis.formatting import plural
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse, Stores, literal
from inspector.service.history.copier import FORMER
from inspector.service.history.replicas import Replicas
from inspector.service.history.row_binary import NS_A_DAY
from inspector.service.history.rows import binary, span_counts
from inspector.service.history.schema import check, is_replicated
from inspector.service.model.records import Changes, SessionRecord, Tombstone, TraceRecord
from inspector.service.model.rows import SessionRow, SessionStatus
from inspector.service.model.times import rfc3339
from inspector.service.query.tree import All
from inspector.service.sessions.recovered import recovered_session, recovered_trace
from inspector.service.sessions.state import SETTLED
from inspector.service.storage.sqlite import SqliteStore
from inspector.service.storage.sqlite_backup import flush_folder, move_away
from inspector.service.storage.sqlite_open import lock_store
from inspector.service.storage.sqlite_reader import session_row

_A_COMMIT = 1_000
_A_COUNT = 200
"""Sessions whose spans are counted at once: each may have many traces."""


class CopiedStore(NamedTuple):
    """A store that the history has rows of."""

    id: str
    through: int
    """The change up to which everything was copied."""
    newest_ns: int
    """When that was."""
    session_count: int
    """About how many sessions it has."""


def copied_stores(history: ClickHouse) -> list[CopiedStore]:
    """Return the stores that the history has, the newest first."""
    counts = {
        one["store"]: int(one["n"])
        for one in history.rows("SELECT store, uniq(id) AS n FROM session GROUP BY store")
    }
    rows = history.rows(
        "SELECT store AS id, max(through) AS reached, max(newest_ns) AS newest FROM position"
        " WHERE part = 'copied' GROUP BY store ORDER BY newest DESC"
    )
    return [
        CopiedStore(one["id"], int(one["reached"]), int(one["newest"]), counts.get(one["id"], 0))
        for one in rows
    ]


def chosen(stores: Sequence[CopiedStore], store_id: str | None) -> CopiedStore:
    """Return the store that is meant.

    Raises:
        SettingsError: There is none, or which one is not said.
    """
    found = [one for one in stores if store_id in (None, one.id)]
    if len(found) == 1:
        return found[0]
    if not stores:
        raise SettingsError("Cannot recover a store: the history has none.")
    listed = "; ".join(
        f"{one.id} ({plural(one.session_count, 'session')}, last change {rfc3339(one.newest_ns)})"
        for one in stores
    )
    raise SettingsError(f"Cannot recover a store: name one that the history has: {listed}.")


def recover_from(
    address: HistoryAddress, password: str, copies: int, store_id: str | None, path: Path
) -> tuple[CopiedStore, int]:
    """Choose a store of a history, and recover it; see `recover`.

    Args:
        address: Of the history.
        password: Of its user.
        copies: The number of its replicas that have what counts as copied.
        store_id: Of the store; None: the only one.
        path: The file to write.

    Raises:
        SettingsError: Which store is meant is not clear.
        StoreError: There is a file, or it cannot be written.
        HistoryError: The history cannot be read, or no replica shows that it has everything.
    """
    if copies == 1 and len(address.hosts) > 1:
        address = _furthest(address, password, store_id)
    if copies > 1:
        replicas, servers = Replicas(address, password, copies), address
        address = replicas.begin().each()[0]
        if not replicas.has_all(address):
            raise HistoryError(
                f"Cannot recover a store: no replica of {servers} shows that it has everything. "
                "Try again when one does.",
                is_passing=True,
            )
    with closing(ClickHouse(address, password)) as history:
        history.connect()
        check(history)
        found = chosen(copied_stores(history), store_id)
        return found, recover(history, found, path)


def _furthest(address: HistoryAddress, password: str, store_id: str | None) -> HistoryAddress:
    """Return the address of the server that has most of a store: each was copied to alone.

    Raises:
        SettingsError: Which store is meant is not clear, or the servers replicate.
        HistoryError: One of them cannot be read.
    """
    found = dict[HistoryAddress, list[CopiedStore]]()
    for one in address.each():
        with closing(ClickHouse(one, password)) as history:
            history.connect()
            check(history)
            if is_replicated(history):
                raise SettingsError(
                    f"Cannot recover a store: the tables of {one} are replicated, and may lack what"
                    " comes from another server. Set INSPECTOR_HISTORY_COPIES as the service had"
                    " it, or name one server."
                )
            found[one] = copied_stores(history)
    newest = dict[str, CopiedStore]()
    for store in chain.from_iterable(found.values()):
        newest[store.id] = max(store, newest.get(store.id, store), key=attrgetter("through"))
    best = chosen(sorted(newest.values(), key=attrgetter("newest_ns"), reverse=True), store_id)
    return next(one for one, stores in found.items() if best in stores)


def recover(history: ClickHouse, lost: CopiedStore, path: Path) -> int:
    """Write a store to `path`; return the number of its sessions.

    Raises:
        StoreError: There is a file, or it cannot be written.
        HistoryError: The history cannot be read.
    """
    if path.exists():
        raise StoreError(f"Cannot recover the store {path}: the file exists. Move it away first.")
    lock = lock_store(path)
    try:
        move_away(path)  # a journal without its file, which SQLite would use for the new one
        made = path.with_name(f".{path.name}.recovered")
        for end in ("", "-wal", "-shm"):
            made.with_name(made.name + end).unlink(missing_ok=True)
        former = {**_former(history, lost), lost.id: _newest(history, lost)}
        known = Stores(lost.id, former).any_row
        with closing(SqliteStore(made)) as store:
            head = _sessions(history, lost, known, store, former[lost.id])
            _moves(history, lost, store, head)
            _traces(history, known, store, head)
            count = _count_spans(history, Stores(store.id, former), store, former[lost.id])
            while store.sweep():
                pass
            store.succeed(former)
            store.seal()
        made.rename(path)
        flush_folder(path.parent)
    finally:
        lock.release()
    return count


def _former(history: ClickHouse, lost: CopiedStore) -> dict[str, int]:
    """Return the stores whose place the lost one had taken."""
    rows = history.rows(
        "SELECT part, max(through) AS head FROM position"
        f" WHERE store = {literal(lost.id)} AND startsWith(part, {literal(FORMER)}) GROUP BY part"
    )
    return {one["part"].removeprefix(FORMER): int(one["head"]) for one in rows}


def _newest(history: ClickHouse, lost: CopiedStore) -> int:
    """Return the newest change of a store that its history has.

    The machine may have been lost between an insert and its position.
    """
    newest = lost.through
    for table in ("span", "session", "moment", "trace", "departure"):
        (found,) = history.rows(
            f"SELECT max(change) AS newest FROM {table} WHERE store = {literal(lost.id)}"
        )
        newest = max(newest, int(found["newest"]))
    return newest


def _departures(
    history: ClickHouse, known: str, session_ids: Iterable[str], *, is_deleted: bool = False
) -> dict[str, list[int]]:
    """Return the changes at which some sessions were deleted or merged; or only the former."""
    among = ", ".join(sorted({literal(one) for one in session_ids}))
    found = history.rows(
        "SELECT session AS id, arraySort(groupArray(change)) AS changes FROM departure"
        f" WHERE {known} AND is_whole = 1 AND session IN ({among})"
        f"{' AND empty(moved_to)' if is_deleted else ''} GROUP BY session"
    )
    return {one["id"]: [*map(int, one["changes"])] for one in found}


def _pages(history: ClickHouse, column: str, table: str, where: str) -> Iterator[list[str]]:
    """Yield the values of a column, in no order, some of them more than once.

    A server that orders all rows has them in memory.
    """
    rows = history.stream(f"SELECT {column} AS x FROM {table} WHERE {where}")
    while some := [one["x"] for one in islice(rows, _A_COMMIT)]:
        yield [*dict.fromkeys(some)]


def _sessions(
    history: ClickHouse, lost: CopiedStore, known: str, store: SqliteStore, through: int
) -> int:
    """Write all sessions that were not deleted; return the newest change."""
    mine = f"store = {literal(lost.id)}"
    head, now_ns = through, time_ns()
    for ids in _pages(history, "id", "session", mine):
        rows = history.rows(
            f"SELECT id, body, change AS version FROM session FINAL WHERE {mine}"
            f" AND id IN ({', '.join(map(literal, ids))})"
        )
        gone = _departures(history, known, ids)
        with store.read() as reader:
            seen = {one.row.id for one in reader.sessions(ids)}
        found = [
            (session_row(orjson.loads(one["body"])), int(one["version"]))
            for one in rows
            if int(one["version"]) > max(gone.get(one["id"], ()), default=0)
            and one["id"] not in seen
        ]
        ends = _ends(history, mine, [row.id for row, _ in found if row.status not in SETTLED])
        # Of when it changed last nothing is known: retention must not delete it at once.
        records = [_record(row, change, ends, now_ns) for row, change in found]
        head = max((head, *(one.change for one in records)))
        store.commit(Changes(sessions=records, head=head))
    return head


def _moves(history: ClickHouse, lost: CopiedStore, store: SqliteStore, head: int) -> None:
    """Write which sessions were merged into others: their ids lead there."""
    mine = f"store = {literal(lost.id)}"
    rows = history.stream(
        "SELECT session, moved_to, change, changed_ns FROM departure FINAL"
        f" WHERE {mine} AND is_whole = 1 AND moved_to != ''"
    )
    while some := list(islice(rows, _A_COMMIT)):
        ids = {one["session"] for one in some}
        gone = _departures(history, mine, ids)
        with store.read() as reader:
            seen = {one.row.id for one in reader.sessions(ids)}
        moves = [
            Tombstone(one["session"], one["moved_to"], True, one["change"], one["changed_ns"])
            for one in some
            if one["session"] not in seen and one["change"] == max(gone[one["session"]])
        ]
        store.commit(Changes(departures=moves, head=head))


def _count_spans(history: ClickHouse, stores: Stores, store: SqliteStore, through: int) -> int:
    """Note how many spans each session has in the history; return the number of sessions."""
    after: tuple[int, str] | None = None
    count = 0
    while True:
        with store.read() as reader:
            page = reader.newest_sessions(All(), after, _A_COUNT)
            traces = {one.row.id: reader.traces_of(one.row.id) for one in page.rows}
        spans = span_counts(history, stores, [*chain.from_iterable(traces.values())])
        store.evict(
            dict.fromkeys(traces, through),
            {
                id_: sum(spans.get(one.trace_id, 0) for one in of_session)
                for id_, of_session in traces.items()
            },
        )
        count += len(page.rows)
        if page.next is None:
            return count
        after = page.next


def _record(row: SessionRow, change: int, ends: Mapping[str, int], now_ns: int) -> SessionRecord:
    if row.status not in SETTLED:  # it ran when the disk was lost
        ended_ns = max(row.started_ns, ends.get(row.id, 0), row.idle_since_ns or 0)
        row = replace(row, status=SessionStatus.LOST, ended_ns=ended_ns)
    state = recovered_session(row)
    return SessionRecord(state.row(row.status), state.dump(), change, change, change, now_ns)


def _ends(history: ClickHouse, mine: str, session_ids: Sequence[str]) -> dict[str, int]:
    """Return the last times that spans of sessions name: by their traces, which the key has."""
    if not session_ids:
        return {}
    theirs = f"{mine} AND session IN ({', '.join(map(literal, session_ids))})"
    rows = history.rows(
        "SELECT session AS id, max(greatest(start_ns, end_ns)) AS last FROM span"
        f" WHERE {theirs} AND trace IN (SELECT trace FROM trace WHERE {theirs}) GROUP BY session"
    )
    return {one["id"]: int(one["last"]) for one in rows}


def _traces(history: ClickHouse, known: str, store: SqliteStore, head: int) -> None:
    """Write the traces of sessions."""
    for ids in _pages(history, "lower(hex(trace))", "trace", known):
        rows = history.rows(
            "SELECT lower(hex(trace)) AS id, session, change AS version,"
            f" toUInt32(first_day) AS day FROM trace WHERE {known} AND trace IN ({binary(ids)})"
            " ORDER BY trace, version"
        )
        traces = [list(some) for _, some in groupby(rows, key=itemgetter("id"))]
        with store.read() as reader:
            found = {one.row.id for one in reader.sessions({one[-1]["session"] for one in traces})}
            seen = {one.trace_id for one in reader.traces(ids)}
        deleted = _departures(history, known, (row["session"] for row in rows), is_deleted=True)
        records = [
            TraceRecord(one[0]["id"], one[-1]["session"], _trace_state(one, deleted), is_new=True)
            for one in traces
            if one[-1]["session"] in found and one[0]["id"] not in seen
        ]
        store.commit(Changes(traces=records, head=head))


def _trace_state(
    rows: Sequence[Mapping[str, Any]], deleted_at: Mapping[str, Sequence[int]]
) -> bytes:
    """Return the state of a trace, from a row for each session that it came to."""
    since = 0
    for row, after in pairwise([*rows, None]):
        assert row is not None
        end = None if after is None else int(after["version"])
        for deleted in deleted_at.get(row["session"], ()):
            # What it had before is still there until the deletion is carried out.
            if int(row["version"]) < deleted and (end is None or deleted < end):
                since = max(since, deleted + 1)
    first, last = rows[0], rows[-1]
    seen_ns = int(first["day"]) * NS_A_DAY
    return recovered_trace(last["id"], last["session"], seen_ns=seen_ns, since=since).dump()
