"""A test rig: a store with a recorder and a fixed clock, without threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.feed.feed import Feed
from inspector.service.feed.viewing import FeedTiming
from inspector.service.ingest.recorder import Recorder
from inspector.service.ingest.requests.answering import ProposedAnswer, Refusal
from inspector.service.ingest.requests.control_plane import (
    CommandsSent,
    ControlPlane,
    WinningAnswer,
)
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.records import Changes, SpanRecord
from inspector.service.model.rows import (
    Actor,
    AuditRow,
    CommandRow,
    RequestRow,
    RequestStatus,
    SessionRow,
)
from inspector.service.query.tree import All
from inspector.service.storage import Store
from tests.support.agents.request_rows import ANN, process, request_row
from tests.support.models.schedules import (
    Acknowledge,
    Answer,
    Ask,
    Delete,
    End,
    Record,
    Restart,
    SendVerb,
    Step,
    Wait,
)
from tests.support.models.store import ModelStore
from tests.support.telemetry.otlp import SECOND_NS, START_NS
from tests.support.telemetry.records import incoming, span_hex, trace_hex

_T = TypeVar("_T")

AT_ONCE = FeedTiming(interval_s=0.0, keep_alive_s=0.01)
"""Keep-alives soon: they tell the position when the last changes concern no viewer."""


class Rig:
    """Records telemetry and control messages, and reads what is stored."""

    def __init__(self, store: Store | None = None) -> None:
        self.store = store or ModelStore()
        self.now_ns = START_NS
        self.recorder = Recorder(self.store, self.now_ns)

    def record(self, *items: Span | IncomingSpan | IncomingLog) -> None:
        """Commit `items` at once; a bare span is one that a stock SDK sent."""
        spans = [incoming(item) if isinstance(item, Span) else item for item in items]
        self.record_batch(
            [item for item in spans if isinstance(item, IncomingSpan)],
            [item for item in spans if isinstance(item, IncomingLog)],
        )

    def record_batch(self, spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> None:
        """Commit one batch of a sender."""
        self.commit(self.recorder.record(spans, logs, self.now_ns))

    def commit(self, changes: Changes) -> None:
        """Commit `changes`."""
        if not changes.is_empty:
            self.store.commit(changes)

    def wait(self, seconds: float) -> None:
        """Let time pass, second by second, as the service does."""
        end_ns = self.now_ns + int(seconds * SECOND_NS)
        while self.now_ns < end_ns:
            self.now_ns = min(end_ns, self.now_ns + SECOND_NS)
            self.commit(self.recorder.tick(self.now_ns))

    def restart(self) -> None:
        """Start again on the same store, as after a crash."""
        self.recorder = Recorder(self.store, self.now_ns)

    def delete(self, session_id: str) -> None:
        """Delete a session."""
        self.commit(self.recorder.delete([session_id], self.now_ns))

    def evict(self) -> list[str]:
        """Evict all settled sessions with content here, to the end; return their ids."""
        with self.store.read() as reader:
            ids = [one.row.id for one in reader.oldest_here(10_000)]
            changes = {one: reader.last_change(one) for one in ids}
        self.store.evict(changes)
        self.recorder.evicted(ids)
        sweep_all(self.store)
        return ids

    def sessions(self) -> dict[str, SessionRow]:
        """Return every session."""
        with self.store.read() as reader:
            found = reader.newest_sessions(All(), None, 10_000).rows
        return {record.row.id: record.row for record in found}

    def session(self, session_id: str | None = None) -> SessionRow:
        """Return one session; the only one, without an id."""
        found = self.sessions()
        if session_id is None:
            (row,) = found.values()
            return row
        return found[session_id]

    def span(self, span_id: int = 1, trace: int = 1) -> SpanRecord:
        """Return one span."""
        with self.store.read() as reader:
            (found,) = reader.spans(trace_hex(trace), [span_hex(span_id)])
        return found

    def content(self, span_id: int = 1, trace: int = 1) -> Span:
        """Return one span with its stored content."""
        with self.store.read() as reader:
            return reader.content(self.span(span_id, trace)).span()

    # --- control ----------------------------------------------------------------------------

    def run_control(self, act: Callable[[UnitOfWork, ControlPlane], _T]) -> _T:
        """Run `act` on the control plane, commit, and return its result."""
        returned: list[_T] = []

        def store_result(unit: UnitOfWork, plane: ControlPlane) -> None:
            returned.append(act(unit, plane))

        self.commit(self.recorder.run_control(store_result, self.now_ns))
        return returned[0]

    def hello(self, process_id: str = "p1") -> None:
        """Register a process."""
        assert self.run_control(lambda unit, plane: plane.hello(unit, process(process_id))) is None

    def mark_alive(self, process_id: str = "p1") -> bool:
        """Send the heartbeat of a process; return whether the process is known."""
        return self.run_control(lambda unit, plane: plane.mark_alive(unit, process_id)) is not None

    def open(self, row: RequestRow) -> Refusal | None:
        """Let the agent open a request."""
        return self.run_control(lambda unit, plane: plane.open(unit, process(row.process_id), row))

    def answer(
        self, request_id: str, proposed: ProposedAnswer, doer: Actor = ANN
    ) -> WinningAnswer | Refusal:
        """Answer a request."""
        return self.run_control(lambda unit, plane: plane.answer(unit, request_id, proposed, doer))

    def send_verb(self, session_id: str, verb: str, doer: Actor = ANN) -> CommandsSent | Refusal:
        """Send a verb."""
        return self.run_control(lambda unit, plane: plane.send(unit, session_id, verb, doer))

    def close(self, request_id: str, status: RequestStatus, process_id: str = "p1") -> None:
        """Let the agent close a request."""
        self.run_control(
            lambda unit, plane: plane.close(
                unit, process(process_id), request_id, status, None, None
            )
        )

    def acknowledge(self, seq: int, *, applied: bool = True, process_id: str = "p1") -> None:
        """Let a process acknowledge a command."""
        self.run_control(
            lambda unit, plane: plane.acknowledge(
                unit, process(process_id), seq, applied=applied, reason=None
            )
        )

    def request(self, request_id: str = "r1") -> RequestRow:
        """Return one request."""
        with self.store.read() as reader:
            record = reader.request(request_id)
        assert record is not None
        return record.row

    def commands(self, process_id: str = "p1") -> list[CommandRow]:
        """Return the commands that a process has not acknowledged."""
        with self.store.read() as reader:
            return reader.commands(process_id, 0, 1_000_000)

    def audit(self) -> list[AuditRow]:
        """Return the audit log, oldest first."""
        with self.store.read() as reader:
            return reader.audit_after(0, 1_000_000)


class FedRig(Rig):
    """A rig whose commits are published, as the service does."""

    def __init__(self, store: Store, timing: FeedTiming = AT_ONCE) -> None:
        self._timing = timing
        self.feed = Feed(store, timing=timing, clock=lambda: START_NS)
        super().__init__(store)

    def commit(self, changes: Changes) -> None:
        super().commit(changes)
        if not changes.is_empty:
            self.feed.publish(changes)

    def restart(self) -> None:
        super().restart()
        self.feed = Feed(self.store, timing=self._timing, clock=lambda: START_NS)

    @property
    def position(self) -> str:
        with self.store.read() as reader:
            return self.feed.position(reader.head)


def play(rig: Rig, step: Step) -> None:
    """Apply one step of a generated schedule."""
    match step:
        case Record(items):
            rig.record(*items)
        case Wait(seconds):
            rig.wait(seconds)
        case Delete(session_id):
            rig.delete(session_id)
        case Restart():
            rig.restart()
        case _:
            _play_control(rig, step)


def _play_control(rig: Rig, step: Step) -> None:
    match step:
        case Ask(request_id, process_id, session_id, trace_id, expires_s):
            rig.hello(process_id)
            expires_ns = None if expires_s is None else rig.now_ns + expires_s * SECOND_NS
            row = request_row(
                request_id,
                process_id=process_id,
                session_id=session_id,
                trace_id=trace_id,
                created_ns=rig.now_ns,
                expires_ns=expires_ns,
                kind="question" if request_id == "r3" else "approval",
            )
            rig.open(row)
        case Answer(request_id):
            decision = "cancel" if request_id == "r3" else "allow"
            rig.answer(request_id, ProposedAnswer(decision, "h1"))
        case End(request_id, status):
            for process_id in ("p1", "p2"):
                rig.close(request_id, status, process_id)
        case SendVerb(session_id, verb):
            rig.send_verb(session_id, verb)
        case Acknowledge(process_id, applied):
            for command in rig.commands(process_id)[:1]:
                rig.acknowledge(command.seq, applied=applied, process_id=process_id)


def sweep_all(store: Store) -> int:
    """Sweep what deleted sessions left behind; return the number of steps."""
    steps = 0
    while store.sweep():
        steps += 1
    return steps
