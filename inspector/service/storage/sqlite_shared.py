"""Values that many payloads repeat: the tools that a model is offered, with each of its calls.

They are cut out of the encoded span or record, and stored once. Put back at their places, they make
the very bytes that came, whatever convention wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import apsw
import orjson

MIN_BYTES = 512
"""Size below which a value stays in its payload."""
MAX_PIECES = 16
_NEAR_BYTES = 96
"""Distance of two values that are one piece: each tool is an attribute of its own in some."""
_NAMES = (
    *(b"gen_ai.tool.definitions", b"llm.tools.", b"ai.prompt.tools"),
    *(b"llm.request.functions.", b"model_request_parameters"),
)
# The encoding of an attribute: its key, then its value, each behind a mark and its length.
_ATTRIBUTE = re.compile(
    rb"\n.(?:gen_ai\.tool\.definitions|ai\.prompt\.tools|model_request_parameters"
    rb"|llm\.tools\.\d{1,4}\.tool\.json_schema"
    rb"|llm\.request\.functions\.\d{1,4}\.(?:name|description|parameters))\x12",
    re.DOTALL,
)


class Pieces(NamedTuple):
    """A payload without what it shares with others."""

    payload: bytes
    """The rest."""
    shared: tuple[tuple[int, bytes], ...]
    """Each shared value, and its place in the rest."""


def split(payload: bytes) -> Pieces | None:
    """Return a payload in pieces; None: it shares nothing that is worth it."""
    if len(payload) < MIN_BYTES or not any(name in payload for name in _NAMES):
        return None
    rest: list[bytes] = []
    shared: list[tuple[int, bytes]] = []
    at = done = 0
    for start, end in _joined(_values(payload)):
        if end - start < MIN_BYTES or len(shared) == MAX_PIECES:
            continue
        rest.append(payload[done:start])
        at += start - done
        shared.append((at, payload[start:end]))
        done = end
    return Pieces(b"".join((*rest, payload[done:])), tuple(shared)) if shared else None


def _values(payload: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the values of attributes that define tools start and end."""
    for match in _ATTRIBUTE.finditer(payload):
        place, size, shift = match.end(), 0, 0
        while place < len(payload) and shift < 35:
            byte = payload[place]
            place, size, shift = place + 1, size | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                if place + size <= len(payload):
                    yield place, place + size
                break


def _joined(values: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the values, those close behind each other as one."""
    first: int | None = None
    last = 0
    for start, end in values:
        if first is not None and start < last:  # what looks like an attribute inside a value
            continue
        if first is None or start - last > _NEAR_BYTES:
            if first is not None:
                yield first, last
            first = start
        last = end
    if first is not None:
        yield first, last


def load(connection: apsw.Connection, pieces: Iterable[bytes | None]) -> dict[int, bytes]:
    """Return the shared values that the columns `pieces` name, by number."""
    numbers = {number for one in pieces if one is not None for _, number in orjson.loads(one)}
    if not numbers:
        return {}
    sql = "SELECT no, bytes FROM shared WHERE no IN (SELECT value FROM json_each(?))"
    rows: list[Any] = connection.execute(sql, (orjson.dumps([*numbers]).decode(),)).fetchall()
    return dict(rows)


def whole(payload: bytes, pieces: bytes | None, shared: Mapping[int, bytes]) -> bytes:
    """Return a payload as it came."""
    if pieces is None:
        return payload
    parts: list[bytes] = []
    done = 0
    for at, number in orjson.loads(pieces):
        parts += (payload[done:at], shared[number])
        done = at
    return b"".join((*parts, payload[done:]))
