"""The model of a store: the contract as plain Python, which the contract tests hold SQLite to.

Also the store to put faults and gates into.
"""

from __future__ import annotations

import bisect
import operator
import threading
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

import orjson

from inspector.errors import StoreUnavailableError
from inspector.service.model.records import (
    MAX_INT,
    Change,
    Changes,
    Content,
    MomentRecord,
    RequestRecord,
    SessionRecord,
    SpanRecord,
    StoredChange,
    Tombstone,
    TraceRecord,
    Waiting,
    is_over,
    shown_bytes,
    waiting_of,
)
from inspector.service.model.rows import (
    AuditRow,
    CommandRow,
    ProcessRow,
    RequestStatus,
    RequestSubject,
    SessionStatus,
    SpanKind,
    SpanStatus,
)
from inspector.service.present.rows import span_fields
from inspector.service.query.tree import All, Node
from inspector.service.storage.base import (
    SUBJECT_CHARS,
    CauseCounts,
    Chunk,
    ModelUsage,
    Reader,
    SessionColumns,
    SingleStore,
    SpanLines,
    SpanPosition,
    SpanTime,
    page_of,
    time_of,
)
from inspector.service.storage.orders import Order, SortPosition, place_of
from inspector.service.wire import SpanRow
from tests.support.telemetry.records import stored
from tests.support.telemetry.span_rows import columns_of

_SpanKey = tuple[str, str]


class ModelStore(SingleStore):
    """Follows `Store`, in dicts and lists. A snapshot holds a lock."""

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.former: Mapping[str, int] = {}
        self._lock = threading.RLock()
        self._tables = _Tables()
        self._is_closed = False

    @contextmanager
    def read(self) -> Iterator[Reader]:
        with self._lock:
            yield self._tables

    def commit(self, changes: Changes) -> None:
        with self._lock:
            self.probe()
            self._tables.apply(changes)

    def erase(self) -> bool:
        return True  # there is no journal

    def sweep(self) -> bool:
        return False  # what is deleted is gone at once

    def evict(self, changes: Mapping[str, int]) -> None:
        with self._lock:
            for session_id, change in changes.items():
                self._tables.evict(session_id, change)

    def forget_departures(self, through: int, before_ns: int, most: int) -> bool:
        with self._lock:
            return self._tables.forget_departures(through, before_ns, most)

    def probe(self, room_bytes: int = 0) -> None:
        if self._is_closed:
            raise StoreUnavailableError("Cannot write: the store is closed.")

    def close(self) -> None:
        self._is_closed = True


