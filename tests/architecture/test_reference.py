"""The reference has what a user needs: errors, units, links.

What a public name must have is checked on the source, where it is mended.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent

import griffe
import pytest

from tools.generate import ROOT
from tools.generate_reference import FOLDER, Page
from tools.reference_source import PACKAGES, Entry, entries, load


@cache
def modules() -> dict[str, griffe.Module]:
    """Return the packages that are documented; loading them takes long."""
    return {module.path: module for module in load()}


NO_ERRORS = {"AssertionError", "Interrupted"}
"""What is raised and never reaches a caller."""


def documented(package: str) -> list[Entry]:
    """Return the names of a package and the methods of its classes, each once."""
    found = [entry for entry in entries(modules()[package]) if not entry.same_as]
    methods = [
        member
        for entry in found
        for member in entry.members
        if isinstance(member.item, griffe.Function)
    ]
    return [*found, *methods]


def test_every_package_has_a_page_with_every_public_name() -> None:
    assert set(modules()) == set(PACKAGES)
    for package, module in modules().items():
        page = (ROOT / FOLDER / f"{package}.md").read_text(encoding="utf-8")
        assert module.exports
        for entry in entries(module):
            assert f"\n## `{entry.name}`\n" in page


@pytest.mark.parametrize("package", PACKAGES)
def test_every_attribute_has_a_text(package: str) -> None:
    page = (ROOT / FOLDER / f"{package}.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `.*` \| *\|$", page, re.MULTILINE) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_says_in_a_sentence_what_it_is(package: str) -> None:
    silent = [one.name for one in documented(package) if not one.summary.endswith((".", ")", ":"))]
    assert silent == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_function_says_when_it_raises_what_its_own_body_raises(package: str) -> None:
    untold = [
        f"{entry.name}: {error}"
        for entry in documented(package)
        for error in raised(entry.item)
        if error not in NO_ERRORS and error not in entry.docstring
    ]
    assert untold == []


def raised(item: object) -> Iterator[str]:
    """Yield the names of the errors that a function makes and raises."""
    if isinstance(item, griffe.Function):
        for node in ast.walk(ast.parse(dedent(item.source))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                yield ast.unparse(node.exc.func)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_number_that_may_be_a_fraction_has_a_unit(package: str) -> None:
    without_unit = [
        f"{entry.name}: {name}"
        for entry in documented(package)
        for name, text in fractions(entry)
        if not re.search(r"_(s|ms)$", name) and "second" not in text.lower()
    ]
    assert without_unit == []


def fractions(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield parameters or attributes that are floats, with their descriptions."""
    items = [member.item for member in entry.members]
    parameters = entry.item.parameters if isinstance(entry.item, griffe.Function) else ()
    for one in (*items, *parameters):
        if not isinstance(one, griffe.Function | griffe.Class) and "float" in str(one.annotation):
            found = re.search(rf"^ *{one.name}: (.*(?:\n +.*)*)", entry.docstring, re.MULTILINE)
            own = one.docstring.value if one.docstring else ""
            yield one.name, own or (found[1] if found else entry.docstring)


@pytest.mark.parametrize("path", sorted((ROOT / FOLDER).glob("*.md")), ids=lambda path: path.name)
def test_a_link_leads_to_a_heading_that_is_there(path: Path) -> None:
    for file, anchor in re.findall(r"\]\(([\w.]*\.md)?#([^)]+)\)", path.read_text("utf-8")):
        assert anchor in anchors(path.parent / file if file else path), (file, anchor)


def anchors(path: Path) -> set[str]:
    """Return how GitHub names the headings of a document: a second one of a name is numbered."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    slugs = [
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    ]
    return {
        f"{slug}-{slugs[:place].count(slug)}" if slug in slugs[:place] else slug
        for place, slug in enumerate(slugs)
    }


def test_two_names_that_differ_only_in_case_have_anchors_of_their_own() -> None:
    page = "\n".join(Page(modules()["instrument"]).lines())

    assert "[`Operation`](#operation)" in page
    assert "[`operation`](#operation-1)" in page
