"""Time spent waiting for people: when, how long, how often. Pure, no I/O.

Waits of one span may lie in each other (a session paused around a request) and those of spans
that run side by side overlap. The time in which at least one of them lasts counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Interval: TypeAlias = tuple[int, int | None]
"""(start, end) in Unix ns; without an end it is not over."""

MAX_SHOWN = 16
"""Limit of the waits that a span's row lists."""
_MAX_WAIT_NS = 366 * 86_400 * 1_000_000_000
"""Limit of one span's wait: impossible times must not add up to more than 64 bits."""


@dataclass(frozen=True, slots=True)
class PauseSignal:
    """A pause or the end of one."""

    time_ns: int
    is_pause: bool
    name: str
    """Name of the signal, or id of the request, that ends the wait."""
    is_hold: bool = False
    """Whether an operator holds it, so that nobody has to answer (`paused`, not `waiting`)."""


@dataclass(frozen=True, slots=True)
class Waits:
    """The waits of one span or of a session, without overlaps, by start."""

    intervals: tuple[Interval, ...] = ()
    """The waits; only the last may be open."""

    @property
    def count(self) -> int:
        """The number of waits; overlapping ones count as one."""
        return len(self.intervals)

    @property
    def wait_ns(self) -> int:
        """The sum of the waits that are over."""
        return min(length_ns(self.intervals), _MAX_WAIT_NS)

    @property
    def since_ns(self) -> int | None:
        """The start of the wait that is not over."""
        if not self.intervals or self.intervals[-1][1] is not None:
            return None
        return self.intervals[-1][0]

    @property
    def shown(self) -> tuple[Interval, ...]:
        """The first `MAX_SHOWN`, the last of them up to the end of all."""
        if len(self.intervals) <= MAX_SHOWN:
            return self.intervals
        first = self.intervals[: MAX_SHOWN - 1]
        return (*first, (self.intervals[MAX_SHOWN - 1][0], self.intervals[-1][1]))


def waits_of(signals: Iterable[PauseSignal], end_ns: int | None = None) -> Waits:
    """Pair pauses with their ends, by time, whatever the order of arrival.

    A signal that came twice (as log record and as span event) counts once. `end_ns` is the end
    of the span they sit on: nothing waits longer than that.
    """
    found, open_since = list[Interval](), dict[str, int]()
    # A pause before the resumption of the same instant.
    for signal in sorted(signals, key=lambda s: (s.time_ns, not s.is_pause)):
        if signal.is_pause:
            open_since.setdefault(signal.name, signal.time_ns)
        elif signal.name in open_since:
            found.append((open_since.pop(signal.name), signal.time_ns))
    found += ((since, None) for since in open_since.values())
    return Waits(tuple(merged(found if end_ns is None else _until(found, end_ns))))


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the time that `intervals` cover, as intervals without overlaps, by start."""
    result: list[Interval] = []
    for start, end in sorted(intervals, key=lambda interval: interval[0]):
        if not result:
            result.append((start, end))
            continue
        last_start, last_end = result[-1]
        if last_end is None:
            break
        if start <= last_end:
            result[-1] = (last_start, None if end is None else max(last_end, end))
        else:
            result.append((start, end))
    return result


def length_ns(intervals: Sequence[Interval]) -> int:
    """Return the sum of the intervals that are over; they do not overlap."""
    return sum(end - start for start, end in intervals if end is not None)


def before(intervals: Iterable[Interval], end_ns: int | None) -> list[Interval]:
    """Return the intervals that are over, cut at `end_ns` (None: not cut)."""
    over = [(start, end) for start, end in intervals if end is not None]
    return list(_until(over, end_ns)) if end_ns is not None else list(over)


def _until(intervals: Iterable[Interval], end_ns: int) -> Iterable[Interval]:
    for start, end in intervals:
        if start <= end_ns:
            yield start, end_ns if end is None else min(end, end_ns)
