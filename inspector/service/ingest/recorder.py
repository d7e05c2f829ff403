"""Turn a batch into one commit: merge spans, assign traces to sessions, apply the rules.

Not thread-safe: the one writer owns it. It remembers states between commits to save look-ups;
`forget` drops them, and the store is the truth.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from inspector.service.ingest.apart import Apart, EndedCall, mark
from inspector.service.ingest.duplicates import find_duplicates
from inspector.service.ingest.mcp_ends import Ends
from inspector.service.ingest.requests.control_plane import ControlPlane
from inspector.service.ingest.unit_of_work import Memory, UnitOfWork
from inspector.service.model.records import MAX_INT, Changes, Content, MomentRecord, SpanRecord
from inspector.service.model.rows import (
    IncomingLog,
    IncomingSpan,
    SessionStatus,
    SpanFacts,
    SpanKind,
    SpanStatus,
)
from inspector.service.model.waits import PauseSignal, waits_of
from inspector.service.normalise import span_facts
from inspector.service.normalise.duplicates import TOLD_TWICE
from inspector.service.normalise.facts import title_in_log
from inspector.service.sessions import live
from inspector.service.sessions.live import LiveSpan, LogEvent, ProcessSign
from inspector.service.sessions.processes import EXIT_GRACE_NS, Processes
from inspector.service.sessions.state import (
    NO_KEY_RANK,
    REQUEST_WAIT,
    SECOND_NS,
    SessionState,
    TraceState,
    status_of,
    trace_process,
)
from inspector.service.storage.base import Store

_SESSION_RECORD_RANK = 0
"""A session record names the session as well as the best attribute does."""
MAX_DUE = 2_000
"""Sessions that one `tick` settles. What was left running by a crash may be any number, and while
all of it is settled no sender is answered; the rest is for the next."""
# Moments that have a message of their own in the stream; any other is shown by its span's row.
TOLD = live.PAUSES | {"inspector.decision", "inspector.progress"}


@dataclass(slots=True)
class _Arrival:
    """A span that arrived, whole or in part."""

    trace_id: str
    span_id: str
    span: Span
    payload: bytes
    origin: bytes
    facts: SpanFacts
    process_id: str
    is_end: bool
    live: LiveSpan | None = None


@dataclass(slots=True)
class _Noted:
    """A log record that is kept."""

    happening: LogEvent
    content: Content
    log: IncomingLog


@dataclass(slots=True)
class _Timer:
    heard_ns: int
    due_ns: int


class Recorder:
    """Turns what arrives, and time that passes, into commits.

    Args:
        store: Where the commits will go; read here, written by the caller.
        now_ns: The clock now. Silence is counted from here on, so that a restart neither keeps
            what is gone nor gives up what is alive.
    """

    def __init__(self, store: Store, now_ns: int) -> None:
        self._store = store
        self._memory = Memory()
        self._processes = Processes()
        self._timers: dict[str, _Timer] = {}
        self._owned: defaultdict[str, set[str]] = defaultdict(set)
        self._control_plane = ControlPlane(self._processes, self._hear)
        self._ends = Ends()
        self._apart = Apart()
        self._is_recovered = False
        self._recover(now_ns)

    # --- what the caller asks for -----------------------------------------------------------

    def record(
        self,
        spans: Sequence[IncomingSpan],
        logs: Sequence[IncomingLog],
        now_ns: int,
        *,
        is_past: bool = False,
    ) -> Changes:
        """Return the commit that keeps `spans` and `logs`.

        Args:
            spans: What arrived.
            logs: What arrived beside it.
            now_ns: The clock now.
            is_past: It was recorded elsewhere: nothing of it runs, and no process lives by it.
        """
        self._recover(now_ns)
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns, is_past=is_past)
            arrivals, signs, noted = _sort(spans, logs)
            for sign in signs:
                self._hear_sign(unit, sign)
            told_apart = self._assign_sessions(unit, arrivals, noted)
            heard = self._add_spans(unit, arrivals)
            mark(unit, told_apart)
            for note in noted:
                if session := self._add_moment(unit, note):
                    heard[session.id] = None
            return self._finish(unit, heard)

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
            for process_id in lost:
                self._lose(unit, process_id)
            self._control_plane.expire(unit)
            unit.load_sessions(due)
            for session_id in due:
                if unit.session(session_id) is None:
                    del self._timers[session_id]
            return self._finish(unit, unit.heard)

    def run_control(
        self, act: Callable[[UnitOfWork, ControlPlane], object], now_ns: int
    ) -> Changes:
        """Return the commit of an action on the control plane."""
        self._recover(now_ns)
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns)
            act(unit, self._control_plane)
            return self._finish(unit, unit.heard)

    def delete(self, session_ids: Iterable[str], now_ns: int) -> Changes:
        """Return the commit that deletes the sessions, as far as they are known."""
        with self._store.read() as reader:
            unit = UnitOfWork(reader, self._memory, now_ns)
            for session_id in session_ids:
                if reader.session(session_id) is not None:
                    unit.delete_session(session_id)
                    self._timers.pop(session_id, None)
                    self._control_plane.open_requests.forget_sessions([session_id])
            return self._finish(unit, ())

    def committed(self) -> None:
        """Take note that the last commit is durable."""
        self._memory.shrink()

    def forget(self) -> None:
        """Forget all cached state: the last commit failed, and only the store is right."""
        self._memory.forget()
        self._apart = Apart()
        self._is_recovered = False

    # --- processes --------------------------------------------------------------------------

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
                self._watch(state, now_ns, now_ns)
        self._is_recovered = True

    def _hear_sign(self, unit: UnitOfWork, sign: ProcessSign) -> None:
        lost_after_ns = EXIT_GRACE_NS if sign.is_exiting else int(sign.lost_after_s * SECOND_NS)
        if sign.is_exiting and self._control_plane.has_agent(sign.process_id):
            return  # it says goodbye there: anybody may send telemetry
        if self._processes.is_alive(sign.process_id) or not sign.is_exiting:
            self._hear(unit, sign.process_id, lost_after_ns)

    def _hear(self, unit: UnitOfWork, process_id: str, lost_after_ns: int | None = None) -> None:
        if unit.is_past or not self._processes.mark_alive(process_id, unit.now_ns, lost_after_ns):
            return
        # It was given up, and lives: what it had open runs.
        for stored in unit.reader.open_spans(process_id):
            span = unit.span(stored.trace_id, stored.span_id)
            if span is not None and span.status is SpanStatus.LOST:
                unit.put_span(replace(span, status=SpanStatus.RUNNING))
                self._settle_waits(unit, span.trace_id, span.span_id, None)

    def _lose(self, unit: UnitOfWork, process_id: str) -> None:
        for span in unit.reader.open_spans(process_id):
            if span.status is SpanStatus.RUNNING:
                unit.put_span(replace(span, status=SpanStatus.LOST))
                if session := unit.session(span.session_id):
                    session.open_waits.pop(_wait_key(span.trace_id, span.span_id), None)
        for session_id in self._owned.pop(process_id, ()):
            unit.session(session_id)
        self._control_plane.lose(unit, process_id)

    # --- sessions ---------------------------------------------------------------------------

    def _finish(self, unit: UnitOfWork, heard: Iterable[str]) -> Changes:
        # What is past is not heard of now: such a session is settled at once.
        heard_now = set() if unit.is_past else set(heard)

        def decide(session: SessionState) -> SessionStatus:
            timer = self._timers.get(session.id)
            if session.id in heard_now:
                heard_ns = session.heard_ns = unit.now_ns
            elif timer is not None:
                heard_ns = timer.heard_ns
            else:
                heard_ns = 0  # settled before, and nothing new of it: it stays so
            return self._watch(session, unit.now_ns, heard_ns)

        changes = unit.finish(decide)
        self._control_plane.open_requests.follow(changes.requests)
        return changes

    def _watch(self, session: SessionState, now_ns: int, heard_ns: int) -> SessionStatus:
        is_alive = self._processes.is_alive(session.owner)
        holding = list(filter(self._processes.is_alive, session.pauses))
        status, due_ns = status_of(
            session, now_ns, heard_ns, is_owner_alive=is_alive, is_paused=bool(holding)
        )
        if session.is_owned and is_alive:
            self._owned[session.owner].add(session.id)
        for process_id in holding:
            self._owned[process_id].add(session.id)
        if due_ns is not None:
            self._timers[session.id] = _Timer(heard_ns, due_ns)
        elif session.tally.open_count or session.is_owned or session.open_waits or holding:
            self._timers[session.id] = _Timer(heard_ns, MAX_INT)
        else:
            self._timers.pop(session.id, None)
        return status

    def _assign_sessions(
        self, unit: UnitOfWork, arrivals: Sequence[_Arrival], noted: Sequence[_Noted]
    ) -> list[tuple[EndedCall, EndedCall]]:
        """Give each trace its session; return the model calls that two spans report."""
        keys: dict[str, tuple[int, str]] = {}
        starts: dict[str, int] = {}
        for arrival in arrivals:
            trace_id, key = arrival.trace_id, arrival.facts.session_key
            if key is not None or trace_id not in keys:
                _improve(keys, trace_id, key or (NO_KEY_RANK, trace_id))
            start_ns = arrival.span.start_time_unix_nano
            if start_ns < starts.get(trace_id, MAX_INT):
                starts[trace_id] = start_ns
        for note in noted:
            happening = note.happening
            if happening.trace_id and happening.session_key:
                _improve(keys, happening.trace_id, (_SESSION_RECORD_RANK, happening.session_key))
                starts.setdefault(happening.trace_id, _clamp(happening.time_ns))
        unit.load_traces(keys)
        _see_mcp(unit, arrivals, keys)
        unit.load_sessions(session_id for _, session_id in keys.values())
        for trace_id, (rank, session_id) in keys.items():
            trace = unit.trace(trace_id)
            if trace.session_id is None or rank < trace.rank:
                trace.rank = rank
                if session_id != trace.session_id:
                    epoch_ns = starts.get(trace_id, MAX_INT)
                    unit.move_trace(trace, unit.session_or_new(session_id, epoch_ns))
        self._ends.join(unit, keys)
        return self._apart.join(unit, keys, _model_calls(arrivals))

    # --- spans ------------------------------------------------------------------------------

    def _add_spans(self, unit: UnitOfWork, arrivals: Sequence[_Arrival]) -> dict[str, None]:
        """Keep new spans; return the sessions that changed."""
        for trace_id, span_ids in _of_known_traces(unit, arrivals).items():
            unit.load_spans(trace_id, span_ids)
        session_of: dict[str, tuple[TraceState, SessionState | None]] = {}
        heard: dict[str, None] = {}
        for arrival in arrivals:
            known = unit.span(arrival.trace_id, arrival.span_id)
            new = arrival if known is None else _merge(unit, known, arrival)
            self._note_sender(unit, new or arrival)
            if new is None:
                continue
            if new.trace_id not in session_of:
                session_of[new.trace_id] = unit.home(new.trace_id)
            trace, session = session_of[new.trace_id]
            if session is not None:
                self._add_span(unit, new, trace, session)
                heard[session.id] = None
        return heard

    def _add_span(
        self, unit: UnitOfWork, arrival: _Arrival, trace: TraceState, session: SessionState
    ) -> None:
        new = _record(arrival, session, trace)
        if unit.is_past and not arrival.is_end and not self._processes.is_alive(new.process_id):
            new.status = SpanStatus.LOST
        unit.put_span(new, Content(arrival.payload, arrival.origin), trace)
        # One with usage that is not counted is among the ancestors.
        if new.is_counted or new.span_id in trace.usage_ancestors:
            unit.cover(trace, new.parent_span_id)
        if new.kind in TOLD_TWICE or trace.inner_spans:
            find_duplicates(unit, trace, new, arrival.facts.response_id)
        profile = trace.profile
        profile.see(new, arrival.facts)
        if not profile.is_live:
            profile.is_live = self._sends_starts(arrival)
        if new.span_id in trace.paused_spans or _reports_waits(arrival.span):
            self._settle_waits(unit, new.trace_id, new.span_id, None)

    def _sends_starts(self, arrival: _Arrival) -> bool:
        """Return whether the sender sends live records, which leave out a short span's start."""
        process_id = arrival.facts.process_id
        return not arrival.is_end or bool(process_id and self._processes.is_alive(process_id))

    def _note_sender(self, unit: UnitOfWork, arrival: _Arrival) -> None:
        if arrival.is_end:
            self._processes.touch(arrival.process_id, unit.now_ns)
        else:
            self._hear(unit, arrival.process_id)

    # --- moments ----------------------------------------------------------------------------

    def _add_moment(self, unit: UnitOfWork, note: _Noted) -> SessionState | None:
        """Keep a log record; return its session if it is one of the session records."""
        happening = note.happening
        session = self._session_of(unit, happening)
        if happening.trace_id:
            trace = unit.trace(happening.trace_id)
            if asked := title_in_log(happening.name, note.log.record):
                trace.profile.see_message(asked, _clamp(happening.time_ns))
        moment = MomentRecord(
            trace_id=happening.trace_id,
            span_id=happening.span_id,
            session_id=session.id if session else None,
            time_ns=_clamp(happening.time_ns),
            name=happening.name,
            content=note.content,
            digest=hashlib.blake2b(note.content.payload, digest_size=16).digest(),
        )
        if not unit.add_moment(moment):
            return None
        if happening.name in live.WAITS:
            self._settle_waits(unit, happening.trace_id, happening.span_id, session)
        if happening.name not in TOLD:
            _touch_span(unit, happening)
        if session is None or happening.name not in live.SESSION_RECORDS:
            return None
        session.profile.see_time(moment.time_ns)
        self._obey(unit, session, note, moment.time_ns)
        return session

    def _session_of(self, unit: UnitOfWork, happening: LogEvent) -> SessionState | None:
        if happening.trace_id:
            session_id = unit.trace(happening.trace_id).session_id
            return unit.session(session_id) if session_id else None
        if happening.session_key is None:
            return None
        return unit.session_or_new(happening.session_key, _clamp(happening.time_ns))

    def _obey(self, unit: UnitOfWork, session: SessionState, note: _Noted, time_ns: int) -> None:
        session.is_declared = True
        record = note.log.record
        facts = span_facts(
            Span(name="", attributes=record.attributes, start_time_unix_nano=time_ns),
            note.log.resource,
        )
        session.profile.engine = facts.engine or session.profile.engine
        if facts.title:
            session.profile.see_title(facts.title, time_ns)
        if note.happening.name == live.SESSION_STARTED:
            session.declared_ns = max(time_ns, session.declared_ns or 0)
            session.owner = facts.process_id or ""
            if session.owner:
                session.profile.is_live = True
                self._hear(unit, session.owner)
        elif note.happening.name == live.SESSION_FINISHED and time_ns >= (session.finished_ns or 0):
            session.finished_ns = time_ns
            session.finished_status = str(live.attribute(record, "inspector.session.status") or "")
            session.pauses.clear()
            waits = session.open_waits.items()
            session.open_waits = {
                key: since for key, since in waits if key.startswith(REQUEST_WAIT)
            }

    def _settle_waits(
        self,
        unit: UnitOfWork,
        trace_id: str | None,
        span_id: str | None,
        session: SessionState | None,
    ) -> None:
        """Work out anew what one span (or a session without one) waited and waits."""
        span = unit.span(trace_id, span_id) if trace_id and span_id else None
        if trace_id and span_id:
            unit.trace(trace_id).paused_spans.add(span_id)
        session = unit.session(span.session_id) if span else session
        if session is None:
            return
        place = (trace_id, span_id, session.id)
        fresh = (moment for moment in unit.moments if _place(moment, place))
        signals = [
            live.pause_signal(m.name, m.time_ns, m.content.log_record().attributes)
            for m in (*unit.reader.moments(*place), *fresh)
            if m.name in live.WAITS
        ]
        if span is not None and span.end_ns is not None:
            signals += _told_by_events(unit.content(span).span())
        waits = waits_of(signals, span.end_ns if span else None)
        key = _wait_key(trace_id, span_id)
        session.open_waits.pop(key, None)
        session.wait(key, waits.intervals)
        if waits.since_ns is not None and (span is None or span.status is SpanStatus.RUNNING):
            # What an operator holds waits as long, but for nobody's answer.
            asked = waits_of(signal for signal in signals if not signal.is_hold)
            if asked.since_ns is not None:
                session.open_waits[key] = asked.since_ns
        if span is None:
            return
        new = replace(span, wait_ns=waits.wait_ns, waits=waits.count, waited=waits.shown)
        if (span.wait_ns, span.waits, span.waited) != (new.wait_ns, new.waits, new.waited):
            unit.put_span(new)


