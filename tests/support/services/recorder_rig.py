"""A test rig: a store with a recorder and a fixed clock, without threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.ingest.recorder import Recorder
from inspector.service.ingest.requests.answering import ProposedAnswer, Refusal
from inspector.service.ingest.requests.control_plane import (
    CommandsSent,
    ControlPlane,
    WinningAnswer,
)
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import Changes, SpanRecord
from inspector.service.model.rows import (
    Actor,
    AuditRow,
    CommandRow,
    IncomingLog,
    IncomingSpan,
    RequestRow,
    RequestStatus,
    SessionRow,
)
from inspector.service.query.tree import All
from inspector.service.storage import Store
from tests.support.agents.request_rows import ANN, asked, process
from tests.support.models.schedules import (
    Answer,
    Ask,
    Delete,
    End,
    Hear,
    Restart,
    Step,
    Take,
    Tell,
    Wait,
)
from tests.support.models.store import ModelStore
from tests.support.telemetry.otlp import SECOND_NS, START_NS
from tests.support.telemetry.records import incoming, span_hex, trace_hex

_T = TypeVar("_T")


class Rig:
    """Takes telemetry in and answers what is stored."""

    def __init__(self, store: Store | None = None) -> None:
        self.store = store or ModelStore()
        self.now_ns = START_NS
        self.recorder = Recorder(self.store, self.now_ns)

    def take(self, *items: Span | IncomingSpan | IncomingLog) -> None:
        """Commit `items` at once; a bare span is one that a stock SDK sent."""
        spans = [incoming(item) if isinstance(item, Span) else item for item in items]
        self.take_batch(
            [item for item in spans if isinstance(item, IncomingSpan)],
            [item for item in spans if isinstance(item, IncomingLog)],
        )

    def take_batch(self, spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> None:
        """Commit what one sender sent."""
        self.keep(self.recorder.record(spans, logs, self.now_ns))

    def keep(self, changes: Changes) -> None:
        """Commit `changes`."""
        if not changes.is_empty:
            self.store.commit(changes)

    def wait(self, seconds: float) -> None:
        """Let time pass, second by second, as the service does."""
        end_ns = self.now_ns + int(seconds * SECOND_NS)
        while self.now_ns < end_ns:
            self.now_ns = min(end_ns, self.now_ns + SECOND_NS)
            self.keep(self.recorder.tick(self.now_ns))

    def restart(self) -> None:
        """Begin anew on the same store, as after a crash."""
        self.recorder = Recorder(self.store, self.now_ns)

    def delete(self, session_id: str) -> None:
        """Delete a session."""
        self.keep(self.recorder.delete([session_id], self.now_ns))

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
        """Return what is stored of one span."""
        with self.store.read() as reader:
            return reader.content(self.span(span_id, trace)).span()

    # --- control ----------------------------------------------------------------------------

    def act(self, act: Callable[[UnitOfWork, ControlPlane], _T]) -> _T:
        """Run `act` on the control plane, commit, and return its result."""
        returned: list[_T] = []

        def note(unit: UnitOfWork, rig: ControlPlane) -> None:
            returned.append(act(unit, rig))

        self.keep(self.recorder.run_control(note, self.now_ns))
        return returned[0]

    def hello(self, process_id: str = "p1") -> None:
        """Let a process say hello."""
        assert self.act(lambda unit, control: control.hello(unit, process(process_id))) is None

    def beat(self, process_id: str = "p1") -> bool:
        """Let a process give a sign of life over its channel; return whether it is known."""
        return self.act(lambda unit, control: control.mark_alive(unit, process_id)) is not None

    def open(self, row: RequestRow) -> Refusal | None:
        """Let the agent open a request."""
        return self.act(lambda unit, control: control.open(unit, process(row.process_id), row))

    def answer(
        self, request_id: str, given: ProposedAnswer, doer: Actor = ANN
    ) -> WinningAnswer | Refusal:
        """Answer a request."""
        return self.act(lambda unit, control: control.answer(unit, request_id, given, doer))

    def tell(self, session_id: str, verb: str, doer: Actor = ANN) -> CommandsSent | Refusal:
        """Send a verb."""
        return self.act(lambda unit, control: control.tell(unit, session_id, verb, doer))

    def close(self, request_id: str, status: RequestStatus, process_id: str = "p1") -> None:
        """Let the agent say how a request ended."""
        self.act(
            lambda unit, control: control.close(
                unit, process(process_id), request_id, status, None, None
            )
        )

    def acknowledge(self, seq: int, *, applied: bool = True, process_id: str = "p1") -> None:
        """Let a process say what became of a command."""
        self.act(
            lambda unit, control: control.acknowledge(
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
        """Return what a process has yet to be told."""
        with self.store.read() as reader:
            return reader.commands(process_id, 0, 1_000_000)

    def audit(self) -> list[AuditRow]:
        """Return the audit log, oldest first."""
        with self.store.read() as reader:
            return reader.audit_after(0, 1_000_000)


def play(rig: Rig, step: Step) -> None:
    """Let happen what a generated history says."""
    match step:
        case Take(items):
            rig.take(*items)
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
            row = asked(
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
        case Tell(session_id, verb):
            rig.tell(session_id, verb)
        case Hear(process_id, applied):
            for command in rig.commands(process_id)[:1]:
                rig.acknowledge(command.seq, applied=applied, process_id=process_id)


def sweep_all(store: Store) -> int:
    """Take away all that deleted sessions left; return in how many steps."""
    steps = 0
    while store.sweep():
        steps += 1
    return steps
