"""Read what came of a session when it is over: of a few of its spans, and of each commit once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from inspector.service.analysis.causes import NO_REASON
from inspector.service.analysis.outcome import (
    MAX_CHARS,
    answer_line,
    by_cause,
    cause_key,
    cause_line,
    failure_line,
)
from inspector.service.analysis.sanitise import visible_line
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import SpanRecord
from inspector.service.model.rows import Moment, SpanKind, SpanStatus
from inspector.service.normalise import answers_of, failure_of
from inspector.service.sessions.state import Outcome, SessionState

_MAX_FAILED = 1_000
"""Limit of the failed spans among which the first cause is looked for."""
_MAX_CAUSES = 8
"""Limit of those that are read for a reason."""
_TOO_LARGE = "too large to say why"
_MAX_ANSWERS = 4
"""Limit of the spans in which the last answer is looked for."""
_MAX_SPAN_BYTES = 1024 * 1024
_MAX_MOMENTS = 100
_ANSWERING = (SpanKind.LLM, SpanKind.AGENT)

Written = Mapping[str, Mapping[str, SpanRecord]]
"""Spans of a commit: trace → span → version."""


def outcome_of(unit: UnitOfWork, session: SessionState, written: Written) -> Outcome:
    """Return what came of a session.

    Args:
        unit: Its commit.
        session: The session, with its counts as they are after the commit.
        written: The spans of its traces that the commit changes.
    """
    if session.tally.error_count:
        stored = unit.reader.failed_spans(session.id, _MAX_FAILED)
        failed = [
            span
            for span in _newest(stored, written)
            if span.status is SpanStatus.ERROR and span.duplicate_of is None
        ]
        if (cause := _cause(unit, by_cause(failed))) is not None:
            span, line = cause
            return Outcome(
                cause=visible_line(line, MAX_CHARS),
                cause_key=cause_key(line),
                cause_span=f"{span.trace_id}.{span.span_id}",
            )
    if session.tally.llm_calls or session.profile.agents:
        return Outcome(answer=_answer(unit, session.id, written))
    return Outcome()


def latest_of(before: Outcome | None, news: Outcome) -> Outcome:
    """Return what came of a session, by what was known and by what its latest spans say.

    What failed first stays the cause; a later answer replaces an earlier one.
    """
    if before is None or (before.cause is None and (news.cause or news.answer)):
        return news
    return before


def _newest(stored: Iterable[SpanRecord], written: Written) -> list[SpanRecord]:
    """Return the spans as they are after the commit."""
    older = [span for span in stored if span.span_id not in written.get(span.trace_id, ())]
    return older + [span for spans in written.values() for span in spans.values()]


def _cause(unit: UnitOfWork, failed: Sequence[SpanRecord]) -> tuple[SpanRecord, str] | None:
    """Return the first failure that says why, else the first, and its line; None without one."""
    unread = None
    for span in failed[:_MAX_CAUSES]:
        reason = _reason(unit, span)
        line = cause_line(span, reason)
        if reason not in (NO_REASON, _TOO_LARGE):
            return span, line
        unread = unread or (span, line)
    return unread


def _reason(unit: UnitOfWork, span: SpanRecord) -> str:
    if span.size_bytes > _MAX_SPAN_BYTES:
        return _TOO_LARGE
    content = unit.content(span).span()
    return failure_line(failure_of(content, _moments(unit, span)), content.status.message)


def _answer(unit: UnitOfWork, session_id: str, written: Written) -> str | None:
    stored = unit.reader.last_spans(session_id, _ANSWERING, _MAX_ANSWERS)
    answering = [
        span
        for span in _newest(stored, written)
        if span.kind in _ANSWERING and span.duplicate_of is None
    ]
    answering.sort(key=lambda span: (span.start_ns, span.span_id), reverse=True)
    for span in answering[:_MAX_ANSWERS]:
        if span.size_bytes > _MAX_SPAN_BYTES:
            continue
        answered = answers_of(unit.content(span).span(), _moments(unit, span))
        if line := answer_line(answered):
            return line
    return None


def _moments(unit: UnitOfWork, span: SpanRecord) -> list[Moment]:
    stored = unit.reader.moments(span.trace_id, span.span_id, None, _MAX_MOMENTS)
    return [one.moment() for one in stored]
