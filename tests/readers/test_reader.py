"""A reader passes on what one service answers, and says what it could not ask."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.readers.conftest import Start
from tests.support.agents.http_agent import hash_of, opened
from tests.support.services.event_stream import StreamItem, stream_items
from tests.support.services.process import Service, wait_for
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import trace_hex

ARGS = '{"path":"/a"}'


def named(session: str, trace: int, name: str = "work") -> Any:
    return span(name, trace=trace, attributes={"session.id": session})


def ids(service: Service, path: str = "/sessions") -> list[str]:
    return [one["id"] for one in service.get(path)["sessions"]]


class Page:
    """A page that is open at a reader."""

    def __init__(self, reader: Service, *session_ids: str) -> None:
        self.items: list[StreamItem] = []
        after = reader.get("/sessions?limit=1")["as_of"]
        self._answer = reader.client.stream(
            "GET", "/events", params={"after": after, "session_id": ",".join(session_ids)}
        )
        lines = self._answer.__enter__().raise_for_status().iter_lines()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def _read(self, lines: Any) -> None:
        try:
            for item in stream_items(lines):
                self.items.append(item)
        except httpx.HTTPError:
            pass  # the test ends

    def wait_for(self, type_: str, **fields: object) -> dict[str, Any]:
        def found() -> list[dict[str, Any]]:
            return [
                one.data
                for one in self.items
                if one.data["type"] == type_
                and all(one.data.get(key) == value for key, value in fields.items())
            ]

        return wait_for(found)[-1]

    def wait_for_state(self, state: str) -> dict[str, Any]:
        """Return the health that the newest heartbeat has, once it is in this state."""

        def found() -> list[dict[str, Any]]:
            stores = [one.data["store"] for one in self.items if one.data["type"] == "Heartbeat"]
            return [one for one in stores[-1:] if one["state"] == state]

        return wait_for(found)[0]


def test_the_same_id_in_two_services_is_two_sessions(
    eu: Service, us: Service, reader: Service
) -> None:
    eu.send(named("chat", 1, "in eu"))
    us.send(named("chat", 2, "in us"), named("only", 3))
    assert sorted(ids(reader)) == ["eu:chat", "us:chat", "us:only"]
    assert reader.get("/sessions/eu:chat")["title"] == "in eu"
    assert reader.get("/sessions/us:chat/spans")["session_id"] == "us:chat"
    assert ids(reader, "/sessions?q=id:eu:chat") == ["eu:chat"]
    moved = reader.client.get("/sessions/only/spans?limit=3", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (
        308,
        "/sessions/us:only/spans?limit=3",
    )
    for method, path in (("GET", "/sessions/chat"), ("DELETE", "/sessions/chat")):
        refused = reader.client.request(method, path)
        assert (refused.status_code, refused.json()["code"]) == (409, "ambiguous_session")
        assert "eu:chat, us:chat" in refused.json()["detail"]
    assert reader.client.get("/sessions/nobody").status_code == 404
    assert reader.client.delete("/sessions/eu:chat").status_code == 204
    assert (ids(eu), sorted(ids(us))) == ([], ["chat", "only"])


def test_a_page_follows_all_services(eu: Service, us: Service, reader: Service) -> None:
    eu.send(named("a", 1))
    page = Page(reader, "us:b")
    us.send(named("b", 2))
    started = page.wait_for("SessionStarted", session_id="us:b")
    assert started["session"]["id"] == "us:b"
    page.wait_for("SpanEnded", session_id="us:b")
    eu.send(named("c", 3))
    page.wait_for("SessionStarted", session_id="eu:c")
    assert not [one for one in page.items if one.data["type"] == "SpanEnded"][1:]
    # Another page opens another session: both go on.
    other = Page(reader, "eu:c")
    eu.send(named("c", 4, "more"))
    other.wait_for("SpanEnded", session_id="eu:c")
    us.send(named("b", 5, "more"))
    wait_for(lambda: sum(one.data["type"] == "SpanEnded" for one in page.items) == 2)


def test_an_answer_goes_to_the_service_of_the_request_with_who_gave_it(
    eu: Service, us: Service, reader: Service
) -> None:
    body = {"name": "agent", "pid": 1, "host": "here"}
    us.client.put("/processes/p1", json=body).raise_for_status()
    request = opened("r1", args_json=ARGS, prompt="Delete it?\u2028Think.")
    message = {"id": "m1", "type": "request_opened", "request": request}
    us.client.post("/processes/p1/messages", json={"messages": [message]}).raise_for_status()
    listed = reader.get("/requests")
    assert [one["id"] for one in listed["requests"]] == ["us:r1"]
    assert listed["pending_count"] == 1
    answer = {"decision": "allow", "args_hash": hash_of(ARGS)}
    headers = {"Inspector-Actor": "Ann%2C%20Berlin", "User-Agent": "inspector-cli/1"}
    answered = reader.client.post("/requests/us:r1", json=answer, headers=headers)
    assert answered.raise_for_status().json()["request"]["id"] == "us:r1"
    assert us.get("/requests/r1")["answer"]["actor"] == "Ann, Berlin"
    again = reader.client.post("/requests/us:r1", json=answer)
    assert (again.status_code, again.json()["code"]) == (409, "already_answered")
    (entry,) = [one for one in us.get("/audit")["entries"] if one["action"] == "answer"][1:]
    assert (entry["actor"], entry["origin"]) == ("Ann, Berlin", "cli")
    assert entry["address"] == "127.0.0.1 via 127.0.0.1"
    shown = reader.get("/audit")["entries"]
    assert [one["request_id"] for one in shown if one["action"] == "answer"] == ["us:r1"] * 2
    lines = reader.client.get("/audit/export").content.splitlines()
    exported = sorted((json.loads(line) for line in lines), key=lambda one: one["id"], reverse=True)
    assert exported == shown
    assert reader.client.post("/requests/r1", json=answer).status_code == 404


def test_a_service_that_is_gone_is_named_and_comes_back(
    eu: Service, us: Service, reader: Service
) -> None:
    eu.send(named("a", 1))
    us.send(named("b", 2))
    page = Page(reader)
    assert reader.get("/sessions")["partial"] == []
    us.kill()
    assert "The service 'us' " in page.wait_for_state("incomplete")["message"]
    listed = reader.get("/sessions")
    assert [one["id"] for one in listed["sessions"]] == ["eu:a"]
    (missing,) = listed["partial"]
    assert (missing["part"], missing["writer"]) == ("writer", "us")
    assert "us" in missing["why"]
    assert missing["since"]
    for path in ("/sessions/us:b", "/sessions/b", f"/spans/{trace_hex(2)}/{'0' * 15}1"):
        answer = reader.client.get(path)
        assert (answer.status_code, answer.json()["code"]) == (503, "writer_away"), path
    assert reader.client.get("/sessions/eu:a").status_code == 200
    for path in ("/search?q=work", "/causes", "/sessions/usage", "/requests", "/audit"):
        assert reader.get(path)["partial"][0]["writer"] == "us", path
    states = {one["name"]: one["store"]["state"] for one in reader.get("/health")["writers"]}
    assert states == {"eu": "ok", "us": "incomplete"}
    us.start()
    gap = page.wait_for("Gap")
    assert gap["reload"]
    page.wait_for_state("ok")
    us.send(named("c", 3))
    page.wait_for("SessionStarted", session_id="us:c")
    assert reader.get("/sessions")["partial"] == []


def test_a_reader_is_ready_while_one_of_its_services_answers(
    start: Start, eu: Service, us: Service
) -> None:
    us.kill()
    reader = start("late", store=None, writers=f"eu={eu.url},us={us.url}")
    wait_for(lambda: reader.get("/health")["ready"])
    eu.kill()
    wait_for(lambda: not reader.get("/health")["ready"])
    eu.start()
    wait_for(lambda: reader.get("/health")["ready"])


def test_a_reader_that_was_killed_goes_on_where_it_was(
    eu: Service, us: Service, reader: Service
) -> None:
    eu.send(named("a", 1))
    position = reader.get("/sessions")["as_of"]
    reader.kill()
    us.send(named("b", 2))
    reader.start()
    with reader.client.stream("GET", f"/events?after={position}") as answer:
        types = []
        for item in stream_items(answer.iter_lines()):
            types.append(item.data["type"])
            if item.data.get("session_id") == "us:b" and item.data["type"] == "SpanEnded":
                break
    assert "Gap" not in types


def test_what_it_does_not_have_is_refused_with_where_to_send_it(
    eu: Service, us: Service, reader: Service
) -> None:
    for method, path in (("POST", "/v1/traces"), ("POST", "/import"), ("GET", "/prices")):
        refused = reader.client.request(method, path, content=b"{}")
        assert refused.status_code == 421, path
        assert "eu, us" in refused.text
    assert httpx.get(f"{reader.url}/sessions").status_code == 401


def test_a_wrong_token_or_another_reader_is_one_sentence(
    start: Start, eu: Service, reader: Service
) -> None:
    other = start("other", store=None, writers=f"eu={eu.url},r={reader.url}")
    (missing,) = other.get("/sessions")["partial"]
    assert "is a reader" in missing["why"]
    wrong = start("wrong", store=None, writers=f"eu={eu.url}", writer_tokens="eu=not-the-token")
    answer = wrong.client.get("/sessions")
    assert (answer.status_code, answer.json()["code"]) == (503, "writer_away")
    assert "does not accept the token" in answer.json()["detail"]
    own = start("own", token="another-token-of-its-own")
    mixed = start(
        "mixed",
        store=None,
        writers=f"eu={eu.url},own={own.url}",
        writer_tokens="own=another-token-of-its-own",
    )
    assert mixed.get("/sessions")["partial"] == []


def test_a_service_with_two_names_is_in_each_list_once(start: Start, eu: Service) -> None:
    eu.send(named("a", 1))
    same = eu.url.replace("127.0.0.1", "localhost")
    reader = start("twice", store=None, writers=f"eu={eu.url},same={same}")
    listed = reader.get("/sessions")
    assert [one["id"] for one in listed["sessions"]] == ["eu:a"], "before a stream has begun"
    why = "The service 'same' is the same service as 'eu': name each once."
    assert [one["why"] for one in listed["partial"]] == [why]
    assert [one["store"]["message"] for one in reader.get("/health")["writers"]] == ["", why]
    moved = reader.client.get("/sessions/a", follow_redirects=False)
    assert moved.headers["location"] == "/sessions/eu:a"
    assert reader.client.get(f"/spans/{trace_hex(2)}/{'0' * 15}1").status_code == 404
    assert reader.client.get("/audit/export").status_code == 200
    refused = reader.client.post("/sessions/same:a/pause")
    assert (refused.status_code, refused.json()["detail"]) == (503, why)


@pytest.mark.parametrize("path", ["/sessions?cursor=x", "/sessions?q=stauts:failed"])
def test_a_mistake_is_answered_as_by_a_service(reader: Service, path: str) -> None:
    answer = reader.client.get(path)
    assert answer.status_code == 400
    assert answer.json()["code"] in ("bad_cursor", "bad_query")
    if "stauts" in path:
        assert answer.json()["suggestion"] == "status"


def test_sessions_that_no_address_has_room_for_are_followed_all_the_same(
    eu: Service, reader: Service
) -> None:
    names = [f"{chr(223) * 40}-{number}" for number in range(60)]
    page = Page(reader, *(f"eu:{name}" for name in names))
    eu.send(named(names[-1], 1))
    page.wait_for("SpanEnded", session_id=f"eu:{names[-1]}")


def test_a_link_to_a_session_that_was_merged_leads_to_the_other(
    eu: Service, us: Service, reader: Service
) -> None:
    eu.send(span("first", trace=1))
    eu.send(span("second", trace=1, span_id=2, attributes={"session.id": "merged"}))
    moved = reader.client.get(f"/sessions/{trace_hex(1)}", follow_redirects=False)
    assert moved.headers["location"] == f"/sessions/eu:{trace_hex(1)}"
    assert reader.client.get(moved.headers["location"], follow_redirects=True).json()["id"] == (
        "eu:merged"
    )
    assert reader.get("/sessions")["partial"] == []


def test_the_path_of_a_span_reaches_nothing_else(eu: Service, reader: Service) -> None:
    with httpx.Client(headers=reader.headers) as client:
        for path in ("/spans/%2e%2e/health", "/spans/%2e%2e/%2e%2e", f"/spans/{'0' * 32}/prices"):
            assert client.get(httpx.URL(f"{reader.url}{path}")).status_code == 404, path


def test_a_span_is_read_from_the_service_of_its_session(
    eu: Service, us: Service, reader: Service
) -> None:
    eu.send(named("a", 1, "in eu"))
    us.send(named("a", 1, "in us"), named("b", 2))
    path = f"/spans/{trace_hex(1)}/{'0' * 15}1"
    for name in ("us", "eu", "us"):
        found = reader.get(f"{path}?session_id={name}:a")
        assert (found["name"], found["session_id"]) == (f"in {name}", f"{name}:a")
    value = reader.client.get(f"{path}/value?session_id=eu:a&pointer=/name")
    assert value.text == "in eu"
    for id_, status in (("us:b", 404), ("b", 404), ("a", 409), ("nobody", 404)):
        assert reader.client.get(f"{path}?session_id={id_}").status_code == status, id_


def test_an_export_that_fails_leaves_no_connection(
    eu: Service, us: Service, reader: Service
) -> None:
    def sockets() -> int:
        open_files = Path(f"/proc/{reader.process.pid}/fd").iterdir()
        return sum("socket" in str(one.readlink()) for one in open_files)

    us.kill()
    wait_for(lambda: reader.client.get("/audit/export").status_code == 503)
    before = sockets()
    for _ in range(20):
        assert reader.client.get("/audit/export").status_code == 503
    assert sockets() < before + 10


def test_who_calls_a_reader_cannot_hide_where_from(
    eu: Service, us: Service, reader: Service
) -> None:
    eu.send(named("a", 1))
    headers = {"Inspector-Caller": "browser 1.2.3.4"}
    reader.client.post("/sessions/eu:a/pause", headers=headers)
    (entry,) = [one for one in eu.get("/audit")["entries"] if one["action"] == "pause"][:1]
    assert (entry["origin"], entry["address"]) == ("api", "127.0.0.1 via 127.0.0.1")


def test_a_reader_logs_commands_that_it_refuses(start: Start, eu: Service, tmp_path: Path) -> None:
    log = tmp_path / "reader.log"
    with log.open("w") as stderr:
        reader = start("logged", store=None, writers=f"eu={eu.url}", stderr=stderr)
        headers = {"Authorization": "Bearer wrong", "Inspector-Actor": "mallory"}
        refused = httpx.post(f"{reader.url}/sessions/eu:a/pause", headers=headers)
    assert refused.status_code == 401
    line = "Refused: pause of 'eu:a' by 'mallory' (api) at 127.0.0.1: wrong token"
    wait_for(lambda: line in log.read_text())


def test_a_program_catches_up_and_ends(eu: Service, us: Service, reader: Service) -> None:
    position = reader.get("/sessions")["as_of"]
    eu.send(named("a", 1))
    us.send(named("b", 2))
    text = reader.client.get(f"/events?until=now&after={position}").text
    assert '"session_id":"eu:a"' in text
    assert '"session_id":"us:b"' in text


def test_sessions_of_two_services_are_compared_as_they_are_listed(
    eu: Service, us: Service, reader: Service
) -> None:
    eu.send(span("run", span_id=2, trace=1, parent=1, start_ns=START_NS + SECOND_NS))
    eu.send(named("a", 1))
    us.send(named("b", 2), span("walk", span_id=2, trace=2, parent=1))
    found = reader.get("/compare?left=eu:a&right=us:b")
    left, right = (reader.get(f"/sessions/{one}") for one in ("eu:a", "us:b"))
    assert found["left"] == left | {"epoch_ns": str(START_NS)}
    assert found["right"] == right
    changes = {one["path"][-1]: one["changes"] for one in found["differences"]}
    assert changes == {"walk": ["added"], "run": ["removed"], "work": ["faster"]}
    removed = next(one for one in found["differences"] if one["changes"] == ["removed"])
    assert removed["left"]["offset_ns"] == SECOND_NS

    rows = "/compare/rows?left=eu:a&right=b&every=true"
    version = reader.get(rows)["version"]
    assert reader.client.get(f"{rows}&version={version}").status_code == 200
    us.send(span("run", span_id=3, trace=2, parent=1))
    assert reader.client.get(f"{rows}&version={version}").status_code == 409
    changes = {
        one["path"][-1]: one["changes"]
        for one in reader.get("/compare?left=eu:a&right=b")["differences"]
    }
    assert changes["walk"] == ["added"]
    assert "run" not in changes, "it is the same in both"


@pytest.mark.parametrize(
    ("session", "spans", "why"),
    [
        ("a", [named("a", 2)], "the same id"),
        ("b", [named("b", 1)], "a trace in common"),
        ("b", [named("b", 2), span("o", span_id=2, trace=2, duration_ns=None)], "us:b does"),
    ],
)
def test_sessions_of_two_services_that_cannot_be_compared_are_refused_with_the_reason(
    eu: Service, us: Service, reader: Service, session: str, spans: list[Any], why: str
) -> None:
    eu.send(named("a", 1))
    us.send(*spans)
    answer = reader.client.get(f"/compare?left=eu:a&right=us:{session}")
    assert (answer.status_code, answer.json()["code"]) == (422, "different_services")
    assert why in answer.json()["detail"]


def test_stores_of_compared_sessions_are_few_and_go_with_the_reader(
    start: Start, eu: Service, us: Service, tmp_path: Path
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    reader = Service(
        own := tmp_path / "own",
        store=None,
        token=eu.token,
        writers=f"eu={eu.url},us={us.url}",
    )
    own.mkdir()
    reader.environment["TMPDIR"] = str(folder)
    eu.send(named("a", 1))
    us.send(*(named(f"b{number}", number) for number in range(2, 9)))
    with reader:
        for number in range(2, 9):
            reader.get(f"/compare?left=eu:a&right=us:b{number}")
        assert len([*folder.glob("*/sessions.sqlite3")]) == 4
    assert [*folder.glob("*/sessions.sqlite3")] == []


def test_a_mistake_in_a_query_is_where_it_was_typed(
    eu: Service, us: Service, reader: Service
) -> None:
    for path in ("/sessions", "/sessions/count", "/causes", "/search"):
        answer = reader.client.get(path, params={"q": "ID: eu:a statuss:failed"})
        assert (answer.status_code, answer.json()["position"]) == (400, 9), path
    eu.send(named("a", 1))
    assert ids(reader, "/sessions?q=ID:+eu:a") == ["eu:a"]
    eu.client.post("/sessions/a/pause")
    entries = reader.get("/audit?q=eu:a")["entries"]
    assert [one["session_id"] for one in entries] == ["eu:a"]
