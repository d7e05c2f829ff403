"""The kind of a span, from its attributes.

The OTLP kind is unreliable (several instrumentations write INTERNAL for calls), so it only
separates the two ends of an MCP exchange. When several vocabularies are on one span, the first of
`kind_of`'s readers that knows it wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Json, SpanKind
from inspector.service.normalise.keys import AGENT, TOOL, first

_GEN_AI = {
    "chat": SpanKind.LLM,
    "generate_content": SpanKind.LLM,
    "text_completion": SpanKind.LLM,
    # LiteLLM's proxy names its own functions.
    **dict.fromkeys(("completion", "responses", "anthropic_messages"), SpanKind.LLM),
    **dict.fromkeys(("acompletion", "aresponses", "atext_completion"), SpanKind.LLM),
    **dict.fromkeys(("embedding", "aembedding"), SpanKind.EMBEDDING),
    "fetch_response": SpanKind.LLM,
    "invoke_agent": SpanKind.AGENT,
    "create_agent": SpanKind.AGENT,
    "invoke_workflow": SpanKind.WORKFLOW,
    "plan": SpanKind.STEP,
    "agent_step": SpanKind.STEP,
    "execute_event_loop_cycle": SpanKind.STEP,
    "execute_tool": SpanKind.TOOL,
    "embeddings": SpanKind.EMBEDDING,
    "retrieval": SpanKind.RETRIEVAL,
}
_OPENINFERENCE = {
    "LLM": SpanKind.LLM,
    "AGENT": SpanKind.AGENT,
    "CHAIN": SpanKind.STEP,
    "PROMPT": SpanKind.STEP,
    "DECISION": SpanKind.STEP,
    "TOOL": SpanKind.TOOL,
    "EMBEDDING": SpanKind.EMBEDDING,
    "RETRIEVER": SpanKind.RETRIEVAL,
    "RERANKER": SpanKind.RETRIEVAL,
    "GUARDRAIL": SpanKind.GUARDRAIL,
    "EVALUATOR": SpanKind.GUARDRAIL,
}
_TRACELOOP = {
    "workflow": SpanKind.WORKFLOW,
    "task": SpanKind.STEP,
    "agent": SpanKind.AGENT,
    "tool": SpanKind.TOOL,
    "session": SpanKind.MCP,
    "server": SpanKind.MCP,
}
_LLM_REQUEST = {
    "chat": SpanKind.LLM,
    "completion": SpanKind.LLM,
    "embedding": SpanKind.EMBEDDING,
}
_LANGSMITH = {
    "llm": SpanKind.LLM,
    "chain": SpanKind.STEP,
    "prompt": SpanKind.STEP,
    "parser": SpanKind.STEP,
    "tool": SpanKind.TOOL,
    "embedding": SpanKind.EMBEDDING,
    "retriever": SpanKind.RETRIEVAL,
}
_GENKIT = {
    "model": SpanKind.LLM,
    "background-model": SpanKind.LLM,
    "embedder": SpanKind.EMBEDDING,
    "tool": SpanKind.TOOL,
    "tool.v2": SpanKind.TOOL,
    "flow": SpanKind.WORKFLOW,
    "flowStep": SpanKind.STEP,
    "prompt": SpanKind.STEP,
    "executable-prompt": SpanKind.STEP,
    "promptTemplate": SpanKind.STEP,
    "util": SpanKind.STEP,
    "retriever": SpanKind.RETRIEVAL,
    "reranker": SpanKind.RETRIEVAL,
    "evaluator": SpanKind.GUARDRAIL,
    "resource": SpanKind.RESOURCE,
}
_SPRING_AI = {
    "chat_client": SpanKind.AGENT,
    "advisor": SpanKind.STEP,
    "tool_call": SpanKind.TOOL,
    "vector_store": SpanKind.RETRIEVAL,
}
_LEGACY_NAMES = {
    "agent.call": SpanKind.AGENT,
    "llm.generate": SpanKind.LLM,
    "tool.call": SpanKind.TOOL,
    "workflow.run": SpanKind.WORKFLOW,
    "resource.fetch": SpanKind.RESOURCE,
    "prompt.apply": SpanKind.PROMPT,
}

_LEGACY_KEYS = {
    "mcp.workflow.type": SpanKind.WORKFLOW,
    "mcp.llm.provider": SpanKind.LLM,
    "mcp.llm.model": SpanKind.LLM,
    "mcp.tool.name": SpanKind.TOOL,
    "mcp.agent.name": SpanKind.AGENT,
    "mcp.rpc.method": SpanKind.MCP,
    # pydantic-ai before its format 2 names no operation.
    "all_messages_events": SpanKind.AGENT,
    "pydantic_ai.all_messages": SpanKind.AGENT,
    "gen_ai.tool.name": SpanKind.TOOL,
}
# Begins the names of requests that the MCP SDK 2 sends on behalf of a caller of the tool.
_SDK_SENDS = "MCP send "
_SDK_CALLS = f"{_SDK_SENDS}tools/call"
_MCP_METHODS = {
    "resources/read": SpanKind.RESOURCE,
    "prompts/get": SpanKind.PROMPT,
}
MODEL_KINDS = (SpanKind.LLM, SpanKind.EMBEDDING)
"""Kinds of LLM calls."""
MCP_KINDS = frozenset({SpanKind.MCP, SpanKind.TOOL, *_MCP_METHODS.values()})
"""Kinds of spans that can report an MCP message."""
# mcp-agent has the kind of a span in its name only: `OpenAIAugmentedLLM.finder.generate_str`.
_MCP_AGENT_STEPS = {
    "generate": SpanKind.AGENT,
    "generate_str": SpanKind.AGENT,
    "generate_structured": SpanKind.AGENT,
    "call_tool": SpanKind.TOOL,
    "execute_tool_call": SpanKind.TOOL,
    "read_resource": SpanKind.RESOURCE,
    "get_prompt": SpanKind.PROMPT,
    "send_request": SpanKind.MCP,
    "send_notification": SpanKind.MCP,
}
# And Quarkus, of LangChain4j: `completion gpt-4o-mini`, `langchain4j.aiservices.Assistant.answer`.
_QUARKUS_MODEL, _QUARKUS_SERVICE = "completion ", "langchain4j.aiservices."
_MCP_AGENT_CLASSES = ("LLM", "Agent", "MCPAggregator", "MCPAgentClientSession")
_REQUESTS = {
    "db.system.name": SpanKind.DATABASE,
    "db.system": SpanKind.DATABASE,
    "messaging.system": SpanKind.MESSAGING,
    "http.request.method": SpanKind.HTTP,
    "http.method": SpanKind.HTTP,
}
"""Keys of OpenTelemetry's conventions, stable and older, on spans of clients and servers.

