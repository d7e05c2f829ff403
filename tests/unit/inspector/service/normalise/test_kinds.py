from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import SpanKind
from inspector.service.normalise.kinds import KIND_KEYS, kind_of, significant_name

CHILD = Span(parent_span_id=b"12345678")
PARTS_OF_NAMES = [
    "MCP send ", "tools/call", "initialize", ".mcp", "/", ".", "MyLLM", "MyAgent", "generate_str",
    "call_tool", "agent", "call", "tool.call", "workflow.run", "search",
]  # fmt: skip


@pytest.mark.parametrize(
    ("openinference", "official", "kind"),
    [
        ("CHAIN", {"gen_ai.operation.name": "invoke_workflow"}, SpanKind.WORKFLOW),
        ("RETRIEVER", {"mcp.method.name": "resources/read"}, SpanKind.RESOURCE),
        ("PROMPT", {"mcp.method.name": "prompts/get"}, SpanKind.PROMPT),
        ("CHAIN", {}, SpanKind.STEP),
        ("RETRIEVER", {}, SpanKind.RETRIEVAL),
        ("TOOL", {"gen_ai.operation.name": "chat"}, SpanKind.TOOL),
    ],
)
def test_official_keys_say_which_chain_prompt_or_retriever_it_is(
    openinference: str, official: dict[str, str], kind: SpanKind
) -> None:
    assert kind_of(CHILD, {"openinference.span.kind": openinference, **official}) is kind


def test_a_chain_at_the_root_is_a_workflow() -> None:
    assert kind_of(Span(), {"openinference.span.kind": "CHAIN"}) is SpanKind.WORKFLOW


@given(
    st.lists(st.sampled_from(PARTS_OF_NAMES), max_size=4).map("".join),
    st.dictionaries(
        st.sampled_from(sorted(KIND_KEYS)),
        st.sampled_from(["tools/call", "jsonrpc", "chat", "CHAIN", "session", "log", "x"]),
        max_size=2,
    ),
)
def test_a_name_without_significance_makes_no_difference_to_the_kind(
    name: str, attributes: dict[str, str]
) -> None:
    expected = kind_of(Span(name=name, kind=Span.SPAN_KIND_SERVER), attributes)
    reduced = Span(name=significant_name(name), kind=Span.SPAN_KIND_SERVER)
    assert kind_of(reduced, attributes) is expected
