"""`session_statistics`: time, tokens and cost of a session."""

from __future__ import annotations

import asyncio

from pydantic import Field

from inspector.service.analysis.formatting import duration, money, plural, tokens
from inspector.service.analysis.outline import short_ids
from inspector.service.analysis.sanitise import visible_line
from inspector.service.analysis.statistics import Share, Statistics
from inspector.service.mcp.answer import ClosedModel, Recorded
from inspector.service.mcp.finding import session_line, session_text
from inspector.service.mcp.source import Archive
from inspector.service.mcp.tool import ServedTool

_SHARES_A_PAGE = 30
_NAME_CHARS = 80


class StatisticsArguments(ClosedModel):
    """Arguments."""

    session_id: str = Field(min_length=1, max_length=2_000)
    offset: int = Field(0, ge=0, description="`next` of the answer before.")


class ShareLine(ClosedModel):
    """Spans of one kind and name."""

    kind: str
    name: str
    count: int
    failed: int
    running: int
    own_ms: float = Field(description="Without spans below and without waiting.")
    wait_ms: float = Field(description="Waiting for a person.")
    median_ms: float | None = Field(description="Without waiting, theirs or below them.")
    input_tokens: int
    output_tokens: int
    cost_usd: float
    longest_span_id: str
    longest_ms: float | None = Field(description="Likewise.")


class SharePage(ClosedModel):
    """The largest own time first."""

    shares: list[ShareLine]
    share_count: int = Field(description="Of all pages.")


async def session_statistics(archive: Archive, asked: StatisticsArguments) -> Recorded[SharePage]:
    """Return a page of shares."""
    session = await archive.session(asked.session_id)
    tree = await archive.tree(session)
    rows = tree.rows
    found = await asyncio.to_thread(lambda: Statistics(tree).shares)
    id_length = short_ids(rows)
    page = found[asked.offset : asked.offset + _SHARES_A_PAGE]
    reached = asked.offset + len(page)
    head = session_text(session_line(session))
    lines = [_text(share, id_length) for share in page] or ["It has no spans."]
    return Recorded(
        "\n".join([head, "", *lines]),
        SharePage(shares=[_line(share) for share in page], share_count=len(found)),
        {"offset": reached} if reached < len(found) else {},
        "Next: get_span with the id in brackets: of each line, the span that took longest.",
    )


def _line(share: Share) -> ShareLine:
    times, used = share.times, share.used
    return ShareLine(
        kind=share.kind,
        name=visible_line(share.name, _NAME_CHARS),
        count=share.count,
        failed=share.failed,
        running=share.running,
        own_ms=share.own_ns / 1e6,
        wait_ms=share.wait_ns / 1e6,
        median_ms=None if times.median_ns is None else times.median_ns / 1e6,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cost_usd=used.cost_usd,
        longest_span_id=times.longest.span_id,
        longest_ms=None if times.longest_ns is None else times.longest_ns / 1e6,
    )


def _text(share: Share, id_length: int) -> str:
    times, used = share.times, share.used
    facts = [
        plural(share.count, "span"),
        f"own time {duration(share.own_ns)}",
        f"waited {duration(share.wait_ns)}" if share.wait_ns else "",
        f"median {duration(times.median_ns)}" if share.count > 1 else "",
        f"longest {duration(times.longest_ns)}" if share.count > 1 else "",
        f"{share.failed} failed" if share.failed else "",
        f"{share.running} running" if share.running else "",
        tokens(used.input_tokens, used.output_tokens),
        money(used.cost_usd) if used.cost_usd else "",
    ]
    name = visible_line(share.name, _NAME_CHARS)
    said = " · ".join(filter(None, facts))
    return f"{share.kind} {name}: {said}  [{times.longest.span_id[:id_length]}]"


STATISTICS = ServedTool(
    "session_statistics",
    "Statistics of a session",
    "Say where the time, the tokens and the money of a session went: spans grouped by kind and "
    "name, with their number, failures, own time (without spans below and without waiting for a "
    "person), median and longest duration (without waiting), tokens and cost. The largest own "
    "time first. Use it to find what is slow or dear.",
    StatisticsArguments,
    SharePage,
    session_statistics,
)
