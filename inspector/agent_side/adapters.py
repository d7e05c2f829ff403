"""The table of framework adapters, and their automatic attachment.

A framework that the program has imported is attached at once, any other when the program imports
it: one that is installed and not used costs nothing.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.agent_side.on_import import after_import

# Few imports here: every Python process below `inspector run` pays for it.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from instrument import Bus

_PACKAGE = __name__.removesuffix(".agent_side.adapters")
"""The name of our package here: a program may have another one named `inspector`."""

ENABLE_PATCH = "INSPECTOR_ENABLE_PATCH"
AUTO_ATTACH = "INSPECTOR_AUTO_ATTACH"
"""The variable that names the frameworks if the program does not."""
ALL = ("", "1", "true", "yes", "on", "all", "auto")
NONE = ("0", "false", "no", "off", "none")


class Adapter(NamedTuple):
    """The adapter of one framework."""

    name: str
    """Name of its module here, and for users."""
    imports: str
    """The module that programs which use the framework import."""
    distribution: str
    """The package whose version counts."""
    first: str
    """The oldest tested version."""
    below: str
    """The first version that was not tested."""
    switch: str | None = None
    """The environment variable that switches it on; None: it is on."""
    is_common_name: bool = False
    """Whether programs have modules of their own by the name of `imports`."""

    @property
    def tested(self) -> str:
        """The range of tested versions, for people."""
        return f"{self.first} to below {self.below}" if self.first else "no version"


ADAPTERS = (
    Adapter("mcp", "mcp", "mcp", "1.27", "3", is_common_name=True),
    Adapter("fastmcp", "fastmcp", "fastmcp", "4.1", "5"),
    Adapter("mcp_agent", "mcp_agent", "mcp-agent", "0.2.6", "0.3", switch=ENABLE_PATCH),
    Adapter("strands", "strands", "strands-agents", "1.62", "2", is_common_name=True),
    Adapter("amplifier", "amplifier_core", "amplifier-core", "2.0", "3"),
    Adapter("openai_agents", "agents", "openai-agents", "0.24", "1", is_common_name=True),
    Adapter("claude_agent_sdk", "claude_agent_sdk", "claude-agent-sdk", "0.2", "0.4"),
    Adapter("pydantic_ai", "pydantic_ai", "pydantic-ai-slim", "2.68", "3"),
    Adapter("langchain", "langchain_core", "langchain-core", "1.7", "2"),
    Adapter("adk", "google.adk", "google-adk", "2.13", "3"),
    Adapter("llama_index", "llama_index.core", "llama-index-core", "0.14", "1"),
    Adapter("crewai", "crewai", "crewai", "1.15.30", "2", is_common_name=True),
    Adapter("openai", "openai", "openai", "1.99", "4"),
    Adapter("anthropic", "anthropic", "anthropic", "2.0", "3"),
)
"""All adapters, in the order of messages and pages."""


def importable() -> tuple[Adapter, ...]:
    """Return the adapters whose framework is installed and not switched off; imports nothing."""
    return tuple(one for one in ADAPTERS if is_switched_on(one) and _is_installed(one))


def select_adapters(names: str | Iterable[str] | None) -> tuple[Adapter, ...]:
    """Return the adapters of `names`: `"auto"` for all installed frameworks, `"off"` for none.

    Args:
        names: Names, or one text of them with commas, as in an environment variable. None: all.

    Raises:
        ValueError: There is no adapter of that name.
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
            raise ValueError(f"Unknown adapter {name!r}. Known: {', '.join(known)}.")
    return tuple(known[name] for name in found)


def attach_all(adapters: Iterable[Adapter], *, bus: Bus | None = None) -> Callable[[], None]:
    """Attach to each framework once it is imported; return a function that detaches them all.

    A framework that cannot be watched is one WARNING, never an error.
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
            "Cannot watch %s %s (%s: %s). Tested versions: %s.",
            adapter.distribution,
            installed_version(adapter) or "of unknown version",
            type(error).__name__,
            error,
            adapter.tested,
        )
    else:
        check_version(adapter)
        for callback in on_attached:
            callback(adapter)


def load_adapter(name: str) -> Any:
    """Return the module of an adapter. It lies above this one, so it is imported by its name."""
    return import_module(f"{_PACKAGE}.integrations.{name}")


on_attached: list[Callable[[Adapter], None]] = []
"""Callbacks for each newly attached framework."""


def check_version(adapter: Adapter) -> None:
    """Warn if the installed version is outside the tested range."""
    if not _is_tested(adapter):
        _warn(
            "%s %s is not a tested version (tested: %s); some calls may not be reported.",
            adapter.distribution,
            installed_version(adapter),
            adapter.tested,
        )


def is_warned_of(adapter: Adapter) -> bool:
    """Return whether its version is outside the tested range, so missing parts are expected."""
    return adapter in _warned


_warned: set[Adapter] = set()


def _is_tested(adapter: Adapter) -> bool:
    number = _number(installed_version(adapter))
    return not number or _number(adapter.first) <= number < _number(adapter.below)


def find_adapter(name: str) -> Adapter:
    """Return an adapter by its name; one that is not in the table is the program's own."""
    own = Adapter(name, name, name, first="", below="")
    return next((adapter for adapter in ADAPTERS if adapter.name == name), own)


def installed_version(adapter: Adapter) -> str:
    """Return the installed version; empty if unknown."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version(adapter.distribution)
    except PackageNotFoundError:
        return ""


def _warn(text: str, *args: object) -> None:
    import logging  # noqa: PLC0415

    logging.getLogger("inspector").warning(text, *args)


def _number(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: enough to order releases."""
    numbers: list[int] = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)


def is_switched_on(adapter: Adapter) -> bool:
    """Return whether it needs no switch, or the environment has that on."""
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
    """Return whether the module `imports` is the framework's, as far as can be known."""
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
