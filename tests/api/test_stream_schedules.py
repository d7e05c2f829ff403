"""Viewers over real sockets and restarts of the service: each ends with the stored state."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from inspector.service.model.incoming import IncomingLog, IncomingSpan
from tests.support.models.schedules import Delete, Record, Restart, Step, schedules
from tests.support.services.process import Service
from tests.support.services.viewer import Row, Viewer
from tests.support.telemetry.records import trace_hex

DEADLINE_S = 30.0
_PROTOBUF = {"content-type": "application/x-protobuf"}
_RESTARTS_PER_SCHEDULE = 0.25

Shown = tuple[dict[str, Row], dict[tuple[str, str], tuple[str, Row]]]


class World:
    """One service, which is killed and stopped now and then, and its senders."""

    def __init__(self, folder: Path) -> None:
        self.service = Service(folder)
        self.service.start()
        self.client = httpx.Client(timeout=DEADLINE_S)
        self.schedules = self.restarts = 0

    def play(self, step: Step) -> None:
        match step:
            case Record(items):
                self._send("traces", _trace_request(items))
                self._send("logs", _logs_request(items))
            case Delete(session_id):
                self.delete(session_id)
            case Restart() if self.restarts < self.schedules * _RESTARTS_PER_SCHEDULE:
                self.restarts += 1
                if self.restarts % 2:
                    self.service.kill()
                else:
                    self.service.stop()
                self.service.start()

    def delete(self, session_id: str) -> None:
        url = f"{self.service.url}/sessions/{session_id}"
        answer = self.client.delete(url, headers=self.service.headers)
        assert answer.status_code in (204, 308, 404)

    def _send(self, signal: str, body: bytes) -> None:
        url = f"{self.service.url}/v1/{signal}"
        assert not body or self.client.post(url, content=body, headers=_PROTOBUF).status_code == 200

    def get(self, path: str) -> httpx.Response:
        return self.client.get(f"{self.service.url}{path}", headers=self.service.headers)

    def stream(
        self, query: dict[str, str], last_id: str | None, *, silence_s: float = DEADLINE_S
    ) -> Any:
        """Follow the changes; nothing for `silence_s` counts as cut off."""
        headers = {**self.service.headers, "Last-Event-ID": last_id or ""}
        timeout = httpx.Timeout(DEADLINE_S, read=silence_s)
        url = f"{self.service.url}/events"
        return self.client.stream("GET", url, params=query, headers=headers, timeout=timeout)

    def close(self) -> None:
        self.client.close()
        self.service.stop()


class Reader:
    """A viewer on a socket of its own, of some sessions' spans or of all."""

    def __init__(self, world: World, wanted: tuple[str, ...]) -> None:
        self._world = world
        self._wanted = wanted
        self.viewer = Viewer()
        self.reload()

    def reload(self) -> None:
        """Read everything again, as `Gap` asks for."""
        page = self._world.get("/sessions?limit=500").json()
        self.viewer.sessions = {row["id"]: row for row in page["sessions"]}
        self.viewer.spans, self.viewer.must_reload = {}, False
        self.viewer.last_id = page["as_of"]
        for session_id in page["sessions"]:
            self._reload_spans(session_id["id"])

    def _reload_spans(self, session_id: str) -> None:
        shown = self.viewer.spans
        for key in [key for key, (owner, _) in shown.items() if owner == session_id]:
            del shown[key]
        answer = self._world.get(f"/sessions/{session_id}/spans")
        if answer.status_code == 200:
            for row in answer.json()["spans"]:
                shown[row["trace_id"], row["span_id"]] = (session_id, row)

    def follow(self, event_count: int, until: Shown | None = None) -> None:
        """Read so many events, fewer when none come, or until `until` is shown; then be cut."""
        query = {"session_id": ",".join(self._wanted)} if self._wanted else {}
        try:
            with self._world.stream(query, self.viewer.last_id, silence_s=0.2) as answer:
                for event in _events(answer.iter_lines()):
                    self._read(event)
                    event_count -= 1
                    if event_count <= 0 or (until is not None and self.shows(until)):
                        return
        except httpx.ReadTimeout:
            pass

    def _read(self, event: str) -> None:
        self.viewer.read(event)
        if self.viewer.must_reload:
            self.reload()
        moved_from = json.loads(event.partition("data: ")[2]).get("moved_from")
        if moved_from in self.viewer.sessions and self._wanted:
            self._reload_spans(moved_from)

    def shows(self, truth: Shown) -> bool:
        return self._narrowed((self.viewer.sessions, self.viewer.spans)) == self._narrowed(truth)

    def _narrowed(self, shown: Shown) -> Shown:
        sessions, spans = shown
        if not self._wanted:
            return shown
        return sessions, {key: one for key, one in spans.items() if one[0] in self._wanted}


