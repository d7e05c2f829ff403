"""Choose the writer's next submissions, and how much of each: large batches take turns.

A commit delays all who wait. So its work is bounded, by how long the last commits took: the same
batch takes ten times as long on a slow disk.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from inspector.service.model.incoming import IncomingLog, IncomingSpan

COMMIT_S = 0.15
"""Target of the duration of a commit."""
MIN_WORK, MAX_WORK = 256, 8_192
"""Limits of the work of one commit; a span or a log record counts 1."""
_FIRST_WORK = 2_048
_SHARE = 1_024
"""Least share of a batch in a commit, however many others wait: most need one commit."""
_TRACE_WORK = 4
"""Work of a new trace, which adds a session and rows of its own."""
_UNIT_BYTES = 4_096
"""Bytes of a span that count 1 more."""


@dataclass(slots=True, eq=False)
class Submission:
    """A sender's batch, stored in one commit or in several."""

    spans: Sequence[IncomingSpan]
    logs: Sequence[IncomingLog]
    size_bytes: int
    done: Future[None] = field(default_factory=Future)
    span_count: int = 0
    """Spans in commits so far."""
    log_count: int = 0
    """Logs in commits so far."""

    def __post_init__(self) -> None:
        if len(self.spans) > _SHARE:
            # Spans that name a session go first: a trace that moves later is written again.
            self.spans = sorted(self.spans, key=lambda item: item.session_key is None)

    @property
    def is_done(self) -> bool:
        """Whether all of the batch is in commits."""
        return self.span_count == len(self.spans) and self.log_count == len(self.logs)

    def take(self, work: int) -> Part:
        """Take the next part, of about this much work; at least one item, if any is left."""
        logs = self.logs[self.log_count : self.log_count + work]
        self.log_count += len(logs)
        work_done, first, traces = len(logs), self.span_count, set[str]()
        while work_done < work and self.span_count < len(self.spans):
            item = self.spans[self.span_count]
            self.span_count += 1
            work_done += 1 + len(item.content.payload) // _UNIT_BYTES
            if (trace_id := item.record.trace_id) not in traces:
                traces.add(trace_id)
                work_done += _TRACE_WORK
        return Part(self, self.spans[first : self.span_count], logs, work_done)


@dataclass(slots=True)
class Part:
    """The part of a batch in one commit."""

    batch: Submission
    spans: Sequence[IncomingSpan]
    logs: Sequence[IncomingLog]
    work: int


class Turns:
    """The waiting batches, and the share of each in the next commit. Not thread-safe."""

    def __init__(self) -> None:
        self._waiting: deque[Submission] = deque()
        self.work = _FIRST_WORK
        """Limit of the work of the next commit."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def most_sessions(self) -> int:
        """The number of sessions that one commit may settle."""
        return self.work // (1 + _TRACE_WORK)

    def add(self, batch: Submission) -> None:
        """Queue a batch behind all others; again after only a part of it was stored."""
        self._waiting.append(batch)

    def take(self) -> list[Part]:
        """Return the next commit: each batch once, the longest waiting first."""
        share = max(_SHARE, self.work // max(1, len(self._waiting)))
        parts, left = list[Part](), self.work
        for batch in self._waiting:
            if left <= 0:
                break
            parts.append(batch.take(min(share, left)))
            left -= parts[-1].work
        for _ in parts:
            self._waiting.popleft()
        return parts

    def clear(self) -> list[Submission]:
        """Remove all waiting batches, and return them."""
        waiting, self._waiting = list(self._waiting), deque()
        return waiting

    def learn(self, parts: Iterable[Part], took_s: float) -> None:
        """Learn from the duration of a commit."""
        work = sum(part.work for part in parts)
        if took_s > COMMIT_S:
            self.work = max(MIN_WORK, min(self.work, int(work * COMMIT_S / took_s)))
        elif work >= self.work and took_s < COMMIT_S / 2:
            self.work = min(MAX_WORK, 2 * self.work)
