"""A history of several servers: nothing is lost or told short while some are down or behind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from inspector.errors import HistoryError, SettingsError
from inspector.service.history.address import HistoryAddress
from inspector.service.history.recovering import recover_from
from inspector.service.query.tree import All
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore
from tests.support.services.clickhouse import (
    PASSWORD,
    WHY,
    ClickHouseServer,
    is_installed,
    running_clickhouse,
    running_replicas,
)
from tests.support.services.process import Service, command, wait_for
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import log, trace_hex

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed("replicas"), reason=WHY["replicas"]),
]
_MOVED_S = 5.0
_BACK_S = 90.0
"""ClickHouse 18.16 looks for a part that it did not get after longer and longer pauses."""


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[list[ClickHouseServer]]:
    with running_replicas(tmp_path / "clickhouse", 3) as servers:
        yield servers


def with_replicas(folder: Path, servers: list[ClickHouseServer], **changed: Any) -> Service:
    hosts = ",".join(f"127.0.0.1:{one.port}" for one in servers)
    settings: dict[str, Any] = {
        "history": f"clickhouse://inspector@{hosts}/inspector",
        "history_password": PASSWORD,
        "history_copies": 2,
    }
    return Service(folder, **{**settings, **changed})


def health(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = service.get("/health")["history"]
    return found


def is_copied(service: Service) -> bool:
    found = health(service)
    return (found["state"], found["behind"]) == ("ok", 0)


def acknowledged(service: Service, number: int) -> Callable[[], bool]:
    """Return what sends a span, as senders do again while the answer is 503."""

    def send() -> bool:
        body = trace_request(span(f"call {number}", trace=number)).SerializeToString()
        headers = {"Content-Type": "application/x-protobuf"}
        answer = service.client.post("/v1/traces", content=body, headers=headers)
        return answer.status_code != 503 and bool(answer.raise_for_status())

    return send


def names(*servers: ClickHouseServer) -> list[list[str]]:
    query = "SELECT name FROM inspector.span FINAL ORDER BY name FORMAT TabSeparated"
    return [(one.run(query) or "").splitlines() for one in servers]


def in_use(servers: list[ClickHouseServer]) -> list[ClickHouseServer]:
    """Return the servers, first the one that is copied to: it has got most rows by inserts."""
    query = "SELECT value FROM system.events WHERE event = 'InsertedRows' FORMAT TabSeparated"
    return sorted(servers, key=lambda one: int(one.run(query) or 0), reverse=True)


def rows_of(service: Service, number: int) -> list[str] | None:
    """Return the spans of a session; None: it cannot be read now."""
    answer = service.client.get(f"/sessions/{trace_hex(number)}/spans")
    if answer.status_code == 503:
        return None
    return [one["name"] for one in answer.raise_for_status().json()["spans"]]


def found(service: Service) -> tuple[list[str], list[str]]:
    """Return the spans that a search finds, and why it did not look at all."""
    answer = service.get("/search?q=call")
    names = sorted(one["span"]["name"] for one in answer["spans"])
    return names, [one["why"] for one in answer["partial"]]


def has_left(service: Service) -> bool:
    """Return whether no span is on the disk any more."""
    with ReadOnlySqliteStore(service.folder / "store.sqlite3").read() as reader:
        return not reader.newest_spans(All(), None, 1).rows


def test_what_is_acknowledged_is_on_two_of_three_whichever_is_killed(
    tmp_path: Path, replicas: list[ClickHouseServer]
) -> None:
    a, b, c = replicas
    c.stop()
    with with_replicas(tmp_path, replicas, ack="history") as service:
        wait_for(acknowledged(service, 1))
        assert names(a, b) == [["call 1"]] * 2
        wait_for(lambda: health(service)["replicas"])
        (trouble,) = health(service)["replicas"]
        assert f"127.0.0.1:{c.port}" in trouble
        assert "Is ClickHouse running there?" in trouble
        c.start()  # and gets the tables that it never had
        wait_for(lambda: names(c) == [["call 1"]], deadline_s=_BACK_S)
        wait_for(lambda: not health(service)["replicas"])
        a.stop()
        wait_for(acknowledged(service, 2))
        assert names(b, c) == [["call 1", "call 2"]] * 2
        a.start()
        wait_for(lambda: names(a) == names(b), deadline_s=_BACK_S)
        b.stop()
        wait_for(acknowledged(service, 3))
        b.start()
        every = ["call 1", "call 2", "call 3"]
        wait_for(lambda: names(*replicas) == [every] * 3, deadline_s=_BACK_S)
        wait_for(lambda: not health(service)["replicas"], deadline_s=_BACK_S)


def test_a_replica_that_hangs_stops_copying_no_longer_than_one_that_is_killed(
    tmp_path: Path, replicas: list[ClickHouseServer]
) -> None:
    with with_replicas(tmp_path, replicas, ack="history") as service:
        wait_for(acknowledged(service, 1))
        a, b, c = in_use(replicas)
        a.hang()
        wait_for(acknowledged(service, 2))
        assert names(b, c) == [["call 1", "call 2"]] * 2
        hangs = f"127.0.0.1:{a.port}/inspector does not answer"
        wait_for(lambda: any(hangs in one for one in health(service)["replicas"]))
        a.go_on()
        wait_for(lambda: names(a) == names(b), deadline_s=_BACK_S)
        wait_for(lambda: not health(service)["replicas"], deadline_s=_BACK_S)


def test_what_a_third_replica_does_not_fetch_is_copied_and_not_confirmed(
    tmp_path: Path, replicas: list[ClickHouseServer]
) -> None:
    with with_replicas(tmp_path, replicas, history_copies=3) as service:
        service.send(span("call 1", trace=1))
        wait_for(lambda: is_copied(service), deadline_s=_BACK_S)
        a, b, c = in_use(replicas)
        assert names(a, b, c) == [["call 1"]] * 3
        c.run("SYSTEM STOP FETCHES")
        service.send(span("call 2", trace=2))
        wait_for(lambda: names(a, b) == [["call 1", "call 2"]] * 2)
        wait_for(lambda: health(service)["replicas"])
        (trouble,) = health(service)["replicas"]
        assert f"127.0.0.1:{c.port}/inspector is behind" in trouble
        seen = subprocess.run(
            command("doctor"), env=service.environment, capture_output=True, text=True, check=False
        )
        assert f"127.0.0.1:{c.port}/inspector is behind" in " ".join(seen.stdout.split())
        assert (health(service)["state"], health(service)["behind"] > 0) == ("ok", True)
        service.send(span("call 3", trace=3))
        wait_for(lambda: len(names(a)[0]) == 3)
        assert names(c) == [["call 1"]]
        c.run("SYSTEM START FETCHES")
        wait_for(lambda: is_copied(service), deadline_s=_BACK_S)
        assert names(c) == names(a)
        assert health(service)["replicas"] == []


def test_what_has_left_the_disk_is_read_from_the_next_replica_within_seconds(
    tmp_path: Path, replicas: list[ClickHouseServer]
) -> None:
    with with_replicas(tmp_path, replicas, hot="0.001m", history_copies=3) as service:
        for number in (1, 2):
            service.send(span(f"call {number}", trace=number))
        wait_for(lambda: has_left(service), deadline_s=90)
        assert rows_of(service, 1) == ["call 1"]
        in_use(replicas)[0].stop()
        every = ["call 1", "call 2"]
        wait_for(
            lambda: (rows_of(service, 2), *found(service)) == (every[1:], every, []),
            deadline_s=_MOVED_S,
        )


def test_a_store_is_recovered_from_a_replica_that_shows_that_it_has_everything(
    tmp_path: Path, replicas: list[ClickHouseServer]
) -> None:
    with with_replicas(tmp_path, replicas) as service:
        service.send(span("call 1", trace=1))
        wait_for(lambda: is_copied(service), deadline_s=_BACK_S)
        a, b, c = in_use(replicas)
        b.run("SYSTEM STOP FETCHES")
        service.send(span("call 2", trace=2))
        wait_for(lambda: names(a, c) == [["call 1", "call 2"]] * 2)
        wait_for(lambda: is_copied(service), deadline_s=_BACK_S)
    hosts = ",".join(f"127.0.0.1:{one.port}" for one in (b, a, c))
    address = HistoryAddress.parse(f"clickhouse://inspector@{hosts}/inspector")
    with pytest.raises(SettingsError, match="Set INSPECTOR_HISTORY_COPIES as the service had it"):
        recover_from(address, PASSWORD, 1, None, tmp_path / "again.sqlite3")
    _, count = recover_from(address, PASSWORD, 2, None, tmp_path / "again.sqlite3")
    assert count == 2
    for one in (a, c):
        one.stop()
    with pytest.raises(HistoryError, match="no replica of "):
        recover_from(address, PASSWORD, 2, None, tmp_path / "and again.sqlite3")


def test_a_replica_that_is_named_twice_counts_once(
    tmp_path: Path, replicas: list[ClickHouseServer]
) -> None:
    (a, *_) = replicas
    twice = f"clickhouse://inspector@127.0.0.1:{a.port},localhost:{a.port}/inspector"
    with with_replicas(tmp_path, replicas, history=twice) as service:
        service.send(span("call 1", trace=1))
        wait_for(lambda: names(a) == [["call 1"]])
        wait_for(lambda: health(service)["replicas"])
        assert "under another name. Name each once in INSPECTOR_HISTORY" in str(health(service))
        assert health(service)["behind"] > 0


def test_a_replica_that_is_behind_never_answers_short(
    tmp_path: Path, replicas: list[ClickHouseServer]
) -> None:
    with with_replicas(tmp_path, replicas, hot="0.001m") as service:
        service.send(span("first", trace=9))
        wait_for(lambda: is_copied(service))
        a, b, c = in_use(replicas)
        b.run("SYSTEM STOP FETCHES inspector.moment")
        service.send(span("call 1", trace=1))
        logs = ExportLogsServiceRequest()
        note = log("note", trace=1, span_id=1)
        logs.resource_logs.add(resource=note.resource).scope_logs.add(log_records=[note.record])
        service.post("/v1/logs", logs.SerializeToString())
        wait_for(lambda: has_left(service), deadline_s=90)
        assert found(service) == (["call 1"], [])
        for one in (a, c):
            one.stop()
        wait_for(lambda: health(service)["state"] == "away")
        wait_for(lambda: health(service)["state"] == "ok")
        assert names(b) == [["call 1", "first"]]
        assert rows_of(service, 1) is None, "it lacks the note"
        assert found(service) == ([], ["The history lacks some of what has left the disk."])
        service.send(span("call 2", trace=2))
        wait_for(lambda: names(b) == [["call 1", "call 2", "first"]])
        c.start()
        wait_for(lambda: rows_of(service, 1) == ["call 1"], deadline_s=_BACK_S)
        wait_for(lambda: found(service) == (["call 1", "call 2"], []), deadline_s=_BACK_S)


def test_servers_without_macros_and_tables_without_replicas_are_refused_in_a_sentence(
    tmp_path: Path, replicas: list[ClickHouseServer]
) -> None:
    a, b, _ = replicas
    with with_replicas(tmp_path, [a], history_copies=1) as service:
        wait_for(lambda: is_copied(service))
    with with_replicas(tmp_path, [a, b]) as service:
        wait_for(lambda: health(service)["state"] == "refused")
        assert "its tables are not replicated. Name another" in health(service)["message"]
    with (
        running_clickhouse("server", tmp_path / "plain") as plain,
        with_replicas(tmp_path, [plain, a]) as service,
    ):
        wait_for(lambda: health(service)["state"] == "refused")
        assert "no macro <replica> and <shard>" in health(service)["message"]
