"""Take the spans of a request apart, without message objects for their attributes.

The stock message classes make a Python object for every attribute that is looked at; here a span's
attributes are a list of bytes, and their keys are some bytes that many spans have in common. What
is taken apart has been parsed by the stock classes before, so it is sound.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.service.model.encoded import Fields, message_classes
from inspector.service.normalise.encoded import EncodedSpan

_PARTS = ("Envelope", "Spans", "Shapes")
_FIELDS: dict[str, Fields] = {
    "Envelope": [("groups", 1, "Group", True)],
    "Group": [
        ("resource", 1, "", False),
        ("scopes", 2, "Scope", True),
        ("schema_url", 3, "", False),
    ],
    "Scope": [
        ("scope", 1, "", False),
        ("items", 2, "", True),
        ("schema_url", 3, "", False),
    ],
    "Spans": [("groups", 1, "SpanGroup", True)],
    "SpanGroup": [("scopes", 2, "SpanScope", True)],
    "SpanScope": [("spans", 2, "SpanFields", True)],
    "SpanFields": [
        ("trace_id", 1, "", False),
        ("span_id", 2, "", False),
        ("parent_span_id", 4, "", False),
        ("name", 5, "string", False),
        ("start_time_unix_nano", 7, "fixed64", False),
        ("end_time_unix_nano", 8, "fixed64", False),
        ("attributes", 9, "", True),
    ],
    "Shapes": [("groups", 1, "ShapeGroup", True)],
    "ShapeGroup": [("scopes", 2, "ShapeScope", True)],
    "ShapeScope": [("spans", 2, "SpanShape", True)],
    "SpanShape": [
        ("kind", 6, "int32", False),
        ("attributes", 9, "Key", True),
        ("dropped_attributes_count", 10, "uint32", False),
        ("events", 11, "Nothing", False),  # however many: only whether there are any
        ("dropped_events_count", 12, "uint32", False),
        ("dropped_links_count", 14, "uint32", False),
        ("status", 15, "StatusCode", False),
        ("flags", 16, "fixed32", False),
    ],
    "Key": [("key", 1, "", False)],
    "Nothing": [],
    "StatusCode": [("code", 3, "int32", False)],
}


def encoded_spans(body: bytes) -> Iterator[EncodedSpan]:
    """Yield the spans of an export request, in order."""
    wholes, fields, shapes = (_CLASSES[name].FromString(body) for name in _PARTS)
    shapes.DiscardUnknownFields()  # values are known to the two others only
    shapes = Envelope.FromString(shapes.SerializeToString())  # faster than each by itself
    for groups in zip(wholes.groups, fields.groups, shapes.groups, strict=True):
        for whole, part, shape in zip(*(group.scopes for group in groups), strict=True):
            yield from zip(whole.items, part.spans, shape.items, strict=True)


_CLASSES = message_classes(_FIELDS)
Envelope = _CLASSES["Envelope"]
"""The shape of an export request of any signal; what it holds stays bytes."""
