"""Export a session as the OTLP JSON lines that were received, readable by any collector."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import orjson
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

from inspector.service.model.records import Content, MomentRecord
from inspector.service.storage.base import ReadableStore, SpanPosition

_PAGE = 500
_ID_FIELDS = frozenset({"traceId", "spanId", "parentSpanId"})


def session_lines(store: ReadableStore, session_id: str) -> Iterator[bytes]:
    """Yield the lines, spans by start and then logs; a snapshot is held for a page at a time."""
    yield from _span_lines(store, session_id)
    yield from _log_lines(store, session_id)


def packed_session(store: ReadableStore, session_id: str) -> Iterator[bytes]:
    """Yield the lines as a gzip file; the same session gives the same bytes."""
    packer = zlib.compressobj(wbits=31)  # the gzip container, with no time in it
    for line in session_lines(store, session_id):
        if packed := packer.compress(line):
            yield packed
    yield packer.flush()


def _span_lines(store: ReadableStore, session_id: str) -> Iterator[bytes]:
    position: SpanPosition | None = None
    while True:
        with store.read() as reader:
            page = reader.spans_of(session_id, position, _PAGE)
            contents = [reader.content(span) for span in page]
        for origin, group in groupby(contents, key=lambda content: content.origin):
            yield _line("resourceSpans", _with_spans(origin, list(group)))
        if len(page) < _PAGE:
            return
        position = SpanPosition(page[-1].start_ns, page[-1].span_id, page[-1].trace_id)


def _log_lines(store: ReadableStore, session_id: str) -> Iterator[bytes]:
    after = 0
    while True:
        with store.read() as reader:
            page = reader.moments_of(session_id, after, _PAGE)
        for origin, group in groupby(page, key=lambda moment: moment.content.origin):
            yield _line("resourceLogs", _with_logs(origin, list(group)))
        if len(page) < _PAGE:
            return
        after = page[-1].change


def _with_spans(origin: bytes, contents: Sequence[Content]) -> ResourceSpans:
    resource_spans = ResourceSpans.FromString(origin)
    resource_spans.scope_spans[0].spans.extend(content.span() for content in contents)
    return resource_spans


def _with_logs(origin: bytes, moments: Sequence[MomentRecord]) -> ResourceLogs:
    source = ResourceSpans.FromString(origin)
    records = [moment.content.log_record() for moment in moments]
    scope_logs = ScopeLogs(
        scope=source.scope_spans[0].scope,
        schema_url=source.scope_spans[0].schema_url,
        log_records=records,
    )
    return ResourceLogs(
        resource=source.resource, schema_url=source.schema_url, scope_logs=[scope_logs]
    )


def _line(field: str, message: ResourceSpans | ResourceLogs) -> bytes:
    plain = MessageToDict(message, use_integers_for_enums=True)
    _write_ids_as_hex(plain)
    return orjson.dumps({field: [plain]}, option=orjson.OPT_APPEND_NEWLINE)


def _write_ids_as_hex(node: Any) -> None:
    """OTLP/JSON writes ids as hex, where protobuf's own JSON has base64 (OTLP 1.11, JSON)."""
    for scope in node.get("scopeSpans", ()):
        for span in scope.get("spans", ()):
            for owner in (span, *span.get("links", ())):
                _hex_ids(owner)
    for scope in node.get("scopeLogs", ()):
        for record in scope.get("logRecords", ()):
            _hex_ids(record)


def _hex_ids(owner: dict[str, Any]) -> None:
    for name in _ID_FIELDS & owner.keys():
        owner[name] = base64.b64decode(owner[name]).hex()
