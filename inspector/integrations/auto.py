"""Automatic attachment of unmodified programs that `inspector run` starts.

Nothing is imported for it until the program imports something that can be watched: one of the
frameworks of `registry`, the hook bus, or OpenTelemetry's SDK. A program that uses none of them,
such as a tool that the agent starts, runs as it would without us.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from _mcp_agent_inspector import is_shadowed
from inspector.agent_side import adapters as registry
from inspector.agent_side.adapters import (
    ADAPTERS,
    AUTO_ATTACH,
    ENABLE_PATCH,
    Adapter,
    installed_version,
    is_theirs,
    select_adapters,
)
from inspector.agent_side.on_import import after_import, is_being_imported

if TYPE_CHECKING:
    from collections.abc import Callable

SAYS = "INSPECTOR_RUN_SAYS"
"""Set for the program itself; what it starts in turn is watched without a word."""
OWN = {
    "instrument": "hooks",
    "subscribers": "hooks",
    "opentelemetry.sdk.trace": "OpenTelemetry",
}
"""What a program imports that tells something without any adapter."""
_OURS = {"instrument": "CONTRACT_VERSION", "subscribers": "capture_state"}
"""What a module of ours has, and one of the program's own by its name has not."""

_PROCESS = os.getpid()
"""A process that is forked off says nothing."""

UNWATCHED = (
    *("agno", "ag2", "anthropic", "autogen", "autogen_agentchat", "boto3", "cohere", "crewai"),
    *("dspy", "fastmcp", "google.adk", "google.genai", "groq", "haystack", "litellm"),
    *("llama_index.core", "mistralai", "ollama", "openai", "semantic_kernel", "smolagents"),
)
"""What agents are made with that there is no adapter for, by what is imported."""


def watch_when_used() -> None:
    """Attach once the program imports a supported framework. Never raises."""
    is_first = os.environ.pop(SAYS, None) is not None
    try:
        adapters = select_adapters(os.environ.get(AUTO_ATTACH))
    except ValueError as error:
        if is_first:
            _say(f"{AUTO_ATTACH}: {error} Nothing is watched.")
        return
    watched: list[str] = []
    if is_first:
        _say_what_comes_of_it(watched)
    waiting: list[Callable[[], None]] = []

    def attach_once(name: str) -> None:
        if _is_only_the_name(name) or _is_half_there(name):
            return
        while waiting:  # before: what attaching imports must not come back here
            waiting.pop()()
        is_attached = _attach()
        if is_first and is_attached and name in OWN:
            watched.append(OWN[name])
            _say(f"watches {OWN[name]}")

    names = (*(one.imports for one in adapters), *OWN)
    waiting.extend(after_import(name, partial(attach_once, name)) for name in names)


def _attach() -> bool:
    """Attach, and return whether telemetry goes anywhere."""
    if _is_attaching():
        return True
    from inspector.attach import attach  # noqa: PLC0415 - only for a program that has something

    return attach().is_attached


def _is_only_the_name(name: str) -> bool:
    """Whether what was imported is a module of the program's own by the name of one of ours."""
    return name in _OURS and not hasattr(sys.modules.get(name), _OURS[name])


def _is_half_there(name: str) -> bool:
    """Whether `name` was imported by our `subscribers`: attaching needs it, and its turn comes."""
    module = sys.modules.get("subscribers")
    if name == "subscribers" or module is None or is_shadowed("subscribers"):
        return False
    return is_being_imported(module)


def _is_attaching() -> bool:
    """Whether the program does so itself: what is imported on the way is no reason to."""
    module = _attach_module()
    return module is not None and (not hasattr(module, "attach") or module.is_attaching())


def _attach_module() -> Any:
    return sys.modules.get(__name__.replace("integrations.auto", "attach"))


def _is_command_line() -> bool:
    """Return whether the program is `inspector` itself."""
    names = (__name__.replace("integrations.auto", one) for one in ("cli.main", "proxy.command"))
    return any(name in sys.modules for name in names)


def _say_what_comes_of_it(watched: list[str]) -> None:
    """Say where telemetry goes, what is watched when it is, and at exit if that was nothing."""
    from inspector import runfile  # noqa: PLC0415 - only where something is said

    running = runfile.read()
    url = os.environ.get("INSPECTOR_URL", "").strip() or (running.url if running else None)
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        _say("OTEL_SDK_DISABLED is set, so nothing is watched.")
        return
    if url is None:
        runfile.is_absence_reported = True
        _say("no service runs here, so nothing is watched. Start one: inspector serve")
        return
    if not runfile.is_address(url):
        _say(
            f"{url!r} is not an http(s) address, so nothing is watched. Set INSPECTOR_URL to one, "
            "such as http://127.0.0.1:7800."
        )
        return
    _say(f"what can be watched is sent to {url}")

    def say_watched(adapter: Adapter) -> None:
        if adapter.name not in watched:
            watched.append(adapter.name)
            _say(f"watches {adapter.name} {installed_version(adapter)}".rstrip())

    registry.on_attached.append(say_watched)

    def say_nothing_was_sent() -> None:
        module = _attach_module()
        if not (_is_command_line() or (module is not None and module.count_sent_spans())):
            _say(f"no span was sent from this process to {url}: {_why_nothing(watched)}")

    atexit.register(say_nothing_was_sent)  # the first, so it runs after all is sent


def _why_nothing(watched: list[str]) -> str:
    """Return what the program imports that told nothing, and what to do about it."""
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


def _say(text: str) -> None:
    # Not `sys.stderr`: the program may catch what is written there, and read it.
    if sys.__stderr__ is not None and os.getpid() == _PROCESS:
        with suppress(OSError, ValueError):  # it is closed, or nothing more fits
            sys.__stderr__.write(f"inspector: {text}\n")
