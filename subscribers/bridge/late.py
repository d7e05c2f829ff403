"""Attributes of spans and events that are computed when somebody reads them.

What takes long is done by the thread that sends, or by whoever reads the span before; nobody sees
it without them. OpenTelemetry's SDK has no such attributes: a span of another SDK, of one whose
parts have other names, or in another's wrapper gets them at once.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from threading import local
from typing import Any, TypeAlias

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk import trace as sdk
from opentelemetry.trace import Span

_logger = logging.getLogger("inspector")

Compute: TypeAlias = Callable[[], Mapping[str, Any]]

_PARTS = frozenset({"_dict", "_immutable", "_lock", "dropped", "max_value_len", "maxlen"})
"""What `BoundedAttributes` has in OpenTelemetry 1.43 to 1.45, and `_set_items`."""

MAX_LATE = 32
"""Limit of what a span has that is late; who adds another one computes the oldest."""


_KEY_BYTES = 64
"""An estimate for an attribute without its value."""


class _Thread(local):
    computing: tuple[int, ...] = ()
    """Ids of the attributes that this thread computes; reading them meanwhile computes nothing."""


_thread = _Thread()


class LateAttributes(BoundedAttributes):
    """Attributes that are complete for everybody who reads them, in the order they were set."""

    def __init__(self, attributes: BoundedAttributes) -> None:
        """Create those that replace `attributes`, with the same limits."""
        if not _PARTS.issubset(vars(attributes)) or not hasattr(attributes, "_set_items"):
            raise AttributeError("The SDK is older or newer than those known.")
        vars(self).update(vars(attributes))
        self._late: deque[Compute | BoundedAttributes] = deque()
        """What is late, and between what was set after it: for each run of those one dict."""
        self._late_bytes = 0

    def size_bytes(self) -> int:
        """Estimate their memory, and compute nothing for it."""
        late = tuple(self._late)
        known = [self._dict, *(run._dict for run in late if isinstance(run, BoundedAttributes))]
        return sum(map(_dict_bytes, known)) + (self._late_bytes if late else 0)

    def add(self, compute: Compute, size_bytes: int = 0) -> None:
        """Add attributes that `compute` returns, on any thread, when somebody reads them."""
        self._late_bytes += size_bytes
        self._late.append(compute)
        for oldest in tuple(self._late)[:-MAX_LATE]:  # a reader may take them meanwhile
            self._put(oldest)

    def _complete(self) -> None:
        for late in tuple(self._late):
            self._put(late)

    def _put(self, late: Compute | BoundedAttributes) -> None:
        computing = _thread.computing
        if id(self) in computing:
            return
        # Computed without a lock, which a fork could leave locked: two threads may both do it.
        _thread.computing = (*computing, id(self))
        try:
            computed = late if isinstance(late, BoundedAttributes) else late()
        except Exception:
            _logger.warning("Attributes of a span cannot be computed.", exc_info=True)
            computed = {}
        finally:
            _thread.computing = computing
        with self._lock:
            if self._late and self._late[0] is late:
                new = BoundedAttributes(self.maxlen, self._dict, False, self.max_value_len)
                new.update(computed)
                self._dict = new._dict
                self.dropped += new.dropped
                self._late.popleft()  # last: until then others see that something is missing

    def __setitem__(self, key: str, value: Any) -> None:
        if self._late:
            self._set_items({key: value})
        else:
            super().__setitem__(key, value)

    def _set_items(self, attributes: Mapping[str, Any]) -> None:
        """Set attributes after those that are late, and compute none: the span may be locked."""
        if not self._late:
            super()._set_items(attributes)
            return
        if self._immutable:
            raise TypeError("Attributes of a span that has ended are immutable.")
        cleaned = BoundedAttributes(None, attributes, max_value_len=self.max_value_len)
        with self._lock:
            self.dropped += cleaned.dropped
            last = self._late[-1] if self._late else None
            if not isinstance(last, BoundedAttributes):
                last = BoundedAttributes(self.maxlen, immutable=False)
                self._late.append(last)
            before = last.dropped
            last.update(cleaned)
            self.dropped += last.dropped - before

    def __getitem__(self, key: str) -> Any:
        self._complete()
        return super().__getitem__(key)

    def __delitem__(self, key: str) -> None:
        self._complete()
        super().__delitem__(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())

    def __len__(self) -> int:
        self._complete()
        return super().__len__()

    def __repr__(self) -> str:
        self._complete()
        return super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> BoundedAttributes:
        self._complete()
        return super().__deepcopy__(memo)

    def __copy__(self) -> BoundedAttributes:
        self._complete()
        copied = BoundedAttributes(self.maxlen, None, self._immutable, self.max_value_len)
        copied._dict, copied.dropped = dict(self._dict), self.dropped
        return copied

    def copy(self) -> MutableMapping[str, Any]:
        """Return a copy as a dict."""
        self._complete()
        return dict(self._dict)


def attributes(
    known: Mapping[str, Any], compute: Compute, size_bytes: int = 0
) -> Mapping[str, Any]:
    """Return attributes that are known, and those that `compute` returns."""
    try:
        return _late(BoundedAttributes(attributes=known, immutable=False), compute, size_bytes)
    except AttributeError:
        return {**known, **compute()}


def add_event(
    span: Span,
    name: str,
    known: Mapping[str, Any],
    time_ns: int,
    compute: Compute,
    size_bytes: int = 0,
) -> None:
    """Add an event with attributes that are known, and those that `compute` returns."""
    try:
        _refuse_wrapper(span, "add_event")
        add, limits = span._add_event, span._limits  # type: ignore[attr-defined]
        bounded = BoundedAttributes(
            limits.max_event_attributes, known, max_value_len=limits.max_attribute_length
        )
        event = sdk.Event(name, _late(bounded, compute, size_bytes), time_ns)
    except AttributeError:
        span.add_event(name, {**known, **compute()}, time_ns)
    else:
        add(event)


def set_attributes(span: Span, compute: Compute, size_bytes: int = 0) -> None:
    """Set the attributes that `compute` returns on a running span."""
    try:
        _refuse_wrapper(span, "set_attributes")
        with span._lock:  # type: ignore[attr-defined]
            late = span._attributes  # type: ignore[attr-defined]
            if not isinstance(late, LateAttributes):
                late = span._attributes = LateAttributes(late)  # type: ignore[attr-defined]
    except AttributeError:
        span.set_attributes(compute())
    else:
        late.add(compute, size_bytes)


def size_bytes(attributes: Mapping[str, Any]) -> int:
    """Estimate the memory of attributes, also of what is late."""
    if isinstance(attributes, LateAttributes):
        return attributes.size_bytes()
    if isinstance(attributes, BoundedAttributes):
        attributes = attributes._dict  # one by one they would take locks
    return _dict_bytes(attributes)


def _dict_bytes(attributes: Mapping[str, Any]) -> int:
    sizes = [
        len(value) if type(value) is str else _value_bytes(value)
        for value in list(attributes.values())
    ]
    return sum(sizes) + _KEY_BYTES * len(sizes)


def _value_bytes(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return _dict_bytes(value)
    if isinstance(value, Sequence):
        return sum(map(_value_bytes, value))
    return 16


def _refuse_wrapper(span: Span, method: str) -> None:
    """Raise an `AttributeError` for a wrapper: it may keep, hide or change what it is given."""
    if getattr(type(span), method) is not getattr(sdk.Span, method):
        raise AttributeError("It is another's span.")


def _late(bounded: BoundedAttributes, compute: Compute, size_bytes: int) -> LateAttributes:
    late = LateAttributes(bounded)
    late.add(compute, size_bytes)
    return late
