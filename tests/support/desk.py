"""A store with a recorder on it, and a clock that stands still: what the rules need, no thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.ingest.recorder import Recorder
from inspector.service.ingest.requests.answering import Given, Refusal
from inspector.service.ingest.requests.control_plane import Accepted, Told
from inspector.service.ingest.requests.control_plane import Desk as ControlDesk
from inspector.service.ingest.unit_of_work import Draft
from inspector.service.model.records import Changes, SpanRecord
from inspector.service.model.rows import (
    AuditRow,
    CommandRow,
    Doer,
    IncomingLog,
    IncomingSpan,
    RequestRow,
    RequestStatus,
    SessionRow,
)
from inspector.service.query.tree import All
from inspector.service.storage import Store
from inspector.service.storage.memory import MemoryStore
from tests.support.asked import ANN, asked, process
from tests.support.otlp import SECOND_NS, START_NS
from tests.support.schedules import (
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
from tests.support.telemetry import incoming, span_hex, trace_hex

_T = TypeVar("_T")


class Desk:
    """Takes telemetry in and answers what is stored."""

    def __init__(self, store: Store | None = None) -> None:
        self.store = store or MemoryStore()
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

    def act(self, act: Callable[[Draft, ControlDesk], _T]) -> _T:
        """Do something at the desk of control; commit it and return what it returned."""
        returned: list[_T] = []

        def note(draft: Draft, desk: ControlDesk) -> None:
            returned.append(act(draft, desk))

        self.keep(self.recorder.control(note, self.now_ns))
        return returned[0]

    def hello(self, process_id: str = "p1") -> None:
        """Let a process say hello."""
        assert self.act(lambda draft, desk: desk.hello(draft, process(process_id))) is None

    def beat(self, process_id: str = "p1") -> bool:
        """Let a process give a sign of life over its channel; return whether it is known."""
        return self.act(lambda draft, desk: desk.hear(draft, process_id)) is not None

    def open(self, row: RequestRow) -> Refusal | None:
        """Let the agent open a request."""
        return self.act(lambda draft, desk: desk.open(draft, process(row.process_id), row))

    def answer(self, request_id: str, given: Given, doer: Doer = ANN) -> Accepted | Refusal:
        """Answer a request."""
        return self.act(lambda draft, desk: desk.answer(draft, request_id, given, doer))

    def tell(self, session_id: str, verb: str, doer: Doer = ANN) -> Told | Refusal:
        """Send a verb."""
        return self.act(lambda draft, desk: desk.tell(draft, session_id, verb, doer))

    def close(self, request_id: str, status: RequestStatus, process_id: str = "p1") -> None:
        """Let the agent say how a request ended."""
        self.act(
            lambda draft, desk: desk.close(
                draft, process(process_id), request_id, status, None, None
            )
        )

    def acknowledge(self, seq: int, *, applied: bool = True, process_id: str = "p1") -> None:
        """Let a process say what became of a command."""
        self.act(
            lambda draft, desk: desk.acknowledge(
                draft, process(process_id), seq, applied=applied, reason=None
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


def play(desk: Desk, step: Step) -> None:
    """Let happen what a generated history says."""
    match step:
        case Take(items):
            desk.take(*items)
        case Wait(seconds):
            desk.wait(seconds)
        case Delete(session_id):
            desk.delete(session_id)
        case Restart():
            desk.restart()
        case _:
            _play_control(desk, step)


def _play_control(desk: Desk, step: Step) -> None:
    match step:
        case Ask(request_id, process_id, session_id, trace_id, expires_s):
            desk.hello(process_id)
            expires_ns = None if expires_s is None else desk.now_ns + expires_s * SECOND_NS
            row = asked(
                request_id,
                process_id=process_id,
                session_id=session_id,
                trace_id=trace_id,
                created_ns=desk.now_ns,
                expires_ns=expires_ns,
                kind="question" if request_id == "r3" else "approval",
            )
            desk.open(row)
        case Answer(request_id):
            decision = "cancel" if request_id == "r3" else "allow"
            desk.answer(request_id, Given(decision, "h1"))
        case End(request_id, status):
            for process_id in ("p1", "p2"):
                desk.close(request_id, status, process_id)
        case Tell(session_id, verb):
            desk.tell(session_id, verb)
        case Hear(process_id, applied):
            for command in desk.commands(process_id)[:1]:
                desk.acknowledge(command.seq, applied=applied, process_id=process_id)


def sweep_all(store: Store) -> int:
    """Take away all that deleted sessions left; return in how many steps."""
    steps = 0
    while store.sweep():
        steps += 1
    return steps
