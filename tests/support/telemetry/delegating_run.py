"""An agent with three parallel subagents, as spans: one fails, and so does the run.

What went wrong is to be found by reading: the coder's tests fail, are run again and fail again;
a deployment is denied; a search is narrowed by a policy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json
from tests.support.telemetry.otlp import START_NS, key_values, span

MS = 1_000_000
TRACE = 7
WHY = "3 of 41 tests failed: test_refund_rounds_half_up"
"""The first cause."""


def text(role: str, words: str) -> dict[str, Any]:
    """Return a message."""
    return {"role": role, "parts": [{"type": "text", "content": words}]}


def asks(words: str, *calls: tuple[str, str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return an answer with tool calls: (id, name, arguments)."""
    parts: list[dict[str, Any]] = [{"type": "text", "content": words}] if words else []
    parts += [
        {"type": "tool_call", "id": id_, "name": name, "arguments": arguments}
        for id_, name, arguments in calls
    ]
    return {"role": "assistant", "parts": parts}


def answers(id_: str, result: str) -> dict[str, Any]:
    """Return the answer of a tool."""
    part = {"type": "tool_call_response", "id": id_, "response": result}
    return {"role": "tool", "parts": [part]}


def agent(number: int, parent: int | None, name: str, at_ms: int, ms: int, **more: Any) -> Span:
    """Return an agent's span."""
    return _span(number, parent, f"invoke_agent {name}", at_ms, ms, "invoke_agent", **more)


def call(
    number: int,
    parent: int,
    at_ms: int,
    sent: Sequence[dict[str, Any]],
    answer: dict[str, Any],
    ms: int = 400,
) -> Span:
    """Return an LLM call, to which the whole conversation is sent."""
    attributes: dict[str, Json] = {
        "gen_ai.request.model": "large-1",
        "gen_ai.input.messages": json.dumps(sent),
        "gen_ai.output.messages": json.dumps([answer]),
        "gen_ai.usage.input_tokens": 100 * len(sent),
        "gen_ai.usage.output_tokens": 40,
    }
    return _span(number, parent, "chat large-1", at_ms, ms, "chat", attributes)


def tool(
    number: int,
    parent: int,
    at_ms: int,
    called: tuple[str, str, Mapping[str, Any]],
    result: str | None,
    ms: int = 200,
    **more: Any,
) -> Span:
    """Return a tool's span."""
    id_, name, arguments = called
    attributes: dict[str, Json] = {
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": id_,
        "gen_ai.tool.call.arguments": json.dumps(arguments),
    }
    if result is not None:
        attributes["gen_ai.tool.call.result"] = result
    return _span(
        number, parent, f"execute_tool {name}", at_ms, ms, "execute_tool", attributes, **more
    )


def decided(at_ms: int, action: str, by: str, **more: Json) -> Span.Event:
    """Return a verdict."""
    attributes = {"action": action, "interceptor": by, "hook": "before_tool_call", **more}
    return Span.Event(
        name="inspector.decision",
        time_unix_nano=START_NS + at_ms * MS,
        attributes=key_values({f"inspector.decision.{k}": v for k, v in attributes.items()}),
    )


