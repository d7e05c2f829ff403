"""Requests and answers over HTTP: the routes of agents and of people, in one process."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types
from pydantic import ValidationError

from inspector.service.http import audit as audit_route
from inspector.service.http import control_route
from inspector.service.http.parts import Parts
from inspector.service.http.processes import command_text
from inspector.service.ingest.requests import audit_rate_limit, open_requests
from inspector.service.model.rows import AuditRow
from inspector.service.model.times import rfc3339
from inspector.service.wire import Wire
from inspector.service.wire.control import AgentMessages, Answer, ProcessHello, Signal, VerbBody
from tests.support.agents.http_agent import Agent, hash_of, opened
from tests.support.services.api import Api
from tests.support.telemetry.otlp import SECOND_NS

ARGS = '{"n":9007199254740993,"path":"/a"}'
EDITED = '{"n":9007199254740993, "path": "/b"}'


class Place:
    """A service with its clock, a person's client and an agent."""

    def __init__(self, api: Api) -> None:
        self.client, self.clock, self.parts = api, api.clock, api.parts
        self.agent = Agent(api, "p1")
        self.streams = contextlib.AsyncExitStack()

    def commands(self, after: int = 0) -> Commands:
        """Open the command stream of the agent."""
        commands = Commands(self.parts, "p1", after)
        self.streams.push_async_callback(commands.close)
        return commands

    async def request(self, request_id: str = "r1") -> Any:
        return (await self.client.get(f"/requests/{request_id}")).json()

    async def answer(self, request_id: str = "r1", **body: Any) -> httpx.Response:
        return await self.client.post(f"/requests/{request_id}", json=body)

    async def session(self, session_id: str = "S") -> Any:
        return (await self.client.get(f"/sessions/{session_id}")).json()

    async def audit(self) -> list[Any]:
        return list(reversed((await self.client.get("/audit?limit=1000")).json()["entries"]))

    async def settled_audit(self) -> list[Any]:
        """Return the log with entries that are written in the background."""
        await self.parts.writer.tick()  # in order behind it
        return await self.audit()

    async def signal(self, name: str, **body: Any) -> Any:
        answer = await self.client.post("/signal/S", json={"signal_name": name, **body})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def events(
        self, after: str, ids: set[str], session_id: str | None = None
    ) -> dict[str, Any]:
        """Return the events of these requests, of a viewer that comes now."""
        found: dict[str, Any] = {}
        stream = self.parts.feed.stream(after, [session_id] if session_id else ())
        async with contextlib.aclosing(stream), asyncio.timeout(10):
            async for block in stream:
                for line in block.decode().splitlines():
                    event = json.loads(line[6:]) if line.startswith("data: ") else {}
                    if event.get("request"):
                        assert event["request"]["id"] not in found
                        found[event["request"]["id"]] = event
                if found.keys() == ids:
                    return found
        raise AssertionError("the stream ended")


class Commands:
    """The command stream of a process."""

    def __init__(self, parts: Parts, process_id: str, after: int = 0) -> None:
        self._stream = parts.dispatch.follow(process_id, after, command_text)

    async def connected(self) -> None:
        """Read the first event."""
        assert await anext(self._stream)

    async def next(self) -> Any:
        """Return the next command; None: the stream ended."""
        async with asyncio.timeout(10):
            async for block in self._stream:
                for line in block.decode().splitlines():
                    if line.startswith("data: "):
                        return json.loads(line[6:])
        return None

    async def close(self) -> None:
        """End the stream."""
        await self._stream.aclose()


def wait_for_acknowledgements(monkeypatch: pytest.MonkeyPatch, timeout_s: float) -> None:
    for module in ("requests", "control"):
        monkeypatch.setattr(f"inspector.service.http.{module}.ACK_TIMEOUT_S", timeout_s)


