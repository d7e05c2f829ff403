"""Reading of the store without a service: the same routes, called in this process."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote

from inspector.service.app import create_app
from inspector.service.feed.feed import Feed
from inspector.service.files.export import packed_session
from inspector.service.http.access import Access
from inspector.service.http.in_process import ask, read
from inspector.service.http.parts import ReadParts
from inspector.service.model.records import SessionRecord
from inspector.service.model.rows import SessionRow, SessionStatus
from inspector.service.sessions.state import SessionState, status_of
from inspector.service.settings import Settings
from inspector.service.storage import open_to_read

T = TypeVar("T")

_ENDED = {SessionStatus.COMPLETED, SessionStatus.FAILED, SessionStatus.CANCELLED}


@dataclass(frozen=True)
class OfflineClient:
    """A client whose routes run in this process on a store."""

    settings: Settings

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            RefusedError: The answer is a problem.
            StoreError: The store cannot be opened.
        """
        return asyncio.run(self._in_app(lambda app, token: ask(app, token, path, query)))

    def export(self, session_id: str) -> Iterator[bytes]:
        """Yield a session as a gzip file.

        Raises:
            StoreError: The store cannot be opened.
        """
        with closing(open_to_read(self.settings.store)) as store:
            yield from packed_session(store, session_id)

    def page(self, session_id: str) -> Iterator[bytes]:
        """Yield a session as a web page; raise as `get`."""
        path = f"/sessions/{quote(session_id, safe='')}/export.html"
        yield asyncio.run(self._in_app(lambda app, token: read(app, token, path)))

    async def _in_app(self, call: Callable[[Any, str], Awaitable[T]]) -> T:
        token = secrets.token_urlsafe()  # for this one request
        app = create_app(self.settings, token=token, open_parts=_reading)
        async with app.router.lifespan_context(app):
            return await call(app, token)


@asynccontextmanager
async def _reading(settings: Settings, access: Access) -> AsyncIterator[ReadParts]:
    """Open the parts that only read."""
    with closing(open_to_read(settings.store, _ended_since)) as store:
        yield ReadParts(settings=settings, access=access, store=store, feed=Feed(store))


def _ended_since(record: SessionRecord) -> SessionRow | None:
    """Return a session that had ended without being settled when the service stopped."""
    state = SessionState.load(record.state)
    status, _ = status_of(state, time.time_ns(), record.changed_ns, is_owner_alive=False)
    if status not in _ENDED:
        return None
    row = state.row(status)
    if state.run_time is None:  # too long to be stored: no more running time is known
        before, ended_ns = record.row, row.ended_ns or row.started_ns
        since_ns = ended_ns if before.idle_since_ns is None else before.idle_since_ns
        row = replace(row, idle_ns=before.idle_ns + max(ended_ns - since_ns, 0))
    return row
