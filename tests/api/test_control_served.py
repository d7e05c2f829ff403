"""Control through a real `inspector serve`: two people at once, crashes, browsers, a thousand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents.http_agent import hash_of, opened
from tests.support.services.process import Service

ARGS = '{"n":9007199254740993,"path":"/a"}'
HASH = hash_of(ARGS)
DEADLINE_S = 20.0


class Process:
    """An agent's end, on a real socket, with a thread that follows its commands."""

    def __init__(self, service: Service, process_id: str = "p1") -> None:
        self._service, self._path = service, f"/processes/{process_id}"
        self._sent = 0
        self.commands: list[Any] = []
        self._news = threading.Condition()
        self.handled = 0

    def hello(self) -> None:
        body = {"name": "agent", "pid": 1, "host": "here"}
        self._call("PUT", self._path, body).raise_for_status()

    def send(self, *messages: dict[str, Any]) -> list[str]:
        numbered = []
        for message in messages:
            self._sent += 1
            numbered.append({"id": f"m{self._sent}", **message})
        answer = self._call("POST", f"{self._path}/messages", {"messages": numbered})
        answer.raise_for_status()
        received: list[str] = answer.json()["received"]
        return received

    def open(self, *request_ids: str, **answer: Any) -> None:
        found = [
            {"type": "request_opened", "request": opened(one, args_json=ARGS, **answer)}
            for one in request_ids
        ]
        assert len(self.send(*found)) == len(found)

    def acknowledge(self, seq: int) -> None:
        self.send({"type": "ack", "seq": seq, "applied": True, "reason": None})

    def follow(self) -> threading.Thread:
        """Follow the commands, from after what was handled, until the service goes."""
        thread = threading.Thread(target=self._follow, daemon=True)
        thread.start()
        return thread

    def next_command(self) -> Any:
        with self._news:
            assert self._news.wait_for(lambda: self.commands, DEADLINE_S), "no command came"
            return self.commands.pop(0)

    def _follow(self) -> None:
        service = self._service
        url = f"{service.url}{self._path}/commands?after={self.handled}"
        try:
            with httpx.stream("GET", url, headers=service.headers, timeout=DEADLINE_S) as stream:
                for line in stream.iter_lines():
                    if line.startswith("data: "):
                        with self._news:
                            self.commands.append(json.loads(line[6:]))
                            self._news.notify()
        except httpx.HTTPError:
            return

    def _call(self, method: str, path: str, body: object) -> httpx.Response:
        service = self._service
        return httpx.request(
            method, f"{service.url}{path}", json=body, headers=service.headers, timeout=DEADLINE_S
        )


def answer(service: Service, request_id: str, name: str, **body: Any) -> httpx.Response:
    headers = {**service.headers, "Inspector-Actor": name}
    answer = {"args_hash": HASH, **body}
    url = f"{service.url}/requests/{request_id}"
    return httpx.post(url, json=answer, headers=headers, timeout=DEADLINE_S)


def audit(service: Service) -> list[Any]:
    entries: list[Any] = service.get("/audit?limit=1000")["entries"]
    return entries[::-1]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path) as service:
        yield service


@pytest.mark.slow
def test_of_two_people_at_once_one_wins_and_the_other_learns_who(service: Service) -> None:
    process = Process(service)
    process.hello()
    ids = [f"r{number}" for number in range(10)]
    process.open(*ids)
    process.follow()
    barrier = threading.Barrier(2)

    def race(name: str, decision: str, request_id: str) -> httpx.Response:
        barrier.wait(DEADLINE_S)
        return answer(service, request_id, name, decision=decision)

    with ThreadPoolExecutor(2) as pool:
        for request_id in ids:
            racing = [
                pool.submit(race, name, decision, request_id)
                for name, decision in (("Ann", "allow"), ("Bob", "deny"))
            ]
            command = process.next_command()
            process.acknowledge(command["seq"])
            by_status = {one.result().status_code: one.result().json() for one in racing}
            assert by_status.keys() == {200, 409}
            won, refused = by_status[200], by_status[409]
            winner = won["request"]["answer"]
            assert won["applied"] is not False  # None: it was not acknowledged in time
            assert refused["code"] == "already_answered"
            assert f"{winner['actor']} (api) already answered" in refused["detail"]
            assert command["answer"]["decision"] == winner["decision"]
    process.send({"type": "heartbeat"})
    assert process.commands == [], "what lost was never sent"
    results = [(one["action"], one["result"]) for one in audit(service)]
    for result in ("accepted", "applied", "refused"):
        assert results.count(("answer", result)) == 10


