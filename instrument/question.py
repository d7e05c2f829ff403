"""A question to a person, as handlers and interceptors ask it."""

from __future__ import annotations

from collections.abc import Mapping
from sys import float_info
from typing import Any, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["approval", "question", "breakpoint"]
"""Reason to ask a person: an approval, a question, or a breakpoint."""


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


class Question(NamedTuple):
    """A question to a person, who must answer before the operation proceeds."""

    prompt: str
    options: tuple[str, ...] = APPROVAL_OPTIONS
    default: str = "deny"
    """Decision after the timeout: `allow` or `deny`; for a question `decline` or `cancel`."""
    timeout_s: float = APPROVAL_TIMEOUT_S
    kind: Kind = "approval"
    form: Mapping[str, Any] | None = None
    """JSON Schema of the answer to a question; None: text."""
    signal_name: str | None = None
    """Name of the signal, where a workflow waits for one."""
