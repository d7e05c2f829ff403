"""Unix nanoseconds as text."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


def rfc3339(time_ns: int) -> str:
    """Return `time_ns` (Unix ns) as RFC 3339 in UTC with nine decimals.

    Times no calendar has (a hostile or broken sender) are clamped to the years 1 to 9999.
    """
    seconds, fraction_ns = divmod(time_ns, 1_000_000_000)
    return f"{_second(seconds)}.{fraction_ns:09d}Z"


def unix_ns(text: str) -> int:
    """Return the time of what `rfc3339` wrote."""
    second, _, fraction = text.removesuffix("Z").partition(".")
    moment = datetime.fromisoformat(second).replace(tzinfo=UTC)
    return int(moment.timestamp()) * 1_000_000_000 + int(fraction)


def clock_time(time_ns: int) -> str:
    """Return `time_ns` (Unix ns) for people: `2026-01-31 14:05:09 UTC`."""
    return f"{_second(time_ns // 1_000_000_000).replace('T', ' ')} UTC"


@lru_cache(maxsize=1024)  # what happens together is of one second or few
def _second(seconds: int) -> str:
    seconds = min(max(seconds, -62_135_596_800), 253_402_300_799)
    return datetime.fromtimestamp(seconds, tz=UTC).replace(tzinfo=None).isoformat()
