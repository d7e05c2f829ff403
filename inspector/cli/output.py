"""Output of all commands: the option `--json`, and the exit code of a failure."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from inspector.cli.exits import FAILED as FAILED

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def print_json(value: object, indent: int | None = 2) -> None:
    """Print a value as JSON, at once."""
    print_now(json.dumps(value, indent=indent))


def say_missing(missing: Iterable[Mapping[str, Any]]) -> None:
    """Report what a list leaves out, once each; the list itself goes to standard output."""
    for line in dict.fromkeys(map(_missing, missing)):
        typer.echo(line, err=True)


def _missing(one: Mapping[str, Any]) -> str:
    name = one.get("writer")  # services of before do not say
    if one["part"] == "writer":
        return f"{one['why']} Nothing of it is listed."
    whose = "the service's disk" if name is None else f"the disk of the service {name!r}"
    return f"Sessions that left {whose} are not searched: {one['why']}"


def print_now(line: str) -> None:
    """Print a line and flush it: programs wait for it at a pipe."""
    typer.echo(line)
    sys.stdout.flush()
