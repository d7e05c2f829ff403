"""What the command line shows to people: tables, a tree, one line per event."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from inspector.hook_validation.finding import ERROR, WARNING, Report

_STYLES = {
    "waiting": "yellow",
    "paused": "yellow",
    "running": "cyan",
    "lost": "magenta",
    "failed": "red",
    "error": "red",
    "cancelled": "dim",
}
_MAX_CHARS = 200
_PIPED_WIDTH = 200
"""What does not go to a terminal is read by programs: nothing is cut to fit eighty columns."""
_WIDE = 100
"""From this width on there is room for the counts."""

Row = dict[str, Any]


def show_sessions(sessions: list[Row]) -> None:
    """Print a table of sessions, newest first."""
    console = Console()
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    table = Table(box=None, pad_edge=False, expand=console.is_terminal)
    for name in ("id", "status", "started"):
        table.add_column(name, no_wrap=True, max_width=40)
    # In a narrow terminal it is the title that gives way: an id is copied, a duration compared.
    table.add_column("title", no_wrap=True, overflow="ellipsis", ratio=1)
    counts = (("spans", 5), ("errors", 6), ("tokens", 6)) if console.width >= _WIDE else ()
    for name, min_width in (("duration", 8), *counts):
        table.add_column(name, justify="right", no_wrap=True, min_width=min_width)
    for session in sessions:
        table.add_row(
            plain(session["id"]),
            _status(session["status"]),
            session["started_at"][5:16].replace("T", " "),
            plain(session["title"]),
            _milliseconds(session["duration_ms"]),
            *_counts(session)[: len(counts)],
        )
    console.print(table)


def show_hits(hits: list[Row]) -> None:
    """Print the spans that a search found, and whose they are."""
    console = Console()
    for hit in hits:
        owner = (f"  {plain(hit['session_title']).plain}  {plain(hit['session_id']).plain}", "dim")
        console.print(Text.assemble(_span_line(hit["span"]), owner), soft_wrap=True)


def _counts(session: Row) -> tuple[str, ...]:
    tokens = session["input_tokens"] + session["output_tokens"]
    return str(session["span_count"]), str(session["error_count"]), str(tokens)


def show_session(session: Row, spans: list[Row]) -> None:
    """Print a session as the tree of its spans."""
    known = {span["span_id"] for span in spans}
    children = defaultdict(list)
    for span in spans:
        parent = span["parent_span_id"]
        children[parent if parent in known and parent != span["span_id"] else None].append(span)
    root = Tree(
        Text.assemble(
            (plain(session["title"]).plain, "bold"),
            "  ",
            _status(session["status"]),
            "  ",
            _milliseconds(session["duration_ms"]),
        )
    )
    # A stack and not recursion: a trace may be deeper than Python's.
    waiting = [(root, span) for span in reversed(children[None])]
    while waiting:
        branch, span = waiting.pop()
        leaf = branch.add(_span_line(span))
        waiting += [(leaf, child) for child in reversed(children[span["span_id"]])]
    Console().print(root)


def show_event(console: Console, event: Row) -> None:
    """Print one event of the stream."""
    if event["type"] in ("Heartbeat", "Gap"):
        return
    subject = event.get("span") or event.get("session") or {}
    said = Text.assemble(
        (event["time"][11:23], "dim"),
        f" {event['type']:<16} ",
        _status(subject.get("status", "")),
        " ",
        plain(subject.get("name") or subject.get("title") or event.get("name") or ""),
        (f"  {plain(event['session_id']).plain}", "dim"),
    )
    console.print(said, soft_wrap=True)


def plain(text: str) -> Text:
    """Return `text` from a trace as text: what could move the cursor is made visible."""
    shown = text[:_MAX_CHARS] + ("…" if len(text) > _MAX_CHARS else "")
    return Text("".join(char if char.isprintable() else "�" for char in shown))


def _span_line(span: Row) -> Text:
    duration = None if span["duration_ns"] is None else span["duration_ns"] / 1e6
    return Text.assemble(
        (f"{span['kind']:<9}", "dim"),
        plain(span["name"]),
        "  ",
        _status(span["status"]),
        "  ",
        _milliseconds(duration),
    )


def _status(status: str) -> Text:
    return Text(escape(status), style=_STYLES.get(status, ""))


def _milliseconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f} ms" if value < 10_000 else f"{value / 1000:.1f} s"


def show_report(report: Report) -> None:
    """Show what is wrong with a module of hooks, errors first, and what to do."""
    console = Console(soft_wrap=True, highlight=False)
    for one in report.findings:
        style = "red" if one.level == ERROR else "yellow"
        head = Text.assemble((one.level, style), f" {one.code}  {one.place}".rstrip())
        console.print(head, Text(f"  {one.problem}\n  {one.advice}"), sep="\n")
    errors, warnings = report.count(ERROR), report.count(WARNING)
    verdict = "valid" if report.is_valid else "not valid"
    console.print(Text(f"{report.path}: {verdict} (errors: {errors}, warnings: {warnings})"))
