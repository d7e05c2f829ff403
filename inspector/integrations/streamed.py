"""Operations over streaming calls that can be denied, changed and repeated.

`Bus.call` returns a result; a middleware that is a generator has to pass pieces on while the
operation runs, and to say its result after it has closed.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from contextvars import copy_context
from typing import Any, Generic, TypeVar

from inspector.integrations.session import in_session
from instrument import Bus, Operation
from instrument.decision import Injection
from instrument.operations import RepeatableOperation
from instrument.stream import AsyncStream, Step, StepContext, StreamMeter

T = TypeVar("T")


class Watched(AsyncGenerator[T, None]):
    """A framework's async generator as an operation, otherwise unchanged.

    A loop closes a generator that its consumer has left, which takes steps of the loop, and may
    come too late. Inside a generator of ours that would fail where the framework's own does not.
    So the framework's is held beside ours: whoever leaves the stream drops both, ours ends at once
    and waits for nothing, and the other one is the loop's, as ever.

    Args:
        tell: Makes our generator. It gives the framework's to the source, and passes on and closes
            what that returns.
    """

    def __init__(self, tell: Callable[[GeneratorSource[T]], AsyncGenerator[T, None]]) -> None:
        self._source = GeneratorSource[T]()
        self._told = tell(self._source)

    async def __anext__(self) -> T:
        return await _unknown_to_the_loop(self._told.__anext__)

    async def asend(self, value: None) -> T:
        """Go on, as `__anext__` does: what streams takes nothing."""
        return await anext(self)

    async def athrow(self, *error: Any) -> T:
        """Raise an error where our generator stands."""
        return await _unknown_to_the_loop(lambda: self._told.athrow(*error))

    async def aclose(self) -> None:
        """Close the framework's generator, and then the operation."""
        await _unknown_to_the_loop(self._told.aclose)

    def __del__(self) -> None:
        self._source.is_left = True
        with suppress(StopIteration, RuntimeError):  # it has ended, or its thread still runs it
            self._told.aclose().__await__().__next__()


class GeneratorSource(Generic[T]):
    """The holder of the framework's generator, which is not closed once it was left."""

    _original: AsyncGenerator[T, None]

    def __init__(self) -> None:
        self.is_left = False

    def of(self, original: AsyncGenerator[T, None]) -> GeneratorSource[T]:
        """Hold `original`, and return what passes it on."""
        self._original = original
        return self

    def __aiter__(self) -> GeneratorSource[T]:
        return self

    async def __anext__(self) -> T:
        return await anext(self._original)

    async def aclose(self) -> None:
        """Close the framework's generator if our own is closed, and not only dropped."""
        if not self.is_left:
            await self._original.aclose()


def _unknown_to_the_loop(step: Callable[[], Awaitable[T]]) -> Awaitable[T]:
    """Begin a step of a generator, which asks for the loop's hooks when its first one begins."""
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(None, None)
    try:
        return step()
    finally:
        sys.set_asyncgen_hooks(*hooks)


class StreamedCall(Generic[T]):
    """An iterator over the pieces of a call, with its outcome in `result` afterwards.

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
            failure = None
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
                failure = error
            finally:
                self.result, self.injections = operation.result, operation.injections
            if not operation.must_run_again():
                return
            self._kwargs |= operation.next_attempt(attempt, self._bus._max_retries, failure)
            attempt += 1

    def measured(
        self, operation: Operation, source: AsyncGenerator[T, None]
    ) -> AsyncStream[T] | AsyncGenerator[T, None]:
        """Pass on and count the pieces; to be overridden if only some of them count."""
        return operation.stream(source)


async def stream_in_session(
    session_id: str | None, source: AsyncGenerator[T, None]
) -> AsyncGenerator[T, None]:
    """Run each step of `source` in a session, but not the code in between."""
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
