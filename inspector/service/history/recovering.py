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
from inspector.service.history.schema import check, is_replicated
from inspector.service.model.records import Changes, SessionRecord, TraceRecord
from inspector.service.model.rows import SessionRow, SessionStatus
from inspector.service.model.times import rfc3339
from inspector.service.sessions.recovered import recovered_session, recovered_trace
from inspector.service.sessions.state import SETTLED
from inspector.service.storage.sqlite import SqliteStore
from inspector.service.storage.sqlite_backup import flush_folder, move_away
from inspector.service.storage.sqlite_open import lock_store
from inspector.service.storage.sqlite_reader import session_row

_A_COMMIT = 1_000
_DAY_NS = 86_400 * 10**9


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
        one["id"]: int(one["n"])
        for one in history.rows("SELECT store AS id, uniq(id) AS n FROM session GROUP BY store")
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
        replicas = Replicas(address, password, copies)
        address = replicas.begin()
        if not replicas.has_all(address.each()[0]):
            raise HistoryError(
                f"Cannot recover a store: no replica of {address} shows that it has everything. "
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
        former = _former(history, lost)
        known = Stores(lost.id, former).any_row
        with closing(SqliteStore(made)) as store:
            count, head = _sessions(history, lost, known, store)
            _traces(history, known, store, head)
            while store.sweep():
                pass
            store.succeed({**former, lost.id: lost.through})
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


def _departed(
    history: ClickHouse, known: str, session_ids: Iterable[str], *, is_deleted: bool = False
) -> dict[str, int]:
    """Return the changes at which some sessions were deleted or merged; or only the former."""
    among = ", ".join(sorted({literal(one) for one in session_ids}))
    if not among:
        return {}
    found = history.rows(
        "SELECT session AS id, max(change) AS newest FROM departure"
        f" WHERE {known} AND is_whole = 1 AND session IN ({among})"
        f"{' AND empty(moved_to)' if is_deleted else ''} GROUP BY session"
    )
    return {one["id"]: int(one["newest"]) for one in found}


def _sessions(
    history: ClickHouse, lost: CopiedStore, known: str, store: SqliteStore
) -> tuple[int, int]:
    """Write all sessions that were not deleted; return their number, and the newest change."""
    mine = f"store = {literal(lost.id)}"
    count, head, now_ns = 0, lost.through, time_ns()
    rows = history.stream(
        f"SELECT id, body, change AS version FROM session FINAL WHERE {mine} ORDER BY id"
    )
    span_counts = _Counts(
        history.stream(
            f"SELECT session AS id, count() AS spans FROM span FINAL WHERE {known}"
            " GROUP BY id ORDER BY id"
        )
    )
    for some in _chunks(rows):
        spans = {one["id"]: span_counts.of(one["id"]) for one in some}
        gone = _departed(history, known, spans)
        found = [
            (session_row(orjson.loads(one["body"])), int(one["version"]))
            for one in some
            if int(one["version"]) > gone.get(one["id"], 0)
        ]
        ends = _ends(history, mine, [row.id for row, _ in found if row.status not in SETTLED])
        # Of when it changed last nothing is known: retention must not delete it at once.
        records = [_record(row, change, ends, now_ns) for row, change in found]
        head = max((head, *(one.change for one in records)))
        store.commit(Changes(sessions=records, head=head))
        store.evict(
            {one.row.id: lost.through for one in records},
            {one.row.id: spans[one.row.id] for one in records},
        )
        count += len(records)
    return count, head


class _Counts:
    """Counts by id, in order, of ids that are asked in order: millions are not in memory."""

    def __init__(self, rows: Iterator[Mapping[str, Any]]) -> None:
        self._rows = rows
        self._next: Mapping[str, Any] | None = {"id": "", "spans": 0}

    def of(self, id_: str) -> int:
        """Return the count of an id; not of one before those that were asked."""
        while self._next is not None and self._next["id"] < id_:
            self._next = next(self._rows, None)
        is_known = self._next is not None and self._next["id"] == id_
        return int(self._next["spans"]) if is_known and self._next is not None else 0


def _record(row: SessionRow, change: int, ends: Mapping[str, int], now_ns: int) -> SessionRecord:
    if row.status not in SETTLED:  # it ran when the disk was lost
        ended_ns = max(row.started_ns, ends.get(row.id, 0), row.idle_since_ns or 0)
        row = replace(row, status=SessionStatus.LOST, ended_ns=ended_ns)
    state = recovered_session(row)
    return SessionRecord(state.row(row.status), state.dump(), change, change, change, now_ns)


def _ends(history: ClickHouse, mine: str, session_ids: Sequence[str]) -> dict[str, int]:
    """Return the last times that spans of sessions name."""
    if not session_ids:
        return {}
    among = ", ".join(map(literal, session_ids))
    rows = history.rows(
        "SELECT session AS id, max(greatest(start_ns, end_ns)) AS last FROM span"
        f" WHERE {mine} AND session IN ({among}) GROUP BY session"
    )
    return {one["id"]: int(one["last"]) for one in rows}


def _traces(history: ClickHouse, known: str, store: SqliteStore, head: int) -> None:
    """Write the traces of sessions."""
    rows = history.stream(
        "SELECT lower(hex(trace)) AS id, session, change AS version, toUInt32(first_day) AS day"
        f" FROM trace WHERE {known} ORDER BY trace, version"
    )
    traces = (list(some) for _, some in groupby(rows, key=itemgetter("id")))
    while some := list(islice(traces, _A_COMMIT)):
        with store.read() as reader:
            found = {one.row.id for one in reader.sessions({one[-1]["session"] for one in some})}
        deleted = _departed(
            history, known, (row["session"] for one in some for row in one), is_deleted=True
        )
        records = [
            TraceRecord(one[0]["id"], one[-1]["session"], _trace_state(one, deleted), is_new=True)
            for one in some
            if one[-1]["session"] in found
        ]
        store.commit(Changes(traces=records, head=head))


def _trace_state(rows: Sequence[Mapping[str, Any]], deleted_at: Mapping[str, int]) -> bytes:
    """Return the state of a trace, from a row for each session that it came to."""
    since = 0
    for row, after in pairwise([*rows, None]):
        assert row is not None
        deleted = deleted_at.get(row["session"], 0)
        # What it had before is still there until the deletion is carried out.
        if int(row["version"]) < deleted and (after is None or deleted < int(after["version"])):
            since = deleted + 1
    first, last = rows[0], rows[-1]
    seen_ns = int(first["day"]) * _DAY_NS
    return recovered_trace(last["id"], last["session"], seen_ns=seen_ns, since=since).dump()


def _chunks(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while some := list(islice(rows, _A_COMMIT)):
        yield some
