"""Each row of the telemetry spec has one effect: its attribute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from instrument import CATALOGUE
from subscribers import load_spec
from subscribers.spec.engine import TRUNCATED
from subscribers.spec.file import Row, SpecFile, read_spec_file
from subscribers.spec.loader import checked
from subscribers.spec.model import DEFAULT_PATH
from tests.support.telemetry.hook_examples import EXAMPLES
from tests.unit.subscribers.conftest import SPEC
from tests.unit.subscribers.firing import Fired, fire
from tools.generate_telemetry_doc import render

SHIPPED = read_spec_file(DEFAULT_PATH)
ENDS = tuple(hook.name for hook in SPEC.hooks.values() if hook.action == "end")


def _without(row: Row) -> SpecFile:
    table = SHIPPED.tables[row.place.table]
    left = [other for other in table.rows if other is not row]
    return replace(SHIPPED, tables={**SHIPPED.tables, row.place.table: replace(table, rows=left)})


def _hooks_of(table: str) -> tuple[str, ...]:
    match table:
        case "common":
            return ("before_tool_call", "hook_decided")
        case "outcome":
            return ENDS
        case _:
            return (table.removeprefix("hooks."),)


@lru_cache
def _fired(hooks: tuple[str, ...]) -> Fired:
    return fire(hooks, has_connection=True)


def _is_written_by(row: Row, key: str) -> bool:
    written = [*row.keys, *(f"{known}_truncated" for known in row.keys), TRUNCATED]
    return any(key == own or (own.endswith("*") and key.startswith(own[:-1])) for own in written)


def _differences(before: Fired, after: Fired) -> Iterator[str]:
    pairs = zip(before.attributes(), after.attributes(), strict=True)
    for one, other in pairs:
        for key in one.keys() | other.keys():
            if one.get(key) != other.get(key):
                assert key in one, f"{key} came"
                yield key


def test_there_is_an_example_of_every_hook() -> None:
    assert EXAMPLES.keys() == CATALOGUE.keys()


@pytest.mark.slow
@pytest.mark.parametrize("table", [name for name, t in SHIPPED.tables.items() if t.rows])
def test_a_row_that_is_deleted_takes_exactly_its_attribute_along(table: str) -> None:
    hooks = _hooks_of(table)
    before = _fired(hooks)
    for row in SHIPPED.tables[table].rows:
        after = fire(hooks, checked(_without(row)), has_connection=True)
        gone = set(_differences(before, after))
        assert gone, f"{row.place.key} is never written"
        assert all(_is_written_by(row, key) for key in gone), (row.place.key, gone)


rows = st.sampled_from([row for table in SHIPPED.tables.values() for row in table.rows])


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(row=rows)
def test_a_line_that_is_deleted_from_the_file_is_one_row_less(row: Row, tmp_path: Path) -> None:
    start, end = row.place._span()
    text = row.place.text
    path = tmp_path / "spec.toml"
    path.write_text(text[:start] + text[end + 1 :], encoding="utf-8")
    left = load_spec(path)
    assert left == checked(_without(row))
    assert render(left) != render(SPEC), "the document is stale"
