"""`kill -9` at random while real senders send: acknowledged spans are stored."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest

from inspector.service.ingest.recorder import Recorder
from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.rows import SessionRow
from inspector.service.normalise.facts import read_decoded_span
from inspector.service.query.tree import All
from inspector.service.storage import Store, open_store
from tests.api.senders import Acknowledged, Sender
from tests.support.models.store import ModelStore
from tests.support.services.process import DEADLINE_S, Service, free_port
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import START_NS, span

_LONG = [pytest.mark.slow, pytest.mark.timeout(3600)]


@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=_LONG)])
def test_a_service_that_is_killed_has_all_that_it_acknowledged(tmp_path: Path, kills: int) -> None:
    chance, acknowledged = random.Random(kills), Acknowledged()
    service = Service(tmp_path)
    grpc_port = free_port()
    service.environment["INSPECTOR_OTLP_GRPC_PORT"] = str(grpc_port)
    for kill in range(kills):
        service.start()
        senders = [
            Sender(2 * kill + 1, service.url, acknowledged),
            Sender(2 * kill + 2, f"127.0.0.1:{grpc_port}", acknowledged),
        ]
        try:
            for sender in senders:
                sender.start()
            acknowledged.wait_for(chance.randint(1, 40), DEADLINE_S)
        finally:
            service.kill()
        for sender in senders:
            sender.join(DEADLINE_S)
            assert sender.refusals == []
        if kill % 10 == 9 or kill == kills - 1:
            check(tmp_path / "store.sqlite3", acknowledged)


def test_a_service_with_its_store_in_memory_leaves_nothing_of_it_behind(tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.environment["INSPECTOR_STORE"] = "memory:"
    service.environment["XDG_DATA_HOME"] = str(tmp_path)
    service.environment["TMPDIR"] = str(tmp_path)
    service.start()
    try:
        secret = {"session.id": "S", "note": "needle " * 1_000}
        service.post("/v1/traces", trace_request(span(attributes=secret)).SerializeToString())
        found = service.get("/search?q=needle")
        while not found["spans"]:  # a page ends after some time, too
            found = service.get(f"/search?q=needle&cursor={found['next_cursor']}")
    finally:
        service.kill()
    files = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert not {path for path in files if b"needle" in path.read_bytes()}
    assert {path.name for path in files} == {"memory.token", "inspector.json"}


def check(path: Path, acknowledged: Acknowledged) -> None:
    store = open_store(f"sqlite:///{path}")  # as the service opens it
    try:
        stored = contents_of(store)
        assert acknowledged.keys <= stored.keys()
        assert folded(list(stored.values())) == summaries(store)
    finally:
        store.close()
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok"
    connection.close()


def contents_of(store: Store) -> dict[tuple[str, str], IncomingSpan]:
    """Return every span as it was received."""
    found = {}
    with store.read() as reader:
        for session in reader.newest_sessions(All(), None, 10_000).rows:
            for row in reader.spans_of(session.row.id, limit=1_000_000):
                content = reader.content(row)
                resource = content.resource_spans().resource
                span = read_decoded_span(content.span(), resource, content.origin)
                found[row.trace_id, row.span_id] = span
    return found


def folded(spans: list[IncomingSpan]) -> dict[str, tuple[object, ...]]:
    """Return the sessions of `spans` when all arrive at once."""
    store = ModelStore()
    recorder = Recorder(store, START_NS)
    store.commit(recorder.record(spans, [], START_NS))
    return summaries(store)


def summaries(store: Store) -> dict[str, tuple[object, ...]]:
    with store.read() as reader:
        rows = [record.row for record in reader.newest_sessions(All(), None, 10_000).rows]
    return {row.id: summary(row) for row in rows}


def summary(row: SessionRow) -> tuple[object, ...]:
    """Return the fields of a session that do not depend on the order of arrival."""
    return (
        row.started_ns,
        row.span_count,
        row.error_count,
        row.llm_calls,
        row.tool_calls,
        row.input_tokens,
        row.output_tokens,
        row.title,
        row.services,
    )
