"""Policies that allow, deny or ask before an operation, and budgets.

They are written in `inspector.toml` and run as interceptors in the agent's own process, with or
without a service. Nothing here needs a package.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.agent_side.policies.locations import SWITCH, find_sources, is_switched_off

if TYPE_CHECKING:
    from instrument import Bus

__all__ = ["install"]

_logger = logging.getLogger("inspector")


def install(
    bus: Bus | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    directory: Path | None = None,
) -> Callable[[], None]:
    """Enforce the policies of the user and of the working directory on `bus`.

    Installed already, they are read no second time; the last one who undoes it takes them off.

    Args:
        bus: Default: the one that everybody shares.
        environ: Where `INSPECTOR_POLICIES` and `INSPECTOR_CONFIG` are read.
        directory: Where an `inspector.toml` may tighten; default: the working directory.

    Returns:
        A function that undoes it, once, however often it is called. Nothing is ever raised: a
        file that cannot be used is told as an error, and what it may have guarded is denied.
    """
    if is_switched_off(environ):
        _logger.info("%s is off: no policy acts on this process.", SWITCH)
        return lambda: None
    sources = [one for one in find_sources(environ, directory) if one.may_be_there()]
    if not sources:
        return lambda: None
    from inspector.agent_side.policies.installation import install as put_on  # noqa: PLC0415 - most need none

    return put_on(bus, sources, environ.get("INSPECTOR_PRICES", "").strip())
