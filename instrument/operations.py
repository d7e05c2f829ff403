"""Operations: one step of an agent, reported from beginning to end.

    operation_opened → before_<noun> → (the body) → after_<noun> | error_<noun> → operation_closed

Each is emitted exactly once, whatever happens: return, raise, deny, cancellation, a generator that
is closed early. An operation is entered with `async with`, or with `with` from sync code.

Interceptors decide between `operation_opened`, so that the trace has a span during a wait, and
`before_<noun>`, which has the final kwargs; and again before `after_<noun>` or `error_<noun>`. They
are still called on an operation that has ended for good (denied, failed or stopped beforehand,
cancelled, interrupted), so that they can clean up; their decisions then change nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from contextvars import Context, ContextVar, copy_context
from time import perf_counter_ns
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from instrument.catalogue import Noun, find_noun
from instrument.decision import Outcome
from instrument.deliberation import HOOK_DECIDED, decide
from instrument.delivery import EVERY, deliver, deliver_sync, observers_of
from instrument.edits import copies_of
from instrument.errors import HookContractError, HookDenied, HookFailed, HookStopped, HookVerdict
from instrument.ids import next_call_id
from instrument.interceptors import Interceptor
from instrument.unknown import MAX_LOGGED
from instrument.waiting import completed

if TYPE_CHECKING:
    from instrument.channel import Channel, Waiting
    from instrument.parts import Injection
    from instrument.stream import AsyncStream, Step, StreamMeter, SyncStream

T = TypeVar("T")

_MESSAGE = "rpc_request"

OPENED = "operation_opened"
CLOSED = "operation_closed"
"""Both are in the table where somebody observes every event: they are catalogued."""

Order: TypeAlias = Literal["retry", "return"]
"""A request to `call`: run again, or return `result` whatever was raised."""


class OperationDecision:
    """The decisions on one operation, apart from its kwargs and its result."""

    __slots__ = (
        "injections",
        "is_final",
        "is_sealed",
        "order",
        "reason",
        "retry_changes",
        "verdict",
    )

    reason: str | None
    """Reason of a retry."""
    retry_changes: Mapping[str, Any]

    def __init__(self) -> None:
        self.injections: list[Injection] = []
        self.is_final = False
        """Whether it ended before its body ran."""
        self.is_sealed = False
        self.order: Order | None = None
        self.verdict: HookVerdict | None = None
        """The exception of the interceptor that ended it, if one did."""


class Frame:
    """The identity of an operation, for operations that begin inside it.

    Contexts outlive operations (a task has a copy for its lifetime), so this has no payload. Closed
    frames, left behind by a generator that another task closed, are skipped.
    """

    __slots__ = ("bus", "call_id", "is_open", "noun", "outer", "parent_call_id", "tool_name")

    def __init__(self, bus: Channel, outer: Frame | None, noun: str, tool_name: Any) -> None:
        self.bus = bus
        self.noun = noun
        self.tool_name = tool_name
        self.call_id = next_call_id()
        self.is_open: bool = True
        while outer is not None and not outer.is_open:
            outer = outer.outer
        self.outer: Frame | None = outer
        while outer is not None and not (outer.is_open and outer.bus is bus):
            outer = outer.outer
        self.parent_call_id: str | None = None if outer is None else outer.call_id


_current: ContextVar[Frame | None] = ContextVar("instrument.operation", default=None)


def current_call_id(bus: Channel) -> str | None:
    """Return the id of the innermost open operation of `bus` here, or None."""
    frame = _innermost(bus)
    return None if frame is None else frame.call_id


def enclosing_call_id(bus: Channel, noun: str) -> str | None:
    """Return the id of the innermost open operation of `bus` here with this noun, or None."""
    frame = _innermost(bus)
    while frame is not None and frame.noun != noun:
        frame = _open(bus, frame.outer)
    return None if frame is None else frame.call_id


def current_noun(bus: Channel) -> str | None:
    """Return the noun of the innermost open operation of `bus` here, or None."""
    frame = _innermost(bus)
    return None if frame is None else frame.noun


def is_current(bus: Channel, noun: str, tool_name: str | None = None) -> bool:
    """Return whether the innermost open operation of `bus` here has this noun and tool.

    For a layer that may see the same call as the layer above it, which has reported it. A message
    that carries the call (`rpc_request`) is skipped, unless `noun` is `rpc_request`.
    """
    frame = _innermost(bus)
    while frame is not None and frame.noun == _MESSAGE != noun:
        frame = _open(bus, frame.outer)
    return frame is not None and (frame.noun, frame.tool_name) == (noun, tool_name)


def _innermost(bus: Channel) -> Frame | None:
    return _open(bus, _current.get())


def _open(bus: Channel, frame: Frame | None) -> Frame | None:
    while frame is not None and not (frame.is_open and frame.bus is bus):
        frame = frame.outer
    return frame


class Operation:
    """An operation, created by `operation(noun, **kwargs)`.

    An operation without observers at its beginning is not reported at all: half of its events
    would look like a call that never started.

    Attributes:
        kwargs: The final kwargs, after the interceptors.
        result: The result, set by the body. It becomes the output kwarg of the after hook
            (`result`, `response`, `content`, …: see the catalogue).
    """

    __slots__ = (
        "_bus",
        "_decision",
        "_frame",
        "_inside",
        "_is_announced",
        "_is_reported",
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

    _can_rerun = False

    def __init__(self, bus: Channel, noun: str, kwargs: dict[str, Any]) -> None:
        # As little as possible: most attributes are set only for an observed operation.
        self.kwargs = kwargs
        self.result: Any = None
        self._bus = bus
        self._name = noun
        self._frame: Frame | None = None
        self._outcome: dict[str, Any] | None = None
        self._is_reported = False
        self._decision: OperationDecision | None = None

    @property
    def noun(self) -> str:
        """The kind of operation, such as `tool_call`."""
        return self._name

    @property
    def args(self) -> Any:
        """The final input: `args` of a tool call, `prompt` of an LLM call, and so on."""
        return self.kwargs.get(find_noun(self._name).input or "")

    @property
    def call_id(self) -> str:
        """The id of this operation on all its events."""
        return self._identified().call_id

    @property
    def parent_call_id(self) -> str | None:
        """The id of the enclosing operation on the same bus."""
        return self._identified().parent_call_id

    @property
    def injections(self) -> tuple[Injection, ...]:
        """Texts that interceptors add for the model, in order."""
        return () if self._decision is None else tuple(self._decision.injections)

    def set(self, **outcome: Any) -> None:
        """Add kwargs to the closing hook, such as `usage` or `mime_type`."""
        self._outcome = {**(self._outcome or {}), **outcome}

    def seal(self) -> None:
        """Mark the result as passed to the consumer unchanged, piece by piece.

        What interceptors put in its place is not applied, and reported as such.
        """
        if self._is_reported:
            self._own_decision().is_sealed = True

    def chunk(self, *, tokens: int | None = None, text: str = "") -> None:
        """Count one chunk that does not pass through `stream`; `text` is its part of the answer."""
        if self._is_reported:
            self._metered().piece(tokens=tokens)
            if self._bus._chunk_observers:
                is_text = isinstance(text, str)  # an adapter may pass on what it does not know
                self._bus._report_chunk(self._identified().call_id, text if is_text else "")

    @overload
    def stream(
        self, source: AsyncIterable[T], *, text_of: Callable[[T], str | None] | None = None
    ) -> AsyncStream[T]: ...
    @overload
    def stream(
        self, source: Iterable[T], *, text_of: Callable[[T], str | None] | None = None
    ) -> SyncStream[T]: ...
    def stream(
        self,
        source: AsyncIterable[T] | Iterable[T],
        *,
        text_of: Callable[[T], str | None] | None = None,
    ) -> AsyncStream[T] | SyncStream[T]:
        """Yield the chunks of `source` and measure them.

        The operation is current while a chunk is being made, but not while the consumer handles it:
        operations of the consumer are not its children.

        Args:
            source: Makes the chunks.
            text_of: Returns what a chunk adds to the text of the answer, for `observe_chunks`; it
                is called for every chunk, and only while somebody observes them.
        """
        from instrument.stream import AsyncStream, SyncStream  # noqa: PLC0415 - few do

        if isinstance(source, AsyncIterable):
            return AsyncStream(source, self._step(text_of))
        return SyncStream(source, self._step(text_of))

    def _step(self, text_of: Callable[[Any], str | None] | None = None) -> Step:
        """Return the context and the measurement of the steps of a source."""
        from instrument.stream import Step, StepContext, StreamMeter  # noqa: PLC0415 - see `stream`

        if not self._is_reported:
            return Step(StepContext(_EMPTY, _EMPTY), StreamMeter(0))
        report: Callable[[Any], object] | None = None
        if self._bus._chunk_observers:
            report = self._bus._chunk_reporter(self._identified().call_id, text_of)
        return Step(StepContext(self._outside, self._inside), self._metered(), report)

    async def __aenter__(self) -> Operation:
        table = self._bus._hooks
        if not table:
            if type(self._name) is not str or self._name not in self._bus._checked_nouns:
                self._check_once()
            return self
        hook = self._begin()
        try:
            if opened := table.get(OPENED):
                await deliver(table, OPENED, opened, self._opening())
            self._is_announced = True
            observers = table.get(hook)
            if observers is None and EVERY in table:
                observers = observers_of(table, hook)
            if observers:
                if type(observers[0]) is Interceptor:
                    await self._admit(self._bus._waiting)
                else:
                    await deliver(table, hook, observers, self._before())
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        self._inside = copy_context()
        return self

    def __enter__(self) -> Operation:
        table = self._bus._hooks
        if not table:
            if type(self._name) is not str or self._name not in self._bus._checked_nouns:
                self._check_once()
            return self
        hook = self._begin()
        try:
            if opened := table.get(OPENED):
                deliver_sync(table, OPENED, opened, self._opening())
            self._is_announced = True
            observers = table.get(hook)
            if observers is None and EVERY in table:
                observers = observers_of(table, hook)
            if observers:
                if type(observers[0]) is Interceptor:
                    completed(self._admit(self._bus._sync_waiting))
                else:
                    deliver_sync(table, hook, observers, self._before())
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
        if not self._is_reported:
            return
        if exc is not None and isinstance(exc, GeneratorExit):  # closed: it must not await
            self.__exit__(exc_type, exc, traceback)
            return
        table = self._bus._hooks
        hook, left = self._noun.after if exc is None else self._closing_hook(exc), exc
        try:
            observers = table.get(hook)
            if observers is None and EVERY in table:
                observers = observers_of(table, hook)
            if observers and self._is_announced:
                if type(observers[0]) is Interceptor:
                    left = await self._settle(self._bus._waiting, hook, exc)
                else:
                    kwargs = self._after() if exc is None else self._ending(hook, exc)
                    await deliver(table, hook, observers, kwargs)
        except BaseException as error:  # noqa: BLE001 - raised once it is reported
            left = error
        finally:
            try:
                if left is not None and isinstance(left, GeneratorExit):  # closed meanwhile
                    self._bus._notify_sync(CLOSED, **self._closing(left))
                elif closed := table.get(CLOSED):
                    await deliver(table, CLOSED, closed, self._closing(left))
            finally:
                self._leave()
        if left is not exc and left is not None:
            raise left from exc

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._is_reported:
            return
        table = self._bus._hooks
        hook, left = self._noun.after if exc is None else self._closing_hook(exc), exc
        try:
            observers = table.get(hook)
            if observers is None and EVERY in table:
                observers = observers_of(table, hook)
            if observers and self._is_announced:
                if type(observers[0]) is Interceptor:
                    left = completed(self._settle(self._bus._sync_waiting, hook, exc))
                else:
                    kwargs = self._after() if exc is None else self._ending(hook, exc)
                    deliver_sync(table, hook, observers, kwargs)
        except BaseException as error:  # noqa: BLE001 - raised once it is reported
            left = error
        finally:
            try:
                if closed := table.get(CLOSED):
                    deliver_sync(table, CLOSED, closed, self._closing(left))
            finally:
                self._leave()
        if left is not exc and left is not None:
            raise left from exc

    async def _admit(self, waiting: Waiting) -> None:
        """Let interceptors decide whether the body runs and with which kwargs; report that."""
        outcome = Outcome(self._noun.before, self._before())
        rest = decide(self._bus, waiting, outcome)
        if rest is None:  # nobody has an objection
            await waiting.notify(outcome.hook, outcome.data)
            return
        decision = self._decision = OperationDecision()
        decision.is_final = True  # until it is allowed
        try:
            await rest
        except GeneratorExit:  # closed while it waited for a person: nothing can be awaited
            await self._bus._sync_waiting.notify(outcome.hook, outcome.data)
            raise
        except BaseException:
            await waiting.notify(outcome.hook, outcome.data)
            raise
        self.kwargs = {**self.kwargs, **outcome.changes}
        decision.injections.extend(outcome.injections)
        await waiting.notify(outcome.hook, outcome.data)
        if outcome.is_allowed and outcome.approval is not None:
            objection = outcome.approval.objection_to(outcome.data)  # observers had their turn
            if objection is not None:
                outcome.action, outcome.reason = "deny", objection
        if outcome.action == "retry":
            raise HookContractError(
                f"{outcome.decided_by} wants a retry on {outcome.hook}, but nothing has run yet."
            )
        error = decision.verdict = outcome.error()
        if isinstance(error, HookStopped):
            self.result = error.value
        if error is not None:
            raise error
        decision.is_final = False

    async def _settle(
        self, waiting: Waiting, hook: str, exc: BaseException | None
    ) -> BaseException | None:
        """Let interceptors decide on the outcome, report it, and return the exception to raise."""
        outcome = Outcome(hook, self._ending(hook, exc))
        is_final = exc is not None and (
            self._own_decision().is_final or not isinstance(exc, Exception)
        )
        left, passed_on = exc, self.result
        if is_sealed := self._decision is not None and self._decision.is_sealed:
            passed_on = copies_of(("it",), {"it": self.result}).get("it", self.result)
        try:
            rest = decide(self._bus, waiting, outcome, asks=not is_final)
            if rest is not None:
                await rest
            if is_sealed:
                await self._keep(passed_on, waiting, outcome)
            if not is_final:
                left = self._resolve(outcome, exc)
        except Exception as error:  # noqa: BLE001 - raised once it is reported
            left = exc if is_final else error
        except GeneratorExit as error:  # closed while it waited: nothing can be awaited
            left, waiting = error, self._bus._sync_waiting
        except BaseException as error:  # noqa: BLE001 - raised once it is reported
            left = error
        if is_final or (left is not exc and not self._is_discarded()):
            hook = self._closing_hook(left)
            outcome.data = self._ending(hook, left)
        await waiting.notify(hook, outcome.data)
        return left

    def _resolve(self, outcome: Outcome, exc: BaseException | None) -> BaseException | None:
        """Put the outcome of a closing hook in force; return what leaves the block."""
        decision = self._own_decision()
        decision.injections.extend(outcome.injections)
        if outcome.action == "retry":
            self._check_retry(outcome)
            decision.order, decision.reason = "retry", outcome.reason
            decision.retry_changes = outcome.retry_changes
            return exc or self._discarded(outcome)
        error = decision.verdict = outcome.error()
        if isinstance(error, HookStopped):
            self.result = error.value
        elif error is None and self._noun.output in outcome.changes:
            self.result = outcome.changes[self._noun.output]
            decision.order = "return"
        return exc if error is None else error

    async def _keep(self, passed_on: Any, waiting: Waiting, outcome: Outcome) -> None:
        """Undo the change of a result that the consumer has already, and report that."""
        output = self._noun.output
        if outcome.action == "stop":
            outcome.action = "continue"
        elif output not in outcome.changes:
            return
        outcome.changes = {name: one for name, one in outcome.changes.items() if name != output}
        outcome.data = {**outcome.data, output: passed_on}
        self.result = passed_on
        if HOOK_DECIDED in self._bus._hooks:
            event = dict.fromkeys(("before", "after", "actor", "origin"))
            event |= {"call_id": self.call_id, "hook": outcome.hook, "interceptor": "stream"}
            event |= {"action": "continue", "reason": _PASSED_ON, "microseconds": 0.0}
            await waiting.notify(HOOK_DECIDED, event)

    def _is_discarded(self) -> bool:
        return self._decision is not None and self._decision.order == "retry"

    def _discarded(self, outcome: Outcome) -> HookFailed:
        """Return the failure of an attempt whose result is discarded."""
        reason = f"discarded: {outcome.decided_by} wants a retry"
        if outcome.reason is not None:
            reason += f": {outcome.reason}"
        return HookFailed(
            reason, hook=outcome.hook, interceptor=outcome.decided_by, call_id=self.call_id
        )

    def _check_retry(self, outcome: Outcome) -> None:
        wish = f"{outcome.decided_by} wants a retry on {outcome.hook}"
        if not self._can_rerun:
            raise HookContractError(
                f"{wish}, but the body of `operation` cannot run again. Its emitter must use "
                "`call`."
            )
        if self._meter is not None and self._meter.stats() is not None:
            raise HookContractError(f"{wish}, but parts of the answer were already streamed.")

    def _own_decision(self) -> OperationDecision:
        if self._decision is None:
            self._decision = OperationDecision()
        return self._decision

    def _closing_hook(self, exc: BaseException | None) -> str:
        if exc is None or (isinstance(exc, HookStopped) and self._is_own(exc)):
            return self._noun.after
        return self._noun.error

    def _ending(self, hook: str, exc: BaseException | None) -> dict[str, Any]:
        if hook == self._noun.error and exc is not None:
            return self._error(exc)
        return self._after()

    def _is_own(self, exc: BaseException | None) -> bool:
        return self._decision is not None and exc is not None and exc is self._decision.verdict

    def _identified(self) -> Frame:
        if self._frame is None:
            tool_name = self.kwargs.get("tool_name")
            self._frame = Frame(self._bus, _current.get(), self._name, tool_name)
        return self._frame

    def _metered(self) -> StreamMeter:
        if self._meter is None:
            from instrument.stream import StreamMeter  # noqa: PLC0415 - see `stream`

            self._meter = StreamMeter(self._started_ns)
        return self._meter

    def _check_once(self) -> None:
        """Log a problem of an unobserved operation, at the first one of each name."""
        self._check_noun(find_noun(self._name))
        if len(self._bus._checked_nouns) < MAX_LOGGED:
            self._bus._checked_nouns.add(self._name)

    def _check_noun(self, noun: Noun) -> None:
        """Log, once, a problem with the noun."""
        if noun.identity is None or noun.identity not in self.kwargs:
            self._bus._check_operation(self._name, noun)
            self._name = noun.name

    def _begin(self) -> str:
        """Become the current operation; return the name of the before hook."""
        self._is_reported = True
        self._is_announced = False
        self._noun = noun = find_noun(self._name)
        if noun.identity not in self.kwargs:
            self._check_noun(noun)
        self._decision = None
        self._outside = self._inside = copy_context()
        self._outer = outer = _current.get()
        frame = self._frame
        if frame is None or not frame.is_open:
            frame = Frame(self._bus, outer, self._name, self.kwargs.get("tool_name"))
            self._frame = frame
        _current.set(frame)
        self._meter = None
        self._started_ns = perf_counter_ns()
        return noun.before

    def _leave(self) -> None:
        self._is_reported = False
        frame = self._frame or self._identified()
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
        frame = self._frame or self._identified()
        return {
            **self._noun.before_defaults,
            **self.kwargs,
            "call_id": frame.call_id,
            "parent_call_id": frame.parent_call_id,
        }

    def _after(self) -> dict[str, Any]:
        noun, frame = self._noun, self._frame or self._identified()
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
            "status": self._status(exc),
            "exc": exc,
            "stream": None if self._meter is None else self._meter.stats(),
        }

    def _status(self, exc: BaseException | None) -> str:
        if exc is None:
            return "ok"
        if isinstance(exc, _CANCELLED):
            return "cancelled"
        if isinstance(exc, HookStopped):  # also of an inner operation: it ends this one too
            return "stopped"
        return "denied" if isinstance(exc, HookDenied) and self._is_own(exc) else "error"


class RepeatableOperation(Operation):
    """An operation of `call`, whose body can be repeated."""

    __slots__ = ()

    _can_rerun = True

    def must_run_again(self) -> bool:
        """Return whether interceptors want a retry."""
        return self._is_discarded()

    def settles(self, error: Exception) -> bool:
        """Return whether interceptors replaced `error`, which left the block, by an outcome."""
        decision = self._decision
        if decision is None:
            return False
        return decision.order is not None or (
            error is decision.verdict and isinstance(error, HookStopped)
        )

    def next_attempt(
        self, number: int, max_retries: int, error: Exception | None
    ) -> Mapping[str, Any]:
        """Return the changed kwargs of the next attempt.

        Args:
            number: Number of retries so far.
            max_retries: Limit of retries.
            error: Exception of the last attempt.

        Raises:
            HookFailed: The limit is reached.
        """
        decision = self._own_decision()
        if number < max_retries:
            return decision.retry_changes
        reason = f"{self.noun} was retried {number} times, and another retry is requested"
        if decision.reason is not None:
            reason += f": {decision.reason}"
        raise HookFailed(reason, call_id=self.call_id) from error


_PASSED_ON = "not applied: the answer was already streamed to the program"
_EMPTY = Context()
_CANCELLED = (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt)


class ReportedOperation(Operation):
    """An operation that others run and decide: observers hear of it, interceptors do not."""

    __slots__ = ()

    async def _admit(self, waiting: Waiting) -> None:
        await waiting.notify(self._noun.before, self._before())

    async def _settle(
        self, waiting: Waiting, hook: str, exc: BaseException | None
    ) -> BaseException | None:
        await waiting.notify(hook, self._ending(hook, exc))
        return exc
