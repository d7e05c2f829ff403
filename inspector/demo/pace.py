"""The speed of the demo."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """Real time divided by `speed` (1: as long as real models take)."""

    speed: float = 1.0

    def __post_init__(self) -> None:
        if not self.speed > 0:
            raise ValueError(f"The speed must be above 0, got {self.speed}.")

    def real_s(self, seconds: float) -> float:
        """Return how long that much of the story's time takes."""
        return seconds / self.speed

    async def wait(self, seconds: float) -> None:
        """Let that much of the story's time pass."""
        await asyncio.sleep(self.real_s(seconds))
