"""Interceptors of an event, and their order.

Interceptors are in the same tuples as observers, before them: by priority (lower first), then in
order of registration.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from instrument.contracts import writable_kwargs
from instrument.delivery import EVERY, Observer, Table, describe, observers_of
from instrument.errors import UnheededPolicyError
from instrument.once import FirstTimes
from instrument.question import is_duration

if TYPE_CHECKING:
    from instrument.channel import Registry

OnError: TypeAlias = Literal["raise", "deny", "continue"]

_sequence = count()


class Interceptor:
    """A registration of a callback that may decide.

    Attributes:
        spelling: Name of the event in another vocabulary, if the callback is only for that name.
        registry: The registry, if it was not registered on the bus itself.
        is_reversed: Whether reversed ones of the same priority run in reverse order of
            registration.
        is_quiet: Whether None leaves no line on the trail.
        writable: The kwargs of the event that it may replace.
    """

    __slots__ = (
        "fn",
        "hook",
        "is_quiet",
        "is_reversed",
        "name",
        "on_error",
        "priority",
        "registry",
        "sequence",
        "spelling",
        "timeout_s",
        "unheeded",
        "writable",
    )

    unheeded: FirstTimes  # set by its bus: logged once for all interceptors of a hook

    def __init__(
        self,
        hook: str,
        fn: Observer,
        *,
        priority: int = 0,
        name: str | None = None,
        on_error: OnError = "raise",
        timeout_s: float | None = None,
        spelling: str | None = None,
        registry: Registry | None = None,
        is_reversed: bool = False,
        is_quiet: bool = False,
    ) -> None:
        _check(hook, fn, name, priority, on_error, timeout_s)
        self.hook = hook
        self.fn = fn
        self.priority = priority
        self.name = name or describe(fn)
        self.on_error = on_error
        self.timeout_s = timeout_s
        self.spelling = spelling
        self.registry = registry
        self.is_reversed = is_reversed
        self.is_quiet = is_quiet
        self.sequence = next(_sequence)
        self.writable = writable_kwargs(hook)

    def is_for(self, spelling: str | None, registry: Registry | None) -> bool:
        """Return whether it handles events emitted as `spelling` on `registry`."""
        if spelling is not None and self.spelling not in (None, spelling):
            return False
        mine = self.registry
        if registry is None or mine is None or mine is registry:
            return True
        return mine.vocabulary != registry.vocabulary

    def __call__(self, *_: Any, **__: Any) -> None:
        """Raise: a caller that treats this as an observer would ignore the decision."""
        raise UnheededPolicyError(
            f"{self.name} may decide on {self.hook}, but the event was emitted by `_emit`, which "
            "ignores decisions. Its emitter must use `operation`, `call` or `dispatch`.",
            is_known=not self.unheeded.is_first(self.hook),
        )


def _check(
    hook: object, fn: object, name: object, priority: object, on_error: object, timeout_s: object
) -> None:
    known = (name or describe(fn)) if callable(fn) else repr(fn)
    attempt = f"Cannot intercept {hook} with {known}"
    if not isinstance(hook, str):
        raise TypeError(f"{attempt}: the hook must be a string such as 'before_tool_call'.")
    if not callable(fn):
        raise TypeError(f"{attempt}: it is not callable. Give a function that takes **kwargs.")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{attempt}: its name is {name!r}; give a string, or omit it.")
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise TypeError(f"{attempt}: priority is {priority!r}; give an integer, lower is earlier.")
    if on_error not in get_args(OnError):
        raise ValueError(f"{attempt}: on_error is {on_error!r}; give raise, deny or continue.")
    if timeout_s is not None and not is_duration(timeout_s):
        raise ValueError(f"{attempt}: timeout is {timeout_s!r}; give a number of seconds above 0.")


def is_intercepted(table: Table, hook: str) -> bool:
    """Return whether `hook` has interceptors, which come first in its tuple."""
    entries = table.get(hook)
    return entries is not None and len(entries) > 0 and type(entries[0]) is Interceptor


def is_observed(table: Table, hook: str) -> bool:
    """Return whether `hook` has observers, which come last in its tuple."""
    entries = table.get(hook)
    if entries is None:
        return EVERY in table
    return len(entries) > 0 and type(entries[-1]) is not Interceptor


def with_interceptor(entries: Iterable[Observer], new: Interceptor) -> tuple[Observer, ...]:
    """Return `entries` with `new` in its place."""
    interceptors = [new]
    observers: list[Observer] = []
    for entry in entries:
        if isinstance(entry, Interceptor):
            interceptors.append(entry)
        else:
            observers.append(entry)
    return (*_in_order(interceptors), *observers)


def _in_order(interceptors: list[Interceptor]) -> list[Interceptor]:
    interceptors.sort(key=lambda entry: (entry.priority, entry.sequence))
    for priority in {entry.priority for entry in interceptors if entry.is_reversed}:
        places = [
            place
            for place, entry in enumerate(interceptors)
            if entry.is_reversed and entry.priority == priority
        ]
        turned = [interceptors[place] for place in reversed(places)]
        for place, entry in zip(places, turned, strict=True):
            interceptors[place] = entry
    return interceptors


def only_observers_of(table: Table, name: str) -> tuple[Observer, ...]:
    """Return the observers of `name`, without its interceptors."""
    entries = table.get(name)
    if entries is None:
        return observers_of(table, name)
    if not entries or type(entries[0]) is not Interceptor:  # they come first
        return entries
    return tuple([entry for entry in entries if type(entry) is not Interceptor])
