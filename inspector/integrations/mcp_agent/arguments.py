"""The arguments of a patched call, and the context of its object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspector import context as session_context


class CallArguments:
    """Arguments by name or position. The position counts from `self`, 0."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = list(args)
        self.kwargs = dict(kwargs)

    def get(self, position: int, name: str, default: Any = None) -> Any:
        """Return one argument."""
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[position] if position < len(self.args) else default

    def put(self, position: int, name: str, value: Any) -> None:
        """Replace one argument."""
        if name in self.kwargs or position >= len(self.args):
            self.kwargs[name] = value
        else:
            self.args[position] = value

    def call(self, function: Callable[..., Any]) -> Any:
        """Call `function` with the arguments."""
        return function(*self.args, **self.kwargs)


def context_of(owner: Any) -> Any:
    """Return the mcp-agent `Context` that an object works in, if there is one."""
    try:
        return owner.context
    except Exception:  # noqa: BLE001 - a property that raises where no app runs
        return None


def engine_of(owner: Any) -> str:
    """Return `asyncio` or `temporal`."""
    config = getattr(context_of(owner), "config", None)
    return str(getattr(config, "execution_engine", None) or "asyncio")


def session_of(owner: Any) -> str:
    """Return the session that the program has named, else that of the app."""
    named = session_context.get()
    if named != session_context.UNKNOWN:
        return named
    return str(getattr(context_of(owner), "session_id", None) or named)
