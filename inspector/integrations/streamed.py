"""Operations over streaming calls that can be denied, changed and repeated.

`Bus.call` returns a result; a middleware that is a generator has to pass pieces on while the
operation runs, and its result after it has closed.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from contextvars import copy_context
from typing import Any, Generic, TypeVar

from inspector.integrations.session import in_session
from instrument import Bus, Operation
from instrument.operations import RepeatableOperation
from instrument.parts import Injection
from instrument.stream import AsyncStream, Step, StepContext, StreamMeter

T = TypeVar("T")


class WatchedGenerator(AsyncGenerator[T, None]):
    """A framework's async generator as an operation, otherwise unchanged.

    An event loop closes a generator that its consumer has dropped, which takes steps of the loop
    and may come too late. With the framework's generator inside ours, that would fail where the
    framework alone does not. So the two are beside each other: when the consumer drops the
    stream, ours ends at once, and the loop closes the framework's as ever.

    Args:
        make: Makes our generator, which hands the framework's to the source, and passes on and
            closes what that returns.
    """

    def __init__(self, make: Callable[[GeneratorSource[T]], AsyncGenerator[T, None]]) -> None:
        self._source = GeneratorSource[T]()
        self._generator = make(self._source)

    async def __anext__(self) -> T:
        return await unknown_to_the_loop(self._generator.__anext__)

    async def asend(self, value: None) -> T:
        """Continue as `__anext__` does; the value is ignored."""
        return await anext(self)

    async def athrow(self, *error: Any) -> T:
        """Raise an error in our generator."""
        return await unknown_to_the_loop(lambda: self._generator.athrow(*error))

    async def aclose(self) -> None:
        """Close the framework's generator, and then the operation."""
        await unknown_to_the_loop(self._generator.aclose)

    def __del__(self) -> None:
        self._source.is_dropped = True
        with suppress(StopIteration, RuntimeError):  # it has ended, or its thread still runs it
            self._generator.aclose().__await__().__next__()


class GeneratorSource(Generic[T]):
    """The source of our generator: the framework's, which is not closed once it was dropped."""

    _original: AsyncGenerator[T, None]

    def __init__(self) -> None:
        self.is_dropped = False

    def of(self, original: AsyncGenerator[T, None]) -> GeneratorSource[T]:
        """Set the framework's generator, and return this source, which passes it on."""
        self._original = original
        return self

    def __aiter__(self) -> GeneratorSource[T]:
        return self

    async def __anext__(self) -> T:
        return await anext(self._original)

    async def aclose(self) -> None:
        """Close the framework's generator if our own is closed, and not only dropped."""
        if not self.is_dropped:
            await self._original.aclose()


def unknown_to_the_loop(step: Callable[[], Awaitable[T]]) -> Awaitable[T]:
    """Begin a step of a generator without the loop's hooks, which its first step reads."""
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
        bus: The bus that it is reported on.
        noun: Its kind, such as `tool_call`.
        source: Takes the operation, yields the pieces, and sets `operation.result`.
        text_of: Returns what a piece adds to the text of the answer.
        kwargs: The kwargs of the before hook.

    Attributes:
        result: The result, as interceptors left it.
        injections: Their injections for the model, of the last attempt.
    """

    def __init__(
        self,
        bus: Bus,
        noun: str,
        source: Callable[[Operation], AsyncGenerator[T, None]],
        text_of: Callable[[T], str | None] | None = None,
        /,
        **kwargs: Any,
    ) -> None:
        self.result: Any = None
        self.injections: tuple[Injection, ...] = ()
        self._bus, self._noun, self._source, self._kwargs = bus, noun, source, kwargs
        self._text_of = text_of

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
                        try:
                            yield piece
                        except GeneratorExit:
                            if not self.is_last(piece):
                                raise
                            return
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

    def is_last(self, piece: T) -> bool:
        """Return whether a consumer that takes nothing after `piece` has left nothing out."""
        return False

    def measured(
        self, operation: Operation, source: AsyncGenerator[T, None]
    ) -> AsyncStream[T] | AsyncGenerator[T, None]:
        """Pass on and count the pieces; overridden where only some of them count."""
        return operation.stream(source, text_of=self._text_of)


@contextmanager
def inside(operation: Operation) -> Iterator[None]:
    """Run the block in the context of an open operation, and what follows outside it.

    For a block in another context than the one that opened it; or, empty, to leave an operation
    that goes on.
    """
    if not operation._is_reported:
        yield
        return
    context = StepContext(operation._outside, operation._inside)
    context.enter()
    try:
        yield
    finally:
        context.leave()


class _SessionContext(StepContext):
    """The session of a stream around which no operation is that would set it back at the end."""

    def end(self) -> None:
        """Restore the consumer's values."""
        self.leave()


async def stream_in_session(
    session_id: str | None, source: AsyncGenerator[T, None]
) -> AsyncGenerator[T, None]:
    """Run each step of `source` in a session, but not its consumer."""
    outside = copy_context()
    with in_session(session_id):
        inside = copy_context()
    steps = AsyncStream(source, Step(_SessionContext(outside, inside), StreamMeter(0)))
    try:
        async for piece in steps:
            yield piece
    finally:
        with in_session(session_id):
            await steps.aclose()
