from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json, SpanKind, SpanStatus
from inspector.service.normalise import keys, read_span, span_view
from tests.support.telemetry.otlp import resource, span

JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)
KNOWN_KEYS = sorted(
    {key for name in dir(keys) if name.isupper() for key in getattr(keys, name)}
    | {
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.tool.definitions",
        "gen_ai.operation.name",
        "gen_ai.response.time_to_first_chunk",
        "mcp.method.name",
        "mcp.llm.prompt_json",
        "openinference.span.kind",
        "inspector.truncated",
        "error.type",
    }
)


def kind(
    attributes: dict[str, Json],
    *,
    otlp: Span.SpanKind.ValueType = Span.SPAN_KIND_INTERNAL,
    name: str = "x",
) -> SpanKind:
    return read_span(span(name, attributes=attributes, kind=otlp), Resource()).record.kind


@given(st.dictionaries(st.sampled_from(KNOWN_KEYS), JSON, max_size=6))
def test_no_attribute_of_any_shape_makes_reading_fail(attributes: dict[str, Json]) -> None:
    sent = span(attributes=attributes)
    read_span(sent, Resource(attributes=sent.attributes))
    span_view(sent)


class Everything:
    """Contains every key."""

    def __contains__(self, key: object) -> bool:
        return True


@given(
    st.dictionaries(st.sampled_from(KNOWN_KEYS), JSON | st.sampled_from([7, "agent"]), max_size=6)
)
@example(dict.fromkeys(KNOWN_KEYS, 7))
@example(dict.fromkeys(KNOWN_KEYS, "agent"))
def test_decoding_only_what_is_needed_gives_the_same_facts(attributes: dict[str, Json]) -> None:
    sent = span(attributes=attributes)
    facts = read_span(sent, Resource(attributes=sent.attributes))
    with (
        patch("inspector.service.normalise.facts._OF_A_SPAN", Everything()),
        patch("inspector.service.normalise.facts._OF_A_RESOURCE", Everything()),
    ):
        assert read_span(sent, Resource(attributes=sent.attributes)) == facts


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"gen_ai.operation.name": "chat"}, SpanKind.LLM),
        ({"gen_ai.operation.name": "invoke_agent"}, SpanKind.AGENT),
        ({"gen_ai.operation.name": "execute_tool"}, SpanKind.TOOL),
        ({"gen_ai.operation.name": "invoke_workflow"}, SpanKind.WORKFLOW),
        ({"gen_ai.operation.name": "search_memory"}, SpanKind.MEMORY),
        ({"mcp.method.name": "resources/read"}, SpanKind.RESOURCE),
        ({"mcp.method.name": "prompts/get"}, SpanKind.PROMPT),
        ({"mcp.method.name": "tools/list"}, SpanKind.MCP),
        ({"mcp.method.name": "tools/call"}, SpanKind.TOOL),
        ({"openinference.span.kind": "RETRIEVER"}, SpanKind.RETRIEVAL),
        ({"openinference.span.kind": "LLM", "gen_ai.operation.name": "x"}, SpanKind.LLM),
        ({"traceloop.span.kind": "task"}, SpanKind.STEP),
        ({"llm.request.type": "chat"}, SpanKind.LLM),
        ({"ai.operationId": "ai.generateText.doGenerate"}, SpanKind.LLM),
        ({"ai.operationId": "ai.toolCall"}, SpanKind.TOOL),
        ({"langsmith.span.kind": "retriever"}, SpanKind.RETRIEVAL),
        ({"mcp.llm.provider": "openai"}, SpanKind.LLM),
        ({"mcp.tool.name": "search"}, SpanKind.TOOL),
        ({"http.request.method": "GET"}, SpanKind.HTTP),
        ({"http.method": "GET", "http.url": "https://a.example/"}, SpanKind.HTTP),
        ({"db.system.name": "postgresql", "db.query.text": "SELECT 1"}, SpanKind.DATABASE),
        ({"http.request.method": "PUT", "db.system": "elasticsearch"}, SpanKind.DATABASE),
        ({"db.system": "redis", "gen_ai.operation.name": "search_memory"}, SpanKind.MEMORY),
        ({"messaging.system": "kafka", "http.method": "POST"}, SpanKind.MESSAGING),
        ({"http.request.method": "POST", "gen_ai.operation.name": "chat"}, SpanKind.LLM),
        ({"http.request.method": "POST", "mcp.method.name": "tools/call"}, SpanKind.TOOL),
        ({"http.request.method": "POST", "gen_ai.tool.name": "fetch"}, SpanKind.TOOL),
    ],
)
def test_kind_is_read_from_the_attributes_of_every_convention(
    attributes: dict[str, Json], expected: SpanKind
) -> None:
    assert kind(attributes) is expected


