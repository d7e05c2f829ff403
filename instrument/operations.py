"""One thing that an agent does, told from beginning to end.

    operation_opened → before_<noun> → (the body) → after_<noun> | error_<noun> → operation_closed

Each comes exactly once whatever happens: return, raise, cancellation, a generator that is closed
early. An operation is entered as `async with`, or as `with` from sync code.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterable
from contextvars import Context, ContextVar, copy_context
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Protocol, TypeVar, overload

from instrument.catalogue import Noun, find_noun
from instrument.delivery import EVERY, Emit, Table
from instrument.ids import next_call_id
from instrument.stream import AsyncStream, Step, StepContext, StreamMeter, SyncStream

T = TypeVar("T")

OPENED = "operation_opened"
CLOSED = "operation_closed"


class Channel(Protocol):
    """What an operation needs of its bus."""

    _hooks: Table
    _emit: Emit

    def _emit_sync(self, name: str, /, *args: Any, **kwargs: Any) -> None: ...


class Frame:
    """Who an operation is, for those that begin inside it.

    Contexts outlive operations (a task keeps a copy for ever), so this holds no payload. What
    was left behind closed, by a generator that another task closed, is passed over.
    """

    __slots__ = ("bus", "call_id", "is_open", "outer", "parent_call_id")

    def __init__(self, bus: Channel, outer: Frame | None) -> None:
        self.bus = bus
        self.call_id = next_call_id()
        self.is_open: bool = True
        while outer is not None and not outer.is_open:
            outer = outer.outer
        self.outer: Frame | None = outer
        while outer is not None and not (outer.is_open and outer.bus is bus):
            outer = outer.outer
        self.parent_call_id: str | None = None if outer is None else outer.call_id


_current: ContextVar[Frame | None] = ContextVar("instrument.operation", default=None)


class Operation:
    """An operation; made by `operation(noun, **kwargs)`.

    One that nobody listened to when it began stays silent to its end: half a story would look
    like a call that never started.

    Attributes:
        kwargs: The final kwargs: what was given, as the interceptors left it.
        result: What came of it; the body sets it. It becomes the output kwarg of the after hook
            (`result`, `response`, `content`, …: see the catalogue).
    """

    __slots__ = (
        "_bus",
        "_frame",
        "_inside",
        "_is_announced",
        "_is_told",
        "_meter",
        "_name",
        "_noun",
        "_outcome",
        "_outer",
        "_outside",
        "_started_ns",
        "kwargs",
        "result",
    )

    _noun: Noun
    _is_announced: bool
    _outer: Frame | None
    _outside: Context
    _inside: Context
    _started_ns: int
    _meter: StreamMeter | None

    def __init__(self, bus: Channel, noun: str, kwargs: dict[str, Any]) -> None:
        # As little as can be: most of the rest is set only when somebody listens.
        self.kwargs = kwargs
        self.result: Any = None
        self._bus = bus
        self._name = noun
        self._frame: Frame | None = None
        self._outcome: dict[str, Any] | None = None
        self._is_told = False

    @property
    def noun(self) -> str:
        """What kind of thing it is, such as `tool_call`."""
        return self._name

    @property
    def args(self) -> Any:
        """The final input: `args` of a tool call, `prompt` of a model call, and so on."""
        return self.kwargs.get(find_noun(self._name).input or "")

    @property
    def call_id(self) -> str:
        """Names this operation on every event of it."""
        return self._identified().call_id

    @property
    def parent_call_id(self) -> str | None:
        """The innermost operation of the same bus that was open when this one began."""
        return self._identified().parent_call_id

    def set(self, **outcome: Any) -> None:
        """Add kwargs to the closing hook, such as `usage` or `mime_type`."""
        self._outcome = {**(self._outcome or {}), **outcome}

    def chunk(self, *, tokens: int | None = None) -> None:
        """Count one streamed piece that does not pass through `stream`."""
        if self._is_told:
            self._metered().piece(tokens=tokens)

    @overload
    def stream(self, source: AsyncIterable[T]) -> AsyncStream[T]: ...
    @overload
    def stream(self, source: Iterable[T]) -> SyncStream[T]: ...
    def stream(self, source: AsyncIterable[T] | Iterable[T]) -> AsyncStream[T] | SyncStream[T]:
        """Pass `source` on piece by piece, and measure it.

        The operation is current while a piece is being made and not while the consumer looks at
        it, so this may be yielded from: what the consumer does is not the operation's child.
        """
        if self._is_told:
            step = Step(StepContext(self._outside, self._inside), self._metered())
        else:
            step = Step(StepContext(_EMPTY, _EMPTY), StreamMeter(0))
        if isinstance(source, AsyncIterable):
            return AsyncStream(source, step)
        return SyncStream(source, step)

    async def __aenter__(self) -> Operation:
        table = self._bus._hooks
        if not table:
            return self
        emit, hook = self._bus._emit, self._begin()
        try:
            if OPENED in table or EVERY in table:
                await emit(OPENED, **self._opening())
            # Interceptors decide here: after the opening, so that a wait has a place to sit, and
            # before anybody is told the final kwargs.
            self._is_announced = True
            if hook in table or EVERY in table:
                await emit(hook, **self._before())
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        self._inside = copy_context()
        return self

    def __enter__(self) -> Operation:
        table = self._bus._hooks
        if not table:
            return self
        emit, hook = self._bus._emit_sync, self._begin()
        try:
            if OPENED in table or EVERY in table:
                emit(OPENED, **self._opening())
            # Interceptors decide here, as above.
            self._is_announced = True
            if hook in table or EVERY in table:
                emit(hook, **self._before())
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        self._inside = copy_context()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._is_told:
            return
        if isinstance(exc, GeneratorExit):  # a coroutine that is being closed must not await
            self.__exit__(exc_type, exc, traceback)
            return
        table, emit = self._bus._hooks, self._bus._emit
        hook = self._noun.after if exc is None else self._noun.error
        try:
            if self._is_announced and (hook in table or EVERY in table):
                await emit(hook, **(self._after() if exc is None else self._error(exc)))
        finally:
            try:
                if CLOSED in table or EVERY in table:
                    await emit(CLOSED, **self._closing(exc))
            finally:
                self._leave()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._is_told:
            return
        table, emit = self._bus._hooks, self._bus._emit_sync
        hook = self._noun.after if exc is None else self._noun.error
        try:
            if self._is_announced and (hook in table or EVERY in table):
                emit(hook, **(self._after() if exc is None else self._error(exc)))
        finally:
            try:
                if CLOSED in table or EVERY in table:
                    emit(CLOSED, **self._closing(exc))
            finally:
                self._leave()

    def _identified(self) -> Frame:
        if self._frame is None:
            self._frame = Frame(self._bus, _current.get())
        return self._frame

    def _metered(self) -> StreamMeter:
        if self._meter is None:
            self._meter = StreamMeter(self._started_ns)
        return self._meter

    def _begin(self) -> str:
        """Become the current operation; return the name of the before hook."""
        self._is_told = True
        self._is_announced = False
        self._noun = find_noun(self._name)
        self._outside = self._inside = copy_context()
        self._outer = _current.get()
        if self._frame is None or not self._frame.is_open:
            self._frame = Frame(self._bus, self._outer)
        _current.set(self._frame)
        self._started_ns = perf_counter_ns()
        self._meter = None
        return self._noun.before

    def _leave(self) -> None:
        self._is_told = False
        frame = self._identified()
        frame.is_open = False
        if _current.get() is frame:
            _current.set(self._outer)

    def _opening(self) -> dict[str, Any]:
        frame = self._identified()
        return {
            "call_id": frame.call_id,
            "parent_call_id": frame.parent_call_id,
            "noun": self._name,
            "kwargs": dict(self.kwargs),
        }

    def _before(self) -> dict[str, Any]:
        frame = self._identified()
        return {
            **self._noun.before_defaults,
            **self.kwargs,
            "call_id": frame.call_id,
            "parent_call_id": frame.parent_call_id,
        }

    def _after(self) -> dict[str, Any]:
        noun, frame = self._noun, self._identified()
        kwargs = {**noun.after_defaults, **self.kwargs}
        for name in noun.not_after:
            kwargs.pop(name, None)
        if noun.request_as is not None:
            kwargs[noun.request_as] = self.args
        kwargs[noun.output] = self.result
        if noun.is_timed:
            kwargs["duration_ms"] = (perf_counter_ns() - self._started_ns) / 1e6
        if self._outcome is not None:
            kwargs.update(self._outcome)
        kwargs["call_id"] = frame.call_id
        kwargs["parent_call_id"] = frame.parent_call_id
        return kwargs

    def _error(self, exc: BaseException) -> dict[str, Any]:
        noun, frame = self._noun, self._identified()
        kwargs = {**noun.error_defaults, **self.kwargs}
        if self.result is not None and noun.request_as is None:
            kwargs[noun.output] = self.result
        return {
            **kwargs,
            **(self._outcome or {}),
            "exc": exc,
            "call_id": frame.call_id,
            "parent_call_id": frame.parent_call_id,
        }

    def _closing(self, exc: BaseException | None) -> dict[str, Any]:
        return {
            "call_id": self._identified().call_id,
            "noun": self._name,
            "status": _status(exc),
            "exc": exc,
            "stream": None if self._meter is None else self._meter.stats(),
        }


_EMPTY = Context()
_CANCELLED = (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt)


def _status(exc: BaseException | None) -> str:
    if exc is None:
        return "ok"
    return "cancelled" if isinstance(exc, _CANCELLED) else "error"
