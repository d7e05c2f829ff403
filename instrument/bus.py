"""The hook bus: who listens to what, and the ways to emit.

Observation only: what an observer returns, raises or does to the table changes nothing for the
emitter, and nothing in an emission that has begun (000-16).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from inspect import isawaitable
from threading import Lock
from typing import Any, TypeVar, cast, overload

from instrument.catalogue import CATALOGUE
from instrument.delivery import (
    EVERY,
    Emit,
    NamedObserver,
    Observer,
    Table,
    emit_sync,
    make_emit,
    observers_of,
)
from instrument.operations import Operation

T = TypeVar("T")


class Bus:
    """A table of observers and what emits to them. Buses know nothing of each other.

    `register` and the like may be called from any thread, also during an emission; observers run
    on the thread that emits. The functions of `instrument` act on one bus that all share.
    """

    _emit: Emit

    def __init__(self) -> None:
        self._hooks: Table = {}
        self._lock = Lock()  # for writers; readers take whole tuples
        self._emit = make_emit(self._hooks)

    def register(self, name: str, fn: Observer) -> None:
        """Call `fn` with the kwargs of every later event `name`, after those already registered.

        Registered twice it is called twice. `fn` may be sync or async; a returned awaitable is
        awaited, and what it gives is ignored. It should take `**kwargs`, because minor versions
        add some, and change nothing that it is given. Budget: 200 µs (000-25).

        Raises:
            TypeError: `fn` cannot be called.
        """
        if not callable(fn):
            raise TypeError(f"Cannot register {fn!r} for {name}: it is not callable.")
        with self._lock:
            self._hooks[name] = (*observers_of(self._hooks, name), fn)

    def unregister(self, name: str, fn: Observer) -> None:
        """Remove the first registration of `fn` for `name`; do nothing if there is none."""
        with self._lock:
            self._remove(name, fn)

    def observe(self, hook: str, fn: Observer) -> Callable[[], None]:
        """Like `register`; return a function that undoes it, once, however often it is called."""
        self.register(hook, fn)
        return _once(partial(self.unregister, hook, fn))

    def observe_all(self, fn: Observer) -> Callable[[], None]:
        """Call `fn(name, **kwargs)` for every later event, catalogued or not.

        Every hook of the catalogue then counts as listened to, so that a guarded emitter
        (`if _hooks.get(name)`) emits.

        Returns:
            A function that undoes it, once, however often it is called.
        """
        if not callable(fn):
            raise TypeError(f"Cannot observe all with {fn!r}: it is not callable.")
        with self._lock:
            for name in (CATALOGUE.keys() | self._hooks.keys()) - {EVERY}:
                self._hooks[name] = (*observers_of(self._hooks, name), NamedObserver(fn, name))
            self._hooks[EVERY] = (*self._hooks.get(EVERY, ()), fn)
        return _once(partial(self._stop_observing_all, fn))

    def operation(self, noun: str, /, **kwargs: Any) -> Operation:
        """Return an operation to be entered with `async with`, or `with` from sync code.

        Args:
            noun: A noun of the catalogue, such as `tool_call`; any other snake_case word gets
                hooks named after it.
            **kwargs: What the before hook carries. What the contract promises and is not given
                is None; `call_id` and `parent_call_id` are ours.
        """
        return Operation(self, noun, kwargs)

    @overload
    async def call(
        self, noun: str, fn: Callable[[Operation], Awaitable[T]], /, **kwargs: Any
    ) -> T: ...
    @overload
    async def call(self, noun: str, fn: Callable[[Operation], T], /, **kwargs: Any) -> T: ...
    async def call(self, noun: str, fn: Callable[[Operation], Any], /, **kwargs: Any) -> Any:
        """Run `fn` as an operation, and return the final result.

        `fn`, sync or async, takes the operation: its final kwargs are `op.kwargs`, its input is
        `op.args`.
        """
        async with self.operation(noun, **kwargs) as op:
            returned = fn(op)
            op.result = await returned if isawaitable(returned) else returned
        return op.result

    def call_sync(self, noun: str, fn: Callable[[Operation], T], /, **kwargs: Any) -> T:
        """Run a sync `fn` as an operation, and return the final result; see `call`."""
        with self.operation(noun, **kwargs) as op:
            op.result = fn(op)
        return cast(T, op.result)

    def _emit_sync(self, name: str, /, *args: Any, **kwargs: Any) -> None:
        """Emit from sync code; see `instrument.delivery.emit_sync`."""
        emit_sync(self._hooks, name, args, kwargs)

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


def _once(undo: Callable[[], None]) -> Callable[[], None]:
    remaining = [undo]

    def off() -> None:
        try:
            undo = remaining.pop()
        except IndexError:
            return
        undo()

    return off
