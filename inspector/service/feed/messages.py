"""Turn changed rows into the messages of the viewers' stream. Pure.

The same row is a start to one viewer and an update to another: it depends on what the viewer has
seen. Each is encoded on first use, then shared by all viewers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import Any, TypeAlias, get_args

import orjson
from pydantic import BaseModel

from inspector.service import wire
from inspector.service.model.records import (
    Change,
    MomentRecord,
    RequestRecord,
    SessionRecord,
    SpanRecord,
    Tombstone,
)
from inspector.service.model.rows import RequestStatus, SpanKind, SpanStatus
from inspector.service.model.times import rfc3339
from inspector.service.present import rows as presenter
from inspector.service.sessions import live
from inspector.service.sessions.state import SETTLED
from inspector.service.wire import control as wire_control

SESSION = "session"
"""Begins the key of an entry that is a session."""
_MOMENTS: dict[str, type[wire.MomentMessage]] = {
    live.SESSION_PAUSED: wire_control.WaitingOnSignal,
    live.SESSION_RESUMED: wire_control.SignalReceived,
    "inspector.decision": wire.DecisionMade,
    "inspector.progress": wire.ProgressUpdate,
}
_ENDED_BESIDE: dict[SpanKind, type[wire.ResourceFetched | wire.PromptUsed]] = {
    SpanKind.RESOURCE: wire.ResourceFetched,
    SpanKind.PROMPT: wire.PromptUsed,
}


_SessionMessage: TypeAlias = wire.SessionStarted | wire.SessionUpdated | wire.SessionFinished
_SpanMessage: TypeAlias = (
    wire.SpanStarted | wire.SpanUpdated | wire.SpanEnded | wire.ResourceFetched | wire.PromptUsed
)
_Types: TypeAlias = tuple[type[_SessionMessage | _SpanMessage], ...]


_DEFAULTS: dict[type[_SessionMessage | _SpanMessage], dict[str, Any]] = {
    message: {
        name: field.default
        for name, field in message.model_fields.items()
        if not field.is_required() and name != "fits"
    }
    for message in (*get_args(_SessionMessage), *get_args(_SpanMessage))
}
"""The constant fields of each message: its `type`, and defaults that may not be left out."""
_CHANGED: _Types = (wire.SessionUpdated,)
_CAME: _Types = (wire.SessionStarted,)
_SETTLED: _Types = (wire.SessionFinished,)
_CAME_AND_SETTLED: _Types = (*_CAME, *_SETTLED)


class FeedEntry(ABC):
    """A change, as the stream shows it.

    Attributes:
        change: Its number.
        key: A later entry of the same key replaces this one.
        only_for: The session whose viewers get it; None: all do.
        may_wait: Whether it is a session that neither came nor settled.
        session: The session whose row is in it, if any.
    """

    session: SessionRecord | None = None
    _is_unfit = False

    def __init__(self, change: int, *key: str, only_for: str | None = None) -> None:
        self.change = change
        self.key = key
        self.only_for = only_for
        self.may_wait = False
        self._messages: dict[_Types, Sequence[bytes]] = {}
        self._events: dict[tuple[_Types, str | None], bytes] = {}

    @cached_property
    def fits(self) -> dict[str, bool]:
        """Whether its session fits queries, by their text, as far as it is known."""
        return {}

    @property
    def is_new(self) -> bool:
        """Whether its session came with this change."""
        return self.session is not None and self.session.created == self.change

    @cached_property
    def unfit(self) -> FeedEntry:
        """This entry for viewers whose query its session does not fit."""
        other = copy(self)
        other._is_unfit = True
        other._messages, other._events = {}, {}
        return other

    @property
    def _fitness(self) -> dict[str, Any]:
        return {"fits": False} if self._is_unfit else {}

    def events(self, cursor: int, store_id: str | None) -> bytes:
        """Return the server-sent events for a viewer that has seen all up to `cursor`.

        With `store_id` the last of them has an id: a viewer that is cut off before it gets the
        change again.
        """
        case = (self._types(cursor), store_id)
        if case not in self._events:
            *before, last = self.messages(cursor)
            position = None if store_id is None else f"{store_id}.{self.change}"
            self._events[case] = b"".join([*map(event, before), event(last, position)])
        return self._events[case]

    def messages(self, cursor: int) -> Sequence[bytes]:
        """Return the JSON of the messages for a viewer that has seen all up to `cursor`."""
        types = self._types(cursor)
        if types not in self._messages:
            self._messages[types] = self._encode(types)
        return self._messages[types]

    def _types(self, cursor: int) -> _Types:
        """Return the types of the messages, where they depend on what was seen."""
        return ()

    @abstractmethod
    def _encode(self, types: _Types) -> Sequence[bytes]:
        """Return the JSON of the messages."""


def event(data: bytes, position: str | None = None) -> bytes:
    """Return one server-sent event; JSON has no line breaks of its own."""
    if position is None:
        return b"data: %b\n\n" % data
    return b"id: %b\ndata: %b\n\n" % (position.encode(), data)


def entries_of(
    changes: Sequence[Change], session_of: Callable[[str], SessionRecord | None]
) -> list[FeedEntry]:
    """Return the feed entries of `changes`, by number.

    `session_of` finds the present version of the session that another one was merged into, and of
    one that a request belongs to.
    """
    entries: list[FeedEntry] = []
    for row in changes:
        match row:
            case SessionRecord():
                entries.append(_SessionEntry(row))
            case SpanRecord():
                entries.append(_SpanEntry(row))
            case Tombstone():
                target = session_of(row.moved_to) if row.moved_to else None
                entries.append(_TombstoneEntry(row, target))
            case RequestRecord():
                session = session_of(row.row.session_id)
                entries.append(_RequestEntry(row, session.row.title if session else ""))
            case MomentRecord():
                if row.name in _MOMENTS and row.session_id is not None:
                    entries.append(_MomentEntry(row, row.session_id))
    return entries


def _message(
    message: type[_SessionMessage | _SpanMessage],
    time_ns: int,
    session_id: str,
    shown: dict[str, Any],
) -> bytes:
    """Return `message` as JSON, without validation: there may be thousands a second."""
    head = {**_DEFAULTS[message], "time": rfc3339(time_ns), "session_id": session_id}
    return orjson.dumps({**head, **shown})


class _SessionEntry(FeedEntry):
    def __init__(self, record: SessionRecord) -> None:
        super().__init__(record.change, SESSION, record.row.id)
        self.may_wait = max(record.created, record.settled) < record.change
        self.session = self._record = record

    def _types(self, cursor: int) -> _Types:
        record = self._record
        is_over = record.row.status in SETTLED and record.settled > cursor
        if record.created > cursor:
            return _CAME_AND_SETTLED if is_over else _CAME
        return _SETTLED if is_over else _CHANGED

    def _encode(self, types: _Types) -> Sequence[bytes]:
        row, changed_ns = self._record.row, self._record.changed_ns
        shown = {"session": presenter.session_fields(self._record), **self._fitness}
        return [_message(type_, changed_ns, row.id, shown) for type_ in types]


def span_key(record: SpanRecord) -> tuple[str, ...]:
    """Return the key of a span's entry."""
    return ("span", record.trace_id, record.span_id)


