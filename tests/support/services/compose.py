"""Compose files as an engine reads them: merged, and with variables filled in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]

_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)(?::[-?][^}]*)?\})")


class ComposeFile:
    """A compose file of the repository.

    Attributes:
        services: Its services by name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = ROOT / name
        self.text = self.path.read_text(encoding="utf-8")
        self._read: dict[str, Any] = yaml.safe_load(self.text)
        self.services: dict[str, dict[str, Any]] = self._read["services"]

    @property
    def volumes(self) -> set[str]:
        """The named volumes."""
        return set(self._read["volumes"])

    def environment(self, service: str) -> dict[str, str]:
        """Return the environment of a service, where the shell has every variable."""
        found = self.services[service].get("environment", {})
        return {key: _filled_in(value) for key, value in found.items()}

    def file(self, service: str, target: str) -> str:
        """Return the text of a file that a service gets from `configs`."""
        [source] = [
            one["source"] for one in self.services[service]["configs"] if one["target"] == target
        ]
        return _filled_in(self._read["configs"][source]["content"])


def _filled_in(text: str) -> str:
    return _VARIABLE.sub(lambda found: found[1] or f"{found[2].lower()}-of-the-shell", text)
