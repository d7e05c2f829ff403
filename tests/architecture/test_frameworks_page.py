"""docs/frameworks.md has exactly the capabilities that tests show, with the locked versions."""

from __future__ import annotations

import ast
import functools
import json
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from tests.integrations.capabilities import CAPABILITIES, FRAMEWORKS

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "integrations"
RECORDED = sorted(path.stem for path in (TESTS / "results").glob("*.json"))


@functools.cache
def locked_versions() -> dict[str, set[str]]:
    """Return the versions of each package in `uv.lock`, which takes long to parse."""
    found: dict[str, set[str]] = defaultdict(set)
    for package in tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]:
        found[package["name"]].add(package["version"])
    return found


@functools.cache
def marked() -> dict[str, set[str]]:
    """Return the capabilities that tests are marked to show, by framework.

    A contract's marks name no framework: they count for each class that subclasses it, but for the
    tests that it has its own of, or takes away.
    """
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    by_name = {node.name: node for node in classes if node.name.endswith("Contract")}
    found: dict[str, set[str]] = defaultdict(set)
    for node in classes:
        for line in node.body:
            match line:
                case ast.Assign(targets=[ast.Name("framework")], value=ast.Constant(str(name))):
                    bases = [by_name[base.id] for base in node.bases if isinstance(base, ast.Name)]
                    own = {getattr(one, "name", None) or _assigned(one) for one in node.body}
                    inherited = [
                        one
                        for base in bases
                        for one in base.body
                        if getattr(one, "name", "") not in own
                    ]
                    for marks in map(shown, (node, *inherited)):
                        found[name].update(*marks)
    for tree in trees:
        for framework, *capabilities in shown(tree):
            if framework not in CAPABILITIES:
                found[framework].update(capabilities)
    return found


def _assigned(line: ast.stmt) -> str | None:
    match line:
        case ast.AnnAssign(target=ast.Name(name)):
            return name
    return None


def shown(tree: ast.AST) -> list[list[str]]:
    """Return the arguments of each `shows` mark."""
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "shows"
    ]
    assert all(isinstance(one, ast.Constant) for call in calls for one in call.args)
    return [[str(ast.literal_eval(one)) for one in call.args] for call in calls]


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
    assert recorded["version"] in locked_versions()[FRAMEWORKS[framework]], "run: make frameworks"
