"""All conventions that are read, one module each, in their order of precedence.

Each field of the view is taken from the first convention that has it. What says more goes before
what says less: structured values, then values written leaf by leaf, then events, then values of
which nothing is known but that they went in or came out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from inspector.service.normalise.conventions.genai import GENAI
from inspector.service.normalise.conventions.genai_events import DETAILS_EVENTS, MESSAGE_EVENTS
from inspector.service.normalise.conventions.genkit import GENKIT
from inspector.service.normalise.conventions.langsmith import LANGSMITH
from inspector.service.normalise.conventions.legacy import LEGACY
from inspector.service.normalise.conventions.logfire import LOGFIRE
from inspector.service.normalise.conventions.mcp_agent import MCP_AGENT
from inspector.service.normalise.conventions.openinference import OPENINFERENCE
from inspector.service.normalise.conventions.pydantic_ai import PYDANTIC_AI
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.conventions.traceloop import TRACELOOP
from inspector.service.normalise.conventions.vercel import VERCEL
from inspector.service.normalise.conventions.whole import WHOLE

__all__ = ["CONVENTIONS", "Convention", "SpanSource", "first_found"]

T = TypeVar("T")

CONVENTIONS: tuple[Convention, ...] = (
    GENAI,
    LEGACY,
    OPENINFERENCE,
    TRACELOOP,
    VERCEL,
    PYDANTIC_AI,
    LOGFIRE,
    MCP_AGENT,
    DETAILS_EVENTS,
    MESSAGE_EVENTS,
    GENKIT,
    LANGSMITH,
    WHOLE,
)


def first_found(
    source: SpanSource, field: Callable[[Convention], Callable[[SpanSource], T | None]]
) -> T | None:
    """Return `field` from the first convention that has it; None when none does."""
    for convention in CONVENTIONS:
        found = field(convention)(source)
        if found is not None and found != [] and found != {}:
            return found
    return None
