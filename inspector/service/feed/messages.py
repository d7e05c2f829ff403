"""Turn changed rows into the messages of the viewers' stream. Pure.

The same row is a start to one viewer and an update to another: it depends on what the viewer has
seen. Texts are made on first use, then shared by all viewers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol, TypeAlias, get_args

import orjson

from inspector.service import wire
from inspector.service.model.records import (
    Change,
    MomentRecord,
    RequestRecord,
    SessionRecord,
    SpanRecord,
    Tombstone,
)
from inspector.service.model.rows import RequestStatus, SessionRow, SpanKind, SpanStatus
from inspector.service.model.times import rfc3339
from inspector.service.present import rows as presenter
from inspector.service.sessions import live
from inspector.service.sessions.state import SETTLED
from inspector.service.wire import control as wire_control

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


_DEFAULTS: dict[type[_SessionMessage | _SpanMessage], dict[str, Any]] = {
    message: {
        name: field.default
        for name, field in message.model_fields.items()
        if not field.is_required()
    }
    for message in (*get_args(_SessionMessage), *get_args(_SpanMessage))
}
"""The constant fields of each message: its `type`, and defaults."""


class FeedEntry(Protocol):
    """A change, as the stream shows it."""

    change: int
    key: tuple[str, ...]
    """A later entry of the same key replaces this one."""

    def concerns(self, session_ids: Collection[str]) -> bool:
        """Return whether a viewer of these sessions (empty: of all) gets this entry."""

    def messages(self, cursor: int) -> Sequence[str]:
        """Return the JSON of the messages for a viewer that has seen all up to `cursor`."""


def entries_of(
    changes: Sequence[Change], session_row: Callable[[str], SessionRow | None]
) -> list[FeedEntry]:
    """Return the feed entries of `changes`, by number.

    `session_row` finds the present row of the session that another one was merged into, and of
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
                target = session_row(row.moved_to) if row.moved_to else None
                entries.append(_TombstoneEntry(row, target))
            case RequestRecord():
                session = session_row(row.row.session_id)
                entries.append(_RequestEntry(row, session.title if session else ""))
            case MomentRecord():
                if row.name in _MOMENTS and row.session_id is not None:
                    entries.append(_MomentEntry(row, row.session_id))
    return entries


def _text(
    message: type[_SessionMessage | _SpanMessage],
    time_ns: int,
    session_id: str,
    shown: dict[str, dict[str, Any]],
) -> str:
    """Return `message` as JSON, without validation: there may be thousands a second."""
    head = {**_DEFAULTS[message], "time": rfc3339(time_ns), "session_id": session_id}
    return orjson.dumps({**head, **shown}).decode()


class _SessionEntry:
    def __init__(self, record: SessionRecord) -> None:
        self.change = record.change
        self.key: tuple[str, ...] = ("session", record.row.id)
        self._record = record
        self._texts: dict[str, str] = {}

    def concerns(self, session_ids: Collection[str]) -> bool:
        return True

    def messages(self, cursor: int) -> Sequence[str]:
        record = self._record
        is_over = record.row.status in SETTLED and record.settled > cursor
        shown: list[type[_SessionMessage]] = []
        if record.created > cursor:
            shown.append(wire.SessionStarted)
        if is_over:
            shown.append(wire.SessionFinished)
        return [self._text(message) for message in shown or [wire.SessionUpdated]]

    def _text(self, message: type[_SessionMessage]) -> str:
        if message.__name__ not in self._texts:
            row = self._record.row
            shown = {"session": presenter.session_fields(row)}
            self._texts[message.__name__] = _text(message, self._record.changed_ns, row.id, shown)
        return self._texts[message.__name__]


