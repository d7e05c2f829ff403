"""Records of the store, from the rows that the history has of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import orjson

from inspector.service.history.clickhouse import ClickHouse, Stores
from inspector.service.model.records import Content, MomentRecord, SpanRecord, TraceRecord
from inspector.service.model.rows import SpanKind, SpanStatus

SPAN_COLUMNS = (
    "store, lower(hex(trace)) AS trace_id, lower(hex(span)) AS span_id, change, epoch_ns, start_ns,"
    " end_ns, is_root, input_tokens, output_tokens, cost_usd, is_counted, dropped_count, wait_ns,"
    " waits, size_bytes, stall_start_ns, stall_ns, created, settled, content, changed_ns, kind,"
    " status, name, subject, model, service, session, process, parent, duplicate_of, waited,"
    " hex(payload) AS payload_hex, hex(origin) AS origin_hex"
)
MOMENT_COLUMNS = (
    "trace AS trace_id, span AS span_id, session, time_ns, name, hex(digest) AS digest_hex, change,"
    " changed_ns, hex(payload) AS payload_hex, hex(origin) AS origin_hex"
)
_VALUES_A_QUERY = 500

_T = TypeVar("_T")


def since_of(trace: TraceRecord) -> int:
    """Return the lowest change of what belongs to a trace.

    What the history has from before is of a deleted session, after which the trace began again.
    """
    return int(orjson.loads(trace.state).get("since", 0))


def of_traces(traces: Sequence[TraceRecord]) -> str:
    """Return the condition of what belongs to traces; without any, of nothing.

    What is older is of a session that was deleted, after which the trace began again.
    """
    if not traces:
        return "0"
    among = f"trace IN ({binary(one.trace_id for one in traces)})"
    began_again = {f"'{one.trace_id}'": since for one in traces if (since := since_of(one))}
    if not began_again:
        return among
    first = ", ".join(f"toUInt64({since})" for since in began_again.values())
    named = f"transform(lower(hex(trace)), [{', '.join(began_again)}], [{first}], toUInt64(0))"
    return f"{among} AND change >= {named}"


def span_counts(
    history: ClickHouse, stores: Stores, traces: Sequence[TraceRecord]
) -> dict[str, int]:
    """Return how many spans the history has of traces, by their ids."""
    counts = dict[str, int]()
    for some in in_chunks(traces):
        found = history.rows(
            "SELECT lower(hex(trace)) AS id, uniqExact(span) AS n FROM span"
            f" WHERE {stores.any_span} AND {of_traces(some)} GROUP BY id"
        )
        counts |= {one["id"]: int(one["n"]) for one in found}
    return counts


def in_chunks(values: Iterable[_T]) -> Iterator[list[_T]]:
    """Yield values in lists that a query may name."""
    left = iter(values)
    while some := list(islice(left, _VALUES_A_QUERY)):
        yield some


def binary(ids: Iterable[str]) -> str:
    """Return ids as a list of SQL."""
    return ", ".join(f"unhex('{one}')" for one in ids)


def span_of(row: dict[str, Any]) -> tuple[SpanRecord, Content]:
    """Return the span of a row of `SPAN_COLUMNS`, with its content."""
    waited = orjson.loads(row["waited"]) if row["waited"] else ()
    record = SpanRecord(
        trace_id=row["trace_id"],
        span_id=row["span_id"],
        session_id=row["session"],
        epoch_ns=row["epoch_ns"],
        parent_span_id=row["parent"] or None,
        name=row["name"],
        kind=SpanKind(row["kind"]),
        status=SpanStatus(row["status"]),
        start_ns=row["start_ns"],
        end_ns=_known(row["end_ns"]),
        is_root=bool(row["is_root"]),
        is_counted=bool(row["is_counted"]),
        process_id=row["process"],
        model=row["model"] or None,
        input_tokens=_known(row["input_tokens"]),
        output_tokens=_known(row["output_tokens"]),
        cost_usd=row["cost_usd"],  # NaN is null in JSON
        duplicate_of=row["duplicate_of"] or None,
        subject=row["subject"] or None,
        service=row["service"] or None,
        dropped_count=row["dropped_count"],
        wait_ns=row["wait_ns"],
        waits=row["waits"],
        waited=tuple(map(tuple, waited)),
        size_bytes=row["size_bytes"],
        stall_start_ns=_known(row["stall_start_ns"]),
        stall_ns=_known(row["stall_ns"]),
        change=row["change"],
        created=row["created"],
        settled=row["settled"],
        content=row["content"],
        changed_ns=row["changed_ns"],
    )
    return record, _content(row)


def moment_of(row: dict[str, Any]) -> MomentRecord:
    """Return the moment of a row of `MOMENT_COLUMNS`."""
    return MomentRecord(
        trace_id=row["trace_id"] or None,
        span_id=row["span_id"] or None,
        session_id=row["session"] or None,
        time_ns=row["time_ns"],
        name=row["name"],
        content=_content(row),
        digest=bytes.fromhex(row["digest_hex"]),
        change=row["change"],
        changed_ns=row["changed_ns"],
    )


def _content(row: dict[str, Any]) -> Content:
    return Content(bytes.fromhex(row["payload_hex"]), bytes.fromhex(row["origin_hex"]))


def _known(number: int) -> int | None:
    return None if number == -1 else number
