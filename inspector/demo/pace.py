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
        """Return the real duration of a stretch of the story's time."""
        return seconds / self.speed

    async def wait(self, seconds: float) -> None:
        """Wait for a stretch of the story's time."""
        await asyncio.sleep(self.real_s(seconds))
