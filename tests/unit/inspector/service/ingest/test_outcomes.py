"""What came of a session is kept when it is over."""

from __future__ import annotations

import json

from opentelemetry.proto.trace.v1.trace_pb2 import Status

from inspector.service.model.rows import Json
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import started

TOOL: dict[str, Json] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "fetch_page"}


LAST = "**All**\n done."


def answered(text: str) -> dict[str, Json]:
    messages = [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]
    return {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(messages)}


def test_a_session_that_failed_says_what_failed_first(rig: Rig) -> None:
    rig.record(
        span("execute_tool fetch_page", span_id=3, parent=2, attributes=TOOL, error="504\nfrom x"),
        span("agent", span_id=2, parent=1, duration_ns=2 * SECOND_NS, error="a tool failed"),
        span("run", duration_ns=3 * SECOND_NS, error="the agent failed"),
    )
    assert rig.session().cause is None
    rig.wait(6)
    assert (rig.session().cause, rig.session().answer) == ("fetch_page: 504 from x", None)


def test_a_failure_that_says_why_is_the_cause_before_one_that_does_not(rig: Rig) -> None:
    """The step between them did not fail: the agent counts as innermost, too."""
    agent = span("agent", span_id=2, parent=1, duration_ns=2 * SECOND_NS)
    agent.status.code = Status.STATUS_CODE_ERROR
    rig.record(
        span("execute_tool", span_id=4, parent=3, attributes=TOOL, error="504 from mirror"),
        span("step", span_id=3, parent=2),
        agent,
        span("run", duration_ns=3 * SECOND_NS, error="the agent failed"),
    )
    rig.wait(6)
    assert rig.session().cause == "fetch_page: 504 from mirror"
    assert rig.session().cause_span == f"{1:032x}.{4:016x}"


def test_a_session_without_failures_says_the_last_answer(rig: Rig) -> None:
    rig.record(
        span("run"),
        span("chat", span_id=2, parent=1, attributes=answered("first")),
        span(
            "chat",
            span_id=3,
            parent=1,
            start_ns=START_NS + 5,
            attributes=answered("**All**\n done."),
        ),
    )
    rig.wait(6)
    assert (rig.session().cause, rig.session().answer) == (None, "All done.")


def test_an_error_that_comes_late_is_the_cause(rig: Rig) -> None:
    rig.record(span("run"))
    rig.wait(6)
    rig.record(span("late", span_id=2, parent=1, error="no room"))
    rig.wait(6)
    assert rig.session().cause == "late: no room"


def test_a_session_that_goes_on_has_no_cause_until_it_is_over_again(rig: Rig) -> None:
    rig.record(span("run", error="no room"))
    rig.wait(6)
    assert rig.session().cause == "run: no room"
    rig.record(started(span("more", span_id=2, parent=1), "p1"))
    assert rig.session().cause is None


def test_a_cause_is_one_short_line_without_hidden_characters(rig: Rig) -> None:
    rig.record(span("run", error="\u202e\x1b[2J" + "x" * 5_000))
    rig.wait(6)
    cause = rig.session().cause or ""
    assert len(cause) == 200
    assert cause.startswith("run: \\u202e\\x1b[2Jxxx")
