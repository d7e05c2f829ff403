"""Output of all commands: the option `--json`, and the exit code of a failure."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from inspector.cli.exits import FAILED as FAILED

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def print_json(value: object, indent: int | None = 2) -> None:
    """Print a value as JSON, at once."""
    print_now(json.dumps(value, indent=indent))


def print_now(line: str) -> None:
    """Print a line and flush it: programs wait for it at a pipe."""
    typer.echo(line)
    sys.stdout.flush()
