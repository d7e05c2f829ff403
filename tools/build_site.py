"""Build the documentation site: `make docs`.

`site/` gets a folder for this version, `versions.json` with the versions whose folders are there,
newest first, and `llms.txt` and `llms-full.txt`, the same pages as Markdown for language models.
A warning of Sphinx is an error: a link that leads nowhere, a page that no section has.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.version import Version

from tools.generate import ROOT
from tools.site_pages import SitePages

_START = """\
<!doctype html>
<meta charset="utf-8">
<title>Inspector</title>
<meta http-equiv="refresh" content="0; url={version}/index.html">
<a href="{version}/index.html">Inspector {version}</a>
"""


def build(root: Path, into: Path) -> None:
    """Build the site of the repository at `root`.

    Raises:
        SystemExit: Sphinx warned, and what it said.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pages = SitePages(root, project["urls"]["Repository"])
    version: str = project["version"]
    folder = into / version
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        _run_sphinx(pages, version, Path(made).resolve(), folder)
    for page, address in pages.addresses.items():
        if page.endswith(".md"):
            (folder / address).write_text(pages.text(page), encoding="utf-8")
        else:  # where the pages in Markdown look for it; those of Sphinx have copies
            (folder / address).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / page, folder / address)
    (into / "versions.json").write_text(json.dumps(_versions(into)), encoding="utf-8")
    (into / "index.html").write_text(_START.format(version=version), encoding="utf-8")
    summary: str = project["description"]
    (into / "llms.txt").write_text(_contents(pages, version, summary), encoding="utf-8")
    (into / "llms-full.txt").write_text(_whole(pages, version), encoding="utf-8")


def _run_sphinx(pages: SitePages, version: str, made: Path, folder: Path) -> None:
    source = made / "source"
    for path, address in pages.addresses.items():
        target = source / address
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".md"):
            text = pages.text(path) + pages.lists_below(path)
            target.write_text(text, encoding="utf-8")
        else:
            shutil.copyfile(pages.root / path, target)
    options = ["--quiet", "--no-color", "--nitpicky", "--fail-on-warning", "--jobs", "auto"]
    settings = ["-c", str(pages.root / "docs" / "site"), "-D", f"release={version}"]
    trees = ["-d", str(made / "trees")]
    ended = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, *settings, *trees, str(source), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode or ended.stderr:
        shutil.rmtree(folder, ignore_errors=True)
        raise SystemExit((ended.stdout + ended.stderr).replace(f"{source}/", "").strip())


def _versions(into: Path) -> list[str]:
    names = (page.parent.name for page in into.glob("*/index.html"))
    return sorted(names, key=Version, reverse=True)


def _contents(pages: SitePages, version: str, summary: str) -> str:
    lines = ["# Inspector", "", f"> {summary}"]
    for section in pages.sections:
        # What a reader with little room leaves out has this title.
        title = "Optional" if section is pages.sections[-1] else section.title
        lines += ["", f"## {title}", ""]
        for page in section.pages:
            for one in (page, *pages.below.get(page, [])):
                text = pages.text(one)
                lines.append(f"- [{_title(text)}]({version}/{pages.addresses[one]}){_about(text)}")
    return "\n".join(lines) + "\n"


def _title(text: str) -> str:
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1].replace("`", "") if found else ""


def _about(text: str) -> str:
    """Return the first sentence of a page that begins with one."""
    found = re.search(r"^# .+\n+([A-Z][^\n]*?\.)(?= |\n|$)", text, re.MULTILINE)
    return ": " + re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", found[1]) if found else ""


def _whole(pages: SitePages, version: str) -> str:
    return "\n".join(
        f"<!-- {version}/{pages.addresses[one]} -->\n{pages.text(one, version)}"
        for section in pages.sections[:-1]
        for page in section.pages
        for one in (page, *pages.below.get(page, []))
    )


if __name__ == "__main__":
    build(ROOT, ROOT / "site")
