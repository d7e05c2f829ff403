"""Pages of spans that SQLite makes by itself are those that Python makes of the same spans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.model.records import (
    MAX_INT,
    Changes,
    Content,
    SessionRecord,
    SpanRecord,
    TraceRecord,
)
from inspector.service.model.rows import Engine, SessionRow, SessionStatus, SpanKind, SpanStatus
from inspector.service.storage import Store, open_store
from inspector.service.storage.base import Reader, SpanPosition
from tests.support.models.store import ModelStore
from tests.support.telemetry.records import span_hex, trace_hex

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_TIMES = st.integers(0, 5) | st.integers(0, MAX_INT)
_COUNTS = st.none() | st.integers(0, 10**12)


@st.composite
def _spans(draw: st.DrawFn) -> list[SpanRecord]:
    epoch_ns = draw(_TIMES)
    keys = draw(st.lists(st.tuples(st.integers(1, 2), st.integers(1, 9)), max_size=7, unique=True))
    return [
        SpanRecord(
            trace_id=trace_hex(trace),
            span_id=span_hex(number),
            session_id="S",
            epoch_ns=epoch_ns,
            parent_span_id=draw(st.none() | st.integers(1, 9).map(span_hex)),
            name=draw(_TEXTS),
            kind=draw(st.sampled_from(SpanKind)),
            status=draw(st.sampled_from(SpanStatus)),
            start_ns=draw(_TIMES),
            end_ns=draw(st.none() | _TIMES),
            is_root=False,
            process_id="p",
            model=draw(st.none() | _TEXTS),
            input_tokens=draw(_COUNTS),
            output_tokens=draw(_COUNTS),
            cost_usd=draw(st.none() | st.floats(0, 1e6)),
            wait_ns=draw(st.integers(0, 9)),
            waits=draw(st.integers(0, 9)),
            waited=tuple(draw(st.lists(st.tuples(_TIMES, st.none() | _TIMES), max_size=3))),
            size_bytes=draw(st.integers(0, 10**9)),
            duplicate_of=draw(st.none() | st.integers(1, 9).map(span_hex)),
            subject=draw(st.none() | _TEXTS),
            service=draw(st.none() | _TEXTS),
            change=place,
            content=place,
        )
        for place, (trace, number) in enumerate(keys, start=2)
    ]


def _commit(store: Store, spans: list[SpanRecord]) -> None:
    epoch_ns = spans[0].epoch_ns if spans else 0
    row = SessionRow("S", "", SessionStatus.COMPLETED, Engine.OTLP, epoch_ns, 0, None)
    session = SessionRecord(row, b"{}", 1, 1, 1)
    traces = [TraceRecord(trace_hex(number), "S", b"{}") for number in (1, 2)]
    changes = Changes(1, len(spans) + 1, sessions=[session], traces=traces, spans=spans)
    contents = {span.content: Content(bytes([span.content]), b"origin") for span in spans}
    changes.contents.update(contents)
    store.commit(changes)


_Page = tuple[Any, SpanPosition | None]
_Read = Callable[[Reader, SpanPosition | None, int], _Page]


def _rows(reader: Reader, after: SpanPosition | None, limit: int) -> _Page:
    page = reader.span_lines("S", after, limit, is_columns=False)
    return orjson.loads(page.json), page.next


def _columns(reader: Reader, after: SpanPosition | None, limit: int) -> _Page:
    page = reader.span_lines("S", after, limit, is_columns=True)
    return orjson.loads(page.json), page.next


def _contents(reader: Reader, after: SpanPosition | None, limit: int) -> _Page:
    page = reader.contents_of("S", after, limit)
    return page.rows, page.next


def _pages(store: Store, read: _Read, limit: int) -> list[_Page]:
    pages: list[_Page] = []
    while not pages or pages[-1][1] is not None:
        with store.read() as reader:
            pages.append(read(reader, pages[-1][1] if pages else None, limit))
    return pages


@pytest.mark.slow
@pytest.mark.parametrize("read", [_rows, _columns, _contents])
@given(spans=_spans(), limit=st.integers(1, 8))
def test_pages_are_those_of_the_model(read: _Read, spans: list[SpanRecord], limit: int) -> None:
    store, model = open_store("memory:"), ModelStore()
    for one in (store, model):
        _commit(one, spans)
    assert _pages(store, read, limit) == _pages(model, read, limit)
    store.close()


@pytest.mark.slow
@given(spans=_spans(), most=st.integers(1, 8))
def test_columns_are_those_of_the_model(spans: list[SpanRecord], most: int) -> None:
    store, model = open_store("memory:"), ModelStore()
    unique = list({span.span_id: span for span in spans}.values())
    found = []
    for one in (store, model):
        _commit(one, unique)
        with one.read() as reader:
            found.append(reader.span_columns("S", most))
    assert found[0] == found[1]
    store.close()
