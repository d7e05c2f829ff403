"""Hooks in any order, from any task: every span ends once, and nothing is logged or left behind."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.trace import StatusCode

from instrument import CATALOGUE
from subscribers import SpanMode
from tests.unit.subscribers.conftest import Traced

AGENT, LLM, WORKFLOW = {"name": "a"}, {"model": "m"}, {"name": "w"}
TOOL: dict[str, Any] = {"tool_name": "t", "args": {}, "context": None}
CALL = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "t"}}
NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}

EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("before_agent_call", {"agent": AGENT}),
    ("after_agent_call", {"agent": AGENT, "result": "x"}),
    ("error_agent_call", {"agent": AGENT, "exc": ValueError("x")}),
    ("before_llm_generate", {"llm": LLM, "prompt": "p"}),
    ("after_llm_generate", {"llm": LLM, "prompt": "p", "response": "r", "usage": None}),
    ("before_tool_call", TOOL),
    ("after_tool_call", {**TOOL, "result": {"isError": True, "content": []}}),
    ("error_tool_call", {**TOOL, "exc": asyncio.CancelledError()}),
    ("before_workflow_run", {"workflow": WORKFLOW, "context": None}),
    ("after_workflow_run", {"workflow": WORKFLOW, "context": None, "result": 1}),
    ("before_rpc_request", {"envelope": CALL, "transport": "stdio"}),
    ("before_rpc_request", {"envelope": NOTE, "transport": "stdio"}),
    (
        "after_rpc_response",
        {"envelope": {"id": 1, "result": {}}, "transport": "stdio", "duration_ms": 1},
    ),
    (
        "after_rpc_response",
        {"envelope": {"jsonrpc": "2.0"}, "transport": "stdio", "duration_ms": 1},
    ),
    ("error_rpc_request", {"envelope": CALL, "transport": "stdio", "exc": TimeoutError()}),
    ("session_started", {"session_id": "s", "metadata": {}}),
    ("session_finished", {"session_id": "s", "status": "completed", "error": None}),
    ("progress_update", {"operation_id": "t", "percent": 1, "message": None, "context": None}),
]
identities = st.sampled_from(
    [{}, {}, {"call_id": "1"}, {"call_id": "2"}, {"call_id": "2", "parent_call_id": "1"}]
)
announced = st.tuples(
    st.sampled_from(["operation_opened", "operation_closed"]),
    st.fixed_dictionaries(
        {
            "call_id": st.sampled_from(["1", "2", "3"]),
            "parent_call_id": st.sampled_from([None, "1", "2"]),
            "noun": st.sampled_from(["tool_call", "rpc_request", "model_select", "own_noun"]),
            "kwargs": st.sampled_from([TOOL, {"envelope": CALL, "transport": "stdio"}]),
            "status": st.sampled_from(["ok", "error", "denied", "cancelled"]),
            "exc": st.none() | st.just(ValueError("x")),
        }
    ),
)


class Hostile:
    """A bad value of an emitter: unhashable, and every access raises."""

    __hash__ = None  # type: ignore[assignment] # that is the point

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError("repr")


JUNK: list[Any] = [
    None, 5, "x", [], {"a": 1}, {"method": []}, Hostile(), float("nan"), "\ud800", "http://[",
]  # fmt: skip
hostile = st.builds(
    lambda hook, kwargs: (hook, kwargs),
    st.sampled_from(sorted(CATALOGUE)),
    st.dictionaries(
        st.sampled_from(
            sorted({kwarg.name for hook in CATALOGUE.values() for kwarg in hook.kwargs})
        ),
        st.sampled_from(JUNK),
    ),
)
steps = st.lists(
    st.tuples(st.sampled_from(EVENTS) | announced | hostile, identities, st.integers(0, 2)),
    max_size=30,
)


@given(steps, st.sampled_from(SpanMode))
def test_every_span_ends_once_whatever_is_emitted(script: list[Any], mode: SpanMode) -> None:
    failures: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = failures.append  # type: ignore[method-assign,assignment] # the shortest handler there is
    logging.getLogger().addHandler(handler)
    contexts = [contextvars.Context() for _ in range(3)]

    def run() -> Traced:
        traced = Traced(mode=mode)
        cores = [traced.tracer.start_span("core") for _ in contexts]
        if mode is SpanMode.ENRICH:
            for context, core in zip(contexts, cores, strict=True):
                context.run(otel_context.attach, trace.set_span_in_context(core))
        for (hook, kwargs), identity, context in script:
            complete = kwargs if hook.startswith("operation_") else {**kwargs, **identity}
            contexts[context].run(traced.bus._emit_sync, hook, **complete)
        traced.off()
        assert traced.named("core") == [], "they are not ours to end"
        for core in cores:
            core.end()
        return traced

    try:
        traced = contextvars.Context().run(run)
    finally:
        logging.getLogger().removeHandler(handler)
    assert [record.getMessage() for record in failures] == []
    ids = [span.context.span_id for span in traced.spans if span.context]
    assert len(ids) == len(set(ids))
    for span in traced.spans:
        assert span.end_time is not None
        attributes = span.attributes or {}
        assert ("error.type" in attributes) == (span.status.status_code is StatusCode.ERROR)
        assert span.parent is None or span.parent.span_id in ids
    for context in contexts:
        current = context.run(trace.get_current_span)
        assert not current.is_recording(), "no open span is left behind"
