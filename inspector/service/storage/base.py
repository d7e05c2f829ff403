"""The protocol of a store, and its values: followed by SQLite's, and by the model in the tests.

One writer hands over whole commits (`Changes`); any number of readers look at snapshots
(`Reader`). Rules live above: a store applies commits, in order and all or nothing.
`tests/contracts/test_store.py`, not prose, defines the behaviour.

Every row carries `change`, its place in the change feed: numbers grow by commit, are never
reused, and only a row's newest version keeps one. Times are Unix nanoseconds below 2^63.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from inspector.errors import EvictedError, InspectorError
from inspector.service.model.records import (
    MAX_INT,
    Change,
    Changes,
    Content,
    MomentRecord,
    RequestRecord,
    SessionRecord,
    SpanRecord,
    StoredChange,
    TraceRecord,
    Waiting,
)
from inspector.service.model.rows import (
    AuditRow,
    CommandRow,
    ProcessRow,
    RequestStatus,
    RequestSubject,
    SessionStatus,
    SpanKind,
    SpanStatus,
)
from inspector.service.model.waits import Interval
from inspector.service.query.tree import Node
from inspector.service.storage.orders import Order, SortPosition


class TooLateError(InspectorError):
    """The time was up before something was read."""

    code = "too_late"


class SpanTime(NamedTuple):
    """The reported time of a span."""

    trace_id: str
    span_id: str
    start_ns: int
    end_ns: int | None
    status: SpanStatus


def time_of(span: SpanRecord) -> SpanTime:
    """Return the time of a span."""
    return SpanTime(span.trace_id, span.span_id, span.start_ns, span.end_ns, span.status)


class SessionColumns(NamedTuple):
    """What statistics need of a session's spans, by start, then by span id: a list for each field.

    A session may have 200 000 spans: of so many objects, the collector looks at each. Ids are
    bytes: texts of them take as long as all the rest.
    """

    trace_id: list[bytes]
    span_id: list[bytes]
    parent_span_id: list[bytes]
    """Empty: it has none."""
    name: list[str]
    kind: list[str]
    is_error: list[bool]
    start_ns: list[int]
    duration_ns: list[int | None]
    wait_ns: list[int]
    waited: list[tuple[Interval, ...]]
    """Empty: it did not wait, or nobody knows when."""
    model: list[str | None]
    input_tokens: list[int | None]
    output_tokens: list[int | None]
    cost_usd: list[float | None]
    size_bytes: list[int]
    duplicate_of: list[str | None]
    subject: list[str | None]
    content: list[int]
    """Change that brought its content."""


T = TypeVar("T")
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Chunk(Generic[T, P]):
    """A stretch of a list that was read."""

    rows: list[T]
    """The rows; of a search, those that may match."""
    next: P | None
    """The place of the last one that was looked at; None: there are no more."""


@dataclass(frozen=True, slots=True)
class SpanPosition:
    """The end of a page of spans: rows go by start, then span id, then trace id."""

    start_ns: int
    span_id: str
    trace_id: str


@dataclass(frozen=True, slots=True)
class SpanLines:
    """A page of a session's spans, as JSON of the fields of `SpanRow` but its session."""

    json: bytes
    """An array of objects; as columns, an object of arrays."""
    next: SpanPosition | None
    """The place of the last one; None: there are no more."""


SUBJECT_CHARS = 300
"""Limit of a prompt in `request_subjects`."""
MAX_REQUESTS_BYTES = 8 * 1024 * 1024
"""Limit of arguments and texts in one page of requests."""


def page_of(sizes_bytes: Iterable[int], most: int) -> int:
    """Return the number of these requests that fit on a page: the first always does."""
    count, left_bytes = 0, MAX_REQUESTS_BYTES
    for size_bytes in sizes_bytes:
        left_bytes -= size_bytes
        if count == most or (count and left_bytes < 0):
            break
        count += 1
    return count


class ModelUsage(NamedTuple):
    """What calls of one model used; the model is None where they name none."""

    model: str | None
    session_count: int
    llm_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    uncosted_calls: int
    """Calls that carried tokens and no cost."""


class CauseCount(NamedTuple):
    """Number and time of the sessions with causes that are alike."""

    key: str
    session_count: int
    failed_count: int
    """The others recovered, were cancelled or lost."""
    first_ns: int
    last_ns: int


class CauseCounts(NamedTuple):
    """Groups of causes, the most frequent first."""

    groups: list[CauseCount]
    group_count: int
    """Number of all groups."""
    session_count: int
    """Number of sessions in all groups."""
    counted_from_ns: int | None = None
    """Sessions before this are not counted. None: all are."""


