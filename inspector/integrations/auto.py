"""Automatic attachment of unmodified programs that `inspector run` starts.

Nothing is imported for it until the program imports something that can be watched: one of the
frameworks of `agent_side.adapters`, the hook bus, OpenTelemetry, or a library of
`agent_side.instrumentors` with an instrumentor. A program that uses none of them, such as a tool
that the agent starts, runs as it would without us.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from _mcp_agent_inspector import is_shadowed
from inspector.agent_side.adapters import (
    ADAPTERS,
    ALL,
    AUTO_ATTACH,
    ENABLE_PATCH,
    Adapter,
    installed_version,
    is_switched_on,
    is_theirs,
    on_attached,
    select_adapters,
)
from inspector.agent_side.instrumentors import (
    AUTO_INSTRUMENT,
    Library,
    is_watchable,
    libraries_of_environment,
    switch_on,
)
from inspector.agent_side.on_import import after_import, is_being_imported

if TYPE_CHECKING:
    from collections.abc import Callable

REPORTS = "INSPECTOR_RUN_REPORTS"
"""Variable set for the program itself; processes that it starts are watched without a line."""
OWN = {
    "instrument": "hooks",
    "subscribers": "hooks",
    "opentelemetry": "OpenTelemetry",
    __name__.replace("integrations.auto", "own_code"): "decorated functions",  # where ours are
}
"""Modules that report without an adapter.

Of OpenTelemetry the namespace, before any part of it: whoever emits by its API alone is watched,
too, and what attaching needs of it is never half imported.
"""
_OURS = {"instrument": "CONTRACT_VERSION", "subscribers": "capture_state"}
"""An attribute of our module that a module of the program by that name has not."""

_ALONE = ("mcp", "fastmcp", "openai", "anthropic")
"""Adapters of what calls no model client of another."""

_forks: set[int] = set()
"""This process, once it has forked."""
_PROCESS = os.getpid()
"""The process that prints; a forked one does not."""


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=lambda: _forks.add(os.getpid()))


def watch_when_used() -> None:
    """Attach once the program imports a supported framework. Never raises."""
    is_first = os.environ.pop(REPORTS, None) is not None
    try:
        adapters = _adapters()
    except ValueError as error:
        if is_first:
            _print(f"{AUTO_ATTACH}: {error} Nothing is watched.")
        return
    _Watch(adapters, _libraries(is_first), is_first).start()


def _adapters() -> tuple[Adapter, ...]:
    """Return the adapters to watch by; which frameworks are installed takes too long to find out.

    Raises:
        ValueError: The environment names one that there is none of.
    """
    names = os.environ.get(AUTO_ATTACH, "").strip().lower()
    if names not in ALL:
        return select_adapters(names)
    return tuple(one for one in ADAPTERS if is_switched_on(one))


class _Watch:
    """What is watched in this process, once it is imported."""

    def __init__(
        self, adapters: tuple[Adapter, ...], libraries: tuple[Library, ...], is_first: bool
    ) -> None:
        self._adapters = adapters
        self._libraries = libraries
        self._is_first = is_first
        self._watched: list[str] = []
        self._waiting: list[Callable[[], None]] = []

    def start(self) -> None:
        if self._is_first:
            _print_outcome(self._watched, self._libraries)
        names = (*(one.imports for one in self._adapters), *OWN)
        self._waiting.extend(after_import(name, partial(self._attach, name)) for name in names)
        for library in self._libraries:
            after_import(library.imports, partial(self._instrument, library))

    def _attach(self, name: str) -> None:
        if _is_only_the_name(name) or _is_half_there(name):
            return
        if any(one.imports == name and not is_theirs(one) for one in self._adapters):
            return
        if name == "opentelemetry" and _is_command_line():  # it reads what others emitted
            return
        imports = [one.imports for one in self._adapters] + [one.imports for one in self._libraries]
        is_by_another = any(one in sys.modules for one in imports)
        if self._attach_now() and name in OWN and not is_by_another:
            self._report(OWN[name])

    def _instrument(self, library: Library) -> None:
        if is_watchable(library) and self._attach_now():
            switched_on = switch_on(library)
            if switched_on is not None:
                by = f"{switched_on.package} {switched_on.version}"
                self._report(library.name, f"{library.name} with {by}")

    def _attach_now(self) -> bool:
        while self._waiting:  # before: what attaching imports must not come back here
            self._waiting.pop()()
        return _attach()

    def _report(self, name: str, text: str | None = None) -> None:
        if self._is_first:
            self._watched.append(name)
            _print(f"watching {text or name}")


def _libraries(is_first: bool) -> tuple[Library, ...]:
    """Return those to watch by instrumentors; where only some adapters are wanted, none."""
    is_all = os.environ.get(AUTO_ATTACH, "").strip().lower() in ALL
    try:
        return libraries_of_environment("on" if is_all else "off")
    except ValueError as error:
        if is_first:
            _print(f"{AUTO_INSTRUMENT}: {error} No instrumentors are enabled.")
        return ()


def _attach() -> bool:
    """Attach, and return whether telemetry is sent to a service."""
    if _is_attaching():
        return True
    from inspector.attach import attach  # noqa: PLC0415 - only for a program to watch

    return attach(instrumentors="off").is_attached  # `watch_when_used` has them


def _is_only_the_name(name: str) -> bool:
    """Return whether the imported module is the program's, by the name of one of ours."""
    return name in _OURS and not hasattr(sys.modules.get(name), _OURS[name])


