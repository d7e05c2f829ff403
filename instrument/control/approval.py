"""Approval requests and responses for modules that ask people themselves.

The bus asks by `set_approval_provider`; these are for modules with their own provider.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass
class ApprovalRequest:
    """A module's request for approval.

    Attributes:
        tool_name: The tool.
        action: The intended action, for people.
        details: The input that a person should see.
        risk_level: `low`, `medium`, `high` or `critical`.
        timeout: In seconds; None: no limit.
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
        approved: Whether the action may proceed.
        reason: Reason of the answer.
        remember: Whether the module may answer similar requests itself.
    """

    approved: bool
    reason: str | None = None
    remember: bool = False


class ApprovalProvider(Protocol):
    """A provider that shows requests to a person."""

    async def request_approval(self, request: ApprovalRequest) -> ApprovalResponse:
        """Return the answer; raise `TimeoutError` when there is none in time."""
