"""Which frameworks there are adapters for, and attaching them without a line in the program.

A framework that the program has imported is attached at once, any other at the moment at which
the program imports it: one that is installed and not used costs nothing.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import NamedTuple

from inspector.integrations.on_import import after_import
from instrument import Bus

_logger = logging.getLogger("inspector")


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

    @property
    def tested(self) -> str:
        """The range for people."""
        return f"{self.first} to below {self.below}"


ADAPTERS = (
    Adapter("mcp", "mcp", "mcp", "1.27", "3"),
    Adapter("mcp_agent", "mcp_agent", "mcp-agent", "0.2.6", "0.3"),
    Adapter("strands", "strands", "strands-agents", "1.62", "2"),
    Adapter("amplifier", "amplifier_core", "amplifier-core", "2.0", "3"),
    Adapter("openai_agents", "agents", "openai-agents", "0.24", "0.25"),
    Adapter("pydantic_ai", "pydantic_ai", "pydantic-ai-slim", "2.68", "3"),
    Adapter("langchain", "langchain_core", "langchain-core", "1.7", "2"),
)
"""In the order in which they are named to people."""


def importable() -> tuple[Adapter, ...]:
    """Return the adapters whose framework is installed; imports nothing."""
    return tuple(adapter for adapter in ADAPTERS if _is_installed(adapter))


def attach_all(
    names: Iterable[str] | None = None, *, bus: Bus | None = None
) -> tuple[tuple[Adapter, ...], Callable[[], None]]:
    """Watch every framework that is installed, or those of `names`, as soon as it is imported.

    What cannot be watched is one WARNING; nothing is raised for it.

    Returns:
        The adapters that are or will be attached, and what detaches them all.

    Raises:
        ValueError: A name is none of `ADAPTERS`.
    """
    wanted = _named(names)
    undo = ExitStack()
    for adapter in wanted:
        undo.callback(after_import(adapter.imports, partial(_attach, adapter, bus, undo)))
    return wanted, undo.close


def _named(names: Iterable[str] | None) -> tuple[Adapter, ...]:
    if names is None:
        return importable()
    known = {adapter.name: adapter for adapter in ADAPTERS}
    wanted = [name.strip().replace("-", "_") for name in names]
    for name in wanted:
        if name not in known:
            raise ValueError(f"There is no adapter for {name!r}. There are: {', '.join(known)}.")
    return tuple(known[name] for name in wanted)


def _attach(adapter: Adapter, bus: Bus | None, undo: ExitStack) -> None:
    try:
        check_version(adapter)
        detach = import_module(f"inspector.integrations.{adapter.name}").attach(bus=bus)
    except Exception as error:  # noqa: BLE001 - never into the program that is watched
        _logger.warning(
            "Cannot watch %s %s (%s: %s). The adapter was tested with %s.",
            adapter.distribution,
            _version(adapter),
            type(error).__name__,
            error,
            adapter.tested,
        )
    else:
        undo.callback(detach)


def check_version(adapter: Adapter) -> None:
    """Warn, with the range, when the installed version is outside what was tested."""
    installed = _version(adapter)
    number = _number(installed)
    if number and not _number(adapter.first) <= number < _number(adapter.below):
        _logger.warning(
            "%s %s was not tested with the inspector (tested: %s); it is watched as well as "
            "possible.",
            adapter.distribution,
            installed,
            adapter.tested,
        )


def find_adapter(name: str) -> Adapter:
    """Return the row of an adapter module."""
    return next(adapter for adapter in ADAPTERS if adapter.name == name)


def _version(adapter: Adapter) -> str:
    try:
        return version(adapter.distribution)
    except PackageNotFoundError:
        return "of unknown version"


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


def _is_installed(adapter: Adapter) -> bool:
    if adapter.imports in sys.modules:
        return True
    try:
        return find_spec(adapter.imports) is not None
    except (ImportError, ValueError):
        return False
