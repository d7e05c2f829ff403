"""Spans of our hooks, checked against the official conventions."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode

from instrument import CATALOGUE
from subscribers import Vocabulary, load_spec
from tests.conventions.checker import NAMESPACES, RULES, violations
from tests.support.telemetry.hook_examples import EXAMPLES
from tests.unit.subscribers.firing import fire, fire_all

SPEC = load_spec()
SEED_KEYS = frozenset(
    row.legacy
    for hook in SPEC.hooks.values()
    for row in hook.attributes
    if row.legacy and row.legacy not in RULES["attributes"]
)
OPERATION_HOOKS = [name for name, hook in SPEC.hooks.items() if hook.action in {"start", "end"}]


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", [Vocabulary.CURRENT, Vocabulary.DUP])
@pytest.mark.parametrize("hook", OPERATION_HOOKS)
def test_the_spans_of_every_hook_keep_to_the_conventions(hook: str, vocabulary: Vocabulary) -> None:
    others = SEED_KEYS if vocabulary is Vocabulary.DUP else frozenset()
    fired = fire([hook], vocabulary=vocabulary)
    found = {
        f"{span.name}: {what}"
        for span in fired.spans
        for what in violations(span, fired.at_start(span), others=others)
    }
    assert found == set()


@pytest.mark.parametrize("end", ["after_llm_generate", "error_llm_generate"])
def test_a_tool_loop_is_an_agent_to_the_conventions(end: str) -> None:
    _, loop = EXAMPLES["before_llm_generate"]
    fired = fire_all(("before_llm_generate", loop), (end, {**EXAMPLES[end][0], "llm": loop["llm"]}))
    [span] = fired.spans
    assert span.name == "invoke_agent planner"
    assert list(violations(span, fired.at_start(span), others=SEED_KEYS)) == []


@pytest.mark.parametrize("hook", CATALOGUE)
def test_official_keys_in_the_legacy_vocabulary_have_their_official_meaning(hook: str) -> None:
    for attributes in fire([hook], vocabulary=Vocabulary.LEGACY).attributes():
        for key, value in attributes.items():
            if key in RULES["attributes"]:
                assert key in {"session.id", "mcp.resource.uri"}
                assert isinstance(value, str)


@pytest.mark.slow
@pytest.mark.parametrize("hook", CATALOGUE)
def test_moments_use_official_keys_as_they_are(hook: str) -> None:
    fired = fire([hook], vocabulary=Vocabulary.CURRENT)
    for name, attributes in fired.moments:
        for key in attributes:
            if key.partition(".")[0] in NAMESPACES:
                assert key in RULES["attributes"], f"{name}: {key}"


def test_every_type_of_span_is_among_those_that_are_checked() -> None:
    names = {span.name.split(" ")[0] for hook in OPERATION_HOOKS for span in fire([hook]).spans}
    assert {
        "invoke_agent", "chat", "execute_tool", "invoke_workflow", "tools/call", "prompts/get",
        "resources/read", "ping",
    } <= names  # fmt: skip


def test_every_rule_states_its_source() -> None:
    rows = list(RULES["attributes"].values())
    for rules in RULES["spans"].values():
        rows += rules["attributes"].values()
    assert len(rows) > 150
    assert all(len(row["source"].split(" ")) >= 3 for row in rows)


def test_the_constants_of_the_official_package_agree() -> None:
    """The package is another rendering of the same model, of version 1.44."""
    package = "opentelemetry.semconv._incubating.attributes"
    # Newer than the package's release, or a template, which it spells with `_TEMPLATE`.
    newer = ("gen_ai.usage.", "gen_ai.request.", "gen_ai.prompt.", "gen_ai.conversation.compacted")
    for key in RULES["attributes"]:
        name = key.upper().replace(".", "_")
        module = importlib.import_module(f"{package}.{_module(key)}_attributes")
        if not hasattr(module, name):
            assert key.startswith(newer), key
            continue
        assert getattr(module, name) == key


def _module(key: str) -> str:
    return key.partition(".")[0]


def made(name: str, kind: SpanKind, attributes: dict[str, Any], status: StatusCode) -> ReadableSpan:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    span = provider.get_tracer("x").start_span(name, kind=kind, attributes=attributes)
    span.set_status(Status(status))
    span.end()
    return exporter.get_finished_spans()[0]


TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"}
LLM = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "m",
}
CALL = {"mcp.method.name": "tools/call", **TOOL}


@pytest.mark.parametrize(
    ("name", "kind", "attributes", "status", "what"),
    [
        ("t", "INTERNAL", TOOL, "UNSET", "the name is 't', not 'execute_tool t'"),
        ("execute_tool t", "CLIENT", TOOL, "UNSET", "the kind is CLIENT"),
        ("execute_tool t", "INTERNAL", TOOL, "OK", "the status is OK"),
        ("execute_tool t", "INTERNAL", TOOL, "ERROR", "error.type is None"),
        ("execute_tool t", "INTERNAL", TOOL | {"error.type": "x"}, "UNSET", "error.type is 'x'"),
        ("execute_tool", "INTERNAL", {"gen_ai.operation.name": "execute_tool"}, "UNSET",
         "gen_ai.tool.name is required"),
        ("execute_tool t", "INTERNAL", TOOL | {"gen_ai.tool.nam": "t"}, "UNSET",
         "gen_ai.tool.nam is no attribute"),
        ("execute_tool t", "INTERNAL", TOOL | {"gen_ai.request.model": "m"}, "UNSET",
         "gen_ai.request.model is not of gen_ai.execute_tool.internal"),
        ("execute_tool t", "INTERNAL", TOOL | {"gen_ai.tool.call.result": "{"}, "UNSET",
         "neither structured nor JSON"),
        ("chat m", "CLIENT", LLM | {"gen_ai.provider.name": "azure"}, "UNSET", "'azure', not one"),
        ("chat m", "CLIENT", LLM | {"gen_ai.request.top_k": 1.5}, "UNSET", "1.5, not int"),
        ("chat m", "CLIENT", LLM | {"gen_ai.request.max_tokens": True}, "UNSET", "True, not int"),
        ("chat m", "CLIENT", LLM | {"gen_ai.request.temperature": 1}, "UNSET", "1, not double"),
        ("chat m", "CLIENT", LLM | {"gen_ai.response.finish_reasons": [1]}, "UNSET", "string[]"),
        ("chat m", "CLIENT", LLM | {"server.port": 1}, "UNSET", "without server.address"),
        ("chat m", "CLIENT", LLM | {"gen_ai.request.choice.count": 1}, "UNSET", "not 1"),
        ("chat m", "CLIENT", LLM | {"gen_ai.request.stream": False}, "UNSET", "if and only if"),
        ("chat m", "CLIENT", LLM | {"gen_ai.usage.input_tokens": 1,
         "gen_ai.usage.cache_read.input_tokens": 2}, "UNSET", "more than all input"),
        ("tools/call t", "CLIENT", CALL | {"network.transport": "stdio"}, "UNSET", "'stdio', not"),
        ("tools/call t", "CLIENT", CALL | {"jsonrpc.request.id": 4}, "UNSET", "4, not string"),
        ("tools/call t", "CLIENT", CALL | {"jsonrpc.protocol.version": "2.0"}, "UNSET", "not 2.0"),
        ("ping t", "CLIENT", TOOL | {"mcp.method.name": "ping"}, "UNSET", "for nothing else"),
        ("tools/call t", "CLIENT", CALL | {"rpc.response.status_code": "-32602"}, "UNSET",
         "the JSON-RPC code is -32602 and the status UNSET"),
        ("tools/call t", "SERVER", CALL | {"rpc.response.status_code": "-32602",
         "error.type": "-32602"}, "ERROR", "the JSON-RPC code is -32602 and the status ERROR"),
        ("prompts/get", "CLIENT", {"mcp.method.name": "prompts/get"}, "UNSET", "prompt.name"),
        ("resources/read", "CLIENT", {"mcp.method.name": "resources/read"}, "UNSET",
         "without mcp.resource.uri"),
    ],
)  # fmt: skip
def test_a_span_that_breaks_a_rule_is_found(
    name: str, kind: str, attributes: dict[str, Any], status: str, what: str
) -> None:
    span = made(name, SpanKind[kind], attributes, StatusCode[status])
    assert [found for found in violations(span, attributes) if what in found]


@pytest.mark.parametrize(
    ("name", "kind", "attributes", "status"),
    [
        ("execute_tool t", "INTERNAL", TOOL | {"session.id": "s", "acme.x": 1}, "UNSET"),
        ("execute_tool t", "INTERNAL", CALL | {"network.transport": "pipe"}, "UNSET"),
        ("chat m", "CLIENT", LLM | {"server.address": "h", "server.port": 1}, "UNSET"),
        ("tools/call t", "SERVER", CALL | {"rpc.response.status_code": "-32602"}, "UNSET"),
        ("GET", "CLIENT", {"acme.x": 1}, "OK"),
    ],
)
def test_a_span_that_breaks_no_rule_is_let_alone(
    name: str, kind: str, attributes: dict[str, Any], status: str
) -> None:
    span = made(name, SpanKind[kind], attributes, StatusCode[status])
    assert list(violations(span, attributes)) == []


def test_what_samplers_look_at_is_there_at_the_start() -> None:
    span = made("execute_tool t", SpanKind.INTERNAL, TOOL, StatusCode.UNSET)
    late = {"gen_ai.tool.name": "t"}
    assert list(violations(span, late)) == ["gen_ai.operation.name came after the start"]


def test_the_rules_are_made_of_the_model_alone() -> None:
    from tools.generate_convention_rules import MODEL, read_model, render

    path = Path(__file__).with_name("rules.json")
    assert json.loads(render(read_model(MODEL))) == json.loads(path.read_text(encoding="utf-8"))