class _SpanEntry(FeedEntry):
    def __init__(self, record: SpanRecord) -> None:
        super().__init__(record.change, *span_key(record), only_for=record.session_id)
        self._record = record

    def _types(self, cursor: int) -> _Types:
        record = self._record
        if record.settled > cursor:
            beside = _ENDED_BESIDE.get(record.kind)
            return (beside, wire.SpanEnded) if beside else (wire.SpanEnded,)
        is_new = record.created > cursor and record.status is SpanStatus.RUNNING
        return (wire.SpanStarted,) if is_new else (wire.SpanUpdated,)

    def _encode(self, types: _Types) -> Sequence[bytes]:
        record = self._record
        shown = {"span": presenter.span_fields(record)}
        return [_message(type_, record.changed_ns, record.session_id, shown) for type_ in types]


class _MomentEntry(FeedEntry):
    def __init__(self, record: MomentRecord, session_id: str) -> None:
        only_for = None if record.name in live.PAUSES else session_id
        super().__init__(record.change, "moment", str(record.change), only_for=only_for)
        self._record = record
        self._session_id = session_id

    def _encode(self, types: _Types) -> Sequence[bytes]:
        moment = self._record.moment()
        message = _MOMENTS[moment.name](
            time=rfc3339(self._record.changed_ns),
            session_id=self._session_id,
            trace_id=moment.trace_id,
            span_id=moment.span_id,
            name=moment.name,
            attributes=dict(moment.attributes),
        )
        return [_dumped(message)]


class _RequestEntry(FeedEntry):
    def __init__(self, record: RequestRecord, session_title: str) -> None:
        super().__init__(record.change, "request", record.row.id)
        self._record = record
        self._session_title = session_title

    def _encode(self, types: _Types) -> Sequence[bytes]:
        row = self._record.row
        is_pending = row.status is RequestStatus.PENDING
        head: dict[str, Any] = {
            "time": rfc3339(self._record.changed_ns),
            "session_id": row.session_id,
            "request": presenter.request(row, self._session_title),
        }
        if row.kind == "question":
            signal: dict[str, Any] = {}
            if row.signal_name:
                signal["inspector.session.signal"] = row.signal_name
            answered = wire_control.SignalReceived
            question = (wire_control.WaitingOnSignal if is_pending else answered)(
                **head,
                trace_id=row.trace_id or "",
                span_id=row.span_id,
                name="inspector.request",
                attributes=signal,
            )
            return [_dumped(question)]
        resolved = wire_control.ApprovalResolved
        return [_dumped((wire_control.ApprovalRequested if is_pending else resolved)(**head))]


class _TombstoneEntry(FeedEntry):
    def __init__(self, tombstone: Tombstone, target: SessionRecord | None) -> None:
        super().__init__(tombstone.change, "tombstone", str(tombstone.change))
        self._tombstone = tombstone
        self.session = self._target = target

    def _encode(self, types: _Types) -> Sequence[bytes]:
        gone, time = self._tombstone, rfc3339(self._tombstone.changed_ns)
        messages: list[BaseModel] = []
        if self._target is not None:
            moved = wire.SessionUpdated(
                time=time,
                session_id=self._target.row.id,
                session=presenter.session(self._target),
                moved_from=gone.session_id,
                moved_change=gone.change,
                **self._fitness,
            )
            messages.append(moved)
        if gone.is_whole:
            deleted = wire.SessionDeleted(
                time=time,
                session_id=gone.session_id,
                moved_to=gone.moved_to,
                change=gone.change,
            )
            messages.append(deleted)
        elif self._target is None:
            # A trace moved to a session that is deleted by now: only by reading again does a
            # viewer learn which spans are gone.
            messages.append(wire.Gap(time=time))
        return [_dumped(message) for message in messages]


def _dumped(message: BaseModel) -> bytes:
    return message.model_dump_json().encode()
