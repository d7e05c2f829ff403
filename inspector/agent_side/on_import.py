"""Callbacks that run once a module has been imported."""

from __future__ import annotations

import sys
from importlib.machinery import NamespaceLoader
from importlib.util import find_spec
from threading import local
from typing import TYPE_CHECKING, Any

# Few imports here: every Python process below `inspector run` pays for it.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def after_import(name: str, do: Callable[[], None]) -> Callable[[], None]:
    """Call `do` once the module `name` is imported; at once if it already is.

    It runs on the importing thread, inside the import statement; an exception is logged and does
    not fail the import. If the import of `name` has begun already, `do` runs at the next import of
    another module.

    Returns:
        A function that withdraws the callback if it has not run yet. Idempotent.
    """
    if name in sys.modules and (name in _ran or not is_being_imported(sys.modules[name])):
        _run(do, name)
        return lambda: None
    finder = _Finder(name, do)
    sys.meta_path.insert(0, finder)
    return finder.withdraw


_ran: set[str] = set()
"""Modules whose code has run and whose callbacks are running."""


def is_being_imported(module: ModuleType) -> bool:
    """Return whether `module` is still being imported."""
    return bool(getattr(module.__spec__, "_initializing", False))


def _run(do: Callable[[], None], name: str) -> None:
    try:
        do()
    except Exception:
        import logging  # noqa: PLC0415

        logging.getLogger("inspector").warning(
            "The callback for the import of %s failed.", name, exc_info=True
        )


class _Finder:
    """A finder of one module that asks the other finders and wraps the loader."""

    def __init__(self, name: str, do: Callable[[], None]) -> None:
        self._name = name
        self._do = do
        self._searching = local()
        self.is_loading = False

    def withdraw(self) -> None:
        sys.meta_path[:] = [one for one in sys.meta_path if one is not self]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            self._check()
            return None
        if getattr(self._searching, "is_on", False):
            return None
        self._searching.is_on = True
        try:
            spec = find_spec(fullname)
        finally:
            self._searching.is_on = False
        if spec is not None:
            spec.loader = _Loader(spec.loader or _of_namespace(spec), self)  # type: ignore[assignment]  # the same
        return spec

    def _check(self) -> None:
        """Run a callback that was registered while another loader was at work."""
        module = sys.modules.get(self._name)
        if module is not None and not self.is_loading and not is_being_imported(module):
            self.done()

    def done(self) -> None:
        self.withdraw()
        _ran.add(self._name)  # a later callback need not wait
        try:
            _run(self._do, self._name)
            # The import system does not ask finders that came during the import.
            for late in [one for one in sys.meta_path if isinstance(one, _Finder)]:
                if late._name == self._name and not late.is_loading:
                    late.done()
        finally:
            _ran.discard(self._name)


def _of_namespace(spec: ModuleSpec) -> NamespaceLoader:
    """Return the loader of a package without a file, which the import system would make."""
    loader = NamespaceLoader.__new__(NamespaceLoader)
    loader._path = spec.submodule_search_locations  # type: ignore[attr-defined]
    return loader


class _Loader:
    """A loader that runs the real one, and leaves it on the module."""

    def __init__(self, real: Any, finder: _Finder) -> None:
        self._real = real
        self._finder = finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._real.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        # The module keeps its real loader: `pkgutil`, `inspect` and `importlib.resources` ask it.
        module.__loader__ = self._real
        if module.__spec__ is not None:
            module.__spec__.loader = self._real
        self._finder.is_loading = True
        try:
            self._real.exec_module(module)
        finally:
            self._finder.is_loading = False
        self._finder.done()
