"""From decoded telemetry to committed rows: a bounded queue and the one writer thread.

All batches that wait when the writer is free go into one commit, so that one flush to disk serves
many senders. A commit is bounded: a large batch is stored in several, in turns with those of others
(`turns`). A sender is answered when all of its data is durable, and each commit is published after
it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

from inspector.errors import (
    InspectorError,
    OverloadedError,
    StoreError,
    StoreUnavailableError,
)
from inspector.service.feed.commands import Dispatch
from inspector.service.feed.feed import Feed
from inspector.service.ingest.housekeeping import LOOK_S, Housekeeping
from inspector.service.ingest.recorder import Recorder, Repriced
from inspector.service.ingest.requests.audit_rate_limit import AuditRateLimit
from inspector.service.ingest.requests.control_plane import ControlPlane
from inspector.service.ingest.turns import Part, Submission, Turns
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.records import Changes
from inspector.service.model.rows import AuditRow
from inspector.service.otlp.intake import Intake
from inspector.service.sessions.retention import Retention
from inspector.service.storage.base import Store
from inspector.service.storage.health import HistoryProgress, StoreHealth, StoreWatch

Clock: TypeAlias = Callable[[], int]
"""A function that returns Unix nanoseconds."""

MAX_WAITING_BYTES = 128 * 1024 * 1024
"""Protobuf bytes that may wait or be in work; in memory they are a few times that."""
_TICK_S = 1.0
PROBE_S = 1.0
"""Interval of attempts to write a store that cannot be written, without a sender."""
_ERASE_S, _ERASE_AGAIN_S = 1.0, 0.25
"""Interval of erasing the content of closed requests, and after a reader blocked it."""
_ERASE_BREAK = 10
"""The pause after that, as a multiple of its duration: time for senders."""
_ROOM_BYTES = 1024 * 1024
"""Free space on the disk from which on it counts as writable again."""

_KEEP_ALL = Retention()
_T = TypeVar("_T")
_log = logging.getLogger("inspector.ingest")


@dataclass(slots=True)
class Restored:
    """Counts of the new rows of a batch, and its sessions."""

    span_count: int = 0
    moment_count: int = 0
    session_ids: list[str] = field(default_factory=list)
    """The sessions that it is part of."""


@dataclass(slots=True)
class _Task:
    """Something else that only the writer may do."""

    plan: Callable[[int], Changes]
    done: Future[bool] = field(default_factory=Future)


@dataclass(slots=True)
class _PeriodicTask:
    """Something that the writer does by itself, time and again."""

    do: Callable[[], float]
    """Returns after how many seconds it is due again."""
    due_s: float


class Writer:
    """Commits decoded batches, and the changes of sessions as time passes.

    Args:
        store: The store to commit to.
        feed: Publishes commits to viewers.
        clock: Unix ns; silence of senders is measured by it.
        tick_s: Interval of ticks; None: only calls of `tick`.
        max_waiting_bytes: More than this waiting for the disk is refused.
        probe_s: Interval of attempts to write a store that cannot be written.
        retention: The limits of stored sessions.
        hot: The limits of those whose content is here although a history has it.
        dispatch: Sends commands to agents.
        intake: Shared with who decodes.
        history: Returns how far the history is; None: there is none.
        departed: Gets the ids of sessions that were deleted or merged; None: nobody does.
    """

    def __init__(
        self,
        store: Store,
        feed: Feed,
        *,
        clock: Clock = time.time_ns,
        tick_s: float | None = _TICK_S,
        max_waiting_bytes: int = MAX_WAITING_BYTES,
        probe_s: float = PROBE_S,
        retention: Retention = _KEEP_ALL,
        hot: Retention = _KEEP_ALL,
        dispatch: Dispatch | None = None,
        intake: Intake | None = None,
        history: Callable[[], HistoryProgress] | None = None,
        departed: Callable[[Collection[str]], None] | None = None,
    ) -> None:
        self._store = store
        self._feed = feed
        self._dispatch = dispatch
        self._departed = departed
        self._intake = intake or Intake()
        self._audit_rate = AuditRateLimit()
        self._clock = clock
        self._max_waiting_bytes = max_waiting_bytes
        self._probe_s = probe_s
        self._watch = StoreWatch(clock, feed.publish_health)
        self._refused_bytes = 0
        self._recorder = Recorder(store, clock())
        self._housekeeping = Housekeeping(
            store,
            retention,
            delete=self._delete,
            read_outcomes=self._read_outcomes,
            evict=self._evict,
            hot=hot,
            history=history,
        )
        now_s = time.monotonic()
        self._tidying = _PeriodicTask(self._tidy, now_s)
        self._erasing = _PeriodicTask(self._erase, now_s)
        self._periodic_tasks = [_PeriodicTask(self._probe, now_s), self._tidying, self._erasing]
        if tick_s is not None:
            self._periodic_tasks.insert(
                0, _PeriodicTask(lambda: self._let_time_pass(tick_s), now_s + tick_s)
            )
        self._wake = threading.Condition()
        self._turns = Turns()
        self._tasks: deque[_Task] = deque()
        self._waiting_bytes = 0
        self._is_closed = False
        self._in_hand: list[Submission | _Task] = []
        self._thread = threading.Thread(target=self._run, name="inspector-ingest", daemon=True)
        self._thread.start()

    @property
    def store_health(self) -> StoreHealth:
        """The health of the store."""
        return self._watch.health

    def submit(self, spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> Awaitable[None]:
        """Queue `spans` and `logs` at once; what is returned waits until they are durable.

        When this fails, a part of a large batch may be stored: sent again, it merges.

        Raises:
            OverloadedError: Too much waits for the disk; nothing of this was accepted.
            StoreUnavailableError: The store cannot be written.
            InspectorError: This batch cannot be stored at all; sending it again does not help.
        """
        if not spans and not logs:
            return asyncio.sleep(0)
        size_bytes = sum(len(item.content.payload) for item in spans)
        size_bytes += sum(item.record.ByteSize() for item in logs)
        batch = Submission(spans, logs, size_bytes)
        with self._wake:
            self._refuse_when_closed()
            # A batch that is too large by itself is accepted when nothing else waits.
            if self._waiting_bytes and self._waiting_bytes + size_bytes > self._max_waiting_bytes:
                raise OverloadedError(
                    f"Cannot accept {size_bytes} bytes: {self._waiting_bytes} bytes are waiting "
                    "to be written. Try again in a second."
                )
            self._waiting_bytes += size_bytes
            self._turns.add(batch)
            self._wake.notify()
        return asyncio.wrap_future(batch.done)

    async def restore(self, spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> Restored:
        """Store recorded telemetry as ended; returns when it is durable.

        Raises:
            StoreUnavailableError: The store cannot be written; nothing of this was stored.
            InspectorError: It cannot be stored at all.
        """
        restored = Restored()

        def plan(now_ns: int) -> Changes:
            changes = self._recorder.record(spans, logs, now_ns, is_past=True)
            restored.span_count = len(changes.contents)
            restored.moment_count = len(changes.moments)
            restored.session_ids = [record.row.id for record in changes.sessions]
            return changes

        await self._enqueue(plan)
        return restored

    async def delete(self, session_id: str) -> bool:
        """Delete a session with all its content; return whether there was one."""
        return await self._enqueue(lambda now_ns: self._recorder.delete([session_id], now_ns))

    async def reprice(self, repriced: Sequence[Repriced]) -> int:
        """Store new costs of LLM calls; return how many were still there, unchanged.

        Raises:
            StoreUnavailableError: The store cannot be written; nothing was stored.
        """
        counts = list[int]()

        def plan(now_ns: int) -> Changes:
            changes = self._recorder.reprice(repriced, now_ns)
            counts.append(len(changes.spans))
            return changes

        await self._enqueue(plan)
        return counts[0]

    async def run_control(self, act: Callable[[UnitOfWork, ControlPlane], _T]) -> _T:
        """Run `act` on the control plane, for a person or an agent; durable on return.

        Args:
            act: Runs on the writer's thread; what it returns is returned.

        Raises:
            StoreUnavailableError: The store cannot be written; nothing was done.
        """
        returned: list[_T] = []

        def plan(now_ns: int) -> Changes:
            def acted(unit: UnitOfWork, control: ControlPlane) -> None:
                returned.append(act(unit, control))

            return self._recorder.run_control(acted, now_ns)

        await self._enqueue(plan)
        return returned[0]

    def record_audit(self, row: AuditRow) -> None:
        """Queue a refused attempt for the audit log; its time is that of the commit.

        From any thread. Of many in a short time some are only counted; the next that is written
        has their number.
        """
        left_out = self._audit_rate.take(time.monotonic())
        if left_out is None:
            return
        if left_out:
            row = replace(row, detail=f"{row.detail or ''} ({left_out} more omitted)")

        def plan(now_ns: int) -> Changes:
            timed = replace(row, at_ns=now_ns)
            return self._recorder.run_control(lambda unit, _: unit.put_audit(timed), now_ns)

        with self._wake:
            if not self._is_closed:
                self._tasks.append(_Task(plan))
                self._wake.notify()

    async def tick(self, now_ns: int | None = None) -> None:
        """Settle or lose all sessions that were silent for too long."""
        await self._enqueue(lambda now: self._recorder.tick(now if now_ns is None else now_ns))

    async def close(self) -> None:
        """Commit all waiting batches, then stop. Idempotent."""
        with self._wake:
            self._is_closed = True
            self._wake.notify()
        await asyncio.to_thread(self._thread.join)

    async def _enqueue(self, plan: Callable[[int], Changes]) -> bool:
        task = _Task(plan)
        with self._wake:
            self._refuse_when_closed()
            self._tasks.append(task)
            self._wake.notify()
        return await asyncio.wrap_future(task.done)

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise StoreUnavailableError("Cannot write: the service is shutting down.")

    # --- the writer thread ------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            try:
                self._work()
            except BaseException as error:  # noqa: BLE001 - it must never end without a word
                self._crash(error)
            else:
                return

    def _crash(self, error: BaseException) -> None:
        """Fail all current and waiting work, and start again from the store."""
        _log.critical("The writer failed; it restarts", exc_info=error)
        failure = StoreUnavailableError(
            f"Cannot write: the writer failed ({error!r}). It restarts by itself and senders "
            "retry; see the service's log."
        )
        self._watch.failed(failure)
        self._recorder.forget()
        with self._wake:
            lost = [*self._in_hand, *self._turns.clear(), *self._tasks]
            self._in_hand = []
            self._tasks.clear()
            self._waiting_bytes = 0
        for item in lost:
            _fail(item.done, failure)
        with self._wake:  # it must not spin
            self._wake.wait_for(lambda: self._is_closed, self._probe_s)

    def _work(self) -> None:
        while True:
            with self._wake:
                due_s = min(periodic.due_s for periodic in self._periodic_tasks)
                self._wake.wait_for(
                    lambda: self._is_wanted or self._is_closed, max(0.0, due_s - time.monotonic())
                )
                if self._is_closed and not self._is_wanted:
                    return
                is_batch = bool(self._turns)
            if is_batch:
                self._intake.wait()
            with self._wake:
                # In turns: neither delays the other for more than one commit.
                parts = self._turns.take()
                task = self._tasks.popleft() if self._tasks else None
                self._in_hand = [*(part.batch for part in parts), *([task] if task else [])]
            if task is not None:
                self._run_task(task)
            if parts:
                self._intake.in_turn(partial(self._write, parts))
            self._in_hand = []
            for periodic in self._periodic_tasks:
                if time.monotonic() >= periodic.due_s:
                    pause_s = periodic.do()
                    periodic.due_s = time.monotonic() + pause_s

    @property
    def _is_wanted(self) -> bool:
        return bool(self._turns or self._tasks)

    def _let_time_pass(self, tick_s: float) -> float:
        self._run_task(_Task(lambda now_ns: self._recorder.tick(now_ns, self._turns.most_sessions)))
        return tick_s

    def _probe(self) -> float:
        """Find out whether the store can be written again, and as much as was refused."""
        if self._watch.health.is_ok:
            return self._probe_s
        try:
            self._store.probe(max(_ROOM_BYTES, 2 * self._refused_bytes))
            self._feed.start_again()
        except StoreUnavailableError as error:
            self._watch.failed(error)
        else:
            self._refused_bytes = 0
            self._watch.recovered()
        return self._probe_s

    def _tidy(self) -> float:
        if not self._watch.health.is_ok:
            return self._probe_s
        try:
            return self._housekeeping.step(self._clock())
        except StoreUnavailableError as error:
            self._watch.failed(error)
        except Exception:  # noqa: BLE001 - senders need not suffer for it
            _log.exception("Housekeeping failed")
        return LOOK_S

    def _erase(self) -> float:
        """Erase the content of closed requests from the journal, now and then."""
        began_s = time.monotonic()
        try:
            is_done = not self._watch.health.is_ok or self._store.erase()
        except StoreUnavailableError as error:
            self._watch.failed(error)
            return LOOK_S
        took_s = time.monotonic() - began_s
        return max(_ERASE_S if is_done else _ERASE_AGAIN_S, _ERASE_BREAK * took_s)

    def _delete(self, session_ids: Sequence[str]) -> bool:
        return self._try(lambda: self._recorder.delete(session_ids, self._clock()))[0]

    def _evict(self, changes: Mapping[str, int]) -> bool:
        self._store.evict(changes)
        self._recorder.evicted(changes)
        self._feed.evicted(max(changes.values()))
        return True

    def _read_outcomes(self, session_ids: Sequence[str]) -> bool:
        return self._try(lambda: self._recorder.read_outcomes(session_ids, self._clock()))[0]

    def _write(self, parts: Sequence[Part]) -> None:
        began_s = time.monotonic()
        error = self._attempt(parts)
        if error is not None and not isinstance(error, StoreError) and len(parts) > 1:
            # One of them breaks our code: the others need not suffer for it.
            for part in parts:
                self._answer([part.batch], self._attempt([part]))
        else:
            self._answer([part.batch for part in parts], error)
        self._turns.learn(parts, time.monotonic() - began_s)

    def _attempt(self, parts: Sequence[Part]) -> Exception | None:
        spans = [span for part in parts for span in part.spans]
        logs = [log for part in parts for log in part.logs]
        return self._try(lambda: self._recorder.record(spans, logs, self._clock()))[1]

    def _answer(self, batches: Sequence[Submission], error: Exception | None) -> None:
        """Answer batches that are stored whole, or failed; the others wait for their next turn."""
        ended = [batch for batch in batches if error is not None or batch.is_done]
        size_bytes = sum(batch.size_bytes for batch in ended)
        if isinstance(error, StoreError):
            self._refused_bytes = max(self._refused_bytes, size_bytes)
        with self._wake:
            self._waiting_bytes -= size_bytes
            for batch in batches:
                if batch not in ended:
                    self._turns.add(batch)
        for batch in ended:
            if error is None:
                _resolve(batch.done, None)
            else:
                _fail(batch.done, error)

    def _run_task(self, task: _Task) -> None:
        did_something, error = self._try(lambda: task.plan(self._clock()))
        if error is None:
            _resolve(task.done, did_something)
        else:
            _fail(task.done, error)

    def _try(self, plan: Callable[[], Changes]) -> tuple[bool, Exception | None]:
        """Commit and publish the result of `plan`; return whether there was any, or the error."""
        try:
            changes = plan()
            if changes.is_empty:
                return False, None
            self._store.commit(changes)
        except StoreUnavailableError as error:
            self._recorder.forget()
            self._watch.failed(error)
            return False, error
        except Exception as error:  # noqa: BLE001 - the caller gets it; the writer goes on
            self._recorder.forget()
            _log.exception("Cannot store a batch")
            return False, InspectorError(f"Cannot store the data: {error!r}.")
        self._recorder.committed()
        if changes.departures:
            self._tidying.due_s = 0.0
            if self._departed is not None:
                self._departed([one.session_id for one in changes.departures])
        self._publish(changes)
        return True, None

    def _publish(self, changes: Changes) -> None:
        """Publish a commit; an error here does not undo it."""
        if self._dispatch is not None:
            self._dispatch.published(changes)
        try:
            self._feed.publish(changes)
        except Exception:  # noqa: BLE001 - the sender's data is safe, and viewers catch up
            _log.exception("Cannot publish a commit; viewers read it from the store")
            self._feed.start_again()


def _resolve(future: Future[_T], value: _T) -> None:
    # The caller may have gone meanwhile.
    if future.set_running_or_notify_cancel():
        future.set_result(value)


def _fail(future: Future[Any], error: BaseException) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(error)
