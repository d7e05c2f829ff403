"""Our packages under a name that no program has, for programs that have modules by our names.

`inspector`, `instrument` and `subscribers` are words that others use too. Below this module, which
is a package for the purpose, ours are loaded from their files as they are; what they import from
each other is looked for here. The program's `import instrument` finds what it would find without
us. Where that is ours, it gets the very modules that are loaded here, so that there is one bus.

Standard library only, and little of it: every Python process below `inspector run` pays for it.
"""

from __future__ import annotations

import builtins
import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

OURS = ("inspector", "instrument", "subscribers")
PRIVATE = "_mcp_agent_inspector"

ROOT = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120 - pathlib takes 5 ms
"""Where our packages are."""

__path__ = [ROOT]


def load(name: str) -> Any:
    """Return our module `name`, such as `inspector.attach`, whatever the program calls so."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    return import_module(_where(name))


def main() -> None:
    """Run the command line, also where PYTHONPATH leads to a module called as we are."""
    if is_shadowed("inspector"):
        isolate()
    load("inspector.__main__").main()


def isolate() -> None:
    """Load ours here from now on, also where `inspector` itself was imported by that name."""
    sys.meta_path.insert(0, _FINDER)
    import_module(f"{PRIVATE}.inspector")


def is_ours(spec: ModuleSpec | None, top: str) -> bool:
    """Return whether `spec`, or the lack of one, is of our package `top`."""
    origin = getattr(spec, "origin", None)
    return isinstance(origin, str) and os.path.realpath(origin) == os.path.join(  # noqa: PTH118
        ROOT, top, "__init__.py"
    )


def is_shadowed(top: str) -> bool:
    """Return whether `import top` gives, or would give, something that is not ours."""
    if top in sys.modules:
        return not is_ours(getattr(sys.modules[top], "__spec__", None), top)
    return not is_ours(found(top), top)


def _where(name: str) -> str:
    """Return the name that ours has: the public one where the program imported it before."""
    top = name.partition(".")[0]
    if f"{PRIVATE}.{top}" not in sys.modules and top in sys.modules and not is_shadowed(top):
        return name
    return f"{PRIVATE}.{name}"


def found(fullname: str) -> ModuleSpec | None:
    """Return what the program's import of a top-level module finds."""
    for finder in sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)
        if finder is not _FINDER and find_spec is not None:
            spec: ModuleSpec | None = find_spec(fullname, None, None)
            if spec is not None:
                return spec
    return None


def _import(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    """Stand for `__import__` in our modules."""
    top = name.partition(".")[0]
    if level == 0 and top in OURS:
        name = _where(name)
        if not fromlist:
            import_module(name)
            return sys.modules[_where(top)]
    return builtins.__import__(name, globals, locals, fromlist, level)


_BUILTINS = {**vars(builtins), "__import__": _import}


class _Finder:
    """Finds our modules below this one, and ours where the program asks for ours."""

    def find_spec(
        self, fullname: str, path: Any = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        if top == PRIVATE:
            spec = PathFinder.find_spec(fullname, path)
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader)  # type: ignore[assignment]  # does the same
            return spec
        if top not in OURS or f"{PRIVATE}.{top}" not in sys.modules or is_shadowed(top):
            return None
        spec = found(fullname) if path is None else PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Alias(  # type: ignore[assignment]  # does the same
                spec.loader, f"{PRIVATE}.{fullname}"
            )
        return spec


_FINDER = _Finder()


class _Loader:
    """Loads as the real one does, with our `__import__`."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def create_module(self, spec: ModuleSpec) -> Any:
        return self._real.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__loader__ = module.__spec__.loader = self._real
        module.__dict__["__builtins__"] = _BUILTINS
        self._real.exec_module(module)


class _Alias:
    """Gives the module that is loaded under our name."""

    def __init__(self, real: Any, name: str) -> None:
        self._real, self._name = real, name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)  # `runpy` asks for the code

    def create_module(self, spec: ModuleSpec) -> Any:
        module = import_module(self._name)
        self._spec, self._loader = module.__spec__, module.__loader__
        return module

    def exec_module(self, module: Any) -> None:
        # It has run. The import system has written what is to be seen of the other name on it.
        module.__spec__, module.__loader__ = self._spec, self._loader
