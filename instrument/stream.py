"""Streamed results: their measurement, and the context of each step.

A generator shares its context with its consumer. If an operation were current during a whole
streamed answer, everything that the consumer does between two chunks would count as its child. So
the context variables that opening the operation set apply inside each step of the source, and not
between steps. `ContextVar.reset` would raise when another task closes a generator; values are set
back instead, and only where they are still ours.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class StreamStats(NamedTuple):
    """Statistics of a streamed result; on `operation_closed`."""

    chunk_count: int
    """Number of chunks."""
    token_count: int | None
    """Sum of the tokens passed to `op.chunk`; None if none were."""
    first_chunk_ns: int
    """Time from the start of the operation to its first chunk."""
    longest_stall_ns: int
    """Longest wait for a chunk after the first."""
    longest_stall_at_ns: int = 0
    """Time from the start of the operation to the start of that wait."""


class StreamMeter:
    """Counts chunks as they arrive."""

    __slots__ = (
        "_chunks",
        "_first_ns",
        "_last_ns",
        "_stall_at_ns",
        "_stall_ns",
        "_started_ns",
        "_tokens",
    )

    _first_ns: int  # of the first piece, like the next
    _last_ns: int

    def __init__(self, started_ns: int) -> None:
        self._started_ns = started_ns
        self._chunks = 0
        self._tokens: int | None = None
        self._stall_ns = self._stall_at_ns = 0

    def piece(self, *, waited_ns: int | None = None, tokens: int | None = None) -> None:
        """Count a chunk that took `waited_ns` to arrive (default: since the last one)."""
        now_ns = perf_counter_ns()
        if self._chunks == 0:
            self._first_ns = now_ns - self._started_ns
        else:
            stall_ns = now_ns - self._last_ns if waited_ns is None else waited_ns
            if stall_ns > self._stall_ns:
                self._stall_ns = stall_ns
                self._stall_at_ns = now_ns - stall_ns - self._started_ns
        self._chunks += 1
        self._last_ns = now_ns
        if tokens is not None:
            self._tokens = (self._tokens or 0) + tokens

    def stats(self) -> StreamStats | None:
        """Return the statistics, or None if nothing was streamed."""
        if self._chunks == 0:
            return None
        return StreamStats(
            self._chunks, self._tokens, self._first_ns, self._stall_ns, self._stall_at_ns
        )


class StepContext:
    """Context changes of an opened operation, applied only during the steps of one stream.

    Like a generator with its own context, but only for the variables that the operation or its
    observers set on opening. A variable without a value or default outside cannot be unset again:
    it stays.
    """

    __slots__ = ("_consumer", "_inside", "_opened", "_outside", "_variables")

    _consumer: list[Any]  # values of the consumer when the step began

    def __init__(self, outside: Context, inside: Context) -> None:
        changes = [
            (var, _value_in(outside, var), value)
            for var, value in inside.items()
            if var not in outside or outside[var] is not value
        ]
        changes = [change for change in changes if change[1] is not _NO_VALUE]
        self._variables: list[ContextVar[Any]] = [var for var, _, _ in changes]
        self._outside = [value for _, value, _ in changes]
        self._opened = [value for _, _, value in changes]
        self._inside = self._opened

    def enter(self) -> None:
        """Set the source's values, and store the consumer's."""
        values = [var.get() for var in self._variables]
        # The first step begins inside the operation; the consumer is outside between steps.
        self._consumer = [
            outside if value is opened else value
            for value, opened, outside in zip(values, self._opened, self._outside, strict=True)
        ]
        _set(self._variables, self._inside)

    def leave(self) -> None:
        """Restore the consumer's values, for the time between two steps."""
        self._inside = [var.get() for var in self._variables]
        _set(self._variables, self._consumer)

    def end(self) -> None:
        """Restore the values of the operation's body, unless the consumer has changed them."""
        for var, consumer, outside in zip(
            self._variables, self._consumer, self._outside, strict=True
        ):
            if consumer is not outside:
                var.set(consumer)


_NO_VALUE: Any = object()


def _value_in(context: Context, var: ContextVar[Any]) -> Any:
    try:
        return context.run(var.get)  # unlike `context.get` this finds the variable's default
    except LookupError:
        return _NO_VALUE


def _set(variables: Iterable[ContextVar[Any]], values: Iterable[Any]) -> None:
    for var, value in zip(variables, values, strict=True):
        var.set(value)


class Step:
    """A step of a source, in the operation's context, timed and counted.

    `report` is given each piece, once it is counted.
    """

    __slots__ = ("_context", "_is_over", "_meter", "_report", "_started_ns")

    _started_ns: int

    def __init__(
        self,
        context: StepContext,
        meter: StreamMeter,
        report: Callable[[Any], object] | None = None,
    ) -> None:
        self._context = context
        self._meter = meter
        self._report = report
        self._is_over = False

    def __enter__(self) -> None:
        self._context.enter()
        self._started_ns = perf_counter_ns()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if exc_type is None:
            self._meter.piece(waited_ns=perf_counter_ns() - self._started_ns)
            self._context.leave()
        else:  # the end of the source, or its error
            self._is_over = True
            self._context.end()

    def reported(self, piece: T) -> T:
        """Report a piece that the step yielded, and return it."""
        if self._report is not None:
            self._report(piece)
        return piece

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Run the block, which closes the source, in the operation's context unless it is over."""
        if self._is_over:
            yield
            return
        self._context.enter()
        try:
            yield
        finally:
            self._context.leave()


class SyncStream(Generic[T]):
    """An iterator over a source, made by `Operation.stream`."""

    def __init__(self, source: Iterable[T], step: Step) -> None:
        self._source = iter(source)
        self._step = step

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        with self._step:
            piece = next(self._source)
        return self._step.reported(piece)

    def send(self, value: Any) -> T:
        """Send `value` into the source, a generator; return its next piece."""
        source: Any = self._source
        with self._step:
            piece: T = source.send(value)
        return self._step.reported(piece)

    def throw(self, error: BaseException) -> T:
        """Raise `error` in the source, a generator; return its next piece."""
        source: Any = self._source
        with self._step:
            piece: T = source.throw(error)
        return self._step.reported(piece)

    def close(self) -> None:
        """Close the source, if it can be closed."""
        close = getattr(self._source, "close", None)
        if close is not None:
            with self._step.closing():
                close()


class AsyncStream(Generic[T]):
    """An async iterator over a source, made by `Operation.stream`."""

    def __init__(self, source: AsyncIterable[T], step: Step) -> None:
        self._source = aiter(source)
        self._step = step

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        with self._step:
            piece = await anext(self._source)
        return self._step.reported(piece)

    async def asend(self, value: Any) -> T:
        """Send `value` into the source, an async generator; return its next piece."""
        source: Any = self._source
        with self._step:
            piece: T = await source.asend(value)
        return self._step.reported(piece)

    async def athrow(self, error: BaseException) -> T:
        """Raise `error` in the source, an async generator; return its next piece."""
        source: Any = self._source
        with self._step:
            piece: T = await source.athrow(error)
        return self._step.reported(piece)

    async def aclose(self) -> None:
        """Close the source, if it can be closed."""
        aclose = getattr(self._source, "aclose", None)
        if aclose is not None:
            with self._step.closing():
                await aclose()
