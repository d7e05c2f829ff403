"""The loader of the telemetry spec: checks each cell and reports errors with position."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from instrument import CATALOGUE
from subscribers.content.convert import CONVERSIONS
from subscribers.content.paths import roots
from subscribers.errors import SpecError
from subscribers.spec.file import Cells, Place, Row, SpecFile, Table, read_spec_file, unknown
from subscribers.spec.model import (
    ACTIONS,
    DEFAULT_CONVERSIONS,
    DEFAULT_PATH,
    KINDS,
    KNOWN_TO_THE_BRIDGE,
    TARGETS,
    Attribute,
    HookSpec,
    Requirement,
    Sensitivity,
    SpanSpec,
    Spec,
    Truncation,
)

_logger = logging.getLogger("inspector")

ENVIRONMENT_VARIABLE = "INSPECTOR_TELEMETRY_SPEC"

_E = TypeVar("_E", bound=StrEnum)

_SPAN_COLUMNS = ("noun", "name", "legacy_name", "kind", "key", "when")
_HOOK_COLUMNS = ("action", "span", "failure", "event", "on")
_ROW_COLUMNS = (
    "current", "legacy", "from", "value", "via", "type", "req", "cut", "sens", "when",
)  # fmt: skip
_ALL_KWARGS = frozenset(kwarg.name for hook in CATALOGUE.values() for kwarg in hook.kwargs)


def load_spec(path: Path | str | None = None) -> Spec:
    """Read and check a spec.

    Args:
        path: A complete spec; default: the built-in one, with the additions and changes of the
            file named by `INSPECTOR_TELEMETRY_SPEC`.

    Raises:
        SpecError: It cannot be read or is invalid; names the file, the line and the row.
    """
    source = read_spec_file(Path(path or DEFAULT_PATH))
    if path is None and (file := os.environ.get(ENVIRONMENT_VARIABLE)):
        source = source.changed_by(read_spec_file(Path(file)))
    return checked(source)


def usable_spec() -> Spec:
    """Return `load_spec()`, or the built-in spec with a warning if the user's file is wrong."""
    try:
        return load_spec()
    except SpecError as error:
        _logger.warning("%s The built-in telemetry spec is used.", error)
        return load_spec(DEFAULT_PATH)


def checked(source: SpecFile) -> Spec:
    """Return the spec that `source` describes.

    Raises:
        SpecError: It is invalid.
    """
    spans = {name: _span(name, table) for name, table in _group(source, "spans")}
    common = _attributes(source.tables.get("common"), _ALL_KWARGS)
    outcome = _attributes(source.tables.get("outcome"), _ALL_KWARGS)
    hooks = {
        name: _hook(name, table, spans, common, outcome) for name, table in _group(source, "hooks")
    }
    whole = Place(source.path, "", "hooks")
    if missing := sorted(CATALOGUE.keys() - hooks.keys()):
        whole.refuse(f"no row for {', '.join(missing)}")
    return Spec(hooks, spans)


def _group(source: SpecFile, group: str) -> Iterable[tuple[str, Table]]:
    for full, table in source.tables.items():
        if full.startswith(f"{group}."):
            yield full.removeprefix(f"{group}."), table


def _span(name: str, table: Table) -> SpanSpec:
    cells, place = table.cells, table.place
    _only(place, cells, _SPAN_COLUMNS)
    if table.rows:
        place.refuse("attributes belong to the hooks of a span, not to the span", "attributes")
    for column in ("noun", "name", "legacy_name", "kind", "key"):
        if not isinstance(cells.get(column), str):
            place.refuse(f"`{column}` is missing", column)
    _one_of(place, "kind", cells["kind"], KINDS)
    if f"before_{cells['noun']}" not in CATALOGUE:
        nouns = [hook.removeprefix("before_") for hook in CATALOGUE if hook.startswith("before_")]
        place.refuse(unknown("noun", cells["noun"], nouns), "noun")
    kwargs = _kwargs(f"before_{cells['noun']}")
    for column in ("key", "when"):
        _known(place, cells, column, kwargs)
    return SpanSpec(
        name, cells["noun"], cells["name"], cells["legacy_name"], cells["kind"], cells["key"],
        cells.get("when"),
    )  # fmt: skip


