"""`inspector run`: watches a program without a change to its code."""

from __future__ import annotations

from typing import Annotated

import typer

from inspector.cli.plain_run import run_program

app = typer.Typer()


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
    run_program(command, url=url, only=only, capture=capture, session=session)
