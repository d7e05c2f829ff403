"""The official GenAI conventions with messages as attributes, in all versions."""

from __future__ import annotations

from pydantic import JsonValue

from inspector.service.model.otlp_values import as_float
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.finish_reasons import finish_reasons
from inspector.service.normalise.messages import messages_of, system_of
from inspector.service.normalise.tools import tool_definitions

_REQUEST = "gen_ai.request."


def _request_params(source: SpanSource) -> dict[str, JsonValue]:
    return {
        key.removeprefix(_REQUEST): value
        for key, value in source.attributes.items()
        if key.startswith(_REQUEST) and key != "gen_ai.request.model"
    }


def _finish_reasons(source: SpanSource) -> list[str]:
    official = finish_reasons(source.get("gen_ai.response.finish_reasons"))
    return official or finish_reasons(source.get("anthropic.message.stop_reason"))


def _first_chunk_ms(source: SpanSource) -> float | None:
    seconds = as_float(
        source.get(
            "gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk"
        )
    )
    return None if seconds is None else seconds * 1000


GENAI = Convention(
    "GenAI semantic conventions",
    "OpenTelemetry's own instrumentations, OpenLLMetry since 0.55, pydantic-ai, Vercel AI SDK 7,"
    " Logfire, the Anthropic SDK, Inspector itself",
    (
        "gen_ai.system_instructions",
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.tool.definitions",
        "gen_ai.request.*",
        "gen_ai.response.finish_reasons",
        "anthropic.message.stop_reason",
        "gen_ai.response.time_to_first_chunk",
        "gen_ai.client.operation.time_to_first_chunk",
    ),
    system=lambda source: system_of(source.get("gen_ai.system_instructions")),
    input=lambda source: messages_of(source.get("gen_ai.input.messages"), "input"),
    output=lambda source: messages_of(source.get("gen_ai.output.messages"), "output"),
    tools=lambda source: tool_definitions(source.get("gen_ai.tool.definitions")),
    request_params=_request_params,
    finish_reasons=_finish_reasons,
    first_chunk_ms=_first_chunk_ms,
)
