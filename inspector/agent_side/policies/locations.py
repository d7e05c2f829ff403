"""Locations of policy files. Light: every `attach` looks, and most find none.

The user's file is `INSPECTOR_POLICIES`, else `INSPECTOR_CONFIG`, else `inspector.toml` in the
configuration directory. One in the working directory may have come with the code of others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inspector.paths import config_dir

NAME = "inspector.toml"
SWITCH = "INSPECTOR_POLICIES"

_OFF = frozenset({"off", "0", "false"})


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A file that may contain policies."""

    file: Path
    is_named: bool
    """Whether a setting names this file, so that it must exist."""
    only_tightens: bool

    def may_be_there(self) -> bool:
        """Return whether to read the file: it exists, or a setting names it."""
        return self.is_named or os.path.lexists(self.file)


def is_switched_off(environ: Mapping[str, str]) -> bool:
    """Return whether `INSPECTOR_POLICIES=off`."""
    return environ.get(SWITCH, "").strip().lower() in _OFF


def find_sources(environ: Mapping[str, str], directory: Path | None = None) -> list[PolicyFile]:
    """Return the files that may contain policies: the user's and the directory's."""
    named = environ.get(SWITCH, "").strip() or environ.get("INSPECTOR_CONFIG", "").strip()
    users = PolicyFile(Path(named) if named else config_dir() / NAME, bool(named), False)
    here = PolicyFile((directory or _working_directory()) / NAME, False, True)
    return [users] if _is_same(users.file, here.file) else [users, here]


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was deleted
        return Path()


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
