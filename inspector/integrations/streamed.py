"""What a framework streams through us: calls that can be refused, changed and run again.

`Bus.call` returns a result; a middleware that is a generator has to pass pieces on while the
operation runs, and to say its result after it has closed.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from contextvars import copy_context
from typing import Any, Generic, TypeVar

from inspector.integrations.session import in_session
from instrument import Bus, Operation
from instrument.decision import Injection
from instrument.operations import RepeatableOperation
from instrument.stream import AsyncStream, Step, StepContext, StreamMeter

T = TypeVar("T")


class StreamedCall(Generic[T]):
    """Iterate over it for the pieces; what came of it is in `result` then.

    Iterating raises what `Bus.call` raises. Run again, the pieces of each attempt pass.

    Args:
        bus: Where it is told.
        noun: What it is, such as `tool_call`.
        source: Takes the operation, yields the pieces, and sets `operation.result`.
        kwargs: What the before hook carries.

    Attributes:
        result: As interceptors left it.
        injections: What they want the model to see, of the last attempt.
    """

    def __init__(
        self,
        bus: Bus,
        noun: str,
        source: Callable[[Operation], AsyncGenerator[T, None]],
        /,
        **kwargs: Any,
    ) -> None:
        self.result: Any = None
        self.injections: tuple[Injection, ...] = ()
        self._bus, self._noun, self._source, self._kwargs = bus, noun, source, kwargs

    async def __aiter__(self) -> AsyncGenerator[T, None]:
        attempt = 0
        while True:
            operation = RepeatableOperation(self._bus, self._noun, dict(self._kwargs))
            try:
                async with (
                    operation,
                    aclosing(self._source(operation)) as source,
                    aclosing(self.measured(operation, source)) as pieces,
                ):
                    async for piece in pieces:
                        yield piece
            except Exception as error:
                if not operation.settles(error):
                    raise
            finally:
                self.result, self.injections = operation.result, operation.injections
            if not operation.must_run_again():
                return
            self._kwargs |= operation.next_attempt(attempt, self._bus._max_retries)
            attempt += 1

    def measured(
        self, operation: Operation, source: AsyncGenerator[T, None]
    ) -> AsyncStream[T] | AsyncGenerator[T, None]:
        """Pass on the pieces, and count them; for those of whom not all count."""
        return operation.stream(source)


async def stream_in_session(
    session_id: str | None, source: AsyncGenerator[T, None]
) -> AsyncGenerator[T, None]:
    """Let each step of `source` belong to a session, and nothing of what is done in between."""
    outside = copy_context()
    with in_session(session_id):
        inside = copy_context()
    steps = AsyncStream(source, Step(StepContext(outside, inside), StreamMeter(0)))
    try:
        async for piece in steps:
            yield piece
    finally:
        with in_session(session_id):
            await steps.aclose()
