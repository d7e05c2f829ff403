"""OpenTelemetry instrumentors of others, switched on for what no adapter watches.

A model client or framework that the program imports is watched by an instrumentor that is
installed. Where an adapter is ours, it wins; where the program has an instrumentor of its own, that
one does.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.agent_side.adapters import ADAPTERS, ALL, NONE
from inspector.agent_side.on_import import after_import

# Few imports here: every Python process below `inspector run` pays for it.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.metadata import EntryPoint

AUTO_INSTRUMENT = "INSPECTOR_AUTO_INSTRUMENT"
"""The variable that names the libraries if the program does not."""
_GROUP = "opentelemetry_instrumentor"


class Library(NamedTuple):
    """A model client or framework that instrumentors watch."""

    name: str
    """Name for users."""
    imports: str
    """The module that programs which use it import."""
    instrumentors: tuple[str, ...]
    """Packages that watch it, the first one preferred."""
    is_always_missed: bool = True
    """Whether calls are missed without one: some emit spans themselves, or do more than models."""


def _library(name: str, imports: str, *makers: str, is_always_missed: bool = True) -> Library:
    makers = makers or ("openinference", "opentelemetry")
    packages = tuple(f"{one}-instrumentation-{name.replace('_', '-')}" for one in makers)
    return Library(name, imports, packages, is_always_missed)


LIBRARIES = (
    _library("bedrock", "boto3", is_always_missed=False),
    _library("cohere", "cohere"),
    _library("google_genai", "google.genai"),
    _library("groq", "groq"),
    _library("litellm", "litellm"),
    _library("mistralai", "mistralai"),
    _library("ollama", "ollama"),
    _library("replicate", "replicate", "opentelemetry"),
    _library("together", "together"),
    _library("vertexai", "vertexai"),
    _library("ag2", "autogen", "openinference", is_always_missed=False),
    _library("agno", "agno"),
    _library("autogen_agentchat", "autogen_agentchat", "openinference", is_always_missed=False),
    _library("beeai", "beeai_framework", "openinference"),
    _library("dspy", "dspy", "openinference"),
    _library("haystack", "haystack"),
    _library("pipecat", "pipecat", "openinference"),
    _library("smolagents", "smolagents", "openinference"),
)
"""Libraries by the instrumentors that exist for them; none of HTTP, databases or web servers."""


def select_libraries(names: str | Iterable[str] | None) -> tuple[Library, ...]:
    """Return the libraries of `names`: `"on"` for all that have no adapter, `"off"` for none.

    Args:
        names: Names, or one text of them with commas, as in an environment variable. None: none.

    Raises:
        ValueError: There is no library of that name.
    """
    ours = {name for adapter in ADAPTERS for name in (adapter.name, adapter.imports)}
    known = {one.name: one for one in LIBRARIES if not ours.intersection((one.name, one.imports))}
    if names is None or isinstance(names, str):
        text = (names or "").strip().lower()
        if text in ALL[1:]:
            return tuple(known.values())
        names = [] if text in (*NONE, "") else text.split(",")
    found = [name.strip().lower().replace("-", "_") for name in names]
    for name in found:
        if name not in known:
            raise ValueError(f"Unknown instrumentor {name!r}. Known: {', '.join(known)}.")
    return tuple(known[name] for name in found)


def libraries_of_environment(default: str) -> tuple[Library, ...]:
    """Return the libraries that the environment names.

    Raises:
        ValueError: It names one that is not known.
    """
    return select_libraries(os.environ.get(AUTO_INSTRUMENT) or default)


def instrument_all(
    libraries: Iterable[Library], *, tracer_provider: Any = None
) -> Callable[[], None]:
    """Watch each library once it is imported; return a function that undoes it.

    One that cannot be watched is one WARNING, never an error.
    """
    undo: list[Callable[[], object]] = []

    def watch(library: Library) -> None:
        switched_on = switch_on(library, tracer_provider=tracer_provider)
        undo.extend(() if switched_on is None else [switched_on.off])

    undo.extend(after_import(one.imports, partial(watch, one)) for one in libraries)

    def undo_all() -> None:
        while undo:
            undo.pop()()

    return undo_all


class SwitchedOn(NamedTuple):
    """An instrumentor that was switched on here."""

    package: str
    version: str
    off: Callable[[], None]
    """Switches it off, unless the program has taken it over. Idempotent."""


def switch_on(library: Library, *, tracer_provider: Any = None) -> SwitchedOn | None:
    """Switch on the first instrumentor that fits; None if there is none, or the program has one.

    Args:
        library: What the program has imported.
        tracer_provider: Where its spans begin; None: at the global one.
    """
    found = _installed(library)
    if any(_is_theirs(entry) for _, entry in found):
        return None
    more = {} if tracer_provider is None else {"tracer_provider": tracer_provider}
    failed: list[tuple[str, Exception]] = []
    for package, entry in found:
        try:
            _loaded_here.add(entry.module)
            instrumentor = entry.load()()
            if instrumentor.is_instrumented_by_opentelemetry:  # attached twice
                return None
            instrumentor.instrument(raise_exception_on_conflict=True, **more)
        except Exception as error:  # noqa: BLE001 - never into the program that is watched
            failed.append((package, error))
            continue
        off = _give_way(instrumentor, [other for _, other in found])
        return SwitchedOn(package, _version(package), off)
    if failed:
        _warn(library, *failed[0])
    return None


def is_watchable(library: Library) -> bool:
    """Return whether an instrumentor of the library is installed; loads none."""
    return bool(_installed(library))


def _installed(library: Library) -> list[tuple[str, EntryPoint]]:
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415

    found = []
    for package in library.instrumentors:
        try:
            entries = distribution(package).entry_points
        except PackageNotFoundError:
            continue
        found += [(package, one) for one in entries if one.group == _GROUP]
    return found


def _is_theirs(entry: EntryPoint) -> bool:
    """Return whether the program has imported it: it switches it on, is doing so, or chose not."""
    return entry.module in sys.modules and entry.module not in _loaded_here


_loaded_here: set[str] = set()
"""Modules of instrumentors that were imported here first."""


def _give_way(instrumentor: Any, entries: list[EntryPoint]) -> Callable[[], None]:
    """Switch ours off when the program switches on this one, or another one of that library.

    An instrumentor is one object however often it is made. Switched on twice, it would warn and
    ignore what the program wants; two of them would report everything twice.
    """
    watched: list[Any] = []

    def off() -> None:
        for one in watched:
            vars(one).pop("instrument", None)
        if watched and instrumentor.is_instrumented_by_opentelemetry:
            instrumentor.uninstrument()
        watched.clear()

    def wait_at(other: Any) -> None:
        def instrument(**options: Any) -> Any:
            off()
            return other.instrument(**options)

        other.instrument = instrument
        watched.append(other)

    def wait_for(entry: EntryPoint) -> None:
        if watched and (other := entry.load()()) is not instrumentor:
            wait_at(other)

    wait_at(instrumentor)
    for entry in entries:
        after_import(entry.module, partial(wait_for, entry))
    return off


def _version(package: str) -> str:
    from importlib.metadata import version  # noqa: PLC0415

    return version(package)


def _warn(library: Library, package: str, error: Exception) -> None:
    import logging  # noqa: PLC0415

    logging.getLogger("inspector").warning(
        "Cannot watch %s with %s %s (%s: %s).",
        library.name,
        package,
        _version(package),
        type(error).__name__,
        error,
    )
