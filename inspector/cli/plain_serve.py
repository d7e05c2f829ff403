"""`inspector serve` without the command line's library, so that it starts sooner.

It knows flags with a value only. Of all else, such as `--help`, a switch or a mistake, it leaves
the whole command to `inspector.cli.main`, which has the same flags.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from inspector.cli.exits import reporting_errors
from inspector.service.settings import Settings, load_settings

NO_FLAG = frozenset({"token", "history_password", "writer_tokens"})
"""Settings without a flag: a command line can be read by every user of the machine."""


def plain_serve(arguments: Iterable[str]) -> Callable[[], None] | None:
    """Return a function that serves with `arguments`; None if one is no flag with a value."""
    try:
        flags = dict(_flags(iter(arguments)))
    except _NotPlainError:
        return None
    from inspector.service.server.serve import serve  # noqa: PLC0415 - half a second

    def run() -> None:
        with reporting_errors():
            serve(load_settings(**flags), say=_print_now)

    return run


class _NotPlainError(Exception):
    """An argument is no flag with a value."""


def _flags(arguments: Iterator[str]) -> Iterator[tuple[str, Any]]:
    for argument in arguments:
        flag, equals, value = argument.partition("=")
        name = flag.removeprefix("--").replace("-", "_")
        kind = Path if name == "config" else _kind(name)
        if not equals:
            value = next(arguments, "-")
        if f"--{name.replace('_', '-')}" != flag or kind is None or value.startswith("-"):
            raise _NotPlainError
        if kind is int and not (value.isascii() and value.isdecimal()):
            raise _NotPlainError
        yield name, kind(value)


def _kind(name: str) -> type | None:
    field = Settings.model_fields.get(name)
    if field is None or name in NO_FLAG or field.annotation is bool:
        return None
    return int if field.annotation is int else str


def _print_now(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()  # programs wait for it at a pipe
