"""The process beside the writer that copies its store, and unpacks sessions of the history.

Run as `python -m …history.companion`. Its first line of standard input has its settings, as JSON;
each line after it asks for sessions (`Orders`). It ends when that is closed: also when the service
is killed. It reports on standard output, a line of JSON each time.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Queue
from typing import Any, BinaryIO

import orjson

from inspector.errors import HistoryError, InspectorError, StoreUnavailableError
from inspector.service.history.address import HistoryAddress
from inspector.service.history.checking import Checking
from inspector.service.history.clickhouse import ClickHouse, SilentServerError, Stores
from inspector.service.history.copier import Copier, OlderStoreError, position
from inspector.service.history.replicas import Replicas
from inspector.service.history.schema import check, is_replicated, migrate
from inspector.service.history.unpacking import unpack
from inspector.service.storage.base import Reader
from inspector.service.storage.sqlite_open import file_of
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore

_IDLE_S = 1.0
_IDLE_AT_ONCE_S = 0.2
_RETRY_S = 5.0
_BEGIN_AGAIN_S = 3600.0
_UNPACKED_AT_ONCE = 3
"""Sessions, each with some ten megabytes of memory; what is copied waits for none."""
_MOST_DAYS = 3
"""Limit of the days that a message names."""
_OLDER = (
    "The store is an older copy of itself: what it gets from now on would mix with what the "
    "history has. Use another database, or the newer store."
)


def main() -> None:
    """Copy until standard input ends."""
    settings = orjson.loads(sys.stdin.buffer.readline())
    address, password = HistoryAddress.parse(settings["address"]), settings["password"]
    copies = settings.get("copies", 1)
    replicas = Replicas(address, password, copies) if copies > 1 else None
    orders = Orders(address, password, Path(settings["store"]), replicas)
    orders.start(sys.stdin.buffer)
    while True:
        began_s = time.monotonic()
        try:
            first = replicas.begin() if replicas else address
            with closing(ClickHouse(first, password)) as history:
                history.connect()
                with history.watched():
                    migrate(history, copies)
                    orders.address = history.address
                    store = SameStore(Path(settings["store"]))
                    may_evict = len(address.hosts) == 1 or is_replicated(history)
                    _copy(store, history, settings["behind_ns"], replicas, may_evict=may_evict)
        except OlderStoreError:
            _report(state="refused", message=_OLDER)
        except SilentServerError as error:
            address = address.last(error.address)
            _report(state="away", message=str(error))
        except HistoryError as error:
            can = {} if error.is_passing or replicas else orders.readable()
            _report(state="away" if error.is_passing else "refused", message=str(error), **can)
        except InspectorError as error:  # the store cannot be read now
            _report(state="away", message=str(error))
        except Exception as error:  # noqa: BLE001 - the service says so, and it is tried again
            _report(state="refused", message=f"Copying to the history failed: {error!r}.")
        # At once where it went well until now: another server may take it.
        time.sleep(max(began_s + _RETRY_S - time.monotonic(), 0))


class SameStore(ReadOnlySqliteStore):
    """A store that is read while it is in its file: another one has an id of its own."""

    def __init__(self, path: Path) -> None:
        self._file = file_of(path)
        super().__init__(path)

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """Open a snapshot.

        Raises:
            StoreUnavailableError: Another file is in its place.
        """
        with super().read() as reader:
            if file_of(self._path) != self._file:
                raise StoreUnavailableError(f"The store {self._path} was replaced.")
            yield reader


def _copy(
    store: ReadOnlySqliteStore,
    history: ClickHouse,
    behind_ns: int,
    replicas: Replicas | None,
    *,
    may_evict: bool,
) -> None:
    confirmed = replicas.confirmed if replicas else None
    copier = Copier(store, history, behind_ns=behind_ns, confirmed=confirmed)
    checking, began_again_s, reported = Checking(store, history), -math.inf, None
    while True:
        had_again, has_more = copier.has_again, copier.step()
        if replicas:
            replicas.check(history.address)
        has_all = replicas is None or replicas.has_all(history.address)
        if copier.has_again and not had_again:
            checking.begin()
        if has_all:
            checking.step(copier.confirmed)
        if checking.has_all and copier.has_again:
            began_again_s = -math.inf
        elif checking.lacks and time.monotonic() - began_again_s > _BEGIN_AGAIN_S:
            began_again_s = time.monotonic()
            copier.begin_again()
        whole = checking.whole if may_evict and copier.has_again else {}
        _report(
            state="ok",
            message=_lost(
                checking,
                is_copied_again=copier.is_copying_again
                or (checking.lacks and not copier.has_again),
            ),
            through=copier.confirmed,
            here=copier.through if has_all else 0,
            server=history.address.hosts[0],
            whole=None if whole is reported else whole,
            replicas=replicas.troubles() if replicas else (),
        )
        reported = whole
        if not has_more or copier.is_copying_again:
            copier.delete_departed()
        if not has_more:
            time.sleep(_IDLE_S if behind_ns else _IDLE_AT_ONCE_S)


def _lost(checking: Checking, *, is_copied_again: bool) -> str | None:
    """Return what a person has to know about what the history has lost."""
    if checking.lost:
        days = sorted(checking.lost)
        more = ", …" if len(days) > _MOST_DAYS else ""
        return (
            "The history has lost spans or moments of sessions that have left the disk, of"
            f" {', '.join(days[:_MOST_DAYS])}{more}. Put them back from a backup,"
            " or delete these sessions."
        )
    if is_copied_again:
        return "The history has lost what was copied to it. What is on the disk is copied again."
    if checking.lacks:
        return (
            "The history lacks some of what is on the disk, also after it was copied again. It is"
            " copied once more within the hour."
        )
    return None


_reporting = threading.Lock()


def _report(**report: Any) -> None:
    try:
        with _reporting:
            sys.stdout.buffer.write(orjson.dumps(report) + b"\n")
            sys.stdout.buffer.flush()
    except BrokenPipeError:  # the service is gone
        os._exit(0)


class Orders:
    """Sessions to unpack, a few side by side.

    Args:
        address: Of the history.
        password: Its user's.
        store: File of the writer's store.
        replicas: The servers, if they replicate.
    """

    def __init__(
        self, address: HistoryAddress, password: str, store: Path, replicas: Replicas | None
    ) -> None:
        self.address = address
        """Of the server that is copied to: another one may lack what left the store."""
        self._password = password
        self._store = store
        self._replicas = replicas
        self._waiting: Queue[dict[str, Any]] = Queue()

    def start(self, stream: BinaryIO) -> None:
        """Fill the orders of a stream; when that ends, the process does."""
        for _ in range(_UNPACKED_AT_ONCE):
            threading.Thread(target=self._work, daemon=True).start()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream: BinaryIO) -> None:
        for line in stream:
            self._waiting.put(orjson.loads(line))
        os._exit(0)  # a request under way must not keep it

    def _work(self) -> None:
        while True:
            order = self._waiting.get()
            failure = self._fill(Path(order["path"]), order["sessions"])
            _report(unpacked=order["path"], message=failure)

    def readable(self) -> dict[str, Any]:
        """Return where, and up to what, the history can be read although nobody can write it."""
        try:
            with (
                closing(ClickHouse(self.address, self._password)) as history,
                closing(ReadOnlySqliteStore(self._store)) as store,
            ):
                history.connect()
                with history.watched():
                    check(history)
                    here, _ = position(history, store.id)
                return {"server": history.address.hosts[0], "here": here}
        except Exception:  # noqa: BLE001 - an answer may be anything: what is wrong is known
            return {}

    def _fill(self, path: Path, session_ids: list[str]) -> str | None:
        """Unpack sessions; return why that failed."""
        address = self.address
        if self._replicas and not self._replicas.has_all(address):
            return (
                f"The history {address} may lack some of this session now. Try again in a moment."
            )
        try:
            with closing(ClickHouse(address, self._password)) as history:
                history.connect()
                store = ReadOnlySqliteStore(self._store)
                with history.watched(), store.read() as reader:
                    check(history)
                    unpack(reader, history, Stores(store.id, store.former), session_ids, path)
        except InspectorError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - the next one may be unpacked
            return f"Cannot read from the history: {error!r}."
        return None


if __name__ == "__main__":
    main()
