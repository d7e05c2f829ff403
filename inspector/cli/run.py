"""`inspector run`: watches a program without a change to its code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from inspector.agent_side import bootstrap
from inspector.agent_side.adapters import AUTO_ATTACH, select_adapters
from inspector.errors import SettingsError
from inspector.integrations.auto import REPORTS

app = typer.Typer()

_PROGRAMS = {".py", ".pyz"}
_OF_PYTHON = {"-m", "-c"}
"""Options of Python that replace the file of a program."""
_WITHOUT_US = {"-I", "-E", "-S"}
"""Options with which Python ignores PYTHONPATH or `sitecustomize`."""


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(help="What to run: a command, or a Python file.")],
    url: Annotated[str | None, typer.Option(help="The inspector; default: the one here.")] = None,
    only: Annotated[
        str | None, typer.Option(help="Frameworks to watch, with commas; default: all.")
    ] = None,
    capture: Annotated[
        str | None, typer.Option(help="What is said: full, redacted (default) or off.")
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            help="What is a session where the program names none: per-process (default; not where"
            " it serves requests or runs tests) or per-trace."
        ),
    ] = None,
) -> None:
    """Run a Python program and watch it, without a change of it: inspector run agent.py.

    Files, and modules by `inspector run -m agent`, run with the Python that this command has; any
    other program is named: `inspector run pytest -x`, `inspector run .venv/bin/python agent.py`.
    Options of the program are its own from its name on.

    Its exit code is the program's. Python processes that it starts are watched too, unless it
    keeps its environment from them; MCP servers over stdio are, see `docs/frameworks/mcp.md`.
    """
    file = Path(command[0])
    if command[0] in _OF_PYTHON or (file.suffix in _PROGRAMS and file.is_file()):
        command = [sys.executable, *command]
    environ = _environment(os.environ, url=url, only=only, capture=capture, session=session)
    program = shutil.which(command[0])
    if program is None:
        raise SettingsError(f"Cannot run {command[0]!r}: there is no such file or program.")
    if "python" in Path(command[0]).name and _WITHOUT_US.intersection(command[1:2]):
        typer.echo(f"inspector: {command[1]} keeps us out; this program is not watched.", err=True)
    sys.stdout.flush()
    if os.name == "posix":  # the program takes our place: signals, terminal and exit code are its
        os.execve(program, command, environ)
    raise typer.Exit(subprocess.call([program, *command[1:]], env=environ))


def _environment(
    environ: os._Environ[str] | dict[str, str],
    *,
    url: str | None,
    only: str | None,
    capture: str | None,
    session: str | None,
) -> dict[str, str]:
    """Return the environment of the program.

    Raises:
        SettingsError: `only` names a framework without an adapter, or `session` is no mode.
    """
    if session not in (None, "per-process", "per-trace"):
        raise SettingsError(f"--session {session}: it is per-process or per-trace.")
    session = session or environ.get("INSPECTOR_SESSION") or "per-process"
    try:
        select_adapters(only)
    except ValueError as error:
        raise SettingsError(f"--only {only}: {error}") from error
    settings = {
        "INSPECTOR_URL": url,
        AUTO_ATTACH: only,
        "INSPECTOR_CAPTURE_CONTENT": capture,
        "INSPECTOR_SESSION": session,
    }
    path = [str(Path(bootstrap.__path__[0])), *filter(None, [environ.get("PYTHONPATH")])]
    return {
        **environ,
        **{name: value for name, value in settings.items() if value is not None},
        "PYTHONPATH": os.pathsep.join(path),
        REPORTS: "1",
    }
