"""`inspector doctor`."""

from __future__ import annotations

import os
from dataclasses import asdict

import typer

from inspector.cli.output import FAILED, Json, print_json

app = typer.Typer()

_STYLES = {"ok": typer.colors.GREEN, "warn": typer.colors.YELLOW, "fail": typer.colors.RED}


@app.command()
def doctor(as_json: Json = False) -> None:
    """Check this installation, and show how to fix what is wrong.

    The exit code is 1 if something does not work. The token is never shown.
    """
    from inspector.cli.doctor import examine  # noqa: PLC0415
    from inspector.cli.doctor.finding import FAIL  # noqa: PLC0415

    has_failed, found = False, []
    for finding in examine(os.environ):
        has_failed |= finding.level == FAIL
        found.append(asdict(finding))
        if not as_json:
            level = typer.style(f"{finding.level:<5}", fg=_STYLES[finding.level])
            typer.echo(f"{level} {finding.subject:<15} {finding.message}")
            if finding.advice:
                typer.echo(f"{'':<21} → {finding.advice}")
    if as_json:
        print_json(found)
    if has_failed:
        raise typer.Exit(FAILED)
