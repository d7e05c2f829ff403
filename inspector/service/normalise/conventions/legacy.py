"""The `mcp.*` attributes of mcp-agent, which our bridge writes beside the official ones."""

from __future__ import annotations

from inspector.service.normalise.conventions.span_source import Convention
from inspector.service.normalise.finish_reasons import finish_reasons
from inspector.service.normalise.messages import messages_of

LEGACY = Convention(
    "Our hooks' first vocabulary",
    "Inspector itself (`legacy` and `dup`), agents that follow the hook contract",
    ("mcp.llm.prompt_json", "mcp.llm.response_json", "mcp.stop_reason"),
    input=lambda source: messages_of(source.get("mcp.llm.prompt_json"), "input"),
    output=lambda source: messages_of(source.get("mcp.llm.response_json"), "output"),
    finish_reasons=lambda source: finish_reasons(source.get("mcp.stop_reason")),
)
