"""Mounting of a module in a process of its own, which may hang or die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from inspector.cli.hook_validation.finding import RULES, Finding, finding
from inspector.cli.hook_validation.target import Entry, Target

TIME_LIMIT_S = 10.0
_MAX_BYTES = 1_000_000
_ROOT = Path(__file__).resolve().parents[3]


class TrialResult(NamedTuple):
    """The findings of mounting, and the file and first line of each registered handler."""

    findings: list[Finding]
    handlers: list[tuple[str, int]]


def mount_on_trial(target: Target, entry: Entry, time_limit_s: float) -> TrialResult:
    """Import and mount an entry point in another process, and return the result."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        answer = Path(folder, "answer.json")
        exit_code = _run(entry, answer, time_limit_s)
        if exit_code is None:
            problem = f"Importing and mounting {entry.module} took more than {time_limit_s:g} s."
            return TrialResult([finding("trial-timeout", problem, entry.file)], [])
        shown = _answered(target, entry, answer)
        if shown is None:
            problem = f"Mounting {entry.module} ended the process with exit code {exit_code}."
            return TrialResult([finding("trial-died", problem, entry.file)], [])
        return shown


def _run(entry: Entry, answer: Path, time_limit_s: float) -> int | None:
    command = [sys.executable, "-P", "-m", "inspector.cli.hook_validation.stage"]
    names = [str(entry.import_root), entry.module, entry.function, str(entry.file.resolve())]
    process = subprocess.Popen(  # list form, no shell
        [*command, str(answer), *names],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=answer.parent,
        env=_environment(),
        start_new_session=True,
    )
    try:
        return process.wait(time_limit_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(process)


def _environment() -> dict[str, str]:
    """Return our environment without the address of a service, for a module on trial."""
    own = {name: text for name, text in os.environ.items() if not name.startswith("INSPECTOR_")}
    paths = [str(_ROOT), own.get("PYTHONPATH", "")]
    own["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    own["PYTHONDONTWRITEBYTECODE"] = "1"
    return own


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its children."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _answered(target: Target, entry: Entry, answer: Path) -> TrialResult | None:
    try:
        with answer.open("rb") as opened:
            found, handlers = json.loads(opened.read(_MAX_BYTES))
        return TrialResult(
            [
                finding(code, str(problem), _shown(target, entry, file), int(line))
                for code, problem, file, line in found
                if code in RULES
            ],
            [(str(file), int(line)) for file, line in handlers],
        )
    except (OSError, ValueError, TypeError):
        return None


def _shown(target: Target, entry: Entry, file: object) -> Path:
    """Return a file of the module as the caller named it; for any other, its entry."""
    return next((path for path in target.sources if str(path.resolve()) == file), entry.file)
