"""How fast spans become durable: `python benchmarks/bench_ingest.py [BATCHES]`.

Batches of 512 spans with 20 attributes each (about 1.1 kB a span), 16 spans a trace, into a
SQLite store on the disk under the working directory. Beside it, on the same bytes: parsing
alone, and the least that SQLite can do (one row with the bytes, one transaction a batch).
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from inspector.feed import Feed
from inspector.ingest import Ingest
from inspector.model import IncomingSpan
from inspector.storage import open_store

SPANS = 512
SPANS_A_TRACE = 16
ATTRIBUTES = 20


def main() -> None:
    """Print the rates."""
    batch_count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    bodies = [_body(number) for number in range(batch_count)]
    span_count = batch_count * SPANS
    print(f"{span_count} spans, {len(bodies[0]) // SPANS} bytes each, {SPANS} a batch")
    parse = span_count / _seconds(lambda: [_parse(body) for body in bodies])
    bare = span_count / _with_folder(lambda folder: _bare(folder, bodies))
    for senders in (1, 4):
        rate = span_count / _with_folder(partial(_ingest, bodies=bodies, senders=senders))
        print(
            f"ingest, {senders} at once {rate:10,.0f} spans/s"
            f"   1/{parse / rate:.0f} of parsing   1/{bare / rate:.1f} of bare SQLite"
        )
    print(f"parsing alone     {parse:10,.0f} spans/s")
    print(f"bare SQLite       {bare:10,.0f} spans/s")


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _with_folder(work: Callable[[str], float]) -> float:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        return work(folder)


def _bare(folder: str, bodies: list[bytes]) -> float:
    connection = apsw.Connection(f"{folder}/bare.sqlite3")
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE span (no INTEGER PRIMARY KEY, trace, span, start, bytes)")

    def work() -> None:
        for body in bodies:
            rows = [
                (s.trace_id, s.span_id, s.start_time_unix_nano, s.SerializeToString())
                for s in _parse(body)
            ]
            with connection:
                connection.executemany("INSERT INTO span VALUES (NULL, ?, ?, ?, ?)", rows)

    seconds = _seconds(work)
    connection.close()
    return seconds


def _ingest(folder: str, bodies: list[bytes], senders: int) -> float:
    store = open_store(f"sqlite:///{folder}/store.sqlite3")

    async def sender(ingest: Ingest, share: Iterator[bytes]) -> None:
        for body in share:
            request = ExportTraceServiceRequest.FromString(body)
            spans = [
                IncomingSpan(span, group.resource, scope.scope)
                for group in request.resource_spans
                for scope in group.scope_spans
                for span in scope.spans
            ]
            await ingest.submit(spans, [])

    async def work() -> float:
        ingest = Ingest(store, Feed(store))
        share = iter(bodies)
        began = time.perf_counter()
        await asyncio.gather(*(sender(ingest, share) for _ in range(senders)))
        seconds = time.perf_counter() - began
        await ingest.close()
        return seconds

    seconds = asyncio.run(work())
    store.close()
    return seconds


def _parse(body: bytes) -> list[Span]:
    request = ExportTraceServiceRequest.FromString(body)
    return list(request.resource_spans[0].scope_spans[0].spans)


def _body(number: int) -> bytes:
    spans: list[Span] = []
    for index in range(SPANS):
        trace = os.urandom(16) if index % SPANS_A_TRACE == 0 else spans[-1].trace_id
        span_id = os.urandom(8)
        parent = b"" if index % SPANS_A_TRACE == 0 else spans[-(index % SPANS_A_TRACE)].span_id
        start_ns = time.time_ns()
        attributes = [_attribute(key) for key in range(ATTRIBUTES)]
        attributes[0] = KeyValue(
            key="gen_ai.operation.name",
            value=AnyValue(string_value="execute_tool" if index % 4 else "chat"),
        )
        if index % 4 == 0:
            attributes[1] = KeyValue(
                key="gen_ai.usage.input_tokens", value=AnyValue(int_value=index)
            )
        spans.append(
            Span(
                trace_id=trace,
                span_id=span_id,
                parent_span_id=parent,
                name=f"span {index}",
                start_time_unix_nano=start_ns,
                end_time_unix_nano=start_ns + 1_000_000,
                attributes=attributes,
            )
        )
    resource = Resource(
        attributes=[KeyValue(key="service.name", value=AnyValue(string_value="bench"))]
    )
    scope_spans = ScopeSpans(scope=InstrumentationScope(name="bench"), spans=spans)
    group = ResourceSpans(resource=resource, scope_spans=[scope_spans])
    return ExportTraceServiceRequest(resource_spans=[group]).SerializeToString()


def _attribute(key: int) -> KeyValue:
    return KeyValue(key=f"attribute.number.{key}", value=AnyValue(string_value="value " * 4))


if __name__ == "__main__":
    main()
