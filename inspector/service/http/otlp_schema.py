"""A permissive JSON Schema of OTLP/JSON: it excludes only requests that are refused.

Items that do not fit are rejected one by one by `partial_success`, so their schema is any object.
"""

from __future__ import annotations

from typing import Any

from inspector.service.otlp.signals import OtlpSignal

_ATTRIBUTES = {"type": "array", "items": {"$ref": "#/components/schemas/OtlpKeyValue"}}
_COUNT = {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}

SCHEMAS: dict[str, Any] = {
    "OtlpAnyValue": {
        "type": "object",
        "description": "`opentelemetry.proto.common.v1.AnyValue`: at most one of these.",
        "properties": {
            "stringValue": {"type": "string"},
            "boolValue": {"type": "boolean"},
            "intValue": {
                "oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]{1,18}$"}]
            },
            "doubleValue": {
                "oneOf": [
                    {"type": "number"},
                    {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]},
                ]
            },
            "bytesValue": {"type": "string", "pattern": "^([A-Za-z0-9+/]{4})*$"},
            "arrayValue": {
                "type": "object",
                "properties": {
                    "values": {
                        "type": "array",
                        "items": {"$ref": "#/components/schemas/OtlpAnyValue"},
                    }
                },
            },
            "kvlistValue": {"type": "object", "properties": {"values": _ATTRIBUTES}},
        },
    },
    "OtlpKeyValue": {
        "type": "object",
        "description": "`opentelemetry.proto.common.v1.KeyValue`.",
        "properties": {
            "key": {"type": "string"},
            "value": {"$ref": "#/components/schemas/OtlpAnyValue"},
        },
    },
    "OtlpResource": {
        "type": "object",
        "description": "`opentelemetry.proto.resource.v1.Resource`.",
        "properties": {"attributes": _ATTRIBUTES, "droppedAttributesCount": _COUNT},
    },
    "OtlpScope": {
        "type": "object",
        "description": "`opentelemetry.proto.common.v1.InstrumentationScope`.",
        "properties": {
            "name": {"type": "string"},
            "version": {"type": "string"},
            "attributes": _ATTRIBUTES,
            "droppedAttributesCount": _COUNT,
        },
    },
}


def request_schema(signal: OtlpSignal) -> dict[str, Any]:
    """Return the schema of an export request."""
    items = {"type": "array", "items": {"type": "object"}}
    scope = {
        "scope": {"$ref": "#/components/schemas/OtlpScope"},
        _camel(signal.items): items,
        "schemaUrl": {"type": "string"},
    }
    group = {
        "resource": {"$ref": "#/components/schemas/OtlpResource"},
        _camel(signal.scopes): _list_of(scope),
        "schemaUrl": {"type": "string"},
    }
    return {
        "type": "object",
        "description": f"`{signal.request.DESCRIPTOR.full_name}` in OTLP/JSON.",
        "properties": {_camel(signal.groups): _list_of(group)},
    }


def _list_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties}}


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.title() for part in tail)
