"""The parts of the service that its routes use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request
from starlette.types import ASGIApp

from inspector.service.analysis.compare import Comparison
from inspector.service.analysis.model_calls import CallDetails
from inspector.service.analysis.runs import ComparedRuns
from inspector.service.feed.commands import Dispatch
from inspector.service.feed.feed import Feed
from inspector.service.http.access import Access
from inspector.service.http.cache import ResponseCache
from inspector.service.http.ranges import Measure
from inspector.service.ingest.repricing import Repricing
from inspector.service.ingest.writer import Writer
from inspector.service.otlp.receiver import Receiver
from inspector.service.prices import Pricing
from inspector.service.sessions.retention import Retention
from inspector.service.settings import Settings
from inspector.service.storage.base import ReadableStore
from inspector.service.storage.word_reader import WordsOf
from inspector.service.wire.context import CallContext
from inspector.service.wire.statistics import SessionStatistics

if TYPE_CHECKING:
    from inspector.service.history.history import History

MAX_COMPARED_SPANS = 200_000
"""Spans of one session that are compared with another; or of several together."""
MAX_KNOWN_CALLS = 60_000
"""LLM calls whose details are kept for statistics that are asked for again."""


@dataclass(frozen=True, slots=True)
class KnownContexts:
    """What the LLM calls of a session were sent, by the contents that say it."""

    by_content: dict[tuple[int, ...], CallContext]
    left_out: int


@dataclass(frozen=True, kw_only=True)
class ReadParts:
    """The parts that only read.

    Attributes:
        words: The index of words; None: every search reads the spans.
        comparisons: With the number of spans whose content was not compared; weighed by spans.
        runs: The same of several sessions.
        statistics: By session id and whether totals were asked for.
        call_details: Of LLM calls, by session id; weighed by calls.
        contexts: Of LLM calls, by session id; weighed by calls.
        exports: The length and the end of exported files, by session id.
    """

    settings: Settings
    access: Access
    store: ReadableStore
    feed: Feed
    words: WordsOf | None = None
    comparisons: ResponseCache[tuple[Comparison, int]] = field(
        default_factory=lambda: ResponseCache(2 * MAX_COMPARED_SPANS)
    )
    runs: ResponseCache[tuple[ComparedRuns, int]] = field(
        default_factory=lambda: ResponseCache(MAX_COMPARED_SPANS)
    )
    statistics: ResponseCache[SessionStatistics] = field(default_factory=lambda: ResponseCache(32))
    call_details: ResponseCache[CallDetails] = field(
        default_factory=lambda: ResponseCache(MAX_KNOWN_CALLS)
    )
    contexts: ResponseCache[KnownContexts] = field(
        default_factory=lambda: ResponseCache(MAX_KNOWN_CALLS)
    )
    exports: ResponseCache[Measure] = field(default_factory=lambda: ResponseCache(64))


@dataclass(frozen=True, kw_only=True)
class Parts(ReadParts):
    """The parts of the service that routes use.

    Attributes:
        retention: The retention in force.
        mcp: The MCP server.
        pricing: What LLM calls cost.
        repricing: Computes the costs of stored ones again.
        history: The history that everything is copied to; None: there is none.
    """

    retention: Retention
    writer: Writer
    dispatch: Dispatch
    receiver: Receiver
    pricing: Pricing
    repricing: Repricing
    mcp: ASGIApp
    history: History | None = None


# Coroutines, or FastAPI would call them in a thread.
async def read_parts_of(request: Request) -> ReadParts:
    """Return what the service on this app reads with."""
    parts: ReadParts = request.app.state.parts
    return parts


async def parts_of(request: Request) -> Parts:
    """Return the parts of the service on this app."""
    parts: Parts = request.app.state.parts
    return parts


ReadPartsDep = Annotated[ReadParts, Depends(read_parts_of)]
PartsDep = Annotated[Parts, Depends(parts_of)]