def _is_half_there(name: str) -> bool:
    """Return whether our `subscribers`, which attaching needs, is still importing `name`."""
    module = sys.modules.get("subscribers")
    if name == "subscribers" or module is None or is_shadowed("subscribers"):
        return False
    return is_being_imported(module)


def _is_attaching() -> bool:
    """Return whether the program is attaching, and the import is a part of that."""
    module = _attach_module()
    return module is not None and (not hasattr(module, "attach") or module.is_attaching())


def _attach_module() -> Any:
    return sys.modules.get(__name__.replace("integrations.auto", "attach"))


def _is_command_line() -> bool:
    """Return whether the program is `inspector` itself."""
    names = (__name__.replace("integrations.auto", one) for one in ("cli.main", "proxy.command"))
    return any(name in sys.modules for name in names)


def _print_outcome(watched: list[str], libraries: tuple[Library, ...]) -> None:
    """Print the service, what is watched, and at exit a line if something was not."""
    from inspector import runfile  # noqa: PLC0415 - only where something is printed

    running = runfile.read()
    url = os.environ.get("INSPECTOR_URL", "").strip() or (running.url if running else None)
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        _print("OTEL_SDK_DISABLED is set, so nothing is watched.")
        return
    if url is None:
        runfile.is_absence_reported = True
        _print("no service is running, so nothing is watched. Start one: inspector serve")
        return
    if not runfile.is_address(url):
        _print(
            f"{url!r} is not an http(s) address, so nothing is watched. Set INSPECTOR_URL to one, "
            "such as http://127.0.0.1:7800."
        )
        return
    _print(f"sending telemetry to {url}")

    def print_watched(adapter: Adapter) -> None:
        if adapter.name not in watched:
            watched.append(adapter.name)
            _print(f"watching {adapter.name} {installed_version(adapter)}".rstrip())

    on_attached.append(print_watched)

    def print_missed() -> None:
        if _is_command_line():
            return
        missed = [one for one in libraries if one.name not in watched and _is_missed(one)]
        if not _may_have_sent():
            _print(_nothing_sent(url, watched, missed))
            return
        is_seen_above = any(
            one.name in watched and one.name not in _ALONE for one in ADAPTERS
        )  # by a framework, which may be who calls it
        if not is_seen_above and any(one.is_always_missed for one in missed):
            _print(_advice(missed))

    atexit.register(print_missed)  # the first, so it runs after all is sent


def _may_have_sent() -> bool:
    """Return whether no line is missing about spans that were not sent.

    They were sent, by this process or maybe by one that it has forked, or the log has their loss.
    """
    module = _attach_module()
    if module is not None and module.has_sent_or_reported_loss():
        return True
    return bool(_forks) or any(name.startswith("multiprocessing.popen_") for name in sys.modules)


def _nothing_sent(url: str, watched: list[str], missed: list[Library]) -> str:
    if _has_exporter():
        return (
            "this program sends spans with an exporter of its own. Where that sends them to "
            f"{url}, they are shown; `inspector run` itself sent none."
        )
    by = " by this process itself" if _has_waited_for_children() else ""
    return f"no spans were sent to {url}{by}: {_why_nothing(watched, missed)}"


def _has_waited_for_children() -> bool:
    """Return whether it has started other programs, which may have sent spans of their own."""
    try:
        from resource import RUSAGE_CHILDREN, getrusage  # noqa: PLC0415 - not on Windows
    except ImportError:
        return False
    return getrusage(RUSAGE_CHILDREN).ru_maxrss > 0


def _has_exporter() -> bool:
    """Return whether a processor that exports spans exists; ours is none of these."""
    export = sys.modules.get("opentelemetry.sdk.trace.export")
    if export is None:
        return False
    kinds = (export.BatchSpanProcessor, export.SimpleSpanProcessor)
    return any(issubclass(type(one), kinds) for one in gc.get_objects())


def _is_missed(library: Library) -> bool:
    """Return whether the program has imported it, and nothing that watches it is installed."""
    module = sys.modules.get(library.imports)  # a file of that name is the program's
    return hasattr(module, "__path__") and not is_watchable(library)


def _advice(missed: list[Library]) -> str:
    names = ", ".join(one.name for one in missed)
    needs = "needs an instrumentor" if len(missed) == 1 else "need instrumentors"
    return f"{names} {needs} to be watched: pip install " + " ".join(
        one.instrumentors[0] for one in missed
    )


def _why_nothing(watched: list[str], missed: list[Library]) -> str:
    """Return why nothing was sent, and what to do about it."""
    left = [one for one in ADAPTERS if one.name not in watched and one.imports in sys.modules]
    names = [one.name for one in left if is_theirs(one)]
    if "mcp_agent" in names:
        return f"mcp_agent is watched only with {ENABLE_PATCH}=1."
    if missed:
        return _advice(missed)
    if names:
        return (
            f"this program imports {', '.join(names)}, which is not watched. Instrument your "
            "functions with `@inspector.tool` and its siblings."
        )
    if watched:
        return f"{', '.join(watched)} reported nothing, or the service did not respond."
    return (
        f"this program imports no supported framework ({', '.join(a.name for a in ADAPTERS)}, "
        "OpenTelemetry). Instrument your functions with `@inspector.tool` and its siblings."
    )


def _print(text: str) -> None:
    # Not `sys.stderr`: the program may capture and read that.
    if sys.__stderr__ is not None and os.getpid() == _PROCESS:
        with suppress(OSError, ValueError):  # it is closed or full
            sys.__stderr__.write(f"inspector: {text}\n")
