"""Verdicts of policies on spans, as the bridge writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import subscribers
from instrument import Bus, HookDenied
from tests.unit.inspector.agent_side.policies.conftest import Enforce, Person

RULES = """
[[policies]]
name = "production"
where = { path = { under = "/prod" } }
action = "deny"
reason = "off limits"

[[policies]]
name = "reading"
tools = ["read_*"]
action = "allow"

[[policies]]
name = "deletes"
tools = ["delete_*"]
action = "ask"

[[budgets]]
name = "words"
of = "tokens"
at = 100
"""


@pytest.fixture
def exporter(bus: Bus) -> Iterator[InMemorySpanExporter]:
    token = otel_context.attach(Context())
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    off = subscribers.install(bus, tracer_provider=provider)
    yield exporter
    off()
    otel_context.detach(token)


def decisions(exporter: InMemorySpanExporter) -> list[list[tuple[Any, ...]]]:
    """Return the decisions of each span: interceptor, action, reason."""
    keys = [f"inspector.decision.{key}" for key in ("interceptor", "action", "reason")]
    return [
        [
            tuple((event.attributes or {}).get(key) for key in keys)
            for event in span.events
            if event.name == "inspector.decision"
        ]
        for span in exporter.get_finished_spans()
    ]


async def use(bus: Bus, tool_name: str, **args: str) -> None:
    try:
        async with bus.operation("tool_call", tool_name=tool_name, args=args):
            pass
    except HookDenied:
        pass


async def test_the_policy_that_decided_is_named_on_the_span(
    bus: Bus, enforce: Enforce, exporter: InMemorySpanExporter
) -> None:
    enforce(RULES)
    bus.set_approval_provider(Person("allow"))
    await use(bus, "read_file", path="/tmp/x")
    await use(bus, "read_file", path="/prod/x")
    await use(bus, "delete_file", path="/tmp/x")
    await use(bus, "write_file", path="/tmp/x")
    async with bus.operation("llm_generate", llm=None, prompt="") as op:
        op.set(usage={"input_tokens": 100})
    await use(bus, "write_file", path="/tmp/x")
    assert decisions(exporter) == [
        [("policy:reading", "continue", "allowed by policy 'reading'")],
        [("policy:production", "deny", "off limits")],
        [("policy:deletes", "ask_user", "policy deletes asks"), ("approval", "continue", None)],
        [],
        [],
        [("budget:words", "deny", "budget words: 100 of 100 tokens used in this session")],
    ]


async def test_a_budget_counts_the_usage_on_the_spans(
    bus: Bus, enforce: Enforce, exporter: InMemorySpanExporter
) -> None:
    enforce(RULES)
    usage = {"input_tokens": 40, "cache_read_input_tokens": 7, "output_tokens": 3}
    async with bus.operation("llm_generate", llm=None, prompt="") as op:
        op.set(usage=usage)
    (span,) = exporter.get_finished_spans()
    shown = span.attributes or {}
    assert shown["gen_ai.usage.input_tokens"] == 47
    async with bus.operation("llm_generate", llm=None, prompt="") as op:
        op.set(usage={"input_tokens": 50, "output_tokens": 0})
    await use(bus, "x")
    assert decisions(exporter)[-1][0][1] == "deny"
