"""The process in which a module of hooks is imported and mounted.

`python -m inspector.hook_validation.stage ANSWER ROOT MODULE FUNCTION FILE` writes to ANSWER, as
JSON, a list of `[code, problem, file, line]`.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from instrument import control, testing
from instrument.control import HookRegistry

_Finding = tuple[str, str, str, int]


class _Watched(HookRegistry):
    """A registry that keeps what was registered."""

    def __init__(self, bus: Any) -> None:
        super().__init__(bus)
        self.registered: list[tuple[str, Any, Any]] = []

    def register(
        self,
        event: str,
        handler: Callable[[str, dict[str, Any]], Any],
        priority: int = 0,
        name: str | None = None,
    ) -> Callable[[], None]:
        self.registered.append((event, handler, priority))
        return super().register(event, handler, priority, name)

    on = register


def main(arguments: list[str]) -> None:
    """Try the module and leave at once, whatever threads it has started."""
    answer, root, module, function, file = arguments
    found = _try(root, module, function, file)
    Path(answer).write_text(json.dumps(found), encoding="utf-8")
    os._exit(0)


def _try(root: str, module: str, function: str, file: str) -> list[_Finding]:
    _lend_names()
    sys.path.insert(0, root)
    try:
        mount = getattr(importlib.import_module(module), function)
    except BaseException as error:  # noqa: BLE001 - SystemExit too is a failure of the module
        return [
            (
                "import-failed",
                f"Importing {module} failed: {_told(error)}",
                file,
                _line(error, file),
            )
        ]
    origin = getattr(sys.modules[module], "__file__", None)
    if origin is None or Path(origin).resolve() != Path(file):
        return [
            ("import-failed", f"The name {module} is that of another module: {origin}", file, 0)
        ]
    try:
        return asyncio.run(_mount(mount, file))
    except BaseException as error:  # noqa: BLE001
        return [("mount-failed", f"Mounting failed: {_told(error)}", file, _line(error, file))]


async def _mount(mount: Any, file: str) -> list[_Finding]:
    coordinator = testing.TestCoordinator()
    hooks = coordinator.hooks = _Watched(coordinator.hooks.bus)
    cleanup = await mount(coordinator, {})
    is_ready = getattr(sys.modules.get(mount.__module__), "on_session_ready", None)
    if is_ready is not None:
        await is_ready(coordinator)
    found = [one for handler in hooks.registered for one in _judge(*handler, file)]
    line = _place(mount, file)[1]
    if not hooks.registered:
        problem = "With an empty configuration, no handler is registered."
        found.append(("nothing-registered-by-default", problem, file, line))
    if cleanup is None:
        found.append(("no-cleanup", "mount() returned no function that cleans up.", file, line))
    elif not callable(cleanup):
        problem = f"mount() returned {type(cleanup).__name__}."
        found.append(("mount-returns-other", problem, file, line))
    else:
        found += await _clean_up(cleanup, hooks, file)
    return found + await _mount_bare(mount, file, line)


def _judge(event: str, handler: Any, priority: Any, file: str) -> list[_Finding]:
    found: list[_Finding] = []
    path, line = _place(handler, file)
    called = handler if inspect.isroutine(handler) else getattr(handler, "__call__", handler)  # noqa: B004
    while hasattr(called, "func"):
        called = called.func  # of a functools.partial
    if not inspect.iscoroutinefunction(called):
        found.append(("handler-not-async", f"The handler of {event} is not async.", path, line))
    try:
        inspect.signature(handler).bind(event, {})
    except TypeError as error:
        problem = f"The handler of {event} cannot be called with an event and its data: {error}."
        found.append(("handler-signature", problem, path, line))
    except ValueError:
        pass  # of a built-in, which has none to read
    if not isinstance(priority, int) or not 10 <= priority <= 90:
        problem = f"The handler of {event} has the priority {priority!r}, not one in 10 to 90."
        found.append(("priority-range", problem, path, line))
    return found


async def _clean_up(cleanup: Callable[[], Any], hooks: _Watched, file: str) -> list[_Finding]:
    path, line = _place(cleanup, file)
    try:
        returned = cleanup()
        if inspect.isawaitable(returned):
            await returned
    except Exception as error:  # noqa: BLE001 - it is the module's
        return [("cleanup-failed", f"The cleanup failed: {_told(error)}", path, line)]
    left = sorted(event for event, handlers in hooks.handlers.items() if handlers)
    if left:
        problem = f"After the cleanup, there are still handlers of {', '.join(left)}."
        return [("cleanup-incomplete", problem, path, line)]
    return []


async def _mount_bare(mount: Any, file: str, line: int) -> list[_Finding]:
    """Mount it as a plan without configuration may (001-04)."""
    try:
        await mount(testing.TestCoordinator(), None)
    except Exception as error:  # noqa: BLE001 - it is the module's
        problem = f"With the config None, mount() fails: {_told(error)}"
        return [("mount-needs-config", problem, file, line)]
    return []


def _lend_names() -> None:
    """Let modules that were written for the seed's own kernel find its names."""
    for name, content in {
        "amplifier_core": vars(control),
        "amplifier_core.models": vars(control),
        "amplifier_core.hooks": vars(control),
        "amplifier_core.interfaces": vars(control),
        "amplifier_core.events": vars(control.events),
        "amplifier_core.testing": vars(testing),
    }.items():
        lent = ModuleType(name)
        vars(lent).update({key: value for key, value in content.items() if key[0] != "_"})
        lent.__path__ = []
        sys.modules[name] = lent


def _place(function: Any, file: str) -> tuple[str, int]:
    while hasattr(function, "func"):
        function = function.func  # of a functools.partial
    if not inspect.isroutine(function):
        function = getattr(type(function), "__call__", function)  # noqa: B004
    code = getattr(function, "__code__", None)
    if code is None:
        return file, 0
    return str(Path(code.co_filename).resolve()), code.co_firstlineno


def _line(error: BaseException, file: str) -> int:
    """Return the last line of the module's file in the traceback."""
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename).resolve() == Path(file):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


if __name__ == "__main__":
    main(sys.argv[1:])
