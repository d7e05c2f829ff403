"""Delivery of events to observers: awaited from async code, inline from sync code.

No observer stops the emitter: failures are logged, reported as `hook_failed`, and swallowed. The
table is a plain dict from hook name to a tuple that is replaced as a whole, so a reader takes no
lock and uses the observers from the beginning of the emission.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from inspect import isawaitable
from types import CoroutineType
from typing import Any, TypeAlias, TypeGuard, TypeVar

from instrument.errors import UnheededPolicyError

T = TypeVar("T")

Observer: TypeAlias = Callable[..., Any]
Table: TypeAlias = dict[str, tuple[Observer, ...]]

EVERY = "<every hook>"
"""Key of observers of every event in the table; they take the event's name first."""

HOOK_FAILED = "hook_failed"

_logger = logging.getLogger("mcp.instrument")
_background: set[asyncio.Task[None]] = set()  # a loop keeps only weak references to its tasks


class NamedObserver(partial[Any]):
    """An observer of every event, bound to the name of one."""


Emit: TypeAlias = Callable[..., Coroutine[Any, Any, None]]
"""`await emit(hook, **kwargs)`."""


def observers_of(table: Table, name: str) -> tuple[Observer, ...]:
    """Return the observers of `name`, in order, or observers of all for an unknown name."""
    observers = table.get(name)
    if observers is None:
        every = table.get(EVERY)
        observers = () if every is None else tuple(NamedObserver(fn, name) for fn in every)
    return observers


def describe(observer: Observer) -> str:
    """Name an observer without its `repr`, which may hold secrets or raise."""
    if isinstance(observer, partial):
        return describe(observer.func)
    kind = type(observer)
    module = getattr(observer, "__module__", None) or kind.__module__
    name = getattr(observer, "__qualname__", None) or kind.__qualname__
    return f"{module}.{name}"


def make_emit(table: Table) -> Emit:
    """Return the coroutine function that delivers events to their observers.

    A closure with a small frame rather than a method, because it is called for every event of every
    unwatched agent. There it costs 1.1 times an empty `async def` with the same arguments
    (`benchmarks/bench_dispatch.py`).
    """

    async def _emit(name: str, /, *args: Any, **kwargs: Any) -> None:
        """Call the observers of `name` in registration order and await what they return."""
        if table and (name in table or EVERY in table):
            for observer in observers_of(table, name):
                try:
                    returned = observer(*args, **kwargs)
                    if returned is not None and (
                        type(returned) is CoroutineType or _must_be_awaited(returned)
                    ):
                        await returned
                except (Exception, asyncio.CancelledError) as error:
                    if is_our_own_cancellation(error):
                        raise
                    failure = _log_failure(name, observer, error, kwargs)
                    if name != HOOK_FAILED:
                        await _emit(HOOK_FAILED, **failure)

    return _emit


async def deliver(
    table: Table, name: str, observers: tuple[Observer, ...], kwargs: dict[str, Any]
) -> None:
    """Call `observers` in order and await what they return."""
    for observer in observers:
        try:
            returned = observer(**kwargs)
            if returned is not None and (
                type(returned) is CoroutineType or _must_be_awaited(returned)
            ):
                await returned
        except (Exception, asyncio.CancelledError) as error:
            if is_our_own_cancellation(error):
                raise
            failure = _log_failure(name, observer, error, kwargs)
            if name != HOOK_FAILED:
                await deliver(table, HOOK_FAILED, observers_of(table, HOOK_FAILED), failure)


def deliver_sync(
    table: Table,
    name: str,
    observers: tuple[Observer, ...],
    kwargs: dict[str, Any],
    args: tuple[Any, ...] = (),
) -> None:
    """Call `observers` in order, from code that cannot await.

    Awaitables that they return run later, in order, on the running loop; on a thread without a loop
    they run before this returns.
    """
    pending: list[tuple[Observer, Awaitable[Any]]] = []
    for observer in observers:
        try:
            returned = observer(*args, **kwargs)
            if returned is not None and _must_be_awaited(returned):
                pending.append((observer, returned))
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - logged and swallowed
            _failed_sync(table, name, observer, error, kwargs)
    if pending and (task := run_later(_finish(table, name, pending, kwargs))):
        task.add_done_callback(lambda _: _close(pending))


async def _finish(
    table: Table,
    name: str,
    pending: list[tuple[Observer, Awaitable[Any]]],
    kwargs: dict[str, Any],
) -> None:
    for observer, awaitable in pending:
        try:
            await awaitable
        except (Exception, asyncio.CancelledError) as error:
            if is_our_own_cancellation(error):
                raise
            _failed_sync(table, name, observer, error, kwargs)


def _close(pending: list[tuple[Observer, Awaitable[Any]]]) -> None:
    """Close what a loop that ended did not begin; each would warn that nobody awaited it."""
    for _, awaitable in pending:
        if isinstance(awaitable, CoroutineType):
            awaitable.close()


def _failed_sync(
    table: Table, name: str, observer: Observer, error: BaseException, kwargs: dict[str, Any]
) -> None:
    failure = _log_failure(name, observer, error, kwargs)
    if name != HOOK_FAILED:
        deliver_sync(table, HOOK_FAILED, observers_of(table, HOOK_FAILED), failure)


def _must_be_awaited(returned: object) -> TypeGuard[Awaitable[Any]]:
    """Return whether to await `returned`; a Future or Task continues by itself."""
    if type(returned) is CoroutineType:
        return True
    return isawaitable(returned) and not asyncio.isfuture(returned)


def is_our_own_cancellation(error: BaseException) -> bool:
    """Distinguish a cancellation of the emitting task from one raised by an observer."""
    if not isinstance(error, asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop on this thread
        return False
    return task is not None and task.cancelling() > 0


def _log_failure(
    name: str, observer: Observer, error: BaseException, kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Log a failure (WARNING with traceback); return the kwargs of `hook_failed`."""
    if isinstance(error, UnheededPolicyError):  # reported every time, logged once
        if not error.is_known:
            _logger.warning("%s", error)
        handler = observer.name if hasattr(observer, "name") else describe(observer)
    else:
        handler = describe(observer)
        _logger.warning("Hook %s failed in %s", name, handler, exc_info=error)
    return {"call_id": kwargs.get("call_id"), "hook": name, "handler": handler, "exc": error}


def run_later(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Run `work` later, by the task returned, on the running loop; else at once, on this thread."""
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        run_alone(work)
        return None
    task = running.create_task(work)
    _background.add(task)
    task.add_done_callback(_background.discard)
    return task


def run_alone(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end on a new loop, on a thread without a loop."""
    # Not `asyncio.run`: it would also clear the event loop that this thread has set.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
