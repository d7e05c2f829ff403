"""`session_outline`: what happened in a session, as a compact tree.

Where many siblings are alike, the first few and those that failed stand for all: a loop of a
thousand turns is a few lines. Whoever wants the others asks for what is under their parent.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from inspector.client import RefusedError
from inspector.mcp_server.answer import MAX_CHARS, Closed, Recorded
from inspector.mcp_server.finding import session_line, session_text
from inspector.mcp_server.source import MAX_SPANS, Source, session_of, span_of, spans_of
from inspector.mcp_server.tool import Tool
from inspector.model import SpanRow, SpanStatus
from inspector.readable import duration, money, tokens
from inspector.span_tree import SpanTree
from inspector.visible import visible_line

FEW_ALIKE = 6
"""So many siblings alike are all shown."""
_FIRST_ALIKE = 3
_FAILED_ALIKE = 3
_NAME_CHARS = 100
_ERROR_CHARS = 160
_ERRORS_A_PAGE = 12
_TEXT_CHARS = MAX_CHARS - 2_000
_MAX_INDENT = 24
_ID_LENGTHS = (8, 12)


class Outline(Closed):
    """Arguments."""

    session_id: str = Field(min_length=1, max_length=2_000)
    under: str | None = Field(
        None, max_length=16, description="A span id of the outline: only what is below that span."
    )
    every: bool = Field(
        False, description="Show siblings that are alike one by one, instead of a few for all."
    )
    offset: int = Field(0, ge=0, description="`next` of the answer before.")


class OutlineData(Closed):
    """A part of the tree."""

    session: str = Field(description="Title, status and counts.")
    tree: str = Field(description="One line a span; two spaces a level; the id in brackets.")
    line_count: int = Field(description="Of all the tree, with what is left out on one line.")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the outline: a span, or a stretch of siblings that is left out."""

    depth: int
    span: int
    left_out: int = 0
    failed: int = 0


def is_failed(row: SpanRow) -> bool:
    """Say whether a span failed itself; one that shows the same operation again did not."""
    return row.status is SpanStatus.ERROR and row.duplicate_of is None


def lines_of(tree: SpanTree, under: int | None, *, every: bool) -> list[Line]:
    """Return the outline, whole; `under` is the index of the span whose inside is wanted."""
    tops = tree.roots if under is None else [under]
    lines: list[Line] = []
    has_failed = with_failures(tree)
    waiting = [(0, line) for line in reversed(_chosen(tree, tops, has_failed, every=every))]
    while waiting:
        depth, line = waiting.pop()
        lines.append(Line(depth, line.span, line.left_out, line.failed))
        if not line.left_out:
            inside = _chosen(tree, tree.children[line.span], has_failed, every=every)
            waiting += [(depth + 1, child) for child in reversed(inside)]
    return lines


def short_ids(rows: Sequence[SpanRow]) -> int:
    """Return how many characters of a span id tell the spans of a session apart."""
    for length in _ID_LENGTHS:
        if len({row.span_id[:length] for row in rows}) == len({row.span_id for row in rows}):
            return length
    return 16


def place_of(rows: Sequence[SpanRow], span_id: str) -> int:
    """Return the index of the span whose id begins so.

    Raises:
        RefusedError: None does, or several do.
    """
    found = [place for place, row in enumerate(rows) if row.span_id.startswith(span_id.lower())]
    if len(found) == 1:
        return found[0]
    exact = [place for place in found if rows[place].span_id == span_id.lower()]
    if exact:
        return exact[0]
    many = "several spans begin so; give more of the id" if found else "see session_outline"
    raise RefusedError(f"No one span of this session has the id {span_id!r}: {many}.")


def with_failures(tree: SpanTree) -> bytearray:
    """Mark the spans that failed, and all that are above one."""
    marked = bytearray(len(tree.rows))
    for place, row in enumerate(tree.rows):
        above: int | None = place if is_failed(row) else None
        while above is not None and not marked[above]:
            marked[above] = 1
            above = tree.parents[above]
    return marked


def _chosen(
    tree: SpanTree, siblings: Sequence[int], has_failed: bytearray, *, every: bool
) -> list[Line]:
    """Return the siblings that are shown, and one line for each stretch of those that are not."""
    if every or len(siblings) <= FEW_ALIKE:
        return [Line(0, place) for place in siblings]
    likeness = [(tree.rows[place].kind, tree.rows[place].name) for place in siblings]
    many = {like for like, number in Counter(likeness).items() if number > FEW_ALIKE}
    shown, failed = Counter[Any](), Counter[Any]()
    lines: list[Line] = []
    for place, like in zip(siblings, likeness, strict=True):
        failure = has_failed[place]
        if like in many and shown[like] >= _FIRST_ALIKE:
            if not (failure and failed[like] < _FAILED_ALIKE):
                _leave_out(lines, place, failure)
                continue
            failed[like] += 1
        shown[like] += 1
        lines.append(Line(0, place))
    # A line that leaves out a single span is longer than that span.
    return [Line(0, one.span) if one.left_out == 1 else one for one in lines]


