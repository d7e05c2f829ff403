"""Count and explain the rejected parts of a request, for `partial_success`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Rejections:
    """Counts rejected items, and keeps why the first one was; a reason alone is a warning."""

    count: int = 0
    reason: str = ""

    def add(self, reason: str, count: int = 1) -> None:
        """Count `count` more."""
        self.count += count
        self.reason = self.reason or reason
