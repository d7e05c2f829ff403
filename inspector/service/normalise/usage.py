"""Tokens and cost of one span, in any spelling."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from inspector.service.model.otlp_values import as_cost_usd, as_text, as_token_count
from inspector.service.model.rows import Json, SpanKind
from inspector.service.normalise import keys
from inspector.service.normalise.kinds import MODEL_KINDS, counts_one_model_call
from inspector.service.normalise.messages import load
from inspector.service.wire import Usage

Attributes = Mapping[str, Json]

GENKIT_OUTPUT = "genkit:output"
USAGE_KIND = "ag2.usage.kind"
"""What a span of AG2 that is about tokens alone counts."""
REPEATED_USAGE = ("model_call", "subtask")
"""Kinds of such spans whose LLM calls have spans of their own."""
_MAX_REPR = 2_000
# Objects in which some senders put the details: attribute, then steps to the number.
# Genkit has it in the answer only, which the spans above an LLM call repeat.
_INPUT = ((GENKIT_OUTPUT, "usage", "inputTokens"),)
_OUTPUT = ((GENKIT_OUTPUT, "usage", "outputTokens"),)
_CACHE_READ = (
    (GENKIT_OUTPUT, "usage", "cachedContentTokens"),
    ("gen_ai.usage.input_token_details", "cache_read"),
    ("gen_ai.usage.raw", "prompt_tokens_details", "cached_tokens"),
    ("gen_ai.usage.raw", "input_tokens_details", "cached_tokens"),
    ("gen_ai.usage.raw", "cache_read_input_tokens"),
)
_CACHE_WRITE = (
    ("gen_ai.usage.input_token_details", "cache_creation"),
    ("gen_ai.usage.raw", "cache_creation_input_tokens"),
)
_REASONING = (
    (GENKIT_OUTPUT, "usage", "thoughtsTokens"),
    ("gen_ai.usage.output_token_details", "reasoning"),
    ("gen_ai.usage.raw", "completion_tokens_details", "reasoning_tokens"),
    ("gen_ai.usage.raw", "output_tokens_details", "reasoning_tokens"),
)


def usage_of(attributes: Attributes, kind: SpanKind) -> Usage | None:
    """Return the reported usage of a span; None when there is none.

    Aliases of one count are alternatives, never summands. What does not add up is flagged, not
    mended: Anthropic's raw input leaves out what was cached.
    """
    if kind not in MODEL_KINDS and GENKIT_OUTPUT in attributes:
        return None
    input_tokens = _count(attributes, keys.INPUT_TOKENS, _INPUT)
    output_tokens = _count(attributes, keys.OUTPUT_TOKENS, _OUTPUT)
    cache_read = _count(attributes, keys.CACHE_READ_TOKENS, _CACHE_READ)
    cache_write = _count(attributes, keys.CACHE_WRITE_TOKENS, _CACHE_WRITE)
    reasoning = _count(attributes, keys.REASONING_TOKENS, _REASONING)
    cost_usd = as_cost_usd(keys.first(attributes, keys.COST_USD))
    counts = (input_tokens, output_tokens, cache_read, cache_write, reasoning, cost_usd)
    if all(count is None for count in counts):
        return None
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cache_read_tokens=cache_read,
        cache_write_tokens=cache_write,
        reasoning_tokens=reasoning,
        cost_usd=cost_usd,
        cost_source=None if cost_usd is None else "sender",
        is_aggregate=not counts_one_model_call(kind, as_text(keys.first(attributes, keys.MODEL))),
        is_suspect=input_tokens is not None
        and (cache_read or 0) + (cache_write or 0) > input_tokens,
    )


def _count(
    attributes: Attributes, names: tuple[str, ...], places: tuple[tuple[str, ...], ...]
) -> int | None:
    found = as_token_count(keys.first(attributes, names))
    if found is not None:
        return found
    # Most senders have none of these objects: to look into each takes as long as all the rest.
    there = (place for place in places if place[0] in attributes)
    return next((n for place in there if (n := _at(attributes, place)) is not None), None)


def _at(attributes: Attributes, place: tuple[str, ...]) -> int | None:
    found: Any = _object(attributes.get(place[0]))
    for step in place[1:]:
        found = found.get(step) if isinstance(found, dict) else None
    return as_token_count(found)


def _object(value: Json) -> Json:
    """Return an object that is one, JSON text, or (LangSmith) Python's text of one."""
    loaded: Json = load(value)
    if not isinstance(loaded, str) or len(loaded) > _MAX_REPR or not loaded.startswith("{"):
        return loaded
    try:
        parsed: Json = ast.literal_eval(loaded)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return parsed
