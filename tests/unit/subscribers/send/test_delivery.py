"""Export and live records over real HTTP."""

from __future__ import annotations

import logging
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import StatusCode

from instrument import Bus
from subscribers import Capture, Options, install
from subscribers.content.redaction import REDACTED, Redactor
from subscribers.send.delivery import Answer, Delivery, Limits, SendResult
from subscribers.send.live import LiveSpanProcessor
from subscribers.send.live_record import LiveRecord
from subscribers.wiring import Wiring, wire
from tests.support.services.otlp_receiver import DEADLINE_S, Receiver, attributes

QUICK = Limits(first_retry_s=0.01, last_retry_s=0.05, heartbeat_s=60.0)


class Connected:
    """A bus wired to an inspector at some address."""

    def __init__(
        self,
        url: str,
        limits: Limits = QUICK,
        provider: TracerProvider | None = None,
        capture: Capture = Capture.REDACTED,
        redactor: Redactor | None = None,
    ) -> None:
        self.bus = Bus()
        self.provider = provider or TracerProvider(shutdown_on_exit=False)
        self.wiring: Wiring = wire(
            url,
            "the-token",
            options=Options(capture=capture),
            set_global=False,
            bus=self.bus,
            tracer_provider=self.provider,
            redactor=redactor,
            limits=limits,
        )
        self.tracer = self.provider.get_tracer("foreign", "1.2")


@pytest.fixture
def connect() -> Iterator[Callable[..., Connected]]:
    token = otel_context.attach(Context())
    made: list[Connected] = []

    def make(*args: Any, **kwargs: Any) -> Connected:
        made.append(Connected(*args, **kwargs))
        return made[-1]

    yield make
    for connected in made:
        connected.wiring.undo()
    otel_context.detach(token)


def named(receiver: Receiver, name: str) -> bool:
    return any(span.name == name for span in receiver.spans)


async def test_a_running_span_is_reported_before_it_ends(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url)
    async with (
        connected.bus.operation("agent_call", agent={"name": "a"}),
        connected.bus.operation("tool_call", tool_name="t", args={"q": 1}),
    ):
        receiver.wait_for(lambda r: len(r.events("inspector.span.started")) == 2)
        assert receiver.spans == []
    receiver.wait_for(lambda r: len(r.spans) == 2)
    tool = next(span for span in receiver.spans if span.name == "execute_tool t")
    started = next(r for r in receiver.logs if r.span_id == tool.span_id)
    values = attributes(started.attributes)
    assert started.event_name == "inspector.span.started"
    assert started.trace_id == tool.trace_id
    assert started.time_unix_nano == tool.start_time_unix_nano
    assert started.flags & 1
    assert values["inspector.span.name"] == "execute_tool t"
    assert values["inspector.span.kind"] == tool.kind
    assert values["inspector.span.parent_span_id"] == tool.parent_span_id.hex()
    assert values["inspector.span.flags"] == tool.flags
    assert values["inspector.span.scope_name"] == "mcp-agent-inspector.bridge"
    assert values["gen_ai.tool.call.arguments"] == '{"q":1}'
    assert receiver.order.index(("inspector.span.started", tool.span_id)) < receiver.order.index(
        ("ended", tool.span_id)
    )
    assert "inspector.live" in receiver.scopes
    assert all(headers["Authorization"] == "Bearer the-token" for headers in receiver.headers)


def test_spans_of_other_instrumentation_are_reported_too(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url)
    with connected.tracer.start_as_current_span("foreign", attributes={"db.system": "x"}):
        receiver.wait_for(lambda r: r.events("inspector.span.started"))
    (started,) = receiver.events("inspector.span.started")
    values = attributes(started.attributes)
    assert values["inspector.span.name"] == "foreign"
    assert values["inspector.span.scope_name"] == "foreign"
    assert values["inspector.span.scope_version"] == "1.2"
    assert "inspector.span.parent_span_id" not in values
    assert values["db.system"] == "x"


def test_a_span_that_ended_at_once_needs_no_start(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url, Limits(flush_after_s=30.0, heartbeat_s=60.0))
    with connected.tracer.start_as_current_span("quick"):
        pass
    assert connected.wiring.delivery.flush(DEADLINE_S)
    assert named(receiver, "quick")
    assert receiver.events("inspector.span.started") == []


