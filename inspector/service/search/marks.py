"""Marks: index terms for the properties of a document that are not in its text.

A mark is a hash of a name and a value, so two may be equal: what they find is evaluated. Numbers
have marks of their magnitude, times of their hour and day; a condition is an alternative of these.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from inspector.service.model.records import SessionRecord, SpanRecord
from inspector.service.model.rows import Json, SpanKind, SpanStatus
from inspector.service.query.fields import FIELDS, Field, Kind, QueryScope
from inspector.service.query.tree import Operator
from inspector.service.search.fields import SPAN_READERS, Value, read

MAX_CHARS = 64
"""Limit of a value that has a mark."""
MAX_MARKS = 256
"""Limit of the marks of a span's attributes; the same for its resource."""
TOO_MANY = "k0"
"""Mark in place of all marks beyond `MAX_MARKS`."""
OPEN = "k1"
"""Mark of a row without an end: its duration depends on the time of the query."""
AHEAD = "k2"
"""Mark of a row that began more than an hour after it was received."""

_EXACT = {Kind.TEXT, Kind.CHOICE, Kind.FLAG}
_SIZED = {Kind.COUNT, Kind.MONEY, Kind.DURATION, Kind.SIZE}
# Every row has another id, and much of a session changes all the time.
_UNMARKED_SPAN = {"id", "trace", "ended"}
_MARKED_SESSION = {"engine", "model", "service", "agent", "tag", "user"}
_MAX_REMEMBERED_CHARS = 256
"""Names longer than this are not remembered: any sender may make them up, of any length."""
_MICRO = 1_000_000
_TOP_MAGNITUDE = 24
"""The last: of 3 days, or 10^14 tokens, and above."""
_LARGEST = 4.0**_TOP_MAGNITUDE
HOUR_NS = 3_600 * 10**9
_MAX_HOURS = 48
_MAX_DAYS = 62


def is_marked(field: Field) -> bool:
    """Return whether documents have marks for the values of `field`."""
    if field.scope is QueryScope.SESSION:
        return field.name in _MARKED_SESSION
    return field.name not in _UNMARKED_SPAN


def field_mark(field: Field, value: str | float | None = None) -> str | None:
    """Return the mark of a field with exactly `value`, or with any; None without one."""
    seed = _seed(f".{field.name}")
    return mark_of(seed) if value is None else _value_mark(seed, str(value).casefold())


def attribute_mark(key: str, value: str | int | float | None = None) -> str | None:
    """Return the mark of an attribute with `value`, or with any; None without one."""
    if isinstance(value, int | float):
        return _value_mark(_seed(f"@{key}#"), repr(float(value)))
    seed, presence = marks_of_key(key)
    return presence if value is None else _value_mark(seed, value)


def size_marks(field: Field, operator: Operator, value: float) -> list[str]:
    """Return marks of which a document has one if its `field` compares so with `value`."""
    marks = _size_marks(_seed(f".{field.name}^"), operator, magnitude(value, field.kind))
    return [*marks, OPEN] if field.kind is Kind.DURATION else marks


def attribute_size_marks(key: str, operator: Operator, value: float) -> list[str]:
    """Return marks of which a document has one if its attribute compares so with `value`."""
    return [*_size_marks(_seed(f"@{key}^"), operator, magnitude(value)), TOO_MANY]


def _size_marks(seed: int, operator: Operator, magnitude: int) -> list[str]:
    match operator:
        case Operator.LESS | Operator.AT_MOST:
            found = range(magnitude + 1)
        case Operator.GREATER | Operator.AT_LEAST:
            found = range(magnitude, _TOP_MAGNITUDE + 1)
        case _:
            found = range(magnitude, magnitude + 1)
    return [mark_of(seed + number) for number in found]


def hour_marks(first_ns: int, beyond_ns: int | None, now_ns: int) -> list[str] | None:
    """Return marks of which a span that began in this time has one. None: it is too long.

    Args:
        first_ns: Its start.
        beyond_ns: Its end; None: it has none.
        now_ns: Spans that began more than an hour after this have the mark `AHEAD`.
    """
    end_ns = now_ns + HOUR_NS if beyond_ns is None else beyond_ns
    ahead = [AHEAD] if beyond_ns is None else []
    for unit_ns, seed, most in (
        (HOUR_NS, _seed(".hour"), _MAX_HOURS),
        (24 * HOUR_NS, _seed(".day"), _MAX_DAYS),
    ):
        first, last = first_ns // unit_ns, end_ns // unit_ns
        if last - first <= most:
            return [*(mark_of(seed + number) for number in range(first, last + 1)), *ahead]
    return None


def session_marks(session: SessionRecord) -> Iterable[str]:
    """Return the marks of a session's fields."""
    return _exact_marks((field, read(field, session, 0)) for field in _MARKED[QueryScope.SESSION])


def identity_marks(span: SpanRecord) -> list[str]:
    """Return the marks of the fields that are the same for many spans."""
    is_short = len(span.name) + len(span.model or "") <= _MAX_REMEMBERED_CHARS
    exact_marks = _known_span_marks if is_short else _exact_span_marks
    return exact_marks(*_exact_columns(span))


