"""The command `inspector proxy [--name NAME] -- COMMAND [ARGS]`.

It runs before the rest of the command line is imported: a host waits for the server.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

USAGE = """\
Usage: inspector proxy [--name NAME] -- COMMAND [ARGS]...

  Run an MCP server over stdio, and show its messages and those of its client.

  All bytes, signals and the exit code pass through unchanged.
  Without a reachable service, the proxy is a plain pipe.

Options:
  --name NAME  Name of the server; default: the name of the command.
  --help       Show this message and exit.
"""
NOT_FOUND, NOT_EXECUTABLE, CANNOT_START = 127, 126, 2


def main(arguments: Sequence[str]) -> int:
    """Run the command and exit like it; return only on wrong usage."""
    name, command, error = _parsed(list(arguments))
    if error == "--help":
        sys.stdout.write(USAGE)
        return 0
    if error is not None or not command:
        sys.stderr.write(f"{error or 'Missing COMMAND.'}\n{USAGE}")
        return CANNOT_START
    if os.name != "posix":
        sys.stderr.write(
            "inspector proxy: Unsupported platform: it needs POSIX signals and pipes (Linux, "
            "macOS, or WSL on Windows).\n"
        )
        return CANNOT_START
    from inspector.proxy.relay import end_as, relay  # noqa: PLC0415
    from inspector.proxy.reporter import ProxyReporter  # noqa: PLC0415

    reporter = ProxyReporter(command, name)
    try:
        code = relay(command, reporter.record, started=reporter.start)
    except OSError as failed:
        sys.stderr.write(f"inspector proxy: Cannot start {command[0]!r}: {failed.strerror}.\n")
        reporter.fail(failed)
        reporter.start()
        code = NOT_FOUND if isinstance(failed, FileNotFoundError) else NOT_EXECUTABLE
    reporter.close()
    end_as(code)
    return code


def _parsed(arguments: list[str]) -> tuple[str | None, list[str], str | None]:
    """Return the name, the command and the error."""
    name = None
    while arguments:
        first = arguments.pop(0)
        if first == "--":
            return name, arguments, None
        if first in ("--help", "-h"):
            return None, [], "--help"
        if first.startswith("--name="):
            name = first.removeprefix("--name=")
        elif first == "--name" and arguments:
            name = arguments.pop(0)
        elif first.startswith("-"):
            return None, [], f"No such option: {first}."
        else:
            return name, [first, *arguments], None
    return name, [], None
