"""How a decision waits for others: from async code, and from sync code that cannot await.

What decides is written once, as coroutines over a `Waiting`. Those of `SyncWaiting` never
suspend, so that `completed` can run such a coroutine to its end in one step.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from contextvars import copy_context
from threading import TIMEOUT_MAX, Thread
from typing import Any, Protocol, TypeVar, runtime_checkable

from instrument.approvals import ApprovalProvider, ApprovalRequest, SyncApprovalProvider
from instrument.delivery import Emit, Table, run_alone
from instrument.errors import HookContractError
from instrument.interceptors import is_observed

T = TypeVar("T")


class NobodyAnsweredError(TimeoutError):
    """The time to answer is up; unlike any `TimeoutError` that a provider meets on its way."""


class Channel(Protocol):
    """What deciding needs of a bus."""

    _hooks: Table
    _tell: Emit
    _approval_providers: tuple[list[ApprovalProvider], ...]
    _waiting: Waiting
    _sync_waiting: Waiting

    def _tell_sync(self, name: str, /, **kwargs: Any) -> None: ...


class Waiting(Protocol):
    """How to wait."""

    async def tell(self, hook: str, kwargs: dict[str, Any]) -> None:
        """Bring an event to those who only observe it."""

    def finish(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Awaitable[Any]:
        """Return what an interceptor returned to be awaited; raise `TimeoutError` when late."""

    async def ask(self, provider: ApprovalProvider, request: ApprovalRequest) -> Any:
        """Return what the provider answers; raise `NobodyAnsweredError` when the time is up."""


@runtime_checkable
class AwaitableAtOnce(Protocol):
    """What an interceptor may return to be awaited: it knows what to say where nobody can wait."""

    def at_once(self) -> Any:
        """Return the decision of sync code on a thread whose event loop is running."""


class AsyncWaiting:
    """Waits on the running loop."""

    def __init__(self, bus: Channel) -> None:
        self._bus = bus

    async def tell(self, hook: str, kwargs: dict[str, Any]) -> None:
        """See `Waiting`."""
        if is_observed(self._bus._hooks, hook):
            await self._bus._tell(hook, **kwargs)

    def finish(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Awaitable[Any]:
        """See `Waiting`."""
        return awaitable if timeout_s is None else _within(awaitable, timeout_s)

    async def ask(self, provider: ApprovalProvider, request: ApprovalRequest) -> Any:
        """See `Waiting`."""
        return await _within(provider.ask(request), request.timeout_s, NobodyAnsweredError)


class SyncWaiting:
    """Waits by blocking, and only where no loop is blocked by it.

    On a thread whose loop is running, a coroutine that never has to wait is still heard: most
    `async def` interceptors are such. One that has to wait is a `HookContractError`.
    """

    def __init__(self, bus: Channel) -> None:
        self._bus = bus

    async def tell(self, hook: str, kwargs: dict[str, Any]) -> None:
        """See `Waiting`."""
        if is_observed(self._bus._hooks, hook):
            self._bus._tell_sync(hook, **kwargs)

    async def finish(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Any:
        """See `Waiting`."""
        if _is_loop_running():
            return _in_one_step(awaitable)
        return run_alone(_within(awaitable, timeout_s))

    async def ask(self, provider: ApprovalProvider, request: ApprovalRequest) -> Any:
        """See `Waiting`."""
        if _is_loop_running():
            raise HookContractError(
                "nobody can be asked from sync code while this thread's event loop is running: "
                "it would stand still. Use `async with operation(…)` or `await dispatch(…)`"
            )
        if isinstance(provider, SyncApprovalProvider):
            return _on_a_thread(provider, request)
        return run_alone(_within(provider.ask(request), request.timeout_s, NobodyAnsweredError))


def completed(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends, and return what it returns."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise AssertionError("a decision in sync code was suspended")


async def _within(
    awaitable: Awaitable[Any], timeout_s: float | None, late: type[TimeoutError] = TimeoutError
) -> Any:
    if timeout_s is None:
        return await awaitable
    # Not `asyncio.wait_for`: on 3.11 it would run the call-back in another task.
    limit = asyncio.timeout(timeout_s)
    try:
        async with limit:
            return await awaitable
    except TimeoutError as error:
        if limit.expired():
            raise late(f"took longer than {timeout_s:g} s") from error
        raise


def _in_one_step(awaitable: Awaitable[Any]) -> Any:
    if isinstance(awaitable, AwaitableAtOnce):
        return awaitable.at_once()
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as end:
        return end.value
    close = getattr(steps, "close", None)
    if close is not None:
        close()
    raise HookContractError(
        "an async interceptor had to wait, and sync code on a thread whose event loop is running "
        "cannot wait for it. Use `async with operation(…)` or `await dispatch(…)`"
    )


def _on_a_thread(provider: SyncApprovalProvider, request: ApprovalRequest) -> Any:
    """Ask on a thread of its own: only so can the bus stop waiting for a sync answer."""
    answers: list[Any] = []
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            answers.append(provider.ask_sync(request))
        except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
            failures.append(error)

    asking = Thread(target=copy_context().run, args=(ask,), daemon=True)
    asking.start()
    asking.join(min(request.timeout_s, TIMEOUT_MAX))
    if failures:
        raise failures[0]
    if not answers:
        raise NobodyAnsweredError(f"took longer than {request.timeout_s:g} s")
    return answers[0]


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
