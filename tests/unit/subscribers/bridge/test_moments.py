"""Session, progress, model, transport and decision hooks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.trace import SpanContext

from subscribers import Capture, Options, install
from subscribers.bridge.progress import MAX_REPORTS, MIN_INTERVAL_NS, ProgressLimiter
from tests.unit.subscribers.conftest import Traced


class RecordedMoments:
    """Live records, in memory."""

    def __init__(self) -> None:
        self.moments: list[tuple[str, int, SpanContext | None, dict[str, Any]]] = []

    def progress(self, span: trace.Span, attributes: Mapping[str, Any]) -> None:
        pass

    def soon(self, span: trace.Span, changes: Callable[[], Mapping[str, Any]]) -> None:
        pass

    def moment(
        self, name: str, time_ns: int, span: SpanContext | None, attributes: Mapping[str, Any]
    ) -> None:
        self.moments.append((name, time_ns, span, dict(attributes)))

    def named(self, name: str) -> list[dict[str, Any]]:
        return [attributes for found, _, _, attributes in self.moments if found == name]


@pytest.fixture
def live(traced: Traced) -> RecordedMoments:
    """Replace the fixture's bridge by one with live records."""
    traced.off()
    live = RecordedMoments()
    traced.off = install(
        traced.bus,
        tracer_provider=traced.provider,
        options=Options(capture=Capture.REDACTED),
        live=live,
        session_id=lambda: traced.session,
    )
    return live


async def test_a_session_is_reported_with_and_without_spans(
    traced: Traced, live: RecordedMoments
) -> None:
    emit = traced.bus._emit
    metadata = {"title": "Plan", "engine": "temporal", "app_name": "app", "secret": "x"}
    await emit("session_started", session_id="s", metadata=metadata)
    await emit("session_finished", session_id="s", status="failed", error=ValueError("no"))
    (started,) = live.named("inspector.session.started")
    assert started == {
        "session.id": "s",
        "inspector.session.title": "Plan",
        "inspector.engine": "temporal",
        "inspector.app.name": "app",
    }
    (finished,) = live.named("inspector.session.finished")
    assert finished["inspector.session.status"] == "failed"
    assert finished["error.type"] == "ValueError"
    assert finished["inspector.session.error"] == "no"
    assert finished["mcp.status.code"] == "error"
    assert traced.spans == []


async def test_a_pause_sits_on_the_innermost_span_and_its_wait_is_measured(
    traced: Traced, live: RecordedMoments
) -> None:
    emit = traced.bus._emit
    async with traced.bus.operation("tool_call", tool_name="ask", args={}):
        await emit("session_paused", session_id="s", signal_name="approve", prompt="Deploy?")
        await emit("session_resumed", session_id="s", signal_name="approve", payload={"ok": True})
    paused, resumed = traced.one("execute_tool ask").events
    assert paused.name == "inspector.session.paused"
    assert dict(paused.attributes or {})["inspector.session.prompt"] == "Deploy?"
    assert resumed.name == "inspector.session.resumed"
    values = dict(resumed.attributes or {})
    assert json.loads(str(values["inspector.session.payload"])) == {"ok": True}
    wait_ms = (resumed.timestamp - paused.timestamp) // 1_000_000
    assert values["inspector.session.wait_ms"] == wait_ms
    assert [moment[1] for moment in live.moments] == [paused.timestamp, resumed.timestamp]


async def test_the_session_of_a_span_comes_from_the_hooks_or_the_context(traced: Traced) -> None:
    emit = traced.bus._emit
    await emit("session_started", session_id="from-hook", metadata={})
    async with traced.bus.operation("tool_call", tool_name="a", args={}):
        pass
    traced.session = "from-context"
    async with traced.bus.operation("tool_call", tool_name="b", args={}):
        pass
    for tool, session in (("a", "from-hook"), ("b", "from-context")):
        attributes = traced.one(f"execute_tool {tool}").attributes or {}
        assert attributes["session.id"] == session


async def test_title_and_engine_stand_on_the_root_alone(traced: Traced) -> None:
    metadata = {"title": "Plan", "engine": "asyncio"}
    await traced.bus._emit("session_started", session_id="s", metadata=metadata)
    async with (
        traced.bus.operation("agent_call", agent={"name": "a"}),
        traced.bus.operation("tool_call", tool_name="t", args={}),
    ):
        pass
    root = traced.one("invoke_agent a").attributes or {}
    child = traced.one("execute_tool t").attributes or {}
    assert (root["inspector.session.title"], root["inspector.engine"]) == ("Plan", "asyncio")
    assert "inspector.session.title" not in child


