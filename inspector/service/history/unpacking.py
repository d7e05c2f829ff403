"""Unpack sessions of the history into a small store of their own, which every view can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from inspector.errors import HistoryError
from inspector.service.history.clickhouse import ClickHouse, Stores, literal
from inspector.service.history.rows import (
    MOMENT_COLUMNS,
    SPAN_COLUMNS,
    binary,
    in_chunks,
    moment_of,
    since_of,
    span_of,
)
from inspector.service.model.records import (
    Changes,
    Content,
    MomentRecord,
    SessionRecord,
    SpanRecord,
    TraceRecord,
)
from inspector.service.storage.base import Reader, SpanPosition
from inspector.service.storage.sqlite import SqliteStore

_PAGE = 500
_ROWS_A_COMMIT = 2_000
_BYTES_A_COMMIT = 8 * 1024 * 1024


def unpack(
    reader: Reader,
    history: ClickHouse,
    stores: Stores,
    session_ids: Sequence[str],
    path: Path,
) -> None:
    """Write sessions with all that they have to a new store; it is at `path` when it is whole.

    What is still in the writer's store is read there, the rest in the history: together they have
    everything up to the reader's head.

    Raises:
        HistoryError: The history cannot be read.
    """
    made = path.with_suffix(".part")
    made.unlink(missing_ok=True)
    try:
        with closing(SqliteStore(made)) as store:
            _Unpacking(reader, history, stores, store).copy(session_ids)
            store.seal()
        made.rename(path)
    finally:
        for left in made.parent.glob(f"{made.name}*"):
            left.unlink()


class _Unpacking:
    def __init__(
        self, reader: Reader, history: ClickHouse, stores: Stores, store: SqliteStore
    ) -> None:
        self._reader = reader
        self._history = history
        self._stores = stores
        self._store = store
        self._changes = Changes(head=reader.head)
        self._size_bytes = 0
        self._span_count = self._moment_count = 0

    def copy(self, session_ids: Sequence[str]) -> None:
        for session in self._reader.sessions(session_ids):
            traces = self._reader.traces_of(session.row.id)
            self._changes.sessions.append(session)
            self._changes.traces += (replace(trace, is_new=True) for trace in traces)
            for trace in traces:
                self._changes.requests += self._reader.requests_of_trace(trace.trace_id)
            self._copy_spans(session, traces)
            self._copy_moments(session, traces)
            for count, needed, what in (
                (self._span_count, session.evicted_spans, "spans"),
                (self._moment_count, session.evicted_moments, "moments"),
            ):
                if count < needed:
                    raise HistoryError(
                        f"The history has {count} {what} of this session, of {needed} that were"
                        " copied to it. Is it the same database?",
                        is_passing=False,
                    )
            self._span_count = self._moment_count = 0
        self._commit()

    def _copy_spans(self, session: SessionRecord, traces: Sequence[TraceRecord]) -> None:
        newest = {
            (span.trace_id, span.span_id): span.change
            for page in _pages(self._reader, session.row.id)
            for span in page
        }
        for some in in_chunks(traces):
            among = binary(trace.trace_id for trace in some)
            since = {trace.trace_id: since_of(trace) for trace in some}
            for at, mine in enumerate(self._stores.spans):
                rows = self._history.stream(
                    f"SELECT {SPAN_COLUMNS} FROM span FINAL WHERE {mine} AND trace IN ({among})"
                )
                for span, content in map(span_of, rows):
                    key = span.trace_id, span.span_id
                    known = newest.get(key, 0)
                    is_new = span.change > known if at == 0 else not known
                    if is_new and span.change >= since[span.trace_id]:
                        newest[key] = span.change
                        self._add_span(session, span, content)
        for page in _pages(self._reader, session.row.id):
            here = [one for one in page if newest[one.trace_id, one.span_id] == one.change]
            contents = self._reader.contents([one.content for one in here])
            for span, content in zip(here, contents, strict=True):
                self._add_span(session, span, content)

    def _copy_moments(self, session: SessionRecord, traces: Sequence[TraceRecord]) -> None:
        seen = set[object]()
        after, is_last = 0, False
        while not is_last:
            page = self._reader.moments_of(session.row.id, after, _PAGE)
            is_last = len(page) < _PAGE
            for moment in page:
                after = moment.change
                seen.add(_key(moment))
                self._add_moment(moment)
        alone = f"trace = '' AND session = {literal(session.row.id)}"
        (gone,) = self._history.rows(
            "SELECT max(change) AS newest FROM departure"
            f" WHERE {self._stores.any_row} AND is_whole = 1"
            f" AND session = {literal(session.row.id)}"
        )
        wheres = [(f"{alone} AND change > {gone['newest']}", dict[str, int]())]
        for some in in_chunks(traces):
            among = ", ".join(literal(trace.trace_id) for trace in some)
            wheres.append((f"trace IN ({among})", {one.trace_id: since_of(one) for one in some}))
        for where, since in wheres:
            rows = self._history.stream(
                f"SELECT {MOMENT_COLUMNS} FROM moment FINAL"
                f" WHERE {self._stores.any_row} AND {where}"
            )
            for moment in map(moment_of, rows):
                is_gone = moment.change < since.get(moment.trace_id or "", 0)
                if not is_gone and (key := _key(moment)) not in seen:
                    seen.add(key)
                    self._add_moment(moment)

    def _add_span(self, session: SessionRecord, span: SpanRecord, content: Content) -> None:
        span.session_id, span.epoch_ns = session.row.id, session.row.epoch_ns
        self._changes.spans.append(span)
        self._changes.contents[span.content] = content
        self._span_count += 1
        self._added(content)

    def _add_moment(self, moment: MomentRecord) -> None:
        self._changes.moments.append(moment)
        self._moment_count += 1
        self._added(moment.content)

    def _added(self, content: Content) -> None:
        self._size_bytes += len(content.payload)
        count = len(self._changes.spans) + len(self._changes.moments)
        if count >= _ROWS_A_COMMIT or self._size_bytes >= _BYTES_A_COMMIT:
            self._commit()

    def _commit(self) -> None:
        self._store.commit(self._changes)
        self._changes, self._size_bytes = Changes(head=self._changes.head), 0


def _pages(reader: Reader, session_id: str) -> Iterator[list[SpanRecord]]:
    after: SpanPosition | None = None
    while page := reader.spans_of(session_id, after, _PAGE):
        yield page
        last = page[-1]
        after = SpanPosition(last.start_ns, last.span_id, last.trace_id)


def _key(moment: MomentRecord) -> object:
    return moment.trace_id, moment.span_id, moment.time_ns, moment.digest
