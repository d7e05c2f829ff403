"""Exceptions that leave an operation when an interceptor decides against it.

`HookVerdict` is a decision: `HookDenied` (it must not run), `HookFailed` (it ends with an error) or
`HookStopped` (it ends early, with a value). `HookContractError` is a mistake in an interceptor:
`MalformedDecisionError`, `UnheededPolicyError`, or a decision that the event forbids.
"""

from __future__ import annotations

from typing import Any


class HookVerdict(Exception):  # noqa: N818 - a decision is not an error
    """An interceptor ended an operation.

    Attributes:
        hook: The event of the decision.
        interceptor: Its name, or None.
        call_id: The operation that it ended, or None.
        reason: Reason of the decision; also the message.
    """

    def __init__(
        self,
        reason: str,
        *,
        hook: str | None = None,
        interceptor: str | None = None,
        call_id: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hook = hook
        self.interceptor = interceptor
        self.call_id = call_id


class HookDenied(HookVerdict):
    """An interceptor or a person denied the operation; it did not run."""


class HookFailed(HookVerdict, RuntimeError):  # noqa: N818 - a decision is not an error
    """An interceptor ended the operation with an error."""


class HookStopped(HookVerdict):
    """An interceptor ended the operation early.

    Attributes:
        value: The value in place of a result.
    """

    def __init__(
        self,
        value: Any,
        reason: str = "stopped by a hook",
        *,
        hook: str | None = None,
        interceptor: str | None = None,
        call_id: str | None = None,
    ) -> None:
        super().__init__(reason, hook=hook, interceptor=interceptor, call_id=call_id)
        self.value = value


class HookContractError(RuntimeError):
    """A decision that the event's contract does not allow.

    The message names the hook, the expected and the actual value, and which events allow it.
    """


class MalformedDecisionError(HookContractError):
    """An interceptor returned an invalid decision; the operation is denied."""


class UnheededPolicyError(HookContractError):
    """An event was emitted by `_emit`, so that its interceptors could not decide."""

    def __init__(self, message: str, *, is_known: bool) -> None:
        super().__init__(message)
        self.is_known = is_known
