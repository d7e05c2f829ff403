"""Marks of duplicates: spans that report an operation which another span reports as well.

Two spans report the same operation when one is the parent of the other and they agree
(`normalise.duplicates`), or when both are an LLM call with the same response id, wherever they
are in their trace. The most specific span stays without a mark; of several, the outermost.

A span usually ends before the one around it, so it waits in the state of its trace until that one
has ended, too. What waits is bounded: for each outer span and kind only the few longest.
"""

from __future__ import annotations

from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import SpanRecord
from inspector.service.model.rows import SpanKind
from inspector.service.normalise.duplicates import (
    DUPLICATED_KINDS,
    OF_MODELS,
    OperationFacts,
    contains,
    is_more_specific,
    is_same_operation,
    may_be_same,
)
from inspector.service.normalise.facts import content_facts
from inspector.service.sessions.state import TraceState

_MAX_WAITING = 8
"""Limit of the waiting spans of each outer span and kind."""
_MAX_OUTER = 1_000
"""Limit of the outer spans of a trace; past it, the oldest one's waiting spans stay unmarked."""
_MAX_CHAIN = 8
"""Limit of spans of one operation, each a duplicate of the next."""
_MAX_LEVELS = 64
"""Limit of the levels between two duplicates."""
_MAX_RESPONSES = 16
"""Limit of the response ids of a trace: duplicates of one call arrive about the same time."""


def find_duplicates(
    unit: UnitOfWork, trace: TraceState, span: SpanRecord, response_id: str | None = None
) -> None:
    """Mark `span`, just added, or its duplicates."""
    if span.end_ns is None:
        return
    if span.kind in DUPLICATED_KINDS:
        _look_outward(unit, trace, span)
        if response_id is not None:
            _look_beside(unit, trace, span, response_id)
    if trace.inner_spans:
        _look_inward(unit, trace, span)


def mark_duplicate(unit: UnitOfWork, outer: SpanRecord, inner: SpanRecord) -> None:
    """Mark one of two duplicate spans, in whichever traces they are."""
    _join(unit, unit.trace(inner.trace_id), outer, inner)


def original_of_lost(unit: UnitOfWork, span: SpanRecord) -> str | None:
    """Return the id of the span that reports the same model call as a lost one, to its end.

    A library that traces itself never ends its span of a stream that the program leaves.
    """
    outer = unit.span(span.trace_id, span.parent_span_id or "")
    if span.kind not in OF_MODELS or outer is None or outer.kind is not span.kind:
        return span.duplicate_of
    is_same = outer.end_ns is not None and (
        unit.content(outer).scope_name != unit.content(span).scope_name
    )
    return (outer.duplicate_of or outer.span_id) if is_same else span.duplicate_of


def _look_outward(unit: UnitOfWork, trace: TraceState, span: SpanRecord) -> None:
    inner = span
    for _ in range(_MAX_CHAIN):
        if inner.parent_span_id is None or (inner.is_root and inner.kind is SpanKind.LLM):
            return  # with a remote parent, only calls over MCP are reported at both ends
        outer = unit.span(inner.trace_id, inner.parent_span_id)
        if outer is None or outer.end_ns is None:
            if inner is span:
                _wait(trace, inner.parent_span_id, span)
            return
        if not _joined(unit, trace, outer, inner):
            return
        inner = outer  # a duplicate may have come before `span`, the link between them


def _wait(trace: TraceState, outer_id: str, inner: SpanRecord) -> None:
    waiting = trace.inner_spans.setdefault(outer_id, {})
    of_kind = waiting.setdefault(inner.kind.value, {})
    of_kind[inner.span_id] = (inner.end_ns or 0) - inner.start_ns
    if len(of_kind) > _MAX_WAITING:
        del of_kind[min(of_kind, key=lambda span_id: (of_kind[span_id], span_id))]
    if len(trace.inner_spans) > _MAX_OUTER:
        del trace.inner_spans[next(iter(trace.inner_spans))]


def _look_inward(unit: UnitOfWork, trace: TraceState, outer: SpanRecord) -> None:
    waiting = trace.inner_spans.pop(outer.span_id, None)
    for kind, span_ids in (waiting or {}).items():
        if may_be_same(outer.kind, SpanKind(kind)):
            for span_id in span_ids:
                inner = unit.span(outer.trace_id, span_id)
                if inner is not None and not _joined(unit, trace, outer, inner):
                    # It may be what one between them does, which is a duplicate of `outer`.
                    between = unit.span(outer.trace_id, inner.parent_span_id or "")
                    if between is not None and between.duplicate_of == outer.span_id:
                        _joined(unit, trace, between, inner)


