"""Approval requests and responses for modules that ask people themselves.

The bus has its own way, `set_approval_provider`; these are for modules that bring theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass
class ApprovalRequest:
    """A module's request for approval.

    Attributes:
        tool_name: The tool.
        action: What it is about to do, for people.
        details: Its input, as far as a person should see it.
        risk_level: `low`, `medium`, `high` or `critical`.
        timeout: In seconds; None: as long as it takes.
    """

    tool_name: str
    action: str
    details: dict[str, Any] = field(default_factory=dict)
    risk_level: str = "medium"
    timeout: float | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and self.timeout <= 0:
            raise ValueError(
                f"Cannot ask about {self.tool_name} with timeout {self.timeout!r}: give more than "
                "0 seconds, or None to wait."
            )


@dataclass
class ApprovalResponse:
    """A person's answer to an approval request.

    Attributes:
        approved: Whether the action may go on.
        reason: Why, or why not.
        remember: Whether the module may answer later requests of the kind by itself.
    """

    approved: bool
    reason: str | None = None
    remember: bool = False


class ApprovalProvider(Protocol):
    """Shows requests to a person."""

    async def request_approval(self, request: ApprovalRequest) -> ApprovalResponse:
        """Return the answer; raise `TimeoutError` when there is none in time."""