A database or a queue may be reached over HTTP: the first that a span has is its kind.
"""
KIND_KEYS = frozenset(
    {
        "logfire.span_type",
        "rpc.method",
        "rpc.system",
        "ai.operationId",
        "gen_ai.operation.name",
        "gen_ai.request.model",
        "genkit:metadata:subtype",
        "genkit:type",
        "inspector.kind",
        "langsmith.span.kind",
        "llm.request.type",
        "mcp.method.name",
        "openinference.span.kind",
        "spring.ai.kind",
        "traceloop.span.kind",
        *_REQUESTS,
        *_LEGACY_KEYS,
    }
)
"""The keys that `kind_of` reads."""

Attributes = Mapping[str, Json]


def _own(span: Span, attributes: Attributes) -> SpanKind | None:
    value = attributes.get("inspector.kind")
    return SpanKind(value) if isinstance(value, str) and value in set(SpanKind) else None


def _openinference(span: Span, attributes: Attributes) -> SpanKind | None:
    kind = _OPENINFERENCE.get(str(attributes.get("openinference.span.kind", "")).upper())
    if kind is SpanKind.STEP or kind is SpanKind.RETRIEVAL:
        # Its chains, prompts and retrievers are vaguer than what the official keys say.
        if (official := _gen_ai(span, attributes) or _mcp(span, attributes)) is not None:
            return official
        return kind if kind is SpanKind.RETRIEVAL or span.parent_span_id else SpanKind.WORKFLOW
    return kind


def _gen_ai(span: Span, attributes: Attributes) -> SpanKind | None:
    operation = str(attributes.get("gen_ai.operation.name", ""))
    if operation.endswith(("_memory", "_memory_store")):
        return SpanKind.MEMORY
    return _GEN_AI.get(operation)


def _mcp(span: Span, attributes: Attributes) -> SpanKind | None:
    method = attributes.get("mcp.method.name")
    if not method and attributes.get("rpc.system") == "jsonrpc":
        method = attributes.get("rpc.method")  # Logfire
    if not isinstance(method, str) or not method:
        return None
    if method == "tools/call":
        return SpanKind.MCP if _only_carries(span, attributes) else SpanKind.TOOL
    return _MCP_METHODS.get(method, SpanKind.MCP)


def _only_carries(span: Span, attributes: Attributes) -> bool:
    """Return whether a span of `tools/call` is the message's, not the tool's."""
    if span.name.startswith(_SDK_SENDS):
        return True
    is_server = span.kind == Span.SPAN_KIND_SERVER and "mcp.method.name" in attributes
    return is_server and first(attributes, TOOL) is None


def _vercel(span: Span, attributes: Attributes) -> SpanKind | None:
    operation = str(attributes.get("ai.operationId", ""))
    if not operation:
        return None
    if operation.endswith((".doGenerate", ".doStream")):
        return SpanKind.LLM
    if operation == "ai.toolCall":
        return SpanKind.TOOL
    if operation.startswith("ai.embed"):
        return SpanKind.EMBEDDING
    return SpanKind.AGENT if operation.startswith(("ai.generate", "ai.stream")) else None


def _traceloop(span: Span, attributes: Attributes) -> SpanKind | None:
    return _TRACELOOP.get(str(attributes.get("traceloop.span.kind", ""))) or _LLM_REQUEST.get(
        str(attributes.get("llm.request.type", ""))
    )


def _langsmith(span: Span, attributes: Attributes) -> SpanKind | None:
    kind = _LANGSMITH.get(str(attributes.get("langsmith.span.kind", "")))
    is_root = kind is SpanKind.STEP and not span.parent_span_id
    return SpanKind.WORKFLOW if is_root else kind


def _genkit(span: Span, attributes: Attributes) -> SpanKind | None:
    kind = _GENKIT.get(str(attributes.get("genkit:metadata:subtype", "")))
    return kind or _GENKIT.get(str(attributes.get("genkit:type", "")))


def _spring_ai(span: Span, attributes: Attributes) -> SpanKind | None:
    return _SPRING_AI.get(str(attributes.get("spring.ai.kind", "")))


def _logfire_log(span: Span, attributes: Attributes) -> SpanKind | None:
    # A line of its log, with all attributes of the span that it is about.
    return SpanKind.OTHER if attributes.get("logfire.span_type") == "log" else None


def _mcp_agent(name: str) -> SpanKind | None:
    head, _, last = name.rpartition(".")
    if (kind := _MCP_AGENT_STEPS.get(last)) is None:
        return None
    return kind if head.partition(".")[0].endswith(_MCP_AGENT_CLASSES) else None


def _quarkus(name: str, attributes: Attributes) -> SpanKind | None:
    if name.startswith(_QUARKUS_SERVICE):
        return SpanKind.AGENT
    is_model = name.startswith(_QUARKUS_MODEL) and "gen_ai.request.model" in attributes
    return SpanKind.LLM if is_model else None


def _legacy(span: Span, attributes: Attributes) -> SpanKind | None:
    if (named := _LEGACY_NAMES.get(span.name)) is not None:
        return named
    for key, kind in _LEGACY_KEYS.items():
        if key in attributes:
            return kind
    return None


# Beside the keys that it needs one of: most spans have few, and this runs for every span.
_READERS: tuple[tuple[frozenset[str], Callable[[Span, Attributes], SpanKind | None]], ...] = (
    (frozenset({"inspector.kind"}), _own),
    (frozenset({"logfire.span_type"}), _logfire_log),
    (frozenset({"openinference.span.kind"}), _openinference),
    (frozenset({"gen_ai.operation.name"}), _gen_ai),
    (frozenset({"mcp.method.name", "rpc.method"}), _mcp),
    (frozenset({"ai.operationId"}), _vercel),
    (frozenset({"traceloop.span.kind", "llm.request.type"}), _traceloop),
    (frozenset({"langsmith.span.kind"}), _langsmith),
    (frozenset({"genkit:metadata:subtype", "genkit:type"}), _genkit),
    (frozenset({"spring.ai.kind"}), _spring_ai),
)


def kind_of(span: Span, attributes: Attributes) -> SpanKind:
    """Return the kind of `span`; `other` when no vocabulary is known."""
    for needed, read in _READERS:
        if not needed.isdisjoint(attributes) and (kind := read(span, attributes)) is not None:
            return kind
    if mcp_method_in_name(span.name) is not None:
        return SpanKind.MCP
    named = _mcp_agent(span.name) or _quarkus(span.name, attributes) or _legacy(span, attributes)
    if named is not None:
        return named
    # Last: the purpose of a request says more than that it was one.
    return next((kind for key, kind in _REQUESTS.items() if key in attributes), SpanKind.OTHER)


_SIGNIFICANT_ENDS = frozenset(
    {"mcp", *_MCP_AGENT_STEPS, *(name.rpartition(".")[2] for name in _LEGACY_NAMES)}
)
_SIGNIFICANT_STARTS = (_SDK_SENDS, _QUARKUS_MODEL, _QUARKUS_SERVICE)


def significant_name(name: str) -> str:
    """Return a name that `kind_of` may read something from; of any other, nothing."""
    is_significant = name.startswith(_SIGNIFICANT_STARTS)
    return name if is_significant or name.rpartition(".")[2] in _SIGNIFICANT_ENDS else ""


def counts_one_model_call(kind: str, model: str | None) -> bool:
    """Return whether tokens of a span are those of one LLM call, rather than a sum.

    Logfire tells those of a streamed call by a line of its log, which is no span of the call.
    """
    return kind in MODEL_KINDS or (kind == SpanKind.OTHER and model is not None)


def calls_tool(kind: SpanKind, name: str) -> bool:
    """Return whether a span that is no duplicate counts as a tool call.

    So does a request of the MCP SDK, where nobody else reports the call.
    """
    return kind is SpanKind.TOOL or (kind is SpanKind.MCP and name.startswith(_SDK_CALLS))


def mcp_method_in_name(name: str) -> str | None:
    """Return the MCP method in a span name of OpenLLMetry, which has it only there.

    `tools/list.mcp`, `initialize.mcp`.
    """
    if not name.endswith(".mcp"):
        return None
    method = name.removesuffix(".mcp")
    return method if "/" in method or method in ("initialize", "ping") else None


_AGENT_PREFIX = re.compile(r"^(?:invoke_agent|create_agent) (?=.)")


def tool_name(name: str, attributes: Attributes) -> str:
    """Return the tool that a span called; the span's name when it names none."""
    return as_text(first(attributes, TOOL)) or _tool_in(name)


def _tool_in(name: str) -> str:
    # MCP's client spans have it in the name only: `MCP send tools/call search`.
    found = name.rpartition("tools/call ")[2].removeprefix("execute_tool ")
    return found.removesuffix(".tool") or name


def agent_name(name: str, attributes: Attributes) -> str:
    """Return the agent of a run: `invoke_agent planner` is `planner`."""
    return as_text(first(attributes, AGENT)) or _agent_in(name)


def _agent_in(name: str) -> str:
    found = _AGENT_PREFIX.sub("", name).removeprefix(_QUARKUS_SERVICE)
    return found.removesuffix(".agent") or found


def subject_of(kind: SpanKind, name: str, attributes: Attributes) -> str | None:
    """Return the tool that a span calls, or the agent that runs; None for other kinds."""
    match kind:
        case SpanKind.TOOL:
            return tool_name(name, attributes)
        case SpanKind.AGENT:
            return agent_name(name, attributes)
        case _:
            return None


def subject_in_name(kind: SpanKind, name: str) -> str:
    """Return the tool or agent of a span whose attributes do not name it."""
    return _tool_in(name) if kind is SpanKind.TOOL else _agent_in(name)
