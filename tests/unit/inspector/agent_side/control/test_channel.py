"""The channel against a service over real HTTP, a well-behaved one and others."""

from __future__ import annotations

import asyncio
import logging
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from inspector.agent_side.control.channel import Channel
from inspector.agent_side.control.commands import Commands
from inspector.agent_side.control.connection_state import Limits, Process
from inspector.agent_side.control.gate import Gate
from inspector.agent_side.control.http_connection import Address
from inspector.agent_side.control.open_requests import AnswerOutcome, ReceivedAnswer, RequestTable
from inspector.service.wire.control import CommandAnswer
from tests.support.agents.wired_bus import WiredBus
from tests.support.services.control_service import DEADLINE_S, ControlService
from tests.unit.inspector.agent_side.control.test_open_requests import pending_request

QUICK = Limits(
    timeout_s=5.0,
    first_retry_s=0.02,
    last_retry_s=0.1,
    unknown_retry_s=0.1,
    shortest_beat_s=0.05,
    goodbye_s=2.0,
)


class Agent:
    """The control side of an agent."""

    def __init__(self, wired: WiredBus, find: Callable[[], Address | None], limits: Limits) -> None:
        self.requests = RequestTable(self._wake)
        self.gate = Gate(wired.bus, wired.wiring.location_of, wired.wiring.open_operations)
        self.commands = Commands(self.requests, self.gate)
        self.process = Process("p/1", "my agent")
        self.channel = Channel(
            find, lambda: self.process, self.requests, self.commands, self.gate, limits
        )
        self.answers: list[ReceivedAnswer] = []
        self.changed = threading.Condition()

    def _wake(self) -> None:
        self.channel.wake()

    def ask(self, request_id: str, **fields: Any) -> None:
        self.requests.open(pending_request(request_id, **fields), self._accept)

    def _accept(self, answers: ReceivedAnswer) -> AnswerOutcome:
        with self.changed:
            self.answers.append(answers)
            self.changed.notify_all()
        return AnswerOutcome(True, None)

    def wait_answers(self, count: int) -> list[ReceivedAnswer]:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.answers) >= count, DEADLINE_S)
        return self.answers

    def close(self) -> None:
        self.channel.begin_close()
        self.channel.finish_close(DEADLINE_S)


@pytest.fixture
def service() -> Iterator[ControlService]:
    service = ControlService()
    yield service
    service.close()


@pytest.fixture
def make_agent(wired: WiredBus) -> Iterator[Callable[..., Agent]]:
    made: list[Agent] = []

    def make(url: str, token: str | None = "tok", **changed: Any) -> Agent:
        find = changed.pop("find", lambda: Address(url, token))
        limits = Limits(**{**_fields(QUICK), **changed})
        made.append(Agent(wired, find, limits))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


@pytest.fixture
def agent(service: ControlService, make_agent: Callable[..., Agent]) -> Agent:
    agent = make_agent(service.url)
    agent.channel.start()
    return agent


def _fields(limits: Limits) -> dict[str, Any]:
    return {name: getattr(limits, name) for name in Limits.__slots__}


def answer_of(request_id: str) -> CommandAnswer:
    return CommandAnswer(
        request_id=request_id, decision="allow", args_json=None, args_hash=None, payload_json=None
    )


# --- a service as it should be --------------------------------------------------------------------


def test_hello_and_heartbeats_are_sent(service: ControlService, agent: Agent) -> None:
    service.wait_for_messages("heartbeat", 2)
    ((process, hello),) = service.hellos
    assert (process, hello["name"]) == ("p/1", "my agent")
    assert set(service.tokens) == {"Bearer tok"}


def test_nothing_is_started_before_it_is_needed(
    service: ControlService, make_agent: Callable[..., Agent]
) -> None:
    before = threading.active_count()
    agent = make_agent(service.url)
    assert threading.active_count() == before
    agent.ask("r-1")
    service.wait_for_messages("request_opened")


