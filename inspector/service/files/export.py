"""Export a session as the OTLP JSON lines that were received, readable by any collector."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import orjson
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

from inspector.service.files.otlp_json import plain
from inspector.service.model.records import Content
from inspector.service.storage.base import ReadableStore, SpanPosition

_PAGE = 500
_LINE_BYTES = 8 * 1024 * 1024
"""Limit of what a line has, but for one that is larger: JSON may take several times as much."""
PACKING = 3
"""Level of gzip: half the time of its default, and a fifth larger."""


def session_lines(store: ReadableStore, session_id: str) -> Iterator[bytes]:
    """Yield the lines, spans by start and then logs; a snapshot is held for a page at a time."""
    yield from _span_lines(store, session_id)
    yield from _log_lines(store, session_id)


def packed_session(store: ReadableStore, session_id: str) -> Iterator[bytes]:
    """Yield the lines as a gzip file; the same session gives the same bytes."""
    # The gzip container, with no time in it.
    packer = zlib.compressobj(PACKING, wbits=31)
    for line in session_lines(store, session_id):
        if packed := packer.compress(line):
            yield packed
    yield packer.flush()


def _span_lines(store: ReadableStore, session_id: str) -> Iterator[bytes]:
    position: SpanPosition | None = None
    while True:
        with store.read_whole(session_id) as reader:
            page = reader.contents_of(session_id, position, _PAGE)
        for origin, group in groupby(page.rows, key=lambda content: content.origin):
            for some in _short(group):
                yield _line("resourceSpans", _with_spans(origin, some))
        if page.next is None:
            return
        position = page.next


def _log_lines(store: ReadableStore, session_id: str) -> Iterator[bytes]:
    after = 0
    while True:
        with store.read_whole(session_id) as reader:
            page = reader.moments_of(session_id, after, _PAGE)
        for origin, group in groupby(page, key=lambda moment: moment.content.origin):
            for some in _short(moment.content for moment in group):
                yield _line("resourceLogs", _with_logs(origin, some))
        if len(page) < _PAGE:
            return
        after = page[-1].change


def _short(contents: Iterable[Content]) -> Iterator[list[Content]]:
    """Yield contents in groups that make lines which an import takes."""
    group, size_bytes = list[Content](), 0
    for one in contents:
        if group and size_bytes + len(one.payload) > _LINE_BYTES:
            yield group
            group, size_bytes = [], 0
        group.append(one)
        size_bytes += len(one.payload)
    yield group


def _with_spans(origin: bytes, contents: Iterable[Content]) -> dict[str, Any]:
    resource_spans = ResourceSpans.FromString(origin)
    resource_spans.scope_spans[0].spans.add()  # their place among the other fields
    found = plain(resource_spans)
    found["scopeSpans"][0]["spans"] = [plain(content.span()) for content in contents]
    return found


def _with_logs(origin: bytes, contents: Iterable[Content]) -> dict[str, Any]:
    source = ResourceSpans.FromString(origin)
    records = [content.log_record() for content in contents]
    scope_logs = ScopeLogs(
        scope=source.scope_spans[0].scope,
        schema_url=source.scope_spans[0].schema_url,
        log_records=records,
    )
    return plain(
        ResourceLogs(
            resource=source.resource, schema_url=source.schema_url, scope_logs=[scope_logs]
        )
    )


def _line(field: str, group: dict[str, Any]) -> bytes:
    return orjson.dumps({field: [group]}, option=orjson.OPT_APPEND_NEWLINE)
