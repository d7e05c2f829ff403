"""One operation told twice: a framework's span, and in it that of a library it calls.

Pure. Which of the two was sent first is no matter to anything here.
"""

from __future__ import annotations

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.model import SpanKind
from inspector.normalise import keys
from inspector.normalise.attributes import as_text, flat_attributes
from inspector.normalise.kinds import tool_name

TOLD_TWICE = frozenset({SpanKind.LLM, SpanKind.TOOL, SpanKind.EMBEDDING, SpanKind.MCP})
"""Only these are looked at."""
_MOST_BESIDE_PERCENT = 5
_ALWAYS_BESIDE_NS = 1_000_000
"""What a layer takes for itself also around a call that is over in no time."""


def fills(outer_ns: tuple[int, int], inner_ns: tuple[int, int]) -> bool:
    """Return whether the inner (start, end) leaves at most 5 %, or 1 ms, of the outer one."""
    together_ns = min(outer_ns[1], inner_ns[1]) - max(outer_ns[0], inner_ns[0])
    whole_ns = outer_ns[1] - outer_ns[0]
    beside_ns = whole_ns - together_ns
    return together_ns > 0 and (
        beside_ns <= _ALWAYS_BESIDE_NS or beside_ns * 100 <= whole_ns * _MOST_BESIDE_PERCENT
    )


def is_about_the_same(kind: SpanKind, outer: Span, inner: Span) -> bool:
    """Return whether two spans of a kind name the same model, tool or method.

    A span that names no model calls the one of the span it is in. Two calls of one tool are told
    apart by their ids.
    """
    whats = [_subject(kind, span) for span in (outer, inner)]
    if kind is SpanKind.TOOL and _differ([_call_id(span) for span in (outer, inner)]):
        return False
    if None in whats:
        return True
    shorter, longer = sorted(map(str, whats), key=len)
    # The answering model is the requested one with a date: `gpt-4o-2024-11-20`.
    return (
        longer.startswith(shorter)
        if kind in (SpanKind.LLM, SpanKind.EMBEDDING)
        else (shorter == longer)
    )


def _subject(kind: SpanKind, span: Span) -> str | None:
    attributes = flat_attributes(span.attributes)
    match kind:
        case SpanKind.TOOL:
            return tool_name(span.name, attributes)
        case SpanKind.MCP:
            return as_text(keys.first(attributes, keys.MCP_METHOD))
        case _:
            return as_text(keys.first(attributes, keys.MODEL))


def _call_id(span: Span) -> str | None:
    return as_text(keys.first(flat_attributes(span.attributes), keys.TOOL_CALL_ID))


def _differ(ids: list[str | None]) -> bool:
    return None not in ids and len(set(ids)) > 1