async def test_changes_of_a_running_span_are_reported(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url)
    envelope = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "t"}}
    async with connected.bus.operation("tool_call", tool_name="t", args={}):
        receiver.wait_for(lambda r: r.events("inspector.span.started"))
        async with connected.bus.operation("rpc_request", envelope=envelope, transport="stdio"):
            receiver.wait_for(lambda r: r.events("inspector.span.progress"))
    progress = receiver.events("inspector.span.progress")[0]
    values = attributes(progress.attributes)
    assert progress.span_id == receiver.events("inspector.span.started")[0].span_id
    assert values["inspector.span.name"] == "execute_tool t"
    assert values["jsonrpc.request.id"] == "5"
    assert "gen_ai.tool.name" not in values, "what is not given stays"


async def test_a_moment_is_a_span_event_and_a_record_with_one_time(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url)
    async with connected.bus.operation("tool_call", tool_name="t", args={}) as op:
        await connected.bus._emit(
            "progress_update", operation_id=op.call_id, percent=50, message="half", context=None
        )
    receiver.wait_for(lambda r: r.spans and r.events("inspector.progress"))
    (record,) = receiver.events("inspector.progress")
    (event,) = receiver.spans[0].events
    assert event.name == "inspector.progress"
    assert event.time_unix_nano == record.time_unix_nano
    assert attributes(event.attributes) == attributes(record.attributes)
    assert record.span_id == receiver.spans[0].span_id


async def test_a_foreign_span_of_the_same_request_is_marked_as_a_duplicate(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url)
    envelope = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "t"}}
    seen = {"mcp.method.name": "tools/call"}
    async with connected.bus.operation("tool_call", tool_name="t", args={}):
        for _ in ("first", "retry"):
            async with connected.bus.operation("rpc_request", envelope=envelope, transport="stdio"):
                with connected.tracer.start_as_current_span(
                    "MCP send tools/call t", attributes=seen
                ):
                    pass
        with connected.tracer.start_as_current_span("GET"):
            pass
    receiver.wait_for(lambda r: len(r.spans) == 5)
    ids = {span.span_id: span for span in receiver.spans}
    for span in receiver.spans:
        original = attributes(span.attributes).get("inspector.duplicate_of")
        assert (original is not None) == span.name.startswith("MCP send")
        if original is not None:
            assert ids[bytes.fromhex(original)].name in {"execute_tool t", "tools/call t"}


def test_a_process_says_that_it_lives_and_that_it_goes(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url, Limits(heartbeat_s=0.02))
    receiver.wait_for(lambda r: len(r.events("inspector.process.heartbeat")) >= 3)
    connected.wiring.undo()
    beats = [attributes(r.attributes) for r in receiver.events("inspector.process.heartbeat")]
    assert beats[0] == {
        "inspector.process.state": "alive",
        "inspector.process.lost_after_s": 12.0,
    }
    assert beats[-1]["inspector.process.state"] == "exiting"
    assert all(r["service.instance.id"] for r in receiver.resources)
    assert len({r["service.instance.id"] for r in receiver.resources}) == 1


