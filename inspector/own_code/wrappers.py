"""Functions that run as operations, and otherwise do as the functions that they wrap.

Each is of the same sort as its function: a plain one, a coroutine function, a generator function
or an async one. So are its arguments, results and exceptions.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from inspector.integrations.streamed import unknown_to_the_loop
from inspector.own_code.described import Described, Function, UnfinishedResult
from instrument import Bus, Operation
from instrument.operations import RepeatableOperation
from instrument.stream import AsyncStream, SyncStream

MAX_PIECES = 1_000
"""Limit of the pieces of a generator that its span shows."""


def wrapped(described: Described) -> Function:
    """Return a function that does as the described one, as an operation."""
    function = described.function
    if _is(inspect.isasyncgenfunction, function):
        return _async_generator(described)
    if _is(inspect.isgeneratorfunction, function):
        return _generator(described)
    return _async(described) if _is(inspect.iscoroutinefunction, function) else _sync(described)


def _is(sort: Callable[[object], bool], function: Function) -> bool:
    return sort(function) or sort(getattr(function, "__call__", None))  # noqa: B004 - of an object


def _sync(described: Described) -> Function:
    function, bus = described.function, described.bus

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if described.is_silent():
            return function(*args, **kwargs)
        bound = described.bind(args, kwargs)

        def run(operation: Operation) -> Any:
            with described.called(bound, operation) as (final_args, final_kwargs):
                return described.check_returned(function(*final_args, **final_kwargs))

        result = bus.call_sync(described.noun, run, **described.hook_kwargs(bound))
        return result.coroutine if type(result) is UnfinishedResult else result

    return call


def _async(described: Described) -> Function:
    function, bus = described.function, described.bus

    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        if described.is_silent():
            return await function(*args, **kwargs)
        bound = described.bind(args, kwargs)

        async def run(operation: Operation) -> Any:
            with described.called(bound, operation) as (final_args, final_kwargs):
                return await function(*final_args, **final_kwargs)

        return await bus.call(described.noun, run, **described.hook_kwargs(bound))

    return call


def _generator(described: Described) -> Function:
    function = described.function

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        bus, bound = _bus_of(described), described.bind(args, kwargs)
        about, attempt = described.hook_kwargs(bound), 0
        while True:
            operation = RepeatableOperation(bus, described.noun, dict(about))
            pieces, returned, shown = _Pieces(bus), None, None
            with (
                _settling(operation) as failures,
                operation,
                described.called(bound, operation) as (final_args, final_kwargs),
            ):
                source = function(*final_args, **final_kwargs)
                try:
                    returned = yield from _relayed(
                        SyncStream(source, operation._step(_text)), pieces
                    )
                finally:
                    shown = operation.result = pieces.shown() if returned is None else returned
            if not operation.must_run_again():
                return returned if operation.result is shown else operation.result
            about |= operation.next_attempt(attempt, bus._max_retries, next(iter(failures), None))
            attempt += 1

    return call


def _text(piece: Any) -> Any:
    """Return what a piece adds to the text of an answer: a generator of texts yields its parts."""
    return piece


def _relayed(source: SyncStream[Any], pieces: _Pieces) -> Generator[Any, Any, Any]:
    """Do as `yield from source`, and note the pieces."""
    try:
        piece = next(source)
        while True:
            pieces.note(piece)
            try:
                sent = yield piece
            except GeneratorExit:
                source.close()
                raise
            except BaseException as error:  # noqa: BLE001 - raised where it was thrown to
                piece = source.throw(error)
            else:
                piece = next(source) if sent is None else source.send(sent)
    except StopIteration as end:
        return end.value


def _async_generator(described: Described) -> Function:
    function = described.function

    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        bus, bound = _bus_of(described), described.bind(args, kwargs)
        about, attempt = described.hook_kwargs(bound), 0
        while True:
            operation = RepeatableOperation(bus, described.noun, dict(about))
            pieces = _Pieces(bus)
            with _settling(operation) as failures:
                async with operation:
                    operation.seal()
                    with described.called(bound, operation) as (final_args, final_kwargs):
                        source = _Inner(function(*final_args, **final_kwargs))
                        stream = AsyncStream(source, operation._step(_text))
                        try:
                            piece = await anext(stream)
                            while True:  # as `yield from` does, which async generators lack
                                pieces.note(piece)
                                try:
                                    sent = yield piece
                                except GeneratorExit:
                                    await stream.aclose()
                                    raise
                                except BaseException as error:  # noqa: BLE001 - as above
                                    piece = await stream.athrow(error)
                                else:
                                    piece = await stream.asend(sent)
                        except StopAsyncIteration:
                            pass
                        finally:
                            operation.result = pieces.shown()
            if not operation.must_run_again():
                return
            about |= operation.next_attempt(attempt, bus._max_retries, next(iter(failures), None))
            attempt += 1

    return call


@contextmanager
def _settling(operation: RepeatableOperation) -> Iterator[list[Exception]]:
    """Swallow an exception that interceptors have settled; yield where it is put."""
    failures: list[Exception] = []
    try:
        yield failures
    except Exception as error:
        if not operation.settles(error):
            raise
        failures.append(error)


class _Inner:
    """The async generator of the program, which ours closes, and not the event loop."""

    def __init__(self, source: AsyncGenerator[Any, Any]) -> None:
        self._source = source

    def __aiter__(self) -> _Inner:
        return self

    def __anext__(self) -> Awaitable[Any]:
        return unknown_to_the_loop(self._source.__anext__)

    def asend(self, value: Any) -> Awaitable[Any]:
        return self._source.asend(value)

    def athrow(self, error: BaseException) -> Awaitable[Any]:
        return self._source.athrow(error)

    def aclose(self) -> Awaitable[Any]:
        return self._source.aclose()


class _Pieces:
    """The pieces of a generator that its span shows."""

    def __init__(self, bus: Bus) -> None:
        self._limit = MAX_PIECES if bus._hooks else 0
        self._first: list[Any] = []
        self._more = 0

    def note(self, piece: Any) -> None:
        """Add a piece."""
        if len(self._first) < self._limit:
            self._first.append(piece)
        else:
            self._more += 1

    def shown(self) -> Any:
        """Return the pieces: texts as one, others as a list; None if there are none."""
        more = [f"… and {self._more} more"] if self._more and self._first else []
        if all(isinstance(piece, str) for piece in self._first):
            return "".join(self._first + more) or None
        return self._first + more


_nobody = Bus()
"""A bus that nobody listens to."""


def _bus_of(described: Described) -> Bus:
    return _nobody if described.is_silent() else described.bus
