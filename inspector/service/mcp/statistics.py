"""`session_statistics`: time, tokens and cost of a session."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from inspector.service.analysis.formatting import duration_ms, money, plural, tokens
from inspector.service.analysis.sanitise import visible_line
from inspector.service.mcp.answer import ClosedModel, Recorded, milliseconds
from inspector.service.mcp.finding import session_line, session_text
from inspector.service.mcp.source import Archive
from inspector.service.mcp.tool import ServedTool

_SHARES_A_PAGE = 30
_NAME_CHARS = 80


class StatisticsArguments(ClosedModel):
    """Arguments of `session_statistics`."""

    session_id: str = Field(min_length=1, max_length=2_000, description="From find_sessions.")
    offset: int = Field(0, ge=0, description="`next` of the previous response.")


class ShareLine(ClosedModel):
    """Spans of one kind and name."""

    kind: str
    name: str
    count: int
    failed: int
    running: int
    own_ms: float = Field(description="Without descendants and waiting.")
    wait_ms: float = Field(description="Waiting for a person.")
    median_ms: float | None = Field(description="Without their own and their descendants' waits.")
    input_tokens: int
    output_tokens: int
    cost_usd: float
    longest_span_id: str
    longest_ms: float | None = Field(description="Likewise.")


class SharePage(ClosedModel):
    """The largest self time first."""

    shares: list[ShareLine]
    share_count: int = Field(description="Number of shares on all pages.")


async def session_statistics(
    archive: Archive, arguments: StatisticsArguments
) -> Recorded[SharePage]:
    """Return a page of shares."""
    session = await archive.session(arguments.session_id)
    found = (await archive.of_session(session, "statistics"))["operations"]
    page = [_line(one) for one in found[arguments.offset : arguments.offset + _SHARES_A_PAGE]]
    reached = arguments.offset + len(page)
    head = session_text(session_line(session))
    lines = [_text(line) for line in page] or ["No spans."]
    return Recorded(
        "\n".join([head, "", *lines]),
        SharePage(shares=page, share_count=len(found)),
        {"offset": reached} if reached < len(found) else {},
        "Next: get_span with the id in brackets, which is the longest span of its line.",
    )


def _line(operation: dict[str, Any]) -> ShareLine:
    times, used = operation["times"], operation["used"]
    return ShareLine(
        kind=operation["kind"],
        name=visible_line(operation["name"], _NAME_CHARS),
        count=operation["count"],
        failed=operation["errors"],
        running=operation["running"],
        own_ms=operation["own_ns"] / 1e6,
        wait_ms=operation["wait_ns"] / 1e6,
        median_ms=milliseconds(times["median_ns"]),
        input_tokens=used["input_tokens"],
        output_tokens=used["output_tokens"],
        cost_usd=used["cost_usd"],
        longest_span_id=times["longest"]["span_id"],
        longest_ms=milliseconds(times["longest_ns"]),
    )


def _text(line: ShareLine) -> str:
    facts = [
        plural(line.count, "span"),
        f"self time {duration_ms(line.own_ms)}",
        f"waited {duration_ms(line.wait_ms)}" if line.wait_ms else "",
        f"median {duration_ms(line.median_ms)}" if line.count > 1 else "",
        f"longest {duration_ms(line.longest_ms)}" if line.count > 1 else "",
        f"{line.failed} failed" if line.failed else "",
        f"{line.running} running" if line.running else "",
        tokens(line.input_tokens, line.output_tokens),
        money(line.cost_usd) if line.cost_usd else "",
    ]
    return f"{line.kind} {line.name}: {' · '.join(filter(None, facts))}  [{line.longest_span_id}]"


STATISTICS = ServedTool(
    "session_statistics",
    "Statistics of a session",
    "Show where a session spent time, tokens and money: spans grouped by kind and name, with "
    "count, failures, self time (without descendants and waiting for a person), median and "
    "longest duration (without waiting), tokens and cost. Largest self time first. Use it to "
    "find what is slow or expensive.",
    StatisticsArguments,
    SharePage,
    session_statistics,
)