def test_a_request_is_reported_and_its_answer_checked_and_acknowledged(
    service: ControlService, agent: Agent
) -> None:
    agent.ask("r-1", args_json='{"path":"/"}', args_hash="h", timeout_s=60.0)
    (opened,) = service.wait_for_messages("request_opened")
    request = opened["request"]
    assert (request["id"], request["args_json"]) == ("r-1", '{"path":"/"}')
    assert 59_000 < request["expires_in_ms"] <= 60_000

    seq = service.command("p/1", type="answer", answer=answer_of("r-1"))
    (ack,) = service.wait_for_messages("ack")
    assert (ack["seq"], ack["applied"]) == (seq, True)
    assert agent.answers[0].actor == "ANNA"

    agent.requests.close("r-1", "answered", "allow", None)
    (closed,) = service.wait_for_messages("request_closed")
    assert (closed["request_id"], closed["status"]) == ("r-1", "answered")


def test_a_stream_that_ends_goes_on_where_it_ended(service: ControlService, agent: Agent) -> None:
    service.command("p/1", type="pause")
    service.wait_for_messages("ack", 1)
    service.end_streams()
    service.wait(lambda: len(service.streams) >= 2)
    service.command("p/1", type="resume")
    service.wait_for_messages("ack", 2)
    assert service.streams == [("p/1", 0), ("p/1", 1)]
    assert [ack["seq"] for ack in service.messages_of("ack")] == [1, 2]
    assert len(service.hellos) == 1


def test_a_stream_that_is_cut_loses_nothing(service: ControlService, agent: Agent) -> None:
    for type_ in ("pause", "resume", "pause", "resume"):
        seq = service.command("p/1", type=type_)
        service.cut()
        service.wait_for_messages("ack", seq)
    applied = {ack["seq"]: ack["applied"] for ack in service.messages_of("ack")}
    assert applied == dict.fromkeys((1, 2, 3, 4), True)


def test_a_command_that_comes_again_is_done_once_and_acknowledged_again(
    service: ControlService, agent: Agent
) -> None:
    agent.ask("r-1")
    service.ignores = lambda message: message["type"] == "ack"
    service.command("p/1", type="answer", answer=answer_of("r-1"))
    agent.wait_answers(1)
    service.known.clear()  # hello is said again, and the stream begins at 0
    service.ignores = lambda _: False
    service.cut()
    service.wait_for_messages("ack")
    assert len(agent.answers) == 1


def test_after_another_store_numbers_begin_anew(service: ControlService, agent: Agent) -> None:
    agent.ask("r-1")
    agent.ask("r-2")
    service.command("p/1", type="answer", answer=answer_of("r-1"))
    service.wait_for_messages("ack")
    service.forget_all()
    service.wait(lambda: service.open_ids().count("r-2") == 2)
    service.command("p/1", type="answer", answer=answer_of("r-2"), issued_at="later")
    assert len(agent.wait_answers(2)) == 2
    service.wait_for_messages("ack", 2)


def test_open_requests_are_opened_again_when_the_service_has_forgotten_them(
    service: ControlService, agent: Agent
) -> None:
    agent.ask("r-1")
    agent.ask("r-2")
    service.wait(lambda: len(service.open_ids()) == 2)
    agent.requests.close("r-1", "expired", "deny", None)
    service.wait_for_messages("request_closed")
    service.forget_all()
    service.wait(lambda: len(service.open_ids()) == 3)
    assert service.open_ids()[2] == "r-2"
    assert len(service.hellos) == 2


def test_a_service_that_starts_later_or_again_gets_all_reports(
    make_agent: Callable[..., Agent],
) -> None:
    first = ControlService()
    port = first.port
    first.close()
    agent = make_agent(first.url)
    agent.ask("r-1")
    second = ControlService(port)
    try:
        second.wait_for_messages("request_opened")
    finally:
        second.close()
    agent.ask("r-2")
    third = ControlService(port)
    try:
        third.wait(lambda: set(third.open_ids()) == {"r-1", "r-2"})
    finally:
        third.close()


