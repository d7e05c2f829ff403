"""Decisions and approvals as sent by OTLP."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import TracerProvider

from instrument import ApprovalAnswer, ApprovalRequest, Bus, Decision, HookDenied
from subscribers import Capture, Options
from subscribers.wiring import Wiring, wire
from tests.support.services.otlp_receiver import Receiver, attributes

SECRET = "sk-verysecretverysecret"
DECISION, OPENED, CLOSED = (
    f"inspector.{name}" for name in ("decision", "request.opened", "request.closed")
)


class Watched:
    """A bus whose spans go to a receiver over HTTP."""

    def __init__(self, receiver: Receiver, capture: Capture) -> None:
        self.bus = Bus()
        self.receiver = receiver
        self.wiring: Wiring = wire(
            receiver.url,
            None,
            options=Options(capture=capture),
            set_global=False,
            bus=self.bus,
            tracer_provider=TracerProvider(shutdown_on_exit=False),
        )

    def span(self, name: str) -> Span:
        self.receiver.wait_for(lambda r: any(span.name == name for span in r.spans))
        (span,) = (span for span in self.receiver.spans if span.name == name)
        return span

    def records(self, name: str, event: str) -> list[dict[str, Any]]:
        return [attributes(e.attributes) for e in self.span(name).events if e.name == event]


@pytest.fixture
def watch(receiver: Receiver) -> Iterator[Callable[..., Watched]]:
    token = otel_context.attach(Context())
    made: list[Watched] = []

    def make(capture: Capture = Capture.REDACTED) -> Watched:
        made.append(Watched(receiver, capture))
        return made[-1]

    yield make
    for watched in made:
        watched.wiring.undo()
    otel_context.detach(token)


class Person:
    """An approval provider that answers at once."""

    def __init__(self, answer: ApprovalAnswer | str) -> None:
        self.answer = answer

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer | str:
        return self.answer


async def test_each_verdict_of_a_chain_is_an_event_on_the_span_it_decided(
    watch: Callable[..., Watched],
) -> None:
    watched = watch()
    intercept = watched.bus.intercept

    def mask(args: dict[str, Any], **_: Any) -> Decision:
        return Decision.modify(reason="no keys", args={**args, "api_key": "hidden", "q": 2})

    intercept("before_tool_call", lambda **_: None, name="audit", priority=1)
    intercept("before_tool_call", mask, name="mask", priority=2)
    intercept("after_tool_call", lambda **_: Decision.modify(result="short"), name="cut")
    async with (
        watched.bus.operation("agent_call", agent={"name": "a"}),
        watched.bus.operation("tool_call", tool_name="t", args={"q": 1, "api_key": SECRET}) as op,
    ):
        op.result = "a long answer"
    records = watched.records("execute_tool t", DECISION)
    assert watched.records("invoke_agent a", DECISION) == []
    who = [
        (one["inspector.decision.interceptor"], one["inspector.decision.action"]) for one in records
    ]
    assert who == [("audit", "continue"), ("mask", "modify"), ("cut", "modify")]
    assert all(one["inspector.decision.microseconds"] > 0 for one in records)
    _, masked, cut = records
    assert masked["inspector.decision.hook"] == "before_tool_call"
    assert masked["inspector.decision.reason"] == "no keys"
    before, after = (json.loads(masked[f"inspector.decision.{at}"]) for at in ("before", "after"))
    assert before == {"args": {"q": 1, "api_key": "[redacted]"}}
    assert after == {"args": {"q": 2, "api_key": "[redacted]"}}
    assert json.loads(cut["inspector.decision.after"]) == {"result": "short"}
    assert SECRET.encode() not in watched.span("execute_tool t").SerializeToString()
    final = attributes(watched.span("execute_tool t").attributes)
    assert json.loads(final["gen_ai.tool.call.arguments"])["q"] == 2


@pytest.mark.parametrize(
    ("verdict", "action"),
    [
        (Decision.deny("not on Fridays"), "deny"),
        (Decision.fail("quota"), "fail"),
        (None, "deny"),
    ],
    ids=["deny", "fail", "a policy that breaks"],
)
async def test_a_refusal_says_who_and_why(
    watch: Callable[..., Watched], verdict: Decision | None, action: str
) -> None:
    watched = watch()

    def policy(**_: Any) -> Decision | None:
        if verdict is None:
            raise RuntimeError("broken")
        return verdict

    watched.bus.intercept("before_tool_call", policy, name="policy", on_error="deny")
    with contextlib.suppress(Exception):
        async with watched.bus.operation("tool_call", tool_name="t", args={}):
            raise AssertionError("it must not run")
    (records,) = watched.records("execute_tool t", DECISION)
    assert records["inspector.decision.interceptor"] == "policy"
    assert records["inspector.decision.action"] == action
    assert records["inspector.decision.reason"]
    span = watched.span("execute_tool t")
    assert span.status.code == 2
    if verdict is None:
        (failed,) = watched.records("execute_tool t", "inspector.hook.failed")
        assert failed["inspector.hook.handler"] == "policy"


@pytest.mark.slow
@pytest.mark.parametrize("capture", Capture)
@pytest.mark.parametrize(
    ("answer", "decision", "action"),
    [
        (ApprovalAnswer("allow", "looks fine", {"args": {"q": 2, "token": SECRET}}), "allow",
         "modify"),
        (ApprovalAnswer("allow_always", f"use {SECRET}"), "allow_always", "continue"),
        (ApprovalAnswer("deny", "wrong branch"), "deny", "deny"),
        ("decline", "decline", "deny"),
    ],
    ids=["allow with an edit", "allow always", "deny", "decline"],
)  # fmt: skip
async def test_what_a_person_answered_is_on_the_span_that_waited(
    watch: Callable[..., Watched],
    capture: Capture,
    answer: ApprovalAnswer | str,
    decision: str,
    action: str,
) -> None:
    watched = watch(capture)
    watched.bus.set_approval_provider(Person(answer))
    watched.bus.intercept(
        "before_tool_call", lambda **_: Decision.ask_user("Deploy?"), name="policy"
    )
    with contextlib.suppress(HookDenied):
        async with watched.bus.operation("tool_call", tool_name="t", args={"q": 1}):
            pass
    (opened,), (closed,) = (watched.records("execute_tool t", name) for name in (OPENED, CLOSED))
    assert opened["inspector.request.id"] == closed["inspector.request.id"]
    assert opened["inspector.request.kind"] == "approval"
    assert closed["inspector.request.status"] == "answered"
    assert closed["inspector.request.decision"] == decision
    # The policies decide again on the person's edit.
    question, *_, answered = watched.records("execute_tool t", DECISION)
    assert question["inspector.decision.action"] == "ask_user"
    assert (answered["inspector.decision.interceptor"], answered["inspector.decision.action"]) == (
        "approval",
        action,
    )
    has_content = capture is not Capture.OFF
    assert ("inspector.request.prompt" in opened) == has_content
    assert ("inspector.request.answer" in closed) == has_content
    if action == "modify" and has_content:
        after = json.loads(answered["inspector.decision.after"])
        assert after["args"]["q"] == 2
    if capture is not Capture.FULL:
        assert SECRET.encode() not in watched.span("execute_tool t").SerializeToString()


async def test_a_live_record_reports_the_decision_while_the_span_still_runs(
    watch: Callable[..., Watched], receiver: Receiver
) -> None:
    watched = watch()
    watched.bus.intercept("before_tool_call", lambda **_: Decision.modify(args={}), name="p")
    async with watched.bus.operation("tool_call", tool_name="t", args={"q": 1}):
        receiver.wait_for(lambda r: r.events(DECISION))
        assert receiver.spans == []
    (live,) = receiver.events(DECISION)
    (event,) = (event for event in watched.span("execute_tool t").events if event.name == DECISION)
    assert live.span_id == watched.span("execute_tool t").span_id
    assert live.time_unix_nano == event.time_unix_nano
    assert attributes(live.attributes) == attributes(event.attributes)


async def test_more_decisions_than_a_span_holds_events_are_all_reported_live(
    watch: Callable[..., Watched], receiver: Receiver
) -> None:
    watched = watch()
    watched.bus.intercept("progress_update", lambda **_: None, name="p")
    count = 200
    async with watched.bus.operation("agent_call", agent={"name": "a"}) as op:
        for number in range(count):
            await watched.bus._emit(
                "hook_decided",
                call_id=op.call_id,
                hook="message_added",
                interceptor="p",
                action="continue",
                reason=str(number),
                microseconds=1.0,
                before=None,
                after=None,
            )
    receiver.wait_for(lambda r: len(r.events(DECISION)) == count)
    span = watched.span("invoke_agent a")
    assert len(span.events) + span.dropped_events_count == count


def test_an_attempt_that_was_discarded_is_no_success(watch: Callable[..., Watched]) -> None:
    watched = watch()
    wishes = iter([Decision.retry("too short"), None])
    watched.bus.intercept("after_tool_call", lambda **_: next(wishes), name="critic")
    watched.bus.call_sync("tool_call", lambda op: "x", tool_name="look")
    watched.receiver.wait_for(lambda r: len(r.spans) == 2)
    first, second = sorted(watched.receiver.spans, key=lambda span: span.start_time_unix_nano)
    assert first.status.code == Status.STATUS_CODE_ERROR
    assert first.status.message == "discarded: critic wants a retry: too short"
    assert attributes(first.attributes)["mcp.status.code"] == "error"
    assert attributes(first.attributes)["error.type"] == "instrument.errors.HookFailed"
    assert attributes(first.attributes)["gen_ai.tool.call.result"] == '{"result":"x"}'
    assert second.status.code != Status.STATUS_CODE_ERROR
