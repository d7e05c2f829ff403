"""The site has every page, and no build of it has a link that leads nowhere."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tools.build_site import build
from tools.generate import ROOT
from tools.site_pages import SitePages

PROJECT = """\
[project]
version = "{version}"
description = "Watch."
urls.Repository = "https://host.example/inspector"
"""
NAVIGATION = """\
[[section]]
title = "Guides"
pages = ["docs/guide/*.md"]

[[section]]
title = "Contribute"
pages = ["CHANGELOG.md"]

[address]
"docs/site/index.md" = "index.md"
"CHANGELOG.md" = "changelog.md"
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "docs" / "site", tmp_path / "docs" / "site")
    texts = {
        "pyproject.toml": PROJECT.format(version="0.10.0"),
        "docs/site/navigation.toml": NAVIGATION,
        "docs/site/index.md": "# Front\n\n[back up](../guide/back-up.md)\n",
        "docs/guide/back-up.md": "# Back up\n\nCopies the store. [Changes](../../CHANGELOG.md)\n"
        "\n![A picture](../images/one.svg)\n",
        "docs/images/one.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "CHANGELOG.md": "# Changes\n\n[code](code.py), [how](docs/guide/back-up.md#back-up)\n",
        "code.py": "",
        "web/public/favicon.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_site_links_pages_as_the_repository_does_and_asks_no_host(repository: Path) -> None:
    site = repository / "site"
    (site / "0.9.0").mkdir(parents=True)
    (site / "0.9.0" / "index.html").touch()

    build(repository, site)

    page = (site / "0.10.0" / "changelog.html").read_text(encoding="utf-8")
    assert 'href="guide/back-up.html#back-up"' in page
    assert 'href="https://host.example/inspector/blob/main/code.py"' in page
    for built in site.rglob("*.html"):
        loaded = r"<(?:script|img|link)\b[^>]*?(?:src|href)=\"(?:https?:)?//"
        assert not re.search(loaded, built.read_text(encoding="utf-8")), built
    assert json.loads((site / "versions.json").read_text()) == ["0.10.0", "0.9.0"]
    contents = (site / "llms.txt").read_text(encoding="utf-8")
    assert "## Guides\n\n- [Back up](0.10.0/guide/back-up.md): Copies the store." in contents
    for text in (site / "llms.txt", site / "llms-full.txt", *site.rglob("*.md")):
        for link in re.findall(r"\]\((?!https:)([^)#]+)", text.read_text(encoding="utf-8")):
            assert (text.parent / link).is_file(), f"{text}: {link}"


@pytest.mark.slow
def test_links_to_what_is_missing_fail_the_build_and_leave_no_site(repository: Path) -> None:
    page = repository / "docs" / "guide" / "back-up.md"
    links = ["missing.md", "back-up.md#missing", "../missing.py"]
    page.write_text("# Back up\n" + "".join(f"\n[there]({link})\n" for link in links), "utf-8")

    with pytest.raises(SystemExit) as failed:
        build(repository, repository / "site")

    missed = re.findall(r"^guide/back-up.md:(\d): WARNING: .*missing", str(failed.value), re.M)
    assert missed == ["3", "5", "7"]
    assert not (repository / "site" / "0.10.0").exists()


def test_every_page_of_the_documents_is_in_a_section() -> None:
    placed = set(SitePages(ROOT, "").in_order())

    written = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert written - placed == {"docs/site/index.md"}


def test_the_page_of_decisions_lists_each() -> None:
    folder = ROOT / "docs" / "adr"
    text = (folder / "README.md").read_text(encoding="utf-8")

    listed = re.findall(r"\]\((0[^)]+)\)", text)
    assert listed == sorted(path.name for path in folder.glob("0*.md"))
