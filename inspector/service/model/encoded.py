"""Message classes that leave some of what they hold encoded.

The stock classes make a Python object for every message that is looked at. Protobuf writes a
message in another as it writes bytes: so it can be read as bytes, and most are never decoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Fields: TypeAlias = Sequence[tuple[str, int, str, bool]]
"""Of each field: name, number, type, whether repeated. No type: bytes, whatever they hold."""
_Field = descriptor_pb2.FieldDescriptorProto


def message_classes(messages: Mapping[str, Fields]) -> dict[str, Any]:
    """Return a class for each message, by name."""
    file = descriptor_pb2.FileDescriptorProto(name="inspector/encoded.proto", syntax="proto3")
    for message, fields in messages.items():
        described = file.message_type.add(name=message)
        for name, number, kind, is_repeated in fields:
            described.field.add(
                name=name,
                number=number,
                label=_Field.LABEL_REPEATED if is_repeated else _Field.LABEL_OPTIONAL,
                type=_Field.Type.Value(f"TYPE_{_type_of(kind, messages)}"),
                type_name=f".{kind}" if kind in messages else None,
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in messages
    }


def _type_of(kind: str, messages: Mapping[str, Fields]) -> str:
    return "MESSAGE" if kind in messages else (kind or "bytes").upper()
