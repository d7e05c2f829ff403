"""Every statement of the five hook contracts has a test that carries its id.

`001-07` in a comment, or `001_07` in the name of a test.
"""

import re

import pytest

from tools.generate import ROOT


def _ids(contract: str, *spans: tuple[int, int], beyond: tuple[int, ...] = ()) -> list[str]:
    stated = [f"{contract}-{n:02d}" for first, last in spans for n in range(first, last + 1)]
    return stated + [f"{contract}-U{number}" for number in beyond]


STATEMENTS = [
    *_ids("000", (1, 27), beyond=(1, 2, 3)),
    *_ids("001", (1, 8), (10, 19), beyond=(1, 2, 3, 4, 5, 6, 7, 12)),
    *_ids("002", (1, 14), beyond=(1, 4, 5, 6)),
    *_ids("003", (1, 3), (10, 13), (20, 23), (30, 35), (40, 44), beyond=(2, 4, 5)),
    *_ids("004", (1, 15), beyond=(1, 2, 3, 4, 5)),
]

ELSEWHERE = {
    "000-17": "an emitter's duty: the catalogue says when `after_tool_call` comes",
    "000-18": "an emitter's duty: `op.stream` counts pieces without a hook for each",
    "000-23": "tests/unit/agent_side/test_context.py",
    "000-24": "the patches of mcp-agent, which are not there yet",
    "000-25": "a subscriber's duty: benchmarks/bench_dispatch.py measures what is left to it",
    "000-26": "tests/unit/subscribers/test_spec.py",
}
"""Statements that no test can carry here, and why."""


def _carried() -> set[str]:
    own = re.compile(r"(00[0-4])[-_](U?\d+)", re.IGNORECASE)
    return {
        f"{contract}-{number.upper()}"
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.name != "test_instrument_statements.py"
        for contract, number in own.findall(path.read_text(encoding="utf-8"))
    }


CARRIED = _carried()


@pytest.mark.parametrize("statement", [s for s in STATEMENTS if s not in ELSEWHERE])
def test_a_statement_of_a_contract_has_a_test(statement: str) -> None:
    assert statement in CARRIED, f"write a test of {statement} and put the id beside it"


def test_what_has_no_test_here_says_where_it_is() -> None:
    assert set(STATEMENTS) >= ELSEWHERE.keys()
    assert {s for s in ELSEWHERE if s in CARRIED} <= {"000-23", "000-26"}
    for place in ELSEWHERE.values():
        assert not place.startswith("tests/") or (ROOT / place).is_file()