def _hook(
    name: str,
    table: Table,
    spans: Mapping[str, SpanSpec],
    common: tuple[Attribute, ...],
    outcome: tuple[Attribute, ...],
) -> HookSpec:
    cells, place = table.cells, table.place
    if name not in CATALOGUE:
        place.refuse(unknown("hook", name, list(CATALOGUE)))
    _only(place, cells, _HOOK_COLUMNS)
    action, span, on = cells.get("action"), cells.get("span"), cells.get("on", "span")
    _one_of(place, "action", action, ACTIONS)
    _one_of(place, "on", on, TARGETS)
    if span is not None and span not in spans:
        place.refuse(unknown("span", span, list(spans)), "span")
    if (action == "event") != ("event" in cells):
        place.refuse('`event` is only for action = "event"', "action")
    kwargs = _kwargs(name)
    _known(place, cells, "failure", kwargs)
    own = _attributes(table, kwargs)
    rows = own
    if action == "end":
        rows += _besides(outcome, own)
    if action in {"start", "event"}:
        rows = _besides(common, own) + rows
    return HookSpec(name, str(action), span, cells.get("failure"), cells.get("event"), on, rows)


def _besides(rows: tuple[Attribute, ...], own: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Return `rows` without the keys of a hook's own rows."""
    own_keys = {key for row in own for key in row.keys}
    return tuple(row for row in rows if not own_keys & set(row.keys))


def _attributes(table: Table | None, kwargs: frozenset[str]) -> tuple[Attribute, ...]:
    return tuple(_attribute(row, kwargs) for row in table.rows) if table is not None else ()


def _attribute(row: Row, kwargs: frozenset[str]) -> Attribute:
    cells, place = row.cells, row.place
    _only(place, cells, _ROW_COLUMNS)
    if not row.keys:
        place.refuse("needs `current` or `legacy`")
    if ("from" in cells) == ("value" in cells):
        place.refuse("needs either `from` or `value`")
    _one_of(place, "type", cells.get("type"), tuple(DEFAULT_CONVERSIONS))
    via = cells.get("via", DEFAULT_CONVERSIONS[cells["type"]])
    if via not in CONVERSIONS:
        place.refuse(f"`via` is {via!r}: {unknown('conversion', via, list(CONVERSIONS))}", "via")
    for column in ("from", "when"):
        _known(place, cells, column, kwargs)
    cut = _cell(place, "cut", cells, Truncation)
    if (cells["type"] == "json") != (cut is Truncation.JSON):
        place.refuse('`cut = "T3"` is only for `type = "json"`', "cut")
    constant = cells.get("value")
    if not isinstance(constant, str | bool | int | float | None):
        place.refuse("`value` must be a string, a number or a boolean", "value")
    return Attribute(
        current=cells.get("current"),
        legacy=cells.get("legacy"),
        source=cells.get("from"),
        constant=constant,
        via=via,
        type=cells["type"],
        requirement=_cell(place, "req", cells, Requirement),
        truncation=cut,
        sensitivity=_cell(place, "sens", cells, Sensitivity),
        when=cells.get("when"),
    )


def _kwargs(hook: str) -> frozenset[str]:
    return frozenset(kwarg.name for kwarg in CATALOGUE[hook].kwargs)


def _known(place: Place, cells: Cells, column: str, kwargs: frozenset[str]) -> None:
    """Refuse a path that starts from an unknown kwarg or value."""
    path = cells.get(column)
    if path is None:
        return
    if not isinstance(path, str):
        place.refuse(f"`{column}` is not a path", column)
    for root in roots(path):
        if root.startswith("$"):
            if root not in KNOWN_TO_THE_BRIDGE:
                place.refuse(unknown("value", root, sorted(KNOWN_TO_THE_BRIDGE)), column)
        elif root not in kwargs:
            place.refuse(unknown("kwarg", root, sorted(kwargs)), column)


def _cell(place: Place, column: str, cells: Cells, kind: type[_E]) -> _E:
    _one_of(place, column, cells.get(column), tuple(kind))
    return kind(cells[column])


def _one_of(place: Place, column: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        place.refuse(f"`{column}` is {value!r}, not one of {', '.join(allowed)}", column)


def _only(place: Place, cells: Cells, columns: Sequence[str]) -> None:
    for column in cells:
        if column not in columns:
            place.refuse(unknown("column", column, columns), column)
