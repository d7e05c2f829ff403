"""The reporter of piped messages: on its own thread, never blocking the pipe.

The pumps hand over copies of what they have passed on. A bounded buffer holds them; chunks above
the bound are dropped, and nothing ever waits for this thread. It looks for a service until one
runs.
"""

from __future__ import annotations

import codecs
import json
import logging
import os
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from time import monotonic, time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.proxy.lines import LineSplitter
from inspector.proxy.relay import Stream

if TYPE_CHECKING:
    from inspector.attach import Handle
    from inspector.integrations.mcp.wire import ConnectionFacts
    from instrument import Bus

MAX_BYTES = 64 * 2**20
MAX_CHUNKS = 65_536
LOOK_AGAIN_S = 2.0
END_S = 3.0
"""Time limit for the last reports, at the end of the proxy."""
MAX_OUTPUT_CHARS = 4_000


class _Chunk(NamedTuple):
    stream: Stream
    at_ns: int
    data: bytes
    is_after_gap: bool
    """Whether a chunk before it was dropped."""


class ProxyReporter:
    """A reporter of the chunks that the pumps record."""

    def __init__(self, command: Sequence[str], name: str | None = None) -> None:
        """Make a reporter for the server that `command` starts; `name` is its name for people."""
        self._command = command
        self._custom_name = name
        self._name = name or Path(command[0]).name
        self._chunks: deque[_Chunk] = deque()
        self._bytes = 0
        self._lost: set[Stream] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="inspector-reporter", daemon=True)
        self._lines: dict[Stream, LineSplitter] = {
            "stdin": LineSplitter(),
            "stdout": LineSplitter(),
        }
        # A chunk may end inside a character: the rest comes with the next one.
        self._stderr = codecs.getincrementaldecoder("utf-8")("replace")
        self._handle: Handle | None = None
        self._looked_s = -LOOK_AGAIN_S
        self._failure: BaseException | None = None
        self._began_ns = self._ended_ns = time_ns()

    # --- called by the pumps, never blocks ----------------------------------------------------

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def record(self, stream: Stream, at_ns: int, data: bytes) -> None:
        """Record a chunk; empty data is the end of the stream."""
        with self._lock:
            if self._bytes + len(data) > MAX_BYTES or len(self._chunks) >= MAX_CHUNKS:
                self._lost.add(stream)
                return
            self._bytes += len(data)
            self._chunks.append(_Chunk(stream, at_ns, data, stream in self._lost))
            self._lost.discard(stream)
        self._wake.set()

    def fail(self, error: BaseException) -> None:
        """Record that the server could not be started."""
        self._failure = error

    def close(self) -> None:
        """Send the last reports within `END_S`."""
        self._ended_ns = time_ns()
        self._is_closing = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(END_S)

    # --- the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        with suppress(Exception):  # the pipe works without reports
            # Write nothing of ours to the server's standard error.
            logging.getLogger().addHandler(logging.NullHandler())
            logging.disable(logging.CRITICAL)
            self._report()

    def _report(self) -> None:
        from inspector import context  # noqa: PLC0415 - nobody waits for this thread
        from inspector.integrations.mcp.wire import ConnectionFacts  # noqa: PLC0415
        from instrument import Bus  # noqa: PLC0415

        bus = Bus()
        wire = ConnectionFacts(
            bus, uri=f"stdio:{self._command[0]}", name=self._custom_name, has_tools=True
        )
        session = f"{self._name}-{os.getpid()}-{time_ns() // 10**9:x}"
        context.set(session)
        self._look(bus)
        about = {"title": f"{self._name} (proxy)", "engine": "proxy"}
        is_reported = is_named = False
        while True:
            is_closing = self._is_closing
            if self._handle is not None and not is_reported:
                is_reported = True
                with self._at(self._began_ns):
                    bus._emit_sync("session_started", session_id=session, metadata=about)
                    if self._failure is None:
                        wire.connected()
            self._report_chunks(wire)
            if is_reported and not is_named and wire.server_name and wire.at_ns:
                is_named = True
                named = {**about, "title": f"{wire.server_name} (proxy)"}
                with self._at(wire.at_ns):
                    bus._emit_sync("session_started", session_id=session, metadata=named)
            if is_closing:
                break
            self._wake.wait(LOOK_AGAIN_S)
            self._wake.clear()
            self._look(bus)
        self._end(bus, wire, session)

    def _end(self, bus: Bus, wire: ConnectionFacts, session: str) -> None:
        error = self._failure
        status = "completed" if error is None else "failed"
        with self._at(self._ended_ns):
            if error is not None:
                wire.failed("spawn", error)
            wire.closed("the server ended")
            bus._emit_sync("session_finished", session_id=session, status=status, error=error)
        if self._handle is not None:
            self._handle.detach()

    def _look(self, bus: Bus) -> None:
        """Attach to the running service, once there is one."""
        if self._handle is not None or monotonic() - self._looked_s < LOOK_AGAIN_S:
            return
        self._looked_s = monotonic()
        from inspector import runfile  # noqa: PLC0415

        if not os.environ.get("INSPECTOR_URL") and runfile.read() is None:
            return
        from inspector.attach import attach  # noqa: PLC0415 - a quarter of a second

        handle = attach(
            bus=bus,
            set_global=False,
            policies=False,
            control=False,
            integrations="off",
            service_name=self._name,
        )
        if handle.is_attached:
            self._handle = handle

    def _report_chunks(self, wire: ConnectionFacts) -> None:
        while True:
            with self._lock:
                if not self._chunks:
                    return
                chunk = self._chunks.popleft()
                self._bytes -= len(chunk.data)
            with suppress(Exception):  # a bad chunk must not stop the next one
                self._report_chunk(wire, chunk)

    def _report_chunk(self, wire: ConnectionFacts, chunk: _Chunk) -> None:
        if chunk.stream == "stderr":
            text = self._stderr.decode(chunk.data, final=not chunk.data)
            self._output(wire, chunk, text, "stderr")
            return
        lines = self._lines[chunk.stream]
        if chunk.is_after_gap:
            lines.lose()
        for line in lines.feed(chunk.data) if chunk.data else lines.rest():
            if isinstance(line, int):
                text = f"(a line of {line} bytes was passed on but is too long to show)"
                self._output(wire, chunk, text, chunk.stream)
            elif line.strip():
                self._line(wire, chunk, line)

    def _line(self, wire: ConnectionFacts, chunk: _Chunk, line: bytes) -> None:
        messages = _messages(line)
        if messages is None:
            text = line[:MAX_OUTPUT_CHARS].decode("utf-8", "replace")
            self._output(wire, chunk, f"not a message, on {chunk.stream}: {text}", chunk.stream)
            return
        wire.at_ns = chunk.at_ns
        with self._at(chunk.at_ns):
            for message in messages:
                if chunk.stream == "stdin":
                    wire.sent_now(message)
                else:
                    wire.received_now(message)

    def _at(self, ns: int) -> AbstractContextManager[None]:
        if self._handle is None:  # no service: `subscribers` need not be imported
            return nullcontext()
        from subscribers.bridge.event_time import at_time  # noqa: PLC0415 - needs the extra

        return at_time(ns)

    def _output(self, wire: ConnectionFacts, chunk: _Chunk, text: str, stream: Stream) -> None:
        with self._at(chunk.at_ns):
            for start in range(0, len(text), MAX_OUTPUT_CHARS):
                wire.output(text[start : start + MAX_OUTPUT_CHARS], stream)


def _messages(line: bytes) -> list[dict[str, Any]] | None:
    """Return the messages of a line, which may be a batch; None if it is no message."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    messages = value if isinstance(value, list) else [value]
    are_messages = all(isinstance(one, dict) and "jsonrpc" in one for one in messages)
    return messages if messages and are_messages else None
