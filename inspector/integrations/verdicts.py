"""Verdicts in a framework's terms: a refusal text, or an error result."""

from __future__ import annotations

from typing import Any

from instrument import HookContractError, HookDenied, HookFailed, HookStopped

REFUSALS = (HookDenied, HookFailed, HookContractError)
"""With these, what was to happen must not; a `HookStopped` has a value instead."""

__all__ = ["REFUSALS", "ErrorResultError", "HookStopped", "refusal"]


class ErrorResultError(Exception):
    """Carries a result that is an error through the body of an operation, so that it fails.

    Attributes:
        result: The framework's own value, which is returned to it when the operation has closed.
    """

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result


def refusal(error: BaseException) -> str:
    """Return the text that the model gets in place of a result."""
    reason = str(error) or type(error).__name__
    return f"Denied: {reason}" if isinstance(error, HookDenied) else f"Not run: {reason}"
