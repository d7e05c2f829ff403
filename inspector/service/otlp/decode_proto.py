"""Decode OTLP protobuf to messages, keeping the valid parts of a partly invalid request.

The parser refuses a whole request for one string that is not UTF-8 or one attribute nested too
deeply. Then the request is split by a schema that leaves its parts as bytes, and only those that
do not parse are rejected.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from inspector.errors import BadDataError
from inspector.service.otlp.message_count import check_message_count
from inspector.service.otlp.payloads import Envelope
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import ExportRequest, OtlpSignal

_UNREADABLE = "text must be UTF-8, and attributes nested at most 30 levels deep"


def decode_proto(signal: OtlpSignal, body: bytes, rejections: Rejections) -> ExportRequest:
    """Return the request in `body`; items that cannot be read are counted in `rejections`.

    Raises:
        BadDataError: It is not an export request of `signal`, or nothing in it can be read.
        TooLargeError: It would take too much memory.
    """
    check_message_count(body, signal.request.DESCRIPTOR)
    try:
        return signal.request.FromString(body)
    except DecodeError:
        return _salvage(signal, body, rejections)


def _salvage(signal: OtlpSignal, body: bytes, rejections: Rejections) -> ExportRequest:
    try:
        envelope = Envelope.FromString(body)
    except DecodeError as error:
        raise BadDataError(
            f"The body is not an OTLP export request for {signal.name} in protobuf."
        ) from error
    request = signal.request()
    for raw_group in envelope.groups:
        for raw_scope in raw_group.scopes:
            # A resource or scope that cannot be read takes its items with it: without knowing
            # whose they are they would be shown in the wrong place.
            owner = _read_owner(signal, raw_group, raw_scope)
            if owner is None:
                rejections.add(_UNREADABLE, len(raw_scope.items))
                continue
            group = getattr(request, signal.groups).add()
            group.CopyFrom(owner)
            items = getattr(getattr(group, signal.scopes)[0], signal.items)
            for raw_item in raw_scope.items:
                item = _read_item(signal, raw_item)
                if item is None:
                    rejections.add(_UNREADABLE)
                else:
                    items.add().CopyFrom(item)
    if not request.ByteSize():
        raise BadDataError(f"Cannot read the body as {signal.name}: {_UNREADABLE}.")
    return request


def _read_owner(signal: OtlpSignal, raw_group: Any, raw_scope: Any) -> Any:
    """Return the group with its scope, without items; None if it cannot be read."""
    alone = Envelope()
    group = alone.groups.add(resource=raw_group.resource, schema_url=raw_group.schema_url)
    group.scopes.add(scope=raw_scope.scope, schema_url=raw_scope.schema_url)
    return _first_group(signal, alone)


def _read_item(signal: OtlpSignal, raw_item: bytes) -> Any:
    # Inside a request of its own, so that it is read at the depth where others will meet it.
    alone = Envelope()
    alone.groups.add().scopes.add(items=[raw_item])
    group = _first_group(signal, alone)
    return group and getattr(getattr(group, signal.scopes)[0], signal.items)[0]


def _first_group(signal: OtlpSignal, envelope: Any) -> Any:
    try:
        request = signal.request.FromString(envelope.SerializeToString())
    except DecodeError:
        return None
    return getattr(request, signal.groups)[0]
