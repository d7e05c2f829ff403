"""Services and a reader that are killed under load: what was acknowledged is shown, once."""

from __future__ import annotations

import random
import threading
from collections import Counter
from typing import Any

import httpx
import pytest

from tests.readers.conftest import Start
from tests.support.services.event_stream import stream_items
from tests.support.services.process import Service, wait_for
from tests.support.services.viewer import Viewer
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import span_hex, trace_hex

ROUNDS = 12


class _Sender(threading.Thread):
    """Sends spans to a service, each request again until it is acknowledged."""

    def __init__(self, service: Service, traces: range) -> None:
        super().__init__(daemon=True)
        self.acknowledged: list[tuple[str, str]] = []
        self.stop = threading.Event()
        self._service, self._traces = service, traces

    def run(self) -> None:
        number = 0
        while not self.stop.is_set():
            number += 1
            trace, span_id = self._traces[number % len(self._traces)], number + 1
            one = span("work", trace=trace, span_id=span_id, parent=1)
            if self._send(trace_request(one).SerializeToString()):
                self.acknowledged.append((trace_hex(trace), span_hex(span_id)))

    def _send(self, body: bytes) -> bool:
        headers = {**self._service.headers, "Content-Type": "application/x-protobuf"}
        while not self.stop.is_set():
            try:
                url = f"{self._service.url}/v1/traces"
                httpx.post(url, content=body, headers=headers, timeout=5).raise_for_status()
            except httpx.HTTPError:
                self.stop.wait(0.05)
            else:
                return True
        return False


def _wait_for_more(senders: list[_Sender]) -> None:
    def count() -> int:
        return sum(len(one.acknowledged) for one in senders)

    before = count()
    wait_for(lambda: count() > before + 20)


class _OpenPage(threading.Thread):
    """A page that connects again whenever it is cut off, and follows the rules of ADR 0003."""

    def __init__(self, reader: Service) -> None:
        super().__init__(daemon=True)
        self.viewer = Viewer()
        self.stop = threading.Event()
        self.reloads = 0
        self._reader = reader

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                if self.viewer.last_id is None or self.viewer.must_reload:
                    self._reload()
                self._follow()
            except (httpx.HTTPError, OSError):
                self.stop.wait(0.05)

    def _get(self, path: str) -> Any:
        answer = httpx.get(self._reader.url + path, headers=self._reader.headers, timeout=10)
        return answer.raise_for_status().json()

    def _reload(self) -> None:
        listed = self._get("/sessions?limit=1000")
        if listed["partial"]:
            raise httpx.ReadError("a service is away")
        spans = {}
        for one in listed["sessions"]:
            for row in self._get(f"/sessions/{one['id']}/spans")["spans"]:
                spans[row["trace_id"], row["span_id"]] = (one["id"], row)
        self.viewer.sessions = {one["id"]: one for one in listed["sessions"]}
        self.viewer.spans = spans
        self.viewer.last_id = listed["as_of"]
        self.viewer.must_reload = False
        self.reloads += 1

    def _follow(self) -> None:
        with httpx.stream(
            "GET",
            f"{self._reader.url}/events",
            params={"after": self.viewer.last_id},
            headers=self._reader.headers,
            timeout=30,
        ) as answer:
            answer.raise_for_status()
            for item in stream_items(answer.iter_lines()):
                self.viewer.take(item.data, item.id)
                if self.viewer.must_reload or self.stop.is_set():
                    return


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_what_was_acknowledged_is_shown_once_whoever_is_killed(start: Start, seed: int) -> None:
    dice = random.Random(seed)
    eu, us = start("eu"), start("us")
    reader = start("reader", store=None, writers=f"eu={eu.url},us={us.url}")
    senders = [_Sender(eu, range(1, 6)), _Sender(us, range(6, 11))]
    page = _OpenPage(reader)
    for thread in (*senders, page):
        thread.start()
    for _ in range(ROUNDS):
        killed = dice.choice([eu, us, reader])
        _wait_for_more(senders)
        killed.kill()
        killed.start()
    for sender in senders:
        sender.stop.set()
        sender.join()
    wanted = {key for one in senders for key in one.acknowledged}
    stored = Counter[tuple[str, str]]()
    wait_for(lambda: not reader.get("/sessions")["partial"])
    for one in reader.get("/sessions?limit=1000")["sessions"]:
        rows = reader.get(f"/sessions/{one['id']}/spans?limit=20000")["spans"]
        stored.update((row["trace_id"], row["span_id"]) for row in rows)
    assert wanted <= stored.keys()
    assert set(stored.values()) == {1}
    wait_for(lambda: not page.viewer.must_reload and page.viewer.spans.keys() == stored.keys())
    counts = Counter(of for of, _ in page.viewer.spans.values())
    wait_for(
        lambda: {id_: one["span_count"] for id_, one in page.viewer.sessions.items()} == counts
    )
    page.stop.set()