def measure_marks(span: SpanRecord) -> list[str]:
    """Return the marks of a span's times and sizes."""
    marks = [*_hours_of(span.start_ns // HOUR_NS)]
    has_usage = not (span.input_tokens is span.output_tokens is span.cost_usd is None)
    sized = _SIZED_SPAN if has_usage else _SIZED_WITHOUT_USAGE
    if span.end_ns is None:
        sized = [one for one in sized if one[0] is not Kind.DURATION]
        marks.append(OPEN)
    for kind, read_field, of_magnitude in sized:
        value: Any = read_field(span, 0)
        if value is not None:
            marks.append(of_magnitude[magnitude(value, kind)])
    if span.start_ns > span.changed_ns + HOUR_NS:
        marks.append(AHEAD)
    return marks


def attribute_marks(attributes: Mapping[str, Json]) -> set[str]:
    """Return the marks of attributes: of their presence, and of their values."""
    marks: set[str] = set()
    for key, value in attributes.items():
        if len(marks) >= MAX_MARKS:
            return marks | {TOO_MANY}
        marks.update(value_marks(key, value))
    return marks


def value_marks(key: str, value: Json) -> list[str]:
    """Return the marks of one attribute."""
    if value is None:
        return []
    seed, presence = (_known_key if len(key) <= _MAX_REMEMBERED_CHARS else marks_of_key)(key)
    if isinstance(value, str):  # as most are
        short = len(value) <= MAX_CHARS and _value_mark(seed, value.casefold())
        return [presence, short] if short else [presence]
    marks = [presence]
    if isinstance(value, int | float) and not isinstance(value, bool):
        marks.append(mark_of(zlib.crc32(b"#" + repr(float(value)).encode(), seed)))
        marks.append(mark_of(zlib.crc32(b"^", seed) + magnitude(value)))
    for one in value[:MAX_MARKS] if isinstance(value, list) else (value,):
        text = as_text(one)
        # Folding makes no text shorter, and takes time for a long one.
        if len(text) <= MAX_CHARS and (mark := _value_mark(seed, text.casefold())):
            marks.append(mark)
    if isinstance(value, list) and len(value) > MAX_MARKS:
        marks.append(TOO_MANY)
    return marks


def as_text(value: Json) -> str:
    """Return an attribute's value as the text that queries compare."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


_MARKED = {
    scope: [field for field in fields.values() if is_marked(field)]
    for scope, fields in FIELDS.items()
}
_EXACT_SPAN = [field for field in _MARKED[QueryScope.SPAN] if field.kind in _EXACT]
_EXACT_COLUMNS = ("name", "kind", "status", "is_root", "subject", "model")
"""What these fields are read from: the same for many spans."""
_exact_columns = attrgetter(*_EXACT_COLUMNS)
_BLANK = SpanRecord("", "", "", 0, None, "", SpanKind.OTHER, SpanStatus.UNSET, 0, 0, False, "")


def _exact_span_marks(*columns: Any) -> list[str]:
    span = replace(_BLANK, **dict(zip(_EXACT_COLUMNS, columns, strict=True)))
    return _exact_marks((field, read(field, span, 0)) for field in _EXACT_SPAN)


_known_span_marks = lru_cache(8_192)(_exact_span_marks)


def _exact_marks(values: Iterable[tuple[Field, Value]]) -> list[str]:
    marks: set[str | None] = set()
    for field, value in values:
        for one in value if isinstance(value, tuple) else (value,):
            if one is not None:
                marks |= {field_mark(field), field_mark(field, one)}
    return [mark for mark in marks if mark]


@lru_cache(1_024)
def _hours_of(hour: int) -> tuple[str, str]:
    return mark_of(_seed(".hour") + hour), mark_of(_seed(".day") + hour // 24)


def magnitude(value: float, kind: Kind = Kind.COUNT) -> int:
    """Return the power of four that `value` is below, money in millionths; 0: no value."""
    scaled = value * _MICRO if kind is Kind.MONEY else value
    if scaled >= _LARGEST:  # infinity, too
        return _TOP_MAGNITUDE
    return (int(scaled).bit_length() + 1) // 2 if scaled > 0 else 0


def _seed(name: str) -> int:
    return zlib.crc32(name.encode(errors="replace"))


def marks_of_key(key: str) -> tuple[int, str]:
    """Return the seed of an attribute's values, and the mark of its presence."""
    seed = _seed(f"@{key}")
    return seed, mark_of(seed)


_known_key = lru_cache(16_384)(marks_of_key)


def mark_of(number: int) -> str:
    """Return the mark with a number."""
    return f"k{number & 0xFFFFFFFF:x}x"


def _value_mark(seed: int, value: str) -> str | None:
    if len(value) > MAX_CHARS:
        return None
    return mark_of(zlib.crc32(value.encode(errors="replace"), seed))


_SIZED_SPAN = [
    (
        field.kind,
        SPAN_READERS[field.name],
        [mark_of(_seed(f".{field.name}^") + number) for number in range(_TOP_MAGNITUDE + 1)],
    )
    for field in _MARKED[QueryScope.SPAN]
    if field.kind in _SIZED
]
"""Kind of each field with a size, how it is read, and its marks by magnitude."""
_SIZED_WITHOUT_USAGE = [one for one in _SIZED_SPAN if one[1](_BLANK, 0) is not None]
