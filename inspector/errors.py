"""Exceptions of the service.

    InspectorError
    ├── SettingsError       a setting cannot be used (exit 2)
    ├── PolicyError         a file of policies cannot be used; lists its mistakes
    ├── PortInUseError      a port is taken (exit 2)
    ├── StoreError
    │   ├── StoreNewerError     written by a newer version
    │   ├── StoreInUseError     another service has it open
    │   ├── UntrustedFileError  another user may have written it, or its token
    │   └── StoreUnavailableError   disk full, read-only, gone: try again later
    ├── ReceiveError        the data cannot be accepted; sending it again will not help
    │   ├── BadDataError        it is malformed
    │   └── TooLargeError       it is above a limit
    ├── OverloadedError     more data than can be committed; try again after `retry_after_s`
    ├── RefusedError        the service answered with a problem
    ├── EvictedError        the content is in a history, and the service runs without one
    └── HistoryError        the history cannot be used

A message says what was attempted, what is wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

StoreTrouble: TypeAlias = Literal["full", "read_only", "unavailable"]
"""The reason that a store cannot be written."""


class InspectorError(Exception):
    """Root of the service's errors; `code` is stable and part of the HTTP contract."""

    code = "inspector_error"


class SettingsError(InspectorError):
    """A setting cannot be used."""

    code = "bad_setting"


class PolicyError(InspectorError):
    """A file of policies cannot be used; `mistakes` are sentences with place and reason."""

    code = "bad_policies"

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__(" ".join(mistakes))
        self.mistakes = tuple(mistakes)


class PortInUseError(InspectorError):
    """A port is taken."""

    code = "port_in_use"


class StoreError(InspectorError):
    """The store cannot be used."""

    code = "store_error"


class StoreNewerError(StoreError):
    """The store was written by a newer version."""

    code = "store_newer"


class StoreInUseError(StoreError):
    """Another service has the store open."""

    code = "store_in_use"


class UntrustedFileError(StoreError):
    """Another user of this machine may have written a file that we need."""

    code = "untrusted_file"


class StoreUnavailableError(StoreError):
    """The store cannot be written now: disk full, read-only or gone."""

    code = "store_unavailable"

    def __init__(self, message: str, *, trouble: StoreTrouble = "unavailable") -> None:
        super().__init__(message)
        self.trouble: StoreTrouble = trouble


class ReceiveError(InspectorError):
    """The data cannot be accepted; sending it again will not help."""

    code = "not_received"


class BadDataError(ReceiveError):
    """The data is malformed."""

    code = "bad_data"


class TooLargeError(ReceiveError):
    """The data is above a limit."""

    code = "too_large"


class OverloadedError(InspectorError):
    """More data arrives than can be committed."""

    code = "overloaded"

    def __init__(self, message: str, *, retry_after_s: int = 1) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RefusedError(InspectorError):
    """The service answered with a problem.

    Args:
        message: The detail of the problem.
        problem: Its fields, such as `{"code": "bad_query", "position": 3, "length": 4}`.
    """

    code = "refused"

    def __init__(self, message: str, problem: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.problem = problem or {}

    def pointed(self, query: str) -> str:
        """Return the message, and `query` with a mark under its mistake."""
        position = self.problem.get("position")
        if position is None:
            return str(self)
        mark = "^" * max(self.problem.get("length") or 0, 1)
        return f"{self}\n{query}\n{' ' * position}{mark}"


class EvictedError(InspectorError):
    """The content of a session is in a history, which is not there."""

    code = "in_history"


class HistoryError(InspectorError):
    """The history cannot be used.

    Attributes:
        is_passing: Whether it may work again without anybody doing something.
    """

    code = "history_unavailable"

    def __init__(self, message: str, *, is_passing: bool) -> None:
        super().__init__(message)
        self.is_passing = is_passing
