"""`/spans/…/state`: the captured state of a program at a span, and its earlier steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query

from inspector.service import wire
from inspector.service.analysis.states import STATE, Step, name_of, step_at
from inspector.service.http.parts import ReadPartsDep
from inspector.service.http.problems import ProblemError
from inspector.service.http.queries import span_pages
from inspector.service.http.spans import OfSession, SpanId, TraceId, find_span
from inspector.service.model.otlp_values import as_text
from inspector.service.model.records import Content, SpanRecord
from inspector.service.model.rows import Moment
from inspector.service.model.times import rfc3339
from inspector.service.normalise.payload import payload
from inspector.service.normalise.view import moments_of_span
from inspector.service.storage.base import Reader
from inspector.service.wire.state import StateDifference, StatePlace, StateStep
from subscribers.content.json_patch import Changed

router = APIRouter(tags=["spans"])

_PAGE: Final = 1_000
MAX_SPANS: Final = 50_000
"""Limit of the spans of a session that are searched for states."""
MAX_MOMENTS: Final = 100_000
MAX_BYTES: Final = 64 * 1024 * 1024
"""Limit in bytes of the changes of one state."""
_BATCH_BYTES: Final = 16 * 1024 * 1024
_MAX_HERE: Final = 1_000
_MARK: Final = STATE.encode()


@router.get("/spans/{trace_id}/{span_id}/state")
def get_span_state(
    parts: ReadPartsDep,
    trace_id: TraceId,
    span_id: SpanId,
    name: Annotated[
        str | None, Query(max_length=1000, description="Name of the state; default: the last one.")
    ] = None,
    position: Annotated[
        int | None,
        Query(
            ge=0,
            le=MAX_MOMENTS,
            description="Position of the change in the session; default: the last on this span.",
        ),
    ] = None,
    session_id: OfSession = None,
) -> StateStep:
    """Return the complete captured state after one of its changes, and what changed.

    Patches are resolved to complete states, also across spans; missing links are reported.
    """
    with parts.store.read_trace(trace_id) as reader:
        record = find_span(reader, trace_id, span_id, session_id)
        states = _States(reader, record.session_id)
        here = _names_on(states, trace_id, span_id)
        wanted = name if name is not None else (here[-1] if here else None)
        moments = [moment for moment in states.all if name_of(moment) == wanted]
    places = [
        at for at, one in enumerate(moments) if (one.trace_id, one.span_id) == (trace_id, span_id)
    ]
    if position is None and places:
        position = places[-1]
    if position is None or position >= len(moments):
        raise ProblemError(
            404,
            "state_not_found",
            "No such state",
            f"Span {span_id} has no state {wanted!r} at that position. "
            "`view.state` of the span lists the captured states.",
        )
    step = step_at(moments, position)
    return _answer(step, moments, position, places, here, is_complete=states.is_complete)


class _States:
    """All changes of states in a session, by time."""

    def __init__(self, reader: Reader, session_id: str) -> None:
        self._reader, self._session_id = reader, session_id
        self.is_complete = True
        left_bytes = MAX_BYTES
        moments: dict[tuple[str, str | None, int], Moment] = {}
        for moment, size_bytes in chain(self._of_log_records(), self._of_spans()):
            key = (moment.trace_id, moment.span_id, moment.time_ns)
            if key in moments:
                continue
            left_bytes -= size_bytes
            if left_bytes < 0:
                self.is_complete = False
                break
            moments[key] = moment
        self.all = sorted(moments.values(), key=lambda moment: moment.time_ns)

    def _of_log_records(self) -> Iterator[tuple[Moment, int]]:
        after = 0
        for _ in range(MAX_MOMENTS // _PAGE):
            page = self._reader.moments_of(self._session_id, after, _PAGE)
            for record in page:
                if record.name == STATE:
                    yield record.moment(), len(record.content.payload)
            if len(page) < _PAGE:
                return
            after = page[-1].change
        self.is_complete = False

    def _of_spans(self) -> Iterator[tuple[Moment, int]]:
        pages = span_pages(self._reader, self._session_id, _PAGE)
        for page in islice(pages, MAX_SPANS // _PAGE):
            for batch in _batches(page):
                for content in self._reader.contents([one.content for one in batch]):
                    if _MARK in content.payload:
                        yield from _events(content)
        if next(pages, None):
            self.is_complete = False


def _batches(spans: list[SpanRecord]) -> Iterator[list[SpanRecord]]:
    """Split a page, so that not too much content is in memory at once."""
    batch: list[SpanRecord] = []
    size_bytes = 0
    for span in spans:
        batch.append(span)
        size_bytes += span.size_bytes
        if size_bytes > _BATCH_BYTES:
            yield batch
            batch, size_bytes = [], 0
    if batch:
        yield batch


def _events(content: Content) -> Iterator[tuple[Moment, int]]:
    for moment in moments_of_span(content.span()):
        if moment.name == STATE:
            texts = (value for value in moment.attributes.values() if isinstance(value, str))
            yield moment, sum(map(len, texts))


def _names_on(states: _States, trace_id: str, span_id: str) -> list[str]:
    """Return the names of the states of a span, in the order of their last capture."""
    names: dict[str, None] = {}
    for moment in states.all:
        if (moment.trace_id, moment.span_id) == (trace_id, span_id):
            names.pop(name_of(moment), None)
            names[name_of(moment)] = None
    return list(names)


def _answer(
    step: Step,
    moments: list[Moment],
    position: int,
    places: list[int],
    names: list[str],
    *,
    is_complete: bool,
) -> StateStep:
    def place(at: int) -> StatePlace | None:
        if not 0 <= at < len(moments):
            return None
        moment = moments[at]
        return StatePlace(
            position=at,
            trace_id=moment.trace_id or None,
            span_id=moment.span_id,
            time=rfc3339(moment.time_ns),
        )

    here = place(position)
    assert here is not None
    value = None if step.text is None else payload(step.text)
    if value is not None and step.problem is not None:
        value = value.model_copy(update={"is_truncated": True})
    return StateStep(
        name=step.name,
        names=sorted(names),
        description=as_text(step.moment.attributes.get("inspector.state.description")),
        at=here,
        position=position,
        count=len(moments),
        here=places[:_MAX_HERE],
        previous=place(position - 1),
        next=place(position + 1),
        value=value,
        problem=step.problem,
        changes=None if step.changes is None else [_difference(one) for one in step.changes],
        change_count=step.change_count,
        is_complete=is_complete,
    )


def _difference(one: Changed) -> StateDifference:
    return StateDifference(
        op=one.step,
        path=one.path,
        before=None if one.step == "add" else _json(one.before),
        after=None if one.step == "remove" else _json(one.after),
    )


def _json(value: Any) -> wire.Payload:
    return wire.Payload(text=json.dumps(value, ensure_ascii=False), is_json=True)
