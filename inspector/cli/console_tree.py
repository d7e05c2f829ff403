"""Spans on a terminal: a tree of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from inspector.service.analysis.formatting import duration, money, tokens
from inspector.service.analysis.outline import OutlineRow
from inspector.service.analysis.sanitise import visible_line
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus

STYLES: Mapping[str, str] = {
    "waiting": "bold yellow",
    "paused": "yellow",
    "running": "cyan",
    "lost": "magenta",
    "failed": "bold red",
    "error": "bold red",
    "cancelled": "bright_black",
    "completed": "green",
}
_KINDS: Mapping[SpanKind, str] = {
    SpanKind.AGENT: "magenta",
    SpanKind.WORKFLOW: "magenta",
    SpanKind.LLM: "blue",
    SpanKind.TOOL: "green",
    SpanKind.MCP: "bright_black",
    SpanKind.RESOURCE: "bright_black",
    SpanKind.PROMPT: "bright_black",
}
_NAME_CHARS = 200
_MAX_LEVELS = 16
"""Deeper lines show their level as a number, because a terminal is narrow."""
_BRANCHES = {False: ("├─ ", "└─ ", "│  ", "   "), True: ("|- ", "`- ", "|  ", "   ")}


def plain(text: str, most: int = _NAME_CHARS) -> str:
    """Return `text` from a trace as one line, with control characters escaped."""
    return visible_line(text, most)


def status(word: str) -> Text:
    """Return a status in its colour."""
    return Text(word, style=STYLES.get(word, ""))


def span_line(row: SpanRow, *, elapsed_ns: int | None = None, is_waiting: bool = False) -> Text:
    """Return a span: its kind, its name, and its notable properties.

    Args:
        row: The span.
        elapsed_ns: Time since the start of a running span.
        is_waiting: Whether it waits for a person.
    """
    is_remarkable = row.status not in (SpanStatus.OK, SpanStatus.UNSET)
    parts: list[Text | tuple[str, str]] = [
        (f"{row.kind.value} ", _KINDS.get(row.kind, "")),
        Text(plain(row.name)),
    ]
    word = "waiting" if is_waiting else row.status.value
    if row.duplicate_of is not None:
        parts.append(("  duplicate", "bright_black"))
    if is_remarkable:
        parts += [("  ", ""), status(word)]
    took = row.duration_ns if row.duration_ns is not None else elapsed_ns
    figures = [
        duration(took) + ("…" if row.duration_ns is None and took is not None else ""),
        f"waited {duration(row.wait_ns)}" if row.wait_ns else "",
        tokens(row.input_tokens, row.output_tokens),
        money(row.cost_usd) if row.cost_usd else "",
    ]
    if text := "  ".join(filter(None, figures)):
        parts.append((f"  {text}", "bright_black"))
    return Text.assemble(*parts)


def tree_lines(
    tree: SpanTree,
    lines: Sequence[OutlineRow],
    describe: Callable[[int], Text],
    *,
    is_ascii: bool = False,
) -> Iterator[Text]:
    """Yield the lines of an outline, each with its branches.

    Args:
        tree: The spans of the outline.
        lines: The complete outline.
        describe: Returns the line of a span.
        is_ascii: Whether the terminal has ASCII only.
    """
    fork, corner, trunk, gap = _BRANCHES[is_ascii]
    is_last = _last_ones(lines)
    open_levels: list[bool] = []
    for line, last in zip(lines, is_last, strict=True):
        del open_levels[line.depth :]
        levels = open_levels[-_MAX_LEVELS:]
        deep = f"({line.depth}) " if line.depth > _MAX_LEVELS else ""
        branches = "".join(trunk if is_open else gap for is_open in levels)
        head = Text(f"{deep}{branches}{corner if last else fork}", style="bright_black")
        row = tree.rows[line.span]
        yield head + (_left_out(line, row) if line.left_out else describe(line.span))
        open_levels.append(not last)


def _left_out(line: OutlineRow, row: SpanRow) -> Text:
    text = Text(
        f"… {line.left_out} more, such as {row.kind.value} {plain(row.name)}", "bright_black"
    )
    return text + Text(f", {line.failed} with errors", "red") if line.failed else text


def _last_ones(lines: Sequence[OutlineRow]) -> list[bool]:
    """Return for each line whether no sibling follows it."""
    found: list[bool] = []
    has_later: list[bool] = []  # by level
    for line in reversed(lines):
        del has_later[line.depth + 1 :]
        has_later += [False] * (line.depth + 1 - len(has_later))
        found.append(not has_later[line.depth])
        has_later[line.depth] = True
    return found[::-1]


def print_line(console: Console, line: Text) -> None:
    """Print a line: cut to the width of a terminal, in full elsewhere."""
    if console.is_terminal:
        console.print(line, no_wrap=True, overflow="ellipsis", crop=True, highlight=False)
    else:
        console.print(line, soft_wrap=True, highlight=False)
