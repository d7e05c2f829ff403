"""Marks the inner one of two spans that tell the same operation (`normalise.twins`).

A span usually ends before the one around it, so it waits in the state of its trace until that one
has ended, too. What waits is bounded: for each outer span and kind only the few longest can fill
it.
"""

from __future__ import annotations

from dataclasses import replace

from inspector.draft import Draft
from inspector.normalise.twins import TOLD_TWICE, fills, is_about_the_same
from inspector.sessions import TraceState
from inspector.storage.base import SpanRecord

_MAX_WAITING = 8
"""For each outer span and kind."""
_MAX_OUTER = 1_000
"""Of a trace. Beyond, what would wait longest is shown as a span of its own."""
_MAX_TOLD = 8
"""Spans that tell the same, each marked as the twin of the next; what says more is no twin."""


def find_twins(draft: Draft, trace: TraceState, span: SpanRecord) -> None:
    """Mark `span`, just added, or those that waited for it."""
    if span.end_ns is None:
        return
    if span.kind in TOLD_TWICE:
        _look_outward(draft, trace, span)
    if trace.inner_spans:
        _look_inward(draft, trace, span)


def _look_outward(draft: Draft, trace: TraceState, inner: SpanRecord) -> None:
    # A remote parent is the other end of a call, not the same end told again.
    if inner.duplicate_of is not None or inner.parent_span_id is None or inner.is_root:
        return
    outer = draft.span(inner.trace_id, inner.parent_span_id)
    if outer is not None and outer.end_ns is not None:
        _mark_if_same(draft, outer, inner)
    else:
        _wait(trace, inner)


def _wait(trace: TraceState, inner: SpanRecord) -> None:
    waiting = trace.inner_spans.setdefault(inner.parent_span_id or "", {})
    of_kind = waiting.setdefault(inner.kind.value, {})
    of_kind[inner.span_id] = (inner.end_ns or 0) - inner.start_ns
    if len(of_kind) > _MAX_WAITING:
        del of_kind[min(of_kind, key=lambda span_id: (of_kind[span_id], span_id))]
    if len(trace.inner_spans) > _MAX_OUTER:
        del trace.inner_spans[next(iter(trace.inner_spans))]


def _look_inward(draft: Draft, trace: TraceState, outer: SpanRecord) -> None:
    waiting = trace.inner_spans.pop(outer.span_id, None)
    for span_id in waiting.get(outer.kind.value, ()) if waiting is not None else ():
        inner = draft.span(outer.trace_id, span_id)
        if inner is not None and inner.duplicate_of is None and inner.kind is outer.kind:
            _mark_if_same(draft, outer, inner)


def _mark_if_same(draft: Draft, outer: SpanRecord, inner: SpanRecord) -> None:
    if outer.kind is not inner.kind or outer.end_ns is None or inner.end_ns is None:
        return
    if _is_told_by(draft, outer, inner):
        return
    if not fills((outer.start_ns, outer.end_ns), (inner.start_ns, inner.end_ns)):
        return
    spans = (draft.content(outer).span(), draft.content(inner).span())
    if is_about_the_same(inner.kind, *spans):
        draft.put_span(replace(inner, duplicate_of=outer.span_id))


def _is_told_by(draft: Draft, outer: SpanRecord, inner: SpanRecord) -> bool:
    """Return whether the sender says that the outer one is the twin, of the inner one.

    So it is where a hook's span starts inside the span that an SDK made for the same request. Of
    spans that tell the same one stays without a mark, which is the one that counts.
    """
    at = draft.span(outer.trace_id, outer.span_id)  # it may just have been marked
    for _ in range(_MAX_TOLD):
        if at is None or at.duplicate_of is None:
            return False
        if at.duplicate_of == inner.span_id:
            return True
        at = draft.span(outer.trace_id, at.duplicate_of)
    return True
