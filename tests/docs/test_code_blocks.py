"""Blocks of code on pages work: programs run, commands and variables exist, files are read."""

from __future__ import annotations

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

from inspector.agent_side.policies import file as policies
from inspector.cli.main import app
from inspector.paths import SECTIONS as POLICY_SECTIONS
from inspector.service.settings import load_settings
from subscribers.bridge.prices import load_prices
from subscribers.spec.file import read_spec_file
from tests.support.docs.page import ROOT, Block, DocPage, pages
from tests.support.docs.reader import Reader
from tests.support.services.process import Service

PAGES = [
    page
    for page in pages("README.md", "CONTRIBUTING.md", "docs/**/*.md", "sdks/typescript/README.md")
    if not page.path.startswith("docs/reference/")  # generated: signatures, which are no programs
]
NOT_RUN = {
    "docs/architecture.md": 1,
    "docs/guide/write-an-adapter.md": 2,
    "docs/operate/history.md": 1,
}
"""How many blocks of a page say that they do not run."""
WORDS_THAT_ONLY_ATTACH = 20
OTHERS = {
    *("claude", "curl", "docker", "export", "make", "node", "npm", "pip", "python", "python3"),
    *("uvx", "systemctl", "loginctl", "journalctl", "weaver"),
}
"""Programs of others that pages run."""


def by_path(page: DocPage) -> str:
    return page.path


def programs() -> list[Any]:
    found = [page for page in PAGES if page.program.strip()]
    return [
        pytest.param(
            page,
            id=page.path,
            marks=[pytest.mark.slow] * (len(page.program.split()) < WORDS_THAT_ONLY_ATTACH),
        )
        for page in found
    ]


def blocks(*languages: str) -> list[Any]:
    return [
        pytest.param(block, id=f"{page.path}:{block.line}")
        for page in PAGES
        for block in page.of(*languages)
    ]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("document", programs())
def test_the_python_of_a_page_runs_from_top_to_bottom(
    service: Service, tmp_path: Path, document: DocPage
) -> None:
    program = tmp_path / "page.py"
    program.write_text(document.program, encoding="utf-8")
    reader = Reader(service, tmp_path)
    reader.save(document)
    reader.run("python", "page.py")


@pytest.mark.parametrize("block", blocks("python"))
def test_a_block_of_python_can_be_read(block: Block) -> None:
    ast.parse(block.text)


@pytest.mark.parametrize("document", [one for one in PAGES if one.commands], ids=by_path)
def test_every_command_of_a_page_exists_with_its_options(document: DocPage) -> None:
    for line in document.commands:
        words = [word for word in shlex.split(line) if not re.match(r"[A-Z_]+=", word)]
        if words[:1] == ["inspector"]:
            check_command(words[1:])
        else:
            assert not words or Path(words[0]).name in OTHERS, line


@cache
def commands() -> Any:
    return typer.main.get_command(app)


def check_command(words: list[str]) -> None:
    """Parse the arguments of `inspector` as it does; a command alone may lack what it needs."""
    command = commands()
    context = command.make_context("inspector", [], resilient_parsing=True)
    while hasattr(command, "commands") and words:
        name, command, words = command.resolve_command(context, words)
        context = command.make_context(name, [], parent=context, resilient_parsing=True)
    if words:
        command.make_context(command.name, words, parent=context.parent)


def test_variables_of_ours_that_pages_set_exist() -> None:
    sources = [
        path for name in ("inspector", "subscribers") for path in (ROOT / name).rglob("*.py")
    ]
    texts = [DocPage("docs/settings.md").text, *(path.read_text("utf-8") for path in sources)]
    known = {name for text in texts for name in re.findall(r"INSPECTOR_[A-Z_]+", text)}
    for page in PAGES:
        for block in page.of("sh", "console"):
            assert set(re.findall(r"\b(INSPECTOR_[A-Z_]+)=", block.text)) <= known, page.path


def test_packages_that_pages_install_are_ours_with_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for page in PAGES:
        for name, extras in re.findall(r"(mcp-agent-\w+)\[([\w,-]+)\]", page.text):
            assert name == project["name"]
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), page.path


@pytest.mark.parametrize("block", blocks("toml"))
def test_a_configuration_is_one_that_is_read_without_a_mistake(
    block: Block, tmp_path: Path
) -> None:
    file = tmp_path / "inspector.toml"
    file.write_text(block.text, encoding="utf-8")
    sections = tomllib.loads(block.text).keys()
    if sections & POLICY_SECTIONS:
        policies.parse(block.text, file)
    elif sections == {"models"}:
        load_prices(file)
    elif sections == {"hooks"}:
        read_spec_file(file)
    else:
        load_settings(file)


@pytest.mark.parametrize("block", blocks("json"))
def test_json_is_json_and_servers_in_it_can_be_started(block: Block) -> None:
    def check(value: Any) -> None:
        if isinstance(value, dict):
            assert value.get("url", "/mcp").endswith("/mcp")
            if value.get("command") == "inspector":
                check_command(value["args"])
            value = [*value.values()]
        if isinstance(value, list):
            for one in value:
                check(one)

    check(json.loads(block.text))


def test_blocks_that_do_not_run_say_why_and_are_few() -> None:
    found = {page.path: sum(bool(block.not_run) for block in page.blocks) for page in PAGES}
    assert {path: count for path, count in found.items() if count} == NOT_RUN