class _Tables:
    def __init__(self) -> None:
        self.head = self.evicted = 0
        self._sessions: dict[str, SessionRecord] = {}
        self._traces: dict[str, TraceRecord] = {}
        self._ancestors: defaultdict[str, set[str]] = defaultdict(set)
        self._spans: dict[_SpanKey, SpanRecord] = {}
        self._spans_of_trace: defaultdict[str, dict[str, SpanRecord]] = defaultdict(dict)
        self._contents: dict[int, Content] = {}
        self._moments: list[MomentRecord] = []
        self._departures: list[Tombstone] = []
        self._by_change: dict[int, Change] = {}
        self._requests: dict[str, RequestRecord] = {}
        self._commands: dict[int, CommandRow] = {}
        self._processes: dict[str, ProcessRow] = {}
        self._audit: list[AuditRow] = []

    # --- writing ----------------------------------------------------------------------------

    def apply(self, changes: Changes) -> None:
        for session in changes.sessions:
            if old := self._sessions.get(session.row.id):
                self._by_change.pop(old.change, None)
            self._sessions[session.row.id] = session
            self._by_change[session.change] = session
        for trace in changes.traces:
            self._traces[trace.trace_id] = trace
        self._contents.update(changes.contents)
        for span in changes.spans:
            self._put_span(span)
        for trace_id, span_id in changes.usage_ancestors:
            self._ancestors[trace_id].add(span_id)
        for moment in changes.moments:
            self._moments.append(moment)
            self._by_change[moment.change] = moment
        self._apply_control(changes)
        for departure in changes.departures:
            self._depart(departure)
        self.head = changes.head

    def _apply_control(self, changes: Changes) -> None:
        for request in changes.requests:
            if old := self._requests.get(request.row.id):
                self._by_change.pop(old.change, None)
            self._requests[request.row.id] = request
            self._by_change[request.change] = request
        self._commands.update({command.seq: command for command in changes.commands})
        for end in changes.ended_commands:
            self._commands.pop(end.seq, None)
        self._processes.update({process.id: process for process in changes.processes})
        for process_id in changes.gone_processes:
            self._processes.pop(process_id, None)
        self._audit += changes.audit

    def _put_span(self, span: SpanRecord) -> None:
        key = (span.trace_id, span.span_id)
        if old := self._spans.get(key):
            self._by_change.pop(old.change, None)
            if old.content != span.content:
                self._contents.pop(old.content, None)
        self._spans[key] = span
        self._spans_of_trace[span.trace_id][span.span_id] = span
        self._by_change[span.change] = span

    def _depart(self, departure: Tombstone) -> None:
        self._departures.append(departure)
        self._by_change[departure.change] = departure
        if not departure.is_whole:
            return
        if gone := self._sessions.pop(departure.session_id, None):
            self._by_change.pop(gone.change, None)
        if departure.moved_to is None:
            self._delete_content(departure.session_id)

    def evict(self, session_id: str, through: int) -> None:
        self.evicted = max(self.evicted, through)
        before = self._sessions[session_id]
        spans = len(self.spans_of(session_id, limit=len(self._spans)))
        moments = len(self.moments_of(session_id, limit=len(self._moments)))
        session = replace(
            before,
            evicted=through,
            evicted_spans=max(before.evicted_spans, spans),
            evicted_moments=max(before.evicted_moments, moments),
        )
        self._sessions[session_id] = self._by_change[session.change] = session
        for span in self.spans_of(session_id, limit=len(self._spans)):
            if span.change <= through:
                del self._spans[span.trace_id, span.span_id]
                del self._spans_of_trace[span.trace_id][span.span_id]
                del self._by_change[span.change]
                self._contents.pop(span.content, None)
        for moment in self.moments_of(session_id, limit=len(self._moments)):
            if moment.change <= through:
                del self._by_change[moment.change]
        self._moments = [moment for moment in self._moments if moment.change in self._by_change]

    def _delete_content(self, session_id: str) -> None:
        gone = {trace.trace_id for trace in self.traces_of(session_id)}
        for trace_id in gone:
            del self._traces[trace_id]
            self._ancestors.pop(trace_id, None)
            for span in self._spans_of_trace.pop(trace_id, {}).values():
                del self._spans[span.trace_id, span.span_id]
                self._by_change.pop(span.change, None)
                self._contents.pop(span.content, None)
        for moment in self._moments:
            # A moment with a trace goes where the trace went, whatever it was sent for.
            is_of_session = moment.trace_id is None and moment.session_id == session_id
            if moment.trace_id in gone or is_of_session:
                self._by_change.pop(moment.change, None)
        self._moments = [moment for moment in self._moments if moment.change in self._by_change]
        requests = [r for r in self._requests.values() if r.row.session_id == session_id]
        for request in requests:
            del self._requests[request.row.id]
            self._by_change.pop(request.change, None)
        answered = {request.row.id for request in requests}
        for command in list(self._commands.values()):
            if command.session_id == session_id or command.request_id in answered:
                del self._commands[command.seq]

    def forget_departures(self, through: int, before_ns: int, most: int) -> bool:
        idle = set(self._idle_departures(through, before_ns, most))
        self._departures = [one for one in self._departures if one.change not in idle]
        for change in idle:
            self._by_change.pop(change, None)
        return len(idle) == most

    # --- reading ----------------------------------------------------------------------------

    def until(self, is_late: Callable[[], bool]) -> AbstractContextManager[None]:
        return nullcontext()  # no read takes long

    def newest_sessions(
        self, node: Node, after: tuple[int, str] | None, most: int
    ) -> Chunk[SessionRecord, tuple[int, str]]:
        return self.sessions_among(node, self._sessions, after, most)

    def sessions_among(
        self, node: Node, session_ids: Collection[str], after: tuple[int, str] | None, most: int
    ) -> Chunk[SessionRecord, tuple[int, str]]:
        among = (self._sessions[id_] for id_ in set(session_ids) if id_ in self._sessions)
        places = ((one.row.started_ns, one.row.id) for one in among)
        older = sorted((place for place in places if not after or place < after), reverse=True)
        rows = [self._sessions[session_id] for _, session_id in older[:most]]
        return Chunk(rows, older[most - 1] if len(older) > most else None)

    def session_places(
        self,
        node: Node,
        order: Order,
        after: SortPosition | None,
        most: int,
        among: Collection[str] | None = None,
    ) -> list[SortPosition]:
        records = self._sessions.values() if among is None else self.sessions(set(among))
        places = [place_of(one.row, one.change, order) for one in records]
        places.sort(reverse=order.is_descending)
        if after is not None:
            is_behind = operator.lt if order.is_descending else operator.gt
            places = [place for place in places if is_behind(place, after)]
        return places[:most]

    def newest_spans(self, node: Node, before: int | None, most: int) -> Chunk[SpanRecord, int]:
        older = [span for span in self._spans.values() if before is None or span.change < before]
        older.sort(key=lambda span: span.change, reverse=True)
        return Chunk(older[:most], older[most - 1].change if len(older) > most else None)

    def spans_among(self, node: Node, changes: Collection[int]) -> list[SpanRecord]:
        found = (self._by_change.get(change) for change in sorted(changes, reverse=True))
        return [row for row in found if isinstance(row, SpanRecord)]

    def session_statuses(
        self, node: Node, first_ns: int, beyond_ns: int
    ) -> Counter[SessionStatus] | None:
        if node != All():
            return None
        rows = (one.row for one in self._sessions.values())
        return Counter(row.status for row in rows if first_ns <= row.started_ns < beyond_ns)

    def session_count(
        self, node: Node, after: tuple[int, str] | None, most: int
    ) -> tuple[int, tuple[int, str] | None] | None:
        return None  # the plain way: each session is looked at

    def model_usage(self, session_ids: Sequence[str]) -> list[ModelUsage]:
        of_model: dict[str | None, list[SpanRecord]] = {}
        for span in (one for id_ in session_ids for one in self.spans_of(id_)):
            if span.is_counted or span.kind is SpanKind.LLM:
                of_model.setdefault(span.model, []).append(span)
        return [_model_usage(model, spans) for model, spans in of_model.items()]

    def cause_counts(
        self, node: Node, since_ns: int, until_ns: int, most: int
    ) -> CauseCounts | None:
        return None  # the plain way: each session is looked at

    def cause_starts(
        self, node: Node, keys: Sequence[str], first_ns: int, width_ns: int, count: int
    ) -> Counter[tuple[str, int]]:
        raise NotImplementedError("cause_counts counts nothing here")

    def session_of_cause(self, key: str, started_ns: int) -> SessionRecord | None:
        found = [
            one
            for one in self._sessions.values()
            if one.row.started_ns == started_ns and one.row.cause_key == key
        ]
        return min(found, key=lambda one: one.row.id, default=None)

    def last_good_session(self, title: str) -> str | None:
        good = [
            one.row
            for one in self._sessions.values()
            if (one.row.title, one.row.status, one.row.error_count) == (title, "completed", 0)
        ]
        newest = max(good, key=lambda row: row.started_ns, default=None)
        return None if newest is None else newest.id

    def uncosted_calls(self, session_ids: Sequence[str]) -> dict[str, int]:
        of_session = {id_: _uncosted(self.spans_of(id_)) for id_ in session_ids}
        return {id_: count for id_, count in of_session.items() if count > 0}

    def sessions_changed(self, after: int, most: int) -> set[str] | None:
        rows = self.changes(after, most + 1)
        if len(rows) > most:
            return None
        sessions = {row.row.id for row in rows if isinstance(row, SessionRecord)}
        return sessions | {row.session_id for row in rows if isinstance(row, SpanRecord)}

    def session(self, session_id: str) -> SessionRecord | None:
        return self._sessions.get(session_id)

    def sessions(self, session_ids: Collection[str]) -> list[SessionRecord]:
        return [self._sessions[id_] for id_ in session_ids if id_ in self._sessions]

    def destination(self, session_id: str) -> str | None:
        seen = {session_id}
        target: str | None = session_id
        while target is not None and target not in self._sessions:
            target = self._moved_to(target)
            if target in seen:
                return None
            if target is not None:
                seen.add(target)
        return None if target == session_id else target

    def _moved_to(self, session_id: str) -> str | None:
        moves = (d.moved_to for d in reversed(self._departures) if d.session_id == session_id)
        return next(moves, None)

    def unsettled(self) -> list[SessionRecord]:
        found = (record for record in self._sessions.values() if not record.settled)
        return sorted(found, key=lambda record: record.row.id)

    def traces(self, trace_ids: Collection[str]) -> list[TraceRecord]:
        return [self._traces[trace_id] for trace_id in trace_ids if trace_id in self._traces]

    def traces_of(self, session_id: str) -> list[TraceRecord]:
        found = (trace for trace in self._traces.values() if trace.session_id == session_id)
        return sorted(found, key=lambda trace: trace.trace_id)

    def usage_ancestors(self, trace_id: str) -> set[str]:
        return set(self._ancestors.get(trace_id, ()))

    def spans(self, trace_id: str, span_ids: Collection[str] | None = None) -> list[SpanRecord]:
        known = self._spans_of_trace.get(trace_id, {})
        if span_ids is None:
            return sorted(known.values(), key=lambda span: span.change)
        return [known[span_id] for span_id in span_ids if span_id in known]

    def spans_of(
        self,
        session_id: str,
        after: SpanPosition | None = None,
        limit: int = 1000,
        node: Node | None = None,
    ) -> list[SpanRecord]:
        found = sorted(
            (span for span in self._spans.values() if span.session_id == session_id),
            key=_span_order,
        )
        start = 0
        if after is not None:
            start = bisect.bisect_right(
                found, (after.start_ns, after.span_id, after.trace_id), key=_span_order
            )
        return found[start : start + limit]

    def span_lines(
        self, session_id: str, after: SpanPosition | None, limit: int, *, is_columns: bool
    ) -> SpanLines:
        found = self.spans_of(session_id, after, limit + 1)
        rows = [span_fields(record) for record in found[:limit]]
        columns = {name: [row[name] for row in rows] for name in SpanRow.model_fields}
        lines = orjson.dumps(columns if is_columns else rows)
        return SpanLines(lines, _last_of(found, limit))

    def span_times(self, session_id: str) -> list[SpanTime]:
        found = [span for span in self._spans.values() if span.session_id == session_id]
        return [time_of(span) for span in sorted(found, key=_span_order)]

    def span_columns(self, session_id: str, most: int) -> SessionColumns:
        found = self.spans_of(session_id, limit=most)
        rows, contents = [record.row() for record in found], [record.content for record in found]
        return columns_of(rows, contents, found[0].epoch_ns if found else 0)

    def open_spans(self, process_id: str) -> list[SpanRecord]:
        found = (
            span
            for span in self._spans.values()
            if span.end_ns is None and span.process_id == process_id
        )
        return sorted(found, key=lambda span: span.change)

    def calls_before(
        self, session_id: str, before: SpanPosition | None, kinds: Collection[SpanKind], most: int
    ) -> list[SpanRecord]:
        earlier = sorted(
            (
                one
                for one in self._spans.values()
                if one.session_id == session_id
                and (
                    before is None
                    or (one.start_ns, one.span_id) < (before.start_ns, before.span_id)
                )
            ),
            key=lambda one: (one.start_ns, one.span_id),
            reverse=True,
        )
        calls = (one for one in earlier[:1000] if one.kind in kinds)
        return [one for one in calls if one.duplicate_of is None][:most]

    def failed_spans(self, session_id: str, most: int) -> list[SpanRecord]:
        failed = [
            one
            for one in self._spans.values()
            if (one.session_id, one.status) == (session_id, SpanStatus.ERROR)
            and one.duplicate_of is None
        ]
        return sorted(failed, key=lambda one: one.end_ns or 0)[:most]

    def last_spans(
        self, session_id: str, kinds: Collection[SpanKind], most: int
    ) -> list[SpanRecord]:
        own = [one for one in self._spans.values() if one.session_id == session_id]
        latest = sorted(own, key=_span_order)[::-1][:1000]
        return [one for one in latest if one.kind in kinds and one.duplicate_of is None][:most]

    def open_processes(self) -> set[str]:
        running = (s for s in self._spans.values() if s.status is SpanStatus.RUNNING)
        return {span.process_id for span in running}

    def content(self, span: SpanRecord) -> Content:
        return self._contents[span.content]

    def contents(self, numbers: Sequence[int]) -> list[Content]:
        return [self._contents[number] for number in numbers]

    def contents_of(
        self, session_id: str, after: SpanPosition | None, limit: int
    ) -> Chunk[Content, SpanPosition]:
        found = self.spans_of(session_id, after, limit + 1)
        return Chunk(self.contents([one.content for one in found[:limit]]), _last_of(found, limit))

    def moments(
        self, trace_id: str | None, span_id: str | None, session_id: str | None, limit: int = 5000
    ) -> list[MomentRecord]:
        found = [
            moment
            for moment in self._moments
            if (moment.trace_id, moment.span_id) == (trace_id, span_id)
            and (trace_id is not None or moment.session_id == session_id)
        ]
        found.sort(key=lambda moment: (moment.time_ns, moment.change))
        return [self._assigned(moment) for moment in found[:limit]]

    def has_moment(self, moment: MomentRecord) -> bool:
        return any(
            (known.trace_id, known.span_id, known.time_ns, known.digest)
            == (moment.trace_id, moment.span_id, moment.time_ns, moment.digest)
            and (moment.trace_id is not None or known.session_id == moment.session_id)
            for known in self._moments
        )

    def moments_of(self, session_id: str, after: int = 0, limit: int = 1000) -> list[MomentRecord]:
        assigned = (self._assigned(moment) for moment in self._moments if moment.change > after)
        return [moment for moment in assigned if moment.session_id == session_id][:limit]

    def last_change(self, session_id: str) -> int:
        record = self.session(session_id)
        if record is None:
            return 0
        assigned = (self._assigned(moment) for moment in self._moments)
        return max(
            0,
            record.change,
            *(span.change for span in self._spans.values() if span.session_id == session_id),
            *(moment.change for moment in assigned if moment.session_id == session_id),
        )

    def _assigned(self, moment: MomentRecord) -> MomentRecord:
        if moment.trace_id is None:
            return moment
        trace = self._traces.get(moment.trace_id)
        return replace(moment, session_id=trace.session_id if trace else None)

    def is_any_evicted(self, session_ids: Collection[str]) -> bool:
        return any(one.evicted for one in self.sessions(session_ids))

    def oldest_here(self, most: int) -> list[SessionRecord]:
        here = (one for one in self._sessions.values() if one.settled and one.evicted < one.change)
        return sorted(here, key=lambda record: record.change)[:most]

    def newest_departures(self, through: int, most: int) -> list[int]:
        return sorted((d.change for d in self._departures if d.change <= through), reverse=True)[
            :most
        ]

    def oldest_settled(self, most: int) -> list[SessionRecord]:
        settled = (record for record in self._sessions.values() if record.settled)
        return sorted(settled, key=lambda record: record.change)[:most]

    def _idle_departures(self, through: int, before_ns: int, most: int) -> list[int]:
        old = (d for d in self._departures if d.change <= through and d.changed_ns < before_ns)
        idle = [one for one in old if not one.is_whole or not self.destination(one.session_id)]
        return [one.change for one in idle[:most]]

    def payload_bytes(self, session_id: str, most: int) -> int:
        return sum(span.size_bytes for span in self.spans_of(session_id, limit=most))

    def used_bytes(self) -> int:
        spans = sum(len(content.payload) for content in self._contents.values())
        return spans + sum(len(moment.content.payload) for moment in self._moments)

    def changes(self, after: int, limit: int, most_bytes: int = MAX_INT) -> list[Change]:
        numbers = sorted(number for number in self._by_change if number > after)[:limit]
        found = list[Change]()
        for row in (self._by_change[number] for number in numbers):
            found.append(self._assigned(row) if isinstance(row, MomentRecord) else row)
            if isinstance(row, MomentRecord):
                most_bytes -= len(row.content.payload) + len(row.content.origin)
                if most_bytes <= 0:
                    break
        return found

    def stored_changes(self, after: int, limit: int, most_bytes: int) -> list[StoredChange]:
        found = self.changes(after, limit, most_bytes)
        return [stored(one) if isinstance(one, SpanRecord) else one for one in found]

    # --- control ----------------------------------------------------------------------------

    def request(self, request_id: str) -> RequestRecord | None:
        return self._requests.get(request_id)

    def requests(
        self,
        status: RequestStatus | None = None,
        session_id: str | None = None,
        after: tuple[int, str] | None = None,
        most: int = 100,
    ) -> Chunk[RequestRecord, tuple[int, str]]:
        fitting = (
            one
            for one in self._requests.values()
            if (status is None or one.row.status is status)
            and (session_id is None or one.row.session_id == session_id)
            and (after is None or _request_order(one) < after)
        )
        found = sorted(fitting, key=_request_order, reverse=True)
        rows = found[: page_of((shown_bytes(one.row) for one in found), most)]
        return Chunk(rows, _request_order(rows[-1]) if len(rows) < len(found) else None)

    def request_subjects(self, request_ids: Collection[str]) -> dict[str, RequestSubject]:
        found = (self._requests[id_].row for id_ in request_ids if id_ in self._requests)
        return {
            row.id: RequestSubject(row.tool_name, row.prompt[:SUBJECT_CHARS], row.session_id)
            for row in found
        }

    def requests_of_trace(self, trace_id: str) -> list[RequestRecord]:
        found = (one for one in self._requests.values() if one.row.trace_id == trace_id)
        return sorted(found, key=_request_order)

    def waiting_requests(self) -> list[Waiting]:
        found = (one for one in self._requests.values() if not is_over(one.row))
        rows = [one.row for one in sorted(found, key=_request_order)]
        return [waiting_of(row) for row in rows]

    def pending_count(self) -> int:
        return sum(r.row.status is RequestStatus.PENDING for r in self._requests.values())

    def command(self, seq: int) -> CommandRow | None:
        return self._commands.get(seq)

    def commands(self, process_id: str, after: int, most: int) -> list[CommandRow]:
        found = (
            command
            for command in self._commands.values()
            if command.process_id == process_id and command.seq > after
        )
        return sorted(found, key=lambda command: command.seq)[:most]

    def command_count(self, process_id: str) -> int:
        return sum(command.process_id == process_id for command in self._commands.values())

    def process(self, process_id: str) -> ProcessRow | None:
        return self._processes.get(process_id)

    def processes(self) -> list[ProcessRow]:
        return sorted(self._processes.values(), key=lambda process: process.id)

    def audit(self, before: int | None, most: int) -> list[AuditRow]:
        older = [row for row in self._audit if before is None or row.id < before]
        return older[::-1][:most]

    def audit_after(self, after: int, most: int) -> list[AuditRow]:
        return [row for row in self._audit if row.id > after][:most]


def _last_of(found: Sequence[SpanRecord], limit: int) -> SpanPosition | None:
    if len(found) <= limit:
        return None
    last = found[limit - 1]
    return SpanPosition(last.start_ns, last.span_id, last.trace_id)


def _span_order(span: SpanRecord) -> tuple[int, str, str]:
    return span.start_ns, span.span_id, span.trace_id


def _request_order(record: RequestRecord) -> tuple[int, str]:
    return record.row.created_ns, record.row.id


def _model_usage(model: str | None, spans: Sequence[SpanRecord]) -> ModelUsage:
    counted = [span for span in spans if span.is_counted]
    costs = [span.cost_usd for span in counted if span.cost_usd is not None]
    return ModelUsage(
        model,
        len({span.session_id for span in spans}),
        sum(span.kind is SpanKind.LLM and span.duplicate_of is None for span in spans),
        sum(span.input_tokens or 0 for span in counted),
        sum(span.output_tokens or 0 for span in counted),
        sum(costs) if costs else None,
        _uncosted(spans),
    )


def _uncosted(spans: Sequence[SpanRecord]) -> int:
    return sum(span.is_counted and span.cost_usd is None for span in spans)
