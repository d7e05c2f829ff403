"""Tools offered to a model: what is kept of them, from each provider's spelling."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from subscribers import Capture
from subscribers.content.convert import tool_definitions
from tests.unit.subscribers.conftest import Traced

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
SEARCH = {"type": "function", "name": "search", "description": "Finds.", "parameters": SCHEMA}
_NAMED = {"name": "search", "description": "Finds."}


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {**_NAMED, "parameters": SCHEMA}},
        {"type": "function", **_NAMED, "parameters": SCHEMA, "strict": True},
        {**_NAMED, "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}},
        {"toolSpec": {**_NAMED, "inputSchema": {"json": SCHEMA}}},
        SimpleNamespace(**_NAMED, inputSchema=SCHEMA, annotations=None),
        {"functionDeclarations": [{**_NAMED, "parametersJsonSchema": SCHEMA}]},
    ],
    ids=["chat completions", "responses", "anthropic", "bedrock", "mcp", "google"],
)
def test_name_description_and_schema_are_read_from_any_spelling(tool: Any) -> None:
    assert tool_definitions([tool]) == [SEARCH]


def test_a_tool_of_the_providers_own_is_known_by_its_type() -> None:
    found = tool_definitions([{"type": "web_search"}, "lookup", 7, {"type": None}])
    assert found == [
        {"type": "web_search", "name": "web_search"},
        {"type": "function", "name": "lookup"},
    ]
    assert tool_definitions([]) is tool_definitions("search") is tool_definitions(7) is None


def offered(tools: Any, capture: Capture = Capture.REDACTED) -> tuple[Any, Any]:
    traced = Traced(capture=capture)
    params = {"tools": tools}
    with traced.bus.operation("llm_generate", llm=None, prompt="?", request_params=params):
        pass
    traced.off()
    attributes = traced.spans[0].attributes or {}
    found = attributes.get("gen_ai.tool.definitions")
    return json.loads(str(found)) if found else None, attributes.get("inspector.truncated")


def test_they_are_content() -> None:
    assert offered([SEARCH]) == ([SEARCH], None)
    assert offered([SEARCH], Capture.OFF) == (None, None)


def test_a_parameter_for_a_secret_keeps_its_schema_and_not_its_values() -> None:
    def tool(**password: Any) -> dict[str, Any]:
        return {"name": "login", "parameters": {"properties": {"password": password}}}

    shown = {"type": "string", "description": "Of the account."}
    optional = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": "hunter2"}
    sent, _ = offered([tool(**shown), tool(**optional), tool(type="string", value="hunter2")])
    first, second, third = (one["parameters"]["properties"]["password"] for one in sent)
    assert first == shown
    assert second == {**optional, "default": "[redacted]"}
    assert third == "[redacted]", "it is a value, not a schema"


def test_of_more_than_fits_every_tool_keeps_its_name() -> None:
    wide = {"properties": {f"p{n}": {"type": "string"} for n in range(500)}}
    tools = [{"name": f"t{n}", "description": "x" * 500, "parameters": wide} for n in range(40)]
    sent, truncated = offered(tools)
    assert [one["name"] for one in sent] == [f"t{n}" for n in range(40)]
    assert sent[0]["parameters"] == wide
    assert sent[-1]["parameters"] == {"type": "omitted", "count": 1}
    assert truncated == ("gen_ai.tool.definitions",)
    (deep,), _ = offered([{"name": "deep", "parameters": _endless()}])
    assert deep["name"] == "deep"


def _endless() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {f"p{n}": schema for n in range(9)}
    return schema
