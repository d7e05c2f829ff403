"""State snapshots, sent whole or as a patch against the previous one.

A patch is RFC 6902; `base` and `hash` are SHA-256 of a snapshot as compact JSON with sorted keys,
so a reader can check the snapshot that it patches and the one that results.

A state is read at once, by the agent's thread. All else is done when somebody asks for the
snapshot, mostly the thread that sends.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from subscribers.content.json_patch import difference
from subscribers.content.redaction import Redactor
from subscribers.content.serialise import Content, Reading, count_nodes, encode, to_json

MAX_SNAPSHOT_BYTES = 262_144
"""Limit for patches; of a larger state only the beginning is sent, marked as truncated."""
MAX_SNAPSHOT_NODES = 8_000
MAX_STORED_BYTES = 8 * 2**20
"""Limit in memory for the last snapshots of all names."""
MAX_UNREAD = 32
"""Limit of snapshots that nobody has asked for; the agent's thread makes those beyond it."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The data sent of one state: `value` or `patch`."""

    value: Content | None
    patch: Content | None
    hash: str | None
    """Hash of the whole snapshot; None if it was too large to be read."""
    base: str | None
    """Hash of the snapshot that `patch` applies to."""


T = TypeVar("T")


class Later(Generic[T]):
    """A value that is made when somebody asks for it first, on whatever thread that is.

    It takes no lock, which a fork could leave locked: two threads may both make it, alike.
    """

    __slots__ = ("_make", "_value")

    _value: T

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make

    def __call__(self) -> T:
        """Return the value."""
        make = self._make
        if make is not None:
            self._value = make()
            self._make = None  # with all that it needed
        return self._value


class _State(NamedTuple):
    snapshot: Snapshot
    tree: Any
    """The whole state."""


class Snapshots:
    """The last snapshots by key; the oldest keys go when the limit is reached."""

    def __init__(self, redactor: Redactor | None, max_bytes: int) -> None:
        self._redactor = redactor
        self._max_bytes = max_bytes
        self._stored: OrderedDict[Hashable, tuple[Later[_State], int]] = OrderedDict()
        self._stored_bytes = 0
        self._unread: deque[Later[Snapshot]] = deque()

    def take(self, key: Hashable, value: Any) -> Later[Snapshot]:
        """Return the snapshot or patch of `value`, and store it as the last under `key`."""
        snapshot = self._take(key, value)
        self._unread.append(snapshot)
        if len(self._unread) > MAX_UNREAD:
            self._unread.popleft()()
        return snapshot

    def _take(self, key: Hashable, value: Any) -> Later[Snapshot]:
        before = self._forget(key)
        if count_nodes(value, MAX_SNAPSHOT_NODES) > MAX_SNAPSHOT_NODES:
            beginning = Reading(value, self._redactor, self._max_bytes)
            return Later(lambda: Snapshot(_cut(beginning.content()), None, None, None))
        reading = Reading(value, self._redactor, MAX_SNAPSHOT_BYTES, MAX_SNAPSHOT_NODES)
        if not reading.is_whole:
            return Later(lambda: Snapshot(self._beginning(reading.tree()), None, None, None))
        state = Later(lambda: self._state(reading.tree(), before))
        self._store(key, state, reading.size_bytes)
        return Later(lambda: state().snapshot)

    def _state(self, tree: Any, before: Later[_State] | None) -> _State:
        canonical = _canonical(tree)
        hashed = hashlib.sha256(canonical).hexdigest()
        if len(canonical) <= self._max_bytes:
            content = Content(encode(tree), is_truncated=False)
            return _State(Snapshot(content, None, hashed, None), tree)
        if before is not None:
            base = before()
            patch = encode(list(difference(base.tree, tree)))
            if len(patch.encode()) <= self._max_bytes:
                content = Content(patch, is_truncated=False)
                return _State(Snapshot(None, content, hashed, base.snapshot.hash), tree)
        return _State(Snapshot(self._beginning(tree), None, hashed, None), tree)

    def _beginning(self, tree: Any) -> Content:
        # Without a redactor: the tree is redacted already.
        return _cut(to_json(tree, max_bytes=self._max_bytes))

    def _forget(self, key: Hashable) -> Later[_State] | None:
        state, size_bytes = self._stored.pop(key, (None, 0))
        self._stored_bytes -= size_bytes
        return state

    def _store(self, key: Hashable, state: Later[_State], size_bytes: int) -> None:
        self._stored[key] = state, size_bytes
        self._stored_bytes += size_bytes
        while self._stored_bytes > MAX_STORED_BYTES:
            self._forget(next(iter(self._stored)))


def _cut(content: Content) -> Content:
    return Content(content.text, is_truncated=True)


def hash_of(tree: Any) -> str:
    """Return the hash of a state, in hexadecimal."""
    return hashlib.sha256(_canonical(tree)).hexdigest()


def _canonical(tree: Any) -> bytes:
    text = json.dumps(tree, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode(errors="surrogatepass")
