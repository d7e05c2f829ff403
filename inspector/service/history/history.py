"""The history as the service sees it: its companion process, and how far that is."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import orjson

from inspector.errors import HistoryError, StoreUnavailableError
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.copier import BEHIND_NS
from inspector.service.storage.health import HistoryProgress, HistoryState

_AGAIN_S = 5.0
_SHORT_S = 60.0
_MOST_AGAIN_S = 300.0
"""Pause before the next start: it grows while companions live for less than `_SHORT_S`."""
_STOP_S = 5.0
_CONFIRM_S = 30.0
_UNPACKED_AT_ONCE = 8
"""Limit of sessions that are waited for: each wait holds a thread that other requests need."""
_ROOM_S = 2.0
"""Time that as many more wait for room."""
_UNPACK_S = 60.0
"""Limit of the wait for sessions of the history."""
_log = logging.getLogger("inspector.history")


class History:
    """Runs the companion that copies a store, and starts it again when it ends.

    Args:
        address: Of the history.
        password: Its user's.
        store: File of the store.
        copies: The number of its servers that must have what counts as copied.
        clock: Unix ns.
        is_at_once: Whether it copies at once: somebody waits for it.
    """

    def __init__(
        self,
        address: str,
        password: str,
        store: Path,
        *,
        copies: int = 1,
        clock: Callable[[], int] = time.time_ns,
        is_at_once: bool = False,
    ) -> None:
        self._address = HistoryAddress.parse(address)
        self._server = self._address
        self._password = password
        self._settings = orjson.dumps(
            {
                "address": address,
                "password": password,
                "store": str(store),
                "copies": copies,
                "behind_ns": 0 if is_at_once else BEHIND_NS,
            }
        )
        self._clock = clock
        self._health = HistoryProgress("starting", since_ns=clock())
        self._is_closed = threading.Event()
        self._waiting: dict[str, Future[None]] = {}
        self._sending = threading.Condition()
        self._queued = 0
        self._confirmations: list[tuple[int, Future[None]]] = []
        self._confirming = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="inspector-history", daemon=True)
        self._thread.start()

    def connect(self) -> ClickHouse:
        """Return a client, connected to the server that is copied to.

        Raises:
            HistoryError: The history cannot be reached, or refuses.
        """
        client = ClickHouse(self._server, self._password)
        client.connect()
        return client

    @property
    def health(self) -> HistoryProgress:
        """What the companion reported last."""
        return self._health

    def unpack(self, path: Path, session_ids: Sequence[str]) -> None:
        """Let the companion write sessions to a new store; it is there when this returns.

        Raises:
            HistoryError: The history, or the companion, cannot do it now.
        """
        name = str(path)
        with self._sending:
            if self._queued < _UNPACKED_AT_ONCE:
                self._queued += 1
                self._sending.wait_for(
                    lambda: name in self._waiting or len(self._waiting) < _UNPACKED_AT_ONCE, _ROOM_S
                )
                self._queued -= 1
            done = self._waiting.get(name)
            if done is None and len(self._waiting) >= _UNPACKED_AT_ONCE:
                raise HistoryError(
                    "Other sessions are being read from the history. Try again in a moment.",
                    is_passing=True,
                )
            if done is None:
                done = self._waiting[name] = Future()
                order = {"path": name, "sessions": list(session_ids)}
                self._send(orjson.dumps(order) + b"\n")
        try:
            done.result(_UNPACK_S)
        except TimeoutError as error:
            raise _no_answer() from error

    async def confirm(self, change: int) -> None:
        """Wait until everything up to a change is in the history.

        Raises:
            StoreUnavailableError: The history does not take it now; senders send it again.
        """
        done = Future[None]()
        with self._confirming:
            self._confirmations.append((change, done))
        self._settle()
        try:
            await asyncio.wait_for(asyncio.wrap_future(done), _CONFIRM_S)
        except TimeoutError as error:
            raise StoreUnavailableError(
                f"Stored, but not in the history after {_CONFIRM_S:.0f} s. Senders retry."
            ) from error

    def _settle(self) -> None:
        """Answer those who wait for what is in the history by now, or cannot be."""
        health = self._health
        with self._confirming:
            waiting, self._confirmations = self._confirmations, []
            for change, done in waiting:
                if done.cancelled():  # its sender has gone
                    continue
                is_there = change <= health.through
                if not is_there and health.state not in ("away", "refused"):
                    self._confirmations.append((change, done))
                elif not done.set_running_or_notify_cancel():
                    continue  # the sender has gone, at any moment
                elif is_there:
                    done.set_result(None)
                else:
                    why = f"Stored, but not in the history: {health.message} Senders retry."
                    done.set_exception(StoreUnavailableError(why))

    def _send(self, line: bytes) -> None:
        process = self._process
        try:
            assert process is not None
            assert process.stdin is not None
            process.stdin.write(line)
            process.stdin.flush()
        except (AssertionError, OSError, ValueError):  # it ended, or is about to start
            self._fail_waiting()

    def _fail_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        self._sending.notify_all()
        for one in waiting.values():
            one.set_exception(_no_answer())

    def close(self) -> None:
        """End the companion. Idempotent."""
        self._is_closed.set()
        process = self._process
        if process is not None and process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        longer_s = 0.0
        while not self._is_closed.is_set():
            began_s = time.monotonic()
            try:
                why = f"ended with {self._run_once()}"
            except Exception as error:  # noqa: BLE001 - it is tried again
                why = f"failed: {error}"
            is_short = time.monotonic() - began_s < _SHORT_S
            longer_s = min(2 * longer_s + _AGAIN_S, _MOST_AGAIN_S) if is_short else 0.0
            # Not at once: it may have ended because the service does.
            if not self._is_closed.wait(_AGAIN_S):
                self._note("refused", f"The process that copies to the history {why}.")
                self._is_closed.wait(longer_s)

    def _run_once(self) -> int:
        """Run the companion until it ends; return its exit status."""
        # Without the working directory, which may have a module by our name. In a session of its
        # own: a Ctrl-C is for the service, which ends this.
        command = [sys.executable, "-P", "-m", "inspector.service.history.companion"]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(OSError):
                with self._sending:  # before any order
                    process.stdin.write(self._settings + b"\n")
                    process.stdin.flush()
                    self._process = process
                if self._is_closed.is_set():
                    process.stdin.close()
                for line in process.stdout:
                    report = orjson.loads(line)
                    if "unpacked" in report:
                        self._unpacked(**report)
                    else:
                        self._note(**report)
            return process.wait(_STOP_S)
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):  # what it has not read is still to be written
                    stream.close()
            with self._sending:
                self._fail_waiting()

    def _unpacked(self, unpacked: str, message: str | None) -> None:
        with self._sending:
            done = self._waiting.pop(unpacked, None)
            self._sending.notify_all()
        if done is not None and message is None:
            done.set_result(None)
        elif done is not None:
            done.set_exception(HistoryError(str(message), is_passing=True))

    def _note(
        self,
        state: HistoryState,
        message: str | None = None,
        through: int | None = None,
        here: int = 0,
        server: tuple[str, int] | None = None,
        whole: Mapping[str, int] | None = None,
        replicas: Sequence[str] = (),
    ) -> None:
        before = self._health
        if server is not None:
            host, port = server  # a list, by JSON
            self._server = replace(self._address, hosts=((host, port),))
        if message and (state != before.state or (state == "ok" and message != before.message)):
            _log.warning("%s Spans are stored all the same.", message)
        elif state == "ok" and before.state in ("away", "refused"):
            _log.warning("The history %s is written again.", self._address)
        for trouble in set(replicas) - set(before.replicas):
            _log.warning("%s", trouble)
        self._health = HistoryProgress(
            state,
            message,
            before.since_ns if state == before.state else self._clock(),
            before.through if through is None else through,
            here,
            before.whole if whole is None and state == "ok" else whole or {},
            tuple(replicas),
        )
        self._settle()


def _no_answer() -> HistoryError:
    return HistoryError(
        "The content of this session is in the history, and its companion does not answer. "
        "`inspector doctor` says why; try again in a moment.",
        is_passing=True,
    )
