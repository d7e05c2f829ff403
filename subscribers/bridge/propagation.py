"""Trace context over MCP: injected into `_meta` and extracted from it (SEP-414).

`traceparent` and `tracestate` are reserved keys of `params._meta`, on every transport and in every
revision of the protocol. Baggage is omitted on purpose: an MCP server is a third party.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import Span
from opentelemetry.trace import Link, SpanContext
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from subscribers.content.paths import read_path, step

_FIELDS = ("traceparent", "tracestate")
_MAX_CHARS = 4_096
_W3C = TraceContextTextMapPropagator()


def inject(meta: MutableMapping[str, Any] | None) -> None:
    """Write the current span's context into `meta`; an existing one stays.

    Ignored if `meta` is not a mapping: SDKs serialise an absent `_meta` as null.
    """
    if isinstance(meta, MutableMapping) and "traceparent" not in meta:
        _W3C.inject(meta)


def remote_span(meta: Any) -> SpanContext | None:
    """Return the span named in `meta`; None if there is none in W3C's form."""
    texts = ((field, step(meta, field)) for field in _FIELDS)
    carrier = {
        field: text
        for field, text in texts
        if isinstance(text, str) and len(text) <= _MAX_CHARS and text.isascii()
    }
    found = trace.get_current_span(_W3C.extract(carrier, Context())).get_span_context()
    return found if found.is_valid else None


def extract(meta: Any) -> Context | None:
    """Return the current context with the span that `meta` names as parent; None without one."""
    remote = remote_span(meta)
    return None if remote is None else _under(remote, None)


def parent_over_mcp(
    envelope: Any, ambient: Context, *, is_trusted: bool
) -> tuple[Context | None, Sequence[Link]]:
    """Return the parent of a received request, and its other links.

    The sender's span is the parent; the current span (the HTTP request, the read loop) is a link.
    A current span that an SDK made for this request stays between the two.

    Args:
        envelope: The JSON-RPC message.
        ambient: The current context.
        is_trusted: Whether a peer's span may be the parent; else it becomes the link.

    Returns:
        The context to start in, None for the default one; and the links.
    """
    remote = remote_span(read_path(envelope, "params._meta|params.meta"))
    if remote is None:
        return None, ()
    current = trace.get_current_span(ambient)
    here = current.get_span_context()
    made_for = current.parent if isinstance(current, Span) else None
    if made_for is not None and made_for.span_id == remote.span_id and current.is_recording():
        return None, ()
    if not is_trusted:
        return None, (Link(remote),)
    is_elsewhere = here.is_valid and here.span_id != remote.span_id
    return _under(remote, ambient), (Link(here),) if is_elsewhere else ()


def _under(remote: SpanContext, ambient: Context | None) -> Context:
    return trace.set_span_in_context(trace.NonRecordingSpan(remote), ambient)
