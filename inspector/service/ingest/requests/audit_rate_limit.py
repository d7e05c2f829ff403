"""Rate limit for refusals in the audit log: enough to see an attack, too few to be one. Pure."""

from __future__ import annotations

import threading

BURST = 50
PER_SECOND = 5.0


class AuditRateLimit:
    """A bucket of tokens. Thread-safe.

    Args:
        burst: So many at once.
        per_second: And so many as time passes.
    """

    def __init__(self, burst: int = BURST, per_second: float = PER_SECOND) -> None:
        self._lock = threading.Lock()
        self._burst, self._per_second = float(burst), per_second
        self._tokens = self._burst
        self._at_s: float | None = None
        self._left_out = 0

    def take(self, now_s: float) -> int | None:
        """Return the number left out before this one; None if this one is left out too."""
        with self._lock:
            since_s = 0.0 if self._at_s is None else max(0.0, now_s - self._at_s)
            self._at_s = now_s
            self._tokens = min(self._burst, self._tokens + since_s * self._per_second)
            if self._tokens < 1:
                self._left_out += 1
                return None
            self._tokens -= 1
            left_out, self._left_out = self._left_out, 0
            return left_out