def _leave_out(lines: list[Line], place: int, failure: int) -> None:
    last = lines[-1]
    if last.left_out:
        lines[-1] = Line(0, last.span, last.left_out + 1, last.failed + failure)
    else:
        lines.append(Line(0, place, 1, failure))


def span_phrase(row: SpanRow, id_length: int) -> str:
    """Return a span as one line: kind, name, what is remarkable, and the id."""
    facts = [
        "" if row.status in (SpanStatus.OK, SpanStatus.UNSET) else row.status.value.upper(),
        duration(row.duration_ns),
        f"waited {duration(row.wait_ns)}" if row.wait_ns else "",
        visible_line(row.model, 40) if row.model and row.model not in row.name else "",
        tokens(row.input_tokens, row.output_tokens),
        money(row.cost_usd) if row.cost_usd else "",
    ]
    said = " ".join(filter(None, facts))
    name = visible_line(row.name, _NAME_CHARS)
    return f"{row.kind.value} {name}  {said}  [{row.span_id[:id_length]}]"


def _texts(tree: SpanTree, lines: Sequence[Line], errors: dict[int, str]) -> Iterator[str]:
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


async def session_outline(source: Source, asked: Outline) -> Recorded[OutlineData]:
    """Return a page of the tree."""
    session = await session_of(source, asked.session_id)
    rows = await spans_of(source, session["id"])
    tree = await asyncio.to_thread(SpanTree.of, rows)
    under = None if asked.under is None else place_of(rows, asked.under)
    lines = await asyncio.to_thread(lines_of, tree, under, every=asked.every)
    page = _page(tree, lines[asked.offset :])
    errors = await _error_lines(source, tree, page)
    head = session_text(session_line(session))
    text = "\n".join(_texts(tree, page, errors))
    reached = asked.offset + len(page)
    return Recorded(
        f"{head}\n\n{text or '(no more lines)'}",
        OutlineData(session=head, tree=text, line_count=len(lines)),
        {"offset": reached} if reached < len(lines) else {},
        _hint(session, rows, page),
    )


def _page(tree: SpanTree, lines: Sequence[Line]) -> list[Line]:
    """Return as many lines as there is room for, with their errors."""
    room = _TEXT_CHARS - _ERRORS_A_PAGE * (_ERROR_CHARS + 4)
    page: list[Line] = []
    for line, text in zip(lines, _texts(tree, lines, {}), strict=True):
        room -= len(text) + 1
        if room < 0:
            break
        page.append(line)
    return page


async def _error_lines(source: Source, tree: SpanTree, page: Sequence[Line]) -> dict[int, str]:
    """Return why spans of the page failed, of those below which none did."""
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
        detail = await span_of(source, tree.rows[place])
        found[place] = error_line(detail, _ERROR_CHARS)
    return found


def error_line(detail: dict[str, Any], most: int) -> str:
    """Return why a span failed, on one line: type and message, or what its tool answered."""
    error = detail["view"]["error"] or {}
    parts = [error.get("type"), error.get("message") or detail["status_message"]]
    said = ": ".join(dict.fromkeys(filter(None, parts)))
    tool = detail["view"]["tool"]
    if tool and tool["result"] and not error.get("message"):
        said = f"{said}: {tool['result']['text'][:most]}" if said else tool["result"]["text"][:most]
    return visible_line(said or "no reason was recorded", most)


def _hint(session: dict[str, Any], rows: Sequence[SpanRow], page: Sequence[Line]) -> str:
    hints = ["Ids in brackets are for get_span (content) and for `under`."]
    if any(line.left_out for line in page):
        hints.append("What `…` leaves out: call with `under` its parent and every=true.")
    if session["span_count"] > len(rows) >= MAX_SPANS:
        hints.append(f"Only the first {MAX_SPANS} spans were read.")
    return " ".join(hints)


OUTLINE = Tool(
    "session_outline",
    "Outline of a session",
    "Show what happened in a session as a compact indented tree: each span with kind, name, "
    "status if it is not ok, duration, tokens, cost, and why it failed. Long runs of similar "
    "spans are shortened. Use `under` to look inside a span, then get_span for its content.",
    Outline,
    OutlineData,
    session_outline,
)
