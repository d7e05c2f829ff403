"""The session of a block: the framework's own thread, conversation or group."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspector import context


@contextmanager
def in_session(session_id: str | None) -> Iterator[None]:
    """Run the block in `session_id`, unless the program has set a session."""
    before = context.get()
    if not session_id or before != context.UNKNOWN:
        yield
        return
    context.set(session_id)
    try:
        yield
    finally:
        if context.get() == session_id:
            context.set(before)
