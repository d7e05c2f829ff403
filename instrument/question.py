"""Defaults of a question to a person, and checks of what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from sys import float_info

APPROVAL_OPTIONS = ("Allow", "Deny")
APPROVAL_TIMEOUT_S = 300.0


def is_duration(seconds: object) -> bool:
    """Return whether `seconds` is a finite number above 0."""
    return (
        isinstance(seconds, int | float)
        and not isinstance(seconds, bool)
        and 0 < seconds <= float_info.max  # false for NaN and for integers beyond a float
    )


def are_kwargs(changes: object) -> bool:
    """Return whether `changes` maps names of kwargs to values."""
    return isinstance(changes, Mapping) and all(isinstance(name, str) for name in changes)
