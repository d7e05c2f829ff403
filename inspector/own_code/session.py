"""A block, or a function, that belongs to one session."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import wraps
from types import TracebackType
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from inspector import context
from instrument import Bus
from instrument.decision import Outcome
from instrument.default import bus as default_bus

F = TypeVar("F", bound=Callable[..., Any])

_CANCELLED = (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt)


class _Entry(NamedTuple):
    """A session that was entered, and what was set before it."""

    session: OwnSession
    id: str
    is_reported: bool
    outer_id: str
    outer_details: Mapping[str, Any]


_entered: ContextVar[tuple[_Entry, ...]] = ContextVar("inspector-entered-sessions", default=())


class OwnSession:
    """A session, to be entered with `with` or `async with`, or to decorate a function with.

    Attributes:
        id: Its id; None: the current session, else a new one each time.
    """

    def __init__(
        self,
        id: str | None,
        user: str | None,
        tags: tuple[str, ...],
        title: str | None,
        bus: Bus,
    ) -> None:
        self.id = id
        self._user = user
        self._tags = tags
        self._title = title
        self._bus = bus

    def __enter__(self) -> OwnSession:
        entry = self._enter()
        if entry.is_reported:
            self._accept(
                entry, self._bus.dispatch_sync("session_started", **self._beginning(entry))
            )
        return self

    async def __aenter__(self) -> OwnSession:
        entry = self._enter()
        if entry.is_reported:
            begin = self._bus.dispatch("session_started", **self._beginning(entry))
            self._accept(entry, await begin)
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        entry = self._entry()
        try:
            if entry is not None and entry.is_reported:
                self._bus.dispatch_sync("session_finished", **_end(entry, exc))
        finally:
            _leave(entry)

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(exc, GeneratorExit):  # nothing can be awaited any more
            self.__exit__(exc_type, exc, traceback)
            return
        entry = self._entry()
        try:
            if entry is not None and entry.is_reported:
                await self._bus.dispatch("session_finished", **_end(entry, exc))
        finally:
            _leave(entry)

    def __call__(self, function: F) -> F:
        """Decorate a function, `def` or `async def`: each call runs in the session.

        Raises:
            TypeError: It is a generator function.
        """
        if inspect.isgeneratorfunction(function):
            raise TypeError(f"Cannot put {function!r:.80} in a session: use `with` inside it.")
        if inspect.isasyncgenfunction(function):
            raise TypeError(
                f"Cannot put {function!r:.80} in a session: use `async with` inside it."
            )
        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def call_async(*args: Any, **kwargs: Any) -> Any:
                async with self:
                    return await function(*args, **kwargs)

            return call_async  # type: ignore[return-value]  # of the same sort

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]  # of the same sort

    def _enter(self) -> _Entry:
        outer_id, outer = context.get(), context.details()
        is_known = outer_id != context.UNKNOWN
        id = self.id or (outer_id if is_known else uuid4().hex)
        is_new = id != outer_id
        entry = _Entry(self, id, is_new and bool(self._bus._hooks), outer_id, outer)
        _entered.set((*_entered.get(), entry))
        within = {} if is_new else outer
        context.set(
            id,
            user=self._user or within.get("user"),
            tags=dict.fromkeys((*within.get("tags", ()), *self._tags)),
            title=self._title or within.get("title"),
        )
        return entry

    def _entry(self) -> _Entry | None:
        """Return how this session was entered here; None in another context, which closes it."""
        return next((one for one in reversed(_entered.get()) if one.session is self), None)

    def _accept(self, entry: _Entry, outcome: Outcome) -> None:
        """Leave the session again if an interceptor refuses it."""
        try:
            outcome.raise_if_ended()
        except BaseException:
            _leave(entry)
            raise

    def _beginning(self, entry: _Entry) -> dict[str, Any]:
        details = context.details()
        found = {**details, **({"tags": list(details["tags"])} if "tags" in details else {})}
        return {"session_id": entry.id, "metadata": found}


def session(
    id: str | None = None,
    *,
    user: str | None = None,
    tags: Iterable[str] = (),
    title: str | None = None,
    bus: Bus | None = None,
) -> OwnSession:
    """Return a session for a block (`with`, `async with`) or a function (as a decorator).

    Whatever begins in it belongs to it: operations, and spans of other instrumentations in this
    process. A session of the same id inside adds to it.

    Args:
        id: Its id, such as that of the conversation; default: the current one, else a new one.
        user: Whom the agent works for: an id, which is shown; not a secret.
        tags: Words to find it by.
        title: What it is called; default: its first message.
        bus: Default: the shared one.

    Raises:
        TypeError: One of these is no text.
    """
    named = {"id": id, "user": user, "title": title}
    texts = (tags,) if isinstance(tags, str) else tuple(tags)
    for name, value in (*named.items(), *(("tags", tag) for tag in texts)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"Cannot start a session: {name} is {value!r:.80}. Give a string.")
    return OwnSession(id, user, texts, title, bus or default_bus)


def _end(entry: _Entry, exc: BaseException | None) -> dict[str, Any]:
    is_done = exc is None or (isinstance(exc, SystemExit) and not exc.code)
    status = "completed" if is_done else "cancelled" if isinstance(exc, _CANCELLED) else "failed"
    error = exc if status == "failed" else None
    return {"session_id": entry.id, "status": status, "error": error}


def _leave(entry: _Entry | None) -> None:
    if entry is None:
        return
    _entered.set(tuple(one for one in _entered.get() if one is not entry))
    if context.get() == entry.id:  # the program has not set another one meanwhile
        context.set(entry.outer_id, **entry.outer_details)
