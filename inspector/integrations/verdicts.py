"""Verdicts in a framework's terms: a replaced result, or an exception of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from instrument import HookContractError, HookDenied, HookFailed, HookStopped

REFUSALS = (HookDenied, HookFailed, HookContractError)
"""Exceptions that refuse the operation; a `HookStopped` has a value instead."""
VERDICTS = (*REFUSALS, HookStopped)


class ErrorResultError(Exception):
    """Carries a result that is an error through the body of an operation, so that it fails.

    Its text is content: with `INSPECTOR_CAPTURE_CONTENT=off` it does not leave the process.

    Attributes:
        result: The framework's own value, which is returned to it when the operation has closed.
    """

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result


class ProviderError(ErrorResultError):
    """Carries what a provider or a server says about its own failure, which is no content."""


NO_RESULT = (ErrorResultError, HookStopped, *REFUSALS)
"""Exceptions that end an operation without its result; `instead_of` returns another one."""


def refusal(error: BaseException) -> str:
    """Return the text that the model gets in place of a result."""
    reason = str(error) or type(error).__name__
    return f"Denied: {reason}" if isinstance(error, HookDenied) else f"Not run: {reason}"


def instead_of(error: Exception, refused: Callable[[str], Any]) -> Any:
    """Return the framework's result in place of one of `NO_RESULT`.

    Args:
        error: An error result and a hook's value have a result with them.
        refused: Makes the result that the model reads from the text of a refusal.
    """
    if isinstance(error, ErrorResultError):
        return error.result
    return error.value if isinstance(error, HookStopped) else refused(refusal(error))


@contextmanager
def refused_as(
    make: Callable[[str], Exception], kinds: tuple[type[Exception], ...] = REFUSALS
) -> Iterator[None]:
    """Raise the refusals of the block as an exception of the framework."""
    try:
        yield
    except kinds as error:
        raise make(refusal(error)) from error
