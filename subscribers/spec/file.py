"""The file of a telemetry spec as tables and rows with their positions.

`tomllib` gives no positions, so an error message looks a place up in the text again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from subscribers.errors import SpecError

GROUPS = ("spans", "hooks")
ALONE = ("common", "outcome")

_TOKEN = re.compile(r"""("(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*)|([{}])""")
_HEADER = re.compile(r"^[ \t]*\[[^\]\n{]*\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """A table of a file, or one of its rows."""

    file: Path
    text: str = field(repr=False)
    table: str
    index: int | None = None
    key: str | None = None
    """Attribute of the row; for people."""

    def refuse(self, what: str, column: str = "") -> NoReturn:
        """Raise a `SpecError` that names file, line, column and row."""
        where = self.table
        if self.index is not None:
            where = f"{self.table}.attributes[{self.index}] ({self.key})"
        stop = "" if what.endswith("?") else "."
        raise SpecError(f"Cannot use the telemetry spec {self.find(column)}: {where}: {what}{stop}")

    def find(self, column: str = "") -> str:
        """Return `file:line:column` of this place, or of one of its cells."""
        start, end = self._span()
        if column and (cell := re.search(rf"(?<![\w.-]){column}\s*=", self.text[start:end])):
            start += cell.start()
        line = self.text.count("\n", 0, start) + 1
        return f"{self.file}:{line}:{start - self.text.rfind(chr(10), 0, start)}"

    def _span(self) -> tuple[int, int]:
        sections = list(_sections(self.text, self.table))
        if self.index is None:
            return sections[0] if sections else (0, 0)
        long_rows = list(_sections(self.text, f"{self.table}.attributes"))
        rows = long_rows or [row for section in sections for row in _braces(self.text, *section)]
        return rows[self.index] if self.index < len(rows) else (sections or [(0, 0)])[0]


Cells: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """An entry of an `attributes` list."""

    cells: Cells
    place: Place

    @property
    def keys(self) -> set[str]:
        """The attributes it writes."""
        return {key for column in ("current", "legacy") if (key := self.cells.get(column))}

    def changed_by(self, other: Row) -> Row:
        """Return this row with the cells of `other`."""
        cells = {**self.cells, **other.cells}
        for column, rival in (("from", "value"), ("value", "from"), ("type", "via")):
            if column in other.cells and rival not in other.cells:
                cells.pop(rival, None)
        return Row(cells, other.place)


@dataclass(frozen=True, slots=True)
class Table:
    """`[hooks.NAME]`, `[spans.NAME]`, `[common]` or `[outcome]`."""

    cells: Cells
    rows: Sequence[Row]
    place: Place

    def changed_by(self, other: Table) -> Table:
        """Return this table with the cells and rows of `other`."""
        rows = list(self.rows)
        for row in other.rows:
            same = [index for index, known in enumerate(rows) if known.keys & row.keys]
            if not same:
                rows.append(row)
                continue
            rows[same[0]] = rows[same[0]].changed_by(row)
            for index in reversed(same[1:]):
                del rows[index]
        return Table({**self.cells, **other.cells}, rows, other.place)


@dataclass(frozen=True, slots=True)
class SpecFile:
    """All tables by their name, such as `hooks.before_tool_call`."""

    path: Path
    tables: Mapping[str, Table]

    def changed_by(self, other: SpecFile) -> SpecFile:
        """Return this file with the additions and changes of `other`."""
        tables = dict(self.tables)
        for name, table in other.tables.items():
            tables[name] = tables[name].changed_by(table) if name in tables else table
        return SpecFile(self.path, tables)


def read_spec_file(path: Path) -> SpecFile:
    """Read the tables of `path`.

    Raises:
        SpecError: It cannot be read, is no TOML, or has another shape.
    """
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise SpecError(f"Cannot read the telemetry spec {path}: {error}.") from error
    names = ("version", *GROUPS, *ALONE)  # the version in the file is ignored
    for name in data:
        if name not in names:
            Place(path, text, name).refuse(unknown("table", name, names))
    tables = {}
    for name in ALONE:
        if name in data:
            tables[name] = _table(Place(path, text, name), data[name])
    for group in GROUPS:
        inner = data.get(group, {})
        if not isinstance(inner, dict):
            Place(path, text, group).refuse("is not a table")
        for name, value in inner.items():
            full = f"{group}.{name}"
            tables[full] = _table(Place(path, text, full), value)
    return SpecFile(path, tables)


def unknown(what: str, name: object, allowed: Sequence[str]) -> str:
    """Return the message for an unknown `name`, with the closest or all allowed names."""
    close = get_close_matches(str(name), allowed, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    listed = f"; known: {', '.join(allowed)}" if len(allowed) <= 16 else ""
    return f"unknown {what} {name!r}{hint or listed}"


def _table(place: Place, value: object) -> Table:
    if not isinstance(value, dict):
        place.refuse("is not a table")
    entries = value.get("attributes", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        place.refuse("`attributes` is not a list of tables", "attributes")
    rows: list[Row] = []
    seen: set[str] = set()
    for index, cells in enumerate(entries):
        key = cells.get("current") or cells.get("legacy")
        row = Row(cells, Place(place.file, place.text, place.table, index, str(key)))
        for column in ("current", "legacy"):
            if not isinstance(cells.get(column, ""), str):
                row.place.refuse(f"`{column}` is not a string", column)
        if twice := sorted(seen & row.keys):
            row.place.refuse(f"two rows write {twice[0]}")
        seen |= row.keys
        rows.append(row)
    return Table({k: v for k, v in value.items() if k != "attributes"}, rows, place)


def _sections(text: str, table: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each table of this name."""
    name = r"[ \t]*\.[ \t]*".join(rf'"?{re.escape(part)}"?' for part in table.split("."))
    for header in re.finditer(rf"^[ \t]*(\[+)[ \t]*{name}[ \t]*\]", text, re.MULTILINE):
        following = _HEADER.search(text, header.end())
        yield header.start(1), following.start() if following else len(text)


def _braces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each outermost inline table of a section."""
    depth, begin = 0, start
    for token in _TOKEN.finditer(text, start, end):
        if token[2] == "{":
            begin = token.start() if depth == 0 else begin
            depth += 1
        elif token[2] == "}":
            depth -= 1
            if depth == 0:
                yield begin, token.end()