class _SpanEntry:
    def __init__(self, record: SpanRecord) -> None:
        self.change = record.change
        self.key: tuple[str, ...] = ("span", record.trace_id, record.span_id)
        self._record = record
        self._texts: dict[str, Sequence[str]] = {}

    def concerns(self, session_ids: Collection[str]) -> bool:
        return not session_ids or self._record.session_id in session_ids

    def messages(self, cursor: int) -> Sequence[str]:
        record = self._record
        message: type[wire.SpanStarted | wire.SpanUpdated | wire.SpanEnded] = wire.SpanUpdated
        if record.settled > cursor:
            message = wire.SpanEnded
        elif record.created > cursor and record.status is SpanStatus.RUNNING:
            message = wire.SpanStarted
        if message.__name__ not in self._texts:
            shown: list[type[_SpanMessage]] = [message]
            if message is wire.SpanEnded and (beside := _ENDED_BESIDE.get(record.kind)):
                shown.insert(0, beside)
            row = {"span": presenter.span_fields(record.row())}
            self._texts[message.__name__] = [
                _text(type_, record.changed_ns, record.session_id, row) for type_ in shown
            ]
        return self._texts[message.__name__]


class _MomentEntry:
    def __init__(self, record: MomentRecord, session_id: str) -> None:
        self.change = record.change
        self.key: tuple[str, ...] = ("moment", str(record.change))
        self._record = record
        self._session_id = session_id
        self._texts: tuple[str, ...] = ()

    def concerns(self, session_ids: Collection[str]) -> bool:
        is_request = self._record.name in live.PAUSES
        return is_request or not session_ids or self._session_id in session_ids

    def messages(self, cursor: int) -> Sequence[str]:
        if not self._texts:
            moment = self._record.moment()
            message = _MOMENTS[moment.name](
                time=rfc3339(self._record.changed_ns),
                session_id=self._session_id,
                trace_id=moment.trace_id,
                span_id=moment.span_id,
                name=moment.name,
                attributes=dict(moment.attributes),
            )
            self._texts = (message.model_dump_json(),)
        return self._texts


class _RequestEntry:
    def __init__(self, record: RequestRecord, session_title: str) -> None:
        self.change = record.change
        self.key: tuple[str, ...] = ("request", record.row.id)
        self._record = record
        self._session_title = session_title
        self._texts: tuple[str, ...] = ()

    def concerns(self, session_ids: Collection[str]) -> bool:
        return True

    def messages(self, cursor: int) -> Sequence[str]:
        if not self._texts:
            row = self._record.row
            is_pending = row.status is RequestStatus.PENDING
            head: dict[str, Any] = {
                "time": rfc3339(self._record.changed_ns),
                "session_id": row.session_id,
                "request": presenter.request(row, self._session_title),
            }
            message: wire.StreamMessage
            if row.kind == "question":
                signal: dict[str, Any] = {}
                if row.signal_name:
                    signal["inspector.session.signal"] = row.signal_name
                answered = wire_control.SignalReceived
                message = (wire_control.WaitingOnSignal if is_pending else answered)(
                    **head,
                    trace_id=row.trace_id or "",
                    span_id=row.span_id,
                    name="inspector.request",
                    attributes=signal,
                )
            else:
                resolved = wire_control.ApprovalResolved
                message = (wire_control.ApprovalRequested if is_pending else resolved)(**head)
            self._texts = (message.model_dump_json(),)
        return self._texts


class _TombstoneEntry:
    def __init__(self, tombstone: Tombstone, target: SessionRow | None) -> None:
        self.change = tombstone.change
        self.key: tuple[str, ...] = ("tombstone", str(tombstone.change))
        self._tombstone = tombstone
        self._target = target
        self._texts: list[str] = []

    def concerns(self, session_ids: Collection[str]) -> bool:
        return True

    def messages(self, cursor: int) -> Sequence[str]:
        if not self._texts:
            gone, time = self._tombstone, rfc3339(self._tombstone.changed_ns)
            if self._target is not None:
                moved = wire.SessionUpdated(
                    time=time,
                    session_id=self._target.id,
                    session=presenter.session(self._target),
                    moved_from=gone.session_id,
                )
                self._texts.append(moved.model_dump_json())
            if gone.is_whole:
                deleted = wire.SessionDeleted(
                    time=time, session_id=gone.session_id, moved_to=gone.moved_to
                )
                self._texts.append(deleted.model_dump_json())
            elif self._target is None:
                # A trace moved to a session that is deleted by now: only by reading again does a
                # viewer learn which spans are gone.
                self._texts.append(wire.Gap(time=time).model_dump_json())
        return self._texts
