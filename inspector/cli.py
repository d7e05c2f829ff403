"""The command line: arguments in, exit code out. The work is done elsewhere, imported on use.

Exit codes: 0 done, 1 failed, 2 cannot start with these arguments or settings, 3 no service runs.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from inspector.errors import InspectorError
from inspector.settings import Settings, load_settings
from inspector.version import VERSION

CANNOT_START = 2

app = typer.Typer(
    name="inspector",
    help="Watch AI agents and MCP applications while they run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Config = Annotated[
    Path | None, typer.Option(help="Configuration file, instead of the user's inspector.toml.")
]
Store = Annotated[str | None, typer.Option(help="Store whose token it is.")]

# A token on the command line could be read by every user of the machine.
_NO_FLAG = frozenset({"token"})


def _say_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"mcp-agent-inspector {VERSION}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Watch AI agents and MCP applications while they run."""


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` a flag for each setting; it gets those that were given, by name."""

    def run(**given: Any) -> None:
        command(**given)

    parameters = [_flag(name) for name in Settings.model_fields if name not in _NO_FLAG]
    own = inspect.signature(command, eval_str=True).parameters.values()
    parameters += [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for one in own
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _flag(name: str) -> inspect.Parameter:
    field = Settings.model_fields[name]
    kind = field.annotation if field.annotation in (bool, int) else str
    option = typer.Option(help=field.description, show_default=False)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )


@app.command()
@with_settings
def serve(config: Config = None, **given: Any) -> None:
    """Run the service, and print the address to open."""
    from inspector.serve import serve as run  # noqa: PLC0415 - half a second

    run(load_settings(config, **given), say=_say_now)


def _say_now(line: str) -> None:
    typer.echo(line)
    sys.stdout.flush()  # whoever waits for the line reads it from a pipe


def run() -> None:
    """Run the command line. An error of ours is one sentence, not a traceback."""
    try:
        app()
    except InspectorError as error:
        typer.echo(f"inspector: {error}", err=True)
        sys.exit(CANNOT_START)
