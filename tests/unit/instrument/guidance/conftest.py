from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from instrument.guidance import HookDefinition, HookRegistry, create_hook_registry

Fields = Mapping[str, Any]

WELCOME: dict[str, Any] = {
    "tag": "welcome",
    "type": "session",
    "lifecycle": "start",
    "name": "Welcome",
    "requirement_level": "SHOULD",
}


@pytest.fixture
def fields() -> dict[str, Any]:
    """The required fields of a hook."""
    return dict(WELCOME)


@pytest.fixture
def registry() -> HookRegistry:
    return create_hook_registry(app="my-server")


@pytest.fixture
def make() -> Callable[..., HookDefinition]:
    """Make a valid hook with other fields."""
    return lambda **other: HookDefinition.parse({**WELCOME, **other})


@pytest.fixture
def texts(tmp_path: Path) -> Callable[..., Path]:
    """Write markdown files named by keyword; return their folder."""

    def write(**contents: str) -> Path:
        for name, content in contents.items():
            (tmp_path / f"{name.replace('_', '-')}.md").write_text(content, encoding="utf-8")
        return tmp_path

    return write
