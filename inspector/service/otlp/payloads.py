"""Extract the bytes of each span and each attribute of a request, without message objects.

The stock message classes make a Python object for every attribute that is looked at; here a span's
attributes are a list of bytes. What is taken apart has been parsed by the stock classes before, so
it is sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.service.model.encoded import Fields, message_classes

_FIELDS: dict[str, Fields] = {
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


def span_parts(body: bytes) -> Iterator[tuple[bytes, Iterable[bytes]]]:
    """Yield the bytes of each span in an export request and of its attributes, in order."""
    wholes, parts = Envelope.FromString(body), _Request.FromString(body)
    for whole_group, group in zip(wholes.groups, parts.groups, strict=True):
        for whole_scope, scope in zip(whole_group.scopes, group.scopes, strict=True):
            for payload, span in zip(whole_scope.items, scope.spans, strict=True):
                yield payload, span.attributes


_CLASSES = message_classes(_FIELDS)
Envelope = _CLASSES["Envelope"]
"""The shape of an export request of any signal; what it holds stays bytes."""
_Request = _CLASSES["Request"]
