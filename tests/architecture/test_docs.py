"""Documents point at things that exist."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _documents() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / line for line in listed.stdout.splitlines()]


@pytest.mark.parametrize("document", _documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_inside_the_repository_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target and not target.startswith("mailto:"):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_pictures_are_small_and_each_is_on_a_page() -> None:
    shown = {
        (document.parent / image).resolve()
        for document in _documents()
        for image in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", document.read_text(encoding="utf-8"))
    }
    pictures = set((ROOT / "docs" / "images").rglob("*.png"))
    assert pictures - shown == set()
    assert [one for one in pictures if one.stat().st_size > 160_000] == []
    start = pictures & set((ROOT / "docs" / "images" / "start").iterdir())
    assert [one for one in start if one.stat().st_size > 120_000] == []


MAX_WORDS = 40_000
_NOT_COUNTED = ("docs/adr/", "docs/benchmarks.md", "CHANGELOG.md", "tests/", "examples/")
_NOT_PROSE = re.compile(r"<!-- (\w+) -->.*?<!-- /\1 -->|```.*?```|`[^`\n]*::[^`\n]*`", re.DOTALL)
"""Parts that are generated, code, and names of tests."""


def test_what_is_written_by_hand_can_be_read_in_a_few_hours() -> None:
    words = {
        name: len(_NOT_PROSE.sub("", text).split())
        for document in _documents()
        if not (name := document.relative_to(ROOT).as_posix()).startswith(_NOT_COUNTED)
        if not (text := document.read_text(encoding="utf-8")).startswith("<!-- Generated")
    }
    assert 20_000 < sum(words.values()) <= MAX_WORDS, sorted(words.items(), key=lambda one: -one[1])


def test_the_map_names_every_module_that_is_worth_a_line() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for package in ("instrument", "subscribers", "inspector", "inspector/service"):
        for entry in (ROOT / package).iterdir():
            is_module = entry.suffix == ".py" and not entry.name.startswith("__")
            name = entry.name if is_module else f"{entry.name}/"
            shown = f"service/{name}" if package == "inspector/service" else name
            if is_module or (entry / "__init__.py").exists():
                assert f"`{shown}`" in text, entry


def test_the_architecture_page_stays_short() -> None:
    lines = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()

    assert len(lines) <= 120


def test_every_dependency_has_its_reason_written_down() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    groups = project["dependency-groups"].values()
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    listed = [line for group in (*extras, *groups) for line in group]
    for requirement in [line for line in listed if isinstance(line, str)]:  # no `include-group`
        name = re.split(r"[<>=!;\[ ]", requirement)[0]
        if name != "mcp-agent-inspector" and not name.startswith("types-"):
            assert re.search(rf"\b{re.escape(name)}\b", text), f"{name} is not explained"


def test_the_unit_tests_lie_as_the_packages_do() -> None:
    unit = ROOT / "tests" / "unit"
    folders = {path.parent.relative_to(unit) for path in unit.rglob("test_*.py")}

    assert [folder for folder in folders if not (ROOT / folder / "__init__.py").exists()] == []


def test_a_public_class_name_is_defined_once_unless_the_glossary_says_why() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    explained = set(
        re.findall(
            r"`(\w+)`", glossary.partition("## The same name twice")[2].partition("\n## ")[0]
        )
    )
    for package in ("instrument", "subscribers", "inspector"):
        names = Counter(
            node.name
            for path in (ROOT / package).rglob("*.py")
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        )
        assert {name for name, count in names.items() if count > 1} <= explained, package
