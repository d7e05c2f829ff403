"""Turn a batch into one commit: the steps, in their order, and the statuses of sessions.

Not thread-safe: the one writer owns it. It remembers states between commits to save look-ups;
`forget` drops them, and the store is the truth.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.service.ingest.arrivals import read_batch
from inspector.service.ingest.assignment import SessionAssignment
from inspector.service.ingest.liveness import end_run, lose_spans, mark_alive
from inspector.service.ingest.moments import add_moments
from inspector.service.ingest.numbering import number
from inspector.service.ingest.outcomes import latest_of, outcome_of
from inspector.service.ingest.requests.control_plane import ControlPlane
from inspector.service.ingest.sibling_duplicates import mark_pairs
from inspector.service.ingest.spans import add_spans
from inspector.service.ingest.unit_of_work import Memory, PendingChanges, UnitOfWork
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.records import MAX_INT, Changes, SpanRecord
from inspector.service.model.rows import SessionStatus
from inspector.service.sessions.live import ProcessSign
from inspector.service.sessions.processes import EXIT_GRACE_NS, Processes
from inspector.service.sessions.state import SECOND_NS, SETTLED, SessionState, status_of
from inspector.service.storage.base import Store

MAX_DUE = 2_000
"""Sessions that one `tick` settles. A crash may leave any number, and no sender is answered
while they are settled; the rest is for the next."""


class Repriced(NamedTuple):
    """A stored LLM call, and what it costs by the prices of today."""

    call: SpanRecord
    cost_usd: float | None


@dataclass(slots=True)
class _Timer:
    heard_ns: int
    due_ns: int


class Recorder:
    """Turns what arrives, and time that passes, into commits.

    Args:
        store: The store of the commits; read here, written by the caller.
        now_ns: The clock now. Silence is counted from here on, so that after a restart nothing
            lives too long and nothing is lost too early.
    """

    def __init__(self, store: Store, now_ns: int) -> None:
        self._store = store
        self._memory = Memory()
        self._processes = Processes()
        self._timers: dict[str, _Timer] = {}
        self._owned: defaultdict[str, set[str]] = defaultdict(set)
        self._control_plane = ControlPlane(self._processes)
        self._assignment = SessionAssignment()
        self._is_recovered = False
        self._recover(now_ns)

    def record(
        self,
        spans: Sequence[IncomingSpan],
        logs: Sequence[IncomingLog],
        now_ns: int,
        *,
        is_past: bool = False,
    ) -> Changes:
        """Return the commit that stores `spans` and `logs`.

        Args:
            spans: Those that arrived.
            logs: Those that arrived with them.
            now_ns: The clock now.
            is_past: It was recorded elsewhere: nothing of it runs, and no process lives by it.
        """
        self._recover(now_ns)
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns, is_past=is_past)
            arrivals = read_batch(spans, logs)
            for sign in arrivals.signs:
                self._apply_sign(unit, sign)
                end_run(unit, sign)
            duplicates = self._assignment.assign(unit, arrivals)
            add_spans(unit, self._processes, arrivals.traces)
            mark_pairs(unit, duplicates)
            add_moments(unit, self._processes, arrivals.moments)
            return self._finish(unit)

    def tick(self, now_ns: int, most_due: int = MAX_DUE) -> Changes:
        """Return the commit that is due by now; mostly an empty one.

        Args:
            now_ns: The clock now.
            most_due: So many sessions are settled, and processes given up, at most.
        """
        self._recover(now_ns)
        lost = self._processes.take_lost(now_ns, most_due)
        all_due = (id_ for id_, timer in self._timers.items() if timer.due_ns <= now_ns)
        due = list(itertools.islice(all_due, most_due))
        if not lost and not due and not self._control_plane.open_requests.due(now_ns):
            return Changes()
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns)
            for process_id, heard_ns in lost.items():
                lose_spans(unit, process_id, heard_ns)
                for session_id in self._owned.pop(process_id, ()):
                    unit.session(session_id)
                self._control_plane.lose(unit, process_id)
            self._control_plane.expire(unit)
            unit.load_sessions(due)
            for session_id in due:
                if unit.session(session_id) is None:
                    del self._timers[session_id]
            return self._finish(unit)

    def run_control(
        self, act: Callable[[UnitOfWork, ControlPlane], object], now_ns: int
    ) -> Changes:
        """Return the commit of an action on the control plane."""
        self._recover(now_ns)
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns)
            act(unit, self._control_plane)
            return self._finish(unit)

    def delete(self, session_ids: Iterable[str], now_ns: int) -> Changes:
        """Return the commit that deletes the sessions, as far as they are known."""
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns)
            for session_id in session_ids:
                if reader.session(session_id) is not None:
                    unit.delete_session(session_id)
                    self._timers.pop(session_id, None)
                    self._control_plane.open_requests.forget_sessions([session_id])
            return self._finish(unit)

    def reprice(self, repriced: Iterable[Repriced], now_ns: int) -> Changes:
        """Return the commit of new costs, of the LLM calls that are as they were."""
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns)
            for call, cost_usd in repriced:
                known = unit.span(call.trace_id, call.span_id)
                if known is not None and known.content == call.content:
                    priced = known.copy()
                    priced.cost_usd = cost_usd
                    unit.add_span(priced, known)
            return self._finish(unit)

    def read_outcomes(self, session_ids: Iterable[str], now_ns: int) -> Changes:
        """Return the commit of what came of sessions that were stored before that was kept."""
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns)
            wanted = list(session_ids)
            unit.load_sessions(wanted)
            for session_id in wanted:
                unit.session(session_id)
            return self._finish(unit)

    def committed(self) -> None:
        """Release old states; the last commit is durable."""
        self._memory.shrink()

    def evicted(self, session_ids: Iterable[str]) -> None:
        """Forget the cached states of sessions whose content has gone to the history."""
        for session_id in session_ids:
            self._memory.sessions.pop(session_id, None)

    def forget(self) -> None:
        """Forget all cached state: the last commit failed, and only the store is right."""
        self._memory.forget()
        self._assignment.forget_calls()
        self._is_recovered = False

    def _recover(self, now_ns: int) -> None:
        """Load running spans from the store; each gets its full time from now on."""
        if self._is_recovered:
            return
        with self._store.read() as reader:
            for process_id in reader.open_processes():
                self._processes.mark_alive(process_id, now_ns)
            self._control_plane.load(reader, now_ns)
            for record in reader.unsettled():
                state = SessionState.load(record.state)
                if state.is_owned:
                    self._processes.mark_alive(state.owner, now_ns)
                self._status(state, now_ns, now_ns)
        self._is_recovered = True

    def _apply_sign(self, unit: UnitOfWork, sign: ProcessSign) -> None:
        lost_after_ns = EXIT_GRACE_NS if sign.is_exiting else int(sign.lost_after_s * SECOND_NS)
        if sign.is_exiting and self._control_plane.has_agent(sign.process_id):
            return  # it says goodbye on its own channel: anybody may send telemetry
        if self._processes.is_alive(sign.process_id) or not sign.is_exiting:
            mark_alive(unit, self._processes, sign.process_id, lost_after_ns)

    def _finish(self, unit: UnitOfWork) -> Changes:
        """Decide the statuses of the changed sessions, and number the commit."""
        pending = unit.finish()
        statuses: dict[str, SessionStatus] = {}
        for session in (entry.state for entry in pending.sessions):
            timer = self._timers.get(session.id)
            # The past is no news: such a session is settled at once.
            if session.id in unit.updated and not unit.is_past:
                heard_ns = session.heard_ns = unit.now_ns
            else:  # without a timer it was settled before, and stays so
                heard_ns = timer.heard_ns if timer else 0
            statuses[session.id] = self._status(session, unit.now_ns, heard_ns)
        self._read_outcomes(unit, pending, statuses)
        changes = number(pending, statuses)
        self._control_plane.open_requests.follow(changes.requests)
        return changes

    def _read_outcomes(
        self, unit: UnitOfWork, pending: PendingChanges, statuses: Mapping[str, SessionStatus]
    ) -> None:
        """Read what came of the sessions that are over since this commit, or have news in it."""
        traces = defaultdict[str, dict[str, dict[str, SpanRecord]]](dict)
        for trace_id, written in pending.spans.items():
            for span in itertools.islice(written.values(), 1):
                traces[span.session_id][trace_id] = written
        for session, record in ((one.state, one.record) for one in pending.sessions):
            is_new = record is None or not record.settled or session.id in unit.updated
            if statuses[session.id] in SETTLED and (is_new or session.outcome is None):
                outcome = outcome_of(unit, session, traces[session.id])
                if record is not None and record.evicted:  # it has read the latest spans only
                    outcome = latest_of(session.outcome, outcome)
                session.outcome = outcome

    def _status(self, session: SessionState, now_ns: int, heard_ns: int) -> SessionStatus:
        """Return the status of a session, and watch when it may change without news."""
        is_alive = self._processes.is_alive(session.owner)
        pausing = list(filter(self._processes.is_alive, session.pauses))
        status, due_ns = status_of(
            session, now_ns, heard_ns, is_owner_alive=is_alive, is_paused=bool(pausing)
        )
        if session.is_owned and is_alive:
            self._owned[session.owner].add(session.id)
        for process_id in pausing:
            self._owned[process_id].add(session.id)
        if due_ns is not None:
            self._timers[session.id] = _Timer(heard_ns, due_ns)
        elif session.tally.open_count or session.is_owned or session.open_waits or pausing:
            self._timers[session.id] = _Timer(heard_ns, MAX_INT)
        else:
            self._timers.pop(session.id, None)
        return status
