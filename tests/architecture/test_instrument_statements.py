"""Every statement of the five hook contracts has a test that carries its id.

`001-07` in a comment on the test's own lines, or `001_07` in its name. The statements are those
of `docs/reference/statements.md`.
"""

import ast
import re
from pathlib import Path

import pytest

from tools.generate import ROOT
from tools.generate_reference import FOLDER

PAGE = (ROOT / FOLDER / "statements.md").read_text(encoding="utf-8")
STATEMENTS: list[str] = re.findall(r'<a id="[^"]+"></a>(00[0-4]-U?\d+) \|', PAGE)
ID = re.compile(r"(?<![0-9A-Za-z])(00[0-4])[-_](U?\d{1,2})(?![0-9])", re.IGNORECASE)

BEYOND = {
    *(f"000-U{n}" for n in (1, 2, 3)),
    *(f"001-U{n}" for n in (1, 2, 3, 4, 5, 6, 7, 12)),
    *(f"002-U{n}" for n in (1, 4, 5, 6)),
    *(f"003-U{n}" for n in (2, 4, 5)),
    *(f"004-U{n}" for n in (1, 2, 3, 4, 5)),
}
"""What the contracts do not say and is kept all the same."""

NO_TEST = {
    "000-24": "the patches of mcp-agent, which are not there yet",
}
"""Statements that no test can carry, and why."""


def carried(source: str) -> set[str]:
    """Return the statements that the tests of a module carry, on their lines or in their names."""
    lines = source.splitlines()
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("test_"):
            first = min(line.lineno for line in (node, *node.decorator_list))
            found += ID.findall("\n".join(lines[first - 1 : node.end_lineno]))
    return {f"{contract}-{number.upper()}" for contract, number in found}


def _modules() -> list[Path]:
    return [path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)]


CARRIED = set().union(*(carried(path.read_text(encoding="utf-8")) for path in _modules()))


def test_the_page_of_statements_has_those_of_all_five_contracts() -> None:
    stated = [one.partition("-")[0] for one in STATEMENTS if "U" not in one]

    assert len(set(STATEMENTS)) == len(STATEMENTS)
    assert [stated.count(f"00{n}") for n in range(5)] == [27, 18, 14, 22, 15]
    assert set(STATEMENTS) >= BEYOND


@pytest.mark.parametrize("statement", [s for s in STATEMENTS if s not in NO_TEST])
def test_a_statement_of_a_contract_has_a_test(statement: str) -> None:
    assert statement in CARRIED, f"write a test of {statement} and put the id on its lines"


def test_what_has_no_test_is_a_statement_and_has_none() -> None:
    assert set(STATEMENTS) >= NO_TEST.keys()
    assert NO_TEST.keys() & CARRIED == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def test_a() -> None:  # 001-07, 001-U2\n    pass", {"001-07", "001-U2"}),
        ("async def test_003_u4_it_tells() -> None: ...", {"003-U4"}),
        ("@mark  # 002-09\ndef test_a() -> None: ...", {"002-09"}),
        ("# 001-07\ndef helper() -> None: ...  # 001-08", set()),
        ("def test_a() -> None:\n    assert '2001-07-12'", set()),
        ("def test_a() -> None:\n    assert 'a5001-07'", set()),
    ],
)
def test_only_a_test_carries_an_id_and_a_date_is_none(source: str, expected: set[str]) -> None:
    assert carried(source) == expected
