"""Sessions of the program, and their waiting times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

from subscribers.bridge.facts import as_key

MAX_PAUSES = 1_024
MAX_ID_CHARS = 256
SESSION_ID = "session.id"
USER_ID = "user.id"
TAGS = "inspector.tags"
TITLE = "inspector.session.title"
UNKNOWN_SESSION = "unknown"
"""Session id that means none."""

Details: TypeAlias = Callable[[], Mapping[str, Any]]
"""Returns what the program says of the current session: `user`, `tags`, `title`."""

_connection_id: ContextVar[str | None] = ContextVar("inspector-mcp-connection", default=None)


@contextmanager
def in_connection(connection_id: str) -> Iterator[None]:
    """Mark spans that begin a trace in the block as part of this MCP connection."""
    token = _connection_id.set(connection_id[:MAX_ID_CHARS])
    try:
        yield
    finally:
        _connection_id.reset(token)


@dataclass(frozen=True, slots=True)
class Session:
    """The session that `session_started` announced."""

    id: str
    title: str | None
    engine: str | None


class Sessions:
    """The session of each context, and its pauses."""

    def __init__(
        self,
        session_id: Callable[[], str | None] | None = None,
        details: Details | None = None,
    ) -> None:
        """Create one that calls `session_id` first; its None and `"unknown"` mean none."""
        self._session_id = session_id
        self._details = details
        self._current: ContextVar[Session | None] = ContextVar("inspector-session", default=None)
        self._paused_ns: dict[tuple[Any, Any], int] = {}

    def begin(self, session_id: object, title: str | None, engine: str | None) -> None:
        """Enter a session in this context and in contexts derived from it."""
        if isinstance(session_id, str):
            self._current.set(Session(session_id[:MAX_ID_CHARS], title, engine))

    def finish(self, session_id: object) -> Session | None:
        """Leave the session if it is this one, and return it."""
        session = self._current.get()
        if session is None or session.id != session_id:
            return None
        self._current.set(None)
        return session

    def current_id(self) -> str | None:
        """Return the id of the current session."""
        return self._id_with(self._current.get())

    def _id_with(self, session: Session | None) -> str | None:
        session_id = self._session_id() if self._session_id is not None else None
        if session_id and session_id != UNKNOWN_SESSION:
            return session_id
        return None if session is None else session.id

    def add_to(self, kwargs: dict[str, Any], *, is_root: bool) -> None:
        """Add the session and its user to kwargs; on a root, its title, tags and engine too."""
        session = self._current.get()
        session_id = self._id_with(session)
        if session_id is not None:
            kwargs["$session"] = session_id
        elif is_root and (connection_id := _connection_id.get()) is not None:
            kwargs["$connection"] = connection_id
        if session is not None and is_root:
            kwargs["$title"], kwargs["$engine"] = session.title, session.engine
        if self._details is not None and (details := self._details()):
            kwargs["$user"] = details.get("user")
            if is_root:
                kwargs["$title"] = details.get("title") or kwargs.get("$title")
                kwargs["$tags"] = details.get("tags")

    def pause(self, kwargs: Mapping[str, Any], now_ns: int) -> None:
        """Record that a session waits for a signal."""
        if len(self._paused_ns) >= MAX_PAUSES:
            self._paused_ns.pop(next(iter(self._paused_ns)), None)
        self._paused_ns[_pause(kwargs)] = now_ns

    def resume(self, kwargs: Mapping[str, Any], now_ns: int) -> int | None:
        """Return the waiting time in milliseconds; None if its start is unknown."""
        paused_ns = self._paused_ns.pop(_pause(kwargs), None)
        return None if paused_ns is None else (now_ns - paused_ns) // 1_000_000


def _pause(kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
    return as_key(kwargs.get("session_id")), as_key(kwargs.get("signal_name"))
