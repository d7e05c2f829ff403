"""Blocks in other languages than Python and shell: outputs, queries, excerpts, configurations."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from inspector.integrations.mcp_agent.app import Section
from inspector.service.query import QueryScope, parse_query
from instrument import Bus
from instrument.testing import capture_hook
from tests.docs.test_code_blocks import PAGES
from tests.support.docs.page import ROOT, DocPage
from tests.support.docs.reader import Reader
from tests.support.services.process import Service, environment, free_port

RUN = {"python", "sh", "console", "toml", "json"}
"""Languages of which every block runs or is read, in `test_code_blocks` and `test_shell_blocks`."""
HERE = "tests/docs/test_other_blocks.py"
OPERATE = "tests/docs/test_operate_pages.py"
PACKAGE = "sdks/typescript/tests/package.test.ts"
RUN_BY = {
    ("docs/guide/embed-in-fastapi.md", "text"): HERE,
    ("docs/guide/notebooks.md", "text"): HERE,
    ("docs/guide/write-a-visualiser.md", "ts"): HERE,
    ("docs/legacy-patching.md", "yaml"): HERE,
    ("docs/mcp-server.md", "text"): "tools/generate_mcp_doc.py",
    ("docs/operate/history.md", "sql"): "tests/history/test_copies.py",
    ("docs/operate/run-it.md", "ini"): OPERATE,
    ("docs/operate/several-services.md", "yaml"): "tests/docs/test_several_services.py",
    ("docs/operate/share.md", "caddyfile"): OPERATE,
    ("docs/operate/share.md", "nginx"): OPERATE,
    ("docs/query.md", "text"): HERE,
    ("sdks/typescript/README.md", "js"): PACKAGE,
}
"""What runs, reads or makes the blocks of a page that are in another language."""


def the_block(path: str, language: str) -> str:
    [block] = DocPage(path).of(language)
    return block.text


def test_every_other_block_has_a_test_or_says_why_not() -> None:
    found = {
        (page.path, block.language)
        for page in PAGES
        for block in page.blocks
        if block.language not in RUN
        if not (block.not_run or block.file or block.text == page.promise)
    }
    assert found == RUN_BY.keys()
    for (path, _), test in RUN_BY.items():
        assert Path(path).name in (ROOT / test).read_text(encoding="utf-8"), test


def test_the_queries_of_a_page_are_queries() -> None:
    for line in the_block("docs/query.md", "text").splitlines():
        parse_query(line, QueryScope.SPAN, now_ns=0)


def test_an_excerpt_of_a_source_is_in_it() -> None:
    folder = ROOT / "web" / "src" / "views" / "visualisers"
    blocks = DocPage("docs/guide/write-a-visualiser.md").of("ts")
    for name, block in zip(("visualiser.ts", "registry.ts"), blocks, strict=True):
        assert one_line(block.text) in one_line((folder / name).read_text(encoding="utf-8"))


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_settings_of_mcp_agent_attach_without_a_warning(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", str(tmp_path))
    section = Section()
    settings = yaml.safe_load(the_block("docs/legacy-patching.md", "yaml"))
    with caplog.at_level(logging.WARNING):
        section.apply(SimpleNamespace(**settings), Bus())
    is_attached = section._handle is not None
    section.close()
    assert is_attached
    assert caplog.text == ""


@pytest.mark.slow
def test_a_notebook_shows_where_it_sends(tmp_path: Path) -> None:
    cell = DocPage("docs/guide/notebooks.md").of("python")[0].text
    *lines, last = cell.strip().splitlines()
    with Service(tmp_path) as service:
        shown = Reader(service, tmp_path).run(
            "python", "-c", "\n".join([*lines, f"print(repr({last}))"])
        )
    promised = the_block("docs/guide/notebooks.md", "text")
    assert shown == promised.replace("http://127.0.0.1:7800", service.url)


@pytest.mark.slow
def test_an_app_with_the_service_in_it_prints_its_address(tmp_path: Path) -> None:
    page = DocPage("docs/guide/embed-in-fastapi.md")
    (tmp_path / "app.py").write_text(page.program, encoding="utf-8")
    [uvicorn] = re.findall(r"`(uvicorn [^`]+)`", page.prose)
    with subprocess.Popen(
        [sys.executable, "-m", *uvicorn.split(), "--port", str(free_port())],
        cwd=tmp_path,
        env=environment(tmp_path) | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        beginning, _, _ = the_block(page.path, "text").partition("…")
        assert process.stdout is not None
        address = next((line for line in process.stdout if line.startswith(beginning)), "")
        process.terminate()
    assert len(address) > len(beginning) + 20


async def test_the_adapter_to_copy_watches_a_framework_without_a_row_in_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Agent:
        async def call_tool(self, name: str, args: dict[str, object]) -> object:
            return SimpleNamespace(text=f"{name} {args}", is_error=False)

    before = Agent.call_tool
    monkeypatch.setitem(sys.modules, "acme", SimpleNamespace(Agent=Agent))
    adapter: dict[str, Any] = {}
    exec(DocPage("docs/guide/write-an-adapter.md").program, adapter)
    detach = adapter["attach"]()
    with capture_hook("after_tool_call") as calls:
        await Agent().call_tool("look", {"at": "it"})
    detach()
    assert [kwargs["tool_name"] for _, kwargs in calls] == ["look"]
    assert Agent.call_tool is before
