"""Where a span's CPU time goes in ingest, and what it is measured against.

All of it runs in this process, without HTTP: the stages are those of the writer, and the floors do
the least that can be done with the same bytes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
from ingest_load import SPANS, Bodies
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from inspector.service.ingest.recorder import Recorder
from inspector.service.model.records import Content, SpanRecord
from inspector.service.model.rows import SpanKind, SpanStatus
from inspector.service.otlp.batch import Batch
from inspector.service.otlp.payloads import encoded_spans
from inspector.service.otlp.receiver import read_request
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.secrets import may_hold_secret
from inspector.service.otlp.signals import TRACES
from inspector.service.storage import open_store

FLOOR_BATCHES = 40
_LARGE_BYTES = 31 * 2**20
"""Freed once, so much is kept by glibc whenever it is free, as in the service: see `serve`."""


class Floors(NamedTuple):
    """What parsing alone takes, and bare SQLite with it: one row a span, one commit a batch."""

    parse_spans_per_s: float
    bare_spans_per_s: float
    bare_cpu_us: float
    """CPU time a span of bare SQLite, with parsing."""


class Stages(NamedTuple):
    """CPU time a span of each stage, in microseconds."""

    read_us: float
    least_read_us: float
    """Of reading, what no rule can do without: see `_read_least`."""
    record_us: float
    commit_us: float


def measure_floors() -> Floors:
    """Return what the least work takes on this machine."""
    supply = Bodies("http/protobuf")
    bodies = [supply.next() for _ in range(FLOOR_BATCHES)]
    spans = FLOOR_BATCHES * SPANS
    began_s = time.perf_counter()
    for body in bodies:
        list(_parsed(body))
    parse_s = time.perf_counter() - began_s
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        _keep_rows(folder, bodies)
        bare_s, bare_cpu_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
    return Floors(spans / parse_s, spans / bare_s, bare_cpu_s / spans * 1e6)


def measure_stages(batches: int) -> Stages:
    """Return what each stage takes, over `batches` requests, each a commit."""
    spent_s = [0.0] * len(Stages._fields)
    bytearray(_LARGE_BYTES)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        store = open_store(f"sqlite:///{folder}/store.sqlite3")
        recorder, supply = Recorder(store, time.time_ns()), Bodies("http/protobuf", 255)
        for _ in range(batches):
            body = supply.next()
            times_s = [time.process_time()]
            spans = list(read(body).spans)
            times_s.append(time.process_time())
            _read_least(body)
            times_s.append(time.process_time())
            changes = recorder.record(spans, [], time.time_ns())
            times_s.append(time.process_time())
            store.commit(changes)
            recorder.committed()
            times_s.append(time.process_time())
            for stage in range(len(spent_s)):
                spent_s[stage] += times_s[stage + 1] - times_s[stage]
        store.close()
    return Stages(*(seconds / (batches * SPANS) * 1e6 for seconds in spent_s))


def read(body: bytes, *, scrubs: bool = True) -> Batch:
    """Return the spans of a request, as the service reads them."""
    return read_request(TRACES, body, rejections=Rejections(), scrubs=scrubs)


def _read_least(body: bytes) -> None:
    """Read spans without any facts: the checks, the parts of each, and a row for it."""
    TRACES.request.FromString(body)
    may_hold_secret(body)
    rows = []
    for payload, fields, _ in encoded_spans(body):
        ids = (fields.trace_id.hex(), fields.span_id.hex(), "", 0, fields.parent_span_id.hex())
        times = (fields.start_time_unix_nano, fields.end_time_unix_nano)
        what = (fields.name, SpanKind.OTHER, SpanStatus.UNSET)
        rows.append((SpanRecord(*ids, *what, *times, False, ""), Content(payload, b"")))


def _keep_rows(folder: str, bodies: list[bytes]) -> None:
    connection = apsw.Connection(f"{folder}/bare.sqlite3")
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE span (no INTEGER PRIMARY KEY, trace, span, start, bytes)")
    for body in bodies:
        rows = [
            (s.trace_id, s.span_id, s.start_time_unix_nano, s.SerializeToString())
            for s in _parsed(body)
        ]
        with connection:
            connection.executemany("INSERT INTO span VALUES (NULL, ?, ?, ?, ?)", rows)
    connection.close()


def _parsed(body: bytes) -> Iterator[Any]:
    request = ExportTraceServiceRequest.FromString(body)
    return iter(request.resource_spans[0].scope_spans[0].spans)
