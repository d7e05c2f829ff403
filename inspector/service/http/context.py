"""`GET /sessions/{id}/context`: what each LLM call of a session was sent, by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from fastapi import APIRouter, Request
from starlette.responses import Response

from inspector.service import wire
from inspector.service.analysis.context import (
    Context,
    Passage,
    context_of,
    pieces_of,
    retrieved_texts,
)
from inspector.service.analysis.span_table import SpanTable
from inspector.service.http.parts import KnownContexts, ReadPartsDep
from inspector.service.http.sessions import MOVED, missing_session
from inspector.service.http.statistics import MAX_SPANS
from inspector.service.model.records import Content, SpanRecord
from inspector.service.model.rows import Moment, SessionRow, SpanKind
from inspector.service.normalise import span_view
from inspector.service.storage.base import ReadableStore, Reader, SpanPosition
from inspector.service.wire.context import (
    CallContext,
    ContextPart,
    ContextPiece,
    DroppedPiece,
    SessionContext,
    SpanContext,
)

router = APIRouter(tags=["sessions"])

MAX_CALLS = 1_000
MAX_BYTES = 64 * 2**20
_MAX_RETRIEVALS = 8
"""Limit of the retrievals before a call whose texts are looked for in its context."""
_MAX_RETRIEVAL_BYTES = 2 * 2**20
_MAX_CALLS_BEFORE = 16
"""Limit of the calls among which the one before of the same agent is looked for."""
_MAX_BEFORE_BYTES = 8 * 2**20
_MAX_DEPTH = 64
_MAX_PIECES = 2_000
_MAX_DROPPED = 100


@dataclass(frozen=True, slots=True)
class SessionCall:
    """An LLM call of a session, and what its context is compared with."""

    place: int
    agent: int
    """The nearest agent above it; -1: none."""
    before: int
    """The call before of the same agent; -1: none."""
    is_same_run: bool
    retrievals: tuple[int, ...]


@router.get(
    "/sessions/{session_id:path}/context", response_model=SessionContext, responses=MOVED
)  # fmt: skip
def session_context(request: Request, parts: ReadPartsDep, session_id: str) -> Response:
    """Return the composition of the context of each LLM call of a session.

    Parts are measured in characters, and share the input tokens that the call reports. Also reports
    repeated texts, and texts dropped since the agent's previous call.
    """
    with parts.store.read_whole(session_id) as reader:
        session = reader.session(session_id)
        if session is None:
            return missing_session(request, reader, session_id, "session_context")
        change, as_of = reader.last_change(session_id), parts.feed.position(reader.head)

    def read() -> tuple[KnownContexts, int]:
        with parts.store.read_whole(session_id) as reader:
            table = SpanTable(reader.span_columns(session_id, MAX_SPANS))
        calls, left_out = calls_of(table)
        last = parts.contexts.last(session_id)
        known = last.by_content if last is not None else {}
        found = _read(parts.store, session.row, table, calls, known)
        return KnownContexts(found, left_out), len(found)

    contexts = parts.contexts.answer(session_id, change, read)
    body = SessionContext(
        session_id=session_id,
        as_of=as_of,
        calls=[one for one in contexts.by_content.values() if one.parts],
        left_out=contexts.left_out,
    )
    return Response(body.model_dump_json(), media_type="application/json")


def span_context(reader: Reader, record: SpanRecord, view: wire.View) -> SpanContext | None:
    """Return what an LLM call was sent, text by text; None: nothing is known of it."""
    agent = _agent_above(reader, record)
    before, is_same_run = _call_before(reader, record, agent)
    place = SpanPosition(record.start_ns, record.span_id, record.trace_id)
    retrievals = reader.calls_before(
        record.session_id, place, (SpanKind.RETRIEVAL,), _MAX_RETRIEVALS
    )
    numbers = _within([(one.content, one.size_bytes) for one in retrievals])
    texts = [text for content in reader.contents(numbers) for text in retrieved_texts(content)]
    earlier = pieces_of(_loaded(reader, before).view(), texts)[0] if before is not None else ()
    context = context_of(*pieces_of(view, texts), earlier, is_same_run=is_same_run)
    sums = _context(context, record, agent.subject if agent is not None else None, view.usage)
    if not sums.parts:
        return None
    return SpanContext(
        **dict(sums),
        before=f"{before.trace_id}.{before.span_id}" if before is not None else None,
        pieces=[
            ContextPiece(
                part=piece.part,
                pointer=piece.pointer,
                chars=piece.chars,
                repeats=context.pieces[context.repeats[at]].pointer
                if at in context.repeats
                else None,
            )
            for at, piece in enumerate(context.pieces[:_MAX_PIECES])
        ],
        dropped=[
            DroppedPiece(part=piece.part, chars=piece.chars, beginning=piece.beginning)
            for piece in context.dropped[:_MAX_DROPPED]
        ],
    )


def calls_of(table: SpanTable) -> tuple[list[SessionCall], int]:
    """Return the LLM calls by start, up to a limit, and the number of the others."""
    of = table.columns
    agents: dict[int, int] = {-1: -1}
    last_of_run: dict[int, int] = {}
    last_of_agent: dict[str | None, int] = {}
    retrievals: list[int] = []
    found: list[SessionCall] = []
    for place in table.walk:
        is_agent = of.kind[place] == SpanKind.AGENT and of.duplicate_of[place] is None
        agents[place] = place if is_agent else agents[table.parents[place]]
    for place, kind in enumerate(of.kind):
        if of.duplicate_of[place] is not None:
            continue
        if kind == SpanKind.RETRIEVAL:
            retrievals.append(place)
        if kind != SpanKind.LLM:
            continue
        agent = agents[place]
        name = _name(table, agent)
        before = last_of_run.get(agent, -1)
        is_same_run = before >= 0
        if not is_same_run:
            before = last_of_agent.get(name, -1)
        last_of_run[agent] = last_of_agent[name] = place
        sized = [(one, of.size_bytes[one]) for one in retrievals[: -_MAX_RETRIEVALS - 1 : -1]]
        found.append(SessionCall(place, agent, before, is_same_run, _within(sized)))
    sizes_bytes = accumulate(of.size_bytes[call.place] for call in found[:MAX_CALLS])
    chosen = sum(size_bytes <= MAX_BYTES for size_bytes in sizes_bytes)
    return found[:chosen], len(found) - chosen


def _read(
    store: ReadableStore,
    session: SessionRow,
    table: SpanTable,
    calls: Sequence[SessionCall],
    known: Mapping[tuple[int, ...], CallContext],
) -> dict[tuple[int, ...], CallContext]:
    """Read contexts; what comes from the same contents as before is known."""
    of = table.columns
    found: dict[tuple[int, ...], CallContext] = {}
    pieces: dict[int, Sequence[Passage]] = {}
    last_needed = {call.before: call.place for call in calls}
    for call in calls:
        contents = of.content[call.place], of.content[call.before] if call.before >= 0 else -1
        numbers = [of.content[place] for place in call.retrievals]
        key = (*contents, call.is_same_run, call.agent, session.epoch_ns, *numbers)
        if key in known:
            found[key] = known[key]
            continue
        needed = [call.place]
        if call.before >= 0 and call.before not in pieces:
            needed.append(call.before)
        with store.read_whole(
            session.id
        ) as reader:  # and parsed after it: it holds up a store in memory
            loaded = {place: _load(reader, table, place) for place in needed}
            retrieved = reader.contents(numbers)
        texts = [text for content in retrieved for text in retrieved_texts(content)]
        own = loaded.pop(call.place)
        if own is None:
            continue  # deleted meanwhile
        for place, one in loaded.items():
            pieces[place] = pieces_of(one.view(), texts)[0] if one is not None else ()
        view = own.view()
        context = context_of(
            *pieces_of(view, texts), pieces.get(call.before, ()), is_same_run=call.is_same_run
        )
        if call.place in last_needed:
            pieces[call.place] = context.pieces
        if last_needed[call.before] == call.place:
            pieces.pop(call.before, None)
        found[key] = _context(context, own.record, _name(table, call.agent), view.usage)
    return found


@dataclass(frozen=True, slots=True)
class _Loaded:
    """An LLM call with its content."""

    record: SpanRecord
    content: Content
    logged: Sequence[Moment]

    def view(self) -> wire.View:
        return span_view(self.content.span(), self.logged)


def _load(reader: Reader, table: SpanTable, place: int) -> _Loaded | None:
    trace_id, span_id, _ = table.named(place)
    found = reader.spans(trace_id, (span_id,))
    return _loaded(reader, found[0]) if found else None


def _loaded(reader: Reader, record: SpanRecord) -> _Loaded:
    logged = reader.moments(record.trace_id, record.span_id, None)
    return _Loaded(record, reader.content(record), [one.moment() for one in logged])


def _name(table: SpanTable, agent: int) -> str | None:
    if agent < 0:
        return None
    return table.columns.subject[agent] or table.columns.name[agent]


def _within(sized: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return those that are first, up to a limit of their sizes."""
    sizes_bytes = accumulate(size_bytes for _, size_bytes in sized)
    return tuple(
        one
        for (one, _), size_bytes in zip(sized, sizes_bytes, strict=True)
        if size_bytes <= _MAX_RETRIEVAL_BYTES
    )


