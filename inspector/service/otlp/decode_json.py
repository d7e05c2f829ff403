"""Decode OTLP/JSON to protobuf messages, tolerating the deviations of real senders.

`json_format.Parse` does not do: it takes the hex ids for base64, and one bad value costs the whole
request. The rules are those of the OTLP specification (ids in hex, enums as numbers, 64-bit
integers as strings), widened by what senders were seen to do: integers as numbers, enums by name,
base64 ids, `null` for absent, lone surrogates, `NaN`, names in snake_case as protobuf's own files
may have them. Unknown fields are ignored.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

import orjson
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from inspector.errors import BadDataError, TooLargeError
from inspector.service.model.nesting import levelled
from inspector.service.otlp.batch import MAX_ITEMS
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import ExportRequest, OtlpSignal

MAX_NESTING = 30
"""Levels of an attribute's value: protobuf parsers stop at 100 messages, three to a level."""

_MAX_DEPTH = 200
"""Objects and arrays within each other in a body: room for `MAX_NESTING` levels of four."""
MAX_CONTAINERS = 3_000_000
"""Limit of objects and arrays in one body: each takes up to 300 bytes as a parsed message."""

_ITEMS = frozenset({"Span", "LogRecord", "Metric"})
_GROUPS = frozenset(
    {"ResourceSpans", "ScopeSpans", "ResourceLogs", "ScopeLogs", "ResourceMetrics", "ScopeMetrics"}
)
_ITEMS_THEMSELVES = frozenset({"spans", "logRecords", "log_records", "metrics"})
_ITEM_FIELDS = _ITEMS_THEMSELVES | {
    "scopeSpans", "scopeLogs", "scopeMetrics", "scope_spans", "scope_logs", "scope_metrics"
}  # fmt: skip
_JSON_NAMES = {
    field.name: field.json_name
    for field in AnyValue.DESCRIPTOR.fields
    if field.name != field.json_name
}
_BOM = b"\xef\xbb\xbf"
_ID_FIELDS = frozenset({"trace_id", "span_id", "parent_span_id"})

_Setter: TypeAlias = Callable[[Any, Any, Rejections], None]
_Convert: TypeAlias = Callable[[Any], Any]


class _MisfitError(ValueError):
    """A value does not fit its field."""


def decode_json(signal: OtlpSignal, body: bytes, rejections: Rejections) -> ExportRequest:
    """Return the request in `body`; items that do not fit are counted in `rejections`.

    Raises:
        BadDataError: It is not JSON, or not an export request of `signal`.
        TooLargeError: It would take too much memory.
    """
    return read_request(signal, parse_json(body), rejections)


def read_request(signal: OtlpSignal, value: Any, rejections: Rejections) -> ExportRequest:
    """Return the request in `value`, which is parsed JSON.

    Raises:
        BadDataError: It is not an export request of `signal`.
    """
    request = signal.request()
    if isinstance(value, dict) and value and not {signal.groups, signal.groups_json} & value.keys():
        # Right by the specification, and surely not what was meant: nothing of it is kept.
        rejections.add(f"`{signal.groups_json}` is missing", count=0)
    try:
        _fill(request, value, rejections)
    except _MisfitError as error:
        raise BadDataError(
            f"The body is not an OTLP export request for {signal.name} in JSON: {error}."
        ) from error
    return request


def parse_json(body: bytes) -> Any:
    """Return the value in `body`, tolerating common mistakes of senders.

    Raises:
        BadDataError: It is not JSON.
        TooLargeError: It would take too much memory.
    """
    body = body.removeprefix(_BOM)
    if body.count(b"{") + body.count(b"[") > MAX_CONTAINERS:
        raise TooLargeError("The body has too many values. Send smaller batches, or use protobuf.")
    try:
        return orjson.loads(body)
    except ValueError as error:
        # orjson is right to refuse these, and Python's own json is what writes them.
        is_careless = any(mark in body for mark in (b"\\u", b"NaN", b"Infinity"))
        if not is_careless and body.count(b"{") + body.count(b"[") <= _MAX_DEPTH:
            raise _not_json(body, error) from error
    try:
        return json.loads(levelled(body.decode("utf-8", "surrogatepass"), _MAX_DEPTH))
    except ValueError as error:
        raise _not_json(body, error) from error


def _not_json(body: bytes, error: ValueError) -> BadDataError:
    try:
        body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return BadDataError("Not UTF-8 text.")
    return BadDataError(f"Not JSON: {error}.")


def _fill(message: Any, value: Any, rejections: Rejections) -> None:
    """Set the fields of `message` from the JSON object `value`."""
    setters = _setters(message.DESCRIPTOR)
    if not isinstance(value, dict):
        raise _MisfitError(f"{message.DESCRIPTOR.name} must be an object")
    for name, item in value.items():
        if item is not None and (setter := setters.get(name)):
            setter(message, item, rejections)


