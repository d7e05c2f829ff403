"""What the parts of a bus need of each other, as protocols.

For type checkers only: making a protocol takes longer than importing a small module.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from instrument.approvals import ApprovalProvider, ApprovalRequest
from instrument.catalogue import Noun
from instrument.delivery import Table


class Channel(Protocol):
    """The parts of a bus that a decision needs."""

    _hooks: Table
    _approval_providers: tuple[list[ApprovalProvider], ...]
    _waiting: Waiting
    _sync_waiting: Waiting
    _checked_nouns: set[str]
    _chunk_observers: tuple[Callable[[str, str], object], ...]

    def _notify_sync(self, name: str, /, **kwargs: Any) -> None: ...

    def _check_operation(self, name: object, noun: Noun) -> None: ...

    def _report_chunk(self, call_id: str, text: str) -> None: ...

    def _chunk_reporter(
        self, call_id: str, text_of: Callable[[Any], str | None] | None
    ) -> Callable[[Any], object]: ...


class Waiting(Protocol):
    """A way to wait: in async code or in sync code."""

    async def notify(self, hook: str, kwargs: dict[str, Any]) -> None:
        """Deliver an event to its observers."""

    def finish(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Awaitable[Any]:
        """Return the result of an interceptor's awaitable; raise `TimeoutError` when late."""

    async def ask(self, provider: ApprovalProvider, request: ApprovalRequest) -> Any:
        """Return the provider's answer; raise `NobodyAnsweredError` on timeout."""


class Registry(Protocol):
    """A registry of callbacks in another vocabulary.

    Attributes:
        vocabulary: Registries of the same vocabulary do not get events emitted on each other.
    """

    vocabulary: str