def test_a_service_is_found_where_it_is_now(make_agent: Callable[..., Agent]) -> None:
    first, second = ControlService(), ControlService()
    place = [Address(first.url, "one")]
    agent = make_agent("", find=lambda: place[0])
    agent.ask("r-1")
    first.wait_for_messages("request_opened")
    place[0] = Address(second.url, "two")
    first.close()
    second.wait_for_messages("request_opened")
    second.close()
    assert set(first.tokens) == {"Bearer one"}
    assert set(second.tokens) == {"Bearer two"}


def test_a_service_below_a_path_is_reached(
    service: ControlService, make_agent: Callable[..., Agent]
) -> None:
    make_agent(service.url + "/_inspector").channel.start()
    service.wait_for_messages("heartbeat")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Return a self-signed certificate for 127.0.0.1, and its key."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subject = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"]
    subprocess.run(
        [*new, "-keyout", str(key), "-out", str(cert), *subject], check=True, capture_output=True
    )
    return cert, key


@pytest.mark.slow
@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_service_behind_tls_is_reached_if_its_certificate_is_trusted(
    make_agent: Callable[..., Agent],
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    is_trusted: bool,
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    service = ControlService(context=context)
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    agent = make_agent(service.url)
    agent.ask("r-1")
    if is_trusted:
        service.wait_for_messages("request_opened")
        service.command("p/1", type="answer", answer=answer_of("r-1"))
        agent.wait_answers(1)
    else:
        service.wait(lambda: service.connection_count >= 3)
        assert service.tokens == []
    agent.close()
    service.close()
    lines = [line for line in caplog.messages if "Cannot verify the certificate" in line]
    assert len(lines) == (not is_trusted)


def test_many_requests_of_many_threads_arrive(service: ControlService, agent: Agent) -> None:
    def work(n: int) -> None:
        for k in range(20):
            agent.ask(f"{n}-{k}")
            agent.requests.close(f"{n}-{k}", "answered", "allow", None)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    service.wait(lambda: len(service.messages_of("request_closed")) == 1_000)
    assert len(set(service.open_ids())) == 1_000


def test_goodbye_comes_after_closed_requests(service: ControlService, agent: Agent) -> None:
    agent.ask("r-1")
    service.wait_for_messages("request_opened")
    agent.requests.close("r-1", "withdrawn", None, None)
    agent.ask("r-2")
    agent.requests.close("r-2", "withdrawn", None, None)
    agent.close()
    assert service.messages[-1][1]["type"] == "goodbye"
    assert [closed["request_id"] for closed in service.messages_of("request_closed")] == [
        "r-1",
        "r-2",
    ]
    assert service.open_ids() == ["r-1", "r-2"]


def test_goodbye_comes_after_acks(
    service: ControlService, make_agent: Callable[..., Agent]
) -> None:
    """A cancel ends the program, and must not count as one without effect."""
    for number in range(5):
        agent, name = make_agent(service.url), f"p/{number}"
        agent.process = Process(name, "my agent")
        agent.channel.start()
        agent.ask("r-1")
        service.wait(lambda name=name: name in {process for process, _ in service.streams})  # type: ignore[misc]
        service.command(name, type="answer", answer=answer_of("r-1"))
        agent.wait_answers(1)
        agent.close()

        kinds = [message["type"] for process, message in service.messages if process == name]
        assert kinds[-1] == "goodbye"
        assert "ack" in kinds


def test_a_message_that_the_service_has_no_room_for_is_sent_again(
    service: ControlService, agent: Agent
) -> None:
    tries: list[str] = []

    def ignore_twice(message: dict[str, Any]) -> bool:
        if message["type"] == "request_opened":
            tries.append(message["id"])
        return len(tries) <= 2

    service.ignores = ignore_twice
    agent.ask("r-1")
    service.wait_for_messages("request_opened")
    assert len(set(tries)) == 1


# --- a service as it should not be ----------------------------------------------------------------


def answering(status: int, body: bytes = b"", **headers: str) -> Callable[..., None]:
    def misbehave(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return misbehave


def sending(*pieces: bytes) -> Callable[..., None]:
    def misbehave(handler: BaseHTTPRequestHandler) -> None:
        for piece in pieces:
            handler.wfile.write(piece)

    return misbehave


def dripping(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    stop = threading.Event()
    while not stop.wait(0.02):
        handler.wfile.write(b"x")


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    while True:
        handler.wfile.write(b"x" * 2**20)


MISBEHAVIOURS: dict[str, Callable[..., None]] = {
    "500": answering(500, b"oops"),
    "503": answering(503),
    "no json": answering(200, b"[[["),
    "another json": answering(200, b'["received"]'),
    "json of other types": answering(200, b'{"received": 7, "heartbeat_s": "x"}'),
    "deep json": answering(200, b"[" * 200_000),
    "no http": sending(b"\x00\xff garbage\r\n\r\n"),
    "cut in the headers": sending(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "cut in the body": sending(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
    "too long a header": sending(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2**20),
    "too many headers": sending(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000),
    "a bad chunk": sending(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    "too long a reply": answering(200, b"x" * (2**20 + 1)),
    "for ever 100": sending(b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000),
    "dripping": dripping,
    "endless": endless,
}


@pytest.mark.slow
@pytest.mark.parametrize("part", ["hello", "messages", "commands"])
@pytest.mark.parametrize("how", MISBEHAVIOURS)
def test_the_agent_survives_every_misbehaviour_and_works_again_afterwards(
    service: ControlService, make_agent: Callable[..., Agent], part: str, how: str
) -> None:
    agent = make_agent(service.url, timeout_s=0.3)
    tried = threading.Semaphore(0)

    def misbehave(handler: BaseHTTPRequestHandler) -> None:
        tried.release()
        MISBEHAVIOURS[how](handler)

    service.misbehave[part] = misbehave
    agent.ask("r-1")
    for _ in range(2):
        assert tried.acquire(timeout=DEADLINE_S)
    del service.misbehave[part]
    service.wait(lambda: "r-1" in service.open_ids())
    service.command("p/1", type="answer", answer=answer_of("r-1"))
    agent.wait_answers(1)
    service.wait_for_messages("ack")


@pytest.mark.parametrize(
    "event",
    [
        b"data: nonsense\n\n",
        b"data: {}\n\n",
        b"id: 1\nevent: x\nretry: 0\n\n",
        b'data: {"seq": 1}\n\n',
        b"\xff\xfe\n\ndata: \xff\n\n",
        b"data: " + b"[" * 100_000 + b"\n\n",
        b"\n" * 100_000,
        b'data: {"seq": 1, "type": "pa',
    ],
    ids=range(8),
)
def test_nonsense_on_the_stream_is_passed_over(
    service: ControlService, agent: Agent, event: bytes
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    service.misbehave["commands"] = sending(head + event)
    service.cut()
    service.wait(lambda: len(service.hellos) >= 1)
    del service.misbehave["commands"]
    service.cut()
    service.command("p/1", seq=50, type="pause")
    service.wait(lambda: ("p/1", 50) in service.acked)
    agent.gate.close("done")


def test_a_command_that_is_none_is_acknowledged_by_its_number(
    service: ControlService, agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    service.command("p/1", type="signal")
    (ack,) = service.wait_for_messages("ack")
    assert (ack["applied"], ack["reason"]) == (False, "this agent does not support 'signal'")


def test_a_redirect_is_not_followed_and_the_token_goes_nowhere_else(
    service: ControlService, make_agent: Callable[..., Agent], caplog: pytest.LogCaptureFixture
) -> None:
    thief = ControlService()
    caplog.set_level(logging.INFO, "inspector")
    for part in ("hello", "messages", "commands"):
        service.misbehave[part] = answering(307, Location=f"{thief.url}/processes/p")
    agent = make_agent(service.url)
    agent.ask("r-1")
    service.wait(lambda: len(service.tokens) >= 3)
    agent.close()
    thief.close()
    assert thief.tokens == []
    lines = [record.message for record in caplog.records if "redirects" in record.message]
    assert len(lines) == 1


def test_a_wrong_token_is_one_clear_line(
    service: ControlService, make_agent: Callable[..., Agent], caplog: pytest.LogCaptureFixture
) -> None:
    service.misbehave["hello"] = answering(401)
    make_agent(service.url).channel.start()
    service.wait(lambda: len(service.tokens) >= 3)
    lines = [record.message for record in caplog.records if record.name == "inspector"]
    assert len(lines) == 1
    assert "rejected the token (401)" in lines[0]
    assert "INSPECTOR_TOKEN" in lines[0]


def test_a_message_that_is_refused_takes_nothing_else_with_it(
    service: ControlService, agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    service.refuses = lambda message: message.get("request", {}).get("id") == "bad"
    service.cut()
    for request_id in ("a", "bad", "b", "c"):
        agent.ask(request_id)
    service.wait(lambda: set(service.open_ids()) == {"a", "b", "c"})
    service.wait_for_messages("heartbeat", len(service.messages_of("heartbeat")) + 2)
    assert "rejected a request_opened: invalid" in caplog.text


@pytest.mark.parametrize(
    ("status", "text"), [(404, "does not support control"), (421, "is a reader")]
)
def test_a_service_that_is_not_for_agents_is_left_alone(
    service: ControlService,
    make_agent: Callable[..., Agent],
    caplog: pytest.LogCaptureFixture,
    status: int,
    text: str,
) -> None:
    caplog.set_level(logging.INFO, "inspector")
    service.misbehave["hello"] = answering(status)
    agent = make_agent(service.url, unknown_retry_s=60.0)
    agent.channel.start()
    service.wait(lambda: len(service.tokens) >= 1)
    agent.close()
    assert text in caplog.text
    assert len(service.tokens) == 1


async def test_a_hold_ends_when_the_service_has_been_away_too_long(
    make_agent: Callable[..., Agent], wired: WiredBus, caplog: pytest.LogCaptureFixture
) -> None:
    service = ControlService()
    service.lost_after_s = 0.2
    agent = make_agent(service.url)
    agent.channel.start()
    service.command("p/1", type="pause")
    await asyncio.to_thread(service.wait_for_messages, "ack")

    async def run() -> str:
        async with wired.bus.operation("tool_call", tool_name="t", args={}):
            return "went on"

    task = asyncio.create_task(run())
    await asyncio.sleep(0)
    assert not task.done()
    await asyncio.to_thread(service.close)
    assert await asyncio.wait_for(task, DEADLINE_S) == "went on"
    assert "resumes: the Inspector service has been unreachable" in caplog.text


async def test_a_blocked_loop_stops_neither_heartbeats_nor_commands(
    service: ControlService, agent: Agent, wired: WiredBus
) -> None:
    blocked, release = threading.Event(), threading.Event()

    async def run() -> None:
        async with wired.bus.operation("agent_call", agent="a"):
            blocked.set()
            # Longer than all that the operator waits for meanwhile, one after the other.
            assert release.wait(4 * DEADLINE_S)
            await asyncio.Event().wait()

    def operator() -> None:
        assert blocked.wait(DEADLINE_S)
        beats = len(service.messages_of("heartbeat"))
        service.wait_for_messages("heartbeat", beats + 3)
        service.command("p/1", type="cancel")
        assert service.wait_for_messages("ack")[0]["applied"]
        release.set()

    thread = threading.Thread(target=operator)
    thread.start()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(run())
    thread.join(DEADLINE_S)
    assert release.is_set()
