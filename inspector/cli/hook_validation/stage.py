"""The process in which a module of hooks is imported and mounted.

`python -m inspector.cli.hook_validation.stage ANSWER ROOT MODULE FUNCTION FILE` writes to ANSWER,
as JSON, a list of `[code, problem, file, line]` and one of the `[file, line]` of each handler.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from instrument import control, testing
from instrument.control import HookRegistry

_Place = tuple[str, int]
_Finding = tuple[str, str, str, int]


class _Watched(HookRegistry):
    """A registry that records its handlers and their priorities."""

    def __init__(self, bus: Any) -> None:
        super().__init__(bus)
        self.registered: list[tuple[Any, Any]] = []

    def register(
        self,
        event: str,
        handler: Callable[[str, dict[str, Any]], Any],
        priority: int = 0,
        name: str | None = None,
    ) -> Callable[[], None]:
        self.registered.append((handler, priority))
        return super().register(event, handler, priority, name)

    on = register


def main(arguments: list[str]) -> None:
    """Try the module and exit at once, even if it has started threads."""
    answer, root, module, function, file = arguments
    places: set[_Place] = set()
    found = _try(root, module, function, file, places)
    Path(answer).write_text(json.dumps([found, sorted(places)]), encoding="utf-8")
    os._exit(0)


def _try(root: str, module: str, function: str, file: str, places: set[_Place]) -> list[_Finding]:
    """Import and mount the module, record its handlers in `places`, and return the findings."""
    _provide_kernel_names()
    sys.path.insert(0, root)
    try:
        imported = importlib.import_module(module)
        mount = getattr(imported, function, None)
    except BaseException as error:  # noqa: BLE001 - SystemExit too is a failure of the module
        problem = f"Importing {module} failed: {_summary(error)}"
        return [("import-failed", problem, file, _line(error, file))]
    origin = getattr(imported, "__file__", None)
    if origin is None or Path(origin).resolve() != Path(file):
        problem = f"Another module has the name {module}: {origin}"
        return [("import-failed", problem, file, 0)]
    if mount is None:
        return [("no-mount", f"There is no {function}() in {module}.", file, 0)]
    found = list(_check_function("mount", mount, "a coordinator and a config", file))
    if found:
        return found
    try:
        return asyncio.run(_mount(mount, file, places))
    except BaseException as error:  # noqa: BLE001
        return [("mount-failed", f"Mounting failed: {_summary(error)}", file, _line(error, file))]


async def _mount(mount: Any, file: str, places: set[_Place]) -> list[_Finding]:
    coordinator = testing.TestCoordinator()
    hooks = coordinator.hooks = _Watched(coordinator.hooks.bus)
    cleanup = await mount(coordinator, {})
    is_ready = getattr(sys.modules.get(mount.__module__), "on_session_ready", None)
    if is_ready is not None:
        await is_ready(coordinator)
    found: list[_Finding] = []
    for handler, priority in hooks.registered:
        place = _place(handler, file)
        places.add(place)
        found += _check_function("handler", handler, "an event and its data", file)
        if not isinstance(priority, int) or not 10 <= priority <= 90:
            problem = f"The priority {priority!r} is not in 10 to 90; the default, 0, is too early."
            found.append(("priority-range", problem, *place))
    line = _place(mount, file)[1]
    if not hooks.registered:
        problem = "With an empty configuration, no handler is registered."
        found.append(("nothing-registered-by-default", problem, file, line))
    if cleanup is None:
        found.append(("no-cleanup", "mount() returned no cleanup function.", file, line))
    elif not callable(cleanup):
        problem = f"mount() returned {type(cleanup).__name__}."
        found.append(("mount-returns-other", problem, file, line))
    else:
        found += await _clean_up(cleanup, hooks, file)
    return found + await _mount_bare(mount, file, line)


def _check_function(role: str, function: Any, wanted: str, file: str) -> Iterator[_Finding]:
    """Check that a `mount` or a `handler` is async and takes two arguments."""
    place = _place(function, file)
    name = getattr(function, "__name__", type(function).__name__)
    called = getattr(function, "__call__", None)  # noqa: B004
    if not any(map(inspect.iscoroutinefunction, (function, called, inspect.unwrap(function)))):
        yield (f"{role}-not-async", f"{name} is not async.", *place)
    try:
        inspect.signature(function).bind(None, None)
    except TypeError as error:
        yield (f"{role}-signature", f"{name} cannot be called with {wanted}: {error}.", *place)
    except ValueError:
        pass  # of a built-in, which has none to read


async def _clean_up(cleanup: Callable[[], Any], hooks: _Watched, file: str) -> list[_Finding]:
    path, line = _place(cleanup, file)
    try:
        returned = cleanup()
        if inspect.isawaitable(returned):
            await returned
    except Exception as error:  # noqa: BLE001 - it is the module's
        return [("cleanup-failed", f"The cleanup failed: {_summary(error)}", path, line)]
    left = sorted(event for event, handlers in hooks.handlers.items() if handlers)
    if left:
        problem = f"After the cleanup, there are still handlers of {', '.join(left)}."
        return [("cleanup-incomplete", problem, path, line)]
    return []


async def _mount_bare(mount: Any, file: str, line: int) -> list[_Finding]:
    """Mount the module without a configuration, as a plan may."""
    try:
        await mount(testing.TestCoordinator(), None)
    except Exception as error:  # noqa: BLE001 - it is the module's
        problem = f"With the config None, mount() fails: {_summary(error)}"
        return [("mount-needs-config", problem, file, line)]
    return []


def _provide_kernel_names() -> None:
    """Provide the names of the original kernel to modules that were written for it."""
    for name, content in {
        "amplifier_core": vars(control),
        "amplifier_core.models": vars(control),
        "amplifier_core.hooks": vars(control),
        "amplifier_core.interfaces": vars(control),
        "amplifier_core.events": vars(control.events),
        "amplifier_core.testing": vars(testing),
    }.items():
        module = ModuleType(name)
        vars(module).update({key: value for key, value in content.items() if key[0] != "_"})
        module.__path__ = []
        sys.modules[name] = module


def _place(function: Any, file: str) -> _Place:
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function):
        function = getattr(type(function), "__call__", function)  # noqa: B004
    code = getattr(inspect.unwrap(function), "__code__", None)
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


def _summary(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


if __name__ == "__main__":
    main(sys.argv[1:])
