"""The semantic-convention registry that is generated from the telemetry spec."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Span, TracerProvider

from instrument import CATALOGUE, CONTRACT_VERSION
from subscribers.send.live_record import STARTED, LiveRecord, heartbeat
from tests.unit.subscribers.firing import fire
from tools.generate_registry import EVENTS_OF_NO_HOOK, OPENTELEMETRY_VERSION, outputs, own

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "demo_release.otlp.jsonl"
OTLP_TYPES = {
    "stringValue": "string",
    "intValue": "int",
    "doubleValue": "double",
    "boolValue": "boolean",
    "arrayValue": "string[]",
}
PYTHON_TYPES: Mapping[type, str] = {
    str: "string",
    int: "int",
    float: "double",
    bool: "boolean",
    tuple: "string[]",
    list: "string[]",
}
NO_TELEMETRY = frozenset({"inspector.json", "inspector.live"})
"""What `docs/formats.md` names beside attributes and events: a file, and a scope."""


@cache
def document(name: str) -> Any:
    return yaml.safe_load(outputs()[Path("docs/semconv", name)])


def defined() -> dict[str, str]:
    [group] = document("attributes.yaml")["groups"]
    return {row["id"]: row["type"] for row in group["attributes"]}


def events() -> dict[str, Any]:
    return {group["name"]: group for group in document("events.yaml")["groups"]}


def undefined(sent: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those of our attributes whose key or type the registry does not have."""
    types = defined()
    templates = tuple(f"{key}." for key, kind in types.items() if kind.startswith("template"))
    return {
        (key, kind)
        for key, kind in sent
        if own(key) and types.get(key, kind if key.startswith(templates) else None) != kind
    }


def in_otlp(node: Any) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        if "key" in node and "value" in node:
            yield node["key"], OTLP_TYPES[next(iter(node["value"]))]
        for value in node.values():
            yield from in_otlp(value)
    elif isinstance(node, list):
        for item in node:
            yield from in_otlp(item)


def in_python(attributes: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(key, PYTHON_TYPES[type(value)]) for key, value in attributes.items()}


def test_every_attribute_of_the_demo_is_defined_with_the_type_it_is_sent_with() -> None:
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    sent = {pair for line in lines for pair in in_otlp(json.loads(line))}
    assert sum(own(key) for key, _ in sent) > 30
    assert undefined(sent) == set()


def test_every_attribute_of_every_hook_is_defined_with_the_type_it_is_sent_with() -> None:
    sent = {pair for attributes in fire(CATALOGUE).attributes() for pair in in_python(attributes)}
    assert sum(own(key) for key, _ in sent) > 100
    assert undefined(sent) == set()


def test_live_records_of_no_hook_are_defined_with_their_attributes() -> None:
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("scope", "1.0")
    with tracer.start_as_current_span("outer"), tracer.start_as_current_span("inner") as span:
        assert isinstance(span, Span)
        started = LiveRecord(STARTED, 0, span.context, {}, span.resource, span)
    ending = {"inspector.run.id": "run-1", "inspector.run.status": "completed"}
    ended = heartbeat(Resource({}), state="exiting", lost_after_s=12.0, ending=ending)
    for record in (started, ended):
        sent = in_python(record.all_attributes())
        assert {key for key, _ in sent} == set(EVENTS_OF_NO_HOOK[record.name][1])
        assert undefined(sent) == set()


def test_every_name_of_the_page_of_formats_is_defined() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(inspector(?:\.[a-z_]+)+)`", text)) - NO_TELEMETRY
    assert len(named) > 40
    assert named - set(defined()) - set(events()) == set()


def test_events_refer_to_attributes_and_define_none() -> None:
    for name, event in events().items():
        assert event["type"] == "event"
        assert event["id"] == f"event.{name}"
        for row in event["attributes"]:
            assert set(row) == {"ref", "requirement_level"}
            assert not own(row["ref"]) or row["ref"] in defined()


def test_the_manifest_names_this_project_the_contract_and_opentelemetrys_registry() -> None:
    manifest = document("manifest.yaml")
    assert set(manifest) == {"description", "schema_url", "dependencies"}
    assert manifest["schema_url"] == (
        f"https://github.com/mcp-agent-inspector/mcp-agent-inspector/schemas/{CONTRACT_VERSION}.0"
    )
    [dependency] = manifest["dependencies"]
    assert dependency["schema_url"] == f"https://opentelemetry.io/schemas/{OPENTELEMETRY_VERSION}"
    assert f"/v{OPENTELEMETRY_VERSION}.zip[model]" in dependency["registry_path"]