def _look_beside(unit: UnitOfWork, trace: TraceState, span: SpanRecord, response_id: str) -> None:
    reported = trace.responses.setdefault(response_id, [])
    for other in [unit.span(span.trace_id, span_id) for span_id in reported]:
        if other is None or other.end_ns is None or not _is_same_answer(unit, span, other):
            continue
        inner, outer = sorted((span, other), key=_length_ns)
        _join(unit, trace, outer, inner)
        return
    reported.append(span.span_id)
    del reported[:-_MAX_WAITING]  # a provider, or its stand-in, may call all its answers the same
    if len(trace.responses) > _MAX_RESPONSES:
        del trace.responses[next(iter(trace.responses))]


def _is_same_answer(unit: UnitOfWork, span: SpanRecord, other: SpanRecord) -> bool:
    if span.kind is not other.kind or span.span_id == other.span_id:
        return False
    inner, outer = (
        (one.start_ns, one.end_ns or 0) for one in sorted((span, other), key=_length_ns)
    )
    # One instrumentation reports each call once.
    return contains(outer, inner) and (
        unit.content(span).scope_name != unit.content(other).scope_name
    )


def _joined(unit: UnitOfWork, trace: TraceState, outer: SpanRecord, inner: SpanRecord) -> bool:
    """Return whether a span and one inside are duplicates; if so, mark one of them."""
    if not may_be_same(outer.kind, inner.kind) or outer.end_ns is None or inner.end_ns is None:
        return False
    if not is_same_operation(_facts_of(unit, outer), _facts_of(unit, inner)):
        return False
    _join(unit, trace, outer, inner)
    return True


def _facts_of(unit: UnitOfWork, span: SpanRecord) -> OperationFacts:
    content = unit.content(span)
    return OperationFacts(
        span, content.scope_name, *(content.facts or content_facts(content.span()))
    )


def _join(unit: UnitOfWork, trace: TraceState, outer: SpanRecord, inner: SpanRecord) -> None:
    """Merge the duplicates of two spans, so that exactly one span stays unmarked."""
    shown, marked = _unmarked(unit, outer), _unmarked(unit, inner)
    if isinstance(shown, str):  # one that is to come will be around `inner`, too
        _wait(trace, shown, inner)
        return
    if shown is None or marked is None or isinstance(marked, str):
        return
    if shown.span_id == marked.span_id:
        return
    if is_more_specific(marked.kind, shown.kind):
        shown, marked = marked, shown
    # Where one is above the other, their usage counts once already.
    is_counted = marked.is_counted and (not shown.is_counted or _is_above(unit, shown, marked))
    marked = marked.copy()
    marked.duplicate_of, marked.is_counted = shown.span_id, is_counted
    if is_counted and shown.output_tokens is not None and marked.output_tokens is None:
        # A library's own span of a stream that is left ends before the last tokens are known.
        marked.output_tokens = shown.output_tokens
    unit.put_span(marked)


def _is_above(unit: UnitOfWork, upper: SpanRecord, lower: SpanRecord) -> bool:
    at: SpanRecord | None = lower
    for _ in range(_MAX_LEVELS):
        if at is None or at.parent_span_id is None:
            return False
        if at.parent_span_id == upper.span_id:
            return True
        at = unit.span(at.trace_id, at.parent_span_id)
    return False


def _unmarked(unit: UnitOfWork, span: SpanRecord) -> SpanRecord | str | None:
    """Return the unmarked span among the duplicates of `span`.

    Its id if it has not arrived: a sender may name a span before sending it. None for a cycle.
    """
    span_id = span.span_id
    for _ in range(_MAX_CHAIN):
        at = unit.span(span.trace_id, span_id)  # read again: it may just have been marked
        if at is None:
            return span_id
        if at.duplicate_of is None:
            return at
        span_id = at.duplicate_of
    return None


def _length_ns(span: SpanRecord) -> tuple[int, str]:
    return (span.end_ns or 0) - span.start_ns, span.span_id
