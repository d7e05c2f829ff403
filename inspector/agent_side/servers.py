"""The environment of MCP servers over stdio, so that Python servers are watched too.

MCP clients start their servers with few variables. Those added here are no secrets: the token
stays out, and a server of the same user reads it from the run-file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from inspector.agent_side import bootstrap
from subscribers.options import Capture, is_on

SWITCH = "INSPECTOR_WATCH_SERVERS"

_passed: dict[str, str] = {}
"""Variables for servers while this process is attached; else empty."""


def pass_on(url: str, capture: Capture) -> Callable[[], None]:
    """Make later servers send to `url`; return a function that undoes it."""
    if not is_on(SWITCH, os.environ, default=True) or urlsplit(url).password is not None:
        return lambda: None
    _passed.update(
        INSPECTOR_URL=url,
        INSPECTOR_CAPTURE_CONTENT=capture.value,
        # The client has policies and control already.
        INSPECTOR_POLICIES="off",
        INSPECTOR_CONTROL="off",
    )
    if directory := os.environ.get("INSPECTOR_RUNTIME_DIR"):
        _passed["INSPECTOR_RUNTIME_DIR"] = directory
    return _passed.clear


def with_ours(environ: Mapping[str, str] | None) -> dict[str, str] | None:
    """Return the environment of a server with our variables; its own values win."""
    if not _passed:
        return None if environ is None else dict(environ)
    merged = {**_passed, **(environ or {})}
    ours = str(Path(bootstrap.__path__[0]))
    path = merged.get("PYTHONPATH", "").split(os.pathsep)
    merged["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([ours, *filter(None, path)]))
    return merged
