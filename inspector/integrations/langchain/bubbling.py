"""LangGraph's control-flow exceptions: interrupts, and hand-offs to another graph."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any


def bubbles_up(error: BaseException) -> bool:
    """Return whether `error` is LangGraph's control flow and not a failure."""
    errors = sys.modules.get("langgraph.errors")
    return errors is not None and isinstance(error, errors.GraphBubbleUp)


def bubble_result(error: BaseException) -> dict[str, Any]:
    """Return the result to report for an operation that `error` ended."""
    value = error.args[0] if error.args else None
    if type(error).__name__ == "ParentCommand":
        return {"command": value}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return {"interrupted": [getattr(one, "value", one) for one in value]}
    return {"interrupted": [value]}
