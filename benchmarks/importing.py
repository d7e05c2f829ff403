"""Cost of an import in a process that has loaded asyncio, logging and dataclasses.

CPU time of fresh processes, with bytecode caches; the floor imports as many modules that are empty.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 15

_SCRIPT = """
import asyncio, dataclasses, logging, sys, time
had, began_ns = len(sys.modules), time.thread_time_ns()
import {module}
print(time.thread_time_ns() - began_ns, len(sys.modules) - had)
"""


class ImportTimes(NamedTuple):
    """Times of one import."""

    best_ms: float
    median_ms: float
    module_count: int


def import_times(module: str, folder: Path = ROOT) -> ImportTimes:
    """Return the time to import `module` from `folder`."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", _SCRIPT.format(module=module)]
    times_ms, modules = [], "0"
    for number in range(PROCESSES + 1):
        output = subprocess.check_output(command, env=environment, text=True)
        took_ns, modules = output.split()
        if number > 0:  # the first writes the caches
            times_ms.append(int(took_ns) / 1e6)
    return ImportTimes(min(times_ms), median(times_ms), int(modules))


def floor(module_count: int) -> ImportTimes:
    """Return the time to import a package of `count` empty modules."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "empty_package")
        package.mkdir()
        names = [f"module_{number}" for number in range(module_count - 1)]
        for name in names:
            Path(package, f"{name}.py").touch()
        imports = "".join(f"import empty_package.{name}\n" for name in names)
        Path(package, "__init__.py").write_text(imports, encoding="utf-8")
        return import_times("empty_package", Path(folder))
