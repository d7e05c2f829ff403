"""Attribute keys of each fact, in order of precedence, over all conventions.

Aliases of one quantity are alternatives, never summands.
"""

from __future__ import annotations

from collections.abc import Mapping

from inspector.service.model.rows import Json

MODEL = (
    "gen_ai.request.model",
    "gen_ai.response.model",
    "llm.request.model_name",
    "llm.model_name",
    "embedding.model_name",
    "ai.model.id",
    "langsmith.metadata.ls_model_name",
    "mcp.llm.model",
)
MODEL_REQUESTED = (
    "gen_ai.request.model",
    "llm.request.model_name",
    "ai.model.id",
    "langsmith.metadata.ls_model_name",
    "mcp.llm.model",
)
MODEL_RESPONDED = (
    "gen_ai.response.model",
    "llm.response.model_name",
    "llm.model_name",
    "embedding.model_name",
    "ai.response.model",
)
RESPONSE_ID = ("gen_ai.response.id", "llm.response.id", "ai.response.id")
PROVIDER = (
    "gen_ai.provider.name",
    "gen_ai.system",
    "llm.provider",
    "llm.system",
    "ai.model.provider",
    "langsmith.metadata.ls_provider",
    "mcp.llm.provider",
)
INPUT_TOKENS = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
    "ai.usage.tokens",
    "gen_ai.aggregated_usage.input_tokens",
)
OUTPUT_TOKENS = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
    "gen_ai.aggregated_usage.output_tokens",
)
CACHE_READ_TOKENS = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "llm.token_count.prompt_details.cache_read",
    "llm.token_count.prompt_details.cache_input",
    "ai.usage.cachedInputTokens",
    "ai.usage.inputTokenDetails.cacheReadTokens",
    "gen_ai.usage.details.cache_read_tokens",
    "gen_ai.aggregated_usage.cache_read.input_tokens",
)
CACHE_WRITE_TOKENS = (
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.cache_write_input_tokens",
    "llm.token_count.prompt_details.cache_write",
    "ai.usage.inputTokenDetails.cacheWriteTokens",
    "gen_ai.usage.details.cache_write_tokens",
    "gen_ai.aggregated_usage.cache_creation.input_tokens",
)
REASONING_TOKENS = (
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.reasoning_tokens",
    "llm.token_count.completion_details.reasoning",
    "ai.usage.reasoningTokens",
    "ai.usage.outputTokenDetails.reasoningTokens",
    "gen_ai.usage.details.reasoning_tokens",
)
AUDIO_INPUT_TOKENS = (
    "gen_ai.usage.audio.input_tokens",
    "llm.token_count.prompt_details.audio",
    "gen_ai.usage.details.input_audio_tokens",
)
AUDIO_OUTPUT_TOKENS = (
    "gen_ai.usage.audio.output_tokens",
    "llm.token_count.completion_details.audio",
    "gen_ai.usage.details.output_audio_tokens",
)
AUDIO_CACHE_READ_TOKENS = (
    "gen_ai.usage.audio.cache_read.input_tokens",
    "gen_ai.usage.details.cache_audio_read_tokens",
)
SERVICE_TIER = (
    "openai.response.service_tier",
    "gen_ai.openai.response.service_tier",
    "openai.request.service_tier",
    "gen_ai.openai.request.service_tier",
)
SERVER_ADDRESS = ("server.address", "gen_ai.server.address")
USAGE_OBJECTS = (
    "gen_ai.usage.input_token_details",
    "gen_ai.usage.output_token_details",
    "gen_ai.usage.raw",
)
"""Objects in which some senders put the parts of the counts."""
COST_USD = (
    "inspector.cost.usd",
    "llm.cost.total",
    "operation.cost",
    "gen_ai.cost.total_cost",
    "gen_ai.client.estimated_cost",
)
AGENT = (
    "gen_ai.agent.name",
    "agent.name",
    "mcp.agent.name",
    "agent_name",
    "ai.telemetry.functionId",
)
TOOL = (
    "gen_ai.tool.name",
    "tool.name",
    "mcp.tool.name",
    "ai.toolCall.name",
    "request.params.name",
    "traceloop.entity.name",
    "spring.ai.tool.definition.name",
)
TOOL_DESCRIPTION = (
    "gen_ai.tool.description",
    "tool.description",
    "spring.ai.tool.definition.description",
)
TOOL_CALL_ID = ("gen_ai.tool.call.id", "tool.id", "tool_call.id", "ai.toolCall.id")
TOOL_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "mcp.tool.input_json",
    "spring.ai.tool.call.arguments",
    "tool_arguments",
    "ai.toolCall.args",
)
TOOL_RESULT = (
    "gen_ai.tool.call.result",
    "mcp.tool.output_json",
    "spring.ai.tool.call.result",
    "tool_response",
    "ai.toolCall.result",
)
MCP_METHOD = ("mcp.method.name", "mcp.rpc.method", "rpc.method")
# Who has no session, and calls or serves MCP, has a connection.
MCP_CONNECTION = ("inspector.mcp.connection.id", "mcp.session.id")
TITLE = ("inspector.session.title",)
ENGINE = ("inspector.engine",)
TAGS = ("inspector.tags", "tag.tags", "langsmith.span.tags", "logfire.tags")
USER = (
    "user.id",
    "enduser.id",
    "traceloop.association.properties.user_id",
    "ai.telemetry.metadata.userId",
    "langsmith.metadata.user_id",
)
CONVERSATION = ("gen_ai.conversation.id",)
STALL = (
    "inspector.stream.longest_stall_s",
    "inspector.stream.longest_stall_at_s",
    "inspector.stream.last_chunk_s",
)
"""The longest stall of a streamed answer, when it began, and the newest chunk of one that runs."""
STREAM_TEXT = "inspector.stream.text"
STREAM_CHARS = "inspector.stream.chars"
# Beside this one, pydantic-ai's, the conversation is one that it made up for the run.
RUN = ("gen_ai.agent.call.id",)
# In order: the application's session, a conversation, what single vendors call it, the process.
SESSION = (
    "session.id",
    *CONVERSATION,
    "traceloop.association.properties.session_id",
    "ai.telemetry.metadata.sessionId",
    "ai.settings.context.sessionId",
    "langsmith.metadata.thread_id",
    "langsmith.metadata.session_id",
    "inspector.run.id",  # of a script or a notebook, last: anything else is closer
)


def first(attributes: Mapping[str, Json], keys: tuple[str, ...]) -> Json:
    """Return the first value that is present and not empty; 0 and False count as present."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and value != "" and value != []:
            return value
    return None


def first_key(attributes: Mapping[str, Json], keys: tuple[str, ...]) -> str | None:
    """Return the key that `first` would read."""
    return next((key for key in keys if attributes.get(key) not in (None, "", [])), None)
