"""The run time of a session: the time that its spans cover together. Pure, no I/O.

A span covers the time from its start to its end, one that runs all time from its start on, and one
that was lost the time up to the last of its trace. Order of arrival is no matter.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from inspector.service.model.records import SpanRecord
from inspector.service.model.rows import SpanStatus
from inspector.service.model.waits import Interval, before, merged
from inspector.service.storage.base import SpanTime, time_of


class Idle(NamedTuple):
    """Time in which nothing of a session ran."""

    ns: int
    since_ns: int | None = None
    """Start (Unix ns) of the current idle time, which `ns` leaves out."""


@dataclass(slots=True)
class RunTime:
    """The time that spans cover, as intervals without overlaps, by start.

    Spans are added; none can be removed, because another may cover the same time.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    covered_ns: int = 0
    running: dict[str, int] = field(default_factory=dict)
    """Open spans, by trace and span → start (Unix ns)."""
    lost: dict[str, dict[str, int]] = field(default_factory=dict)
    """Lost spans: trace → span → start (Unix ns)."""

    @classmethod
    def of(cls, times: Iterable[SpanTime]) -> RunTime:
        """Return the time that spans cover."""
        result = cls()
        latest: dict[str, int] = {}
        for one in times:
            result._put(one)
            end_ns = one.start_ns if one.end_ns is None else one.end_ns
            latest[one.trace_id] = max(end_ns, latest.get(one.trace_id, end_ns))
        for trace_id, began in result.lost.items():
            result._cover(min(began.values()), latest[trace_id])
        return result

    @property
    def size(self) -> int:
        """The number of stored times."""
        return len(self.starts) + len(self.running) + sum(map(len, self.lost.values()))

    def update(
        self, written: Mapping[str, SpanRecord], stored: Mapping[str, SpanRecord | None]
    ) -> bool:
        """Replace the last versions of a trace's spans, by id; return whether that is possible."""
        for span_id, new in written.items():
            if (old := stored.get(span_id)) is None and new.end_ns is not None and not self.lost:
                if self.running:
                    self.running.pop(new.trace_id + span_id, None)
                self._cover(new.start_ns, new.end_ns)
            elif not self.replace(old, new):
                return False
        return True

    def replace(self, old: SpanRecord | None, new: SpanRecord) -> bool:
        """Replace the last version of a span; return whether that is possible.

        Where less may be covered than before, it cannot: the whole session has to be added again.
        """
        if old is not None and _times_of(old) == _times_of(new):
            return True
        if new.status is SpanStatus.LOST or (old is not None and not _can_grow(old, new)):
            return False
        end_ns = new.end_ns
        self._put(time_of(new))
        if self.lost and (began := self.lost.get(new.trace_id)):
            self._cover(min(began.values()), new.start_ns if end_ns is None else end_ns)
        return True

    def between(self, start_ns: int, end_ns: int) -> int:
        """Return the part of a stretch of time that ended spans cover."""
        first, last = bisect_right(self.ends, start_ns), bisect_left(self.starts, end_ns)
        if first >= last or start_ns >= end_ns:
            return 0
        # The fewer are added up: mostly all of them are meant, or all but a few.
        if last - first <= len(self.starts) - (last - first):
            covered_ns = sum(self.ends[first:last]) - sum(self.starts[first:last])
        else:
            covered_ns = self.covered_ns - (sum(self.ends[:first]) - sum(self.starts[:first]))
            covered_ns -= sum(self.ends[last:]) - sum(self.starts[last:])
        before_ns = max(start_ns - self.starts[first], 0)
        return covered_ns - before_ns - max(self.ends[last - 1] - end_ns, 0)

    def idle(
        self,
        started_ns: int,
        ended_ns: int | None,
        waited: Sequence[Interval],
        *,
        is_open: bool,
    ) -> Idle:
        """Return the time in which nothing of a session ran, and no person was waited for.

        Args:
            started_ns: When the session began.
            ended_ns: When it ended, if it did.
            waited: When it waited for a person.
            is_open: A root that no span reports yet is assumed to run.
        """
        if not waited and not self.running and self.ends:  # as most are that are over
            until_ns = self.ends[-1] if ended_ns is None else ended_ns
            idle_ns = until_ns - started_ns - self.covered_ns
            return Idle(max(idle_ns, 0), None if is_open or ended_ns is not None else until_ns)
        waited = merged(waited)
        open_ns = [*self.running.values(), *(start for start, end in waited if end is None)]
        waits_ended_ns = (end for start, end in waited if end is not None and end > start)
        last_ns = [*self.ends[-1:], *waits_ended_ns]
        if open_ns:
            until_ns = min(open_ns) if ended_ns is None else min(*open_ns, ended_ns)
        elif ended_ns is not None or last_ns:
            until_ns = max(last_ns) if ended_ns is None else ended_ns
        else:
            return Idle(0)
        busy_ns = self.between(started_ns, until_ns)
        for start_ns, end_ns in before(waited, until_ns):
            start_ns = max(start_ns, started_ns)
            if end_ns is not None and end_ns > start_ns:
                busy_ns += end_ns - start_ns - self.between(start_ns, end_ns)
        is_over = ended_ns is not None or bool(open_ns) or is_open
        return Idle(max(until_ns - started_ns - busy_ns, 0), None if is_over else until_ns)

    def _put(self, span: SpanTime) -> None:
        if span.end_ns is not None:
            self.running.pop(span.trace_id + span.span_id, None)
            self._cover(span.start_ns, span.end_ns)
        elif span.status is SpanStatus.RUNNING:
            self.running[span.trace_id + span.span_id] = span.start_ns
        else:
            self.running.pop(span.trace_id + span.span_id, None)
            self.lost.setdefault(span.trace_id, {})[span.span_id] = span.start_ns

    def _cover(self, start_ns: int, end_ns: int) -> None:
        if end_ns <= start_ns:
            return
        if self.starts and start_ns >= self.starts[-1]:  # as most come: only the last can overlap
            last_ns = self.ends[-1]
            if start_ns > last_ns:
                self.starts.append(start_ns)
                self.ends.append(end_ns)
                self.covered_ns += end_ns - start_ns
            elif end_ns > last_ns:
                self.ends[-1] = end_ns
                self.covered_ns += end_ns - last_ns
            return
        first, last = bisect_left(self.ends, start_ns), bisect_right(self.starts, end_ns)
        if first < last:
            start_ns = min(start_ns, self.starts[first])
            end_ns = max(end_ns, self.ends[last - 1])
            self.covered_ns -= sum(self.ends[first:last]) - sum(self.starts[first:last])
        self.starts[first:last], self.ends[first:last] = [start_ns], [end_ns]
        self.covered_ns += end_ns - start_ns


def _times_of(span: SpanRecord) -> tuple[object, ...]:
    is_lost = span.status is SpanStatus.LOST
    return span.session_id, span.start_ns, span.end_ns, is_lost


def _can_grow(old: SpanRecord, new: SpanRecord) -> bool:
    if old.session_id != new.session_id:
        return True  # what was covered was covered elsewhere
    if old.end_ns is not None:
        return new.end_ns is not None and new.start_ns <= old.start_ns and new.end_ns >= old.end_ns
    return old.status is SpanStatus.RUNNING
