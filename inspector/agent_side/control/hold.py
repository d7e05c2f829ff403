"""A hold: one operation that waits because its session is paused.

The trace shows it as waiting: `request_opened` of kind `pause`, and `request_closed`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from instrument import Bus, Decision

_logger = logging.getLogger("inspector")

OPERATOR = "operator"
KIND = "pause"
"""Kind of the request on the trace: nobody is asked, and the session is paused, not waiting."""


class Issuer(NamedTuple):
    """The sender of a command, and their reason."""

    actor: str
    origin: str
    reason: str | None = None

    def __str__(self) -> str:
        who = f"{self.actor} ({self.origin})"
        return f"{who}: {self.reason}" if self.reason else who


class Release(NamedTuple):
    """The end of a hold."""

    verb: str
    """`resume`, `step`, `cancel` or `withdraw`."""
    reason: str


class Hold:
    """A hold that waits for its release, on the event loop or on a thread of its own."""

    def __init__(
        self,
        bus: Bus,
        by: Issuer,
        hook: str,
        call_id: str | None,
        on_end: Callable[[Hold], None],
    ) -> None:
        """Make a hold; `on_end` is called when it ends for any reason."""
        self._bus = bus
        self._by = by
        self._hook = hook
        self._call_id = call_id
        self._on_end = on_end
        self._began_s = monotonic()
        self._released: Future[Release] = Future()
        self._expected: Release | None = None
        self._request_id = f"{KIND}-{call_id or id(self)}"

    def expect(self, release: Release) -> None:
        """Set the release to report if the task is cancelled first."""
        self._expected = release

    def release(self, release: Release) -> None:
        """End the hold, by resuming or denying. Call it once, from any thread."""
        if self._released.set_running_or_notify_cancel():
            self._released.set_result(release)

    def __await__(self) -> Generator[Any, None, Decision]:
        return self._wait().__await__()

    async def _wait(self) -> Decision:
        with self._reported():
            release = await asyncio.wrap_future(self._released)
        return self._decision(release)

    def block(self) -> Decision:
        """Wait on this thread, which has no event loop."""
        with self._reported():
            release = self._released.result()
        return self._decision(release)

    def at_once(self) -> Decision:
        """Continue: waiting here would block this thread's event loop."""
        self._on_end(self)
        return Decision.continue_(
            f"could not be paused for {self._by}: sync code on the thread of an event loop"
        )

    def _decision(self, release: Release) -> Decision:
        if release.verb == "cancel":
            return Decision.deny(release.reason)
        lasted_s = monotonic() - self._began_s
        return Decision.continue_(f"paused {lasted_s:.3g} s by {self._by}; {release.reason}")

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Report the wait from its beginning to its end."""
        self._emit("request_opened", kind=KIND, hook=self._hook, prompt=f"paused by {self._by}")
        try:
            yield
        finally:  # also when the task is cancelled, or its coroutine closed
            self._on_end(self)
            release = self._expected
            if self._released.done() and not self._released.cancelled():
                release = self._released.result()
            self._emit(
                "request_closed",
                status="withdrawn" if release is None else "answered",
                answer=None if release is None else {"decision": release.verb},
                reason="ended by the program" if release is None else release.reason,
            )

    def _emit(self, event: str, /, **kwargs: Any) -> None:
        try:
            self._bus.dispatch_sync(
                event, call_id=self._call_id, request_id=self._request_id, **kwargs
            )
        except Exception:
            _logger.debug("Cannot emit %s.", event, exc_info=True)
