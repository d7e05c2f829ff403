"""The hook bus: registration of observers and interceptors, and emission.

Observers change nothing: a return value, an exception or a change of the table has no effect on the
emitter, nor on an emission that has begun. Interceptors decide, but only where an event is emitted
by `operation`, `call` or `dispatch`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Coroutine
from functools import partial
from inspect import Parameter, isawaitable, signature
from threading import Lock
from types import CoroutineType
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakSet

from instrument.asker import Asker
from instrument.catalogue import CATALOGUE, Noun, find_noun
from instrument.decision import Outcome
from instrument.deliberation import decide
from instrument.delivery import (
    EVERY,
    Emit,
    NamedObserver,
    Observer,
    Table,
    deliver_sync,
    describe,
    make_emit,
    observers_of,
)
from instrument.interceptors import (
    Interceptor,
    OnError,
    is_observed,
    only_observers_of,
    with_interceptor,
)
from instrument.once import FirstTimes, once
from instrument.operations import Operation, RepeatableOperation
from instrument.unknown import UnknownNames
from instrument.waiting import AsyncWaiting, SyncWaiting, completed

if TYPE_CHECKING:
    from instrument.approvals import ApprovalProvider
    from instrument.channel import Registry, Waiting
    from instrument.signatures import CallSignature, CallSyncSignature, OperationSignature
    from instrument.wrapping import Wrapper

OWN_EVENTS = frozenset(
    {
        "operation_opened",
        "operation_closed",
        "hook_decided",
        "hook_failed",
        "request_opened",
        "request_closed",
    }
)
"""Events that the bus emits about itself."""

T = TypeVar("T")

_logger = logging.getLogger("mcp.instrument")


# Type checkers see the overloads of `signatures`, one for each noun, in place of these methods.


def _as_operation(method: Callable[..., Operation]) -> OperationSignature:
    return method


def _as_call(method: Callable[..., Coroutine[Any, Any, Any]]) -> CallSignature:
    return method


def _as_call_sync(method: Callable[..., Any]) -> CallSyncSignature:
    return method


class Bus(Asker):
    """A table of observers and interceptors, with the methods that emit to them.

    Buses are independent of each other. `register` and similar methods may be called from any
    thread, also during an emission; callbacks run on the emitting thread. The functions of
    `instrument` act on one shared bus.

    Args:
        max_retries: Limit of retries in `call` that interceptors request.

    Raises:
        ValueError: `max_retries` is not a whole number from 0 on.
    """

    _emit: Emit
    _waiting: Waiting
    _sync_waiting: Waiting

    def __init__(self, *, max_retries: int = 3) -> None:
        if type(max_retries) is not int or max_retries < 0:
            raise ValueError(
                f"Cannot make a bus: max_retries is {max_retries!r}. Give an integer of at least 0."
            )
        self._hooks: Table = {}
        self._approval_providers: tuple[list[ApprovalProvider], ...] = ()
        self._max_retries = max_retries
        self._unheeded = FirstTimes()  # hooks whose unheeded policies were logged
        self._unknown = UnknownNames()
        self._checked_nouns: set[str] = set()
        """Nouns of unobserved operations whose names were checked, once each."""
        self._unslashed = FirstTimes()  # observers of all events with a logged signature problem
        self._chunk_observers: tuple[Callable[[str, str], object], ...] = ()
        self._failed_on_chunks = FirstTimes()  # what failed on a chunk and was logged
        self._lock = Lock()  # for writers; readers take whole tuples
        _buses.add(self)
        self._emit = make_emit(self._hooks)
        self._waiting = AsyncWaiting(self)
        self._sync_waiting = SyncWaiting(self)

    def register(self, name: str, fn: Observer) -> None:
        """Call `fn` with the kwargs of each later `name` event, after existing observers.

        Any name is accepted; one outside the catalogue is logged once, at debug level. A function
        that is registered twice is called twice. `fn` may be sync or async; a coroutine that it
        returns is awaited, its result ignored. Exceptions are logged and swallowed. It should take
        `**kwargs`, because minor versions add some, must not change their values, and has a budget
        of 200 µs.

        Raises:
            TypeError: `fn` cannot be called, or `name` is not a string.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"Cannot register {describe(fn)} for {name!r}: the hook must be a string such as "
                "'before_tool_call'."
            )
        if not callable(fn):
            raise TypeError(
                f"Cannot register {fn!r} for {name!r}: it is not callable. "
                "Give a function that takes **kwargs."
            )
        with self._lock:
            self._hooks[name] = (*observers_of(self._hooks, name), fn)
        self._unknown.check(name)

    def unregister(self, name: str, fn: Observer) -> None:
        """Remove the first registration of `fn` for `name`, if any."""
        with self._lock:
            self._remove(name, fn)

    def observe(self, hook: str, fn: Observer) -> Callable[[], None]:
        """Register `fn` like `register`, and return a function that removes it.

        Raises:
            TypeError: `fn` cannot be called.
        """
        self.register(hook, fn)
        return once(partial(self.unregister, hook, fn))

    def observe_all(self, fn: Observer) -> Callable[[], None]:
        """Call `fn(name, /, **kwargs)` for each later event, catalogued or not.

        The slash is needed because any word may be a kwarg of an event, such as `name` of
        `state_captured`. A function without it misses events that have a kwarg named like its first
        parameter; that is logged once, at WARNING.

        Every hook of the catalogue then counts as observed, so that a guarded emitter
        (`if _hooks.get(name)`) emits.

        Returns:
            A function that undoes it once.

        Raises:
            TypeError: `fn` cannot be called.
        """
        if not callable(fn):
            raise TypeError(
                f"Cannot observe all with {fn!r}: it is not callable. "
                "Give a function that takes the name of the hook, /, and **kwargs."
            )
        parameter = _named_first_parameter(fn)
        if parameter is not None:
            self._warn_of_a_missing_slash(fn, parameter)
            fn = _skipping(fn, parameter)
        with self._lock:
            for name in (CATALOGUE.keys() | self._hooks.keys()) - {EVERY}:
                self._hooks[name] = (*observers_of(self._hooks, name), NamedObserver(fn, name))
            self._hooks[EVERY] = (*self._hooks.get(EVERY, ()), fn)
        return once(partial(self._stop_observing_all, fn))

    def observe_chunks(self, fn: Callable[[str, str], object]) -> Callable[[], None]:
        """Call `fn(call_id, text)` for each chunk that an operation streams from now on.

        Chunks are not events: there may be thousands a second, so they are not in the catalogue
        and `observe_all` does not get them. `text` is what the chunk adds to the text of the
        answer; it is empty for other chunks, such as the arguments of a tool call. `fn` is sync,
        runs on the thread that reads the stream, and has a budget of 5 µs: it should only keep the
        text. Its exceptions are swallowed, the first one is logged.

        Returns:
            A function that undoes it once.

        Raises:
            TypeError: `fn` cannot be called.
        """
        if not callable(fn):
            raise TypeError(
                f"Cannot observe chunks with {fn!r}: it is not callable. "
                "Give a function that takes the call_id of the operation, and a text."
            )
        with self._lock:
            self._chunk_observers = (*self._chunk_observers, fn)

        def remove() -> None:
            with self._lock:
                observers = list(self._chunk_observers)
                observers.remove(fn)
                self._chunk_observers = tuple(observers)

        return once(remove)

    def _report_chunk(self, call_id: str, text: str) -> None:
        for fn in self._chunk_observers:
            try:
                fn(call_id, text)
            except Exception:  # noqa: BLE001 - an observer has no effect on the emitter
                self._log_failed_chunk(fn)

    def _chunk_reporter(
        self, call_id: str, text_of: Callable[[Any], str | None] | None
    ) -> Callable[[Any], object]:
        """Return what reports the chunks of one stream, with their texts."""
        report = self._report_chunk
        if text_of is None:
            return lambda _: report(call_id, "")
        read = text_of

        def report_piece(piece: Any) -> None:
            try:
                text = read(piece)
            except Exception:  # noqa: BLE001 - a piece of a kind that the emitter does not know
                self._log_failed_chunk(read)
                text = None
            report(call_id, text if isinstance(text, str) else "")

        return report_piece

    def _log_failed_chunk(self, fn: Callable[..., object]) -> None:
        if self._failed_on_chunks.is_first(describe(fn)):
            _logger.warning("%s failed on a chunk of a stream", describe(fn), exc_info=True)

    def intercept(
        self,
        hook: str,
        fn: Observer,
        *,
        priority: int = 0,
        name: str | None = None,
        on_error: OnError = "raise",
        timeout: float | None = None,
        quiet: bool = False,
    ) -> Callable[[], None]:
        """Let `fn` decide about each later `hook` event.

        `fn(**kwargs)`, sync or async, returns a `Decision`, or None to continue. It should not edit
        its kwargs in place: an edit of a writable one counts as `modify`, and an edit among more
        than 1000 values, or inside an object of a class, is not detected. It decides only where the
        event is emitted by `operation`, `call` or `dispatch`; an event emitted by `_emit` is
        reported as `hook_failed`.

        Args:
            hook: A name of the catalogue, or any other.
            fn: The callback that decides.
            priority: Lower runs earlier; equal priorities run in order of registration.
            name: For the trail; default: the name of `fn`.
            on_error: When `fn` raises: `raise` raises that exception and `deny` a `HookDenied`,
                and the operation does not run; `continue` continues. An invalid return value always
                denies.
            timeout: Seconds until an async `fn` is cancelled and counts as having raised
                `TimeoutError`. It runs in the task of the operation, which waits until it ends: a
                sync one, and one that swallows its cancellation, cannot be interrupted.
            quiet: Whether None from `fn` leaves no line on the trail and emits no `hook_decided`.

        Returns:
            A function that undoes it once.

        Raises:
            TypeError: `hook` or `name` is not a string, `fn` cannot be called, or `priority` is not
                an integer.
            ValueError: `on_error` or `timeout` is invalid, or `hook` is emitted by the bus itself,
                so nothing can be decided on it.
        """
        interceptor = Interceptor(
            hook,
            fn,
            priority=priority,
            name=name,
            on_error=on_error,
            timeout_s=timeout,
            is_quiet=quiet,
        )
        return self._add_interceptor(interceptor)

    def around(self, noun: str, wrapper: Wrapper) -> Callable[[], None]:
        """Let a generator function decide before and after each later `noun` operation.

        `wrapper(**kwargs)`, sync or async, runs up to its `yield` before the operation, and
        continues after it with the kwargs of the after or error hook, as a dict. It yields a
        `Decision` or None before and after; a sync wrapper may return the last one. The first
        wrapper is resumed last. A wrapper that is removed while an operation runs is closed at its
        `yield`.

        Example:
            >>> def timed(**before):
            ...     began = perf_counter()
            ...     after = yield
            ...     print(before["tool_name"], perf_counter() - began, "exc" in after)
            >>> off = around("tool_call", timed)

        Returns:
            A function that undoes it once.

        Raises:
            TypeError: `wrapper` cannot be called.
        """
        from instrument.wrapping import Around  # noqa: PLC0415 - few processes wrap operations

        pair, row = Around(noun, wrapper), find_noun(noun)
        offs = [
            self._add_interceptor(Interceptor(row.before, pair.before, name=pair.name)),
            *(
                self._add_interceptor(
                    Interceptor(hook, pair.after, name=pair.name, is_reversed=True)
                )
                for hook in (row.after, row.error)
            ),
        ]

        def remove() -> None:
            for off in offs:
                off()

        return once(remove)

    async def dispatch(self, hook: str, /, **kwargs: Any) -> Outcome:
        """Let interceptors decide about an event outside any operation, and report the decision.

        No decision is raised: see `Outcome.action` and `Outcome.raise_if_ended()`.

        Raises:
            Exception: Raised by an interceptor with `on_error="raise"`.
            HookContractError: An interceptor broke the contract of the event.
        """
        outcome = Outcome(hook, kwargs)
        rest = self._dispatch(self._waiting, outcome)
        if rest is not None:
            await rest
        return outcome

    def dispatch_sync(self, hook: str, /, **kwargs: Any) -> Outcome:
        """Run `dispatch` from sync code.

        It cannot wait on a thread whose event loop is running: no person is asked, which denies,
        and an async interceptor that has to wait raises `HookContractError`.

        Raises:
            Exception: Raised by an interceptor with `on_error="raise"`.
            HookContractError: An interceptor broke the contract of the event.
        """
        outcome = Outcome(hook, kwargs)
        rest = self._dispatch(self._sync_waiting, outcome)
        if rest is not None:
            completed(rest)
        return outcome

    def _dispatch(
        self,
        waiting: Waiting,
        outcome: Outcome,
        spelling: str | None = None,
        registry: Registry | None = None,
        asks: bool = True,
    ) -> Coroutine[Any, Any, None] | None:
        """Decide on an event and report it; return what is left of that, to be awaited."""
        entries, rest = self._hooks.get(outcome.hook), None
        if entries and type(entries[0]) is Interceptor:  # they come first
            rest = decide(self, waiting, outcome, spelling, registry, asks)
        if rest is None and not is_observed(self._hooks, outcome.hook):
            return None
        return self._report(waiting, outcome, rest)

    async def _report(
        self, waiting: Waiting, outcome: Outcome, rest: Coroutine[Any, Any, None] | None
    ) -> None:
        """Report an event when the `rest` of its decision is done, whatever comes of it."""
        try:
            if rest is not None:
                await rest
        except GeneratorExit:  # nothing can be awaited any more
            self._notify_sync(outcome.hook, **outcome.data)
            raise
        except BaseException:
            await waiting.notify(outcome.hook, outcome.data)
            raise
        if is_observed(self._hooks, outcome.hook):
            await waiting.notify(outcome.hook, outcome.data)

    @_as_operation
    def operation(self, noun: str, /, **kwargs: Any) -> Operation:
        """Return an operation for `async with`, or `with` in sync code.

        Exactly one after or error hook follows its before hook, whatever happens. A decision
        against it is raised on entering or leaving the block, as `HookDenied`, `HookFailed` or
        `HookStopped`.

        Args:
            noun: A noun of the catalogue, such as `tool_call`; any other snake_case word gets
                hooks named after it. For type checkers such a word is a `CustomNoun`.
            **kwargs: Kwargs of the before hook. Missing ones that the contract promises are None;
                the bus sets `call_id` and `parent_call_id`.
        """
        return Operation(self, noun, kwargs)

    @_as_call
    async def call(self, noun: str, fn: Callable[[Operation], Any], /, **kwargs: Any) -> Any:
        """Run `fn` as an operation and return its final result.

        `fn`, sync or async, takes the operation: its final kwargs are `op.kwargs`, its input is
        `op.args`. Interceptors may prevent it from running, replace its result or exception, and
        have it run again; each attempt is a separate operation.

        Raises:
            HookDenied: An interceptor or a person refused it.
            HookFailed: An interceptor ended it, or requested too many retries.
            HookContractError: An interceptor made a decision that the event does not allow.
        """
        attempt = 0
        while True:
            op, failure = RepeatableOperation(self, noun, dict(kwargs)), None
            try:
                async with op:
                    returned = fn(op)
                    op.result = await returned if isawaitable(returned) else returned
            except Exception as error:
                if not op.settles(error):
                    raise
                failure = error
            if not op.must_run_again():
                return op.result
            kwargs |= op.next_attempt(attempt, self._max_retries, failure)
            attempt += 1

    @_as_call_sync
    def call_sync(self, noun: str, fn: Callable[[Operation], T], /, **kwargs: Any) -> T:
        """Run `call` with a sync `fn`, from sync code.

        Raises:
            HookDenied: An interceptor or a person refused it.
            HookFailed: An interceptor ended it, or requested too many retries.
            HookContractError: An interceptor made a decision that the event does not allow.
            TypeError: `fn` is async; it did not run.
        """
        attempt = 0
        while True:
            op, failure = RepeatableOperation(self, noun, dict(kwargs)), None
            try:
                with op:
                    op.result = _plain(fn(op))
            except Exception as error:
                if not op.settles(error):
                    raise
                failure = error
            if not op.must_run_again():
                return cast(T, op.result)
            kwargs |= op.next_attempt(attempt, self._max_retries, failure)
            attempt += 1

    def _emit_sync(self, name: str, /, *args: Any, **kwargs: Any) -> None:
        """Emit from sync code; see `instrument.delivery.deliver_sync`."""
        hooks = self._hooks
        if hooks:
            deliver_sync(hooks, name, observers_of(hooks, name), kwargs, args)

    def _notify_sync(self, name: str, /, **kwargs: Any) -> None:
        deliver_sync(self._hooks, name, only_observers_of(self._hooks, name), kwargs)

    def _check_operation(self, name: object, noun: Noun) -> None:
        self._unknown.check_operation(name, noun)

    def _add_interceptor(self, new: Interceptor) -> Callable[[], None]:
        if new.hook in OWN_EVENTS:
            raise ValueError(
                f"Cannot intercept {new.hook}: the bus emits it about itself. Use `observe`."
            )
        with self._lock:
            new.unheeded = self._unheeded
            self._hooks[new.hook] = with_interceptor(observers_of(self._hooks, new.hook), new)
        self._unknown.check(new.hook)
        return once(partial(self.unregister, new.hook, new))

    def _warn_of_a_missing_slash(self, fn: Observer, parameter: str) -> None:
        if self._unslashed.is_first(describe(fn)):
            _logger.warning(
                "%s observes all events without a slash after its first parameter: it does not "
                "receive events with a kwarg `%s`. Write `(%s, /, **kwargs)`.",
                describe(fn),
                parameter,
                parameter,
            )

    def _stop_observing_all(self, fn: Observer) -> None:
        with self._lock:
            self._remove(EVERY, fn)
            for name, observers in list(self._hooks.items()):
                for observer in observers:
                    if isinstance(observer, NamedObserver) and observer.func == fn:
                        self._remove(name, observer)
                        break

    def _remove(self, name: str, fn: Observer) -> None:
        observers = self._hooks.get(name, ())
        if fn not in observers:
            return
        index = observers.index(fn)
        rest = observers[:index] + observers[index + 1 :]
        if rest:
            self._hooks[name] = rest
        else:
            del self._hooks[name]


_buses: WeakSet[Bus] = WeakSet()


def _renew_locks() -> None:
    """Replace locks in a forked child, which a thread of the parent may have locked."""
    for bus in _buses:
        bus._lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


def _plain(returned: T) -> T:
    """Refuse a coroutine, which would run after its operation."""
    if isinstance(returned, CoroutineType):
        returned.close()
        raise TypeError("Cannot run an async function by `call_sync`. Use `await call(…)`.")
    return returned


def _named_first_parameter(fn: Observer) -> str | None:
    """Return the name of the first parameter of `fn` if a kwarg of that name would clash."""
    try:
        first = next(iter(signature(fn).parameters.values()), None)
    except (TypeError, ValueError):  # a built-in without a signature
        return None
    return first.name if first and first.kind is Parameter.POSITIONAL_OR_KEYWORD else None


def _skipping(fn: Observer, parameter: str) -> Observer:
    """Return `fn` as an observer that skips events with a kwarg `parameter`."""

    def observer(name: str, /, **kwargs: Any) -> Any:
        return None if parameter in kwargs else fn(name, **kwargs)

    observer.__module__, _, observer.__qualname__ = describe(fn).rpartition(".")
    return observer
