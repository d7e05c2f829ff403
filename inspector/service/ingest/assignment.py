"""Assign traces to sessions: by the best key of their spans, by MCP connections, by duplicates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from inspector.service.ingest.arrivals import Arrivals
from inspector.service.ingest.mcp_servers import McpServers
from inspector.service.ingest.sibling_duplicates import EndedCall, SiblingDuplicates
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.records import MAX_INT
from inspector.service.model.rows import SpanKind, SpanStatus
from inspector.service.sessions.state import NO_KEY_RANK

_SESSION_RECORD_RANK = 0
"""A session record names the session as well as the best attribute does."""


class SessionAssignment:
    """Assigns the traces of a batch. What it remembers of earlier ones is in memory only."""

    def __init__(self) -> None:
        self._mcp_servers = McpServers()
        self._sibling_duplicates = SiblingDuplicates()

    def forget_calls(self) -> None:
        """Forget the LLM calls of earlier batches: they may not have been stored."""
        self._sibling_duplicates = SiblingDuplicates()

    def assign(self, unit: UnitOfWork, arrivals: Arrivals) -> list[tuple[EndedCall, EndedCall]]:
        """Give each trace its session; return the LLM calls that two spans report."""
        keys: dict[str, tuple[int, str]] = {}
        starts: dict[str, int] = {}
        for trace_id, spans in arrivals.traces.items():
            named = [key for incoming in spans if (key := incoming.session_key) is not None]
            keys[trace_id] = min(named, key=_rank, default=(NO_KEY_RANK, trace_id))
            starts[trace_id] = min(incoming.record.start_ns for incoming in spans)
        for moment in arrivals.moments:
            if moment.record.trace_id and moment.session_key:
                trace_id = moment.record.trace_id
                _improve(keys, trace_id, (_SESSION_RECORD_RANK, moment.session_key))
                starts.setdefault(trace_id, moment.record.time_ns)
        unit.load_traces(keys)
        _see_mcp(unit, arrivals.traces, keys)
        unit.load_sessions(session_id for _, session_id in keys.values())
        for trace_id, (rank, session_id) in keys.items():
            trace = unit.trace(trace_id)
            if trace.session_id is None or rank < trace.rank:
                trace.rank = rank
                if session_id != trace.session_id and not unit.is_fixed(trace):
                    epoch_ns = starts.get(trace_id, MAX_INT)
                    unit.move_trace(trace, unit.session_or_new(session_id, epoch_ns))
        self._mcp_servers.join(unit, keys)
        return self._sibling_duplicates.join(unit, keys, _model_calls(arrivals.traces.values()))


_rank = itemgetter(0)


def _improve(keys: dict[str, tuple[int, str]], trace_id: str, key: tuple[int, str]) -> None:
    known = keys.get(trace_id)
    if known is None or key[0] < known[0]:
        keys[trace_id] = key


def _see_mcp(
    unit: UnitOfWork,
    traces: Mapping[str, Sequence[IncomingSpan]],
    keys: dict[str, tuple[int, str]],
) -> None:
    """Assign traces that hold only MCP to the session of their connection."""
    for trace_id, spans in traces.items():
        trace = unit.trace(trace_id)
        for incoming in spans:
            record = incoming.record
            if record.parent_span_id is None:
                trace.root_process = record.process_id
            if incoming.is_mcp:
                trace.see_mcp(incoming)
                if key := trace.mcp_key(record.process_id):
                    _improve(keys, trace_id, key)


def _model_calls(traces: Iterable[Sequence[IncomingSpan]]) -> Iterator[EndedCall]:
    """Yield the LLM calls with enough detail to recognise their duplicates."""
    for incoming in itertools.chain.from_iterable(traces):
        record = incoming.record
        if record.kind is not SpanKind.LLM or record.duplicate_of is not None:
            continue
        has_answer = record.status in (SpanStatus.OK, SpanStatus.UNSET)
        if has_answer and record.model and record.input_tokens and record.output_tokens:
            yield EndedCall(
                record.trace_id,
                record.span_id,
                record.process_id,
                record.model,
                incoming.response_id,
                (record.input_tokens, record.output_tokens),
                (record.start_ns, record.end_ns or 0),
                incoming.content.origin,
                is_root=record.parent_span_id is None,
            )
