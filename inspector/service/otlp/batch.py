"""Turn a decoded request into rows: invalid spans are rejected, large values truncated."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import TooLargeError
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.records import origin_of
from inspector.service.normalise.facts import EncodedSpanReader, resource_facts
from inspector.service.otlp.payloads import encoded_spans
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import LOGS, METRICS, TRACES, ExportRequest, OtlpSignal

MAX_ITEMS = 100_000
"""Limit of spans, log records or metrics in one request; also of resources and of scopes."""

MAX_VALUE_BYTES = 32 * 1024 * 1024
"""Limit of an attribute value; a longer one is cut, its key listed in `inspector.truncated`."""

LIVE_SCOPE = "inspector.live"
"""Scope of the live records (`docs/formats.md`)."""

IsOwn: TypeAlias = Callable[[Span | LogRecord], bool]
"""Returns whether a span, or a live record of one, is about ourselves."""

_reader = EncodedSpanReader()
_NO_TRACE, _NO_SPAN = bytes(16), bytes(8)


@dataclass(slots=True)
class Batch:
    """The parts of one request, by destination.

    Attributes:
        spans: Spans to store.
        logs: Log records to store: records of a trace, and our own live records.
        forward: The request to forward, in protobuf; empty if nothing is forwarded.
        not_stored: Number of log records or metrics that are counted and forwarded only.
    """

    spans: list[IncomingSpan] = field(default_factory=list)
    logs: list[IncomingLog] = field(default_factory=list)
    forward: bytes = b""
    not_stored: int = 0


def make_batch(
    signal: OtlpSignal,
    request: ExportRequest,
    rejections: Rejections,
    *,
    size_bytes: int,
    body: bytes | None = None,
    is_own: IsOwn | None = None,
) -> Batch:
    """Divide `request` into a batch; invalid items are removed from it, large values cut.

    Args:
        signal: The signal of `request`.
        request: The decoded request.
        rejections: Collects the rejected items.
        size_bytes: Size of the body. A small one cannot hold a large attribute.
        body: The request in protobuf, if available: it is forwarded as received if nothing changes.
        is_own: Spans that are about ourselves; they are left out silently.

    Raises:
        TooLargeError: It holds too many items.
    """
    scopes = _filled_scopes(signal, request)
    is_changed = body is None
    if signal is not METRICS and is_own:
        for _, scope in scopes:
            is_changed |= _leave_out(getattr(scope, signal.items), is_own)
    for _, scope in scopes:
        is_changed |= _reject_bad(signal, getattr(scope, signal.items), rejections)
    if size_bytes > MAX_VALUE_BYTES:
        is_changed |= _truncate_all(signal, scopes)
    batch, forward = Batch(), request
    if signal is LOGS:
        forward = _sort_logs(batch, request)
        is_changed |= forward is not request
    elif signal is METRICS:
        batch.not_stored = sum(len(scope.metrics) for _, scope in scopes)
    if forward is not None:
        batch.forward = body if body and not is_changed else forward.SerializeToString()
    if signal is TRACES and batch.forward:
        batch.spans = list(_read_spans(scopes, batch.forward))
    return batch


def _read_spans(scopes: list[tuple[Any, Any]], body: bytes) -> Iterator[IncomingSpan]:
    """Read each span of a request, whose bytes are `body`."""
    encoded = encoded_spans(body)
    for group, scope in scopes:
        of_resource = resource_facts(group.resource)
        origin = origin_of(group.resource, scope.scope, group.schema_url, scope.schema_url)
        for one in itertools.islice(encoded, len(scope.spans)):
            yield _reader.read(one, origin, of_resource)


def _filled_scopes(signal: OtlpSignal, request: ExportRequest) -> list[tuple[Any, Any]]:
    """Return (resource group, scope group) of each scope with items; check the limits first."""
    groups = getattr(request, signal.groups)
    _limit(signal.groups, len(groups))
    _limit(signal.scopes, sum(len(getattr(group, signal.scopes)) for group in groups))
    filled = [pair for pair in signal.walk(request) if getattr(pair[1], signal.items)]
    _limit(signal.items, sum(len(getattr(scope, signal.items)) for _, scope in filled))
    return filled


def _limit(what: str, count: int) -> None:
    if count > MAX_ITEMS:
        raise TooLargeError(f"The request has more than {MAX_ITEMS} {what}. Send smaller batches.")


def _leave_out(items: Any, is_own: IsOwn) -> bool:
    own = [index for index, item in enumerate(items) if is_own(item)]
    for index in reversed(own):
        del items[index]
    return bool(own)


def _sort_logs(batch: Batch, request: ExportRequest) -> Any:
    """Sort the log records into `batch`; return the request to forward, None if none is left."""
    has_live = False
    for group, scope in LOGS.walk(request):
        is_live = scope.scope.name == LIVE_SCOPE
        has_live |= is_live
        for record in scope.log_records:
            if record.trace_id or is_live:
                batch.logs.append(IncomingLog(record, group.resource, scope.scope))
            else:
                batch.not_stored += 1
    return _without_live(request) if has_live else request


def _without_live(request: Any) -> Any:
    """Return a copy without live records: they are between an agent and its inspector."""
    copy: Any = LOGS.request()
    for group in request.resource_logs:
        scopes = [scope for scope in group.scope_logs if scope.scope.name != LIVE_SCOPE]
        if scopes:
            copy.resource_logs.add(
                resource=group.resource, scope_logs=scopes, schema_url=group.schema_url
            )
    return copy if copy.resource_logs else None


def _reject_bad(signal: OtlpSignal, items: Any, rejections: Rejections) -> bool:
    if signal is METRICS:
        return False
    why_not = _why_not_span if signal is TRACES else _why_not_record
    bad = [(index, why) for index, item in enumerate(items) if (why := why_not(item))]
    for index, why in reversed(bad):
        del items[index]
        rejections.add(why)
    return bool(bad)


def _why_not_span(span: Any) -> str | None:
    trace_id, span_id = span.trace_id, span.span_id
    if len(trace_id) != 16 or trace_id == _NO_TRACE:
        return "a trace id must be 16 bytes, not all zero"
    if len(span_id) != 8 or span_id == _NO_SPAN:
        return "a span id must be 8 bytes, not all zero"
    if len(span.parent_span_id) not in (0, 8):
        return "a parent span id must be 8 bytes"
    return None


def _why_not_record(record: Any) -> str | None:
    if len(record.trace_id) not in (0, 16):
        return "a trace id must be 16 bytes"
    if len(record.span_id) not in (0, 8):
        return "a span id must be 8 bytes"
    return None


def _truncate_all(signal: OtlpSignal, scopes: list[tuple[Any, Any]]) -> bool:
    is_changed = False
    for group, scope in scopes:
        for holder in (group.resource, scope.scope):
            is_changed |= _truncate_attributes(holder.attributes)
        if signal is METRICS:
            continue
        for item in getattr(scope, signal.items):
            is_changed |= _truncate_attributes(item.attributes)
            for part in (*getattr(item, "events", ()), *getattr(item, "links", ())):
                is_changed |= _truncate_attributes(part.attributes)
            if signal is LOGS and _truncate_value(item.body):
                is_changed = True
                _mark(item.attributes, ["body"])
    return is_changed


def _truncate_attributes(attributes: Any) -> bool:
    cut = [
        pair.key
        for pair in attributes
        if pair.ByteSize() > MAX_VALUE_BYTES and _truncate_value(pair.value)
    ]
    if cut:
        _mark(attributes, cut)
    return bool(cut)


def _truncate_value(value: AnyValue) -> bool:
    """Cut the texts and bytes in `value` that are too long; return whether there were any."""
    is_cut = False
    for leaf in _leaves(value):
        if leaf.WhichOneof("value") == "bytes_value":
            if len(leaf.bytes_value) > MAX_VALUE_BYTES:
                leaf.bytes_value = leaf.bytes_value[:MAX_VALUE_BYTES]
                is_cut = True
        elif len(leaf.string_value) * 4 > MAX_VALUE_BYTES:
            raw = leaf.string_value.encode()
            if len(raw) > MAX_VALUE_BYTES:
                leaf.string_value = raw[:MAX_VALUE_BYTES].decode("utf-8", "ignore")
                is_cut = True
    return is_cut


def _leaves(value: AnyValue) -> Iterator[AnyValue]:
    match value.WhichOneof("value"):
        case "array_value":
            for item in value.array_value.values:
                yield from _leaves(item)
        case "kvlist_value":
            for pair in value.kvlist_value.values:
                yield from _leaves(pair.value)
        case "string_value" | "bytes_value":
            yield value
        case _:
            return


def _mark(attributes: Any, keys: list[str]) -> None:
    """Add `keys` to the attribute `inspector.truncated`, which the sender may have set."""
    mark = next((pair for pair in attributes if pair.key == "inspector.truncated"), None)
    if mark is None:
        mark = attributes.add(key="inspector.truncated")
    for key in keys:
        mark.value.array_value.values.add(string_value=key)