def _sort(
    spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]
) -> tuple[list[_Arrival], list[ProcessSign], list[_Noted]]:
    origins = _Origins()
    arrivals: list[_Arrival] = []
    signs: list[ProcessSign] = []
    noted: list[_Noted] = []
    # Starts go first: an end that is in the same batch finds its start.
    for log in logs:
        match live.read_log(log):
            case LiveSpan() as part:
                origin = origins.of(log.resource, part.scope)
                arrivals.append(_arrival(part.span, log.resource, origin, part))
            case ProcessSign() as sign:
                signs.append(sign)
            case LogEvent() as happening:
                content = Content(
                    log.record.SerializeToString(), origins.of(log.resource, log.scope)
                )
                noted.append(_Noted(happening, content, log))
            case None:
                pass
    for item in spans:
        origin = origins.of(
            item.resource, item.scope, item.resource_schema_url, item.scope_schema_url
        )
        if (pending := live.read_pending(item.span)) is not None:
            arrivals.append(_arrival(pending.span, item.resource, origin, pending))
        elif item.payload is None or item.facts is None:
            arrivals.append(_arrival(item.span, item.resource, origin, None))
        else:
            arrivals.append(_read_arrival(item.span, item.payload, origin, item.facts, None))
    return arrivals, signs, noted


