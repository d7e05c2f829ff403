from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.agent_side.policies import install
from instrument import ApprovalAnswer, ApprovalRequest, Bus


class Person:
    """An approval provider that gives prepared answers; the last one repeats."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.requests: list[ApprovalRequest] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer | str:
        self.requests.append(request)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def prompts(self) -> list[str]:
        """The prompts of the requests."""
        return [request.prompt for request in self.requests]


Enforce = Callable[..., Callable[[], None]]


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the user's file, away from the files of this machine."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "mcp-agent-inspector" / "inspector.toml"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A working directory."""
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def enforce(
    bus: Bus, users_file: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> Iterator[Enforce]:
    """Write files and enforce them on the bus, as `attach` does."""
    caplog.set_level(logging.DEBUG, "inspector")
    offs: list[Callable[[], None]] = []

    def write_and_install(text: str = "", *, here: str = "", **environ: str) -> Callable[[], None]:
        if text:
            users_file.write_text(text, encoding="utf-8")
        if here:
            (project / "inspector.toml").write_text(here, encoding="utf-8")
        offs.append(install(bus, environ=environ, directory=project))
        return offs[-1]

    yield write_and_install
    for off in offs:
        off()
