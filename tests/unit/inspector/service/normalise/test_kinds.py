from __future__ import annotations

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import SpanKind
from inspector.service.normalise.kinds import kind_of

CHILD = Span(parent_span_id=b"12345678")


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
