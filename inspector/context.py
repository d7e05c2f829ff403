"""The session of the running code: its id, and whose it is. Imports nothing of ours.

They are context variables: tasks and threads with a copied context inherit them, and their own
changes stay theirs. They count for the spans of every instrumentation in this process.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TypeVar, cast

UNKNOWN = "unknown"
"""The result of `get` before any `set`."""

_session_id: ContextVar[str] = ContextVar("inspector-session-id", default=UNKNOWN)

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_details: ContextVar[Mapping[str, Any]] = ContextVar("inspector-session-details", default=_NOTHING)

_F = TypeVar("_F", bound=Callable[..., Any])


def get() -> str:
    """Return the session id, or `"unknown"` if none is set."""
    return _session_id.get()


def details() -> Mapping[str, Any]:
    """Return the known details of the session: `user`, `tags` (a tuple) and `title`, where set."""
    return _details.get()


def set(
    session_id: str,
    *,
    user: str | None = None,
    tags: Iterable[str] = (),
    title: str | None = None,
) -> None:
    """Set the session of the current context and its copies; see `inspector.session`."""
    names = (tags,) if isinstance(tags, str) else tuple(tags)
    found = {"user": user, "tags": names, "title": title}
    _session_id.set(session_id)
    _details.set({name: value for name, value in found.items() if value} or _NOTHING)


def bind(function: _F) -> _F:
    """Decorate `function` to receive `session_id=` from the context, if it accepts that argument.

    A value that the caller passes wins. Works on `def` and `async def`.
    """
    signature = inspect.signature(function)
    accepts = "session_id" in signature.parameters or any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD
        for parameter in signature.parameters.values()
    )
    if not accepts:
        return function

    @functools.wraps(function)
    def bound(*args: Any, **kwargs: Any) -> Any:
        if "session_id" not in signature.bind_partial(*args, **kwargs).arguments:
            kwargs.setdefault("session_id", get())
        return function(*args, **kwargs)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def bound_async(*args: Any, **kwargs: Any) -> Any:
            return await bound(*args, **kwargs)

        return cast(_F, bound_async)
    return cast(_F, bound)
