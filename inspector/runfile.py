"""The run-file, by which agents find the service on this machine.

A running service writes `{url, token, pid, store}` into the user's runtime directory, readable by
the user alone, and removes it on exit. A file is believed only if it, and its directory, belong to
this user, nobody else may write them, and its process is alive.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from inspector.paths import write_private

NAME = "inspector.json"
MAX_BYTES = 16_384

_DIRECTORY = "mcp-agent-inspector"

is_absence_reported = False
"""Whether the terminal has shown already that no service runs."""


class RunFile(NamedTuple):
    """A running service."""

    url: str
    """Base address, without a trailing slash."""
    token: str
    pid: int
    store: str
    """The setting `store` of the service."""


def is_address(url: str) -> bool:
    """Return whether `url` can be the base address of a service."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # it may be no number
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def directories(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the possible directories of a run-file, the preferred one first.

    `INSPECTOR_RUNTIME_DIR`, if set, is the only one. Otherwise there are several: a login shell has
    `XDG_RUNTIME_DIR`, a cron job or container has not.
    """
    if chosen := environ.get("INSPECTOR_RUNTIME_DIR"):
        return [Path(chosen)]
    places = []
    if runtime := environ.get("XDG_RUNTIME_DIR"):
        places.append(Path(runtime) / _DIRECTORY)
    if hasattr(os, "getuid") and (runtime_dir := Path(f"/run/user/{os.getuid()}")).is_dir():
        places.append(runtime_dir / _DIRECTORY)
    if local := environ.get("LOCALAPPDATA"):
        places.append(Path(local) / _DIRECTORY)
    if home := environ.get("HOME"):
        places.append(Path(home) / ".local" / "state" / _DIRECTORY)
    return list(dict.fromkeys(places))


def write(run: RunFile, environ: Mapping[str, str] = os.environ) -> Path:
    """Write the run-file atomically with mode 0600; return its path.

    Raises:
        OSError: No directory could be written.
    """
    problem: OSError | None = None
    for directory in directories(environ):
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(path := directory / NAME, json.dumps(run._asdict()))
        except OSError as error:
            problem = error
        else:
            return path
    raise problem or OSError("Cannot write the run-file: set INSPECTOR_RUNTIME_DIR.")


def read(environ: Mapping[str, str] = os.environ) -> RunFile | None:
    """Return the running service of this user, or None."""
    for directory in directories(environ):
        run = _read_one(directory / NAME)
        if run is not None and is_alive(run.pid):
            return run
    return None


def remove(pid: int, environ: Mapping[str, str] = os.environ) -> None:
    """Remove the run-file of process `pid`; leave those of others."""
    for directory in directories(environ):
        run = _read_one(directory / NAME)
        if run is not None and run.pid == pid:
            with contextlib.suppress(OSError):
                (directory / NAME).unlink()


def is_alive(pid: int) -> bool:
    """Return whether the process `pid` exists; True where the system offers no safe check."""
    if os.name != "posix":
        return True  # os.kill(pid, 0) would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _read_one(path: Path) -> RunFile | None:
    try:
        if not (_is_private(path.parent) and _is_private(path)):
            return None
        with path.open(encoding="utf-8") as file:
            fields = json.loads(file.read(MAX_BYTES))
        url = fields["url"].rstrip("/")
        run = RunFile(url, fields["token"], fields["pid"], fields.get("store", ""))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    is_valid = is_address(url) and type(run.token) is str and type(run.pid) is int and run.pid > 0
    return run if is_valid else None


def _is_private(path: Path) -> bool:
    """Return whether the user owns `path` and is the only one who may write it."""
    if not hasattr(os, "getuid"):
        return True
    info = path.lstat()
    is_plain = stat.S_ISDIR(info.st_mode) or stat.S_ISREG(info.st_mode)
    return is_plain and info.st_uid == os.getuid() and not info.st_mode & 0o022


def environment_token(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the token: `INSPECTOR_TOKEN`, else the content of the file `INSPECTOR_TOKEN_FILE`.

    A file that cannot be read is one log line: an agent goes on without.
    """
    if token := environ.get("INSPECTOR_TOKEN"):
        return token
    if not (file := environ.get("INSPECTOR_TOKEN_FILE")):
        return None
    try:
        return Path(file).read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError) as error:
        import logging  # noqa: PLC0415 - `inspector run` starts sooner without

        logging.getLogger("inspector").warning(
            "Cannot read the file in INSPECTOR_TOKEN_FILE (%s).", error
        )
        return None
