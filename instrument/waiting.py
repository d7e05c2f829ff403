"""Waiting during a decision, in async code and in sync code that cannot await.

Deliberation is written once, as coroutines over a `Waiting`. Those of `SyncWaiting` never suspend,
so `completed` can run such a coroutine to its end in one step.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from contextvars import copy_context
from threading import TIMEOUT_MAX, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from instrument.delivery import deliver, run_alone
from instrument.errors import HookContractError
from instrument.interceptors import is_observed, only_observers_of

GRACE_S = 0.1
"""Seconds for a provider to clean up after its timeout."""

if TYPE_CHECKING:
    from instrument.approvals import ApprovalProvider, ApprovalRequest
    from instrument.channel import Channel

T = TypeVar("T")


class NobodyAnsweredError(TimeoutError):
    """The time to answer is over; distinct from a `TimeoutError` inside a provider."""


class AsyncWaiting:
    """Waits on the running loop."""

    def __init__(self, bus: Channel) -> None:
        self._bus = bus

    async def notify(self, hook: str, kwargs: dict[str, Any]) -> None:
        """See `Waiting`."""
        hooks = self._bus._hooks
        if is_observed(hooks, hook):
            await deliver(hooks, hook, only_observers_of(hooks, hook), kwargs)

    def finish(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Awaitable[Any]:
        """See `Waiting`."""
        return awaitable if timeout_s is None else _within(awaitable, timeout_s)

    async def ask(self, provider: ApprovalProvider, request: ApprovalRequest) -> Any:
        """See `Waiting`."""
        # In a separate task, which can be abandoned: a provider may swallow its cancellation.
        asking, began_s = asyncio.create_task(_ask(provider, request)), monotonic()
        try:
            is_answered = await _ends_within(asking, request.timeout_s)
            # A provider that blocks the loop cannot be stopped; its answer comes too late.
            if is_answered and monotonic() - began_s <= request.timeout_s + GRACE_S:
                return asking.result()
        except GeneratorExit:  # nothing can be awaited any more
            _leave(asking)
            raise
        except asyncio.CancelledError:
            _leave(asking)
            await _ends_within(asking, GRACE_S)
            raise
        _leave(asking)
        await _ends_within(asking, GRACE_S)
        raise NobodyAnsweredError(f"took longer than {request.timeout_s:g} s")


class SyncWaiting:
    """Waits by blocking, but never blocks an event loop.

    On a thread whose loop is running, a coroutine that never waits is still run: most `async def`
    interceptors are such. One that has to wait raises `HookContractError`.
    """

    def __init__(self, bus: Channel) -> None:
        self._bus = bus

    async def notify(self, hook: str, kwargs: dict[str, Any]) -> None:
        """See `Waiting`."""
        if is_observed(self._bus._hooks, hook):
            self._bus._notify_sync(hook, **kwargs)

    async def finish(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Any:
        """See `Waiting`."""
        if _is_loop_running():
            return _in_one_step(awaitable)
        return run_alone(_within(awaitable, timeout_s))

    async def ask(self, provider: ApprovalProvider, request: ApprovalRequest) -> Any:
        """See `Waiting`."""
        if _is_loop_running():
            raise HookContractError(
                "sync code cannot ask a person while this thread's event loop is running: it "
                "would block. Use `async with operation(…)` or `await dispatch(…)`"
            )
        return _on_a_thread(provider, request)


def completed(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends, and return its result."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise AssertionError("a decision in sync code was suspended")


async def _ask(provider: ApprovalProvider, request: ApprovalRequest) -> Any:
    return await provider.ask(request)


async def _ends_within(asking: asyncio.Task[Any], timeout_s: float) -> bool:
    done, _ = await asyncio.wait([asking], timeout=timeout_s)
    return bool(done)


def _leave(asking: asyncio.Task[Any]) -> None:
    """Cancel an abandoned task, with a reference until it ends: a loop has only weak ones."""
    _left.add(asking)
    asking.add_done_callback(_forget)
    asking.cancel()


def _forget(asking: asyncio.Task[Any]) -> None:
    _left.discard(asking)
    if not asking.cancelled():
        asking.exception()  # else asyncio logs that it was never retrieved


_left: set[asyncio.Task[Any]] = set()


async def _within(
    awaitable: Awaitable[Any], timeout_s: float | None, late: type[TimeoutError] = TimeoutError
) -> Any:
    if timeout_s is None:
        return await awaitable
    # On 3.11 `asyncio.wait_for` would run the callback in another task.
    limit = asyncio.timeout(timeout_s)
    try:
        async with limit:
            returned = await awaitable
            if limit.expired():  # it swallowed its cancellation
                raise TimeoutError
            return returned
    except TimeoutError as error:
        if limit.expired():
            raise late(f"took longer than {timeout_s:g} s") from error
        raise


def _in_one_step(awaitable: Awaitable[Any]) -> Any:
    at_once = getattr(awaitable, "at_once", None)  # one of ours may decide without waiting
    if at_once is not None:
        return at_once()
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as end:
        return end.value
    close = getattr(steps, "close", None)
    if close is not None:
        close()
    raise HookContractError(
        "an async interceptor had to wait, but sync code cannot wait on a thread with a running "
        "event loop. Use `async with operation(…)` or `await dispatch(…)`"
    )


def _on_a_thread(provider: ApprovalProvider, request: ApprovalRequest) -> Any:
    """Ask on a separate thread, so that the bus can stop waiting whatever the provider does."""
    answers: list[Any] = []
    failures: list[BaseException] = []

    from instrument.approvals import SyncApprovalProvider  # noqa: PLC0415 - few processes ask

    def ask() -> None:
        try:
            if isinstance(provider, SyncApprovalProvider):
                answers.append(provider.ask_sync(request))
            else:
                answer = _within(_ask(provider, request), request.timeout_s, NobodyAnsweredError)
                answers.append(run_alone(answer))
        except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
            failures.append(error)

    asking = Thread(target=copy_context().run, args=(ask,), daemon=True)
    asking.start()
    asking.join(min(request.timeout_s, TIMEOUT_MAX))
    if asking.is_alive():
        asking.join(GRACE_S)
        raise NobodyAnsweredError(f"took longer than {request.timeout_s:g} s")
    if failures:
        raise failures[0]
    return answers[0]


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
