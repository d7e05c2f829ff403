"""The process beside the writer that copies its store: `python -m …history.companion`.

It gets what it needs as a line of JSON on standard input, and ends when that is closed: also when
the service is killed. It reports on standard output, a line of JSON each time.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from inspector.errors import InspectorError
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse, HistoryError
from inspector.service.history.copier import Copier, OlderStoreError
from inspector.service.history.schema import migrate
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore

_IDLE_S = 1.0
_RETRY_S = 5.0
_OLDER = (
    "The store is an older copy of itself: what it gets from now on would mix with what the "
    "history has. Use another database, or the newer store."
)


def main() -> None:
    """Copy until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the service, which ends this
    settings = orjson.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    address = HistoryAddress.parse(settings["address"])
    while True:
        history = ClickHouse(address, settings["password"])
        try:
            _copy(ReadOnlySqliteStore(Path(settings["store"])), history)
        except OlderStoreError:
            _report(state="refused", message=_OLDER)
        except HistoryError as error:
            _report(state="away" if error.is_passing else "refused", message=str(error))
        except InspectorError as error:  # the store cannot be read now
            _report(state="away", message=str(error))
        except Exception as error:  # noqa: BLE001 - the service says so, and it is tried again
            _report(state="refused", message=f"Copying to the history failed: {error!r}.")
        finally:
            history.close()
        time.sleep(_RETRY_S)


def _copy(store: ReadOnlySqliteStore, history: ClickHouse) -> None:
    history.connect()
    migrate(history)
    copier = Copier(store, history)
    while True:
        has_more = copier.step()
        _report(state="ok", through=copier.through)
        if not has_more:
            copier.delete_departed()
            time.sleep(_IDLE_S)


def _report(**report: Any) -> None:
    try:
        sys.stdout.buffer.write(orjson.dumps(report) + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the service is gone
        os._exit(0)


def _end_with(stream: BinaryIO) -> None:
    while stream.read(4096):
        pass
    os._exit(0)  # a request under way must not keep it


if __name__ == "__main__":
    main()