@pytest.mark.parametrize(
    ("name", "otlp", "attributes", "expected"),
    [
        # The MCP SDK 2, at both ends.
        ("MCP send tools/call add", Span.SPAN_KIND_CLIENT, {}, SpanKind.MCP),
        (
            "tools/call add",
            Span.SPAN_KIND_SERVER,
            {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add"},
            SpanKind.TOOL,
        ),
        # FastMCP, at both ends.
        ("tools/call add", Span.SPAN_KIND_CLIENT, {"gen_ai.tool.name": "add"}, SpanKind.TOOL),
        ("tools/call add", Span.SPAN_KIND_SERVER, {"gen_ai.tool.name": "add"}, SpanKind.TOOL),
        ("tools/call", Span.SPAN_KIND_SERVER, {}, SpanKind.MCP),
    ],
)
def test_a_call_over_mcp_is_a_tool_where_it_names_one_and_its_message_is_not(
    name: str, otlp: Span.SpanKind.ValueType, attributes: dict[str, Json], expected: SpanKind
) -> None:
    call = {"mcp.method.name": "tools/call", **attributes}
    assert kind(call, name=name, otlp=otlp) is expected


def test_a_server_that_refuses_to_be_discovered_is_of_an_older_era_and_no_error() -> None:
    def status(method: str) -> SpanStatus:
        refused = span(attributes={"mcp.method.name": method, "error.type": "-32601"}, error="no")
        return read_span(refused, Resource()).record.status

    assert (status("server/discover"), status("initialize")) == (
        SpanStatus.UNSET,
        SpanStatus.ERROR,
    )


def test_a_legacy_span_name_is_enough() -> None:
    assert kind({}, name="workflow.run") is SpanKind.WORKFLOW


def test_a_span_without_an_end_runs_and_a_cancelled_one_is_no_error() -> None:
    def status(sent: Span) -> SpanStatus:
        return read_span(sent, Resource()).record.status

    assert status(span(duration_ns=None)) is SpanStatus.RUNNING
    assert status(span()) is SpanStatus.UNSET
    assert status(span(error="no")) is SpanStatus.ERROR
    assert status(span(error="", attributes={"error.type": "cancelled"})) is SpanStatus.CANCELLED


def test_a_span_is_of_the_service_that_its_resource_names() -> None:
    named = Resource(attributes=span(attributes={"service.name": "orders"}).attributes)
    assert read_span(span(), named).record.service == "orders"
    assert read_span(span(attributes={"service.name": "x"}), Resource()).record.service is None


def test_a_remote_parent_makes_a_root() -> None:
    assert read_span(span(parent=None), Resource()).record.is_root
    assert read_span(span(parent=7, flags=0x301), Resource()).record.is_root
    assert not read_span(span(parent=7, flags=0x101), Resource()).record.is_root


def test_the_session_id_wins_over_a_conversation_and_unknown_is_none() -> None:
    attributes: dict[str, Json] = {"gen_ai.conversation.id": "c", "session.id": "s"}
    assert read_span(span(attributes=attributes), Resource()).session_key == (0, "s")
    assert read_span(span(), resource(session_id="r")).session_key == (0, "r")
    unknown: dict[str, Json] = {"session.id": "unknown", "gen_ai.conversation.id": "c"}
    assert read_span(span(attributes=unknown), Resource()).session_key == (1, "c")
    assert read_span(span(attributes={"mcp.session.id": "t"}), Resource()).session_key is None


def test_aliases_of_one_count_are_alternatives_never_summands() -> None:
    facts = read_span(
        span(attributes={"gen_ai.usage.input_tokens": "12", "gen_ai.usage.prompt_tokens": 12}),
        Resource(),
    )
    assert facts.record.input_tokens == 12


@pytest.mark.parametrize("value", [-1, "x", True, None, [], float("inf"), "NaN"])
def test_a_count_that_is_none_is_not_believed(value: Json) -> None:
    facts = read_span(span(attributes={"gen_ai.usage.output_tokens": value}), Resource())
    assert facts.record.output_tokens is None


def test_a_message_of_a_prompt_with_a_name_is_read_like_any_other() -> None:
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.prompt.name": "greeting",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hello?",
    }
    assert read_span(span(attributes=attributes), Resource()).first_user_message == "Hello?"


def test_the_first_user_message_is_cut_to_one_line() -> None:
    prompt = '[{"role":"system","parts":[{"type":"text","content":"be kind"}]},' + (
        '{"role":"user","parts":[{"type":"text","content":"Write\\n\\nrelease %s notes"}]}]'
        % ("x" * 500)
    )
    facts = read_span(
        span(attributes={"gen_ai.operation.name": "chat", "gen_ai.input.messages": prompt}),
        Resource(),
    )
    assert facts.first_user_message is not None
    assert facts.first_user_message.startswith("Write release xxx")
    assert len(facts.first_user_message) == 200


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gen_ai.usage.input_tokens", 2**62),
        ("gen_ai.usage.output_tokens", "9" * 18),
        ("llm.cost.total", 1.7e308),
        ("llm.cost.total", "9e99"),
    ],
)
def test_a_count_that_no_call_has_is_none_in_row_and_view(key: str, value: Json) -> None:
    sent = span(attributes={"gen_ai.operation.name": "chat", key: value})
    facts = read_span(sent, Resource())
    assert (facts.record.input_tokens, facts.record.output_tokens, facts.record.cost_usd) == (
        None,
        None,
        None,
    )
    assert span_view(sent).usage is None


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("invoke_agent planner", {}, "planner"),
        ("create_agent x", {"gen_ai.operation.name": "create_agent"}, "x"),
        ("weather.agent", {"traceloop.span.kind": "agent"}, "weather"),
        ("invoke_agent", {"gen_ai.operation.name": "invoke_agent"}, "invoke_agent"),
        ("run", {"openinference.span.kind": "AGENT", "agent.name": "lead"}, "lead"),
        ("execute_tool read", {}, "read"),
        ("tools/call read", {"gen_ai.operation.name": "execute_tool"}, "read"),
        ("read.tool", {"traceloop.span.kind": "tool"}, "read"),
        ("work", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read"}, "read"),
        ("chat", {"gen_ai.operation.name": "chat", "gen_ai.agent.name": "lead"}, None),
    ],
)
def test_the_subject_is_the_tool_or_agent_of_the_attributes_else_of_the_name(
    name: str, attributes: dict[str, Json], expected: str | None
) -> None:
    if not attributes:
        attributes = {"gen_ai.operation.name": name.partition(" ")[0]}
    assert read_span(span(name, attributes=attributes), Resource()).record.subject == expected
