"""docs/frameworks.md says what tests show, no more and no less, of the locked versions."""

from __future__ import annotations

import ast
import json
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from tests.integrations.capabilities import CAPABILITIES, FRAMEWORKS

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "integrations"
RECORDED = sorted(path.stem for path in (TESTS / "results").glob("*.json"))


def marked() -> dict[str, set[str]]:
    """What the tests are marked to show, by framework."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr != "shows":
                    continue
                names = [one.value for one in node.args if isinstance(one, ast.Constant)]
                assert len(names) == len(node.args), f"{path}: `shows` takes plain strings"
                found[str(names[0])].update(str(one) for one in names[1:])
    return found


def test_every_mark_names_a_framework_and_capabilities_that_there_are() -> None:
    for framework, capabilities in marked().items():
        assert framework in FRAMEWORKS
        assert capabilities <= set(CAPABILITIES)


@pytest.mark.parametrize("framework", sorted(FRAMEWORKS))
def test_what_is_recorded_is_what_tests_show(framework: str) -> None:
    shown = marked().get(framework, set())
    recorded = {}
    if framework in RECORDED:
        path = TESTS / "results" / f"{framework}.json"
        recorded = json.loads(path.read_text(encoding="utf-8"))
    assert {name for name, is_so in recorded.get("capabilities", {}).items() if is_so} == shown, (
        "run: make frameworks"
    )


@pytest.mark.parametrize("framework", RECORDED)
def test_it_was_recorded_with_a_version_that_is_locked(framework: str) -> None:
    recorded = json.loads((TESTS / "results" / f"{framework}.json").read_text(encoding="utf-8"))
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    versions = {one["version"] for one in lock["package"] if one["name"] == FRAMEWORKS[framework]}
    assert recorded["version"] in versions, "run: make frameworks"