async def test_progress_goes_to_the_operation_it_names(
    traced: Traced, live: RecordedMoments
) -> None:
    async with (
        traced.bus.operation("tool_call", tool_name="outer", args={}) as outer,
        traced.bus.operation("tool_call", tool_name="inner", args={}),
    ):
        await traced.bus._emit(
            "progress_update",
            operation_id=outer.call_id,
            percent=None,
            message="at https://u:p@h/",
            context=None,
            progress=1,
            total=4,
        )
    (event,) = traced.one("execute_tool outer").events
    values = dict(event.attributes or {})
    assert values["inspector.progress.percent"] == 25.0
    assert values["inspector.progress.message"] == "at https://[redacted]@h/"
    assert not traced.one("execute_tool inner").events
    assert len(live.named("inspector.progress")) == 1


async def test_without_a_total_there_is_no_percentage(
    traced: Traced, live: RecordedMoments
) -> None:
    kwargs = {"operation_id": "o", "percent": None, "message": "m", "context": None}
    await traced.bus._emit("progress_update", **kwargs, progress=7)
    (values,) = live.named("inspector.progress")
    assert "inspector.progress.percent" not in values
    assert values["inspector.progress.value"] == 7.0


async def test_a_flood_of_progress_keeps_its_first_and_its_last(
    traced: Traced, live: RecordedMoments
) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={}) as op:
        for percent in range(100):
            await traced.bus._emit(
                "progress_update",
                operation_id=op.call_id,
                percent=percent,
                message=None,
                context=None,
            )
    values = [a["inspector.progress.percent"] for a in live.named("inspector.progress")]
    assert values[0] == 0.0
    assert values[-1] == 99.0
    assert len(values) < 20
    assert len(traced.one("execute_tool t").events) == len(values)


