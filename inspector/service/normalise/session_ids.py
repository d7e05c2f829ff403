"""Session ids that fit into a path and a list, made from any sender's id."""

from __future__ import annotations

import hashlib
import re

MAX_CHARACTERS = 200
"""Longer names are replaced."""
_READABLE_CHARACTERS = 40
# What ends or splits a path segment, a query or our comma-separated lists; control characters.
_UNSAFE = re.compile(r"[/,?#%\\\x00-\x1f\x7f-\x9f]")
_RESERVED = frozenset({".", "..", "count", "histogram", "usage"})
"""Names with another meaning in an address: `/sessions/histogram` is the chart."""
_NOT_READABLE = re.compile(r"[^0-9A-Za-z]+")


def session_id(name: str) -> str:
    """Return the session id for a sender's `name` of it.

    Mostly the name itself. One that no route could name (`..`, `a/b`, `a,b`) gets an id made of
    what is readable of it and a hash: the same each time, and another for each name. The name
    stays in the span's attributes.
    """
    if len(name) <= MAX_CHARACTERS and name not in _RESERVED and not _UNSAFE.search(name):
        return name
    readable = _NOT_READABLE.sub("-", name[:_READABLE_CHARACTERS]).strip("-") or "session"
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{readable}-{digest}"
