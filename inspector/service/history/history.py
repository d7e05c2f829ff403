"""The history as the service sees it: its companion process, and how far that is."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import orjson

from inspector.service.history.address import HistoryAddress
from inspector.service.storage.health import HistoryProgress, HistoryState

_AGAIN_S = 5.0
_STOP_S = 5.0
_log = logging.getLogger("inspector.history")


class History:
    """Runs the companion that copies a store, and starts it again when it ends.

    Args:
        address: Of the history.
        password: Its user's.
        store: File of the store.
        clock: Unix ns.
    """

    def __init__(
        self,
        address: str,
        password: str,
        store: Path,
        *,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._address = HistoryAddress.parse(address)
        self._settings = orjson.dumps(
            {"address": address, "password": password, "store": str(store)}
        )
        self._clock = clock
        self._health = HistoryProgress("starting", since_ns=clock())
        self._is_closed = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="inspector-history", daemon=True)
        self._thread.start()

    @property
    def health(self) -> HistoryProgress:
        """What the companion reported last."""
        return self._health

    def close(self) -> None:
        """End the companion. Idempotent."""
        self._is_closed.set()
        process = self._process
        if process is not None and process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        while not self._is_closed.is_set():
            self._run_once()
            if not self._is_closed.wait(_AGAIN_S):
                _log.warning("The companion that copies to the history ended; it starts again.")

    def _run_once(self) -> None:
        # Without the working directory, which may have a module by our name.
        command = [sys.executable, "-P", "-m", "inspector.service.history.companion"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            self._process = process
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(OSError):
                process.stdin.write(self._settings + b"\n")
                process.stdin.flush()
                if self._is_closed.is_set():
                    process.stdin.close()
                for line in process.stdout:
                    self._note(**orjson.loads(line))

    def _note(
        self, state: HistoryState, message: str | None = None, through: int | None = None
    ) -> None:
        before = self._health
        if state != before.state and message:
            _log.warning("%s Spans are stored all the same.", message)
        elif state == "ok" and before.state in ("away", "refused"):
            _log.info("The history %s is written again.", self._address)
        self._health = HistoryProgress(
            state,
            message,
            before.since_ns if state == before.state else self._clock(),
            before.through if through is None else through,
        )
