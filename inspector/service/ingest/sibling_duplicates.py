"""Find one LLM call reported by two instrumentations whose spans are not nested.

An instrumentation that makes no span current (OpenInference's of LangChain) leaves the
span of an instrumented client beside its own, or in a trace of its own. Both name the same model
and the same answer, or as many tokens, and one is within the other in time. A trace of nothing but
such a call belongs to the session of the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from inspector.service.ingest.duplicates import mark_duplicate
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.normalise.duplicates import contains
from inspector.service.sessions.state import NO_KEY_RANK, TraceState

_MAX_KEYS = 1_000
_MAX_ALIKE = 16
"""Calls of one process with the same tokens or answer; duplicates arrive about the same time."""


class EndedCall(NamedTuple):
    """An LLM call that ended, as one span reports it."""

    trace_id: str
    span_id: str
    process_id: str
    model: str
    response_id: str | None
    tokens: tuple[int, int]
    """Input and output tokens."""
    interval_ns: tuple[int, int]
    origin: bytes
    """The instrumentation, with its resource."""
    is_root: bool


@dataclass(slots=True)
class _RecentCall:
    call: EndedCall
    is_inside: bool = False
    """Another span reports the same call and is around it."""
    inside: set[bytes] = field(default_factory=set)
    """Origins of the duplicates inside: of simultaneous calls, each has one of its own."""


class SiblingDuplicates:
    """Pairs recent LLM calls. In memory: two reports across a restart stay two calls."""

    def __init__(self) -> None:
        self._recent: dict[tuple[str, str | tuple[int, int]], list[_RecentCall]] = {}
        """(process, response id or tokens) → recent calls."""
        self._followers: dict[str, set[str]] = {}
        """Trace → the traces that follow it because they report one of its calls."""

    def join(
        self, unit: UnitOfWork, trace_ids: Iterable[str], calls: Iterable[EndedCall]
    ) -> list[tuple[EndedCall, EndedCall]]:
        """Return the pairs of `calls`, or with earlier ones, that are duplicates: outer, inner.

        `trace_ids` have their sessions; traces that follow one of them, or begin to, move.
        """
        for trace_id in trace_ids:
            for follower_id in self._followers.get(trace_id, ()):
                _follow(unit, unit.trace(trace_id), follower_id)
        pairs = [pair for call in calls if (pair := self._pair(call)) is not None]
        return [pair for pair in pairs if self._is_in_one_session(unit, *pair)]

    def _pair(self, call: EndedCall) -> tuple[EndedCall, EndedCall] | None:
        common = (call.tokens,) if call.response_id is None else (call.tokens, call.response_id)
        lists = [self._recent.setdefault((call.process_id, one), []) for one in common]
        others = [other for alike in lists for other in alike]
        if any(other.call.span_id == call.span_id for other in others):
            return None
        recent = _RecentCall(call)
        for alike in lists:
            alike.append(recent)
            del alike[:-_MAX_ALIKE]
        while len(self._recent) > _MAX_KEYS:
            del self._recent[next(iter(self._recent))]
        for other in others:
            inner, outer = sorted((recent, other), key=lambda one: _length_ns(one.call))
            if not (
                inner.is_inside or outer.is_inside or inner.call.origin in outer.inside
            ) and _is_same(outer.call, inner.call):
                inner.is_inside = True
                outer.inside.add(inner.call.origin)
                return outer.call, inner.call
        return None

    def _is_in_one_session(self, unit: UnitOfWork, outer: EndedCall, inner: EndedCall) -> bool:
        outside, inside = unit.known_trace(outer.trace_id), unit.known_trace(inner.trace_id)
        if outside is None or inside is None:  # deleted since
            return False
        if outside is not inside and inner.is_root and inside.rank == NO_KEY_RANK:
            self._followers.setdefault(outer.trace_id, set()).add(inner.trace_id)
            if len(self._followers) > _MAX_KEYS:
                del self._followers[next(iter(self._followers))]
            _follow(unit, outside, inner.trace_id)
        return outside.session_id == inside.session_id


def mark_pairs(unit: UnitOfWork, pairs: Iterable[tuple[EndedCall, EndedCall]]) -> None:
    """Mark the duplicate of each pair when both spans are in the unit."""
    for outer, inner in pairs:
        shown = unit.span(outer.trace_id, outer.span_id)
        duplicate = unit.span(inner.trace_id, inner.span_id)
        if shown is not None and duplicate is not None and duplicate.duplicate_of is None:
            mark_duplicate(unit, shown, duplicate)


def _follow(unit: UnitOfWork, lead: TraceState, follower_id: str) -> None:
    follower = unit.known_trace(follower_id)
    session = unit.session(lead.session_id) if lead.session_id else None
    if follower is None or session is None or follower.session_id == session.id:
        return
    if follower.rank == NO_KEY_RANK:  # else it names its own session
        unit.move_trace(follower, session)


def _is_same(outer: EndedCall, inner: EndedCall) -> bool:
    shorter, longer = sorted((outer.model, inner.model), key=len)  # it may have a date
    ids = {outer.response_id, inner.response_id} - {None}
    return (
        outer.origin != inner.origin
        and len(ids) < 2
        and longer.startswith(shorter)
        and contains(outer.interval_ns, inner.interval_ns)
    )


def _length_ns(call: EndedCall) -> tuple[int, str]:
    return call.interval_ns[1] - call.interval_ns[0], call.span_id
