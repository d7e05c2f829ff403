"""Parse values of a query: `1.5k`, `200ms`, `10MB`, `2026-11-01`, `-2h`."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([A-Za-zµ]*)")
_COUNTS = {"": 1, "k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_SIZES = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9,
    "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip
_DURATIONS_NS = {
    "ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9,
    "m": 60 * 10**9, "min": 60 * 10**9, "h": 3_600 * 10**9, "d": 86_400 * 10**9,
}  # fmt: skip
_FLAGS = {"yes": 1, "true": 1, "1": 1, "no": 0, "false": 0, "0": 0}
_MAX = 2**63 - 1
_LAST_NS = _MAX - 86_400 * 10**9


class Interval(NamedTuple):
    """A time with the precision of its text: a day, a minute, a nanosecond."""

    first_ns: int
    beyond_ns: int
    """The first nanosecond after it."""


def count(text: str) -> int:
    """Read `1500`, `1.5k`, `2M`."""
    return _whole(text, _COUNTS, "a number such as 1500, 1.5k or 2M")


def size(text: str) -> int:
    """Read `512`, `10kB`, `1.5MiB`, in bytes."""
    return _whole(text, _SIZES, "a size such as 512, 10kB or 1.5MiB")


def duration(text: str) -> int:
    """Read `200ms`, `1.5s`, `2h`, in nanoseconds."""
    return _whole(text, _DURATIONS_NS, "a duration such as 200ms, 1.5s or 2h")


def money(text: str) -> float:
    """Read `0.5` or `$0.5`."""
    try:
        amount = float(text.removeprefix("$"))
    except ValueError:
        amount = math.nan
    if not math.isfinite(amount):
        raise ValueError(f"{text} is not an amount such as 0.05 or $2")
    return amount


def flag(text: str) -> int:
    """Read `yes` or `no`."""
    try:
        return _FLAGS[text.lower()]
    except KeyError:
        raise ValueError(f"{text} is not yes or no") from None


def time(text: str, now_ns: int) -> Interval:
    """Read a date or time (UTC by default), `now`, `today`, or `-2h`: two hours ago."""
    lowered = text.lower()
    if lowered == "now":
        return Interval(now_ns, now_ns + 1)
    if lowered in {"today", "yesterday"}:
        today = datetime.fromtimestamp(now_ns // 10**9, UTC).date()
        return _day(today - timedelta(days=lowered == "yesterday"))
    if text.startswith("-"):
        then_ns = now_ns - duration(text[1:])
        return Interval(then_ns, then_ns + 1)
    try:
        return _day(date.fromisoformat(text))
    except ValueError:
        return _moment(text)


def _day(day: date) -> Interval:
    first_ns = _unix_ns(datetime(day.year, day.month, day.day, tzinfo=UTC))
    return Interval(first_ns, first_ns + 86_400 * 10**9)


def _moment(text: str) -> Interval:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{text} is not a time such as 2026-11-01, 2026-11-01T09:30, today or -2h"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    first_ns = _unix_ns(moment)
    clock = text[11:]
    width_ns = 10**3 if "." in clock else 10**9 if clock.count(":") >= 2 else 60 * 10**9
    return Interval(first_ns, first_ns + width_ns)


def _unix_ns(moment: datetime) -> int:
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    unix_ns = (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1_000
    return max(0, min(unix_ns, _LAST_NS))  # no stored time is beyond


def _whole(text: str, units: dict[str, int], wanted: str) -> int:
    found = _NUMBER.fullmatch(text)
    unit = found and units.get(found[2].lower() if found[2] != "µs" else "µs")
    if not found or unit is None:
        raise ValueError(f"{text} is not {wanted}")
    # Whole numbers stay whole: a float holds 53 bits only.
    value = int(found[1]) * unit if "." not in found[1] else round(float(found[1]) * unit)
    if abs(value) > _MAX:
        raise ValueError(f"{text} is too large")
    return value