@cache
def _setters(descriptor: Descriptor) -> Mapping[str, _Setter]:
    """Return a function for each field of the message, by its JSON name and its original one."""
    setters = {field.json_name: _setter(field) for field in descriptor.fields}
    return {**{field.name: setters[field.json_name] for field in descriptor.fields}, **setters}


def _setter(field: FieldDescriptor) -> _Setter:
    name = field.name
    if field.message_type:
        kind = field.message_type.name
        if field.is_repeated and kind in _GROUPS:
            return partial(_set_groups, name)
        if field.is_repeated and kind == "KeyValue":
            return partial(_set_attributes, name)
        if field.is_repeated:
            return partial(_set_items if kind in _ITEMS else _set_messages, name)
        return partial(_set_any_value if kind == "AnyValue" else _set_message, name)
    convert = partial(_say_field, field.json_name, _converter(field))
    return partial(_set_scalars if field.is_repeated else _set_scalar, name, convert)


def _set_scalar(name: str, convert: _Convert, message: Any, value: Any, _: Rejections) -> None:
    setattr(message, name, convert(value))


def _set_scalars(name: str, convert: _Convert, message: Any, value: Any, _: Rejections) -> None:
    getattr(message, name).extend(map(convert, _as_list(name, value)))


def _set_message(name: str, message: Any, value: Any, rejections: Rejections) -> None:
    child = getattr(message, name)
    child.SetInParent()
    _fill(child, value, rejections)


def _set_messages(name: str, message: Any, value: Any, rejections: Rejections) -> None:
    children = getattr(message, name)
    for item in _as_list(name, value):
        _fill(children.add(), item, rejections)


def _set_attributes(name: str, message: Any, value: Any, rejections: Rejections) -> None:
    """Do as `_set_messages`. Plain texts are written out, since most of a request is these."""
    pairs = getattr(message, name)
    for item in _as_list(name, value):
        pair = pairs.add()
        inner = item.get("value") if type(item) is dict and len(item) == 2 else None
        if type(inner) is dict and len(inner) == 1:
            key, text = item.get("key"), inner.get("stringValue")
            if type(key) is str and type(text) is str and key.isascii() and text.isascii():
                pair.key, pair.value.string_value = key, text
                continue
        _fill(pair, item, rejections)


def _set_items(name: str, message: Any, value: Any, rejections: Rejections) -> None:
    """Do as `_set_messages`, but drop a message that does not fit."""
    children = getattr(message, name)
    if len(_as_list(name, value)) > MAX_ITEMS:
        raise TooLargeError(f"The request has more than {MAX_ITEMS} {name}. Send smaller batches.")
    for item in value:
        try:
            _fill(children.add(), item, rejections)
        except (_MisfitError, RecursionError) as error:
            del children[-1]
            rejections.add(str(error))


def _set_groups(name: str, message: Any, value: Any, rejections: Rejections) -> None:
    """Do as `_set_items`; drop a resource or scope that does not fit with its items.

    Without knowing whose they are they would be shown in the wrong place.
    """
    children = getattr(message, name)
    for item in _as_list(name, value):
        if item is None:
            continue
        of_group = Rejections()
        try:
            _fill(children.add(), item, of_group)
        except (_MisfitError, RecursionError) as error:
            del children[-1]
            of_group = Rejections()
            of_group.add(str(error), max(1, _item_count(item)))
        if of_group.count:
            rejections.add(of_group.reason, of_group.count)


def _item_count(group: Any) -> int:
    """Return how many spans, records or metrics a group has that cannot be read."""
    if not isinstance(group, dict):
        return 0
    count = 0
    for field, value in group.items():
        if isinstance(value, list) and field in _ITEM_FIELDS:
            count += len(value) if field in _ITEMS_THEMSELVES else sum(map(_item_count, value))
    return count


def _set_any_value(name: str, message: Any, value: Any, _: Rejections) -> None:
    child = getattr(message, name)
    child.SetInParent()
    _fill_any_value(child, value, MAX_NESTING)


def _fill_any_value(target: Any, value: Any, levels_left: int) -> None:
    """Set an `AnyValue`. Written out, since nearly all of a request is these."""
    if not isinstance(value, dict):
        raise _MisfitError("a value must be an object such as {'stringValue': …}")
    for name, item in value.items():
        if item is None:
            continue
        kind = _JSON_NAMES.get(name, name)
        if kind == "stringValue":
            target.string_value = _as_text(item)
        elif kind == "intValue":
            _set_integer(target, item)
        elif kind == "boolValue":
            target.bool_value = _as_bool(item)
        elif kind == "doubleValue":
            target.double_value = _as_float(item)
        elif kind == "bytesValue":
            target.bytes_value = _as_bytes(item)
        elif kind in ("arrayValue", "kvlistValue"):
            _fill_container(target, kind, item, levels_left - 1)


