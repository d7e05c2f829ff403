"""Watching a program that has no line of ours: what `inspector run` starts.

Nothing is imported for it until the program imports something that can be watched: one of the
frameworks of `registry`, the hook bus, or OpenTelemetry's SDK. A program that uses none of them,
such as a tool that the agent starts, runs as it would without us.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from inspector.integrations.on_import import after_import
from inspector.integrations.registry import ASKED, Adapter, installed_version, wanted

if TYPE_CHECKING:
    from collections.abc import Callable

SAYS = "INSPECTOR_RUN_SAYS"
"""Set for the program itself; what it starts in turn is watched without a word."""
OWN = ("instrument", "opentelemetry.sdk.trace")
"""What a program imports that tells something without any adapter."""


def watch_when_used() -> None:
    """Attach as soon as the program imports what can be watched. Never raises."""
    is_first = os.environ.pop(SAYS, None) is not None
    try:
        adapters = wanted(os.environ.get(ASKED))
    except ValueError as error:
        if is_first:
            _say(f"{ASKED}: {error} Nothing is watched.")
        return
    if is_first:
        _say(_first_line(adapters))
    waiting: list[Callable[[], None]] = []

    def attach_once() -> None:
        while waiting:  # before: what attaching imports must not come back here
            waiting.pop()()
        _attach()

    names = (*(one.imports for one in adapters), *OWN)
    waiting.extend(after_import(name, attach_once) for name in names)


def _attach() -> None:
    if _is_attaching():
        return
    from inspector.attach import attach  # noqa: PLC0415 - only for a program that has something

    attach()


def _is_attaching() -> bool:
    """Whether the program does so itself: what is imported on the way is no reason to."""
    module = sys.modules.get("inspector.attach")
    return module is not None and not hasattr(module, "attach")


def _first_line(adapters: tuple[Adapter, ...]) -> str:
    from inspector import runfile  # noqa: PLC0415 - only where something is said

    running = runfile.read()
    url = os.environ.get("INSPECTOR_URL") or (running.url if running else None)
    if url is None:
        return "no service runs here, so nothing is watched. Start one: inspector serve"
    known = ", ".join(f"{one.name} {installed_version(one)}".strip() for one in adapters)
    return f"watched at {url}: " + (known or "hooks and OpenTelemetry")


def _say(text: str) -> None:
    print(f"inspector: {text}", file=sys.stderr)  # noqa: T201 - the program has no logging yet
