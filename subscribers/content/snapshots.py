"""State snapshots, sent whole or as a patch against the previous one.

A patch is RFC 6902; `base` and `hash` are SHA-256 of a snapshot as compact JSON with sorted keys,
so a reader can check the snapshot that it patches and the one that results.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from subscribers.content.json_patch import difference
from subscribers.content.redaction import Redactor
from subscribers.content.serialise import Content, count_nodes, encode, to_json, to_tree

MAX_SNAPSHOT_BYTES = 262_144
"""Limit for patches; of a larger state only the beginning is sent, marked as truncated."""
MAX_SNAPSHOT_NODES = 8_000
MAX_STORED_BYTES = 8 * 2**20
"""Limit in memory for the last snapshots of all names."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The data sent of one state: `value` or `patch`."""

    value: Content | None
    patch: Content | None
    hash: str | None
    """Hash of the whole snapshot; None if it was too large to be read."""
    base: str | None
    """Hash of the snapshot that `patch` applies to."""


@dataclass(frozen=True, slots=True)
class _Stored:
    tree: Any
    hash: str
    size_bytes: int


class Snapshots:
    """The last snapshots by key; the oldest keys go when the limit is reached."""

    def __init__(self, redactor: Redactor | None, max_bytes: int) -> None:
        self._redactor = redactor
        self._max_bytes = max_bytes
        self._stored: OrderedDict[Hashable, _Stored] = OrderedDict()
        self._stored_bytes = 0

    def take(self, key: Hashable, value: Any) -> Snapshot:
        """Return the snapshot or patch of `value`, and store it as the last under `key`."""
        before = self._forget(key)
        if count_nodes(value, MAX_SNAPSHOT_NODES) > MAX_SNAPSHOT_NODES:
            content = to_json(value, redactor=self._redactor, max_bytes=self._max_bytes)
            return Snapshot(Content(content.text, is_truncated=True), None, None, None)
        tree, is_whole = to_tree(
            value,
            redactor=self._redactor,
            max_bytes=MAX_SNAPSHOT_BYTES,
            max_nodes=MAX_SNAPSHOT_NODES,
        )
        if not is_whole:
            return Snapshot(self._cut(tree), None, None, None)
        canonical = _canonical(tree)
        new = _Stored(tree, hashlib.sha256(canonical).hexdigest(), len(canonical))
        self._store(key, new)
        if len(canonical) <= self._max_bytes:
            return Snapshot(Content(encode(tree), is_truncated=False), None, new.hash, None)
        if before is not None:
            patch = encode(list(difference(before.tree, tree)))
            if len(patch.encode()) <= self._max_bytes:
                content = Content(patch, is_truncated=False)
                return Snapshot(None, content, new.hash, before.hash)
        return Snapshot(self._cut(tree), None, new.hash, None)

    def _cut(self, tree: Any) -> Content:
        # Without a redactor: the tree is redacted already.
        return Content(to_json(tree, max_bytes=self._max_bytes).text, is_truncated=True)

    def _forget(self, key: Hashable) -> _Stored | None:
        stored = self._stored.pop(key, None)
        if stored is not None:
            self._stored_bytes -= stored.size_bytes
        return stored

    def _store(self, key: Hashable, new: _Stored) -> None:
        self._stored[key] = new
        self._stored_bytes += new.size_bytes
        while self._stored_bytes > MAX_STORED_BYTES:
            self._forget(next(iter(self._stored)))


def hash_of(tree: Any) -> str:
    """Return the hash of a state, in hexadecimal."""
    return hashlib.sha256(_canonical(tree)).hexdigest()


def _canonical(tree: Any) -> bytes:
    text = json.dumps(tree, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode(errors="surrogatepass")
