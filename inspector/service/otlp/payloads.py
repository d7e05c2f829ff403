"""Extract the bytes of each span and each attribute of a request, without message objects.

The stock message classes make a Python object for every attribute that is looked at; here a span's
attributes are a list of bytes. What is taken apart has been parsed by the stock classes before, so
it is sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_FIELDS = {
    "Envelope": [("groups", 1, "Group", True)],
    "Group": [
        ("resource", 1, "", False),
        ("scopes", 2, "Scope", True),
        ("schema_url", 3, "", False),
    ],
    "Scope": [("scope", 1, "", False), ("items", 2, "", True), ("schema_url", 3, "", False)],
    "Request": [("groups", 1, "SpanGroup", True)],
    "SpanGroup": [("scopes", 2, "SpanScope", True)],
    "SpanScope": [("spans", 2, "Attributes", True)],
    "Attributes": [("attributes", 9, "", True)],
}
"""Message → its fields: name, number, message type ("" is bytes), whether repeated."""


def span_parts(body: bytes) -> Iterator[tuple[bytes, Iterable[bytes]]]:
    """Yield the bytes of each span in an export request and of its attributes, in order."""
    wholes, parts = Envelope.FromString(body), _Request.FromString(body)
    for whole_group, group in zip(wholes.groups, parts.groups, strict=True):
        for whole_scope, scope in zip(whole_group.scopes, group.scopes, strict=True):
            for payload, span in zip(whole_scope.items, scope.spans, strict=True):
                yield payload, span.attributes


def _message_classes() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="inspector/payloads.proto", syntax="proto3")
    for message, fields in _FIELDS.items():
        described = file.message_type.add(name=message)
        for name, number, kind, is_repeated in fields:
            described.field.add(
                name=name,
                number=number,
                label=_Field.LABEL_REPEATED if is_repeated else _Field.LABEL_OPTIONAL,
                type=_Field.TYPE_MESSAGE if kind else _Field.TYPE_BYTES,
                type_name=f".{kind}" if kind else None,
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in _FIELDS
    }


_CLASSES = _message_classes()
Envelope = _CLASSES["Envelope"]
"""The shape of an export request of any signal; what it holds stays bytes."""
_Request = _CLASSES["Request"]
