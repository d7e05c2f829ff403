"""Refuse a body with too many messages before they are parsed.

An empty message is two bytes on the wire and some hundred in memory, more once it is looked at.
So a body within its size limit could take all memory there is; compressed, it is a few kilobytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from inspector.errors import TooLargeError

MAX_MESSAGES = 2_000_000
"""Messages of every kind in one body: twenty to each of as many items as a request may hold.

An attribute is two. Parsed, so many take at most some 350 MB (measured with empty spans, the
largest of them).
"""

MAX_FIELDS = 8_000_000
"""Fields looked at in one body: what no message is in costs time here, if no memory."""

_MIN_MESSAGE_BYTES = 2  # tag and length
_LENGTH_DELIMITED = 2
# Start and end of a group hold nothing: what is between counts as if it were not in a group, which
# is never too little.
_SCALAR_BYTES = {1: 8, 5: 4, 3: 0, 4: 0}
_TAGS_OF_OTHERS = bytes(byte for byte in range(256) if byte & 7 != _LENGTH_DELIMITED)

_Children: TypeAlias = Mapping[int, Descriptor | None]


def check_message_count(body: bytes, root: Descriptor) -> None:
    """Count the messages in `body`, a `root` in protobuf, by ever closer bounds.

    Nearly every body passes the first, for nothing. Damage is left for the parser to find: the
    count is never below what the parser makes before it comes upon it.

    Raises:
        TooLargeError: There are more than `MAX_MESSAGES`.
    """
    if len(body) <= _MIN_MESSAGE_BYTES * MAX_MESSAGES:
        return
    # Each message begins with a byte that says its wire type, however its tag is written.
    if len(body.translate(None, _TAGS_OF_OTHERS)) <= MAX_MESSAGES:
        return
    if count_messages(body, root) > MAX_MESSAGES:
        raise TooLargeError(
            f"The request has more than {MAX_MESSAGES} spans, records, attributes and other "
            "messages. Send smaller batches."
        )


def count_messages(body: bytes, root: Descriptor) -> int:  # noqa: C901 - one loop, for speed
    """Return how many messages and repeated texts `body` holds, at all depths.

    It stops above `MAX_MESSAGES`, and returns more than that when it has seen `MAX_FIELDS`.
    """
    children, end, position, count = _children(root), len(body), 0, 0
    around: list[tuple[_Children, int]] = []
    for _ in range(MAX_FIELDS):
        while position >= end:
            if not around:
                return count
            position = end  # past it if the length of the last field was wrong
            children, end = around.pop()
        try:
            tag, position = body[position], position + 1
            if tag >= 0x80:
                tag, position = _varint(body, position - 1)
            if tag & 7 != _LENGTH_DELIMITED:
                position = _after_scalar(body, position, tag & 7)
                continue
            length, position = body[position], position + 1
            if length >= 0x80:
                length, position = _varint(body, position - 1)
        except IndexError:  # cut short
            position = end
            continue
        after = position + length
        number = (tag & 0xFFFF_FFFF) >> 3  # a tag has 32 bits
        if number in children and after <= end:
            count += 1
            if count > MAX_MESSAGES:
                return count
            if inner := children[number]:
                around.append((children, end))
                children, end = _children(inner), after
                continue
        position = after
    return MAX_MESSAGES + 1


def _after_scalar(body: bytes, position: int, wire_type: int) -> int:
    if wire_type == 0:
        return _varint(body, position)[1]
    if wire_type in _SCALAR_BYTES:
        return position + _SCALAR_BYTES[wire_type]
    raise IndexError  # there is no such type: damaged


def _varint(body: bytes, position: int) -> tuple[int, int]:
    """Return the number at `position`, and the position after it."""
    byte = body[position]
    if byte < 0x80:
        return byte, position + 1
    value, shift = byte & 0x7F, 7
    while True:
        position += 1
        byte = body[position]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position + 1
        shift += 7
        if shift >= 70:  # no number is longer: damaged
            raise IndexError


@cache
def _children(descriptor: Descriptor) -> _Children:
    """Return the fields that make something, by number; None where it is not a message."""
    return {
        field.number: field.message_type
        for field in descriptor.fields
        if field.message_type
        or (
            field.is_repeated
            and field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
        )
    }
