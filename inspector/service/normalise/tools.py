"""Tools offered to a model, in any provider's spelling."""

from __future__ import annotations

from typing import Any

from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Json
from inspector.service.normalise.messages import load
from inspector.service.normalise.parts import first
from inspector.service.normalise.payload import payload
from inspector.service.wire import ToolDefinition

MAX_TOOLS = 1_000
_SCHEMAS = ("parameters", "inputSchema", "input_schema", "parameters_json_schema", "schema")


def tool_definitions(value: Json) -> list[ToolDefinition]:
    """Return the tools that `value` (a list, or JSON text of one) defines; others are left out."""
    loaded = load(value)
    if isinstance(loaded, dict):
        loaded = first(loaded, "tools", "function_tools") or [loaded]
    items = loaded if isinstance(loaded, list) else []
    found = (_definition(load(item)) for item in items[:MAX_TOOLS])
    return [tool for tool in found if tool is not None]


def _definition(item: Any) -> ToolDefinition | None:
    if not isinstance(item, dict):
        return None
    inner = first(item, "function", "toolSpec", "tool_spec")
    fields = inner if isinstance(inner, dict) else item
    name = as_text(fields.get("name"))
    if name is None:
        return None
    schema = load(first(fields, *_SCHEMAS))
    if isinstance(schema, dict) and set(schema) in ({"json"}, {"jsonSchema"}):
        schema = next(iter(schema.values()))
    return ToolDefinition(
        name=name,
        description=as_text(fields.get("description")),
        parameters=None if schema is None else payload(schema),
    )
