"""Environment for MCP servers over stdio, so that Python servers are watched too.

MCP clients start their servers with a few variables of the environment only. What is added here
is no secret: the token stays out, a server of the same user reads it from the run-file.
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
"""Of the inspector that this process is attached to; empty while it is to none."""


def pass_on(url: str, capture: Capture) -> Callable[[], None]:
    """Make servers started from now on send to `url`; return a function that undoes it."""
    if not is_on(SWITCH, os.environ, default=True) or urlsplit(url).password is not None:
        return lambda: None
    _passed.update(
        INSPECTOR_URL=url,
        INSPECTOR_CAPTURE_CONTENT=capture.value,
        # The client's policies have decided about a call, and it is the client that is steered.
        INSPECTOR_POLICIES="off",
        INSPECTOR_CONTROL="off",
    )
    if directory := os.environ.get("INSPECTOR_RUNTIME_DIR"):
        _passed["INSPECTOR_RUNTIME_DIR"] = directory
    return _passed.clear


def with_ours(given: Mapping[str, str] | None) -> dict[str, str] | None:
    """Return a server's `given` environment with our variables added; its own values stay."""
    if not _passed:
        return None if given is None else dict(given)
    environ = {**_passed, **(given or {})}
    ours = str(Path(bootstrap.__path__[0]))
    path = environ.get("PYTHONPATH", "").split(os.pathsep)
    environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([ours, *filter(None, path)]))
    return environ
