"""Floors of the dispatch benchmark: what plain Python needs for the same work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dispatch_work import (
    AWAIT,
    EMIT,
    FIVE_ASYNC,
    FIVE_SYNC,
    NOTHING,
    ONE_ASYNC,
    ONE_SYNC,
    SEND,
    empty,
    empty_with_kwargs,
    observer,
    sync_observer,
)
from measuring import Case

EMPTY = "floor: an awaited empty coroutine"
WITH_KWARGS = "floor: the same with these kwargs"
LOOP = "floor: a loop that calls them"

SYNC_COUNTS = ((ONE_SYNC, 1), (FIVE_SYNC, 5))
ASYNC_COUNTS = ((ONE_ASYNC, 1), (FIVE_ASYNC, 5))


def floors() -> Iterator[Case]:
    """Yield the cases of plain Python, as lower bounds."""
    yield Case(NOTHING, EMPTY, AWAIT, empty)
    yield Case(NOTHING, WITH_KWARGS, EMIT, empty_with_kwargs)
    for work, count in SYNC_COUNTS:
        yield Case(work, LOOP, SEND, _plain_loop(count))
    for work, count in ASYNC_COUNTS:
        yield Case(work, LOOP, EMIT, _plain_async_loop(count))


def _plain_loop(count: int) -> Callable[..., Any]:
    callbacks = [sync_observer] * count

    def emit(name: str, /, **kwargs: Any) -> None:
        for callback in callbacks:
            callback(**kwargs)

    return emit


def _plain_async_loop(count: int) -> Callable[..., Any]:
    callbacks = [observer] * count

    async def emit(name: str, /, **kwargs: Any) -> None:
        for callback in callbacks:
            await callback(**kwargs)

    return emit
