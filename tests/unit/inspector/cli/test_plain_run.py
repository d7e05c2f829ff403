"""`inspector run` without the command line's library has the same options."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from inspector.cli import plain_run as plainly
from inspector.cli import run as by_the_library
from inspector.cli.main import app
from inspector.cli.plain_run import plain_run

PLAIN: tuple[list[str], ...] = (
    ["agent.py"],
    ["--", "python", "-c", "pass"],
    ["-m", "agent", "--only"],
    ["-c", "pass", "--", "--url", "x"],
    ["--url", "http://a:1", "--only=mcp", "agent.py", "--url", "of the program"],
    ["--session", "per-trace", "agent.py"],
    ["--capture", "off", "--capture=full", "--", "agent", "--", "-x"],
)
NOT_PLAIN: tuple[list[str], ...] = ([], ["--"], ["--help"], ["--url"], ["--urls", "x", "agent.py"])


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    runs: list[Any] = []

    def run_program(command: list[str], **options: str | None) -> None:
        runs.append((command, {name: text for name, text in options.items() if text is not None}))

    for module in (plainly, by_the_library):
        monkeypatch.setattr(module, "run_program", run_program)
    return runs


@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_plain_arguments_mean_what_they_mean_to_the_library(
    arguments: list[str], runs: list[Any]
) -> None:
    run = plain_run(arguments)
    assert run is not None
    run()
    assert CliRunner().invoke(app, ["run", *arguments]).exit_code == 0
    plain, library = runs
    assert plain == library


@pytest.mark.parametrize("arguments", NOT_PLAIN, ids=" ".join)
def test_all_else_is_left_to_the_library(arguments: list[str]) -> None:
    assert plain_run(arguments) is None


def test_the_library_is_not_loaded_for_it() -> None:
    code = (
        "import sys; from inspector.cli.plain_run import plain_run; plain_run(['agent.py'])\n"
        "print({'typer', 'pydantic', 'asyncio', 'importlib.metadata'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
