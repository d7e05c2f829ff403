"""Pages of `docs/` with generated parts, each between `<!-- NAME -->` and `<!-- /NAME -->`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def filled(page: str, parts: Mapping[str, str]) -> dict[Path, str]:
    """Return the path and text of a page with fresh parts, one of several lines on its own lines.

    Raises:
        ValueError: A mark is missing, or there twice.
    """
    path = Path("docs", page)
    text = (ROOT / path).read_text(encoding="utf-8")
    for name, part in parts.items():
        before, mark, rest = text.partition(f"<!-- {name} -->")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        if not end or mark in after:
            raise ValueError(f"{path} has not one <!-- {name} --> … <!-- /{name} -->")
        around = "\n" if "\n" in part else ""
        text = f"{before}{mark}{around}{part}{around}{end}{after}"
    return {path: text}


def table(head: str, rows: Iterable[str]) -> str:
    """Return a table from its head, such as `| a | b |`, and its rows."""
    rule = "| --- " * (head.count("|") - 1) + "|"
    return "\n".join([head, rule, *rows])
