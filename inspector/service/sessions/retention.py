"""Retention of sessions, by age and by size, whichever limit is reached first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # settings read this, and have no store
    from inspector.service.model.records import SessionRecord
    from inspector.service.storage.base import Reader

MOST_SESSIONS = 200
"""Limit of the sessions that go in one commit."""
MOST_SPANS = 2_000
"""Number of spans after which a commit takes no further session."""
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}
_BYTES = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*([A-Za-z]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Retention:
    """The limits of retention; None: unlimited."""

    max_age_ns: int | None = None
    """Time since a session's last change, by this service's clock: imports count as new."""
    max_bytes: int | None = None

    @classmethod
    def parse(cls, text: str) -> Retention:
        """Read `30d,20GB`, one of the two, or `off`.

        Raises:
            ValueError: It is something else.
        """
        age_ns = size_bytes = None
        for part in [] if text.strip().lower() == "off" else text.split(","):
            found = _PART.fullmatch(part.strip())
            number, unit = (float(found[1]), found[2]) if found else (0.0, "")
            if number > 0 and unit.lower() in _SECONDS and age_ns is None:
                age_ns = int(number * _SECONDS[unit.lower()] * 10**9)
            elif number > 0 and unit.upper() in _BYTES and size_bytes is None:
                size_bytes = int(number * _BYTES[unit.upper()])
            else:
                raise ValueError(
                    f"{part.strip()!r} is not an age or a size: use `30d,20GB`, one of the two, "
                    "or `off`"
                )
        return cls(age_ns, size_bytes)

    def __str__(self) -> str:
        """Return it as `parse` reads it, to three decimals of a unit."""
        age_s = None if self.max_age_ns is None else self.max_age_ns / 10**9
        limits = [(age_s, _SECONDS), (self.max_bytes, _BYTES)]
        amounts = [_amount(limit, units) for limit, units in limits if limit is not None]
        return ",".join(amounts) or "off"

    def within(self, most_bytes: int) -> Retention:
        """Return the same with no more bytes than fit, where a size is set."""
        if self.max_bytes is None:
            return self
        return Retention(self.max_age_ns, min(self.max_bytes, most_bytes))

    def overdue(self, reader: Reader, oldest: Iterable[SessionRecord], now_ns: int) -> list[str]:
        """Return those of the oldest sessions that have to go next.

        Ask again when what they had is taken away: only then is it known how much room they made.
        """
        excess_bytes = 0 if self.max_bytes is None else reader.used_bytes() - self.max_bytes
        oldest_ns = None if self.max_age_ns is None else now_ns - self.max_age_ns
        overdue: list[str] = []
        span_count = 0
        for record in oldest:
            is_too_old = oldest_ns is not None and record.changed_ns < oldest_ns
            if not (is_too_old or excess_bytes > 0) or span_count > MOST_SPANS:
                break
            overdue.append(record.row.id)
            span_count += record.row.span_count
            if excess_bytes > 0:
                # Rows and indexes take as much again, where spans are small.
                excess_bytes -= 2 * reader.payload_bytes(record.row.id, MOST_SPANS)
        return overdue


def _amount(limit: float, units: Mapping[str, int]) -> str:
    """Return `limit` in the largest unit that divides it, or else in the largest below it."""
    largest_first = sorted(units, key=lambda unit: units[unit], reverse=True)
    whole = (unit for unit in largest_first if limit % units[unit] == 0)
    below = (unit for unit in largest_first if limit >= units[unit])
    unit = next(whole, None) or next(below, largest_first[-1])
    return f"{round(limit / units[unit], 3):g}{unit}"
