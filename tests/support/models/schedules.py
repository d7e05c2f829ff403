"""Generated schedules of the actions of senders, time and people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import strategies as st

from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.rows import Json, RequestStatus
from tests.support.telemetry.otlp import START_NS, span
from tests.support.telemetry.records import (
    heartbeat,
    incoming,
    log,
    paused,
    progressed,
    resumed,
    started,
    trace_hex,
)


@dataclass(frozen=True)
class Record:
    """One batch arrives."""

    items: tuple[IncomingSpan | IncomingLog, ...]

    def __repr__(self) -> str:
        return f"Record({', '.join(map(_brief, self.items))})"


@dataclass(frozen=True)
class Wait:
    """Time passes."""

    seconds: int


@dataclass(frozen=True)
class Delete:
    """A person deletes a session."""

    session_id: str


@dataclass(frozen=True)
class Restart:
    """The service dies and starts again on the same store."""


@dataclass(frozen=True)
class Ask:
    """An agent registers and opens a request, or opens it again."""

    request_id: str
    process_id: str
    session_id: str
    trace_id: str | None
    expires_s: int | None


@dataclass(frozen=True)
class Answer:
    """A person answers."""

    request_id: str


@dataclass(frozen=True)
class End:
    """The agent closes a request."""

    request_id: str
    status: RequestStatus


@dataclass(frozen=True)
class SendVerb:
    """A person sends a verb to a session."""

    session_id: str
    verb: str


@dataclass(frozen=True)
class Acknowledge:
    """The agent acknowledges its oldest command."""

    process_id: str
    applied: bool


Step: TypeAlias = Record | Wait | Delete | Restart | Ask | Answer | End | SendVerb | Acknowledge

_TRACES = st.integers(1, 3)
_SPANS = st.integers(1, 4)
_PROCESSES = st.sampled_from(["p1", "p2"])
_TIMES = st.integers(0, 99).map(lambda offset: START_NS + offset)
_KEYS: tuple[dict[str, Json], ...] = (
    {},
    {},
    {},
    {"session.id": "S"},
    {"gen_ai.conversation.id": "C"},
)
_KINDS: tuple[dict[str, Json], ...] = (
    {},
    {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3},
    {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 8},
    {"mcp.method.name": "resources/read"},
    {"inspector.duplicate_of": "0000000000000001"},
)


@st.composite
def _item(draw: st.DrawFn) -> IncomingSpan | IncomingLog:
    trace, number, process = draw(_TRACES), draw(_SPANS), draw(_PROCESSES)
    time_ns = draw(_TIMES)
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return heartbeat(process, draw(st.sampled_from(["alive", "exiting"])))
    if kind == 1:
        return paused(trace, number, time_ns)
    if kind == 2:
        return resumed(trace, number, time_ns)
    if kind == 3:
        name = draw(st.sampled_from(["note", "inspector.progress", "inspector.decision"]))
        return log(name, trace=trace, span_id=number, time_ns=time_ns)
    if kind == 4:
        name = draw(st.sampled_from(["started", "paused", "resumed", "finished"]))
        about: dict[str, Json] = {"session.id": draw(st.sampled_from(["S", "T"]))}
        where = draw(st.sampled_from([trace, None]))
        return log(
            f"inspector.session.{name}",
            trace=where,
            time_ns=time_ns,
            attributes=about,
            process=process,
        )
    one = span(
        f"span {number}",
        trace=trace,
        span_id=number,
        parent=draw(st.sampled_from([None, 1, 2, 3])),
        start_ns=START_NS + number,
        duration_ns=draw(st.integers(0, 5)),
        attributes={**draw(st.sampled_from(_KEYS)), **draw(st.sampled_from(_KINDS))},
        error=draw(st.sampled_from([None, None, "boom"])),
    )
    if kind in (5, 6):
        return started(one, process)
    if kind == 7:
        return progressed(one, time_ns, process)
    return incoming(one, draw(st.sampled_from([process, None])))


def _brief(item: IncomingSpan | IncomingLog) -> str:
    message = item.span if isinstance(item, IncomingSpan) else item.record
    name = "end" if isinstance(item, IncomingSpan) else item.record.event_name
    origin = item.content.resource_spans() if isinstance(item, IncomingSpan) else item
    attributes = {p.key: p.value.string_value or p.value.int_value for p in message.attributes}
    process = [p.value.string_value for p in origin.resource.attributes][1:]
    place = f"{message.trace_id.hex()[-1:]}/{message.span_id.hex()[-1:]}"
    return f"<{name} {place} {attributes} by {process}>"


_STEP: st.SearchStrategy[Step] = st.one_of(
    st.lists(_item(), min_size=1, max_size=4).map(lambda items: Record(tuple(items))),
    st.lists(_item(), min_size=1, max_size=4).map(lambda items: Record(tuple(items))),
    st.sampled_from([1, 6, 13, 700]).map(Wait),
    st.sampled_from(["S", "C", "T", trace_hex(1)]).map(Delete),
    st.just(Restart()),
)

schedules = st.lists(_STEP, max_size=14)
"""Histories of one small world: three traces, four spans each, two processes."""

_REQUESTS = st.sampled_from(["r1", "r2", "r3"])
_ENDS = st.sampled_from([RequestStatus.ANSWERED, RequestStatus.EXPIRED, RequestStatus.WITHDRAWN])
_CONTROL: st.SearchStrategy[Step] = st.one_of(
    st.builds(
        Ask,
        request_id=_REQUESTS,
        process_id=_PROCESSES,
        session_id=st.sampled_from(["", "S", "T"]),
        trace_id=st.none() | _TRACES.map(trace_hex),
        expires_s=st.sampled_from([None, 5, 20]),
    ),
    st.builds(Answer, _REQUESTS),
    st.builds(End, _REQUESTS, _ENDS),
    st.builds(
        SendVerb,
        session_id=st.sampled_from(["S", "C", "T", trace_hex(1)]),
        verb=st.sampled_from(["pause", "resume", "step", "cancel"]),
    ),
    st.builds(Acknowledge, _PROCESSES, st.booleans()),
)

controlled_schedules = st.lists(st.one_of(_STEP, _CONTROL, _CONTROL), max_size=14)
"""Histories of the same world, in which agents also ask and people answer and command."""