def test_what_ended_while_the_service_was_away_arrives_when_it_is_back(
    connect: Callable[..., Connected], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    first = Receiver()
    connected = connect(first.url)
    with connected.tracer.start_as_current_span("before"):
        pass
    first.wait_for(lambda r: named(r, "before"))
    first.close()
    for number in range(300):
        with connected.tracer.start_as_current_span(f"away-{number}"):
            pass
    second = Receiver(first.port)
    try:
        second.wait_for(lambda r: len(r.spans) == 300)
        assert [span.name for span in second.spans] == [f"away-{n}" for n in range(300)]
    finally:
        connected.wiring.undo()
        second.close()
    ours = [record for record in caplog.records if record.name != "inspector"]
    assert ours == [], "the exporter's own lines are silenced"


def test_an_overloaded_service_is_tried_again(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    receiver.statuses = {"/v1/traces": 503}
    connected = connect(receiver.url)
    with connected.tracer.start_as_current_span("kept"):
        pass
    receiver.wait_for(lambda r: r.requests.count("/v1/traces") >= 2)
    receiver.statuses = {}
    receiver.wait_for(lambda r: named(r, "kept"))
    assert len(receiver.spans) == 1


def test_a_target_without_logs_gets_no_more(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    receiver.statuses = {"/v1/logs": 404}
    connected = connect(receiver.url)
    for number in range(3):
        with connected.tracer.start_as_current_span(f"s{number}"):
            connected.wiring.delivery.flush(DEADLINE_S)
    receiver.wait_for(lambda r: len(r.spans) == 3)
    assert receiver.requests.count("/v1/logs") == 1


def test_a_target_that_takes_no_spans_is_named_once_and_counts_none_as_sent(
    receiver: Receiver, connect: Callable[..., Connected], caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses = {"/v1/traces": 404}
    connected = connect(receiver.url)
    for number in range(3):
        with connected.tracer.start_as_current_span(f"s{number}"):
            connected.wiring.delivery.flush(DEADLINE_S)
    assert connected.wiring.delivery.flush(DEADLINE_S)
    [warning] = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert "rejects telemetry with HTTP 404" in warning
    assert connected.wiring.delivery.sent_spans == 0


def test_a_batch_that_is_too_large_is_halved(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    receiver.max_body_bytes = 3_000
    connected = connect(receiver.url, Limits(flush_after_s=30.0, heartbeat_s=60.0))
    for number in range(20):
        with connected.tracer.start_as_current_span(f"s{number}", attributes={"x": "y" * 500}):
            pass
    with connected.tracer.start_as_current_span("far too large", attributes={"x": "y" * 5_000}):
        pass
    assert connected.wiring.delivery.flush(DEADLINE_S)
    assert [span.name for span in receiver.spans] == [f"s{n}" for n in range(20)]


def test_what_cannot_be_encoded_costs_nobody_else_its_place(
    receiver: Receiver, connect: Callable[..., Connected], caplog: pytest.LogCaptureFixture
) -> None:
    connected = connect(receiver.url, Limits(flush_after_s=30.0, heartbeat_s=60.0))
    names = [f"s{number}" for number in range(30)]
    with connected.tracer.start_as_current_span("root"):
        for name in (*names[:11], "bad\ud800", *names[11:]):
            with connected.tracer.start_as_current_span(name):
                pass
        with connected.tracer.start_as_current_span("also bad\ud800"):
            assert connected.wiring.delivery.flush(DEADLINE_S)
    assert connected.wiring.delivery.flush(DEADLINE_S)
    assert [span.name for span in receiver.spans] == [*names, "root"]
    started = receiver.events("inspector.span.started")
    assert "root" in [attributes(r.attributes).get("inspector.span.name") for r in started]
    assert [record for record in caplog.records if record.name != "inspector"] == []


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "check INSPECTOR_TOKEN"),
        (302, "check that it is an Inspector service"),
        (421, "it is a reader"),
    ],
)
def test_a_refused_batch_is_not_tried_for_ever(
    status: int,
    advice: str,
    receiver: Receiver,
    connect: Callable[..., Connected],
    caplog: pytest.LogCaptureFixture,
) -> None:
    receiver.statuses = {"/v1/traces": status, "/v1/logs": status}
    connected = connect(receiver.url)
    for _ in range(3):
        with connected.tracer.start_as_current_span("refused"):
            pass
        assert connected.wiring.delivery.flush(DEADLINE_S)
    values = [record.getMessage() for record in caplog.records]
    assert len(values) == 1
    assert advice in values[0]


def test_a_dead_target_never_stops_the_program(
    connect: Callable[..., Connected], caplog: pytest.LogCaptureFixture
) -> None:
    dead = Receiver()
    dead.close()
    limits = Limits(max_items=100, first_retry_s=0.01, last_retry_s=0.02)
    connected = connect(dead.url, limits)
    for number in range(500):
        with connected.tracer.start_as_current_span(f"s{number}"):
            pass
    assert len(connected.wiring.delivery._pending) <= 100
    connected.wiring.undo()
    last = caplog.records[-1].getMessage()
    assert "did not receive" in last
    assert last.endswith("is it running?"), "not that it is slow"


def test_a_framework_that_flushes_after_each_span_does_not_wait_for_a_dead_target(
    connect: Callable[..., Connected],
) -> None:
    dead = Receiver()
    dead.close()
    connected = connect(dead.url)
    for number in range(20):
        with connected.tracer.start_as_current_span(f"s{number}"):
            pass
        # Waiting would take longer than any test may.
        assert not connected.provider.force_flush(timeout_millis=600_000)


def test_the_newest_records_stay_when_there_are_too_many(
    connect: Callable[..., Connected],
) -> None:
    first = Receiver()
    first.close()
    limits = Limits(max_items=50, first_retry_s=0.01, last_retry_s=0.02, heartbeat_s=60.0)
    connected = connect(first.url, limits)
    for number in range(500):
        with connected.tracer.start_as_current_span(f"s{number}"):
            pass
    second = Receiver(first.port)
    try:
        second.wait_for(lambda r: named(r, "s499"))
        names = [int(span.name[1:]) for span in second.spans]
        assert names == sorted(names)
        assert len(names) <= 110, "inbox and pending are bounded"
    finally:
        connected.wiring.undo()
        second.close()


class _Blocked:
    """A target that takes nothing until it is let go."""

    name = "blocked"

    def __init__(self) -> None:
        self.is_called, self.may_go = threading.Event(), threading.Event()
        self.names: list[str] = []

    def send_logs(self, _: object) -> Answer:
        return Answer(SendResult.ACCEPTED)

    def send_spans(self, spans: Sequence[ReadableSpan]) -> Answer:
        self.is_called.set()
        assert self.may_go.wait(DEADLINE_S)
        self.names += [span.name for span in spans]
        return Answer(SendResult.ACCEPTED)

    def reset(self) -> None: ...


def test_what_waits_for_a_thread_that_is_blocked_is_bounded_in_bytes_and_not_made_by_the_agent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made_by: set[str] = set()

    def note_thread(text: str) -> str:
        if text.startswith("result"):
            made_by.add(threading.current_thread().name)
        return text

    bus, target, provider = Bus(), _Blocked(), TracerProvider(shutdown_on_exit=False)
    limits = Limits(max_bytes=2**20, max_batch_items=8, max_request_items=8, heartbeat_s=60.0)
    delivery = Delivery(target, lambda: provider.resource, limits)
    provider.add_span_processor(LiveSpanProcessor(delivery, lambda: provider.resource))
    off = install(
        bus,
        tracer_provider=provider,
        options=Options(capture=Capture.REDACTED),
        redactor=Redactor(callback=note_thread),
    )
    for number in range(300):
        with bus.operation("tool_call", tool_name=str(number), args={}) as op:
            op.result = "result" + "x" * 16_384
        assert target.is_called.wait(DEADLINE_S)
    assert delivery._inbox_bytes <= 2**20
    assert 100 < len(delivery._inbox) < 128
    assert made_by == {"inspector-delivery"}
    target.may_go.set()
    assert delivery.flush(DEADLINE_S)
    numbers = [int(name.split()[-1]) for name in target.names]
    assert numbers == [0, *range(300 - len(numbers) + 1, 300)], "the newest stay"
    assert [record for record in caplog.records if "buffer is full" in record.message]
    off()
    provider.shutdown()
    lost = 2 * (300 - len(numbers))  # each with its start, perhaps one start more
    assert re.search(f"did not receive ({lost}|{lost + 1}) records", caplog.text)


def test_spans_that_are_not_sampled_are_not_shown(
    receiver: Receiver, connect: Callable[..., Connected], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    provider = TracerProvider(sampler=ALWAYS_OFF, shutdown_on_exit=False)
    connected = connect(receiver.url, provider=provider)
    with connected.tracer.start_as_current_span("unseen"):
        pass
    with connected.bus.operation("tool_call", tool_name="t", args={}):
        pass
    assert connected.wiring.delivery.flush(DEADLINE_S)
    assert receiver.spans == []
    assert receiver.events("inspector.span.started") == []
    assert [r.getMessage() for r in caplog.records if "samples" in r.getMessage()] != []


def test_keys_meant_for_another_backend_are_not_sent(
    receiver: Receiver, connect: Callable[..., Connected], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-api-key=secret,authorization=other")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    connected = connect(receiver.url)
    with connected.tracer.start_as_current_span("s"):
        pass
    assert connected.wiring.delivery.flush(DEADLINE_S)
    for headers in receiver.headers:
        assert "x-api-key" not in {name.lower() for name in headers}
        assert headers["Authorization"] == "Bearer the-token"


def test_many_threads_lose_nothing(receiver: Receiver, connect: Callable[..., Connected]) -> None:
    connected = connect(receiver.url)

    def work(thread: int) -> None:
        for number in range(200):
            with connected.tracer.start_as_current_span(f"{thread}-{number}"):
                pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    receiver.wait_for(lambda r: len(r.spans) == 1_000)
    assert len({span.span_id for span in receiver.spans}) == 1_000


class _Together(deque[Any]):
    """An inbox in which the items of two threads come to lie before either looks further."""

    def __init__(self) -> None:
        super().__init__(maxlen=100)
        self._both = threading.Barrier(2)
        self.threads: list[threading.Thread] = []

    def append(self, item: Any) -> None:
        super().append(item)
        if threading.current_thread() in self.threads:
            self._both.wait(DEADLINE_S)


def test_what_two_threads_hand_over_at_once_does_not_wait_for_the_next_heartbeat(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    delivery = connect(receiver.url).wiring.delivery
    receiver.wait_for(lambda r: r.events("inspector.process.heartbeat"))
    assert delivery.flush(DEADLINE_S)
    delivery._inbox = inbox = _Together()
    record = LiveRecord("at once", 1, None, {}, Resource.get_empty())
    inbox.threads = [threading.Thread(target=delivery.put, args=(record,)) for _ in range(2)]
    for thread in inbox.threads:
        thread.start()
    receiver.wait_for(lambda r: len(r.events("at once")) == 2)
    for thread in inbox.threads:
        thread.join()


class _Pauses(threading.Event):
    """Notes for how long a batch is gathered, and ends that at once."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses_s: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses_s.append(timeout)
        return True


def test_the_first_record_after_silence_is_sent_at_once_and_those_behind_it_together(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    limits = Limits(flush_after_s=30.0, heartbeat_s=60.0)
    delivery = connect(receiver.url, limits).wiring.delivery
    assert delivery.flush(DEADLINE_S)
    delivery._full = full = _Pauses()
    record = LiveRecord("probe", 1, None, {}, Resource.get_empty())
    for count, sent_s in ((1, float("-inf")), (2, float("inf"))):
        delivery._sent_s = sent_s
        delivery.put(record)
        receiver.wait_for(partial(_has_probes, count))
        assert delivery.flush(DEADLINE_S)
    assert (full.pauses_s[0], full.pauses_s[-1]) == (3.0, 30.0)


def _has_probes(count: int, receiver: Receiver) -> bool:
    return len(receiver.events("probe")) == count


SECRET = "sk-proj-abcdefghijklmnopqrstuvwx"
CONTENT = {
    "gen_ai.input.messages": f"my prompt {SECRET}",
    "gen_ai.prompt.0.content": "my prompt",
    "gen_ai.tool.call.arguments": "my prompt",
    "input.value": "my prompt",
    "llm.output_messages.0.message.content": "my prompt",
    "ai.response.text": "my prompt",
    "traceloop.entity.input": "my prompt",
    "mcp.tool.input_json": "my prompt",
}
FACTS = {"gen_ai.request.model": "m", "gen_ai.tool.call.id": "c", "gen_ai.prompt.name": "p"}


def trace_with_content(connected: Connected) -> None:
    """Start and end a span as other instrumentations do; both are sent."""
    captured = {**CONTENT, **FACTS, "note": [SECRET, "ok"], "db.password": "hunter2"}
    with connected.tracer.start_as_current_span("chat", attributes=captured) as span:
        assert connected.wiring.delivery.flush(DEADLINE_S)
        span.add_event("gen_ai.user.message", {"content": f"my prompt {SECRET}", "role": "user"})
        span.set_status(StatusCode.ERROR, f"bad key {SECRET}")
    assert connected.wiring.delivery.flush(DEADLINE_S)


def sent(receiver: Receiver) -> tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return all as text, and the attributes of the start, the span and its event."""
    (span,) = receiver.spans
    (started,) = receiver.events("inspector.span.started")
    values, ended, event = (
        attributes(thing.attributes) for thing in (started, span, span.events[0])
    )
    return f"{span}{started}", values, ended, event


def test_secrets_in_foreign_spans_do_not_leave_the_process(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    trace_with_content(connect(receiver.url))
    text, values, ended, event = sent(receiver)
    assert SECRET not in text
    assert "hunter2" not in text
    assert event == {"content": f"my prompt {REDACTED}", "role": "user"}
    for found in (values, ended):
        assert found["gen_ai.input.messages"] == f"my prompt {REDACTED}"
        assert found["note"] == [REDACTED, "ok"]
        assert found.items() >= FACTS.items()
        assert found.keys() >= CONTENT.keys()


def test_content_of_foreign_spans_stays_here_when_none_is_wanted(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    trace_with_content(connect(receiver.url, capture=Capture.OFF))
    text, values, ended, event = sent(receiver)
    assert "my prompt" not in text
    assert SECRET not in text
    assert event == {"role": "user"}
    for found in (values, ended):
        assert found.items() >= FACTS.items()


def test_foreign_spans_come_whole_when_everything_is_wanted(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    trace_with_content(connect(receiver.url, capture=Capture.FULL))
    _, values, ended, event = sent(receiver)
    assert event["content"] == f"my prompt {SECRET}"
    for found in (values, ended):
        assert found.items() >= {**CONTENT, **FACTS}.items()


async def test_foreign_spans_are_treated_by_the_sender_and_ours_are_not_paid_for_twice(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    threads: dict[str, set[str]] = {}

    def note(text: str) -> str:
        threads.setdefault(text, set()).add(threading.current_thread().name)
        return text

    connected = connect(receiver.url, redactor=Redactor(callback=note))
    async with connected.bus.operation("tool_call", tool_name="ours", args={"q": "our own"}):
        with connected.tracer.start_as_current_span("foreign", attributes={"q": "of others"}):
            pass
    assert connected.wiring.delivery.flush(DEADLINE_S)
    assert threads["our own"] == {threading.current_thread().name}
    assert threads["of others"] == {"inspector-delivery"}


def test_a_redactor_that_raises_costs_one_span_and_not_the_delivery(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    class Broken(Redactor):
        def text(self, text: str) -> str:
            if text == "raise":
                raise RuntimeError
            return text

    connected = connect(receiver.url, redactor=Broken())
    for value in ("raise", "fine"):
        with connected.tracer.start_as_current_span(value, attributes={"q": value}):
            pass
    assert connected.wiring.delivery.flush(DEADLINE_S)
    assert [span.name for span in receiver.spans] == ["fine"]


def _texts(receiver: Receiver) -> list[dict[str, Any]]:
    changes = [attributes(one.attributes) for one in receiver.events("inspector.span.progress")]
    return [one for one in changes if "inspector.stream.last_chunk_s" in one]


def test_the_text_so_far_of_a_model_call_is_sent_while_it_streams(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url)
    with connected.bus.operation("llm_generate", llm="m", model="m") as op:
        for piece in ("Use sk-proj-abcdefgh", "ijklmnopqrstuvwx", " for ", "that."):
            op.chunk(text=piece)
        receiver.wait_for(lambda r: _texts(r))
        (first,) = _texts(receiver)  # all chunks of a moment in one record
        assert first["inspector.stream.text"] == f"Use {REDACTED} for "
        assert first["inspector.stream.chars"] == 46
        assert 0 <= first["inspector.stream.last_chunk_s"] < 10
        op.chunk(text=" Now more")
        receiver.wait_for(lambda r: len(_texts(r)) == 2)
        assert _texts(receiver)[1]["inspector.stream.text"] == f"Use {REDACTED} for that. Now "
        op.chunk(text=" which comes too late")
    assert connected.wiring.delivery.flush(DEADLINE_S)
    receiver.wait_for(lambda r: r.spans)
    (span,) = receiver.spans
    assert not [key for key in attributes(span.attributes) if key == "inspector.stream.text"]


def test_without_content_only_the_time_of_a_chunk_is_sent(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url, capture=Capture.OFF)
    with connected.bus.operation("llm_generate", llm="m", model="m") as op:
        op.chunk(text="A secret plan. ")
        receiver.wait_for(lambda r: _texts(r))
    assert _texts(receiver)[0].keys() & {"inspector.stream.text", "inspector.stream.chars"} == set()
    assert not any(b"secret plan" in body for bodies in receiver.bodies.values() for body in bodies)


def test_streams_of_other_operations_send_nothing_of_their_chunks(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    connected = connect(receiver.url)
    with connected.bus.operation("tool_call", tool_name="t") as tool:
        tool.chunk(text="of a tool")
        with connected.bus.operation("llm_generate", llm="m", model="m") as op:
            op.chunk(text="of a model ")
            receiver.wait_for(lambda r: _texts(r))
    assert [one["inspector.stream.text"] for one in _texts(receiver)] == ["of a model "]


def test_what_is_made_later_waits_for_a_service_that_is_away(
    receiver: Receiver, connect: Callable[..., Connected]
) -> None:
    receiver.statuses = {"/v1/logs": 503}
    connected = connect(receiver.url)
    with connected.bus.operation("llm_generate", llm="m", model="m") as op:
        op.chunk(text="Hello ")
        receiver.wait_for(lambda r: r.requests.count("/v1/logs") > 3)
        # It would only grow old: what is queued is the start, and a heartbeat.
        queued = [item for item, _ in connected.wiring.delivery._pending]
        assert not [one for one in queued if getattr(one, "name", "") == "inspector.span.progress"]
        op.chunk(text="there. ")
        receiver.statuses = {}
        receiver.wait_for(lambda r: _texts(r))
    assert [one["inspector.stream.text"] for one in _texts(receiver)] == ["Hello there. "]
