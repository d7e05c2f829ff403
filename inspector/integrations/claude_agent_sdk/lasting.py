"""An operation that callbacks begin and end, lasting open by a task of its own.

A task can be cancelled, by a person too: that reaches what the operation stands for. Its hooks
may await, at its end as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from contextvars import Context, copy_context
from typing import Any

from inspector.integrations.verdicts import ErrorResultError
from instrument import Operation


class LastingOperation:
    """One operation; `operation` has its arguments and its result, as hooks changed them.

    Args:
        operation: It, not yet begun.
        cancel: Called when the task is cancelled while the operation is open.
    """

    context: Context
    """The context inside it, once it has begun."""

    def __init__(self, operation: Operation, cancel: Callable[[], Awaitable[None]]) -> None:
        self.operation = operation
        self._cancel = cancel
        loop = asyncio.get_running_loop()
        self._begun: asyncio.Future[None] = loop.create_future()
        self._outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
        self._task: asyncio.Task[None] | None = None

    async def begin(self, around: Context, session: AbstractContextManager[None]) -> None:
        """Begin it inside `around`; raise what hooks decided against it."""
        lasting = self._hold(session)
        self._task = asyncio.get_running_loop().create_task(lasting, context=around.copy())
        await asyncio.shield(self._begun)

    async def end(self, result: Any, error: BaseException | None = None) -> None:
        """End it with its result or its error, and wait for its hooks. Idempotent."""
        self.end_soon(result, error)
        await self.ended()

    def end_soon(self, result: Any, error: BaseException | None = None) -> None:
        """End it when its task goes on."""
        if not self._outcome.done():
            self._outcome.set_result((result, error))

    async def ended(self) -> None:
        """Wait until its hooks have run."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _hold(self, session: AbstractContextManager[None]) -> None:
        with session, suppress(ErrorResultError, asyncio.CancelledError):
            try:
                async with self.operation:
                    self.context = copy_context()
                    self._begun.set_result(None)
                    await self._ended()
            except Exception as error:
                if self._begun.done():
                    raise
                self._begun.set_exception(error)

    async def _ended(self) -> None:
        try:
            result, error = await self._outcome
        except asyncio.CancelledError:
            with suppress(Exception):  # its process may be gone
                await self._cancel()
            raise
        self.operation.result = result
        if error is not None:
            raise error
