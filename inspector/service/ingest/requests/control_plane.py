"""Add requests, answers and commands to a unit of work.

Belongs to the one writer, as the recorder does: a request decides whether its session waits. It
remembers the connected agents and the open requests; `load` reads them from the store again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from inspector.service.ingest.liveness import mark_alive
from inspector.service.ingest.requests import transitions
from inspector.service.ingest.requests.answering import (
    ProposedAnswer,
    Refusal,
    json_mistake,
    refusal_of,
)
from inspector.service.ingest.requests.audit import record_audit
from inspector.service.ingest.requests.audit_rate_limit import AuditRateLimit
from inspector.service.ingest.requests.commands import (
    MAX_COMMANDS,
    answer_command,
    targets,
)
from inspector.service.ingest.requests.open_requests import OpenRequests
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import CommandEnd
from inspector.service.model.rows import (
    Actor,
    AnswerRow,
    CommandRow,
    ProcessRow,
    RequestRow,
    RequestStatus,
)
from inspector.service.normalise.session_ids import session_id as to_session_id
from inspector.service.sessions.processes import EXIT_GRACE_NS, LOST_AFTER_NS, Processes
from inspector.service.sessions.state import NO_KEY_RANK, REQUEST_WAIT, SECOND_NS, SessionState
from inspector.service.storage.base import Reader

MAX_PROCESSES = 10_000
NO_ROOM_BURST, NO_ROOM_PER_SECOND = 50, 0.2
"""Notes of requests without room: their agents open them again with each heartbeat."""
_NO_LONGER = "Its process was lost"
_ENDED = "Its process ended"
_NO_SESSION = frozenset({"", "unknown"})


@dataclass(frozen=True, slots=True)
class WinningAnswer:
    """The accepted answer of a request, and the command that delivers it to the agent."""

    row: RequestRow
    seq: int


@dataclass(frozen=True, slots=True)
class CommandsSent:
    """The commands that were sent; none when nothing of the session runs."""

    session_id: str
    seqs: tuple[int, ...]


class ControlPlane:
    """Applies the actions of people and agents to a unit of work.

    Args:
        processes: The processes that are alive.
    """

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._agents: dict[str, ProcessRow] = {}
        self._open_requests = OpenRequests()
        self._no_room_rate = AuditRateLimit(NO_ROOM_BURST, NO_ROOM_PER_SECOND)

    def load(self, reader: Reader, now_ns: int) -> None:
        """Load open requests from the store; each process gets its full time from now on."""
        self._agents = {process.id: process for process in reader.processes()}
        self._open_requests = OpenRequests(reader.waiting_requests())
        for process_id in (*self._agents, *(one.process_id for one in self._open_requests)):
            self._processes.mark_alive(process_id, now_ns)

    def has_agent(self, process_id: str) -> bool:
        """Return whether a process follows its commands, and so reports its own end."""
        return process_id in self._agents

    @property
    def open_requests(self) -> OpenRequests:
        """The requests that are not over."""
        return self._open_requests

    # --- agents -----------------------------------------------------------------------------

    def hello(self, unit: UnitOfWork, process: ProcessRow) -> Refusal | None:
        """Register a process that follows its commands from now on."""
        if process.id not in self._agents and len(self._agents) >= MAX_PROCESSES:
            return Refusal("too_many_processes", f"{MAX_PROCESSES} processes are connected.")
        mark_alive(unit, self._processes, process.id, LOST_AFTER_NS)
        if self._agents.get(process.id) != process:
            self._agents[process.id] = process
            unit.processes[process.id] = process
        return None

    def mark_alive(self, unit: UnitOfWork, process_id: str) -> ProcessRow | None:
        """Record a sign of life; None: the process has to register (again)."""
        process = self._agents.get(process_id)
        if process is None or not self._processes.is_alive(process_id):
            return None
        mark_alive(unit, self._processes, process_id)
        return process

    def goodbye(self, unit: UnitOfWork, process: ProcessRow) -> None:
        """Unregister a process, and end its open requests."""
        self._release(unit, process.id, _agent(process), _ENDED)
        # Its last spans may be under way.
        mark_alive(unit, self._processes, process.id, EXIT_GRACE_NS)

    def lose(self, unit: UnitOfWork, process_id: str) -> None:
        """Mark the open requests of a silent process as lost."""
        self._release(unit, process_id, transitions.SERVICE, _NO_LONGER)

    def _release(self, unit: UnitOfWork, process_id: str, actor: Actor, reason: str) -> None:
        if self._agents.pop(process_id, None) is not None:
            unit.gone_processes[process_id] = None
            for command in unit.commands_of(process_id, MAX_COMMANDS):
                self._end(unit, command, applied=False, reason=reason)
        for one in self._open_requests.of_process(process_id):
            row = unit.request(one.request_id)
            if row is None:
                self._open_requests.forget(one.request_id)
            elif changed := transitions.lost(row, unit.now_ns, actor, reason):
                self._put_request(unit, changed, is_update=False)
                record_audit(
                    unit, actor, "request_lost", "accepted", request=changed, detail=reason
                )

    # --- requests ---------------------------------------------------------------------------

    def open(self, unit: UnitOfWork, process: ProcessRow, fresh: RequestRow) -> Refusal | None:
        """Open or reopen a request. `fresh.session_id` is the agent's name for the session."""
        actor, row = _agent(process), unit.request(fresh.id)
        if row is not None and row.process_id != process.id:
            refused = Refusal("request_id_taken", "Another process opened a request with this id.")
            record_audit(unit, actor, "request_opened", refused, request=row)
            return refused
        changed = None if row is None else transitions.reopened(row, fresh, unit.now_ns, actor)
        if row is not None and changed is None:
            return None
        if refusal := self._open_requests.has_no_room(fresh):
            self._note_no_room(unit, process, fresh, refusal)
            return refusal
        if changed is None:
            assigned = replace(fresh, session_id=_session_of(unit, fresh))
            changed = transitions.opened(assigned, unit.now_ns, actor)
        self._put_request(unit, changed)
        record_audit(unit, actor, "request_opened", "accepted", request=changed)
        return None

    def _note_no_room(
        self, unit: UnitOfWork, process: ProcessRow, fresh: RequestRow, refusal: Refusal
    ) -> None:
        left_out = self._no_room_rate.take(unit.now_ns / SECOND_NS)
        if left_out is not None:
            detail = f"{fresh.id} ({left_out} more omitted)" if left_out else fresh.id
            actor = _agent(process)
            record_audit(
                unit, actor, "request_opened", refusal, process_id=process.id, detail=detail
            )

    def close(
        self,
        unit: UnitOfWork,
        process: ProcessRow,
        request_id: str,
        status: RequestStatus,
        decision: str | None,
        reason: str | None,
    ) -> None:
        """End a request as its agent reports."""
        row, actor = unit.request(request_id), _agent(process)
        if row is None or row.process_id != process.id:
            return
        counts = f"Effective decision: `{decision}`" if decision else None
        changed = transitions.closed(row, status, reason or counts, unit.now_ns, actor)
        if changed is None:
            return
        self._put_request(unit, changed)
        self._end_answer(unit, row, changed)
        record_audit(
            unit,
            actor,
            f"request_{'closed' if status is RequestStatus.ANSWERED else status.value}",
            "accepted",
            request=changed,
            decision=decision,
            detail=reason,
        )

    def _end_answer(self, unit: UnitOfWork, before: RequestRow, after: RequestRow) -> None:
        """Stop sending the answer to a request that the agent has ended."""
        if before.answer is None or after.answer is None:
            return
        command = unit.command(before.answer.command_seq)
        if command is not None:
            reason = after.answer.applied_reason
            self._end(unit, command, applied=bool(after.answer.applied), reason=reason)

    def answer(
        self, unit: UnitOfWork, request_id: str, proposed: ProposedAnswer, actor: Actor
    ) -> WinningAnswer | Refusal:
        """Accept a person's answer, if it is the first and fits."""
        row = unit.request(request_id)
        refusal = refusal_of(row, proposed, unit.now_ns)
        if refusal is None and row is not None:
            refusal = _too_many_commands(unit, row.process_id)
        if refusal is not None or row is None:
            refusal = refusal or Refusal("no_such_request", "Request not found.")
            known = {"request": row} if row else {"request_id": request_id}
            record_audit(unit, actor, "answer", refusal, answer=proposed, **known)
            return refusal
        seq = unit.next_number()
        answer = AnswerRow(
            decision=proposed.decision,
            actor=actor.actor,
            origin=actor.origin,
            at_ns=unit.now_ns,
            reason=proposed.reason,
            is_edited=proposed.is_edit_of(row),
            command_seq=seq,
        )
        changed = transitions.answered(row, answer)
        self._put_request(unit, changed)
        traces = (row.trace_id,) if row.trace_id else ()
        unit.put_command(answer_command(seq, changed, proposed, traces, unit.now_ns, actor))
        record_audit(
            unit,
            actor,
            "answer",
            "accepted",
            request=changed,
            answer=proposed,
            detail=proposed.reason,
        )
        return WinningAnswer(changed, seq)

    def expire(self, unit: UnitOfWork) -> None:
        """Expire the requests that are overdue."""
        for request_id in self._open_requests.due(unit.now_ns):
            row = unit.request(request_id)
            changed = row and transitions.expired(row, unit.now_ns)
            if row is None or changed is None:
                self._open_requests.forget(request_id)
                continue
            self._put_request(unit, changed, is_update=False)
            self._end_answer(unit, row, changed)
            record_audit(unit, transitions.SERVICE, "request_expired", "accepted", request=changed)

    def _put_request(self, unit: UnitOfWork, row: RequestRow, *, is_update: bool = True) -> None:
        """Store a request; its session waits for it, or no longer."""
        unit.put_request(row)
        self._open_requests.keep(row)
        session = unit.session(row.session_id)
        if session is None:
            return
        if is_update:
            unit.updated[session.id] = None
        if row.status is RequestStatus.PENDING:
            session.open_waits[REQUEST_WAIT + row.id] = row.created_ns
        else:
            session.open_waits.pop(REQUEST_WAIT + row.id, None)
            if row.span_id is None:  # otherwise its span reports when it waited
                waited = (row.created_ns, row.closed_ns or unit.now_ns)
                session.wait(REQUEST_WAIT + row.id, [waited])

    # --- verbs ------------------------------------------------------------------------------

    def signal(
        self,
        unit: UnitOfWork,
        session_id: str,
        signal_name: str,
        payload_json: str | None,
        actor: Actor,
        reason: str | None,
    ) -> CommandsSent | Refusal:
        """Send a signal that no question waits for."""
        mistake = None if payload_json is None else json_mistake(payload_json)
        if mistake is not None:
            refusal = Refusal("bad_json", f"`payload_json` is not valid JSON: {mistake}.")
            record_audit(unit, actor, "signal", refusal, session_id=session_id)
            return refusal
        return self.send(
            unit,
            session_id,
            "signal",
            actor,
            reason=reason,
            signal_name=signal_name,
            payload_json=payload_json,
        )

    def send(
        self,
        unit: UnitOfWork,
        session_id: str,
        type_: str,
        actor: Actor,
        *,
        reason: str | None = None,
        signal_name: str | None = None,
        payload_json: str | None = None,
    ) -> CommandsSent | Refusal:
        """Send a verb or a signal to every process that runs a part of a session."""
        record = unit.reader.session(session_id)
        refusal: Refusal | None = None
        found: dict[str, tuple[str, ...]] = {}
        if record is None:
            refusal = Refusal("session_not_found", f"Session not found: {session_id!r}.")
        else:
            found = dict(
                targets(
                    SessionState.load(record.state),
                    filter(self._processes.is_alive, self._agents),
                    unit.reader.open_spans,
                    self._open_requests,
                )
            )
            too_much = (_too_many_commands(unit, process_id) for process_id in found)
            refusal = next(filter(None, too_much), None)
        if refusal is not None:
            record_audit(unit, actor, type_, refusal, session_id=session_id)
            return refusal
        seqs: list[int] = []
        for process_id, trace_ids in found.items():
            seqs.append(unit.next_number())
            unit.put_command(
                CommandRow(
                    seq=seqs[-1],
                    process_id=process_id,
                    type=type_,
                    session_id=session_id,
                    trace_ids=trace_ids,
                    actor=actor.actor,
                    origin=actor.origin,
                    issued_ns=unit.now_ns,
                    reason=reason,
                    signal_name=signal_name,
                    payload_json=payload_json,
                )
            )
            record_audit(
                unit,
                actor,
                type_,
                "accepted",
                session_id=session_id,
                process_id=process_id,
                detail=signal_name or reason,
            )
        if not found:
            nobody = Refusal("nothing_runs", "No running process of this session is connected.")
            record_audit(unit, actor, type_, nobody, session_id=session_id, result="not_applied")
        return CommandsSent(session_id, tuple(seqs))

    def question_of(self, unit: UnitOfWork, session_id: str, signal_name: str) -> RequestRow | None:
        """Return the oldest pending question of a session that waits for a signal."""
        for one in self._open_requests:
            if one.session_id != session_id or one.status is not RequestStatus.PENDING:
                continue
            row = unit.request(one.request_id)
            if row and row.kind == "question" and row.signal_name == signal_name:
                return row
        return None

    # --- acknowledgements -------------------------------------------------------------------

    def acknowledge(
        self, unit: UnitOfWork, process: ProcessRow, seq: int, *, applied: bool, reason: str | None
    ) -> None:
        """Record that a process carried out a command, or could not."""
        command = unit.command(seq)
        if command is None or command.process_id != process.id:
            return
        self._end(unit, command, applied=applied, reason=reason)
        if command.request_id is not None:
            row = unit.request(command.request_id)
            changed = row and transitions.acknowledged(
                row,
                seq,
                applied=applied,
                reason=reason,
                now_ns=unit.now_ns,
                actor=_agent(process),
            )
            if changed is not None:
                self._put_request(unit, changed)
        elif applied:
            self._apply_hold(unit, process.id, command)

    def _apply_hold(self, unit: UnitOfWork, process_id: str, command: CommandRow) -> None:
        session = unit.session(command.session_id)
        if session is None:
            return
        unit.updated[session.id] = None
        if command.type in ("pause", "step"):  # after one step it holds
            session.pauses.setdefault(process_id, unit.now_ns)
        elif command.type in ("resume", "cancel"):
            session.pauses.pop(process_id, None)

    def _end(
        self, unit: UnitOfWork, command: CommandRow, *, applied: bool, reason: str | None
    ) -> None:
        unit.end_command(CommandEnd(command.seq, applied, reason))
        row = unit.request(command.request_id) if command.request_id else None
        record_audit(
            unit,
            Actor(command.actor, command.origin),
            command.type,
            "applied" if applied else "not_applied",
            request=row,
            session_id=command.session_id,
            process_id=command.process_id,
            request_id=command.request_id,
            decision=command.decision,
            detail=reason,
        )


