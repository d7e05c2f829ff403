"""Count and explain the rejected parts of a request, for `partial_success`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Rejections:
    """The number of rejected items, and the first reason; a reason alone is a warning."""

    count: int = 0
    reason: str = ""

    def add(self, reason: str, count: int = 1) -> None:
        """Add `count` rejected items."""
        self.count += count
        self.reason = self.reason or reason
