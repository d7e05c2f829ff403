"""Read a batch: spans and starts of spans, signs of life of processes, and moments."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.records import (
    Content,
    MomentRecord,
    clamp,
    origin_of,
    trace_process,
)
from inspector.service.normalise.facts import read_decoded_span
from inspector.service.sessions import live
from inspector.service.sessions.live import LiveSpan, LogEvent, ProcessSign


@dataclass(slots=True)
class IncomingMoment:
    """A log record that is stored."""

    record: MomentRecord
    """The moment, with no session assigned yet."""
    session_key: str | None
    """The session that a session record names."""
    log: IncomingLog


@dataclass(slots=True)
class Arrivals:
    """A batch, sorted by kind."""

    traces: defaultdict[str, list[IncomingSpan]] = field(default_factory=lambda: defaultdict(list))
    """The spans of each trace, in the order in which they came."""
    signs: list[ProcessSign] = field(default_factory=list)
    moments: list[IncomingMoment] = field(default_factory=list)


def read_batch(spans: Iterable[IncomingSpan], logs: Iterable[IncomingLog]) -> Arrivals:
    """Return a batch, sorted; starts first, so that an end in the same batch finds its start."""
    origins, arrivals = _Origins(), Arrivals()
    traces = arrivals.traces
    for log in logs:
        match live.read_log(log):
            case LiveSpan() as start:
                origin = origins.of(log.resource, start.scope)
                incoming = read_decoded_span(start.span, log.resource, origin)
                incoming.is_progress = start.is_progress
                traces[incoming.record.trace_id].append(incoming)
            case ProcessSign() as sign:
                arrivals.signs.append(sign)
            case LogEvent() as event:
                arrivals.moments.append(_moment(event, log, origins.of(log.resource, log.scope)))
            case None:
                pass
    for incoming in spans:
        record = incoming.record
        may_be_pending = record.start_ns == record.end_ns
        shown = (may_be_pending and _read_pending(incoming)) or incoming
        traces[record.trace_id].append(shown)
    return arrivals


def _moment(event: LogEvent, log: IncomingLog, origin: bytes) -> IncomingMoment:
    content = Content(log.record.SerializeToString(), origin)
    record = MomentRecord(
        trace_id=event.trace_id,
        span_id=event.span_id,
        session_id=None,
        time_ns=clamp(event.time_ns),
        name=event.name,
        content=content,
        digest=hashlib.blake2b(content.payload, digest_size=16).digest(),
    )
    return IncomingMoment(record, event.session_key, log)


def _read_pending(incoming: IncomingSpan) -> IncomingSpan | None:
    span = live.read_pending(incoming.span)
    if span is None:
        return None
    resource = incoming.content.resource_spans().resource
    pending = read_decoded_span(span, resource, incoming.content.origin)
    # Its process sends no heartbeats: it lives by its trace.
    pending.record.process_id = trace_process(pending.record.trace_id)
    return pending


class _Origins:
    """The bytes of each resource and scope of a batch, written once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[bytes, object]] = {}

    def of(self, resource: Resource, scope: InstrumentationScope) -> bytes:
        key = (id(resource), id(scope))
        if key not in self._known:
            # The objects are stored too: an id is only theirs while they live.
            self._known[key] = (origin_of(resource, scope), (resource, scope))
        return self._known[key][0]