def _too_many_commands(unit: UnitOfWork, process_id: str) -> Refusal | None:
    if unit.reader.command_count(process_id) < MAX_COMMANDS:
        return None
    return Refusal(
        "too_many_commands",
        f"{MAX_COMMANDS} commands are queued for this process. Try again later.",
    )


def _agent(process: ProcessRow) -> Actor:
    return Actor(process.name or "agent", "agent")


def _session_of(unit: UnitOfWork, fresh: RequestRow) -> str:
    """Return the session id of a new request; the session is created if there is none.

    A trace without spans gets the session that the agent named, until a span names a better one:
    then the whole trace moves, and its requests with it.
    """
    named = None if fresh.session_id in _NO_SESSION else to_session_id(fresh.session_id)
    if fresh.trace_id is not None:
        trace = unit.trace(fresh.trace_id)
        if trace.session_id is None:
            trace.rank = NO_KEY_RANK
            id_ = _present(unit, named or fresh.trace_id)
            unit.move_trace(trace, unit.session_or_new(id_, fresh.created_ns))
        return trace.session_id or fresh.trace_id
    id_ = _present(unit, named or to_session_id(fresh.process_id))
    session = unit.session_or_new(id_, fresh.created_ns)
    session.is_declared = True
    return session.id


def _present(unit: UnitOfWork, id_: str) -> str:
    """Return the session that `id_` was merged into, if it was."""
    if unit.session(id_) is not None:
        return id_
    return unit.reader.destination(id_) or id_