@pytest.mark.slow
def test_a_pending_request_survives_a_crash_and_can_be_answered(tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.start()
    process = Process(service)
    process.hello()
    process.open("r1", "r2")
    assert (
        answer(service, "r2", "Ann", decision="allow", args_json='{"n":1}').json()["applied"]
        is None
    )
    before, noted = service.get("/requests"), audit(service)
    service.kill()
    service.start()
    try:
        after = service.get("/requests")
        assert after["requests"] == before["requests"]
        assert after["pending_count"] == 1
        assert service.get("/sessions/S")["status"] == "waiting"
        assert audit(service) == noted
        process.open("r1", "r2")
        assert service.get("/requests")["requests"] == before["requests"], "it is no other"
        process.follow()
        command = process.next_command()
        assert command["answer"]["request_id"] == "r2"
        assert command["answer"]["args_json"] == '{"n":1}'
        process.acknowledge(command["seq"])
        with ThreadPoolExecutor(1) as pool:
            answering = pool.submit(answer, service, "r1", "Ann", decision="deny")
            later = process.next_command()
            assert later["seq"] > command["seq"], "no number is used twice"
            process.acknowledge(later["seq"])
            assert answering.result().json()["applied"] is True
        assert service.get("/requests")["pending_count"] == 0
    finally:
        service.stop()


@pytest.mark.slow
def test_what_was_answered_before_the_crash_is_not_answered_again(tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.start()
    process = Process(service)
    process.hello()
    process.open("r1")
    answer(service, "r1", "Ann", decision="deny")
    service.kill()
    service.start()
    try:
        refused = answer(service, "r1", "Bob", decision="allow")
        assert (refused.status_code, refused.json()["code"]) == (409, "already_answered")
    finally:
        service.stop()


@pytest.mark.slow
def test_a_browser_is_recognised_by_its_cookie(service: Service) -> None:
    process = Process(service)
    process.hello()
    process.open("r1", "r2")
    origin = {"Origin": service.url}
    with httpx.Client(base_url=service.url, headers=origin, timeout=DEADLINE_S) as browser:
        browser.get("/ui/", params={"token": service.token})
        body = {"decision": "deny", "args_hash": HASH}
        first = browser.post("/requests/r1", json=body).json()["request"]["answer"]
        second = browser.post("/requests/r2", json=body).json()["request"]["answer"]
    assert first["origin"] == "browser"
    assert first["actor"] == second["actor"]
    name, _, number = first["actor"].partition(" ")
    assert (name, len(number)) == ("browser", 8)
    cookie_free = answer(service, "r1", "", decision="deny")
    assert cookie_free.status_code == 409
    last = audit(service)[-1]
    assert (last["actor"], last["origin"], last["address"]) == ("token", "api", "127.0.0.1")


@pytest.mark.slow
def test_a_session_with_open_spans_is_paused_and_resumed_over_the_wire(service: Service) -> None:
    process = Process(service)
    process.hello()
    process.open("r1")
    process.follow()
    with ThreadPoolExecutor(1) as pool:
        for verb, status in (("pause", "waiting"), ("resume", "waiting")):
            url = f"{service.url}/sessions/S/{verb}"
            source = pool.submit(httpx.post, url, headers=service.headers, timeout=DEADLINE_S)
            command = process.next_command()
            assert command["type"] == verb
            process.acknowledge(command["seq"])
            result = source.result().json()
            assert (result["processes"], result["applied"]) == (1, True)
            assert service.get("/sessions/S")["status"] == status


@pytest.mark.slow
def test_a_thousand_pending_requests_are_listed_and_answered(service: Service) -> None:
    process = Process(service)
    process.hello()
    process.open(*(f"r{number:04}" for number in range(1000)), prompt="x" * 2000)
    listed = service.get("/requests?status=pending&limit=1000")
    assert (len(listed["requests"]), listed["pending_count"]) == (1000, 1000)
    process.follow()
    with ThreadPoolExecutor(1) as pool:
        for number in (0, 500, 999):
            answering = pool.submit(answer, service, f"r{number:04}", "Ann", decision="deny")
            process.acknowledge(process.next_command()["seq"])
            assert answering.result().json()["applied"] is True
    assert service.get("/requests?limit=1")["pending_count"] == 997
    seen, query = set[str](), "limit=100"
    while query:
        page = service.get(f"/requests?status=pending&{query}")
        seen |= {one["id"] for one in page["requests"]}
        cursor = page["next_cursor"]
        query = f"limit=100&cursor={cursor}" if cursor else ""
    assert len(seen) == 997