def _arrival(span: Span, resource: Resource, origin: bytes, part: LiveSpan | None) -> _Arrival:
    facts = span_facts(span, resource)
    if part is not None and part.is_pending:
        facts.process_id = None  # its process sends no heartbeats: it lives by its trace
    return _read_arrival(span, span.SerializeToString(), origin, facts, part)


def _read_arrival(
    span: Span, payload: bytes, origin: bytes, facts: SpanFacts, part: LiveSpan | None
) -> _Arrival:
    trace_id = span.trace_id.hex()
    return _Arrival(
        trace_id,
        span.span_id.hex(),
        span,
        payload,
        origin,
        facts,
        facts.process_id or trace_process(trace_id),
        span.end_time_unix_nano != 0,
        part,
    )


def _of_known_traces(unit: UnitOfWork, arrivals: Sequence[_Arrival]) -> dict[str, list[str]]:
    """Return the span ids to look up of each trace that is not new."""
    found = defaultdict[str, list[str]](list)
    for arrival in arrivals:
        if arrival.trace_id not in unit.new_traces:
            found[arrival.trace_id].append(arrival.span_id)
            if arrival.facts.kind in TOLD_TWICE:
                found[arrival.trace_id].append(arrival.span.parent_span_id.hex())
    return found


class _Origins:
    """The bytes of each resource and scope of a batch, written once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, str, str], tuple[bytes, object]] = {}

    def of(
        self,
        resource: Resource,
        scope: InstrumentationScope,
        resource_schema_url: str = "",
        scope_schema_url: str = "",
    ) -> bytes:
        key = (id(resource), id(scope), resource_schema_url, scope_schema_url)
        if key not in self._known:
            origin = ResourceSpans(
                resource=resource,
                schema_url=resource_schema_url,
                scope_spans=[ScopeSpans(scope=scope, schema_url=scope_schema_url)],
            )
            # The objects are kept too: an id is only theirs while they live.
            self._known[key] = (origin.SerializeToString(), (resource, scope))
        return self._known[key][0]


def _merge(unit: UnitOfWork, known: SpanRecord, arrival: _Arrival) -> _Arrival | None:
    """Return the new version of `known`; None if it stays unchanged: an end always wins."""
    if arrival.is_end:
        return None if known.end_ns is not None and _is_same(unit, known, arrival) else arrival
    if known.end_ns is not None:
        return None
    content = unit.content(known)
    before = content.span()
    part = arrival.live or LiveSpan(arrival.span, InstrumentationScope(), is_progress=False)
    after = live.update_span(before, part)
    if after == before and (unit.is_past or known.status is SpanStatus.RUNNING):
        return None
    # The start knows the scope; a progress record need not.
    origin = content.origin if part.is_progress else arrival.origin
    resource = ResourceSpans.FromString(origin).resource
    return _arrival(after, resource, origin, arrival.live)


def _is_same(unit: UnitOfWork, known: SpanRecord, arrival: _Arrival) -> bool:
    """Return whether `arrival` equals the stored span, whatever the order of its fields."""
    content = unit.content(known)
    return content.payload == arrival.payload or content.span() == arrival.span


def _record(arrival: _Arrival, session: SessionState, trace: TraceState) -> SpanRecord:
    span, facts = arrival.span, arrival.facts
    has_usage = facts.duplicate_of is None and (
        facts.input_tokens is not None
        or facts.output_tokens is not None
        or facts.cost_usd is not None
    )
    # By position: by name takes three times as long, and this is done for every span.
    return SpanRecord(
        arrival.trace_id,
        arrival.span_id,
        session.id,
        session.epoch_ns,
        span.parent_span_id.hex() or None,
        span.name,
        facts.kind,
        facts.status,
        _clamp(span.start_time_unix_nano),
        _clamp(span.end_time_unix_nano) if arrival.is_end else None,
        facts.is_root,
        arrival.process_id,
        facts.model,
        facts.input_tokens,
        facts.output_tokens,
        facts.cost_usd,
        has_usage and arrival.span_id not in trace.usage_ancestors,
        span.dropped_attributes_count + span.dropped_events_count + span.dropped_links_count,
        size_bytes=len(arrival.payload),
        duplicate_of=facts.duplicate_of,
    )


def _touch_span(unit: UnitOfWork, happening: LogEvent) -> None:
    if happening.trace_id and happening.span_id:
        span = unit.span(happening.trace_id, happening.span_id)
        if span is not None:
            unit.put_span(replace(span))


def _see_mcp(
    unit: UnitOfWork, arrivals: Iterable[_Arrival], keys: dict[str, tuple[int, str]]
) -> None:
    """Assign traces that hold only MCP to the session of their connection."""
    for arrival in arrivals:
        trace, facts = unit.trace(arrival.trace_id), arrival.facts
        is_first = not arrival.span.parent_span_id
        if is_first:
            trace.root_process = arrival.process_id
        if facts.is_mcp:
            trace.see_mcp(
                facts,
                arrival.process_id,
                is_first=is_first,
                answers=arrival.span.kind == Span.SPAN_KIND_SERVER,
            )
            if key := trace.mcp_key(facts.process_id):
                _improve(keys, arrival.trace_id, key)


def _model_calls(arrivals: Iterable[_Arrival]) -> Iterator[EndedCall]:
    """Yield the model calls with enough detail to recognise their duplicates."""
    for arrival in arrivals:
        facts = arrival.facts
        if facts.kind is not SpanKind.LLM or facts.duplicate_of is not None:
            continue
        has_answer = facts.status in (SpanStatus.OK, SpanStatus.UNSET)
        if has_answer and facts.model and facts.input_tokens and facts.output_tokens:
            yield EndedCall(
                arrival.trace_id,
                arrival.span_id,
                arrival.process_id,
                facts.model,
                facts.response_id,
                (facts.input_tokens, facts.output_tokens),
                (arrival.span.start_time_unix_nano, arrival.span.end_time_unix_nano),
                arrival.origin,
                is_root=not arrival.span.parent_span_id,
            )


def _improve(keys: dict[str, tuple[int, str]], trace_id: str, key: tuple[int, str]) -> None:
    known = keys.get(trace_id)
    if known is None or key[0] < known[0]:
        keys[trace_id] = key


def _wait_key(trace_id: str | None, span_id: str | None) -> str:
    return f"{trace_id or ''}:{span_id or ''}"


def _place(moment: MomentRecord, place: tuple[str | None, str | None, str]) -> bool:
    trace_id, span_id, session_id = place
    if trace_id is None:
        return moment.trace_id is None and moment.session_id == session_id
    return (moment.trace_id, moment.span_id) == (trace_id, span_id)


def _reports_waits(span: Span) -> bool:
    # Most have no events: to ask that first takes a third of the time.
    return bool(span.events) and any(event.name in live.WAITS for event in span.events)


def _told_by_events(span: Span) -> list[PauseSignal]:
    """Return the pauses in the events of an ended span, of a sender without live records."""
    return [
        live.pause_signal(event.name, _clamp(event.time_unix_nano), event.attributes)
        for event in span.events
        if event.name in live.WAITS
    ]


def _clamp(time_ns: int) -> int:
    return time_ns if time_ns < MAX_INT else MAX_INT
