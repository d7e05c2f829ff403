"""`inspector run`: watches a program without a change to its code."""

from __future__ import annotations

from typing import Annotated

import typer

from inspector.cli.plain_run import run_program

app = typer.Typer()


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(help="Command or Python file to run.")],
    url: Annotated[
        str | None, typer.Option(help="Address of the service. Default: the running one.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Frameworks to watch, comma-separated. Default: all.")
    ] = None,
    capture: Annotated[
        str | None, typer.Option(help="Content to record: full, redacted (default) or off.")
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            help="Session of spans without a session id: per-process (default, except for servers"
            " and test runs) or per-trace."
        ),
    ] = None,
) -> None:
    """Run a Python program unchanged and watch it: inspector run agent.py.

    Files, and modules (`inspector run -m agent`), run with the Python of this command. Name any
    other program: `inspector run pytest -x`, `inspector run .venv/bin/python agent.py`.
    Options after the name of the program belong to the program.

    The exit code is that of the program. Python processes that it starts are watched too, if they
    inherit its environment. For MCP servers over stdio see the page *MCP* of the documentation.
    """
    run_program(command, url=url, only=only, capture=capture, session=session)
