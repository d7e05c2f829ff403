"""Policies that allow, deny or ask before an operation, and budgets.

They are written in `inspector.toml` and run as interceptors in the agent's own process, with or
without a service. Nothing here needs another package.
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

    A second installation does not read them again; the last of several undos removes them.

    Args:
        bus: Default: the shared one.
        environ: Has `INSPECTOR_POLICIES` and `INSPECTOR_CONFIG`.
        directory: Has an `inspector.toml` that may tighten; default: the working directory.

    Returns:
        An idempotent function that undoes it. Nothing is ever raised: an unusable file is logged as
        an error, and the operations that it may have guarded are denied.
    """
    if is_switched_off(environ):
        _logger.info("%s is off: no policies apply to this process.", SWITCH)
        return lambda: None
    sources = [one for one in find_sources(environ, directory) if one.may_be_there()]
    if not sources:
        return lambda: None
    from inspector.agent_side.policies.installation import install as install_sources  # noqa: PLC0415 - rarely needed

    return install_sources(bus, sources, environ.get("INSPECTOR_PRICES", "").strip())
