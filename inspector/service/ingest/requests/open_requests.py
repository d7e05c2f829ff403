"""Requests that are not over, in memory, so that expiry needs no look-ups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from inspector.service.ingest.requests.answering import Refusal
from inspector.service.ingest.requests.transitions import EXPIRY_GRACE_NS
from inspector.service.model.records import RequestRecord, Waiting, is_over, shown_bytes, waiting_of
from inspector.service.model.rows import RequestRow

MAX_PENDING = 10_000
MAX_PENDING_OF_PROCESS = 1_000
MAX_PENDING_BYTES = 256 * 1024 * 1024
"""Limit of the arguments and texts of all open requests."""


class OpenRequests:
    """The requests that wait for an answer, or for an agent to take it."""

    def __init__(self, waiting: Iterable[Waiting] = ()) -> None:
        self._waiting: dict[str, Waiting] = {}
        self._counts = Counter[str]()
        self._bytes = 0
        for one in waiting:
            self._add(one)

    def __iter__(self) -> Iterator[Waiting]:
        """Iterate over them, the oldest first."""
        return iter(tuple(self._waiting.values()))

    def keep(self, row: RequestRow) -> None:
        """Remember a request in its present state, or forget it if it is over."""
        known = self._waiting.get(row.id)
        if is_over(row):
            self.forget(row.id)
        elif known is None:
            self._add(waiting_of(row))
        else:
            self._bytes += shown_bytes(row) - known.size_bytes
            self._waiting[row.id] = waiting_of(row)

    def forget(self, request_id: str) -> None:
        """Forget a request."""
        known = self._waiting.pop(request_id, None)
        if known is not None:
            self._bytes -= known.size_bytes
            self._counts[known.process_id] -= 1
            if not self._counts[known.process_id]:
                del self._counts[known.process_id]

    def forget_sessions(self, session_ids: Collection[str]) -> None:
        """Forget the requests of deleted sessions."""
        for one in self:
            if one.session_id in session_ids:
                self.forget(one.request_id)

    def follow(self, records: Iterable[RequestRecord]) -> None:
        """Update the sessions of requests from a commit: their traces may have moved."""
        for record in records:
            if (known := self._waiting.get(record.row.id)) is not None:
                moved = replace(known, session_id=record.row.session_id)
                self._waiting[known.request_id] = moved

    def of_process(self, process_id: str) -> list[Waiting]:
        """Return the requests of a process."""
        if process_id not in self._counts:
            return []
        return [one for one in self._waiting.values() if one.process_id == process_id]

    def due(self, now_ns: int) -> list[str]:
        """Return the ids of the requests that are overdue."""
        latest_ns = now_ns - EXPIRY_GRACE_NS
        timed = ((one, one.expires_ns) for one in self._waiting.values())
        return [one.request_id for one, ns in timed if ns is not None and ns <= latest_ns]

    def has_no_room(self, fresh: RequestRow) -> Refusal | None:
        """Return the reason why no other request can be opened now."""
        if self._counts[fresh.process_id] >= MAX_PENDING_OF_PROCESS:
            why = f"{MAX_PENDING_OF_PROCESS} requests of this process are open."
        elif len(self._waiting) >= MAX_PENDING:
            why = f"{MAX_PENDING} requests are open."
        elif self._bytes and self._bytes + shown_bytes(fresh) > MAX_PENDING_BYTES:
            why = f"The open requests exceed {MAX_PENDING_BYTES} bytes in total."
        else:
            return None
        return Refusal("too_many_requests", why)

    def _add(self, one: Waiting) -> None:
        self._waiting[one.request_id] = one
        self._counts[one.process_id] += 1
        self._bytes += one.size_bytes
