"""Operations of a framework that reports beginnings and ends by callback.

Where a framework's functions can be wrapped, `instrument.call` and `operation` do all of this and
can decide more: prefer them. Here an operation is open under the framework's own id until the
framework reports its end, or until its parent has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from contextvars import Context, copy_context
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from instrument import Bus, CustomNoun, Operation
from instrument import default as shared

T = TypeVar("T")

LIMIT = 10_000
"""The number of operations that may be open; above it, the oldest is closed as forgotten."""


class ForgottenError(Exception):
    """The framework never reported the end of the operation."""


class _Open(NamedTuple):
    operation: Operation
    context: Context
    """The context in which the operation is the current one."""
    parent: Hashable


class OpenOperations:
    """Open operations, by the framework's id. Thread-safe.

    Each operation has a context of its own, copied from that of its parent, so that the tree does
    not depend on the task or thread that a callback runs in.
    """

    def __init__(self, bus: Bus | None = None, *, limit: int = LIMIT) -> None:
        self._bus = bus or shared.bus
        self._limit = limit
        self._open: dict[Hashable, _Open] = {}
        self._lock = Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._open

    def __len__(self) -> int:
        return len(self._open)

    def find(self, key: Hashable) -> Operation | None:
        """Return the open operation under `key`."""
        found = self._open.get(key)
        return None if found is None else found.operation

    def begin(
        self, key: Hashable, noun: str, *, parent: Hashable = None, **kwargs: Any
    ) -> Operation:
        """Open an operation, below that of `parent`, else below the one open where this is called.

        Raises:
            HookVerdict: An interceptor decided against it; nothing is open then.
            HookContractError: An interceptor made a mistake; the same.
        """
        context = self._context(parent)
        operation = self._bus.operation(CustomNoun(noun), **kwargs)
        context.run(operation.__enter__)
        self._add(key, _Open(operation, context, parent))
        return operation

    async def begin_async(
        self, key: Hashable, noun: str, *, parent: Hashable = None, **kwargs: Any
    ) -> Operation:
        """Open an operation as `begin` does; interceptors may await, for instance a person."""
        context = self._context(parent)
        operation = self._bus.operation(CustomNoun(noun), **kwargs)
        await asyncio.get_running_loop().create_task(operation.__aenter__(), context=context)
        self._add(key, _Open(operation, context, parent))
        return operation

    def end(self, key: Hashable, result: Any = None, **outcome: Any) -> Any:
        """Close an operation with its result, and any open child as forgotten.

        Args:
            key: Unknown ones are ignored: they began before we were attached.
            result: The result of the operation.
            outcome: More kwargs of the closing hook, such as `usage`.

        Returns:
            The result, as interceptors left it.
        """
        return self._close(key, None, result, outcome)

    def fail(self, key: Hashable, error: BaseException, result: Any = None, **outcome: Any) -> Any:
        """Close an operation with its exception or error result; return the result."""
        return self._close(key, error, result, outcome)

    def end_all(self, error: BaseException | None = None) -> None:
        """Close everything that is open, the innermost first."""
        for key in reversed(list(self._open)):
            self.fail(key, error or ForgottenError("its end was not reported"))

    def run(self, key: Hashable, function: Callable[[], T]) -> T:
        """Call `function` inside the operation, so that operations it opens are children."""
        found = self._open.get(key)
        return function() if found is None else found.context.copy().run(function)

    def _context(self, parent: Hashable) -> Context:
        found = self._open.get(parent) if parent is not None else None
        return copy_context() if found is None else found.context.copy()

    def _add(self, key: Hashable, new: _Open) -> None:
        with self._lock:
            forgotten = [key] if key in self._open else []
            if len(self._open) >= self._limit:
                forgotten.append(next(iter(self._open)))
        for one in forgotten:
            self.fail(one, ForgottenError("its end was not reported"))
        with self._lock:
            self._open[key] = new

    def _close(
        self, key: Hashable, error: BaseException | None, result: Any, outcome: dict[str, Any]
    ) -> Any:
        with self._lock:
            found = self._open.pop(key, None)
            below = [one for one, open_ in self._open.items() if open_.parent == key]
        if found is None:
            return result
        for one in reversed(below):
            self.fail(one, error or ForgottenError("its end was not reported"))
        operation = found.operation
        operation.result = result
        if outcome:
            operation.set(**outcome)
        kind = None if error is None else type(error)
        trace = None if error is None else error.__traceback__
        found.context.run(operation.__exit__, kind, error, trace)
        return operation.result
