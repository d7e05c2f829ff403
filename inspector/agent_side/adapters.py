"""The table of framework adapters, and their automatic attachment.

A framework that the program has imported is attached at once, any other at the moment at which
the program imports it: one that is installed and not used costs nothing.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.agent_side.on_import import after_import

# Little is imported up here: every Python process below `inspector run` pays for it.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from instrument import Bus

_PACKAGE = __name__.removesuffix(".agent_side.adapters")
"""What `inspector` is called here: a program may have a package by that name."""

ENABLE_PATCH = "INSPECTOR_ENABLE_PATCH"
ASKED = "INSPECTOR_AUTO_ATTACH"
"""Which frameworks, where the program does not say."""
ALL = ("", "1", "true", "yes", "on", "all", "auto")
NONE = ("0", "false", "no", "off", "none")


class Adapter(NamedTuple):
    """One framework."""

    name: str
    """Of the module here, and what users call it."""
    imports: str
    """The module whose import means that a program uses it."""
    distribution: str
    """Whose version counts."""
    first: str
    """The oldest version that the tests ran with."""
    below: str
    """The first version that may be different."""
    switch: str | None = None
    """The environment variable that has to ask for it."""
    is_common_name: bool = False
    """Programs have packages of their own by the name of its module."""

    @property
    def tested(self) -> str:
        """The range for people."""
        return f"{self.first} to below {self.below}"


ADAPTERS = (
    Adapter("mcp", "mcp", "mcp", "1.27", "3", is_common_name=True),
    Adapter("mcp_agent", "mcp_agent", "mcp-agent", "0.2.6", "0.3", switch=ENABLE_PATCH),
    Adapter("strands", "strands", "strands-agents", "1.62", "2", is_common_name=True),
    Adapter("amplifier", "amplifier_core", "amplifier-core", "2.0", "3"),
    Adapter("openai_agents", "agents", "openai-agents", "0.24", "0.25", is_common_name=True),
    Adapter("pydantic_ai", "pydantic_ai", "pydantic-ai-slim", "2.68", "3"),
    Adapter("langchain", "langchain_core", "langchain-core", "1.7", "2"),
)
"""In the order in which they are named to people."""


def importable() -> tuple[Adapter, ...]:
    """Return the adapters whose framework is installed and not switched off; imports nothing."""
    return tuple(one for one in ADAPTERS if _is_switched_on(one) and _is_installed(one))


def wanted(names: str | Iterable[str] | None) -> tuple[Adapter, ...]:
    """Return the adapters of `names`: `"auto"` for all installed frameworks, `"off"` for none.

    Args:
        names: As an argument, or as an environment variable says it, with commas. None: all.

    Raises:
        ValueError: A name is none of `ADAPTERS`.
    """
    if names is None or isinstance(names, str):
        text = (names or "").strip().lower()
        if text in ALL:
            return importable()
        names = [] if text in NONE else text.split(",")
    known = {adapter.name: adapter for adapter in ADAPTERS}
    found = [name.strip().lower().replace("-", "_") for name in names]
    for name in found:
        if name not in known:
            raise ValueError(f"There is no adapter for {name!r}. There are: {', '.join(known)}.")
    return tuple(known[name] for name in found)


def attach_all(adapters: Iterable[Adapter], *, bus: Bus | None = None) -> Callable[[], None]:
    """Attach to each framework once it is imported; return a function that detaches them all.

    What cannot be watched is one WARNING; nothing is raised for it.
    """
    undo: list[Callable[[], None]] = []
    undo.extend(after_import(one.imports, partial(_attach, one, bus, undo)) for one in adapters)

    def detach_all() -> None:
        while undo:
            undo.pop()()

    return detach_all


def _attach(adapter: Adapter, bus: Bus | None, undo: list[Callable[[], None]]) -> None:
    if not is_theirs(adapter):
        return
    (_warned.discard if _is_tested(adapter) else _warned.add)(adapter)
    try:
        undo.append(load_adapter(adapter.name).attach(bus=bus))
    except Exception as error:  # noqa: BLE001 - never into the program that is watched
        _warn(
            "Cannot watch %s %s (%s: %s). The adapter was tested with %s.",
            adapter.distribution,
            installed_version(adapter) or "of unknown version",
            type(error).__name__,
            error,
            adapter.tested,
        )
    else:
        check_version(adapter)
        for tell in on_attached:
            tell(adapter)


def load_adapter(name: str) -> Any:
    """Return the module of an adapter, which lies above this one: it is known by its name only."""
    return import_module(f"{_PACKAGE}.integrations.{name}")


on_attached: list[Callable[[Adapter], None]] = []
"""Told of each framework that is watched from then on."""


def check_version(adapter: Adapter) -> None:
    """Warn if the installed version is outside the tested range."""
    if not _is_tested(adapter):
        _warn(
            "%s %s was not tested with the inspector (tested: %s); it is watched as well as "
            "possible.",
            adapter.distribution,
            installed_version(adapter),
            adapter.tested,
        )


def is_warned_of(adapter: Adapter) -> bool:
    """Return whether `attach_all` warns of its version, so missing parts are expected."""
    return adapter in _warned


_warned: set[Adapter] = set()


def _is_tested(adapter: Adapter) -> bool:
    number = _number(installed_version(adapter))
    return not number or _number(adapter.first) <= number < _number(adapter.below)


def find_adapter(name: str) -> Adapter:
    """Return the row of an adapter module."""
    return next(adapter for adapter in ADAPTERS if adapter.name == name)


def installed_version(adapter: Adapter) -> str:
    """Return the version that is installed, empty if that is not known."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version(adapter.distribution)
    except PackageNotFoundError:
        return ""


def _warn(text: str, *args: object) -> None:
    import logging  # noqa: PLC0415

    logging.getLogger("inspector").warning(text, *args)


def _number(text: str) -> tuple[int, ...]:
    """Return the leading numbers: enough to order releases, and nothing to install for it."""
    numbers: list[int] = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)


def _is_switched_on(adapter: Adapter) -> bool:
    if adapter.switch is None:
        return True
    return os.environ.get(adapter.switch, "").strip().lower() in ALL[1:]


def _is_installed(adapter: Adapter) -> bool:
    if adapter.imports in sys.modules:
        return is_theirs(adapter)
    try:
        return find_spec(adapter.imports) is not None and is_theirs(adapter)
    except (ImportError, ValueError):
        return False


def is_theirs(adapter: Adapter) -> bool:
    """Return whether the module of that name is the framework's, as far as can be known."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    try:
        spec = find_spec(adapter.imports)
    except (ImportError, ValueError):  # made by hand, as tests do
        return not adapter.is_common_name
    if spec is None or not spec.submodule_search_locations:
        return False  # a file, such as an `mcp.py` beside the program
    try:
        found = distribution(adapter.distribution).locate_file(f"{adapter.imports}/__init__.py")
    except PackageNotFoundError:
        return not adapter.is_common_name
    theirs = Path(str(found))
    if not theirs.exists():  # installed from its sources, wherever they are
        return True
    return spec.origin is not None and Path(spec.origin).resolve() == theirs.resolve()
