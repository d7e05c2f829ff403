"""One thing that an agent does, told from beginning to end.

    operation_opened → before_<noun> → (the body) → after_<noun> | error_<noun> → operation_closed

Each comes exactly once whatever happens: return, raise, cancellation, a generator that is closed
early. An operation is used as `async with`, or as `with` from sync code.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterable, Iterator
from contextvars import Context, ContextVar, copy_context
from time import perf_counter_ns
from types import TracebackType
from typing import Any, NamedTuple, Protocol, TypeVar, overload

from instrument.catalogue import Noun, find_noun
from instrument.delivery import Emit, Table, is_heard
from instrument.ids import call_id, next_number
from instrument.stream import AsyncStream, Step, StepContext, StreamMeter, SyncStream

T = TypeVar("T")


class Channel(Protocol):
    """What an operation needs of its bus."""

    _hooks: Table
    _emit: Emit

    def _emit_sync(self, name: str, /, *args: Any, **kwargs: Any) -> None: ...


class Frame:
    """Who an operation is, for those that begin inside it.

    Contexts outlive operations (a task keeps a copy for ever), so this holds no payload.
    """

    __slots__ = ("_call_id", "_number", "bus", "is_open", "outer")

    def __init__(self, bus: Channel, outer: Frame | None) -> None:
        self.bus = bus
        self.outer = outer
        self.is_open = True
        self._number = next_number()
        self._call_id = ""

    @property
    def call_id(self) -> str:
        """Spelled when first asked for: nobody asks while nobody listens."""
        if not self._call_id:
            self._call_id = call_id(self._number)
        return self._call_id


_current: ContextVar[Frame | None] = ContextVar("instrument.operation", default=None)


def _nearest_open(frame: Frame | None, bus: Channel | None = None) -> Frame | None:
    """Return the innermost frame that is still open, of `bus` if given."""
    while frame is not None and not (frame.is_open and (bus is None or frame.bus is bus)):
        frame = frame.outer
    return frame


class Event(NamedTuple):
    """A hook that is about to be emitted."""

    hook: str
    kwargs: dict[str, Any]


class Operation:
    """An operation; made by `operation(noun, **kwargs)`, entered once.

    Attributes:
        kwargs: The final kwargs: what was given, as the interceptors left it.
        result: What came of it; the body sets it. It becomes the output kwarg of the after hook
            (`result`, `response`, `content`, …: see the catalogue).
    """

    __slots__ = (
        "_bus",
        "_extra",
        "_frame",
        "_inside",
        "_is_announced",
        "_meter",
        "_noun",
        "_outer",
        "_outside",
        "_started_ns",
        "kwargs",
        "result",
    )

    def __init__(self, bus: Channel, noun: str, kwargs: dict[str, Any]) -> None:
        self.kwargs = kwargs
        self.result: Any = None
        self._bus = bus
        self._noun: Noun = find_noun(noun)
        self._frame: Frame | None = None
        self._outer: Frame | None = None
        self._outside: Context | None = None
        self._inside: Context | None = None
        self._extra: dict[str, Any] | None = None
        self._meter: StreamMeter | None = None
        self._is_announced = False
        self._started_ns = 0

    @property
    def noun(self) -> str:
        """What kind of thing it is, such as `tool_call`."""
        return self._noun.name

    @property
    def args(self) -> Any:
        """The final input: `args` of a tool call, `prompt` of a model call, and so on."""
        return self.kwargs.get(self._noun.input) if self._noun.input else None

    @property
    def call_id(self) -> str:
        """Names this operation on every event of it; given when it is entered."""
        return self._entered().call_id

    @property
    def parent_call_id(self) -> str | None:
        """The innermost operation of the same bus that was open when this one was entered."""
        parent = _nearest_open(self._entered().outer, self._bus)
        return None if parent is None else parent.call_id

    def set(self, **outcome: Any) -> None:
        """Add kwargs to the closing hook, such as `usage` or `mime_type`."""
        if self._extra is None:
            self._extra = outcome
        else:
            self._extra.update(outcome)

    def chunk(self, *, tokens: int | None = None) -> None:
        """Count one streamed piece that does not pass through `stream`."""
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
        frame = self._entered()
        inside = self._inside
        if self._outside is None or inside is None:  # nobody listened: only we changed anything
            inside = copy_context()
            outside = inside.copy()
            outside.run(_current.set, self._outer)
            inside.run(_current.set, frame)
        else:
            outside = self._outside
        step = Step(StepContext(outside, inside), self._metered())
        if isinstance(source, AsyncIterable):
            return AsyncStream(source, step)
        return SyncStream(source, step)

    async def __aenter__(self) -> Operation:
        self._enter()
        try:
            for hook, kwargs in self._opening():
                await self._bus._emit(hook, **kwargs)
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    def __enter__(self) -> Operation:
        self._enter()
        try:
            for hook, kwargs in self._opening():
                self._bus._emit_sync(hook, **kwargs)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(exc, GeneratorExit):  # a coroutine that is being closed must not await
            self.__exit__(exc_type, exc, traceback)
            return
        outcome, closed = self._closing(exc)
        try:
            if outcome is not None:
                await self._bus._emit(outcome.hook, **outcome.kwargs)
        finally:
            try:
                if closed is not None:
                    await self._bus._emit(closed.hook, **closed.kwargs)
            finally:
                self._leave()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        outcome, closed = self._closing(exc)
        try:
            if outcome is not None:
                self._bus._emit_sync(outcome.hook, **outcome.kwargs)
        finally:
            try:
                if closed is not None:
                    self._bus._emit_sync(closed.hook, **closed.kwargs)
            finally:
                self._leave()

    def _entered(self) -> Frame:
        if self._frame is None:
            raise RuntimeError(
                f"Cannot read operation({self.noun!r}): it was not entered. Use it in `with`."
            )
        return self._frame

    def _metered(self) -> StreamMeter:
        if self._meter is None:
            self._meter = StreamMeter(self._started_ns)
        return self._meter

    def _enter(self) -> None:
        if self._frame is not None:
            raise RuntimeError(
                f"Cannot enter operation({self.noun!r}) again: make a new one for every use."
            )
        self._outer = _current.get()
        self._frame = Frame(self._bus, _nearest_open(self._outer))
        self._started_ns = perf_counter_ns()

    def _opening(self) -> Iterator[Event]:
        table, noun = self._bus._hooks, self._noun
        is_told = is_heard(table, "operation_opened")
        is_announced = is_heard(table, noun.before)
        if is_told or is_announced:
            self._outside = copy_context()
        _current.set(self._frame)
        if is_told:
            yield Event(
                "operation_opened",
                {
                    "call_id": self.call_id,
                    "parent_call_id": self.parent_call_id,
                    "noun": noun.name,
                    "kwargs": dict(self.kwargs),
                },
            )
        # Interceptors decide here: after the opening, before anybody is told the final kwargs.
        self._is_announced = True
        if is_announced:
            yield Event(noun.before, {**noun.before_defaults, **self.kwargs, **self._identity()})
        if self._outside is not None:
            self._inside = copy_context()

    def _closing(self, exc: BaseException | None) -> tuple[Event | None, Event | None]:
        table, noun = self._bus._hooks, self._noun
        outcome = closed = None
        hook = noun.after if exc is None else noun.error
        if self._is_announced and is_heard(table, hook):
            outcome = Event(hook, self._succeeded() if exc is None else self._failed(exc))
        if is_heard(table, "operation_closed"):
            closed = Event(
                "operation_closed",
                {
                    "call_id": self.call_id,
                    "noun": noun.name,
                    "status": _status(exc),
                    "exc": exc,
                    "stream": None if self._meter is None else self._meter.stats(),
                },
            )
        return outcome, closed

    def _succeeded(self) -> dict[str, Any]:
        noun = self._noun
        given = {name: value for name, value in self.kwargs.items() if name not in noun.not_after}
        kwargs = {**noun.after_defaults, **given}
        if noun.request_as is not None:
            kwargs[noun.request_as] = self.args
        kwargs[noun.output] = self.result
        if noun.is_timed:
            kwargs["duration_ms"] = (perf_counter_ns() - self._started_ns) / 1e6
        return {**kwargs, **(self._extra or {}), **self._identity()}

    def _failed(self, exc: BaseException) -> dict[str, Any]:
        noun = self._noun
        kwargs = {**noun.error_defaults, **self.kwargs}
        if self.result is not None and noun.request_as is None:
            kwargs[noun.output] = self.result
        return {**kwargs, **(self._extra or {}), "exc": exc, **self._identity()}

    def _identity(self) -> dict[str, str | None]:
        return {"call_id": self.call_id, "parent_call_id": self.parent_call_id}

    def _leave(self) -> None:
        frame = self._entered()
        frame.is_open = False
        if _current.get() is frame:
            _current.set(self._outer)


_CANCELLED = (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt)


def _status(exc: BaseException | None) -> str:
    if exc is None:
        return "ok"
    return "cancelled" if isinstance(exc, _CANCELLED) else "error"
