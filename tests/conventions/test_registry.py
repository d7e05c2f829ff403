"""The semantic-convention registry that is generated from the telemetry spec."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tools.generate_registry import OPENTELEMETRY_MCP, outputs

GOLDEN = Path(__file__).parent.parent / "golden" / "demo_release.otlp.jsonl"
TYPES = {
    "stringValue": "string",
    "intValue": "int",
    "doubleValue": "double",
    "boolValue": "boolean",
    "arrayValue": "string[]",
}


def groups(name: str) -> Any:
    return yaml.safe_load(outputs()[Path("docs/semconv", name)])["groups"]


def attributes_in(node: Any) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        if "key" in node and "value" in node:
            yield node["key"], TYPES[next(iter(node["value"]))]
        for value in node.values():
            yield from attributes_in(value)
    elif isinstance(node, list):
        for item in node:
            yield from attributes_in(item)


def test_every_attribute_of_the_demo_is_defined_with_the_type_it_is_sent_with() -> None:
    [group] = groups("attributes.yaml")
    defined = {row["id"]: row["type"] for row in group["attributes"]}
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    sent = {
        (key, kind)
        for line in lines
        for key, kind in attributes_in(json.loads(line))
        if key.startswith(("inspector.", "mcp.")) and key not in OPENTELEMETRY_MCP
    }
    assert sent
    assert sent - set(defined.items()) == set()


def test_events_refer_to_attributes_and_define_none() -> None:
    [group] = groups("attributes.yaml")
    defined = {row["id"] for row in group["attributes"]}
    for event in groups("events.yaml"):
        assert event["type"] == "event"
        assert event["id"] == f"event.{event['name']}"
        for row in event["attributes"]:
            assert set(row) == {"ref", "requirement_level"}
            own = row["ref"].startswith(("inspector.", "mcp."))
            assert not own or row["ref"] in defined | OPENTELEMETRY_MCP
