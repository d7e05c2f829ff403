"""Finish reasons of models, in one spelling."""

from __future__ import annotations

from inspector.service.model.nesting import parse
from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Json

ALIASES = {
    "tool_calls": "tool_call",
    "tool_use": "tool_call",
    "tool_execution": "tool_call",
    "function_call": "tool_call",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "safety": "content_filter",
    "refusal": "content_filter",
}


def finish_reason(raw: str) -> str:
    """Return the official name (`stop`, `length`, `tool_call`, `content_filter`), else `raw`."""
    spelled = raw.strip().replace("-", "_").lower()
    return ALIASES.get(spelled, spelled) or raw


def finish_reasons(value: Json) -> list[str]:
    """Return the reasons as written by their sender: one, a list, or JSON text of a list."""
    if isinstance(value, str) and value.startswith("["):
        value = _parsed(value)
    if isinstance(value, list):
        return [reason for reason in map(as_text, value) if reason]
    reason = as_text(value)
    return [reason] if reason else []


def _parsed(text: str) -> Json:
    try:
        parsed: Json = parse(text)
    except ValueError:
        return text
    return parsed
