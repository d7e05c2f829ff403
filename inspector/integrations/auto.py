"""Automatic attachment of unmodified programs that `inspector run` starts.

Nothing is imported for it until the program imports something that can be watched: one of the
frameworks of `agent_side.adapters`, the hook bus, or OpenTelemetry's SDK. A program that uses none
of them, such as a tool that the agent starts, runs as it would without us.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from _mcp_agent_inspector import is_shadowed
from inspector.agent_side.adapters import (
    ADAPTERS,
    AUTO_ATTACH,
    ENABLE_PATCH,
    Adapter,
    installed_version,
    is_theirs,
    on_attached,
    select_adapters,
)
from inspector.agent_side.on_import import after_import, is_being_imported

if TYPE_CHECKING:
    from collections.abc import Callable

REPORTS = "INSPECTOR_RUN_REPORTS"
"""Variable set for the program itself; processes that it starts are watched without a line."""
OWN = {
    "instrument": "hooks",
    "subscribers": "hooks",
    "opentelemetry.sdk.trace": "OpenTelemetry",
}
"""Modules that report without an adapter."""
_OURS = {"instrument": "CONTRACT_VERSION", "subscribers": "capture_state"}
"""An attribute of our module that a module of the program by that name has not."""

_PROCESS = os.getpid()
"""The process that prints; a forked one does not."""

UNWATCHED = (
    *("agno", "ag2", "autogen", "autogen_agentchat", "boto3", "cohere", "crewai"),
    *("dspy", "google.genai", "groq", "haystack", "litellm"),
    *("mistralai", "ollama", "semantic_kernel", "smolagents"),
)
"""Modules of agent frameworks and model clients that have no adapter."""


def watch_when_used() -> None:
    """Attach once the program imports a supported framework. Never raises."""
    is_first = os.environ.pop(REPORTS, None) is not None
    try:
        adapters = select_adapters(os.environ.get(AUTO_ATTACH))
    except ValueError as error:
        if is_first:
            _print(f"{AUTO_ATTACH}: {error} Nothing is watched.")
        return
    watched: list[str] = []
    if is_first:
        _print_outcome(watched)
    waiting: list[Callable[[], None]] = []

    def attach_once(name: str) -> None:
        if _is_only_the_name(name) or _is_half_there(name):
            return
        while waiting:  # before: what attaching imports must not come back here
            waiting.pop()()
        is_attached = _attach()
        if is_first and is_attached and name in OWN:
            watched.append(OWN[name])
            _print(f"watches {OWN[name]}")

    names = (*(one.imports for one in adapters), *OWN)
    waiting.extend(after_import(name, partial(attach_once, name)) for name in names)


def _attach() -> bool:
    """Attach, and return whether telemetry is sent to a service."""
    if _is_attaching():
        return True
    from inspector.attach import attach  # noqa: PLC0415 - only for a program to watch

    return attach().is_attached


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


def _print_outcome(watched: list[str]) -> None:
    """Print the service, what is watched, and at exit a line if nothing was sent."""
    from inspector import runfile  # noqa: PLC0415 - only where something is printed

    running = runfile.read()
    url = os.environ.get("INSPECTOR_URL", "").strip() or (running.url if running else None)
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        _print("OTEL_SDK_DISABLED is set, so nothing is watched.")
        return
    if url is None:
        runfile.is_absence_reported = True
        _print("no service runs here, so nothing is watched. Start one: inspector serve")
        return
    if not runfile.is_address(url):
        _print(
            f"{url!r} is not an http(s) address, so nothing is watched. Set INSPECTOR_URL to one, "
            "such as http://127.0.0.1:7800."
        )
        return
    _print(f"what can be watched is sent to {url}")

    def print_watched(adapter: Adapter) -> None:
        if adapter.name not in watched:
            watched.append(adapter.name)
            _print(f"watches {adapter.name} {installed_version(adapter)}".rstrip())

    on_attached.append(print_watched)

    def print_nothing_sent() -> None:
        module = _attach_module()
        if not (_is_command_line() or (module is not None and module.count_sent_spans())):
            _print(f"no span was sent from this process to {url}: {_why_nothing(watched)}")

    atexit.register(print_nothing_sent)  # the first, so it runs after all is sent


def _why_nothing(watched: list[str]) -> str:
    """Return why nothing was sent, and what to do about it."""
    left = [one for one in ADAPTERS if one.name not in watched and one.imports in sys.modules]
    names = [one.name for one in left if is_theirs(one)]
    names += [name for name in UNWATCHED if name in sys.modules]
    if "mcp_agent" in names:
        return f"mcp_agent is watched where {ENABLE_PATCH}=1 is set."
    if names:
        return (
            f"this program imports {', '.join(names)}, which cannot be watched. Install "
            "OpenTelemetry instrumentation for it, or tell what it does by `instrument.operation`."
        )
    if watched:
        return f"{', '.join(watched)} told nothing, or nobody answered there."
    return (
        f"this program imports nothing that can be watched ({', '.join(a.name for a in ADAPTERS)},"
        " OpenTelemetry). Tell what it does by `instrument.operation`."
    )


def _print(text: str) -> None:
    # Not `sys.stderr`: the program may capture and read that.
    if sys.__stderr__ is not None and os.getpid() == _PROCESS:
        with suppress(OSError, ValueError):  # it is closed or full
            sys.__stderr__.write(f"inspector: {text}\n")
