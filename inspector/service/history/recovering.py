"""Make a store anew from the history, after its disk was lost.

Each session gets its row, as after its content has left the disk: that is read in the history. What
the history does not have is gone: requests, commands, the audit log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from inspector.errors import HistoryError, SettingsError, StoreError
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse, Stores, literal
from inspector.service.history.copier import FORMER
from inspector.service.history.replicas import Replicas
from inspector.service.model.records import Changes, SessionRecord, TraceRecord
from inspector.service.model.rows import SessionRow, SessionStatus
from inspector.service.model.times import rfc3339
from inspector.service.sessions.recovered import recovered_session, recovered_trace
from inspector.service.sessions.state import SETTLED
from inspector.service.storage.sqlite import SqliteStore
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


def copied_stores(history: ClickHouse) -> list[CopiedStore]:
    """Return the stores that the history has, the newest first."""
    rows = history.rows(
        "SELECT store AS id, max(through) AS reached, max(newest_ns) AS newest FROM position"
        " WHERE part = 'copied' GROUP BY store ORDER BY newest DESC"
    )
    return [CopiedStore(str(one["id"]), int(one["reached"]), int(one["newest"])) for one in rows]


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
    listed = "; ".join(f"{one.id}, copied until {rfc3339(one.newest_ns)}" for one in stores)
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
        found = chosen(copied_stores(history), store_id)
        return found, recover(history, found, path)


def recover(history: ClickHouse, lost: CopiedStore, path: Path) -> int:
    """Write a store to `path`; return the number of its sessions.

    Raises:
        StoreError: There is a file, or it cannot be written.
        HistoryError: The history cannot be read.
    """
    if path.exists():
        raise StoreError(f"Cannot recover the store {path}: the file exists. Move it away first.")
    made = path.with_name(f".{path.name}.recovered")
    made.unlink(missing_ok=True)
    with closing(SqliteStore(made)) as store:
        former = _former(history, lost)
        known = Stores(lost.id, former).any_row
        deleted = _deletions(history, known)
        ids, head = _sessions(history, lost, store, deleted)
        _traces(history, known, store, ids, head, deleted)
        while store.sweep():
            pass
        store.succeed({**former, lost.id: lost.through})
        store.seal()
    made.rename(path)
    return len(ids)


def _former(history: ClickHouse, lost: CopiedStore) -> dict[str, int]:
    """Return the stores whose place the lost one had taken."""
    rows = history.rows(
        "SELECT part, max(through) AS head FROM position"
        f" WHERE store = {literal(lost.id)} AND startsWith(part, {literal(FORMER)}) GROUP BY part"
    )
    return {one["part"].removeprefix(FORMER): int(one["head"]) for one in rows}


class _Departures(NamedTuple):
    gone: dict[str, int]
    """The change at which a session was deleted or merged, by its id."""
    deleted: dict[str, int]
    """At which it was deleted with its spans."""


def _deletions(history: ClickHouse, known: str) -> _Departures:
    found = _Departures({}, {})
    rows = history.stream(
        "SELECT session AS id, max(change) AS newest, moved_to = '' AS is_deleted FROM departure"
        f" WHERE {known} AND is_whole = 1 GROUP BY session, is_deleted"
    )
    for one in rows:
        change = int(one["newest"])
        found.gone[one["id"]] = max(change, found.gone.get(one["id"], 0))
        if one["is_deleted"]:
            found.deleted[one["id"]] = change
    return found


def _sessions(
    history: ClickHouse, lost: CopiedStore, store: SqliteStore, departures: _Departures
) -> tuple[set[str], int]:
    """Write all sessions that were not deleted; return their ids, and the newest change."""
    mine = f"store = {literal(lost.id)}"
    ids, head = set[str](), lost.through
    rows = history.stream(f"SELECT id, body, change AS version FROM session FINAL WHERE {mine}")
    for some in _chunks(rows):
        found = [
            (session_row(orjson.loads(one["body"])), int(one["version"]))
            for one in some
            if int(one["version"]) > departures.gone.get(one["id"], 0)
        ]
        ends = _ends(history, mine, [row.id for row, _ in found if row.status not in SETTLED])
        records = [_record(row, change, ends, lost.through) for row, change in found]
        head = max((head, *(one.change for one in records)))
        store.commit(Changes(sessions=records, head=head))
        store.evict({one.row.id: lost.through for one in records})
        ids.update(one.row.id for one in records)
    return ids, head


def _record(row: SessionRow, change: int, ends: Mapping[str, int], through: int) -> SessionRecord:
    if row.status not in SETTLED:  # it ran when the disk was lost
        ended_ns = max(row.started_ns, ends.get(row.id, 0), row.idle_since_ns or 0)
        row = replace(row, status=SessionStatus.LOST, ended_ns=ended_ns)
    state = recovered_session(row)
    return SessionRecord(
        state.row(row.status), state.dump(), change, change, change, row.ended_ns or 0
    )


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


def _traces(
    history: ClickHouse,
    known: str,
    store: SqliteStore,
    ids: set[str],
    head: int,
    departures: _Departures,
) -> None:
    """Write the traces of sessions."""
    rows = history.stream(
        "SELECT lower(hex(trace)) AS id, argMax(session, change) AS owner,"
        " groupUniqArray(session) AS owners, toUInt32(min(first_day)) AS day FROM trace"
        f" WHERE {known} GROUP BY trace"
    )
    for some in _chunks(rows):
        records = [
            TraceRecord(one["id"], one["owner"], _trace_state(one, departures), is_new=True)
            for one in some
            if one["owner"] in ids
        ]
        store.commit(Changes(traces=records, head=head))


def _trace_state(row: Mapping[str, Any], departures: _Departures) -> bytes:
    seen_ns = int(row["day"]) * _DAY_NS
    # What it had before is still there until the deletion is carried out.
    deleted = max(departures.deleted.get(one, 0) for one in row["owners"])
    since = deleted + 1 if deleted else 0
    return recovered_trace(row["id"], row["owner"], seen_ns=seen_ns, since=since).dump()


def _chunks(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while some := list(islice(rows, _A_COMMIT)):
        yield some
