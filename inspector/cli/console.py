"""Terminal output of the command line: tables, trees, one span, differences."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from inspector.cli.console_tree import plain, print_line, span_line, status, tree_lines
from inspector.cli.hook_validation.finding import ERROR, WARNING, Report
from inspector.service.analysis.causes import Group
from inspector.service.analysis.formatting import (
    LEAST_IDLE_NS,
    duration,
    money,
    plural,
    silence,
    tokens,
)
from inspector.service.analysis.outline import lines_of, short_ids
from inspector.service.analysis.sanitise import visible
from inspector.service.analysis.span_text import attributes, content
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus

_PIPED_WIDTH = 400
"""Width without a terminal: programs read it, so nothing is cut to eighty columns."""
_WIDE = 100
"""Least width of a terminal that shows the counts."""
_VERY_WIDE = 140
"""Least width of a terminal that shows causes and answers."""
_PATH_NAMES = 6

Row = dict[str, Any]


def show_sessions(sessions: list[Row], *, is_narrowed: bool = False) -> None:
    """Print a table of sessions in their order.

    Args:
        sessions: Their rows.
        is_narrowed: Whether a filter excludes others.
    """
    console = Console()
    if not sessions:
        console.print("No matching sessions." if is_narrowed else "No sessions yet.")
        return
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    table = Table(box=None, pad_edge=False, expand=console.is_terminal)
    for name in ("id", "status", "started"):
        table.add_column(name, no_wrap=True, max_width=40)
    # A narrow terminal shortens the title: people copy ids and compare durations.
    table.add_column("title", no_wrap=True, overflow="ellipsis", ratio=1)
    counts = (("spans", 5), ("errors", 6), ("tokens", 6)) if console.width >= _WIDE else ()
    for name, min_width in (("duration", 8), *counts):
        table.add_column(name, justify="right", no_wrap=True, min_width=min_width)
    says_why = console.width >= _VERY_WIDE
    if says_why:
        table.add_column("cause or answer", no_wrap=True, overflow="ellipsis", ratio=2)
    for session in sessions:
        table.add_row(
            Text(plain(session["id"])),
            _standing(session),
            session["started_at"][5:16].replace("T", " "),
            Text(plain(session["title"])),
            duration(_duration_ns(session)),
            *_counts(session)[: len(counts)],
            *([_why(session)] if says_why else []),
        )
    console.print(table)


def _why(session: Row) -> Text:
    """Return what failed first, amber if the session recovered, or the last answer."""
    if cause := session.get("cause"):
        return Text(plain(cause), "red" if session["status"] == "failed" else "yellow")
    return Text(plain(session.get("answer") or ""), "bright_black")


_BARS = " ▁▂▃▄▅▆▇█"


def show_causes(groups: list[Row], *, is_narrowed: bool = False) -> None:
    """Print a table of causes, with the number of their sessions over the time."""
    console = Console()
    if not groups:
        console.print("No matching session has errors." if is_narrowed else "No errors.")
        return
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    table = Table(box=None, pad_edge=False)
    table.add_column("cause", overflow="fold")
    for name in ("sessions", "failed"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("first seen", "last seen", "over time", "example"):
        table.add_column(name, no_wrap=True)
    for group in groups:
        most = max(group["counts"])
        heights = (-(-count * (len(_BARS) - 1) // most) for count in group["counts"])
        table.add_row(
            Text(plain(group["cause"])),
            str(group["session_count"]),
            str(group["failed_count"]),
            *(group[name][5:16].replace("T", " ") for name in ("first_seen", "last_seen")),
            "".join(_BARS[height] for height in heights),
            Text(plain(group["example"]["id"])),
        )
    console.print(table)


def show_usage(groups: list[Row], by: str) -> None:
    """Print a table of what sessions used, by `by`."""
    console = Console()
    if not groups:
        console.print("No matching sessions.")
        return
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    table = Table(box=None, pad_edge=False)
    table.add_column(by, overflow="ellipsis")
    for name in ("sessions", "LLM calls", "tool calls", "tokens in", "tokens out", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    for group in groups:
        counts = ("session_count", "llm_calls", "tool_calls", "input_tokens", "output_tokens")
        table.add_row(
            Text(plain(group["name"]) or "(none)"),
            *(str(group[name]) for name in counts),
            _cost(group),
        )
    console.print(table)


def _cost(group: Row) -> str:
    """Return the cost: nothing where no call carried one, a lower bound where some did not."""
    if group["cost_usd"] is None:
        return ""
    return ("≥ " if group["uncosted_calls"] else "") + money(group["cost_usd"])


def show_prices(found: Row) -> None:
    """Print which prices are used, and how far the computation of stored costs is."""
    used, run = found["price_list"], found["recomputation"]
    dated = f" of {used['date']}" if used["date"] else ""
    lines = [
        f"list   {used['name']} {used['version'] or '(not installed)'}{dated}",
        f"file   {found['file'] or 'none (INSPECTOR_PRICES names one)'}",
    ]
    if run["looked_at"] or run["is_running"] or run["error"]:
        state = "stopped" if run["error"] else "running" if run["is_running"] else "done"
        counts = (
            f"{plural(run['looked_at'], 'LLM call')} checked, "
            f"{plural(run['changed'], 'cost')} changed"
        )
        lines.append(f"costs  recomputation {state}: {counts}")
    if run["error"]:
        lines.append(f"       {run['error']}")
    for line in lines:
        Console().print(Text(line), soft_wrap=True)


def _standing(session: Row) -> Text:
    """Return the status, and the silence of a session that runs without an end."""
    quiet = silence(session.get("silent_since"), time.time())
    return status(session["status"]) + Text(f" ({quiet})" if quiet else "", "bright_black")


def _counts(session: Row) -> tuple[Text, ...]:
    failed = session["error_count"]
    return (
        Text(str(session["span_count"])),
        Text(str(failed), style="bold red" if failed else "bright_black"),
        Text(str(session["input_tokens"] + session["output_tokens"])),
    )


def _duration_ns(session: Row) -> int | None:
    return None if session["duration_ms"] is None else round(session["duration_ms"] * 1e6)


def _idle(session: Row) -> str:
    """Return the idle time, which the duration excludes; empty if it is short."""
    idle_ns = round(session.get("idle_ms", 0.0) * 1e6)
    return f"idle {duration(idle_ns)}" if idle_ns >= LEAST_IDLE_NS else ""


def name_sessions(sessions: Sequence[Row]) -> None:
    """List the candidate sessions on standard error."""
    console = Console(stderr=True)
    for session in sessions:
        print_line(console, session_head(session, with_id=True))


def show_hits(hits: list[Row]) -> None:
    """Print the spans that a search found, and their sessions."""
    console = Console()
    if not hits:
        console.print("No matching spans.")
    for hit in hits:
        row = span_row(hit["span"], hit["session_id"])
        owner = f"  {row.span_id}  {plain(hit['session_title'])}  {plain(hit['session_id'])}"
        print_line(console, span_line(row) + Text(owner, "bright_black"))


def span_row(span: Row, session_id: str) -> SpanRow:
    """Return a span of the API as a `SpanRow`."""
    kind, state = SpanKind(span["kind"]), SpanStatus(span["status"])
    fields = {name: value for name, value in span.items() if name in SpanRow.__slots__}
    return SpanRow(**{**fields, "session_id": session_id, "kind": kind, "status": state})


def session_head(session: Row, *, with_id: bool = False) -> Text:
    """Return a session as one line."""
    figures = [
        duration(_duration_ns(session)),
        f"waited {duration(round(session['waiting_ms'] * 1e6))}" if session["waiting_ms"] else "",
        _idle(session),
        plural(session["span_count"], "span"),
        tokens(session["input_tokens"], session["output_tokens"]),
        money(session["cost_usd"]) if session["cost_usd"] else "",
    ]
    return Text.assemble(
        (plain(session["title"]), "bold"),
        "  ",
        _standing(session),
        (f"  {plain(session['id'])}" if with_id else "", "bright_black"),
        ("  " + "  ".join(filter(None, figures)), "bright_black"),
        (f"  {plural(session['error_count'], 'error')}", "red") if session["error_count"] else "",
    )


def show_session(
    session: Row, tree: SpanTree, why: dict[int, str], console: Console, *, every: bool
) -> None:
    """Print a session as the tree of its spans.

    Args:
        session: Its row.
        tree: All its spans.
        why: Error messages by index of the span.
        console: The output.
        every: Whether similar siblings are shown, too.
    """
    print_line(console, session_head(session, with_id=True))
    id_length = short_ids(tree.rows)

    def describe(place: int) -> Text:
        row = tree.rows[place]
        line = span_line(row) + Text(f"  {row.span_id[:id_length]}", "bright_black")
        return line + Text(f"  {plain(why[place])}", "red") if place in why else line

    lines = lines_of(tree, None, every=every)
    for line in tree_lines(tree, lines, describe, is_ascii=console.options.ascii_only):
        print_line(console, line)
    if len(lines) < len(tree.rows):
        print_line(console, Text("Show all with --full.", "bright_black"))


def show_errors(session: Row, tree: SpanTree, found: Sequence[tuple[Group, str]]) -> None:
    """Print the errors of a session: each cause with its message and place."""
    console = Console()
    print_line(console, session_head(session))
    for group, message in found:
        first = group.places[0]
        row = tree.rows[first]
        times = f"  {len(group.places)} times" if len(group.places) > 1 else ""
        print_line(
            console, Text.assemble(span_line(row), (f"{times}  {row.span_id}", "bright_black"))
        )
        console.print(Text(f"  {visible(message)}", "red"), soft_wrap=True, highlight=False)
        above = [plain(tree.rows[place].name) for place in tree.above(first)[-_PATH_NAMES:]]
        print_line(
            console, Text(f"  in {' > '.join(above)}" if above else "  the root", "bright_black")
        )
    if not found:
        console.print("No errors.")
    elif rest := session["error_count"] - sum(len(group.places) for group, _ in found):
        print_line(console, Text(f"{plural(rest, 'more error')}, not listed here", "bright_black"))


def show_span(detail: Row, *, is_full: bool) -> None:
    """Print one span with its content, and its other data if `is_full`."""
    console = Console()
    row = span_row(detail, detail["session_id"])
    print_line(console, span_line(row))
    print_line(console, Text(f"span {row.span_id}  trace {row.trace_id}", "bright_black"))
    for chapter in [*content(detail), *(attributes(detail) if is_full else ())]:
        style = "bold" if chapter.startswith("## ") and "\n" not in chapter else ""
        console.print(Text(visible(chapter), style), soft_wrap=True, highlight=False)


def show_report(report: Report) -> None:
    """Print the findings about a module of hooks, errors first, with advice."""
    console = Console(soft_wrap=True, highlight=False)
    for one in report.findings:
        style = "red" if one.level == ERROR else "yellow"
        head = Text.assemble((one.level, style), f" {one.code}  {one.place}".rstrip())
        console.print(head, Text(visible(f"  {one.problem}\n  {one.advice}")), sep="\n")
    errors, warnings = report.count(ERROR), report.count(WARNING)
    verdict = "valid" if report.is_valid else "not valid"
    path = visible(str(report.path))
    console.print(Text(f"{path}: {verdict} (errors: {errors}, warnings: {warnings})"))
