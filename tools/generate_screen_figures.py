"""Generate the figures of the page in `docs/benchmarks.md` from `benchmarks/screen.json`.

`benchmarks/bench_screen.py --json benchmarks/screen.json` measures and writes that file; it prints
the same tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from tools.pages import ROOT, filled

RESULTS = Path("benchmarks/screen.json")

TITLES = {
    "weight": "Weight",
    "paint": "Paint",
    "frames": "Frames",
    "value": "A large value",
    "hook": "From a hook to the page",
    "phoenix": "Beside Phoenix",
}
HEADINGS = {
    "kb_gzip": "kB gzip",
    "at_most_kb": "at most",
    "first_ms": "first paint, ms",
    "useful_ms": "useful paint, ms",
    "whole_ms": "all rows, ms",
    "heap_mib": "heap, MiB",
    "shown_ms": "shown after the click, ms",
    "p50_ms": "p50, ms",
    "p95_ms": "p95",
    "p99_ms": "p99",
    "longest_ms": "longest",
    "dropped_percent": "dropped, %",
    "script_ms": "CPU ms: script",
    "layout_ms": "layout",
    "paint_ms": "paint",
    "raster_ms": "raster",
    "to_floor": "to floor",
}
_SMALL = 10
_CPU = ("script_ms", "layout_ms", "paint_ms", "raster_ms")


class Row(TypedDict):
    """One line of a table."""

    table: str
    what: str
    figures: dict[str, float]


class Part(TypedDict):
    """The results of one part, and their time."""

    measured: str
    """UTC, to the minute."""
    load: float
    """Load of the machine when the part began."""
    took_s: float
    rows: list[Row]


class Results(TypedDict):
    """The content of the file."""

    machine: str
    parts: dict[str, Part]


def outputs() -> dict[Path, str]:
    """Return the page with fresh figures."""
    results: Results = json.loads((ROOT / RESULTS).read_text(encoding="utf-8"))
    parts = results["parts"]
    measured = "; ".join(
        f"{name}: {part['measured']}, load {part['load']:.1f}, {part['took_s']:.0f} s"
        for name, part in parts.items()
    )
    rows = [row for part in parts.values() for row in part["rows"]]
    text = f"\n{results['machine']}. {measured}.\n\n{tables(rows)}"
    return filled("benchmarks.md", {"figures": text})


def tables(rows: Sequence[Row]) -> str:
    """Return the rows as tables in Markdown, one for each table that they name."""
    made = []
    for table, title in TITLES.items():
        lines = [row for row in rows if row["table"] == table]
        if lines:
            made.append(_table(title, lines))
    return "\n".join(made)


def _table(title: str, rows: Sequence[Row]) -> str:
    columns = [name for name in HEADINGS if any(name in row["figures"] for row in rows)]
    cells = [
        [title, *(HEADINGS[name] for name in columns)],
        *([row["what"], *(_cell(name, row["figures"]) for name in columns)] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    head, *body = (_line(line, widths) for line in cells)
    rule = _line(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])], widths)
    return "\n".join([head, rule, *body, ""])


def _cell(name: str, figures: Mapping[str, float]) -> str:
    if name not in figures:
        return ""
    is_exact = name in _CPU or (abs(figures[name]) < _SMALL and not name.endswith("_ms"))
    return f"{figures[name]:,.{1 if is_exact else 0}f}"


def _line(cells: Iterable[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
    return f"| {' | '.join(padded)} |"