@pytest.fixture
def nobody_acknowledges(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for what does not come."""
    wait_for_acknowledgements(monkeypatch, 0.05)


@pytest.fixture
async def place(api: Api, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    """Yield a service that knows the agent."""
    wait_for_acknowledgements(monkeypatch, 10)
    place = Place(api)
    await place.agent.hello()
    async with place.streams:
        yield place


async def test_what_an_agent_asks_is_listed_and_makes_its_session_wait(place: Place) -> None:
    assert await place.agent.open("r1", args_json=ARGS) == ["m1"]
    listed = (await place.client.get("/requests", params={"status": "pending"})).json()
    assert [one["id"] for one in listed["requests"]] == ["r1"]
    assert listed["pending_count"] == 1
    assert listed["requests"][0]["args_json"] == ARGS, "to the letter"
    session = await place.session()
    assert session["status"] == "waiting"
    assert session["waiting_since"] == listed["requests"][0]["created_at"]


async def test_times_are_by_the_clock_of_the_service(place: Place) -> None:
    await place.agent.open("r1", age_ms=1500, expires_in_ms=2500)
    request = await place.request()
    now_ns = place.clock.now_ns
    assert request["created_at"] == rfc3339(now_ns - 1_500_000_000)
    assert request["expires_at"] == rfc3339(now_ns + 2_500_000_000)


async def test_an_answer_waits_for_the_word_of_the_agent(place: Place) -> None:
    await place.agent.open("r1", args_json=ARGS)
    commands = place.commands()
    answering = asyncio.create_task(
        place.answer(decision="allow", args_hash=hash_of(ARGS), args_json=EDITED)
    )
    command = await commands.next()
    assert command["answer"] == {
        "request_id": "r1",
        "decision": "allow",
        "args_json": EDITED,
        "args_hash": hash_of(ARGS),
        "payload_json": None,
    }
    await place.agent.acknowledge(command["seq"], applied=True)
    answer = (await answering).json()
    assert (answer["applied"], answer["message"]) == (True, "Received by the agent.")
    assert answer["request"]["status"] == "answered"
    assert answer["request"]["answer"]["is_edited"] is True
    assert answer["request"]["args_json"] is None


async def test_the_audit_log_says_whose_arguments_were_edited(place: Place) -> None:
    for request_id, args_json in (("r1", EDITED), ("r2", ARGS), ("r3", None)):
        await place.agent.open(request_id, args_json=ARGS)
        commands = place.commands()
        body = {"decision": "allow", "args_hash": hash_of(ARGS), "args_json": args_json}
        answering = asyncio.create_task(place.answer(request_id, **body))
        await place.agent.acknowledge((await commands.next())["seq"], applied=True)
        await answering
    await place.agent.open("r4", args_json=ARGS)
    await place.answer("r4", decision="allow", args_hash=hash_of("{}"), args_json=EDITED)
    assert [
        (one["request_id"], one["action"], one["result"])
        for one in await place.settled_audit()
        if one["is_edited"]
    ] == [
        ("r1", "answer", "accepted"),
        ("r1", "answer", "applied"),
        ("r4", "answer", "refused"),
    ]


async def test_an_answer_that_the_agent_does_not_take_says_why(place: Place) -> None:
    await place.agent.open("r1")
    commands = place.commands()
    answering = asyncio.create_task(place.answer(decision="allow"))
    seq = (await commands.next())["seq"]
    await place.agent.acknowledge(seq, applied=False, reason="not open here")
    answer = (await answering).json()
    assert (answer["applied"], answer["message"]) == (
        False,
        "Rejected by the agent: not open here.",
    )


@pytest.mark.usefixtures("nobody_acknowledges")
async def test_an_answer_for_an_agent_that_is_away_is_accepted_and_says_so(place: Place) -> None:
    await place.agent.open("r1")
    answer = (await place.answer(decision="deny", reason="no")).json()
    assert answer["applied"] is None
    assert answer["request"]["answer"]["reason"] == "no"
    commands = place.commands()
    first = await commands.next()
    again = place.commands()
    assert await again.next() == first, "until it is acknowledged"
    await place.agent.acknowledge(first["seq"], applied=True)
    assert (await place.request())["answer"]["applied"] is True


@pytest.mark.usefixtures("nobody_acknowledges")
async def test_a_new_stream_of_commands_ends_the_one_before(place: Place) -> None:
    older = place.commands()
    await older.connected()
    newer = place.commands()
    await newer.connected()
    assert await older.next() is None
    await place.agent.open("r1")
    await place.answer(decision="deny")
    assert (await newer.next())["type"] == "answer"


async def test_the_stream_of_a_process_that_is_lost_ends(place: Place) -> None:
    commands = place.commands()
    await commands.connected()
    await place.client.pass_time(14)
    assert await commands.next() is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"decision": "allow", "args_hash": "0" * 64}, 422, "wrong_hash"),
        ({"decision": "allow"}, 422, "wrong_hash"),
        ({"decision": "answer", "args_hash": hash_of("{}")}, 422, "wrong_decision"),
        ({"decision": "allow", "args_hash": hash_of("{}"), "args_json": "{"}, 422, "bad_json"),
        ({"decision": "perhaps"}, 422, "bad_request"),
        ({"decision": "allow", "args_hash": "0" * 65}, 422, "bad_request"),
    ],
)
async def test_what_cannot_be_is_refused_and_in_the_audit_log(
    place: Place, body: dict[str, str], status: int, code: str
) -> None:
    await place.agent.open("r1", args_json="{}")
    refused = await place.answer(**body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert (await place.request())["status"] == "pending"
    last = (await place.settled_audit())[-1]
    assert (last["action"], last["result"], last["code"]) == ("answer", "refused", code)
    assert (last["request_id"], last["origin"], last["actor"]) == ("r1", "api", "token")


BODIES: dict[type[Wire], dict[str, Any]] = {
    ProcessHello: {"name": "agent", "pid": 1, "host": "here"},
    Answer: {"decision": "deny", "args_hash": "0", "args_json": "{}", "payload_json": "1"},
    VerbBody: {"reason": "because"},
    Signal: {"signal_name": "go", "payload_json": "1", "reason": "because"},
    AgentMessages: {
        "messages": [
            {"type": "heartbeat", "id": "1"},
            {"type": "ack", "id": "2", "seq": 1, "applied": True, "reason": "done"},
            {"type": "request_opened", "id": "3", "request": opened("r", age_ms=1.5)},
        ]
    },
}
OTHERS: tuple[Any, ...] = (None, True, 1, -1, 1.5, 10**30, "", "1", "true", "yes", [], {})


def with_others(body: Any) -> Iterator[Any]:
    """Yield `body`, with one value in it replaced by each of `OTHERS`; lists are cut to it."""
    yield from OTHERS
    is_list = isinstance(body, list)
    for key in range(len(body)) if is_list else body if isinstance(body, dict) else ():
        for other in with_others(body[key]):
            yield [other] if is_list else {**body, key: other}


@pytest.mark.parametrize("kind", BODIES)
def test_what_the_contract_does_not_allow_is_not_made_to_fit(kind: type[Wire]) -> None:
    allowed = Draft202012Validator(kind.model_json_schema())
    kind.model_validate(BODIES[kind])
    accepted = []
    for body in with_others(BODIES[kind]):
        with contextlib.suppress(ValidationError):
            kind.model_validate(body)
            accepted.append(body)
    assert len(accepted) > len(BODIES[kind])
    assert [body for body in accepted if not allowed.is_valid(body)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pid", "status"),
    [
        *((bad, 422) for bad in ("false", '"12"', "1.5", "1" + "0" * 30, "NaN")),
        *((whole, 200) for whole in ("12", "12.0", "1.2e1")),
    ],
)
async def test_a_process_id_is_an_integer_that_can_be_stored(
    place: Place, pid: str, status: int
) -> None:
    body = f'{{"name": "agent", "host": "here", "pid": {pid}}}'
    headers = {"content-type": "application/json"}
    answer = await place.client.put("/processes/p9", content=body, headers=headers)
    assert answer.status_code == status
    assert answer.json().get("code") == (None if status == 200 else "bad_request")


async def test_an_unknown_request_is_404_and_in_the_audit_log(place: Place) -> None:
    refused = await place.answer("nothing", decision="allow")
    assert (refused.status_code, refused.json()["code"]) == (404, "no_such_request")
    assert (await place.client.get("/requests/nothing")).json()["code"] == "no_such_request"
    [entry] = await place.audit()
    assert (entry["request_id"], entry["code"]) == ("nothing", "no_such_request")


async def test_an_expired_request_is_409_and_in_the_audit_log(place: Place) -> None:
    await place.agent.open("r1", expires_in_ms=1000)
    place.clock.now_ns += SECOND_NS
    refused = await place.answer(decision="allow")
    assert (refused.status_code, refused.json()["code"]) == (409, "already_closed")
    assert "expired" in refused.json()["detail"]
    assert (await place.audit())[-1]["code"] == "already_closed"


async def test_what_an_agent_says_twice_is_once(place: Place) -> None:
    await place.agent.hello()
    for _ in range(2):
        await place.agent.open("r1")
    for _ in range(2):
        await place.agent.close("r1", "expired", "deny", "nobody answered")
    request = await place.request()
    assert [one["status"] for one in request["transitions"]] == ["pending", "expired"]
    assert request["transitions"][-1]["reason"] == "nobody answered"
    actions = [one["action"] for one in await place.audit()]
    assert actions == ["request_opened", "request_expired"]


async def test_messages_of_a_process_that_is_not_known_are_404(place: Place) -> None:
    assert await Agent(place.client, "p2").heartbeat() == 404
    answer = await place.client.get("/processes/p2/commands")
    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_process")
    assert await place.agent.heartbeat() == 200
    await place.client.pass_time(14)
    assert await place.agent.heartbeat() == 404, "it was lost"
    await place.agent.hello()
    assert await place.agent.heartbeat() == 200


async def test_messages_are_accepted_in_order_and_named_in_the_answer(place: Place) -> None:
    answer = await place.agent.send(
        {"type": "request_opened", "request": opened("r1")},
        {"type": "heartbeat"},
        {"type": "request_closed", "request_id": "r1", "status": "withdrawn"}
        | {"decision": None, "reason": None},
        {"type": "ack", "seq": 9, "applied": True, "reason": None},
        {"type": "goodbye"},
    )
    assert answer.json() == {"received": ["m1", "m2", "m3", "m4", "m5"]}
    assert (await place.request())["status"] == "withdrawn"
    assert await place.agent.heartbeat() == 404


async def test_a_request_for_which_there_is_no_room_is_not_among_those_received(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_requests, "MAX_PENDING_OF_PROCESS", 1)
    assert await place.agent.open("r1") == ["m1"]
    assert await place.agent.open("r2") == []
    last = (await place.audit())[-1]
    assert (last["result"], last["code"], last["origin"]) == (
        "refused",
        "too_many_requests",
        "agent",
    )


@pytest.mark.parametrize(
    ("path", "verb"),
    [
        *((f"/sessions/S/{verb}", verb) for verb in ("pause", "resume", "step", "cancel")),
        ("/cancel/S", "cancel"),
    ],
)
async def test_a_verb_reaches_the_agent_and_waits_for_its_word(
    place: Place, path: str, verb: str
) -> None:
    await place.agent.open("r1")
    commands = place.commands()
    posting = asyncio.create_task(place.client.post(path, json={"reason": "it is late"}))
    command = await commands.next()
    assert (command["type"], command["session_id"], command["reason"]) == (
        verb,
        "S",
        "it is late",
    )
    await place.agent.acknowledge(command["seq"], applied=True)
    result = (await posting).json()
    assert (result["verb"], result["processes"], result["applied"]) == (verb, 1, True)
    entries = [one["result"] for one in await place.audit() if one["action"] == verb]
    assert entries == ["accepted", "applied"]


async def test_a_verb_needs_no_body_and_says_when_nothing_runs(place: Place) -> None:
    await place.agent.open("r1")
    await place.agent.close("r1", "withdrawn")
    result = (await place.client.post("/sessions/S/pause")).json()
    assert (result["processes"], result["applied"]) == (0, False)
    assert "No running process of this session" in result["message"]


async def test_who_listens_for_a_session_are_the_connected_processes_that_have_a_part_of_it(
    place: Place,
) -> None:
    async def listeners() -> Any:
        return (await place.client.get("/sessions/S/control")).json()["processes"]

    assert (await place.client.get("/sessions/S/control")).status_code == 404
    await place.agent.open("r1")
    other = Agent(place.client, "p2")
    await other.hello()
    assert await listeners() == [{"id": "p1", "name": "agent"}]
    await other.open("r2")
    assert [one["id"] for one in await listeners()] == ["p1", "p2"]
    await place.agent.close("r1", "withdrawn")
    assert [one["id"] for one in await listeners()] == ["p2"]
    await other.send({"type": "goodbye"})
    assert await listeners() == []


async def test_a_verb_for_no_session_is_404(place: Place) -> None:
    answer = await place.client.post("/sessions/nothing/pause")
    assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")


@pytest.mark.usefixtures("nobody_acknowledges")
async def test_a_signal_answers_the_question_that_waits_for_it(place: Place) -> None:
    await place.agent.open("q1", kind="question", signal_name="go")
    result = await place.signal("go", payload_json='{"yes": 9007199254740993}')
    assert (result["verb"], result["processes"], result["applied"]) == ("signal", 1, None)
    request = await place.request("q1")
    assert (request["status"], request["answer"]["decision"]) == ("answered", "answer")
    commands = place.commands()
    answer = (await commands.next())["answer"]
    assert answer["payload_json"] == '{"yes": 9007199254740993}'


@pytest.mark.usefixtures("nobody_acknowledges")
async def test_a_signal_that_no_question_waits_for_is_passed_on(place: Place) -> None:
    await place.agent.open("r1")
    assert (await place.signal("go", payload_json="1"))["processes"] == 1
    commands = place.commands()
    command = await commands.next()
    assert (command["type"], command["signal_name"], command["payload_json"]) == (
        "signal",
        "go",
        "1",
    )
    assert command["answer"] is None


async def test_a_signal_with_a_payload_that_is_no_json_is_refused(place: Place) -> None:
    for kind in ("approval", "question"):
        await place.agent.open(kind, kind=kind, signal_name="go")
        answer = await place.client.post(
            "/signal/S", json={"signal_name": "go", "payload_json": "{"}
        )
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_json")


@pytest.mark.usefixtures("nobody_acknowledges")
async def test_the_name_that_somebody_gives_themselves_is_shown_and_tamed(place: Place) -> None:
    await place.agent.open("r1")
    name = quote("Zoë\u202e\n" + "x" * 100)
    headers = {"Inspector-Actor": name, "User-Agent": "inspector-cli/1.0"}
    await place.client.post("/requests/r1", json={"decision": "deny"}, headers=headers)
    answer = (await place.request())["answer"]
    assert answer["actor"].startswith("Zoë\\u202e\\x0axxx")
    assert len(answer["actor"]) == 80
    assert answer["origin"] == "cli"


async def test_a_body_that_is_too_large_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_route, "MAX_BODY_BYTES", 1000)
    refused = await place.agent.send(
        {"type": "request_opened", "request": opened("r1", prompt="x" * 2000)}
    )
    assert refused.status_code == 413
    assert (await place.settled_audit())[-1]["action"] == "messages"


@pytest.mark.usefixtures("nobody_acknowledges")
async def test_viewers_are_sent_every_change_of_a_request(place: Place) -> None:
    as_of = (await place.client.get("/requests")).json()["as_of"]
    await place.agent.open("r1")
    await place.agent.open("q1", kind="question", signal_name="go")
    pending = await place.events(as_of, {"r1", "q1"})
    assert {id_: one["type"] for id_, one in pending.items()} == {
        "r1": "ApprovalRequested",
        "q1": "WaitingOnSignal",
    }
    assert pending["r1"]["request"] == await place.request("r1")
    assert pending["q1"]["attributes"] == {"inspector.session.signal": "go"}
    await place.answer("r1", decision="deny")
    await place.agent.close("q1", "withdrawn")
    resolved = await place.events(as_of, {"r1", "q1"}, session_id="another")
    assert {id_: one["type"] for id_, one in resolved.items()} == {
        "r1": "ApprovalResolved",
        "q1": "SignalReceived",
    }
    assert resolved["q1"]["request"] == await place.request("q1"), "the newest version only"


async def test_the_audit_log_pages_and_exports_all_of_it(place: Place) -> None:
    for number in range(5):
        await place.agent.open(f"r{number}")
    first = (await place.client.get("/audit", params={"limit": 3})).json()
    rest = await place.client.get("/audit", params={"cursor": first["next_cursor"]})
    paged = [*first["entries"], *rest.json()["entries"]]
    assert rest.json()["next_cursor"] is None
    exported = await place.client.get("/audit/export")
    assert exported.headers["content-type"].startswith("application/x-ndjson")
    lines = [json.loads(line) for line in exported.text.splitlines()]
    assert lines == paged[::-1]
    assert [one["request_id"] for one in lines] == [f"r{n}" for n in range(5)]


@pytest.mark.usefixtures("nobody_acknowledges")
async def test_an_audit_entry_names_tool_question_and_session_and_filters_apply(
    place: Place,
) -> None:
    await place.agent.open("r1", args_json=ARGS, tool_name="delete_file", prompt="Delete it?")
    await place.agent.open("q1", kind="question", tool_name=None, prompt="Which colour?")
    await place.answer("r1", decision="deny", args_hash=hash_of(ARGS), reason="Not today")
    await place.answer("r1", decision="allow")

    async def found(**query: str | int) -> list[tuple[str, str | None, str]]:
        page = (await place.client.get("/audit", params=query)).json()
        assert page["next_cursor"] is None
        return [(one["action"], one["request_id"], one["result"]) for one in page["entries"]]

    opened_ones = [("request_opened", "q1", "accepted"), ("request_opened", "r1", "accepted")]
    answers = [("answer", "r1", "refused"), ("answer", "r1", "accepted")]
    assert await found() == [*answers, *opened_ones]
    assert await found(by="people") == answers
    assert await found(by="people", result="refused") == answers[:1]
    assert await found(origin="agent") == opened_ones
    assert await found(q="COLOUR") == opened_ones[:1]
    assert await found(q="delete_file", by="people") == answers
    assert await found(q=(await place.session())["title"], origin="agent") == opened_ones
    assert await found(q="nobody says this") == []
    assert (await place.client.get("/audit", params={"by": "me"})).status_code == 422

    question, approval = (await place.client.get("/audit", params={"origin": "agent"})).json()[
        "entries"
    ]
    assert (question["tool_name"], question["question"]) == (None, "Which colour?")
    assert (approval["tool_name"], approval["question"]) == ("delete_file", "Delete it?")
    assert approval["session_title"] == (await place.session())["title"]

    assert (await place.client.delete("/sessions/S")).status_code == 204
    assert await found(q="delete it?") == await found(q="colour") == []
    [left] = (await place.client.get("/audit", params={"q": "not today"})).json()["entries"]
    assert (left["tool_name"], left["question"], left["session_title"]) == (
        "delete_file",
        None,
        None,
    )


async def test_a_search_in_a_long_audit_log_goes_on_where_its_page_ended(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_route, "_CHUNK", 2)
    monkeypatch.setattr(audit_route, "_MOST_READ", 4)
    for number in range(9):
        await place.agent.open(f"r{number}", tool_name="rare" if number in (0, 8) else "common")
    pages: list[list[str]] = []
    cursor: str | None = None
    while not pages or cursor:
        query: dict[str, Any] = {"q": "rare", "limit": 1}
        answer = await place.client.get(
            "/audit", params=query | ({"cursor": cursor} if cursor else {})
        )
        pages.append([one["request_id"] for one in answer.json()["entries"]])
        cursor = answer.json()["next_cursor"]
    assert [one for page in pages for one in page] == ["r8", "r0"]
    assert [] in pages, "no page reads all of it"


async def test_a_flood_of_refusals_is_counted_not_written(place: Place) -> None:
    for _ in range(3 * audit_rate_limit.BURST):
        place.parts.writer.record_audit(AuditRow(0, "x", "api", None, "answer", "refused"))
    entries = await place.settled_audit()
    assert audit_rate_limit.BURST <= len(entries) < 2 * audit_rate_limit.BURST
    assert entries[0]["at"] == rfc3339(place.clock.now_ns)
