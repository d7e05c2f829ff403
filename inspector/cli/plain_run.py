"""`inspector run` without the command line's library, so that the program starts sooner.

Of what it does not know, such as `--help` or a mistake, it leaves the whole command to
`inspector.cli.main`, which has the same options.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from inspector.agent_side import bootstrap
from inspector.agent_side.adapters import AUTO_ATTACH, select_adapters
from inspector.cli.exits import reporting_errors
from inspector.errors import SettingsError
from inspector.integrations.auto import REPORTS

_OPTIONS = ("url", "only", "capture", "session")
_SESSIONS = ("per-process", "per-trace")
_CAPTURES = ("full", "redacted", "off")
_PROGRAMS = {".py", ".pyz"}
_OF_PYTHON = {"-m", "-c"}
"""Options of Python that replace the file of a program."""
_WITHOUT_US = {"-I", "-E", "-S"}
"""Options with which Python ignores PYTHONPATH or `sitecustomize`."""


def plain_run(arguments: Iterable[str]) -> Callable[[], None] | None:
    """Return a function that runs the command of `arguments`; None if an option is not known."""
    rest = list(arguments)
    options: dict[str, str] = {}
    while rest and rest[0].startswith("-") and rest[0] not in {"--", *_OF_PYTHON}:
        name, equals, value = rest.pop(0).partition("=")
        if name.removeprefix("--") not in _OPTIONS or not (equals or rest):
            return None
        options[name.removeprefix("--")] = value if equals else rest.pop(0)
    if rest[:1] == ["--"]:
        rest.pop(0)
    return partial(_run_reporting, rest, options) if rest else None


def _run_reporting(command: list[str], options: dict[str, str]) -> None:
    with reporting_errors():
        run_program(command, **options)


def run_program(
    command: list[str],
    *,
    url: str | None = None,
    only: str | None = None,
    capture: str | None = None,
    session: str | None = None,
) -> None:
    """Run a command in our place, so that Python processes below it are watched; never return.

    Raises:
        SettingsError: `url` is no address, `only` names a framework without an adapter, `capture`
            or `session` is no mode, or there is no such program.
    """
    file = Path(command[0])
    if command[0] in _OF_PYTHON or (file.suffix in _PROGRAMS and file.is_file()):
        command = [sys.executable, *command]
    environ = _environment(url=url, only=only, capture=capture, session=session)
    program = shutil.which(command[0])
    if program is None:
        why = "it is a folder" if Path(command[0]).is_dir() else "no such file or program"
        raise SettingsError(f"Cannot run {command[0]!r}: {why}.")
    if "python" in Path(command[0]).name and _WITHOUT_US.intersection(command[1:2]):
        sys.stderr.write(f"inspector: not watched: Python ignores PYTHONPATH with {command[1]}.\n")
    sys.stdout.flush()
    if os.name == "posix":  # the program takes our place: signals, terminal and exit code are its
        os.execve(program, command, environ)
    import subprocess  # noqa: PLC0415 - not needed above

    sys.exit(subprocess.call([program, *command[1:]], env=environ))


def _environment(
    *, url: str | None, only: str | None, capture: str | None, session: str | None
) -> dict[str, str]:
    if session not in (None, *_SESSIONS):
        raise SettingsError(f"--session {session}: use per-process or per-trace.")
    if (
        capture is not None and capture.lower() not in _CAPTURES
    ):  # what is misspelt must not store prompts
        raise SettingsError(f"--capture {capture}: use full, redacted or off.")
    if url is not None:
        from inspector.runfile import is_address  # noqa: PLC0415 - seldom needed

        if not is_address(url):
            raise SettingsError(f"--url {url}: use an address, such as http://127.0.0.1:7800.")
    if only is not None:
        try:
            select_adapters(only)
        except ValueError as error:
            raise SettingsError(f"--only {only}: {error}") from error
    settings = {
        "INSPECTOR_URL": url,
        AUTO_ATTACH: only,
        "INSPECTOR_CAPTURE_CONTENT": capture,
        "INSPECTOR_SESSION": session or os.environ.get("INSPECTOR_SESSION") or _SESSIONS[0],
    }
    # Under a name that is in `subscribers` again, which takes long to import.
    settings["INSPECTOR_RUN_ID"] = os.urandom(16).hex()
    path = [str(Path(bootstrap.__path__[0])), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        **{name: value for name, value in settings.items() if value is not None},
        "PYTHONPATH": os.pathsep.join(path),
        REPORTS: "1",
    }
