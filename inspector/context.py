"""The session id of the running code. Imports nothing of ours.

It is a context variable: tasks and threads with a copied context inherit it, and their own
changes stay theirs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar, cast

UNKNOWN = "unknown"
"""The result of `get` before any `set`."""

_session_id: ContextVar[str] = ContextVar("inspector-session-id", default=UNKNOWN)

_F = TypeVar("_F", bound=Callable[..., Any])


def get() -> str:
    """Return the session id, `"unknown"` if none was set."""
    return _session_id.get()


def set(session_id: str) -> None:
    """Set the session id of the current context and of its copies."""
    _session_id.set(session_id)


def bind(function: _F) -> _F:
    """Decorate `function` to get `session_id=` from the context, if it accepts the argument.

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