def test_at_most_two_reports_a_second_pass_and_64_in_all() -> None:
    limiter = ProgressLimiter()
    passed = [
        number
        for number in range(1_000)
        if limiter.admit(1, "o", number * MIN_INTERVAL_NS // 2, {"n": number}, is_final=False)
    ]
    assert passed[:3] == [0, 2, 4]
    assert len(passed) == MAX_REPORTS
    assert limiter.admit(1, "o", 10**12, {}, is_final=True)
    assert limiter.admit(2, "o", 0, {}, is_final=False), "spans do not share a limit"
    assert limiter.release(1) == []


async def test_a_selected_model_carries_what_it_was_chosen_from(
    traced: Traced, live: RecordedMoments
) -> None:
    async with traced.bus.operation(
        "model_select",
        preferences={"costPriority": 0.3},
        available_models=[{"name": "small"}, "large"],
    ) as op:
        op.result = "large"
        op.set(scores={"large": 0.9, "small": 0.2})
    (values,) = live.named("inspector.model.selected")
    assert values["inspector.model.selected"] == "large"
    assert values["inspector.model.candidates"] == ["small", "large"]
    assert json.loads(values["inspector.model.preferences"]) == {"costPriority": 0.3}
    assert json.loads(values["inspector.model.scores"])["large"] == 0.9


@pytest.mark.parametrize("hook", ["connected", "disconnected", "reconnecting"])
async def test_transport_health(traced: Traced, live: RecordedMoments, hook: str) -> None:
    kwargs_of: dict[str, dict[str, Any]] = {
        "connected": {},
        "disconnected": {"reason": OSError("token=abcdefgh gone")},
        "reconnecting": {"attempt": 2},
    }
    extra = kwargs_of[hook]
    uri = "https://joe:pw@host:8443/mcp?key=1"
    await traced.bus._emit(f"transport_{hook}", transport_type="streamable_http", uri=uri, **extra)
    (values,) = live.named(f"inspector.transport.{hook}")
    assert values["inspector.transport.status"] == hook
    assert values["inspector.mcp.transport"] == "http"
    assert (values["server.address"], values["server.port"]) == ("host", 8443)
    assert values["mcp.rpc.server_uri"] == "https://host:8443/mcp?key=…"
    if hook == "disconnected":
        assert values["inspector.transport.reason"] == "OSError: token=[redacted] gone"
    if hook == "reconnecting":
        assert values["inspector.transport.attempt"] == 2


STDIO = {"transport_type": "stdio", "uri": "server"}


@pytest.mark.parametrize(
    ("hook", "kwargs", "name"),
    [
        ("session_started", {"session_id": "s", "metadata": {}}, "inspector.session.started"),
        (
            "session_finished",
            {"session_id": "s", "status": "completed", "error": None},
            "inspector.session.finished",
        ),
        ("transport_connected", STDIO, "inspector.transport.connected"),
        ("transport_disconnected", {**STDIO, "reason": None}, "inspector.transport.disconnected"),
        ("transport_failed", {**STDIO, "exc": OSError()}, "inspector.transport.failed"),
    ],
)
async def test_what_happens_on_a_span_is_an_event_of_it_for_those_who_take_traces_only(
    traced: Traced, live: RecordedMoments, hook: str, kwargs: dict[str, Any], name: str
) -> None:
    async with traced.bus.operation("workflow_run", workflow="w"):
        await traced.bus._emit(hook, **kwargs)
    span = traced.one("invoke_workflow w")
    [event] = [event for event in span.events if event.name == name]
    [(_, time_ns, context, attributes)] = [one for one in live.moments if one[0] == name]
    # Of one name, time and span, so that a reader of both keeps one.
    assert (event.timestamp, span.context, dict(event.attributes or {})) == (
        time_ns,
        context,
        attributes,
    )


async def test_a_command_line_shows_its_program_only(traced: Traced, live: RecordedMoments) -> None:
    uri = "/usr/bin/npx -y server --api-key=abcdef"
    await traced.bus._emit("transport_connected", transport_type="stdio", uri=uri)
    (values,) = live.named("inspector.transport.connected")
    assert values["inspector.mcp.server.command"] == "npx"
    assert "abcdef" not in str(values)


async def test_a_decision_sits_on_the_operation_it_is_about(
    traced: Traced, live: RecordedMoments
) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={"q": 1}) as op:
        await traced.bus._emit(
            "hook_decided",
            call_id=op.call_id,
            hook="before_tool_call",
            interceptor="policy",
            action="modify",
            reason="no secrets",
            microseconds=12.5,
            before={"q": 1, "password": "hunter2"},
            after={"q": 2},
        )
    (event,) = traced.one("execute_tool t").events
    values = dict(event.attributes or {})
    assert event.name == "inspector.decision"
    assert values["inspector.decision.action"] == "modify"
    assert json.loads(str(values["inspector.decision.before"])) == {
        "q": 1,
        "password": "[redacted]",
    }
    assert live.named("inspector.decision") == [values]


async def test_an_observer_that_fails_is_reported_too(
    traced: Traced, live: RecordedMoments
) -> None:
    def broken(**kwargs: Any) -> None:
        raise ValueError("broken observer")

    traced.bus.observe("before_tool_call", broken)
    async with traced.bus.operation("tool_call", tool_name="t", args={}):
        pass
    (values,) = live.named("inspector.hook.failed")
    assert values["inspector.hook.name"] == "before_tool_call"
    assert values["inspector.hook.error"] == "broken observer"


async def test_a_cancelled_operation_that_nobody_ends_is_ended(
    traced: Traced, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()

    class Ends(SpanProcessor):
        def on_end(self, span: ReadableSpan) -> None:
            ended.set()

    traced.provider.add_span_processor(Ends())
    monkeypatch.setattr("subscribers.bridge.moments._CANCEL_GRACE_S", 0.0)
    await traced.bus._emit("before_tool_call", tool_name="t", args={}, context=None)
    await traced.bus._emit("operation_cancelled", operation_id="t", context=None)
    async with asyncio.timeout(5):
        await ended.wait()
    span = traced.one("execute_tool t")
    assert [event.name for event in span.events] == ["inspector.cancelled"]
    assert (span.attributes or {})["error.type"] == "cancelled"


def test_a_moment_on_a_foreign_span_sits_there(traced: Traced, live: RecordedMoments) -> None:
    with traced.tracer.start_as_current_span("foreign") as span:
        traced.bus._emit_sync("session_paused", session_id="s", signal_name="x", prompt="?")
        context = span.get_span_context()
    (event,) = traced.one("foreign").events
    assert event.name == "inspector.session.paused"
    assert live.moments[0][2] == context
