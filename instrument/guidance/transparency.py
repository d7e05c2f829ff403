"""Reports of omitted guidance, sent to MCP logging if available, else to `logging`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

Level: TypeAlias = Literal["notice", "error"]
"""Levels of MCP logging (RFC 5424)."""

Log: TypeAlias = Callable[[Level, str], object]
"""A function that logs a message at a level of MCP logging."""

Notify: TypeAlias = Callable[[str], object]
"""A function that shows a notice: a message of level `notice`."""

_logger = logging.getLogger("mcp.instrument")
_LEVELS: dict[Level, int] = {"notice": logging.INFO, "error": logging.ERROR}


def log_locally(level: Level, message: str) -> None:
    """Log to `mcp.instrument`; the default of `log=`."""
    _logger.log(_LEVELS[level], "%s", message)


def notify_locally(message: str) -> None:
    """Log a notice to `mcp.instrument`; the default of `notify=`."""
    log_locally("notice", message)


def report(listener: Callable[..., object], *message: Any) -> None:
    """Call `listener`; log its failure."""
    try:
        listener(*message)
    except Exception:
        _logger.warning("A guidance listener failed on: %s", message[-1], exc_info=True)
