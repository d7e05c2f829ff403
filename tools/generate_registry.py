"""Generate the semantic-convention registry of what Inspector alone defines, from the spec.

Weaver reads `docs/semconv`: `manifest.yaml`, attributes under `inspector.` and `mcp.`, the events,
and the import of what OpenTelemetry defines, which the other files only refer to.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from subscribers.send.live_record import HEARTBEAT, PROGRESS, SPAN_NAME, STARTED
from subscribers.spec.loader import load_spec
from subscribers.spec.model import DEFAULT_PATH, HookSpec, Requirement, Spec, Truncation

ROOT = Path(__file__).resolve().parent.parent

OPENTELEMETRY_VERSION = "1.41.1"
"""The last release of OpenTelemetry's registry that has the GenAI and MCP conventions."""

OPENTELEMETRY_MCP = frozenset(
    {"mcp.method.name", "mcp.session.id", "mcp.resource.uri", "mcp.protocol.version"}
)
_REFERENCES = {"http.response.header.retry-after": "http.response.header"}
"""Keys of events that OpenTelemetry defines as a template."""

BESIDE_THE_TABLE: Mapping[str, tuple[str, str]] = {
    "inspector.truncated": ("string[]", "Keys of the attributes whose value is cut."),
    "inspector.redacted": ("string[]", "Where a secret was replaced."),
    "inspector.duplicate_of": ("string", "The span that reports the same call."),
    "inspector.incomplete": ("boolean", "The end of the span was never reported."),
    "inspector.orphan": ("boolean", "The start of the span was never reported."),
    "inspector.contract.version": ("string", "The version of the hook contract."),
    "inspector.semconv": ("string", "The revision of the conventions that is followed."),
    "inspector.run.id": ("string", "The run that began the trace."),
    "inspector.run.status": (
        "string",
        "How a script of several traces ends: `completed`, `failed` or `cancelled`.",
    ),
    "inspector.cost.usd": ("double", "The cost of the call in US dollars."),
    "inspector.cost.source": ("string", "The price list of the cost."),
    "inspector.stream.text": ("string", "The end of the text so far."),
    "inspector.stream.chars": ("int", "The length of the text so far."),
    "inspector.stream.last_chunk_s": ("double", "Seconds from the start to the newest chunk."),
    "inspector.state.value_truncated": ("boolean", "The value of the state is cut."),
    "mcp.state": ("template[any]", "`NAME_json`, a captured state; `NAME_json_truncated`."),
    "mcp.result": ("template[any]", "`NAME_json`, a captured result; `NAME_json_truncated`."),
    SPAN_NAME: ("string", "The name of the running span."),
    "inspector.span.kind": ("int", "The kind of the running span, as OTLP numbers it."),
    "inspector.span.flags": ("int", "The flags of the running span, as in OTLP."),
    "inspector.span.parent_span_id": ("string", "The parent of the running span, in hex."),
    "inspector.span.scope_name": ("string", "The name of its instrumentation scope."),
    "inspector.span.scope_version": ("string", "The version of its instrumentation scope."),
    "inspector.process.state": ("string", "`alive` or `exiting`."),
    "inspector.process.lost_after_s": ("double", "Seconds of silence that mean it is lost."),
    "inspector.mcp.direction": ("string", "`to_server` or `to_client`."),
    "inspector.mcp.headers": ("any", "HTTP headers, as JSON or a map."),
    "inspector.mcp.frame.size": ("int", "Bytes of the message, if the body is cut."),
}
"""Type and meaning of attributes that have no row in the table."""

_IDENTITY = tuple(key for key in BESIDE_THE_TABLE if key.startswith("inspector.span."))
_STREAM = tuple(key for key in BESIDE_THE_TABLE if key.startswith("inspector.stream."))
EVENTS_OF_NO_HOOK: Mapping[str, tuple[str, tuple[str, ...]]] = {
    STARTED: ("A span starts, with its own attributes so far.", _IDENTITY),
    PROGRESS: ("The name or attributes of a running span change.", (*_IDENTITY, *_STREAM)),
    HEARTBEAT: (
        "A process lives, or exits.",
        (
            *("inspector.process.state", "inspector.process.lost_after_s"),
            *("inspector.run.id", "inspector.run.status"),
        ),
    ),
    "inspector.mcp.frame": (
        "The body is a JSON-RPC message as on the wire.",
        (
            "inspector.mcp.direction", "inspector.mcp.headers", "inspector.mcp.frame.size",
            "inspector.mcp.server.name", "inspector.mcp.transport", "inspector.mcp.connection.id",
            "mcp.session.id", "mcp.protocol.version",
        ),
    ),
}  # fmt: skip
"""Meaning and attributes of live records that report no hook; see `docs/formats.md`."""