class SpanReader(Protocol):
    """Where a search reads spans: a store's snapshot, or that and a history together."""

    def spans_among(self, node: Node, changes: Collection[int]) -> list[SpanRecord]:
        """Return the spans that may match and have their last change in `changes`, newest first."""

    def spans_of(
        self,
        session_id: str,
        after: SpanPosition | None = None,
        limit: int = 1000,
        node: Node | None = None,
    ) -> list[SpanRecord]:
        """Return a page of a session's spans, in the order of `SpanPosition`.

        With `node`, all that fit it are among them, and any others.
        """

    def spans(self, trace_id: str, span_ids: Collection[str] | None = None) -> list[SpanRecord]:
        """Return the known ones of the trace's spans; without `span_ids` all, by change."""

    def content(self, span: SpanRecord) -> Content:
        """Return the received content of a span."""

    def moments(
        self, trace_id: str | None, span_id: str | None, session_id: str | None, limit: int = 5000
    ) -> list[MomentRecord]:
        """Return the moments of exactly this span, trace (no span) or session (no trace)."""

    def model_usage(self, session_ids: Sequence[str]) -> list[ModelUsage]:
        """Add up what the LLM calls of some sessions used, by model."""

    def uncosted_calls(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Count the calls that carried tokens and no cost, by session; without zeros."""


class Reader(SpanReader, Protocol):
    """One consistent snapshot. Unknown ids give None or nothing, never an error."""

    head: int
    """The newest change it shows."""
    evicted: int
    """The newest change of which content may be in the history alone."""

    def until(self, is_late: Callable[[], bool]) -> AbstractContextManager[None]:
        """Let a long read in its block end with `TooLateError` when `is_late` says so."""

    def newest_sessions(
        self, node: Node, after: tuple[int, str] | None, most: int
    ) -> Chunk[SessionRecord, tuple[int, str]]:
        """Read the next `most` sessions, newest start first, after (started_ns, id).

        All that match `node` are returned, and possibly others: the caller checks.
        """

    def newest_spans(self, node: Node, before: int | None, most: int) -> Chunk[SpanRecord, int]:
        """Read the next `most` spans, last changed first, before a change; likewise."""

    def sessions_among(
        self, node: Node, session_ids: Collection[str], after: tuple[int, str] | None, most: int
    ) -> Chunk[SessionRecord, tuple[int, str]]:
        """Read the next `most` of the known sessions, as `newest_sessions` does."""

    def session_places(
        self,
        node: Node,
        order: Order,
        after: SortPosition | None,
        most: int,
        among: Collection[str] | None = None,
    ) -> list[SortPosition]:
        """Return the next `most` places of an order, after a place; of some sessions only.

        Those of all that fit `node` are among them, and any others.
        """

    def session_statuses(
        self, node: Node, first_ns: int, beyond_ns: int
    ) -> Counter[SessionStatus] | None:
        """Count the sessions of a time that match `node`, by status.

        None: they have to be looked at, to know.
        """

    def session_count(
        self, node: Node, after: tuple[int, str] | None, most: int
    ) -> tuple[int, tuple[int, str] | None] | None:
        """Count those of the next `most` sessions that match `node`; order as `newest_sessions`.

        Returns:
            Their number, and the place of the last one; None in place of that: there are no more.
            None: they have to be looked at, to know.
        """

    def cause_counts(
        self, node: Node, since_ns: int, until_ns: int, most: int
    ) -> CauseCounts | None:
        """Count the sessions of a time that match `node`, by the key of their cause.

        None: they have to be looked at, to know.
        """

    def cause_starts(
        self, node: Node, keys: Sequence[str], first_ns: int, width_ns: int, count: int
    ) -> Counter[tuple[str, int]]:
        """Count the sessions that `cause_counts` counts, by key and stretch of time."""

    def session_of_cause(self, key: str, started_ns: int) -> SessionRecord | None:
        """Return a session with a cause of this key that began at a time."""

    def last_good_session(self, title: str) -> str | None:
        """Return the id of the newest completed session of a title without an error."""

    def sessions_changed(self, after: int, most: int) -> set[str] | None:
        """Return the ids of the sessions that changed, or had a span change, after a change.

        None: more than `most` rows changed.
        """

    def session(self, session_id: str) -> SessionRecord | None:
        """Return one session."""

    def sessions(self, session_ids: Collection[str]) -> list[SessionRecord]:
        """Return the known ones of the sessions."""

    def is_any_evicted(self, session_ids: Collection[str]) -> bool:
        """Return whether the content of any of the sessions is in the history."""

    def destination(self, session_id: str) -> str | None:
        """Return the session that a merged session is part of now."""

    def unsettled(self) -> list[SessionRecord]:
        """Return the sessions that wait, are paused or run, by id."""

    def traces(self, trace_ids: Collection[str]) -> list[TraceRecord]:
        """Return the known ones of the traces."""

    def traces_of(self, session_id: str) -> list[TraceRecord]:
        """Return the traces of a session, by id."""

    def usage_ancestors(self, trace_id: str) -> set[str]:
        """Return the ids of a trace's spans with usage in a descendant."""

    def span_lines(
        self, session_id: str, after: SpanPosition | None, limit: int, *, is_columns: bool
    ) -> SpanLines:
        """Return the lines of the same page of spans as `spans_of`."""

    def span_times(self, session_id: str) -> list[SpanTime]:
        """Return the time of each of a session's spans, in the order of `SpanPosition`."""

    def span_columns(self, session_id: str, most: int) -> SessionColumns:
        """Return the columns of the first spans of a session."""

    def open_spans(self, process_id: str) -> list[SpanRecord]:
        """Return the process's spans without an end, running and lost, by change."""

    def calls_before(
        self, session_id: str, before: SpanPosition | None, kinds: Collection[SpanKind], most: int
    ) -> list[SpanRecord]:
        """Return the calls of some kinds right before a position, the last first; None: the end.

        They are looked for among the last thousand spans before it. Duplicates are left out.
        """

    def failed_spans(self, session_id: str, most: int) -> list[SpanRecord]:
        """Return the failed spans of a session that ended first, without duplicates."""

    def last_spans(
        self, session_id: str, kinds: Collection[SpanKind], most: int
    ) -> list[SpanRecord]:
        """Return the spans of some kinds that started last, the last first, without duplicates.

        They are looked for among the last thousand spans of the session.
        """

    def open_processes(self) -> set[str]:
        """Return the processes that have running spans."""

    def contents(self, numbers: Sequence[int]) -> list[Content]:
        """Return received contents by the change that brought each, in the order of `numbers`."""

    def contents_of(
        self, session_id: str, after: SpanPosition | None, limit: int
    ) -> Chunk[Content, SpanPosition]:
        """Return the received content of the same page of spans as `spans_of`."""

    def has_moment(self, moment: MomentRecord) -> bool:
        """Return whether the same record of the same span, trace or session is stored."""

    def moments_of(self, session_id: str, after: int = 0, limit: int = 1000) -> list[MomentRecord]:
        """Return a page of all moments of a session, by change number."""

    def last_change(self, session_id: str) -> int:
        """Return the newest change of a session, its spans and its moments; 0: it is unknown."""

    def oldest_here(self, most: int) -> list[SessionRecord]:
        """Return the settled sessions with content here, the least recently changed first."""

    def newest_departures(self, through: int, most: int) -> list[int]:
        """Return the change numbers of the newest departures up to `through`, these first."""

    def oldest_settled(self, most: int) -> list[SessionRecord]:
        """Return the sessions in which nothing runs, the least recently changed first."""

    def payload_bytes(self, session_id: str, most: int) -> int:
        """Return the size of the received content of up to `most` of a session's spans."""

    def used_bytes(self) -> int:
        """Return the size of the stored data, without free space."""

    def changes(self, after: int, limit: int, most_bytes: int = MAX_INT) -> list[Change]:
        """Return the oldest `limit` changes newer than `after`, by number, newest versions only.

        They end with the moment by which moments have `most_bytes` of content.
        """

    def stored_changes(self, after: int, limit: int, most_bytes: int) -> list[StoredChange]:
        """Return `changes`, the spans as they are stored."""

    # --- control ----------------------------------------------------------------------------

    def request(self, request_id: str) -> RequestRecord | None:
        """Return one request."""

    def requests(
        self,
        status: RequestStatus | None = None,
        session_id: str | None = None,
        after: tuple[int, str] | None = None,
        most: int = 100,
    ) -> Chunk[RequestRecord, tuple[int, str]]:
        """Return the next `most` requests, newest first, after (created_ns, id).

        Fewer where their texts are more than `MAX_REQUESTS_BYTES`.
        """

    def request_subjects(self, request_ids: Collection[str]) -> dict[str, RequestSubject]:
        """Return what the known ones of the requests are about, by id."""

    def requests_of_trace(self, trace_id: str) -> list[RequestRecord]:
        """Return the requests of a trace, oldest first."""

    def waiting_requests(self) -> list[Waiting]:
        """Return the rules' view of the requests that are not over, oldest first.

        Those are the pending ones, and those whose answer no agent has acknowledged.
        """

    def pending_count(self) -> int:
        """Return the number of pending requests."""

    def command(self, seq: int) -> CommandRow | None:
        """Return a command that has not ended."""

    def commands(self, process_id: str, after: int, most: int) -> list[CommandRow]:
        """Return the oldest `most` commands of a process that have not ended, after a `seq`."""

    def command_count(self, process_id: str) -> int:
        """Return the number of a process's commands that have not ended."""

    def process(self, process_id: str) -> ProcessRow | None:
        """Return a process that follows its commands."""

    def processes(self) -> list[ProcessRow]:
        """Return the processes that follow their commands, by id."""

    def audit(self, before: int | None, most: int) -> list[AuditRow]:
        """Return the newest `most` audit entries from before an id, newest first."""

    def audit_after(self, after: int, most: int) -> list[AuditRow]:
        """Return the oldest `most` audit entries after an id, oldest first."""


class ReadableStore(Protocol):
    """A store that any thread can read."""

    id: str
    """Names this store for ever: positions of another store mean nothing here."""
    former: Mapping[str, int]
    """The stores that it was restored from: id → the newest change of the backup."""

    def read(self) -> AbstractContextManager[Reader]:
        """Open a snapshot of what is committed now, unchanged by later commits.

        Keep it short: a store in memory commits nothing until it is closed.
        """

    def read_whole(self, *session_ids: str) -> AbstractContextManager[Reader]:
        """Open a snapshot with these sessions and all their content, wherever that is.

        Of everything else it may have nothing.

        Raises:
            EvictedError: The content is in a history, and this store has none.
            HistoryError: The history cannot be read now.
        """

    def read_trace(self, trace_id: str) -> AbstractContextManager[Reader]:
        """Open a snapshot with the session of a trace, likewise."""

    def close(self) -> None:
        """Release everything. Idempotent."""


class SingleStore:
    """How sessions are read from a store; where there is a history, otherwise."""

    def read(self) -> AbstractContextManager[Reader]:
        """Open a snapshot."""
        raise NotImplementedError

    @contextmanager
    def read_whole(self, *session_ids: str) -> Iterator[Reader]:
        """Open a snapshot with all content of sessions, which must be here."""
        with self.read() as reader:
            if reader.is_any_evicted(session_ids):
                raise EvictedError(
                    "The content of this session is in the history. Start the service with "
                    "INSPECTOR_HISTORY to read it."
                )
            yield reader

    @contextmanager
    def read_trace(self, trace_id: str) -> Iterator[Reader]:
        """Open a snapshot with all content of the session of a trace."""
        with self.read() as reader:
            found = [one.session_id for one in reader.traces((trace_id,)) if one.session_id]
        with self.read_whole(*found) as whole:
            yield whole


class Store(ReadableStore, Protocol):
    """A store. One writer at a time; readers from any thread."""

    def commit(self, changes: Changes) -> None:
        """Apply `changes`; durable on return.

        Raises:
            StoreUnavailableError: Nothing was applied: disk full, read-only, locked or gone.
        """

    def sweep(self) -> bool:
        """Delete some of the content that nobody reads here; return whether there was any.

        That of deleted sessions is unseen from their commit on, however much of it is left. That
        of evicted ones goes up to the change of their eviction.

        Raises:
            StoreUnavailableError: The store cannot be written.
        """

    def evict(self, changes: Mapping[str, int]) -> None:
        """Let the content of known sessions go, of each what is not newer than a change.

        From now on it is read from the history, which has it. Their rows and states stay, and
        those of their traces. Viewers learn nothing of it.

        Raises:
            StoreUnavailableError: The store cannot be written.
        """

    def erase(self) -> bool:
        """Remove data that requests and commands no longer show from the journal, too.

        Returns:
            False: a reader still sees it, and this has to be tried again.

        Raises:
            StoreUnavailableError: The store cannot be written.
        """

    def forget_departures(self, through: int, before_ns: int, most: int) -> bool:
        """Forget up to this many departures that lead nowhere; return whether there may be more.

        Those up to change `through`, and from before `before_ns`: readers that were away for
        longer have to read the lists again.

        Raises:
            StoreUnavailableError: The store cannot be written.
        """

    def probe(self, room_bytes: int = 0) -> None:
        """Check that commits can be made, with an empty one.

        Opens the file again where that may help. With less than `room_bytes` free it is full.

        Raises:
            StoreUnavailableError: They cannot: disk full, read-only, locked or gone.
        """