def _context(
    context: Context, record: SpanRecord, agent: str | None, usage: wire.Usage | None
) -> CallContext:
    input_tokens = usage.input_tokens if usage is not None else None
    cached = usage.cache_read_tokens if usage is not None else None
    if input_tokens is None or (cached or 0) > input_tokens:
        cached = None
    return CallContext(
        trace_id=record.trace_id,
        span_id=record.span_id,
        agent=agent,
        offset_ns=record.start_ns - record.epoch_ns,
        model=record.model,
        input_tokens=input_tokens,
        cached_tokens=cached,
        chars=sum(piece.chars for piece in context.pieces),
        media=context.media,
        parts=[ContextPart(**one._asdict()) for one in context.sums(input_tokens)],
    )


def _agent_above(reader: Reader, record: SpanRecord) -> SpanRecord | None:
    """Return the nearest agent above a span."""
    above = record
    for _ in range(_MAX_DEPTH):
        if above.parent_span_id is None:
            return None
        found = reader.spans(above.trace_id, (above.parent_span_id,))
        if not found:
            return None
        above = found[0]
        if above.kind is SpanKind.AGENT and above.duplicate_of is None:
            return above
    return None


def _call_before(
    reader: Reader, record: SpanRecord, agent: SpanRecord | None
) -> tuple[SpanRecord | None, bool]:
    """Return the call before of the same agent, and whether it is of the same run."""
    place = SpanPosition(record.start_ns, record.span_id, record.trace_id)
    calls = reader.calls_before(record.session_id, place, (SpanKind.LLM,), _MAX_CALLS_BEFORE)
    of_agent = None
    for call, above in _with_agents(reader, calls):
        if _run(above) == _run(agent):
            return call, True
        if of_agent is None and _agent(above) == _agent(agent):
            of_agent = call
    return of_agent, False


def _with_agents(
    reader: Reader, calls: Sequence[SpanRecord]
) -> Iterator[tuple[SpanRecord, SpanRecord | None]]:
    room_bytes = _MAX_BEFORE_BYTES
    for call in calls:
        room_bytes -= call.size_bytes
        if room_bytes >= 0:
            yield call, _agent_above(reader, call)


def _run(agent: SpanRecord | None) -> tuple[str, str] | None:
    return None if agent is None else (agent.trace_id, agent.span_id)


def _agent(agent: SpanRecord | None) -> str | None:
    return None if agent is None else agent.subject or agent.name
