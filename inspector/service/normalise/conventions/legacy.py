"""The `mcp.*` attributes of mcp-agent, which our bridge writes beside the official ones."""

from __future__ import annotations

from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.finish_reasons import finish_reasons
from inspector.service.normalise.messages import messages_of
from inspector.service.wire import Message


def _input(source: SpanSource) -> list[Message]:
    return messages_of(source.get("mcp.llm.prompt_json"), "input")


def _output(source: SpanSource) -> list[Message]:
    return messages_of(source.get("mcp.llm.response_json"), "output")


def _finish_reasons(source: SpanSource) -> list[str]:
    return finish_reasons(source.get("mcp.stop_reason"))


LEGACY = Convention(
    "Our hooks' first vocabulary",
    "our bridge (`legacy` and `dup`), agents that follow the hook contract",
    ("mcp.llm.prompt_json", "mcp.llm.response_json", "mcp.stop_reason"),
    input=_input,
    output=_output,
    finish_reasons=_finish_reasons,
)
