"""`inspector policies`: the policies in force here, and their decision on a call."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inspector.agent_side.policies.locations import (
    SWITCH,
    PolicyFile,
    find_sources,
    is_switched_off,
)
from inspector.cli.output import FAILED, Json, print_json
from inspector.errors import PolicyError

if TYPE_CHECKING:
    from inspector.agent_side.policies.explanation import RuleText
    from inspector.agent_side.policies.file import Rules

app = typer.Typer(help="Policies and budgets of agents.", no_args_is_help=True)

_STYLES = {
    "deny": typer.colors.RED,
    "ask": typer.colors.YELLOW,
    "break": typer.colors.YELLOW,
    "allow": typer.colors.GREEN,
}

File = Annotated[
    Path | None,
    typer.Argument(help="Check only this file. Default: all files in force."),
]


@app.command()
def check(file: File = None, as_json: Json = False) -> None:
    """Show the policies in force here, in order and in words, and their errors.

    In force are the user's inspector.toml and the one in the working directory, which can only
    restrict further. The exit code is 1 if there are errors.
    """
    from inspector.agent_side.policies.explanation import lines  # noqa: PLC0415 - on use

    found, mistakes = _read(file)
    if as_json:
        output = [{"file": str(one.file), **line._asdict()} for one in found for line in lines(one)]
        print_json({"rules": output, "mistakes": mistakes})
    else:
        for one in found:
            typer.echo(f"{one.file}")
            for line in lines(one):
                typer.echo(f"  {_shown(line)}")
        if not found and not mistakes:
            typer.echo("No policies are in force here.")
            for source in [] if is_switched_off(os.environ) else _places(file):
                typer.echo(f"  looked at {source.file}", err=True)
        _warn_of_prices(found)
        _print_mistakes(mistakes)
    if mistakes:
        raise typer.Exit(FAILED)


@app.command("try")
def try_(
    tool: Annotated[str, typer.Argument(help="Name of the tool.")],
    args: Annotated[str, typer.Option(help="Arguments, as a JSON object.")] = "{}",
    server: Annotated[str | None, typer.Option(help="MCP server of the tool.")] = None,
    agent: Annotated[str, typer.Option(help="Agent that calls it.")] = "",
    on: Annotated[str, typer.Option(help="Event to try; --args are its kwargs.")] = (
        "before_tool_call"
    ),
    file: Annotated[
        Path | None,
        typer.Option(help="Check only this file. Default: all files in force."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show which policy would decide about a call, and why. Nothing is called.

    The exit code is 1 if the policies in force have errors.
    """
    from inspector.agent_side.policies.explanation import try_out  # noqa: PLC0415
    from inspector.agent_side.policies.file import HOOKS  # noqa: PLC0415 - on use
    from inspector.agent_side.policies.rules import BEFORE_TOOL_CALL, Event  # noqa: PLC0415

    if on not in HOOKS:
        raise typer.BadParameter(f"use one of {', '.join(HOOKS)}", param_hint="--on")
    found, mistakes = _read(file)
    if mistakes:
        _print_mistakes(mistakes)
        raise typer.Exit(FAILED)
    value = _object(args)
    kwargs = {"tool_name": tool, "args": value, "server_name": server}
    if on != BEFORE_TOOL_CALL:
        kwargs = {**value, "server_name": value.get("server_name", server)}
    trial = try_out(found, Event(on, kwargs, lambda: agent))
    if as_json:
        output = {
            "verdict": trial.verdict,
            "reason": trial.reason,
            "matched": [line._asdict() for line in trial.matched],
            "budgets": [line._asdict() for line in trial.counted],
        }
        print_json(output)
        return
    verdict = typer.style(trial.verdict, fg=_STYLES.get(trial.verdict))
    typer.echo(f"{verdict}: {trial.reason}")
    for line in (*trial.matched, *trial.counted):
        typer.echo(f"  {_shown(line)}")


def _read(file: Path | None) -> tuple[list[Rules], list[str]]:
    from inspector.agent_side.policies.sources import load  # noqa: PLC0415 - on use

    if file is None and is_switched_off(os.environ):
        typer.echo(f"{SWITCH} is off: no policy acts.", err=True)
        return [], []
    if file is not None and not file.exists():
        raise typer.BadParameter(f"{file} does not exist", param_hint="FILE")
    sources = _places(file)
    found: list[Rules] = []
    mistakes: list[str] = []
    for source in sources:
        try:
            rules = load(source)
        except PolicyError as error:
            mistakes += error.mistakes
        else:
            found += [] if rules is None else [rules]
    return found, mistakes


def _places(file: Path | None) -> list[PolicyFile]:
    return find_sources(os.environ) if file is None else [PolicyFile(file, True, False)]


def _shown(line: RuleText) -> str:
    place = f" (line {line.line})" if line.line else ""
    return f"{line.kind:<10} {line.name}: {line.words}{place}"


def _print_mistakes(mistakes: list[str]) -> None:
    for mistake in mistakes:
        typer.echo(typer.style(mistake, fg=typer.colors.RED), err=True)
    if mistakes:
        text = "Until you fix this, agents deny every call that the file may restrict."
        typer.echo(text, err=True)


def _warn_of_prices(found: list[Rules]) -> None:
    from inspector.agent_side.policies.explanation import needs_prices  # noqa: PLC0415 - on use

    if any(needs_prices(one) for one in found) and not os.environ.get("INSPECTOR_PRICES"):
        typer.echo(
            "INSPECTOR_PRICES is not set: an LLM call without a reported cost exhausts a cost "
            "budget.",
            err=True,
        )


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise typer.BadParameter(f"this is not JSON: {error}", param_hint="--args") from error
    if not isinstance(value, dict):
        raise typer.BadParameter("this is not a JSON object", param_hint="--args")
    return value
