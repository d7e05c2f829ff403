"""Page cursors: opaque to clients, a JSON array to us."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import replace
from typing import Any

from inspector.service.http.problems import ProblemError
from inspector.service.storage.base import SpanPosition
from inspector.service.storage.orders import BEYOND, Order, SortKey, SortPosition, SortValue


def encode_cursor(*parts: int | float | str) -> str:
    """Return the cursor for `parts`."""
    text = json.dumps(parts, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def session_cursor(cursor: str | None) -> tuple[int, str] | None:
    """Return (started_ns, id) of a cursor of the session list."""
    if cursor is None:
        return None
    match _decode(cursor):
        case [int(started_ns), str(session_id)] if abs(started_ns) < 2**63:
            return started_ns, session_id
    raise _refusal()


def sort_cursor(cursor: str | None, order: Order) -> tuple[Order, SortPosition | None]:
    """Return the order of a listing, with the time of its first page, and the position in it."""
    if cursor is None:
        return order, None
    match _decode(cursor):
        case [str(name), int(now_ns), int() | float() | str() as value, str(session_id)]:
            if name == order.name and 0 <= now_ns < 2**63 and _is_value_of(order.key, value):
                return replace(order, now_ns=now_ns), (value, session_id)
    raise _refusal()


def _is_value_of(key: SortKey, value: SortValue) -> bool:
    if key is SortKey.TITLE or isinstance(value, str):
        return key is SortKey.TITLE and isinstance(value, str)
    return abs(value) <= BEYOND if key is SortKey.COST else type(value) is int and value < 2**63


def request_cursor(cursor: str | None) -> tuple[int, str] | None:
    """Return (created_ns, id) of a cursor of the list of requests."""
    return session_cursor(cursor)


def change_cursor(cursor: str | None) -> int | None:
    """Return the change of a cursor of a search, or the id of one of the audit log."""
    if cursor is None:
        return None
    match _decode(cursor):
        case [int(change)] if 0 <= change < 2**63:
            return change
    raise _refusal()


def span_cursor(cursor: str | None) -> SpanPosition | None:
    """Return the position of a cursor of a span list."""
    if cursor is None:
        return None
    match _decode(cursor):
        case [int(start_ns), str(span_id), str(trace_id)] if abs(start_ns) < 2**63:
            if _is_hex(span_id) and _is_hex(trace_id):
                return SpanPosition(start_ns, span_id, trace_id)
    raise _refusal()


def log_cursor(cursor: str | None) -> SpanPosition | int | None:
    """Return the position of a cursor of an MCP log: among the spans, then among the moments."""
    if cursor is None:
        return None
    match _decode(cursor):
        case [int(change)] if 0 <= change < 2**63:
            return change
    return span_cursor(cursor)


def _decode(cursor: str) -> Any:  # whatever a client sent
    try:
        text = base64.b64decode(cursor.encode() + b"=" * (-len(cursor) % 4), b"-_", validate=True)
        found = json.loads(text)
        # Fails for half a character, which JSON can write and no store can read.
        json.dumps(found, ensure_ascii=False).encode()
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _refusal() from error
    return found


def _is_hex(text: str) -> bool:
    try:
        return bytes.fromhex(text).hex() == text
    except ValueError:
        return False


def _refusal() -> ProblemError:
    return ProblemError(
        400,
        "bad_cursor",
        "Bad cursor",
        "The cursor is invalid. Use `next_cursor` of the previous page, or omit it.",
    )