def _truth(world: World) -> Shown:
    fresh = Reader(world, ())
    return fresh.viewer.sessions, fresh.viewer.spans


def _events(lines: Iterator[str]) -> Iterator[str]:
    event: list[str] = []
    for line in lines:
        if line:
            event.append(line)
        elif event:
            yield "\n".join(event)
            event = []


def _trace_request(items: tuple[IncomingSpan | IncomingLog, ...]) -> bytes:
    request = ExportTraceServiceRequest()
    for item in items:
        if isinstance(item, IncomingSpan):
            group = item.content.resource_spans()
            group.scope_spans[0].spans.append(item.span)
            request.resource_spans.append(group)
    return request.SerializeToString()


def _logs_request(items: tuple[IncomingSpan | IncomingLog, ...]) -> bytes:
    request = ExportLogsServiceRequest()
    for item in items:
        if isinstance(item, IncomingLog):
            group = request.resource_logs.add(resource=item.resource)
            group.scope_logs.add(scope=item.scope, log_records=[item.record])
    return request.SerializeToString()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("world"))
    yield world
    world.close()
    assert world.restarts >= world.schedules * _RESTARTS_PER_SCHEDULE / 2


_READINGS = st.lists(st.integers(0, 6), min_size=14, max_size=14)
_WANTED = st.sampled_from([(), (), ("S",), ("C", trace_hex(1))])


@settings(max_examples=12, phases=[Phase.generate], derandomize=True)
@given(steps=schedules, readings=_READINGS, wanted=_WANTED)
@pytest.mark.slow
def test_a_reader_that_is_cut_off_and_whose_service_restarts_ends_with_the_truth(
    world: World, steps: list[Step], readings: list[int], wanted: tuple[str, ...]
) -> None:
    run(world, steps, readings, wanted)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=220, phases=[Phase.generate], derandomize=True)
@given(steps=schedules, readings=_READINGS, wanted=_WANTED)
def test_it_does_so_over_hundreds_of_schedules(
    world: World, steps: list[Step], readings: list[int], wanted: tuple[str, ...]
) -> None:
    run(world, steps, readings, wanted)


def run(world: World, steps: list[Step], readings: list[int], wanted: tuple[str, ...]) -> None:
    world.schedules += 1
    reader = Reader(world, wanted)
    for step, event_count in zip(steps, readings, strict=False):
        world.play(step)
        if event_count:
            reader.follow(event_count)
    end_s = time.monotonic() + DEADLINE_S
    while not reader.shows(truth := _truth(world)):
        assert time.monotonic() < end_s, (reader.viewer.types, reader.viewer.sessions, truth)
        reader.follow(10_000, until=truth)
    for session_id in truth[0]:
        world.delete(session_id)


def test_a_position_of_another_store_is_a_gap(world: World) -> None:
    with world.stream({}, "0123456789ab.7") as answer:
        first = next(_events(answer.iter_lines()))
    assert '"Gap"' in first
    assert first.startswith("id: ")
