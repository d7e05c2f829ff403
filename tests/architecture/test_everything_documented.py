"""What a user can name is on a page that says what it is.

The pages are generated, and fresh by `test_generated_files`: so each name has a row. Here a row has
a meaning, too. Public names of the packages are in `test_reference`.
"""

from __future__ import annotations

import re

import pytest

from tests.architecture.test_public_api import PACKAGES
from tools.generate import ROOT
from tools.reference_source import PACKAGES as DOCUMENTED

MEANINGS = {"meaning", "when", "what it does"}
"""Heads of the columns that say what something is."""
LISTS = {
    "docs/cli.md": "flag",
    "docs/settings.md": "setting",
    "docs/http.md": "route event code",
    "docs/instrumentation-hooks.md": "hook",
    "docs/mcp-server.md": "argument",
}
"""Page to the heads of its tables of names."""
BETWEEN_OUR_PROCESSES = {
    "INSPECTOR_DEMO_SPEED",  # from the demo to the servers that it starts
    "INSPECTOR_RUN_ID",
    "INSPECTOR_RUN_REPORTS",  # from `inspector run` to the program
}


def rows(path: str) -> list[tuple[str, str, str]]:
    """Return the head, the name and the meaning of each row of the tables with meanings."""
    found, heads = [], [""]
    for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
        cells = [one.strip() for one in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            heads = [""]
        elif heads == [""]:
            heads = cells
        elif columns := [place for place, head in enumerate(heads) if head in MEANINGS]:
            found.append((heads[0], cells[0], cells[columns[0]]))
    return [row for row in found if set(row[1]) != {"-"}]


@pytest.mark.parametrize("path", LISTS)
def test_every_name_in_a_list_of_the_documents_says_what_it_is(path: str) -> None:
    found = rows(path)
    assert set(LISTS[path].split()) <= {head for head, _, _ in found}
    assert [name for _, name, meaning in found if meaning in ("", "None")] == []


def test_every_command_says_what_it_does() -> None:
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    commands = re.findall(r"^## `(.+)`\n\n(.+)$", page, re.MULTILINE)
    assert len(commands) == page.count("\n## ")
    assert [name for name, text in commands if text in ("", "None")] == []


def test_every_variable_that_is_read_is_on_a_page() -> None:
    folders = ("inspector", "instrument", "subscribers", "sdks/typescript/src")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.[pt][ys]")]
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "sdks/typescript/README.md"]
    pattern = re.compile(r"\bINSPECTOR_[A-Z_]*[A-Z]\b")
    read, written = (
        {name for path in paths for name in pattern.findall(path.read_text(encoding="utf-8"))}
        for paths in (sources, pages)
    )
    assert read - written == BETWEEN_OUR_PROCESSES


def test_every_package_that_exports_names_has_a_reference_page() -> None:
    exporting = {
        module.relative_to(ROOT).with_suffix("").as_posix().removesuffix("/__init__")
        for package in ("instrument", "subscribers", "inspector")
        for module in [*(ROOT / package).glob("*.py"), *(ROOT / package).glob("*/__init__.py")]
        if re.search(r"^__all__", module.read_text(encoding="utf-8"), re.MULTILINE)
    }
    events = "instrument/events"  # its types are in docs/instrumentation-hooks.md
    assert {name.replace("/", ".") for name in exporting - {events}} == set(PACKAGES)
    assert set(DOCUMENTED) == set(PACKAGES)
