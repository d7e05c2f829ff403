"""A question to a person, as handlers and interceptors ask it."""

from __future__ import annotations

from collections.abc import Mapping
from sys import float_info
from typing import Any, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["approval", "question", "breakpoint"]
"""Why a person is asked: to allow, to say something, or to look before it goes on."""


APPROVAL_OPTIONS = ("Allow", "Deny")


APPROVAL_TIMEOUT_S = 300.0


def is_duration(seconds: object) -> bool:
    """Return whether one can wait so long: a number above 0, and not for ever."""
    return (
        isinstance(seconds, int | float)
        and not isinstance(seconds, bool)
        and 0 < seconds <= float_info.max  # false for NaN, and for what is no float
    )


def are_kwargs(changes: object) -> bool:
    """Return whether `changes` maps names of kwargs to values."""
    return isinstance(changes, Mapping) and all(isinstance(name, str) for name in changes)


class Question(NamedTuple):
    """A question to a person, who must answer before the operation proceeds."""

    prompt: str
    options: tuple[str, ...] = APPROVAL_OPTIONS
    default: str = "deny"
    """What counts when nobody answers in time: `allow` or `deny`; of a question a way to say no."""
    timeout_s: float = APPROVAL_TIMEOUT_S
    kind: Kind = "approval"
    form: Mapping[str, Any] | None = None
    """JSON Schema of what a question wants to know; None: text will do."""
    signal_name: str | None = None
    """What the answer is a signal for, where a workflow waits for one."""
