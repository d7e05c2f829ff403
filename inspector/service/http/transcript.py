"""`GET /sessions/{id}/transcript`: the clipped content of spans, in sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from inspector.service.analysis.transcript import reading, without_end
from inspector.service.http.parts import ReadParts, ReadPartsDep
from inspector.service.http.sessions import MOVED, missing_session
from inspector.service.model.otlp_values import flat_attributes
from inspector.service.model.records import MAX_INT, Content, SpanRecord
from inspector.service.model.rows import Moment, RequestRow, SpanKind
from inspector.service.normalise import span_view
from inspector.service.storage.base import Reader, SpanPosition
from inspector.service.wire import Message
from inspector.service.wire.transcript import Reading, Transcript

router = APIRouter(tags=["sessions"])

MAX_SPANS = 100
"""Limit of the spans in one request."""
MAX_BYTES = 24 * 2**20
"""Limit of the spans read for one response; the first is read, however large it is."""
_CALLS = (SpanKind.LLM, SpanKind.TOOL)
_MAX_CALLS = 50
"""Limit of the calls among which the one before an LLM call is looked for."""
_KEY = r"[0-9a-f]{32}\.[0-9a-f]{16}"


class RequestedSpan(NamedTuple):
    """A requested span and the call before it, as keys `(trace id, span id)`.

    `until_ns`: of one that ended later, what came with its end is not wanted.
    """

    text: str
    key: tuple[str, str]
    before: tuple[str, str] | None
    until_ns: int = MAX_INT


@router.get("/sessions/{session_id:path}/transcript", response_model=Transcript, responses=MOVED)
def read_transcript(
    request: Request,
    parts: ReadPartsDep,
    session_id: str,
    span: Annotated[
        list[Annotated[str, StringConstraints(pattern=rf"^{_KEY}(~{_KEY})?$")]],
        Query(
            min_length=1,
            max_length=MAX_SPANS,
            description="`TRACE.SPAN` of a span of the session; for an LLM call, "
            "`TRACE.SPAN~TRACE.SPAN` with the previous call of the conversation, whose messages "
            "are then not repeated.",
        ),
    ],
) -> Response:
    """Return the clipped content of the given spans of a session.

    The order comes from the session's spans: request those in view.
    """
    wanted = [_requested(text) for text in span]
    return _transcript(request, parts, session_id, "read_transcript", lambda _: wanted)


@router.get(
    "/sessions/{session_id:path}/transcript/last", response_model=Transcript, responses=MOVED
)
def read_last_calls(
    request: Request,
    parts: ReadPartsDep,
    session_id: str,
    before: Annotated[
        str | None,
        Query(
            pattern=rf"^{_KEY}$",
            description="`TRACE.SPAN`: only calls that started before it; of one that ended later, "
            "without its result.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=10)] = 3,
) -> Response:
    """Return the clipped content of a session's last LLM and tool calls, oldest first.

    Shows what led to a request. Does not wait: if the span is unknown, returns the last calls.
    """

    def last_calls(reader: Reader) -> list[RequestedSpan]:
        place = None
        if before is not None:
            trace_id, span_id = _pair(before)
            for one in reader.spans(trace_id, (span_id,)):
                place = SpanPosition(one.start_ns, one.span_id, one.trace_id)
        calls = reader.calls_before(session_id, place, _CALLS, _MAX_CALLS)
        wanted = [_new_in(one, calls[at + 1 :]) for at, one in enumerate(calls[:limit])][::-1]
        return [one._replace(until_ns=place.start_ns) for one in wanted] if place else wanted

    return _transcript(request, parts, session_id, "read_last_calls", last_calls)


def _transcript(
    request: Request,
    parts: ReadParts,
    session_id: str,
    route: str,
    choose: Callable[[Reader], list[RequestedSpan]],
) -> Response:
    with parts.store.read_whole(session_id) as reader:
        session = reader.session(session_id)
        if session is None:
            return missing_session(request, reader, session_id, route)
        wanted = choose(reader)
        spans = _SpanReader(reader, session_id, session.row.epoch_ns, wanted)
        found = [spans.read(one) for one in wanted]
        head = reader.head
    body = Transcript(
        session_id=session_id,
        readings=[one for one in found if one is not None],
        left_out=spans.left_out,
        as_of=parts.feed.position(head),
    )
    return Response(body.model_dump_json(), media_type="application/json")


def _requested(text: str) -> RequestedSpan:
    key, _, before = text.partition("~")
    return RequestedSpan(text, _pair(key), _pair(before) if before else None)


def _new_in(call: SpanRecord, earlier: Iterable[SpanRecord]) -> RequestedSpan:
    """Return the request of what a call adds to the LLM call before it."""
    of_model = (one for one in earlier if one.kind is call.kind is SpanKind.LLM)
    before = next(of_model, None)
    key = call.trace_id, call.span_id
    return RequestedSpan(".".join(key), key, (before.trace_id, before.span_id) if before else None)


def _pair(key: str) -> tuple[str, str]:
    trace_id, _, span_id = key.partition(".")
    return trace_id, span_id


class _SpanReader:
    """Reads spans of one snapshot; messages that are needed twice are decoded once."""

    def __init__(
        self, reader: Reader, session_id: str, epoch_ns: int, wanted: Sequence[RequestedSpan]
    ) -> None:
        self._reader = reader
        self._epoch_ns = epoch_ns
        self._records = _records(reader, session_id, wanted)
        self._messages: dict[tuple[str, str], Sequence[Message]] = {}
        self._requests: dict[str, list[RequestRow]] = {}
        self._room_bytes = MAX_BYTES
        self._is_first = True
        self.left_out: list[str] = []

    def read(self, requested: RequestedSpan) -> Reading | None:
        record = self._records.get(requested.key)
        if record is None:
            return None
        before = self._records.get(requested.before) if requested.before else None
        is_known = requested.before in self._messages
        self._room_bytes -= record.size_bytes + (
            before.size_bytes if before and not is_known else 0
        )
        if self._room_bytes < 0 and not self._is_first:
            self.left_out.append(requested.text)
            return None
        self._is_first = False
        content = self._reader.content(record)
        logged = self._moments(record)
        view = span_view(content.span(), logged)
        self._messages[requested.key] = view.messages
        found = reading(
            requested.key,
            view,
            self._messages_of(before) if before else None,
            status=record.status,
            is_new_run=before is not None and self._is_of_another_run(record, before),
            epoch_ns=self._epoch_ns,
            moments=_by_time(content, logged),
            requests=self._requests_of(record) if record.waits else (),
        )
        is_later = record.end_ns is not None and record.end_ns > requested.until_ns
        return without_end(found) if is_later else found

    def _is_of_another_run(self, one: SpanRecord, other: SpanRecord) -> bool:
        """Return whether two calls belong to two runs: two traces, or two agents above them."""
        if one.trace_id != other.trace_id:
            return True
        parents = {one.parent_span_id, other.parent_span_id}
        if len(parents) == 1 or None in parents:
            return False
        found = self._reader.spans(one.trace_id, {name for name in parents if name is not None})
        return all(record.kind is SpanKind.AGENT for record in found)

    def _messages_of(self, record: SpanRecord) -> Sequence[Message]:
        key = record.trace_id, record.span_id
        if key not in self._messages:
            content = self._reader.content(record)
            self._messages[key] = span_view(content.span(), self._moments(record)).messages
        return self._messages[key]

    def _moments(self, record: SpanRecord) -> list[Moment]:
        found = self._reader.moments(record.trace_id, record.span_id, None)
        return [one.moment() for one in found]

    def _requests_of(self, record: SpanRecord) -> list[RequestRow]:
        if record.trace_id not in self._requests:
            of_trace = self._reader.requests_of_trace(record.trace_id)
            self._requests[record.trace_id] = [one.row for one in of_trace]
        return [row for row in self._requests[record.trace_id] if row.span_id == record.span_id]


def _records(
    reader: Reader, session_id: str, wanted: Iterable[RequestedSpan]
) -> dict[tuple[str, str], SpanRecord]:
    """Return the requested spans that exist and belong to the session."""
    by_trace: dict[str, set[str]] = {}
    for requested in wanted:
        for trace_id, span_id in filter(None, (requested.key, requested.before)):
            by_trace.setdefault(trace_id, set()).add(span_id)
    return {
        (record.trace_id, record.span_id): record
        for trace_id, span_ids in by_trace.items()
        for record in reader.spans(trace_id, span_ids)
        if record.session_id == session_id
    }


def _by_time(content: Content, logged: Sequence[Moment]) -> list[Moment]:
    """Return span events and log records by time; a moment sent as both counts once."""
    events = [
        Moment("", "", None, event.time_unix_nano, event.name, flat_attributes(event.attributes))
        for event in content.span().events
        if event.name.startswith("inspector.")
    ]
    seen = {(event.name, event.time_ns) for event in events}
    others = [moment for moment in logged if (moment.name, moment.time_ns) not in seen]
    return sorted([*events, *others], key=lambda moment: moment.time_ns)
