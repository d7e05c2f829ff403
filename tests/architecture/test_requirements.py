"""`docs/requirements.md` and the tests agree, and requirement ids stay on that page."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from tools.generate import ROOT

PAGE = ROOT / "docs" / "requirements.md"
TESTS = ROOT / "tests"
ROWS = re.findall(r"^\| (\S+) \| .+ \| (`.+`) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
ID = re.compile(r"(?<![0-9A-Za-z.])00[0-4][-_]u?\d{1,2}(?![0-9a-f-])", re.IGNORECASE)

STATED = {
    "000": {f"{n:02}" for n in range(1, 28)},
    "001": {f"{n:02}" for n in (*range(1, 9), *range(10, 20))},
    "002": {f"{n:02}" for n in range(1, 15)},
    "003": {
        f"{n:02}"
        for n in (*range(1, 4), *range(10, 14), *range(20, 24), *range(30, 36), *range(40, 45))
    },
    "004": {f"{n:02}" for n in range(1, 16)},
}
"""Contract to the numbers of what it states."""


@functools.cache
def functions_of(path: Path) -> set[str]:
    """Return the names of the tests of a file."""
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def test_every_statement_of_the_five_contracts_has_one_row() -> None:
    ids = [requirement for requirement, _ in ROWS]
    stated = [f"{contract}-{n}" for contract, numbers in STATED.items() for n in sorted(numbers)]

    assert len(set(ids)) == len(ids)
    assert [requirement for requirement in ids if "U" not in requirement] == stated


@pytest.mark.parametrize(("requirement", "tests"), ROWS)
def test_every_test_of_a_requirement_exists(requirement: str, tests: str) -> None:
    for test in re.findall(r"`([^`]+)`", tests):
        path, _, name = test.partition("::")
        assert (TESTS / path).is_file(), f"{requirement}: no file tests/{path}"
        assert name in functions_of(TESTS / path), f"{requirement}: no test {name} in {path}"


def test_ids_are_in_no_other_file() -> None:
    folders = ("inspector", "instrument", "subscribers", "tools", "tests", "examples", "benchmarks")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    sources += (ROOT / "web" / "src").rglob("*.ts*")

    with_ids = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sources
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if ID.search(line)
    ]
    assert with_ids == []
