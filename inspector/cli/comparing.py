"""`inspector compare`: what differs between two sessions, or between several step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.text import Text

from inspector.cli.console import session_head
from inspector.cli.console_tree import plain, print_line
from inspector.cli.reader import ServiceReader
from inspector.service.analysis.formatting import duration, plural

_PATH_NAMES = 6

Row = dict[str, Any]


def compare(
    reader: ServiceReader,
    ids: list[str],
    *,
    limit: int,
    print_json: Callable[[object], None] | None,
) -> None:
    """Print the differences of two sessions, or the steps of several that differ."""
    if len(ids) == 2:
        found = reader.get("/compare", left=ids[0], right=ids[1], limit=limit)
        show = show_comparison
    else:
        found = reader.get("/compare/runs", session=ids, limit=limit)
        show = show_runs
    if print_json:
        print_json(found)
    else:
        show(found)


def show_comparison(found: Row) -> None:
    """Print the differences between two sessions, and the first of them."""
    console = Console()
    for name in ("left", "right"):
        print_line(console, Text(f"{name:<6}", "bold") + session_head(found[name], with_id=True))
    total = plural(found["difference_count"], "difference")
    print_line(console, Text(f"{total}, {plural(found['same_count'], 'span')} the same"))
    if found["diverged"]:
        print_line(console, Text("first: ", "bold") + _difference_head(found["diverged"]))
    for difference in found["differences"]:
        print_line(console, _difference_head(difference))
        for side, sign, style in (("left", "-", "red"), ("right", "+", "green")):
            if difference[f"{side}_answer"] is not None:
                print_line(
                    console, Text(f"    {sign} {plain(difference[f'{side}_answer'], 400)}", style)
                )
    if (hidden := found["difference_count"] - len(found["differences"])) > 0:
        print_line(console, Text(f"… {hidden} more: see --limit", "bright_black"))


_CHANGES = {"failed": "bold red", "removed": "red", "added": "green", "recovered": "green"}


def _difference_head(difference: Row) -> Text:
    changes = [
        Text(change.replace("_", " "), _CHANGES.get(change, "yellow"))
        for change in difference["changes"]
    ]
    names = [plain(name, 60) for name in difference["path"][-_PATH_NAMES:]]
    left, right = difference["left"], difference["right"]
    own = [duration(difference[f"{side}_own_ns"]) for side in ("left", "right")]
    took = f"  {own[0]} -> {own[1]}" if left and right and own[0] != own[1] else ""
    below = f"  with {difference['span_count'] - 1} below" if difference["span_count"] > 1 else ""
    ids = "  ".join(side["span_id"] for side in (left, right) if side)
    return Text.assemble(
        Text(", ").join(changes),
        f"  {' > '.join(names)}",
        (f"{took}{below}  {ids}", "bright_black"),
    )


def show_runs(found: Row) -> None:
    """Print the steps in which several sessions differ, each run compared with the first."""
    console = Console()
    for run, session in enumerate(found["sessions"], 1):
        print_line(console, Text(f"{run:<3}", "bold") + session_head(session, with_id=True))
    total = plural(found["row_count"], "step")
    print_line(console, Text(f"{found['differing_count']} of {total} differ"))
    for step in found["steps"]:
        is_first = step["row"] == found["first_difference"]
        head = f"{'  ' * step['depth']}{plain(step['name'], 60)}"
        parts = [Text(head, "bold" if is_first else "")]
        if step["differs"]:
            parts += [_run_cell(run, cell) for run, cell in enumerate(step["cells"], 1)]
        if is_first:
            parts.append(Text("first difference", "yellow"))
        print_line(console, Text("  ").join(parts))
    if found["next_row"] is not None:
        print_line(console, Text("… more: see --limit", "bright_black"))


def _run_cell(run: int, cell: Row | None) -> Text:
    if cell is None:
        return Text(f"{run}: none", "bright_black")
    changes = [one.replace("_", " ") for one in cell["changes"]]
    style = _CHANGES.get(cell["changes"][0], "yellow") if changes else "bright_black"
    return Text(
        " ".join([f"{run}:", duration(cell["duration_ns"]), ", ".join(changes)]).rstrip(), style
    )
