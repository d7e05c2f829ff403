"""Parts that few decisions have: a question to a person, text for the model, lines of a trail.

Imported when one is made: making three classes takes a sixth of importing the bus.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from instrument.question import APPROVAL_OPTIONS, APPROVAL_TIMEOUT_S

Kind: TypeAlias = Literal["approval", "question", "breakpoint"]
"""Reason to ask a person: an approval, a question, or a breakpoint."""


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


class Injection(NamedTuple):
    """Text that the model should see next."""

    text: str
    role: str = "system"
    is_ephemeral: bool = False
    """Whether it is for the next LLM call only, not for the history."""
    source: str | None = None
    """The interceptor that injected it."""
    is_hidden: bool = False
    """Whether it is hidden from the user."""
    is_for_tool_result: bool = False
    """Whether it is appended to the last tool result, if there is one."""


class Verdict(NamedTuple):
    """A line of the trail: the decision of an interceptor or a person."""

    interceptor: str
    action: str
    microseconds: float
    reason: str | None = None
    actor: str | None = None
    """Name of the person, if one decided and is known."""