def _set_integer(target: Any, value: Any) -> None:
    # A number beyond 64 bits is kept as text: better readable than rejected with its span.
    number = _as_integer(value)
    if -(2**63) <= number < 2**63:
        target.int_value = number
    else:
        target.string_value = str(value)


def _fill_container(target: Any, kind: str, value: Any, levels_left: int) -> None:
    if levels_left < 0:
        # Deeper, no parser would read it: kept as text, so that nothing is lost.
        target.string_value = json.dumps(value, separators=(",", ":"))
        return
    if not isinstance(value, dict):
        raise _MisfitError(f"{kind} must be an object")
    values = _as_list("values", value.get("values") or [])
    if kind == "arrayValue":
        target.array_value.SetInParent()
        for item in values:
            child = target.array_value.values.add()
            if item is not None:
                _fill_any_value(child, item, levels_left)
        return
    target.kvlist_value.SetInParent()
    for item in values:
        if not isinstance(item, dict):
            raise _MisfitError("an entry of kvlistValue must be an object")
        pair = target.kvlist_value.values.add(key=_as_text(item.get("key") or ""))
        if item.get("value") is not None:
            pair.value.SetInParent()
            _fill_any_value(pair.value, item["value"], levels_left)


def _converter(field: FieldDescriptor) -> _Convert:
    if field.enum_type:
        return partial(_as_enum, field.enum_type.values_by_name)
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return _as_text
        case FieldDescriptor.TYPE_BOOL:
            return _as_bool
        case FieldDescriptor.TYPE_DOUBLE | FieldDescriptor.TYPE_FLOAT:
            return _as_float
        case FieldDescriptor.TYPE_BYTES:
            return _as_id if field.name in _ID_FIELDS else _as_bytes
        case FieldDescriptor.TYPE_UINT64 | FieldDescriptor.TYPE_FIXED64:
            return partial(_as_integer_in, 0, 2**64)
        case FieldDescriptor.TYPE_UINT32 | FieldDescriptor.TYPE_FIXED32:
            return partial(_as_integer_in, 0, 2**32)
        case (
            FieldDescriptor.TYPE_INT64 | FieldDescriptor.TYPE_SINT64 | FieldDescriptor.TYPE_SFIXED64
        ):
            return partial(_as_integer_in, -(2**63), 2**63)
        case _:
            return partial(_as_integer_in, -(2**31), 2**31)


def _say_field(name: str, convert: _Convert, value: Any) -> Any:
    try:
        return convert(value)
    except _MisfitError as error:
        raise _MisfitError(f"{name}: {error}") from None


def _as_list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _MisfitError(f"{name} must be an array")
    return value


def _as_text(value: Any) -> str:
    if not isinstance(value, str):
        raise _MisfitError("must be a string")
    if value.isascii():
        return value
    # Lone surrogates cannot be encoded; they become U+FFFD.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _as_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _MisfitError("must be true or false")
    return value


def _as_float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _MisfitError("must be a number")
    try:
        return float(value)  # takes "NaN", "Infinity" and "-Infinity" too
    except (ValueError, OverflowError):
        raise _MisfitError("must be a number") from None


def _as_integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _MisfitError("must be an integer, as a number or a string")
    try:
        number = int(value)
    except (ValueError, OverflowError):
        raise _MisfitError("must be an integer, as a number or a string") from None
    if isinstance(value, float) and value != number:
        raise _MisfitError("must be an integer, as a number or a string")
    return number


def _as_integer_in(low: int, high: int, value: Any) -> int:
    number = _as_integer(value)
    if not low <= number < high:
        raise _MisfitError("is out of range")
    return number


def _as_enum(values_by_name: Mapping[str, Any], value: Any) -> int:
    if isinstance(value, str) and value in values_by_name:
        return int(values_by_name[value].number)
    return _as_integer_in(-(2**31), 2**31, value)


def _as_bytes(value: Any) -> bytes:
    if not isinstance(value, str):
        raise _MisfitError("must be base64")
    text = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise _MisfitError("must be base64") from None


def _as_id(value: Any) -> bytes:
    """Read a trace or span id: hex, or base64 as protobuf's own JSON has it."""
    if not isinstance(value, str):
        raise _MisfitError("must be hex")
    if len(value) in (12, 24) and not _is_hex(value):
        return _as_bytes(value)
    if not _is_hex(value):
        raise _MisfitError("must be hex")
    return bytes.fromhex(value)


def _is_hex(value: str) -> bool:
    return len(value) % 2 == 0 and all(char in "0123456789abcdefABCDEF" for char in value)
