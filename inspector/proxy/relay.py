"""The pipe: relays a child's standard streams byte for byte.

Three threads copy bytes as they come, and pass them to an `on_data` callback, which must not
block. Signals go to the child, and its end becomes ours: the same exit code, or the same signal.
Only the standard library: a host waits while this is imported.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import time_ns
from types import FrameType
from typing import Literal, TypeAlias

Stream: TypeAlias = Literal["stdin", "stdout", "stderr"]
OnData: TypeAlias = Callable[[Stream, int, bytes], None]
"""Callback with the stream, the time of reading (Unix ns) and the bytes; b"" at its end."""

CHUNK_BYTES = 65_536
DRAIN_POLL_S = 0.05
FORWARDED = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH")
_PR_SET_PDEATHSIG = 1


class Pump(threading.Thread):
    """A thread that copies one stream until it ends or its reader closes."""

    def __init__(self, stream: Stream, source: int, target: int, on_data: OnData) -> None:
        """Make a pump between two file descriptors, which it closes."""
        super().__init__(name=f"inspector-{stream}", daemon=True)
        self._stream, self._source, self._target, self._on_data = stream, source, target, on_data
        self._is_passing = False

    def run(self) -> None:
        """Copy until the end."""
        try:
            while chunk := self._read():
                at_ns = time_ns()
                self._write(chunk)
                self._on_data(self._stream, at_ns, chunk)
                self._is_passing = False
        except OSError:  # the reader has gone; the writer shall see that
            pass
        self._is_passing = False
        _end(self._source)
        _end(self._target)
        self._on_data(self._stream, time_ns(), b"")

    def has_more(self) -> bool:
        """Return whether the source has bytes that are not copied yet."""
        # In this order: bytes are marked as passing before they leave the source.
        return _is_readable(self._source, timeout_ms=0) or self._is_passing

    def _read(self) -> bytes:
        _is_readable(self._source, timeout_ms=None)
        self._is_passing = True
        return os.read(self._source, CHUNK_BYTES)

    def _write(self, chunk: bytes) -> None:
        view = memoryview(chunk)
        while view:
            view = view[os.write(self._target, view) :]


def relay(command: Sequence[str], on_data: OnData, *, started: Callable[[], None]) -> int:
    """Run `command` behind our standard streams until it ends.

    Returns:
        `Popen.returncode`: its exit code, or minus the signal that ended it.

    Raises:
        OSError: It cannot be started.
    """
    child = _start(command)
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    _forward_signals(child)
    # Copies: an object of `subprocess` would keep open what the child shall see closed.
    inward = Pump("stdin", 0, os.dup(child.stdin.fileno()), on_data)
    outward = [
        Pump("stdout", os.dup(child.stdout.fileno()), 1, on_data),
        Pump("stderr", os.dup(child.stderr.fileno()), 2, on_data),
    ]
    for stream in (child.stdin, child.stdout, child.stderr):
        stream.close()
    for pump in (inward, *outward):
        pump.start()
    started()
    code = child.wait()
    for pump in outward:
        _drain(pump)
    return code


def end_as(code: int) -> None:
    """End this process as the child ended."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    if code < 0:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the core that counts is the child's
            signal.signal(-code, signal.SIG_DFL)
        signal.raise_signal(-code)  # in this thread, so that nothing comes after it
        code = 128 - code
    os._exit(code)


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start the child in our process group: a host that kills the group means it too."""
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        close_fds=False,  # those of the host; ours are not inheritable
        preexec_fn=_dies_with_us(),
    )


def _dies_with_us() -> Callable[[], None] | None:
    """Return a function for the child that has the kernel kill it when we die."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes  # noqa: PLC0415 - only on Linux

    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None

    def in_child() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return in_child


def _forward_signals(child: subprocess.Popen[bytes]) -> None:
    def forward(number: int, _: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            child.send_signal(number)

    for name in FORWARDED:
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) is signal.SIG_IGN:
            continue
        is_for_all = number == signal.SIGINT and os.isatty(0)
        # Ctrl-C of a terminal reaches the whole group by itself.
        signal.signal(number, (lambda *_: None) if is_for_all else forward)


def _drain(pump: Pump) -> None:
    """Wait until all output of the child is copied.

    Not for the end of the stream: a process that the child left behind may keep it open for ever.
    """
    while pump.is_alive() and pump.has_more():
        pump.join(DRAIN_POLL_S)


def _is_readable(descriptor: int, *, timeout_ms: int | None) -> bool:
    """Wait for bytes or the end of the stream."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_ms))


def _end(descriptor: int) -> None:
    """Close a descriptor; 0, 1 and 2 become the null device, so that no file gets these numbers."""
    with suppress(OSError):
        if descriptor > 2:
            os.close(descriptor)
            return
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, descriptor)
        os.close(nothing)
