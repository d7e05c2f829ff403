"""Remove secrets from received telemetry, because other senders do not redact it.

The rules are those of the agent side (`subscribers.content.redaction`), so what our own bridge has
cleaned stays as it is. What was changed lists where in its attribute `inspector.redacted`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from inspector.errors import TooLargeError
from inspector.service.otlp.secrets import may_hold_secret
from inspector.service.otlp.signals import ExportRequest, OtlpSignal
from subscribers.content.redaction import REDACTED, Redactor, is_secret_flag

REDACTED_MARK = "inspector.redacted"
_MAX_PLACES = 100
_MAX_SEARCHED_BYTES = 1024 * 1024
MAX_SCRUB_S = 10.0
"""Limit of CPU time. The largest body takes a second without secrets, a minute full of them."""

_redactor = Redactor()


def scrub(signal: OtlpSignal, request: ExportRequest, body: bytes | None = None) -> bool:
    """Replace secrets in `request` by `[redacted]`; return whether there were any.

    Args:
        signal: The signal of `request`.
        request: As decoded, every depth of it within the limits of the decoders.
        body: The same in protobuf, if at hand.

    Raises:
        TooLargeError: There are so many that it would keep others waiting.
    """
    whole = request.SerializeToString() if body is None else body
    # A large one is looked at part by part: nothing else runs while one search does.
    if len(whole) <= _MAX_SEARCHED_BYTES and not may_hold_secret(whole):
        return False
    is_found, end_s = False, time.thread_time() + MAX_SCRUB_S
    for part in _parts(signal, request):
        if time.thread_time() > end_s:
            raise TooLargeError(
                "Searching the request for secrets takes too long. Send smaller batches."
            )
        is_found |= _scrub_part(part)
    return is_found


def _parts(signal: OtlpSignal, request: ExportRequest) -> Iterator[Any]:
    """Yield the messages that are searched and marked one by one."""
    for group in getattr(request, signal.groups):
        yield group.resource
        for scope in getattr(group, signal.scopes):
            yield scope.scope
            yield from getattr(scope, signal.items)


def _scrub_part(part: Any) -> bool:
    if not may_hold_secret(part.SerializeToString()):
        return False
    places = list(dict.fromkeys(_scrub_message(part, "")))
    if places and hasattr(part, "attributes"):
        _mark(part.attributes, places[:_MAX_PLACES])
    return bool(places)


def _scrub_message(message: Any, place: str) -> Iterator[str]:
    """Scrub every text in `message`, at any depth; yield where there was something."""
    for field, value in message.ListFields():
        if field.message_type is None:
            if field.type == FieldDescriptor.TYPE_STRING:
                yield from _scrub_text(message, field, value, f"{place}{field.name}")
        elif field.message_type.name == "KeyValue":
            yield from (f"{place}{pair.key}" for pair in value if _scrub_pair(pair))
        elif field.message_type.name == "AnyValue":
            if _scrub_value("", value):
                yield f"{place}{field.name}"
        else:
            for child in value if field.is_repeated else (value,):
                yield from _scrub_message(child, f"{place}{field.name}.")


def _scrub_text(message: Any, field: FieldDescriptor, value: Any, place: str) -> Iterator[str]:
    texts = list(value) if field.is_repeated else [value]
    scrubbed = [_redactor.text(text) for text in texts]
    if scrubbed == texts:
        return
    if field.is_repeated:
        value[:] = scrubbed
    else:
        setattr(message, field.name, scrubbed[0])
    yield place


def _scrub_pair(pair: KeyValue) -> bool:
    """Scrub an attribute; return whether there was a secret."""
    is_found = _scrub_value(pair.key, pair.value)
    key = _redactor.text(pair.key)
    if key != pair.key:
        pair.key, is_found = key, True
    return is_found


def _scrub_value(key: str, value: AnyValue) -> bool:
    """Scrub the value of `key`; return whether there was a secret."""
    match value.WhichOneof("value"):
        case "string_value":
            before, after = value.string_value, _redactor.value(key, value.string_value)
            if after != before:
                value.string_value = after
            return bool(after != before)
        case "bytes_value":
            return _scrub_bytes(key, value)
        case "array_value":
            return _scrub_items(key, value.array_value.values)
        case "kvlist_value":
            found = [_scrub_pair(pair) for pair in value.kvlist_value.values]
            return any(found)
        case _:
            return False


def _scrub_bytes(key: str, value: AnyValue) -> bool:
    try:
        before = value.bytes_value.decode()
    except UnicodeDecodeError:
        return False  # no text
    after = _redactor.value(key, before)
    if after == before:
        return False
    value.bytes_value = after.encode()
    return True


def _scrub_items(key: str, items: Any) -> bool:
    is_found, before = False, ""
    for item in items:
        text = item.string_value
        if is_secret_flag(before) and text and text != REDACTED:
            item.string_value = REDACTED
            is_found = True
        elif _scrub_value(key, item):
            is_found = True
        before = text
    return is_found


def _mark(attributes: Any, places: list[str]) -> None:
    mark = next((pair for pair in attributes if pair.key == REDACTED_MARK), None)
    if mark is None:
        mark = attributes.add(key=REDACTED_MARK)
    known = {value.string_value for value in mark.value.array_value.values}
    for place in places:
        if place not in known:
            mark.value.array_value.values.add(string_value=place)
