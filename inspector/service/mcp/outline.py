"""`session_outline`: a session as a compact tree, one page of lines at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from inspector.service.analysis.causes import error_line, is_failed, with_failures
from inspector.service.analysis.formatting import duration, money, tokens
from inspector.service.analysis.outline import OutlineRow, lines_of, place_of, short_ids
from inspector.service.analysis.sanitise import visible_line
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.mcp.answer import MAX_CHARS, ClosedModel, Recorded
from inspector.service.mcp.finding import session_line, session_text
from inspector.service.mcp.source import MAX_SPANS, Archive
from inspector.service.mcp.tool import ServedTool
from inspector.service.model.rows import SpanRow, SpanStatus

_NAME_CHARS = 100
_ERROR_CHARS = 160
_ERRORS_A_PAGE = 12
_TEXT_CHARS = MAX_CHARS - 2_000
_MAX_INDENT = 24


class Outline(ClosedModel):
    """Arguments of `session_outline`."""

    session_id: str = Field(min_length=1, max_length=2_000, description="From find_sessions.")
    under: str | None = Field(
        None, max_length=16, description="A span id of the outline: show only its descendants."
    )
    every: bool = Field(
        False, description="List similar siblings one by one, instead of shortening them."
    )
    offset: int = Field(0, ge=0, description="`next` of the previous response.")


class OutlineData(ClosedModel):
    """A part of the tree."""

    session: str = Field(description="Title, status and counts.")
    tree: str = Field(description="One line per span; two spaces per level; the id in brackets.")
    line_count: int = Field(
        description="Lines of the whole tree; omitted siblings count as one line."
    )


def span_phrase(row: SpanRow, id_length: int) -> str:
    """Return a span as one line: kind, name, figures and id."""
    facts = [
        "" if row.status in (SpanStatus.OK, SpanStatus.UNSET) else row.status.value.upper(),
        duration(row.duration_ns),
        f"waited {duration(row.wait_ns)}" if row.wait_ns else "",
        visible_line(row.model, 40) if row.model and row.model not in row.name else "",
        tokens(row.input_tokens, row.output_tokens),
        money(row.cost_usd) if row.cost_usd else "",
    ]
    name = visible_line(row.name, _NAME_CHARS)
    return f"{row.kind.value} {name}  {' '.join(filter(None, facts))}  [{row.span_id[:id_length]}]"


def outline_texts(
    tree: SpanTree, lines: Sequence[OutlineRow], errors: Mapping[int, str]
) -> Iterator[str]:
    """Yield the lines of an outline; `errors` are the failures of spans, by index."""
    id_length = short_ids(tree.rows)
    for line in lines:
        row = tree.rows[line.span]
        indent = "  " * min(line.depth, _MAX_INDENT)
        deep = f"(level {line.depth}) " if line.depth > _MAX_INDENT else ""
        if line.left_out:
            failed = f", {line.failed} of them with errors" if line.failed else ""
            alike = f"{row.kind.value} {visible_line(row.name, _NAME_CHARS)}"
            yield f"{indent}{deep}… {line.left_out} more, such as {alike}{failed}"
            continue
        why = f"  — {errors[line.span]}" if line.span in errors else ""
        yield f"{indent}{deep}{span_phrase(row, id_length)}{why}"


async def session_outline(archive: Archive, arguments: Outline) -> Recorded[OutlineData]:
    """Return a page of the tree."""
    session = await archive.session(arguments.session_id)
    tree = await archive.tree(session)
    rows = tree.rows
    under = None if arguments.under is None else place_of(rows, arguments.under)
    lines = await asyncio.to_thread(lines_of, tree, under, every=arguments.every)
    page = _page(tree, lines[arguments.offset :])
    errors = await _error_lines(archive, tree, page)
    head = session_text(session_line(session))
    text = "\n".join(outline_texts(tree, page, errors))
    reached = arguments.offset + len(page)
    return Recorded(
        f"{head}\n\n{text or '(no more lines)'}",
        OutlineData(session=head, tree=text, line_count=len(lines)),
        {"offset": reached} if reached < len(lines) else {},
        _hint(session, rows, page),
    )


def _page(tree: SpanTree, lines: Sequence[OutlineRow]) -> list[OutlineRow]:
    """Return the first lines that fit, with room for their errors."""
    room = _TEXT_CHARS - _ERRORS_A_PAGE * (_ERROR_CHARS + 4)
    page: list[OutlineRow] = []
    for line, text in zip(lines, outline_texts(tree, lines, {}), strict=True):
        room -= len(text) + 1
        if room < 0:
            break
        page.append(line)
    return page


async def _error_lines(
    archive: Archive, tree: SpanTree, page: Sequence[OutlineRow]
) -> dict[int, str]:
    """Return the errors of the spans of a page that failed with no failure below them."""
    failed = with_failures(tree)
    causes = [
        line.span
        for line in page
        if not line.left_out
        and is_failed(tree.rows[line.span])
        and not any(failed[child] for child in tree.children[line.span])
    ]
    found = {}
    for place in causes[:_ERRORS_A_PAGE]:
        detail = await archive.span(tree.rows[place])
        found[place] = error_line(detail, _ERROR_CHARS)
    return found


def _hint(session: dict[str, Any], rows: Sequence[SpanRow], page: Sequence[OutlineRow]) -> str:
    hints = ["Use the ids in brackets with get_span (content) and `under`."]
    if any(line.left_out for line in page):
        hints.append("To expand `…`, call with `under` set to its parent and every=true.")
    if session["span_count"] > len(rows) >= MAX_SPANS:
        hints.append(f"Only the first {MAX_SPANS} spans were read.")
    return " ".join(hints)


OUTLINE = ServedTool(
    "session_outline",
    "Outline of a session",
    "Show a session as a compact indented tree: each span with kind, name, status if it is not "
    "ok, duration, tokens, cost, and error. Long runs of similar "
    "spans are shortened. Use `under` to look inside a span, then get_span for its content.",
    Outline,
    OutlineData,
    session_outline,
)
