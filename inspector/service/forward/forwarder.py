"""Forward everything received, by OTLP, to Jaeger or any collector.

A request is queued on disk as soon as it is committed, and goes to each target in order, with
back-off, across restarts. `x-inspector-hop` lists the services that it has come through.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from inspector.errors import SettingsError
from inspector.service.forward.queue import ForwardQueue, QueuedRequest
from inspector.service.forward.send import SKIPPED, ForwardOutcome, Sender, open_sender
from inspector.service.otlp.signals import SIGNALS, OtlpSignal, halve
from inspector.service.otlp.untraced import untraced

logger = logging.getLogger("inspector.forward")

MAX_QUEUE_BYTES = 512 * 1024 * 1024
MAX_HOPS = 8
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 60.0
RECOVERY_WAIT_S = 10.0
"""Pause after an unforeseen error, such as a queue that cannot be read."""

_HOP = re.compile(r"[A-Za-z0-9_-]{1,64}")

T = TypeVar("T")


class Forwarder:
    """Forwards to every target.

    Attributes:
        counts: Requests `sent`, `refused`, `skipped`, `looped` and `dropped` since the start.

    Args:
        targets: `http(s)://host:port` for OTLP/HTTP, `grpc://host:port` for OTLP/gRPC.
        queue_path: File of the queue; None keeps it in memory.
        max_bytes: Limit of waiting bodies; above it the oldest are dropped.

    Raises:
        SettingsError: A target is not an address.
    """

    def __init__(
        self,
        targets: Iterable[str],
        queue_path: Path | None,
        *,
        max_bytes: int = MAX_QUEUE_BYTES,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._targets = list(dict.fromkeys(targets))
        for target in self._targets:
            if why_not := _why_no_address(target):
                raise SettingsError(
                    f"Cannot forward to {target!r}: {why_not} (INSPECTOR_FORWARD_OTLP)."
                )
        self._queue = ForwardQueue(queue_path, self._targets, max_bytes=max_bytes)
        self._service_id = self._queue.service_id
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="inspector-forward")
        self._arrived = {target: asyncio.Event() for target in self._targets}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to send the queued requests."""
        self._tasks = [asyncio.create_task(self._drain(target)) for target in self._targets]

    async def offer(self, signal: OtlpSignal, body: bytes, *, hops: str) -> None:
        """Queue a request. Never fails: forwarding must not cost the sender anything."""
        # What is no name of a service cannot be sent on in a header, whoever wrote it.
        passed = [hop for part in hops.split(",") if _HOP.fullmatch(hop := part.strip())]
        if self._service_id in passed or len(passed) >= MAX_HOPS:
            self.counts["looped"] += 1
            return
        onward = ",".join([*passed, self._service_id])
        try:
            dropped = await self._on_disk(self._queue.push, signal.name, onward, body)
        except Exception:
            logger.exception("Cannot queue a request for forwarding; it is only stored here.")
            return
        if dropped:
            self._count("dropped", f"The forwarding queue is full: {dropped} oldest dropped.")
        for event in self._arrived.values():
            event.set()

    async def close(self) -> None:
        """Stop; the queue is kept for the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._on_disk(self._queue.close)
        self._disk.shutdown()

    async def _drain(self, target: str) -> None:
        """Send until cancelled. No error may end it: all that waits would wait for ever."""
        with untraced():
            while True:
                try:
                    async with open_sender(target) as sender:
                        await self._send_all(target, sender)
                except Exception:
                    logger.exception("Forwarding to %s was interrupted; it retries soon.", target)
                await asyncio.sleep(RECOVERY_WAIT_S)

    async def _send_all(self, target: str, sender: Sender) -> None:
        wait_s = FIRST_WAIT_S
        while True:
            self._arrived[target].clear()
            request = await self._on_disk(self._queue.peek, target)
            if request is None:
                await self._arrived[target].wait()
                continue
            outcome = await _send_safely(sender, request)
            if outcome.is_final:
                await self._on_disk(self._queue.done, target, request.id)
                if outcome.why:
                    self._count("refused", f"{target} rejected a request: {outcome.why}.")
                else:
                    self.counts["skipped" if outcome is SKIPPED else "sent"] += 1
                wait_s = FIRST_WAIT_S
                continue
            self._count("waits", f"{target} is unavailable: {outcome.why}.")
            await asyncio.sleep(outcome.retry_after_s or wait_s * random.uniform(0.8, 1.2))
            wait_s = min(wait_s * 2, LONGEST_WAIT_S)

    def _count(self, what: str, message: str) -> None:
        # Logged at the 1st, 2nd, 4th, 8th … time: neither silence nor a flood.
        self.counts[what] += 1
        if self.counts[what].bit_count() == 1:
            logger.warning("%s (%d times so far)", message, self.counts[what])

    async def _on_disk(self, function: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, function, *args)


def _why_no_address(target: str) -> str | None:
    if not target.startswith(("http://", "https://", "grpc://")):
        return "it must start with http://, https:// or grpc://"
    try:
        parts = urlsplit(target)
        if parts.hostname and parts.port != 0:
            return None
    except ValueError:  # of the port, or of the brackets
        pass
    return "after :// it needs a host, or a host and port such as 127.0.0.1:4318"


async def _send_safely(sender: Sender, request: QueuedRequest) -> ForwardOutcome:
    """Send a request; one that cannot even be put on the wire must not hold up the rest."""
    try:
        return await _send(sender, request)
    except Exception as error:
        logger.exception("Cannot forward a request; it is only stored here.")
        return ForwardOutcome(True, f"it cannot be sent ({type(error).__name__})")


async def _send(sender: Sender, request: QueuedRequest) -> ForwardOutcome:
    """Send a request, in parts if the receiver takes no messages as large as it is."""
    outcome = await sender.send(request)
    if not outcome.is_too_large:
        return outcome
    parts = await asyncio.to_thread(halve, SIGNALS[request.signal], request.body)
    if len(parts) == 1:
        return outcome
    outcomes = []
    for part in parts:
        outcomes.append(await _send(sender, replace(request, body=part)))
        if not outcomes[-1].is_final:
            return outcomes[-1]  # all of it is sent again: receivers know a span by its id
    return next((outcome for outcome in outcomes if outcome.why), outcomes[-1])
