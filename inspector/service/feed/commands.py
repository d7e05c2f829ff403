"""Command streams to agents: one for each process, and the callers that await its answer.

The commands are in the store. A stream that breaks loses nothing: the next one begins with all
commands that have not been acknowledged.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from concurrent.futures import Future

from inspector.errors import StoreUnavailableError
from inspector.service.model.records import Changes, CommandEnd
from inspector.service.model.rows import CommandRow
from inspector.service.storage.base import Store

KEEP_ALIVE_S = 5.0
_CHUNK = 16
"""Commands that are read at once: one may have megabytes of arguments."""


class _Stream:
    """The stream of one process; lives in the event loop that serves it."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.news = asyncio.Event()
        self.is_over = False

    def wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # that loop is closed, and its streams with it
            self.loop.call_soon_threadsafe(self.news.set)

    def end(self) -> None:
        self.is_over = True
        self.wake()


class Dispatch:
    """Serves commands, and collects their ends. `published` may be called from any thread.

    Args:
        store: The store of the commands.
        keep_alive_s: Interval of comments on an idle stream.
    """

    def __init__(self, store: Store, *, keep_alive_s: float = KEEP_ALIVE_S) -> None:
        self._store = store
        self._keep_alive_s = keep_alive_s
        self._lock = threading.Lock()
        self._streams: dict[str, _Stream] = {}
        self._expected: dict[int, Future[CommandEnd]] = {}
        self._is_closed = False

    def published(self, changes: Changes) -> None:
        """Wake the streams and callers that a commit concerns; after it is durable."""
        with self._lock:
            receivers = {command.process_id for command in changes.commands}
            streams = [self._streams[id_] for id_ in receivers if id_ in self._streams]
            gone = [self._streams[id_] for id_ in changes.gone_processes if id_ in self._streams]
            ends = [(self._expected.get(end.seq), end) for end in changes.ended_commands]
        for stream in streams:
            stream.wake()
        for stream in gone:
            stream.end()
        for expected, end in ends:
            if expected is not None and expected.set_running_or_notify_cancel():
                expected.set_result(end)

    async def close(self) -> None:
        """End every stream. Idempotent."""
        with self._lock:
            self._is_closed = True
            streams = list(self._streams.values())
        for stream in streams:
            stream.end()

    # --- callers that wait ------------------------------------------------------------------

    def expect(self, seqs: Collection[int]) -> None:
        """Remember the ends of these commands for `ends_of`. To be called before their commit."""
        with self._lock:
            self._expected.update({seq: Future() for seq in seqs})

    async def ends_of(self, seqs: Sequence[int], timeout_s: float) -> list[CommandEnd]:
        """Return the ends of the commands that ended in time, and forget all of them."""
        with self._lock:
            expected = [self._expected[seq] for seq in seqs if seq in self._expected]
        try:
            if expected:
                waiting = [asyncio.wrap_future(one) for one in expected]
                done, _ = await asyncio.wait(waiting, timeout=timeout_s)
                return [one.result() for one in done]
            return []
        finally:
            self.forget(seqs)

    def forget(self, seqs: Collection[int]) -> None:
        """Stop waiting for these commands."""
        with self._lock:
            for seq in seqs:
                self._expected.pop(seq, None)

    # --- streams ----------------------------------------------------------------------------

    async def follow(
        self, process_id: str, after: int, text_of: Callable[[CommandRow], str]
    ) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events: pending commands, then new ones, until replaced.

        Args:
            process_id: The process; an open stream of it ends.
            after: The last `seq` that is not sent again.
            text_of: Returns the JSON of a command's event.
        """
        stream = _Stream()
        with self._lock:
            older, self._streams[process_id] = self._streams.get(process_id), stream
            stream.is_over = self._is_closed
        if older is not None:
            older.end()
        try:
            yield b": commands\n\n"
            while not stream.is_over:
                stream.news.clear()
                commands = await asyncio.to_thread(self._read, process_id, after)
                for command in commands:
                    after = command.seq
                    yield f"id: {command.seq}\ndata: {text_of(command)}\n\n".encode()
                if not commands and not await self._has_news(stream):
                    yield b": alive\n\n"
        finally:
            with self._lock:
                if self._streams.get(process_id) is stream:
                    del self._streams[process_id]

    def _read(self, process_id: str, after: int) -> list[CommandRow]:
        try:
            with self._store.read() as reader:
                return reader.commands(process_id, after, _CHUNK)
        except StoreUnavailableError:  # it is read again before long
            return []

    async def _has_news(self, stream: _Stream) -> bool:
        try:
            async with asyncio.timeout(self._keep_alive_s):
                await stream.news.wait()
        except TimeoutError:
            return False
        return True
