"""Search the history: spans that have left the store, by the words that the history has of them.

It stands in for the index of words, and for the store where a search reads spans. As there, what is
found may be too much and is never too little: the evaluator decides.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any, NamedTuple

from inspector.errors import HistoryError
from inspector.service.history.clickhouse import ClickHouse, Stores, literal
from inspector.service.history.rows import (
    MOMENT_COLUMNS,
    SPAN_COLUMNS,
    binary,
    in_chunks,
    moment_of,
    of_traces,
    since_of,
    span_of,
)
from inspector.service.model.records import MAX_INT, Content, MomentRecord, SpanRecord
from inspector.service.query.tree import Node
from inspector.service.search.documents import VERSION
from inspector.service.search.terms import span_terms
from inspector.service.storage.base import ModelUsage, Reader, SpanPosition
from inspector.service.storage.health import HistoryProgress
from inspector.service.storage.word_reader import (
    AllTerms,
    EitherTerm,
    IndexedSpans,
    Missing,
    Phrase,
    Term,
)

_MAX_S = 5
"""Limit of one query."""
_MAX_IN_ALL_S = 10.0
"""Time after which one search asks no more: each answer may take seconds."""
_MAX_ROWS = 256
"""Limit of spans that are read together, with their content."""
_MAX_BYTES = 64 * 1024 * 1024
"""Limit of the content that one search remembers."""
_IDLE_CLIENTS = 4
_AT_ONCE = 8
"""Limit of searches at a time: what waits for another machine holds a thread that others need."""
_ROOM_S = 1.0
"""Time that as many more wait for room."""
_RETRY_S = 5.0
_MOVED = "The history is read from another server since a moment. Try again."
_CACHED = 1_024

Key = tuple[str, str]
"""Trace and span id."""


class HistoryIndex:
    """Opens searches in the history of a store.

    Args:
        stores: The store, and those that it was restored from.
        connect: Returns a client, connected.
        health: Returns how far the history is.
    """

    def __init__(
        self,
        stores: Stores,
        connect: Callable[[], ClickHouse],
        health: Callable[[], HistoryProgress],
    ) -> None:
        self._stores = stores
        self._connect = connect
        self._health = health
        self._is_current = False
        self._room = threading.BoundedSemaphore(_AT_ONCE)
        self._queue = threading.BoundedSemaphore(_AT_ONCE)
        self._failed: tuple[float, int] = -math.inf, 0
        """When a search failed, and the time since which the history was there."""
        self._idle: queue.LifoQueue[tuple[int, ClickHouse]] = queue.LifoQueue(_IDLE_CLIENTS)
        """Each with the time since which the history is there: it may be another server since."""

    @contextmanager
    def read(self) -> Iterator[HistoryWords]:
        """Open a search; one client each, which are not for several threads."""
        health = self._health()
        away, has_room = self._away(health), False
        if away is None and self._queue.acquire(blocking=False):
            has_room = self._room.acquire(timeout=_ROOM_S)
            self._queue.release()
            health = self._health()
            away = self._away(health)  # by what came of those before
        if not has_room:
            away = away or Missing("The history is busy with other searches.", None)
        lost = Missing(health.message, health.since_ns) if health.message else None
        connect = partial(self._client, health.since_ns)
        words = HistoryWords(self._stores, connect, health.here, away, lost, self._has_current)
        try:
            yield words
        finally:
            if has_room:
                self._room.release()
            if words.has_failed:
                self._failed = time.monotonic(), health.since_ns
            if words.client is not None:
                try:
                    self._idle.put_nowait((health.since_ns, words.client))
                except queue.Full:
                    words.client.close()

    def _away(self, health: HistoryProgress) -> Missing | None:
        """Return why the history is not to be asked; None: it is there."""
        if health.state != "ok" and not health.here:
            return Missing(health.message or "The history is not connected yet.", health.since_ns)
        failed_s, since_ns = self._failed
        if time.monotonic() - failed_s < _RETRY_S and since_ns == health.since_ns:
            return Missing("The history did not answer in time a moment ago.", None)
        return None

    def _has_current(self, words: HistoryWords) -> bool:
        """Return whether all words are of the present version: once they are, they stay so."""
        if not self._is_current:
            older = (
                f"SELECT 1 FROM {table} WHERE {self._stores.all} AND words_version != {VERSION}"
                " LIMIT 1"
                for table in ("span", "session")
            )
            self._is_current = all(words.rows(query) == [] for query in older)
        return self._is_current

    def _client(self, since_ns: int) -> ClickHouse:
        while True:
            try:
                of_ns, client = self._idle.get_nowait()
            except queue.Empty:
                client = self._connect()
                if self._health().since_ns == since_ns:
                    return client
                client.close()
                raise HistoryError(_MOVED, is_passing=True) from None
            if of_ns == since_ns:
                return client
            client.close()

    def close(self) -> None:
        """Close the connections."""
        while not self._idle.empty():
            self._idle.get_nowait()[1].close()


class HistoryWords:
    """What the history knows of words, for one search. Reads as `WordReader` does."""

    has_all = True
    """It has spans that the store has not."""

    def __init__(
        self,
        stores: Stores,
        connect: Callable[[], ClickHouse],
        through: int,
        away: Missing | None,
        lost: Missing | None,
        has_current: Callable[[HistoryWords], bool],
    ) -> None:
        self._is_current: Callable[[], bool] = lambda: has_current(self)
        self._connect = connect
        self._away = away
        self._lost = lost
        self._began_s = time.monotonic()
        self.client: ClickHouse | None = None
        self.stores = stores
        self.through = through
        self.missing: Missing | None = None
        self.has_failed = False
        self._sessions: dict[str, list[dict[str, Any]] | None] = {}
        """Answers, by the query."""
        self.keys: dict[int, Key] = {}
        """Spans that were found, by change."""

    def rows(self, query: str) -> list[dict[str, Any]] | None:
        """Return the rows of a query; None: the history cannot be read, as `missing` says."""
        if not self._connected():
            return None
        assert self.client is not None
        try:
            if time.monotonic() - self._began_s > _MAX_IN_ALL_S:
                raise HistoryError("The history answers too slowly.", is_passing=True)
            return self.client.rows(query, most_s=_MAX_S)
        except HistoryError as error:
            self.missing = self._away = Missing(str(error), None)
            self.has_failed = True
            self.client.close()
            self.client = None
            return None

    def _connected(self) -> bool:
        if self._away is None and self.client is None:
            try:
                self.client = self._connect()
            except HistoryError as error:
                self._away = Missing(str(error), None)
                self.has_failed = True
        self.missing = self._away or self._lost
        return self._away is None

    def spans(
        self, term: Term, before: int, most: int, is_late: Callable[[], bool]
    ) -> IndexedSpans | None:
        """Return the newest changes before `before` of spans that have `term`.

        None: the history cannot be read.
        """
        most = min(most, _MAX_ROWS)
        found = self._find(term, before, most)
        if found is None:
            return None
        changes = [int(one["change"]) for one in found]
        return IndexedSpans(changes, changes[-1] if len(changes) == most else None)

    def sessions_of_spans(
        self, term: Term, most: int, is_late: Callable[[], bool]
    ) -> dict[str, list[int]] | None:
        """Return the sessions that have a span with `term`, by id, with these spans' changes.

        None: more than `most` spans have it, or the history cannot be read.
        """
        found = self._find(term, self.through + 1, most + 1)
        if found is None or len(found) > most:
            return None
        sessions: dict[str, list[int]] = {}
        for one in found:
            sessions.setdefault(one["session"], []).append(int(one["change"]))
        return sessions

    def _find(self, term: Term, before: int, most: int) -> list[dict[str, Any]] | None:
        found = self.rows(
            "SELECT change, session, lower(hex(trace)) AS t, lower(hex(span)) AS s FROM span"
            f" WHERE {self.stores.any_span} AND change < {min(before, self.through + 1)}"
            f" AND {self.having(term)} ORDER BY change DESC LIMIT {most}"
        )
        self.keys |= {int(one["change"]): (one["t"], one["s"]) for one in found or ()}
        return found

    def having(self, term: Term) -> str:
        """Return the condition on `words` of rows that may have a term."""
        is_indexed = self._connected() and self.client is not None and self.client.has_text_index
        found = _has(term, is_indexed=is_indexed)
        # Only where there are such rows: the index of words is no help beside an alternative.
        return found if self._is_current() else f"(words_version != {VERSION} OR {found})"

    def sessions(self, term: Term, most: int) -> set[str] | None:
        """Return the ids of the sessions that have `term` themselves; None: more than `most`."""
        query = (
            f"SELECT DISTINCT id FROM session WHERE {self.stores.any_row} AND {self.having(term)}"
            f" LIMIT {most + 1}"
        )
        if query not in self._sessions:  # a search for spans lists their sessions, too
            self._sessions[query] = self.rows(query)
        found = self._sessions[query]
        return None if found is None or len(found) > most else {one["id"] for one in found}

    def source(self, reader: Reader, now_ns: int) -> HistorySpans:
        """Return the spans of the store and the history together."""
        if self._away is None and reader.evicted > self.through:
            self._away = Missing("The history lacks some of what has left the disk.", None)
        return HistorySpans(reader, self, now_ns)


class HistorySpans:
    """The spans of the store and its history; `SpanReader` of a search.

    Where the history cannot be read, those of the store, and `HistoryWords.missing` says why.
    """

    def __init__(self, reader: Reader, words: HistoryWords, now_ns: int) -> None:
        self._reader = reader
        self._words = words
        self._now_ns = now_ns
        self._contents: dict[int, Content] = {}
        self._size_bytes = 0
        self._session = lru_cache(_CACHED)(reader.session)
        self._trace = lru_cache(_CACHED)(lambda id_: next(iter(reader.traces((id_,))), None))

    def spans_among(self, node: Node, changes: Collection[int]) -> list[SpanRecord]:
        """Return the spans that have their last change in `changes`, newest first."""
        found = {one.change: one for one in self._reader.spans_among(node, changes)}
        keys = [self._words.keys[one] for one in changes if one in self._words.keys]
        left = [key for key in keys if key not in {(s.trace_id, s.span_id) for s in found.values()}]
        for start in range(0, len(left), _MAX_ROWS):
            some = left[start : start + _MAX_ROWS]
            among = ", ".join(_pair(*key) for key in some)
            traces = ", ".join(sorted({f"unhex('{trace}')" for trace, _ in some}))
            for one in self._read(f"trace IN ({traces}) AND (trace, span) IN ({among})"):
                if one.change in changes:
                    found[one.change] = one
        return sorted(found.values(), key=lambda one: one.change, reverse=True)

    def spans_of(
        self,
        session_id: str,
        after: SpanPosition | None = None,
        limit: int = 1000,
        node: Node | None = None,
    ) -> list[SpanRecord]:
        """Return a page of a session's spans that may match, in the order of `SpanPosition`."""
        here = self._reader.spans_of(session_id, after, limit, node)
        if not self._evicted(session_id):
            return here
        traces = self._reader.traces_of(session_id)
        term = None if node is None else span_terms(node, self._now_ns)
        where = of_traces(traces)
        if term is not None:
            where += f" AND {self._words.having(term)}"
        while True:
            behind = ""
            if after is not None:
                behind = (
                    f" AND (start_ns, span, trace) > ({after.start_ns}, unhex('{after.span_id}'),"
                    f" unhex('{after.trace_id}'))"
                )
            rows = self._rows(where + behind, "start_ns, span, trace", limit)
            page = sorted([*here, *self._known(rows)], key=_place)[:limit]
            if len(rows) < limit:
                return page
            # The history has more behind its last row, of which some may be in the store again.
            last = rows[-1]
            end = last["start_ns"], last["span_id"], last["trace_id"]
            if page := [one for one in page if _place(one) <= end]:
                return page
            after = SpanPosition(*end)
            here = self._reader.spans_of(session_id, after, limit, node)

    def spans(self, trace_id: str, span_ids: Collection[str] | None = None) -> list[SpanRecord]:
        """Return the known ones of the trace's spans; without `span_ids` all, by change."""
        here = self._reader.spans(trace_id, span_ids)
        if not self._evicted_trace(trace_id):
            return here
        where = f"trace = unhex('{trace_id}')"
        if span_ids is not None:
            where += f" AND span IN ({binary(span_ids)})" if span_ids else " AND 0"
        return sorted([*here, *self._read(where)], key=lambda one: one.change)

    def content(self, span: SpanRecord) -> Content:
        """Return the received content of a span."""
        if (known := self._contents.get(span.content)) is not None:
            return known
        if self._reader.spans(span.trace_id, (span.span_id,)):
            return self._reader.content(span)
        where = f"trace = unhex('{span.trace_id}') AND span = unhex('{span.span_id}')"
        list(self._read(where))
        return self._contents.get(span.content) or Content(b"", b"")

    def moments(
        self, trace_id: str | None, span_id: str | None, session_id: str | None, limit: int = 5000
    ) -> list[MomentRecord]:
        """Return the moments of exactly this span, trace (no span) or session (no trace)."""
        here = self._reader.moments(trace_id, span_id, session_id, limit)
        trace = None if trace_id is None else self._trace(trace_id)
        if trace is None or not self._evicted_trace(trace.trace_id):
            return here
        rows = self._words.rows(
            f"SELECT {MOMENT_COLUMNS} FROM moment FINAL"
            f" WHERE {self._words.stores.any_row} AND change >= {since_of(trace)}"
            f" AND trace = '{trace_id}' AND span = '{span_id or ''}'"
            f" ORDER BY time_ns, change LIMIT 1 BY time_ns, digest_hex LIMIT {limit}"
        )
        found = {(one.time_ns, one.digest): one for one in (*map(moment_of, rows or ()), *here)}
        return sorted(found.values(), key=lambda one: (one.time_ns, one.change))[:limit]

    def model_usage(self, session_ids: Sequence[str]) -> list[ModelUsage]:
        """Add up what the LLM calls of some sessions used, by model."""
        evicted = self._evicted_of(session_ids)
        here = [one for one in session_ids if one not in evicted]
        found = {one.model: one for one in self._reader.model_usage(here)}
        sums = [_ModelSum.of_row(one) for one in self._sums(evicted, _SUM_BY_MODEL, "model")]
        late = (span for id_ in evicted for span in self._reader.spans_of(id_, limit=MAX_INT))
        sums += [_ModelSum.of_span(one) for one in late if one.is_counted or one.kind == "llm"]
        by_model: dict[str | None, list[_ModelSum]] = {}
        for one in sums:
            by_model.setdefault(one.model, []).append(one)
        for model, of_model in by_model.items():
            known = found.get(model, ModelUsage(model, 0, 0, 0, 0, None, 0))
            costs = [known.cost_usd, *(one.cost_usd for one in of_model)]
            known_costs = [cost for cost in costs if cost is not None]
            found[model] = ModelUsage(
                model,
                known.session_count + len(set().union(*(one.sessions for one in of_model))),
                known.llm_calls + sum(one.llm_calls for one in of_model),
                known.input_tokens + sum(one.input_tokens for one in of_model),
                known.output_tokens + sum(one.output_tokens for one in of_model),
                sum(known_costs) if known_costs else None,
                known.uncosted_calls + sum(one.uncosted_calls for one in of_model),
            )
        return list(found.values())

    def uncosted_calls(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Count the calls that carried tokens and no cost, by session; without zeros."""
        found = self._reader.uncosted_calls(session_ids)
        uncosted = "session, countIf(is_counted AND isNaN(cost_usd)) AS calls"
        for one in self._sums(self._evicted_of(session_ids), uncosted, "session"):
            if calls := found.get(one["session"], 0) + int(one["calls"]):
                found[one["session"]] = calls
        return found

    def _evicted_of(self, session_ids: Sequence[str]) -> set[str]:
        return {one.row.id for one in self._reader.sessions(session_ids) if one.evicted}

    def _sums(self, evicted: Collection[str], columns: str, by: str) -> list[dict[str, Any]]:
        """Return sums over the spans that have left, without those that came again."""
        late = [span for id_ in evicted for span in self._reader.spans_of(id_, limit=MAX_INT)]
        sums = list[dict[str, Any]]()
        for traces in in_chunks(one for id_ in evicted for one in self._reader.traces_of(id_)):
            ids = {one.trace_id for one in traces}
            again = ", ".join(
                _pair(one.trace_id, one.span_id) for one in late if one.trace_id in ids
            )
            others = f" AND (trace, span) NOT IN ({again})" if again else ""
            sums += (
                self._words.rows(
                    f"SELECT {columns} FROM (SELECT trace, span, session, model, kind,"
                    " duplicate_of, input_tokens, output_tokens, cost_usd, is_counted FROM span"
                    f" FINAL WHERE {self._words.stores.any_span} AND {of_traces(traces)}{others}"
                    f" ORDER BY {self._words.stores.order} LIMIT 1 BY trace, span)"
                    f" WHERE is_counted OR kind = 'llm' GROUP BY {by}"
                )
                or ()
            )
        return sums

    def _evicted(self, session_id: str) -> bool:
        session = self._session(session_id)
        return session is not None and session.evicted > 0

    def _evicted_trace(self, trace_id: str) -> bool:
        trace = self._trace(trace_id)
        return (
            trace is not None and trace.session_id is not None and self._evicted(trace.session_id)
        )

    def _read(self, where: str) -> Iterator[SpanRecord]:
        """Yield spans that are in the history alone; their contents are remembered."""
        return self._known(self._rows(where, "trace, span"))

    def _rows(self, where: str, order: str, most: int | None = None) -> list[dict[str, Any]]:
        """Return rows of spans; of a span that several stores have, at one start one row."""
        stores, limit = self._words.stores, "" if most is None else f" LIMIT {most}"
        if len(stores.places) > 1:
            order += f", {stores.order} LIMIT 1 BY start_ns, trace_id, span_id"
        return (
            self._words.rows(
                f"SELECT {SPAN_COLUMNS} FROM span FINAL"
                f" WHERE {stores.any_span} AND {where} ORDER BY {order}{limit}"
            )
            or []
        )

    def _first_places(self, rows: Sequence[dict[str, Any]]) -> dict[Key, int]:
        """Return the place of the first store that has each span, however that is there."""
        stores, first = self._words.stores, dict[Key, int]()
        if len(stores.places) == 1:
            return first
        for some in in_chunks({(one["trace_id"], one["span_id"]) for one in rows}):
            traces = binary({trace_id for trace_id, _ in some})
            pairs = ", ".join(_pair(*one) for one in some)
            found = self._words.rows(
                "SELECT lower(hex(trace)) AS t, lower(hex(span)) AS s,"
                f" min({stores.order}) AS first FROM span WHERE {stores.any_span}"
                f" AND trace IN ({traces})"
                f" AND (trace, span) IN ({pairs}) GROUP BY t, s"
            )
            first |= {(one["t"], one["s"]): int(one["first"]) for one in found or ()}
        return first

    def _known(self, rows: Sequence[dict[str, Any]]) -> Iterator[SpanRecord]:
        """Yield the spans of rows that are in the history alone, each as the first store has it."""
        places, first = self._words.stores.places, self._first_places(rows)
        for row in rows:
            span, content = span_of(row)
            if places[row["store"]] > first.get((span.trace_id, span.span_id), len(places)):
                continue
            trace = self._trace(span.trace_id)
            if trace is None or trace.session_id is None or span.change < since_of(trace):
                continue
            session = self._session(trace.session_id)
            if session is None or self._reader.spans(span.trace_id, (span.span_id,)):
                continue
            span.session_id, span.epoch_ns = trace.session_id, session.row.epoch_ns
            self._remember(span, content)
            yield span

    def _remember(self, span: SpanRecord, content: Content) -> None:
        size_bytes = len(content.payload) + len(content.origin)
        self._size_bytes += size_bytes
        if self._size_bytes > _MAX_BYTES:
            self._contents.clear()
            self._size_bytes = size_bytes
        self._contents[span.content] = content


_SUM_BY_MODEL = (
    "model, groupUniqArray(session) AS sessions, countIf(kind = 'llm' AND duplicate_of = '') AS"
    " sum_llm_calls, sumIf(input_tokens, is_counted AND input_tokens >= 0) AS sum_input_tokens,"
    " sumIf(output_tokens, is_counted AND output_tokens >= 0) AS sum_output_tokens,"
    " sumIf(cost_usd, is_counted AND NOT isNaN(cost_usd)) AS sum_cost_usd,"
    " countIf(is_counted AND NOT isNaN(cost_usd)) AS sum_costed_calls,"
    " countIf(is_counted AND isNaN(cost_usd)) AS sum_uncosted_calls"
)


class _ModelSum(NamedTuple):
    """What calls of one model used, and the sessions that they are of."""

    model: str | None
    sessions: set[str]
    llm_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    uncosted_calls: int

    @classmethod
    def of_row(cls, row: dict[str, Any]) -> _ModelSum:
        """Return the sum of a row of `_SUM_BY_MODEL`."""
        return cls(
            row["model"] or None,
            set(row["sessions"]),
            int(row["sum_llm_calls"]),
            int(row["sum_input_tokens"]),
            int(row["sum_output_tokens"]),
            row["sum_cost_usd"] if int(row["sum_costed_calls"]) else None,
            int(row["sum_uncosted_calls"]),
        )

    @classmethod
    def of_span(cls, span: SpanRecord) -> _ModelSum:
        """Return the sum of one call."""
        return cls(
            span.model,
            {span.session_id},
            int(span.kind == "llm" and span.duplicate_of is None),
            (span.input_tokens or 0) if span.is_counted else 0,
            (span.output_tokens or 0) if span.is_counted else 0,
            span.cost_usd if span.is_counted else None,
            int(span.is_counted and span.cost_usd is None),
        )


def _has(term: Term, *, is_indexed: bool) -> str:
    match term:
        case Phrase(words, is_prefix) if is_indexed and not is_prefix:
            return f"hasAllTokens(words, [{', '.join(map(literal, words.split()))}])"
        case Phrase(words):
            # Texts in ASCII are not folded. A word is found within another: too much.
            found = (f"positionCaseInsensitive(words, {literal(one)}) > 0" for one in words.split())
            return f"({' AND '.join(found)})"
        case AllTerms(parts):
            return f"({' AND '.join(_has(one, is_indexed=is_indexed) for one in parts) or '1'})"
        case EitherTerm(parts):
            return f"({' OR '.join(_has(one, is_indexed=is_indexed) for one in parts) or '0'})"


def _pair(trace_id: str, span_id: str) -> str:
    return f"(unhex('{trace_id}'), unhex('{span_id}'))"


def _place(span: SpanRecord) -> tuple[int, str, str]:
    return span.start_ns, span.span_id, span.trace_id