def spans() -> list[Span]:
    """Return the whole run."""
    order = text("user", "Refunds are rounded wrongly. Find out why, mend it and deploy the fix.")
    system = text("system", "You lead a small team. Delegate, then decide.")
    helpers = [
        ("c1", "ask_researcher", {"task": "Find out how refunds are to be rounded."}),
        ("c2", "ask_coder", {"task": "Mend the rounding of refunds and run the tests."}),
        ("c3", "ask_writer", {"task": "Write the note for customers."}),
    ]
    plan = asks("Three of us can work on this at once.", *helpers)
    rule = "Half up, to the cent: policy 4.2."
    note = "Refunds of half a cent are now rounded up."
    deploy = ("d1", "deploy", {"target": "production"})
    first = [system, order]
    second = [*first, plan, answers("c1", rule), answers("c2", f"failed: {WHY}")]
    second.append(answers("c3", note))
    return [
        agent(
            1,
            None,
            "lead",
            0,
            9_000,
            error=f"the coder failed: {WHY}",
            events=[decided(7_150, "retry", "honesty", reason="say why it failed")],
        ),
        call(2, 1, 10, first, plan),
        tool(10, 1, 500, helpers[0], rule, 2_000),
        *_researcher(rule),
        tool(20, 1, 500, helpers[1], None, 6_000, error=WHY),
        *_coder(),
        tool(30, 1, 500, helpers[2], note, 1_500),
        *_writer(note),
        call(3, 1, 6_600, second, asks("I deploy it none the less.", deploy)),
        tool(
            4,
            1,
            7_100,
            deploy,
            None,
            20,
            error="Hook BEFORE_TOOL_CALL denied",
            events=[decided(7_105, "deny", "release gate", reason="tests are red")],
        ),
        call(
            5,
            1,
            7_200,
            [*second, asks("I deploy it none the less.", deploy), answers("d1", "denied")],
            text("assistant", "The fix is not deployed: the coder's tests fail."),
        ),
    ]


def _researcher(rule: str) -> list[Span]:
    sent = [text("system", "You look things up."), text("user", "How are refunds rounded?")]
    search = ("r1", "search", {"query": "refund rounding", "limit": 5})
    question = asks("", search)
    narrowed = decided(
        1_010,
        "modify",
        "limit_search",
        before='{"query":"refund rounding","limit":50}',
        after='{"query":"refund rounding","limit":5}',
    )
    return [
        agent(11, 10, "researcher", 510, 1_900),
        call(12, 11, 520, sent, question),
        tool(13, 11, 1_000, search, json.dumps({"result": rule}), events=[narrowed]),
        call(14, 11, 1_300, [*sent, question, answers("r1", rule)], text("assistant", rule)),
    ]


def _coder() -> list[Span]:
    sent = [text("system", "You write code."), text("user", "Mend the rounding of refunds.")]
    edit = ("k1", "edit_file", {"path": "refunds.py", "replace": "round(x)", "by": "floor(x)"})
    run = ("k2", "run_tests", {"path": "tests/"})
    again = ("k3", "run_tests", {"path": "tests/", "verbose": True})
    one, two, three = asks("I use floor.", edit), asks("", run), asks("Once more, to see.", again)
    before = [*sent, one, answers("k1", "ok")]
    more = [*before, two, answers("k2", WHY)]
    return [
        agent(21, 20, "coder", 510, 5_900, error=WHY),
        call(22, 21, 520, sent, one),
        tool(23, 21, 1_000, edit, json.dumps({"result": "ok"})),
        call(24, 21, 1_300, before, two),
        tool(25, 21, 1_800, run, WHY, 1_500, error=WHY),
        call(26, 21, 3_400, more, three),
        tool(27, 21, 3_900, again, WHY, 1_500, error=WHY),
        call(
            28,
            21,
            5_500,
            [*more, three, answers("k3", WHY)],
            text("assistant", "I cannot make the tests pass."),
        ),
    ]


def _writer(note: str) -> list[Span]:
    sent = [text("system", "You write."), text("user", "Write the note for customers.")]
    return [
        agent(31, 30, "writer", 510, 1_400),
        call(32, 31, 520, sent, text("assistant", note)),
    ]


def _span(
    number: int,
    parent: int | None,
    name: str,
    at_ms: int,
    ms: int,
    operation: str,
    attributes: dict[str, Json] | None = None,
    **fields: Any,
) -> Span:
    own: dict[str, Json] = {"gen_ai.operation.name": operation, "session.id": "refunds"}
    if operation == "invoke_agent":
        own["gen_ai.agent.name"] = name.split()[-1]
    return span(
        name,
        trace=TRACE,
        span_id=number,
        parent=parent,
        start_ns=START_NS + at_ms * MS,
        duration_ns=ms * MS,
        attributes={**own, **(attributes or {})},
        **fields,
    )
