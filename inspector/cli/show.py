"""`inspector show`: a session, its errors, or one of its spans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console

from inspector.cli import session_spans
from inspector.cli.console import show_errors, show_session, show_span, span_row
from inspector.cli.reader import ServiceReader
from inspector.errors import RefusedError
from inspector.service.analysis.causes import Group, error_line, groups_of
from inspector.service.analysis.outcome import cause_key
from inspector.service.analysis.outline import place_of
from inspector.service.analysis.span_tree import SpanTree

_MAX_CAUSES = 20
_MAX_COMPARED = 10
"""Limit of the spans of one name whose errors are read."""
_LINE_CHARS = 160
_MESSAGE_CHARS = 4_000

Row = dict[str, Any]
PrintJson = Callable[[object], None] | None


def tree(reader: ServiceReader, session: Row, *, is_full: bool, print_json: PrintJson) -> None:
    """Show a session as the tree of its spans; all of them if `is_full`."""
    found = session_spans.spans(reader, session["id"])
    if print_json:
        return print_json({"session": session, "spans": found})
    return show_tree(reader, session, _tree(session, found), Console(), every=is_full)


def show_tree(
    reader: ServiceReader, session: Row, tree: SpanTree, console: Console, *, every: bool = False
) -> None:
    """Show a tree, with the error of its first cause."""
    causes = _causes(reader, tree, _LINE_CHARS)
    why = {group.places[0]: message for group, message in causes}
    show_session(session, tree, why, console, every=every)


def errors(reader: ServiceReader, session: Row, *, print_json: PrintJson) -> None:
    """Show the errors of a session: the causes, with the ones that failed it first."""
    tree = _tree(session, session_spans.spans(reader, session["id"]))
    found = _causes(reader, tree, _MESSAGE_CHARS)
    if not print_json:
        return show_errors(session, tree, found)
    return print_json(
        [
            {
                "trace_id": tree.rows[group.places[0]].trace_id,
                "span_id": tree.rows[group.places[0]].span_id,
                "name": tree.rows[group.places[0]].name,
                "count": len(group.places),
                "reaches_root": group.reaches_root,
                "message": message,
            }
            for group, message in found
        ]
    )


def one_span(
    reader: ServiceReader, session: Row, span_id: str, *, is_full: bool, print_json: PrintJson
) -> None:
    """Show one span with its content, and its attributes too if `is_full`."""
    found = session_spans.spans(reader, session["id"])
    try:
        row = found[place_of([span_row(span, session["id"]) for span in found], span_id)]
    except RefusedError as error:
        advice = f"`inspector show {session['id']} --full` lists the spans with their ids."
        raise RefusedError(f"{error} {advice}") from error
    detail = session_spans.span(reader, session["id"], row["trace_id"], row["span_id"])
    if print_json:
        return print_json(detail)
    return show_span(detail, is_full=is_full)


def _tree(session: Row, found: list[Row]) -> SpanTree:
    return SpanTree.of([span_row(span, session["id"]) for span in found])


def _causes(reader: ServiceReader, tree: SpanTree, most: int) -> list[tuple[Group, str]]:
    """Return the causes by operation and error, each with the error."""
    found: list[tuple[Group, str]] = []
    for group in groups_of(tree)[:_MAX_CAUSES]:
        by_error: dict[str, tuple[str, list[int]]] = {}
        alike: tuple[str, list[int]] = ("", [])
        for place in group.places[:_MAX_COMPARED]:
            row = tree.rows[place]
            detail = session_spans.span(reader, row.session_id, row.trace_id, row.span_id)
            error = error_line(detail, most)
            alike = by_error.setdefault(cause_key(error), (error, []))
            alike[1].append(place)
        if others := group.places[_MAX_COMPARED:]:
            alike[1].extend(others)  # like the last that was read, as far as is known
        found += [
            (Group(sorted(places), group.reaches_root), error)
            for error, places in by_error.values()
        ]
    return found
