"""Compute the costs of stored LLM calls again: in small commits, in the background."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass

from inspector.errors import InspectorError
from inspector.service.ingest.recorder import Repriced
from inspector.service.ingest.writer import Writer
from inspector.service.model.otlp_values import as_cost_usd, flat_attributes
from inspector.service.model.records import SpanRecord
from inspector.service.normalise import keys
from inspector.service.prices import Pricing
from inspector.service.prices.pricing import is_priced
from inspector.service.query import QueryScope, parse_query
from inspector.service.storage.base import Reader, Store

_SPANS_A_STEP = 500
_BREAK = 3
"""The pause after a step, as a multiple of its duration: time for senders."""
_CALLS = "kind:llm OR kind:embedding OR kind:other"

_log = logging.getLogger("inspector.prices")


@dataclass(slots=True)
class Progress:
    """How far the computation is, or was when it ended."""

    is_running: bool = False
    looked_at: int = 0
    """LLM calls that were looked at."""
    changed: int = 0
    error: str | None = None
    """Why it ended before its time."""


class Repricing:
    """The one computation of costs that may run at a time.

    What senders say stays. Prices are those of the time of the call.

    Args:
        store: Read here.
        writer: Commits the new costs.
        pricing: Says what LLM calls cost.
    """

    def __init__(self, store: Store, writer: Writer, pricing: Pricing) -> None:
        self.progress = Progress()
        self._store = store
        self._writer = writer
        self._pricing = pricing
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def start(self) -> bool:
        """Begin, unless it runs already; return whether it did."""
        if self.progress.is_running:
            return False
        self.progress = Progress(is_running=True)
        self._task = asyncio.create_task(self._run())
        return True

    async def close(self) -> None:
        """Stop after the commit in hand."""
        self._closing.set()
        if self._task is not None:
            # Not cancelled: a thread may read the store, which is closed next.
            await self._task

    async def _run(self) -> None:
        progress, before = self.progress, None
        try:
            while not self._closing.is_set():
                began_s = time.monotonic()
                looked_at, repriced, before = await asyncio.to_thread(self._look, before)
                if repriced:
                    progress.changed += await self._writer.reprice(repriced)
                progress.looked_at += looked_at
                if before is None:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(_BREAK * (time.monotonic() - began_s)):
                        await self._closing.wait()
        except InspectorError as error:
            progress.error = str(error)
            _log.warning("Recomputing costs failed: %s", error)
        except Exception as error:  # noqa: BLE001 - it must not look as if it was complete
            progress.error = f"Cannot recompute costs: {error!r}. See the service's log."
            _log.exception("Recomputing costs failed")
        finally:
            progress.is_running = False

    def _look(self, before: int | None) -> tuple[int, list[Repriced], int | None]:
        """Look at the next spans, newest change first: what changes gets behind where it began."""
        calls = parse_query(_CALLS, QueryScope.SPAN, 0)
        with self._store.read() as reader:
            chunk = reader.newest_spans(calls, before, _SPANS_A_STEP)
            priced = list(filter(is_priced, chunk.rows))
            found = [one for call in priced if (one := self._reprice(reader, call)) is not None]
        return len(priced), found, chunk.next

    def _reprice(self, reader: Reader, call: SpanRecord) -> Repriced | None:
        attributes = flat_attributes(reader.content(call).span().attributes)
        if as_cost_usd(keys.first(attributes, keys.COST_USD)) is not None:
            return None
        cost_usd = self._pricing.cost_usd(call, attributes)
        return None if cost_usd == call.cost_usd else Repriced(call, cost_usd)
