"""The unit of work of one commit: the rows that it reads and changes."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.service.model.records import (
    Changes,
    CommandEnd,
    Content,
    MomentRecord,
    RequestRecord,
    SessionRecord,
    SpanRecord,
    Tombstone,
    TraceRecord,
)
from inspector.service.model.rows import AuditRow, CommandRow, ProcessRow, RequestRow
from inspector.service.sessions.run_time import RunTime
from inspector.service.sessions.state import (
    REQUEST_WAIT,
    Profile,
    SessionState,
    Tally,
    TraceState,
)
from inspector.service.storage.base import Reader, time_of

_REMEMBERED = 5_000
"""Limit of cached sessions, and of cached traces; one of each takes about 10 kB."""
_MAX_AUDIT_TEXT, _MAX_AUDIT_DETAIL = 256, 4_000
"""Limits in characters of the texts of an audit entry: callers may send ids of any length."""


@dataclass(slots=True)
class CachedSession:
    """The state of a session, and its last committed record."""

    state: SessionState
    record: SessionRecord | None


@dataclass(slots=True)
class Memory:
    """States cached between commits, and dropped when one fails: the store is the truth."""

    sessions: dict[str, CachedSession] = field(default_factory=dict)
    traces: dict[str, TraceState] = field(default_factory=dict)

    def forget(self) -> None:
        """Drop all states."""
        self.sessions.clear()
        self.traces.clear()

    def shrink(self) -> None:
        """Drop the least recently used states. Between commits only."""
        for cached in (self.sessions, self.traces):
            # Not one by one: each look for the first steps over all that was deleted before it.
            for key in list(itertools.islice(cached, max(0, len(cached) - _REMEMBERED))):
                del cached[key]


@dataclass(slots=True)
class PendingChanges:
    """The changes of one commit, before session statuses and change numbers are set."""

    now_ns: int
    head: int
    """The newest change in the store."""
    last_number: int
    """The last change number in use; commands and audit entries have been numbered already."""
    sessions: list[CachedSession]
    spans: dict[str, dict[str, SpanRecord]]
    """The written versions of spans: trace → span → version."""
    contents: dict[str, dict[str, Content]]
    """Their new contents, likewise."""
    changes: Changes
    """All other changes; `created` is 0 in a new row."""


class UnitOfWork:
    """The rows that one commit reads and changes; the rules of ingest work on it."""

    def __init__(
        self, reader: Reader, memory: Memory, now_ns: int, *, is_past: bool = False
    ) -> None:
        self.reader = reader
        self.now_ns = now_ns
        self.is_past = is_past
        self._memory = memory
        self._touched_sessions: dict[str, None] = {}
        # Of touched traces: their part of the session's tally; None: it had no span of theirs.
        self._tally_before: dict[str, Tally | None] = {}
        self.new_traces: set[str] = set()
        # By trace, then span: as they are in the store, and as this commit leaves them.
        self._stored = defaultdict[str, dict[str, SpanRecord | None]](dict)
        self._written = defaultdict[str, dict[str, SpanRecord]](dict)
        self._contents = defaultdict[str, dict[str, Content]](dict)
        self._ancestors: list[tuple[str, str]] = []
        self.moments: list[MomentRecord] = []
        self._moment_keys: set[tuple[object, ...]] = set()
        self._departures: list[Tombstone] = []
        self._gone: set[str] = set()
        self._unknown: set[str] = set()  # sessions that the store has not
        # Which session lost a trace, to which, and which trace.
        self._left: list[tuple[str, str, str]] = []
        self._last_number = reader.head
        self._requests: dict[str, RequestRecord | None] = {}  # as they are in the store
        self._dirty_requests: dict[str, RequestRow] = {}
        self._retitled: set[str] = set()  # requests of sessions with a new title
        self._commands: list[CommandRow] = []
        self._ended_commands: dict[int, CommandEnd] = {}
        self._audit: list[AuditRow] = []
        self.processes: dict[str, ProcessRow] = {}
        self.gone_processes: dict[str, None] = {}
        self.updated: dict[str, None] = {}  # sessions that something is new in

    def add_moment(self, moment: MomentRecord) -> bool:
        """Add a moment; return whether it is new, to the store and to this commit."""
        key = (
            moment.trace_id,
            moment.span_id,
            moment.session_id if moment.trace_id is None else None,
            moment.time_ns,
            moment.digest,
        )
        # A set: a sender may report ten thousand at once.
        if key in self._moment_keys or self.reader.has_moment(moment):
            return False
        self._moment_keys.add(key)
        self.moments.append(moment)
        return True

    # --- sessions ---------------------------------------------------------------------------

    def session(self, session_id: str) -> SessionState | None:
        """Return a known session, for changes."""
        if session_id in self._touched_sessions:
            return self._memory.sessions[session_id].state
        if session_id in self._gone:
            return None
        if session_id not in self._memory.sessions and session_id not in self._unknown:
            self.load_sessions((session_id,))
        entry = self._memory.sessions.pop(session_id, None)
        if entry is None:
            return None
        self._memory.sessions[session_id] = entry
        self._touched_sessions[session_id] = None
        return entry.state

    def is_evicted(self, session_id: str) -> bool:
        """Return whether older spans of a known session are in the history, and not here."""
        record = self._memory.sessions[session_id].record
        return record is not None and record.evicted > 0

    def load_sessions(self, session_ids: Iterable[str]) -> None:
        """Look up several sessions at once."""
        missing = {id_ for id_ in session_ids if id_ not in self._memory.sessions} - self._gone
        for record in self.reader.sessions(missing):
            state = SessionState.load(record.state)
            self._memory.sessions[record.row.id] = CachedSession(state, record)
            missing.discard(record.row.id)
        self._unknown |= missing

    def session_or_new(self, session_id: str, epoch_ns: int) -> SessionState:
        """Return the session; a new one begins at `epoch_ns`."""
        known = self.session(session_id)
        if known is not None:
            return known
        state = SessionState(session_id, epoch_ns)
        self._memory.sessions[session_id] = CachedSession(state, None)
        self._touched_sessions[session_id] = None
        return state

    # --- traces -----------------------------------------------------------------------------

    def load_traces(self, trace_ids: Collection[str]) -> None:
        """Look up several traces at once."""
        missing = [trace_id for trace_id in trace_ids if trace_id not in self._memory.traces]
        for record in self.reader.traces(missing):
            self._memory.traces[record.trace_id] = self._load_trace(record)
        for trace_id in missing:
            if trace_id not in self._memory.traces:
                self._memory.traces[trace_id] = TraceState(
                    trace_id, seen_ns=self.now_ns, since=self.reader.head + 1
                )
                self.new_traces.add(trace_id)

    def trace(self, trace_id: str) -> TraceState:
        """Return the trace, for changes; a new one if it was not known."""
        if trace_id in self._tally_before:
            return self._memory.traces[trace_id]
        if trace_id not in self._memory.traces:
            self.load_traces((trace_id,))
        trace = self._memory.traces.pop(trace_id)
        self._memory.traces[trace_id] = trace
        self._tally_before[trace_id] = trace.tally.copy() if trace.tally.span_count else None
        return trace

    def known_trace(self, trace_id: str) -> TraceState | None:
        """Return the trace for changes, if it is stored or touched by this commit; else None."""
        if trace_id not in self._tally_before and not self.reader.traces((trace_id,)):
            return None
        return self.trace(trace_id)

    def trace_and_session(self, trace_id: str) -> tuple[TraceState, SessionState | None]:
        """Return the trace and its session, for changes."""
        trace = self.trace(trace_id)
        return trace, self.session(trace.session_id) if trace.session_id else None

    def move_trace(self, trace: TraceState, session: SessionState) -> None:
        """Move the whole trace to `session`, unless it is fixed."""
        if self.is_fixed(trace):
            return
        old = self.session(trace.session_id) if trace.session_id else None
        if old is not None:
            self._subtract_before(old, trace)
            _move_waits(trace.trace_id, old, session)
            self._left.append((old.id, session.id, trace.trace_id))
            for stored in self.reader.spans(trace.trace_id):
                span = self.span(stored.trace_id, stored.span_id) or stored
                moved = replace(span, session_id=session.id, epoch_ns=session.epoch_ns)
                self._written[span.trace_id][span.span_id] = moved
            self._move_requests(trace.trace_id, old, session)
        self._tally_before[trace.trace_id] = None
        trace.session_id = session.id

    def is_fixed(self, trace: TraceState) -> bool:
        """Return whether a trace stays where it is: its spans are in the history."""
        old = self.session(trace.session_id) if trace.session_id else None
        return old is not None and self.is_evicted(old.id)

    def _load_trace(self, record: TraceRecord) -> TraceState:
        ancestors = self.reader.usage_ancestors(record.trace_id)
        return TraceState.load(record.trace_id, record.session_id, record.state, ancestors)

    # --- spans ------------------------------------------------------------------------------

    def load_spans(self, trace_id: str, span_ids: Collection[str]) -> None:
        """Look up several spans of a trace at once."""
        if trace_id in self.new_traces:
            return
        stored = self._stored[trace_id]
        missing = {span_id for span_id in span_ids if span_id not in stored}
        found = {span.span_id: span for span in self.reader.spans(trace_id, missing)}
        for span_id in missing:
            stored[span_id] = found.get(span_id)

    def span(self, trace_id: str, span_id: str) -> SpanRecord | None:
        """Return the newest version of a span."""
        if (written := self._written[trace_id].get(span_id)) is not None:
            return written
        if trace_id in self.new_traces:
            return None
        stored = self._stored[trace_id]
        if span_id not in stored:
            self.load_spans(trace_id, (span_id,))
        return stored[span_id]

    def content(self, span: SpanRecord) -> Content:
        """Return the newest content of a span."""
        return self._contents[span.trace_id].get(span.span_id) or self.reader.content(span)

    def put_span(self, new: SpanRecord) -> None:
        """Replace a span's row."""
        self.add_span(new, self.span(new.trace_id, new.span_id))

    def add_span(
        self, new: SpanRecord, known: SpanRecord | None, content: Content | None = None
    ) -> None:
        """Add a span, or replace `known`, its newest version; its content too, if passed."""
        if known is None:
            new.created = new.settled = new.content = 0
        else:
            new.created, new.settled, new.content = known.created, known.settled, known.content
        self._written[new.trace_id][new.span_id] = new
        if content is not None:
            self._contents[new.trace_id][new.span_id] = content

    def mark_usage_below(self, trace: TraceState, span_id: str | None) -> None:
        """Record usage below `span_id`: the usage of the span and its ancestors does not count.

        Stops at the first span with such a record, so that each is visited once, however late.
        """
        while span_id is not None and span_id not in trace.usage_ancestors:
            trace.usage_ancestors.add(span_id)
            self._ancestors.append((trace.trace_id, span_id))
            span = self.span(trace.trace_id, span_id)
            if span is None:
                return
            if span.is_counted:
                uncounted = span.copy()
                uncounted.is_counted = False
                self.add_span(uncounted, span)
            span_id = span.parent_span_id

    # --- control ----------------------------------------------------------------------------

    def next_number(self) -> int:
        """Return the next change number, for a command or an audit entry."""
        self._last_number += 1
        return self._last_number

    def request(self, request_id: str) -> RequestRow | None:
        """Return the newest version of a request."""
        if request_id in self._dirty_requests:
            return self._dirty_requests[request_id]
        if request_id not in self._requests:
            self._requests[request_id] = self.reader.request(request_id)
        known = self._requests[request_id]
        return known.row if known else None

    def put_request(self, row: RequestRow) -> None:
        """Replace a request; its session is touched, so that it knows whether it waits."""
        self.request(row.id)
        self._dirty_requests[row.id] = row
        self.session(row.session_id)

    def command(self, seq: int) -> CommandRow | None:
        """Return a command that has not ended."""
        return None if seq in self._ended_commands else self.reader.command(seq)

    def commands_of(self, process_id: str, most: int) -> list[CommandRow]:
        """Return the oldest commands of a process that have not ended, nor end in this commit."""
        commands = self.reader.commands(process_id, 0, most)
        return [command for command in commands if command.seq not in self._ended_commands]

    def put_command(self, command: CommandRow) -> None:
        """Add a command to a process."""
        self._commands.append(command)

    def end_command(self, end: CommandEnd) -> None:
        """Stop sending a command."""
        self._ended_commands[end.seq] = end

    def put_audit(self, row: AuditRow) -> None:
        """Add an entry to the audit log, for an action or an attempt."""
        names = (
            *("actor", "request_id", "session_id", "process_id"),
            *("decision", "args_hash", "tool_name"),
        )
        texts: dict[str, Any] = {name: _cut(getattr(row, name), _MAX_AUDIT_TEXT) for name in names}
        detail = _cut(row.detail, _MAX_AUDIT_DETAIL)
        self._audit.append(replace(row, id=self.next_number(), detail=detail, **texts))

    def _move_requests(self, trace_id: str, old: SessionState, new: SessionState) -> None:
        stored = self.reader.requests_of_trace(trace_id)
        ids = {**{one.row.id: None for one in stored}, **dict.fromkeys(self._dirty_requests)}
        for request_id in ids:
            row = self.request(request_id)
            if row is None or row.trace_id != trace_id:
                continue
            self._dirty_requests[request_id] = replace(row, session_id=new.id)
            key = REQUEST_WAIT + request_id
            if key in old.open_waits:
                new.open_waits[key] = old.open_waits.pop(key)
            if key in old.waited:
                new.wait(key, old.waited.pop(key))

    def _retitle_requests(self) -> None:
        """Publish pending requests again when the title of their session changes."""
        for session_id in self._touched_sessions:
            session = self._memory.sessions[session_id]
            if session.record is None or session.state.title == session.record.row.title:
                continue
            for key in session.state.open_waits:
                row = self.request(key.removeprefix(REQUEST_WAIT))
                if key.startswith(REQUEST_WAIT) and row is not None:
                    self._dirty_requests[row.id] = row
                    self._retitled.add(row.id)

    def _changed_requests(self) -> list[RequestRecord]:
        self._retitle_requests()
        found = []
        for request_id, row in self._dirty_requests.items():
            before = self._requests.get(request_id)
            if before is None or before.row != row or request_id in self._retitled:
                found.append(RequestRecord(row, created=before.created if before else 0))
        return found

    # --- the end ----------------------------------------------------------------------------

    def delete_session(self, session_id: str) -> None:
        """Delete a session with all its content."""
        for record in self.reader.traces_of(session_id):
            self._memory.traces.pop(record.trace_id, None)
        self._memory.sessions.pop(session_id, None)
        self._departures.append(Tombstone(session_id, None))

    def finish(self) -> PendingChanges:
        """Bring sessions up to date with their traces, and return the changes."""
        self._count_spans()
        traces = [self._memory.traces[trace_id] for trace_id in self._tally_before]
        for trace in traces:
            self._update_session(trace)
        for old_id, new_id, trace_id in self._left:
            if old_id not in self._gone:
                self._leave(old_id, new_id, trace_id)
        self._time_sessions()
        changes = Changes(
            traces=[
                TraceRecord(t.trace_id, t.session_id, t.dump(), t.trace_id in self.new_traces)
                for t in traces
            ],
            usage_ancestors=self._ancestors,
            moments=self.moments,
            requests=self._changed_requests(),
            commands=self._commands,
            ended_commands=list(self._ended_commands.values()),
            processes=list(self.processes.values()),
            gone_processes=list(self.gone_processes),
            audit=self._audit,
            departures=self._departures,
        )
        return PendingChanges(
            now_ns=self.now_ns,
            head=self.reader.head,
            last_number=self._last_number,
            sessions=[self._memory.sessions[id_] for id_ in self._touched_sessions],
            spans=self._written,
            contents=self._contents,
            changes=changes,
        )

    def _update_session(self, trace: TraceState) -> None:
        session = self.session(trace.session_id) if trace.session_id else None
        if session is not None:
            session.tally.add(trace.tally)
            self._subtract_before(session, trace)
            session.profile.join(trace.profile)

    def _subtract_before(self, session: SessionState, trace: TraceState) -> None:
        if (before := self._tally_before[trace.trace_id]) is not None:
            session.tally.add(before, -1)

    def _count_spans(self) -> None:
        for trace_id, written in self._written.items():
            if written:
                tally = self.trace(trace_id).tally
                stored = self._stored[trace_id]
                known = [old for span_id in written if (old := stored.get(span_id)) is not None]
                tally.count(known, -1)
                tally.count(written.values())

    def _time_sessions(self) -> None:
        """Update the run times of sessions: add new spans, or start again where one got shorter.

        That of a session whose spans are in the history only grows.
        """
        traces = defaultdict[str, list[str]](list)
        for trace_id, written in self._written.items():
            for span in itertools.islice(written.values(), 1):
                traces[span.session_id].append(trace_id)
        for session_id in self._touched_sessions:
            state, among = self._memory.sessions[session_id].state, traces.get(session_id, ())
            known = state.run_time
            is_known = known is not None and all(
                known.update(self._written[id_], self._stored[id_]) for id_ in among
            )
            if is_known or self.is_evicted(session_id):
                continue
            times = [
                time
                for time in self.reader.span_times(session_id)
                if time.span_id not in self._written[time.trace_id]
            ]
            written_spans = (span for id_ in among for span in self._written[id_].values())
            state.run_time = RunTime.of(itertools.chain(times, map(time_of, written_spans)))

    def _leave(self, old_id: str, new_id: str, trace_id: str) -> None:
        """Add a tombstone for a moved trace; delete its old session if that has no trace left."""
        rest = self.traces_of(old_id)
        old = self.session(old_id)
        is_whole = not rest and (old is None or not old.is_declared)
        self._departures.append(Tombstone(old_id, new_id, is_whole, trace_id=trace_id))
        if is_whole:
            self._memory.sessions.pop(old_id, None)
            self._touched_sessions.pop(old_id, None)
            self._gone.add(old_id)
        elif old is not None:
            old.run_time = old.outcome = None
            engine, old.profile = old.profile.engine, Profile()
            old.profile.engine = engine if old.is_declared else None
            for trace in rest:
                old.profile.join(trace.profile)

    def traces_of(self, session_id: str) -> list[TraceState]:
        """Return the traces of a session after this commit."""
        stored = {record.trace_id: record for record in self.reader.traces_of(session_id)}
        ids = {**stored, **dict.fromkeys(self._tally_before)}
        states = (self._memory.traces.get(id_) or self._load_trace(stored[id_]) for id_ in ids)
        return [state for state in states if state.session_id == session_id]


def _cut(text: str | None, longest: int) -> str | None:
    return text if text is None or len(text) <= longest else f"{text[: longest - 1]}…"


def _move_waits(trace_id: str, old: SessionState, new: SessionState) -> None:
    prefix = f"{trace_id}:"
    for key in [key for key in old.open_waits if key.startswith(prefix)]:
        new.open_waits[key] = old.open_waits.pop(key)
    for key in [key for key in old.waited if key.startswith(prefix)]:
        new.wait(key, old.waited.pop(key))