_TYPES = {"bool": "boolean", "json": "string"}
_WHEN_KNOWN = "{conditionally_required: When known.}"
_LEVELS = {
    Requirement.REQUIRED: "required",
    Requirement.CONDITIONAL: _WHEN_KNOWN,
    Requirement.RECOMMENDED: "recommended",
    Requirement.OPT_IN: "opt_in",
    Requirement.OWN: _WHEN_KNOWN,
}


def outputs() -> dict[Path, str]:
    """Return the files of the registry."""
    spec = load_spec(DEFAULT_PATH)
    folder = Path("docs/semconv")
    return {
        folder / "manifest.yaml": _manifest(spec.version),
        folder / "attributes.yaml": _document([_attributes(spec)]),
        folder / "events.yaml": _document(dict(sorted(_events(spec))).values()),
        folder / "imports.yaml": _IMPORTS,
    }


def own(key: str) -> bool:
    """Return whether this registry defines `key`."""
    return key.startswith(("inspector.", "mcp.")) and key not in OPENTELEMETRY_MCP


def _manifest(version: str) -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    archive = "https://github.com/open-telemetry/semantic-conventions/archive/refs/tags"
    return f"""\
# Generated by `make gen`.
description: What Inspector sends beside OpenTelemetry's own conventions.
schema_url: {project["urls"]["Repository"]}/schemas/{version}.0
dependencies:
  - schema_url: https://opentelemetry.io/schemas/{OPENTELEMETRY_VERSION}
    registry_path: {archive}/v{OPENTELEMETRY_VERSION}.zip[model]
"""


_IMPORTS = """\
# Generated by `make gen`.
imports:
  attribute_groups: ["*"]
  entities: ["*"]
  events: ["*"]
  metrics: ["*"]
  spans: ["*"]
"""


def _document(groups: Iterable[str]) -> str:
    return "# Generated by `make gen`.\ngroups:\n" + "".join(groups)


def _attributes(spec: Spec) -> str:
    found = dict(BESIDE_THE_TABLE)
    for hook in spec.hooks.values():
        for row in hook.attributes:
            for key in filter(own, row.keys):
                meaning = f"From `{row.source or row.constant}` of the hook `{hook.name}`."
                found.setdefault(key, (_TYPES.get(row.type, row.type), meaning))
            if row.legacy and own(row.legacy) and row.truncation is Truncation.JSON:
                found[f"{row.legacy}_truncated"] = ("boolean", f"`{row.legacy}` is cut.")
    head = _group("registry.inspector", "attribute_group", "What OpenTelemetry does not define.")
    return head + "".join(
        f"      - id: {key}\n        type: {kind}\n        stability: development\n"
        f"        brief: {json.dumps(meaning)}\n{_examples(kind)}"
        for key, (kind, meaning) in sorted(found.items())
    )


def _examples(kind: str) -> str:
    example = {"string": '["text"]', "string[]": '[["first", "second"]]'}.get(kind)
    return f"        examples: {example}\n" if example else ""


def _events(spec: Spec) -> Iterator[tuple[str, str]]:
    for name, (meaning, keys) in EVENTS_OF_NO_HOOK.items():
        yield name, _event(name, meaning, dict.fromkeys(keys, _WHEN_KNOWN))
    by_name: dict[str, list[HookSpec]] = {}
    for hook in spec.hooks.values():
        by_name.setdefault(hook.event or "", []).append(hook)
    del by_name[""]
    for name, hooks in by_name.items():
        names = ", ".join(f"`{hook.name}`" for hook in hooks)
        yield name, _event(name, f"Of the hook {names}.", _levels(hooks))


def _levels(hooks: list[HookSpec]) -> dict[str, str]:
    """Return key to requirement level; nothing is required that only one of several hooks has."""
    return {
        _REFERENCES.get(key, key): _LEVELS[row.requirement] if len(hooks) == 1 else _WHEN_KNOWN
        for hook in hooks
        for row in hook.attributes
        for key in row.keys
    }


def _event(name: str, meaning: str, levels: Mapping[str, str]) -> str:
    head = _group(f"event.{name}", "event", meaning, f"    name: {name}\n")
    return head + "".join(
        f"      - ref: {key}\n        requirement_level: {level}\n" for key, level in levels.items()
    )


def _group(name: str, kind: str, brief: str, more: str = "") -> str:
    return (
        f"  - id: {name}\n    type: {kind}\n{more}    stability: development\n"
        f"    brief: {json.dumps(brief)}\n    attributes:\n"
    )
