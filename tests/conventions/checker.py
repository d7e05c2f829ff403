"""Holds spans against the rules of the official conventions (`rules.json`).

Rules without a row are functions here, each with its sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

RULES: Mapping[str, Any] = json.loads(
    Path(__file__).with_name("rules.json").read_text(encoding="utf-8")
)
NAMESPACES = frozenset(key.partition(".")[0] for key in RULES["attributes"])
ANYWHERE = frozenset({"session.id"})
"""General attributes, which belong to no span type."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "int": (int,),
    "double": (float,),
    "boolean": (bool,),
    "any": (str, dict, list, tuple),
    "template[string]": (str,),
}


def violations(
    span: ReadableSpan, at_start: Mapping[str, Any], *, others: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Tell what of `span` breaks the conventions.

    Args:
        span: One that has ended.
        at_start: Its attributes when it was started.
        others: Keys that another vocabulary writes into an official namespace.
    """
    attributes = {key: v for key, v in (span.attributes or {}).items() if key not in others}
    types = list(span_types(span, attributes))
    for key, value in attributes.items():
        if key.partition(".")[0] in NAMESPACES:
            yield from _attribute(key, value, types)
    for span_type in types[:1]:
        rules = RULES["spans"][span_type]
        yield from _required(rules, attributes)
        yield from _kind_and_name(span, rules, attributes)
    for span_type in types:
        yield from _at_start(RULES["spans"][span_type], attributes, at_start)
    if types:
        yield from _status(span, attributes, RULES["spans"][types[0]]["not_errors"])
        yield from _conditions(attributes)


def span_types(span: ReadableSpan, attributes: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the span is of, the first thing first: a tool span may be an MCP call, too."""
    operation, method = (attributes.get(k) for k in ("gen_ai.operation.name", "mcp.method.name"))
    if method is not None and span.kind in {SpanKind.CLIENT, SpanKind.SERVER}:
        yield f"mcp.{span.kind.name.lower()}"
        return
    for span_type, rules in RULES["spans"].items():
        if operation in rules.get("operations", ()):
            yield span_type
    if method is not None:
        yield "mcp.client"


def _attribute(key: str, value: Any, types: Sequence[str]) -> Iterator[str]:
    known = _known(key)
    if known is None:
        yield f"{key} is no attribute of the conventions"
        return
    rule = RULES["attributes"][known]
    if not _has_type(value, rule["type"]):
        yield f"{key} is {value!r}, not {rule['type']}"
    if rule["type"] == "any" and isinstance(value, str) and not _is_json(value):
        yield f"{key} is neither structured nor JSON"
    if "members" in rule and value not in rule["members"]:
        yield f"{key} is {value!r}, not one of its members"
    is_listed = any(known in RULES["spans"][span_type]["attributes"] for span_type in types)
    if types and not is_listed and known not in ANYWHERE:
        yield f"{key} is not of {types[0]}"


@cache
def _known(key: str) -> str | None:
    if key in RULES["attributes"]:
        return key
    for known, rule in RULES["attributes"].items():
        if rule["type"].startswith("template") and key.startswith(f"{known}."):
            return str(known)
    return None


def _has_type(value: Any, kind: str) -> bool:
    if kind.endswith("[]"):
        is_list = isinstance(value, list | tuple)
        return is_list and all(_has_type(item, kind.removesuffix("[]")) for item in value)
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _required(rules: Mapping[str, Any], attributes: Mapping[str, Any]) -> Iterator[str]:
    for key, rule in rules["attributes"].items():
        if rule["level"] == "required" and key not in attributes:
            yield f"{key} is required"


def _kind_and_name(
    span: ReadableSpan, rules: Mapping[str, Any], attributes: Mapping[str, Any]
) -> Iterator[str]:
    if span.kind.name.lower() != rules["kind"]:
        yield f"the kind is {span.kind.name}, not {rules['kind']}"
    words = []
    for word in rules["name"].split(" "):
        keys = word.strip("{}").split("|") if word.startswith("{") else ()
        words.append(next((str(attributes[k]) for k in keys if k in attributes), "") or word)
    expected = " ".join(word for word in words if not word.startswith("{"))
    if span.name != expected:
        yield f"the name is {span.name!r}, not {expected!r}"


def _at_start(
    rules: Mapping[str, Any], attributes: Mapping[str, Any], at_start: Mapping[str, Any]
) -> Iterator[str]:
    """Attributes for samplers must exist when the span is made."""
    for key, rule in rules["attributes"].items():
        if rule.get("at_start") and key in attributes and key not in at_start:
            yield f"{key} came after the start"


def _status(
    span: ReadableSpan, attributes: Mapping[str, Any], not_errors: Sequence[str]
) -> Iterator[str]:
    """`error.type` if and only if it failed; success is not set; some codes are no failure."""
    code = span.status.status_code
    if code is StatusCode.OK:
        yield "the status is OK; instrumentations leave success unset"
    if ("error.type" in attributes) != (code is StatusCode.ERROR):
        yield f"error.type is {attributes.get('error.type')!r} and the status {code.name}"
    rpc_code = attributes.get("rpc.response.status_code")
    if rpc_code is not None and (rpc_code in not_errors) != (code is not StatusCode.ERROR):
        yield f"the JSON-RPC code is {rpc_code} and the status {code.name}"
    if rpc_code is not None and attributes.get("error.type") not in {rpc_code, None}:
        yield "error.type is not the JSON-RPC code"


_CONDITIONS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "server.port without server.address": lambda a: (
        "server.port" in a and "server.address" not in a
    ),
    "gen_ai.request.choice.count is told when it is not 1": lambda a: (
        a.get("gen_ai.request.choice.count") == 1
    ),
    "gen_ai.request.stream is told if and only if the request streams": lambda a: (
        a.get("gen_ai.request.stream") is False
    ),
    "jsonrpc.protocol.version is told when it is not 2.0": lambda a: (
        a.get("jsonrpc.protocol.version") == "2.0"
    ),
    "tools/call without gen_ai.tool.name": lambda a: (
        a.get("mcp.method.name") == "tools/call" and "gen_ai.tool.name" not in a
    ),
    "prompts/get without gen_ai.prompt.name": lambda a: (
        a.get("mcp.method.name") == "prompts/get" and "gen_ai.prompt.name" not in a
    ),
    "resources/read without mcp.resource.uri": lambda a: (
        a.get("mcp.method.name") == "resources/read" and "mcp.resource.uri" not in a
    ),
    "gen_ai.operation.name is execute_tool for tools/call and for nothing else": lambda a: (
        "mcp.method.name" in a
        and (a.get("gen_ai.operation.name") == "execute_tool")
        != (a["mcp.method.name"] == "tools/call")
    ),
    "stdio has no network.protocol.name": lambda a: (
        a.get("network.transport") == "pipe" and "network.protocol.name" in a
    ),
}
"""Conditions of the requirement levels, as functions."""


def _conditions(attributes: Mapping[str, Any]) -> Iterator[str]:
    yield from (what for what, is_broken in _CONDITIONS.items() if is_broken(attributes))
    for key, value in attributes.items():
        for part in ("input", "output"):
            total = f"gen_ai.usage.{part}_tokens"
            is_subset = key.startswith("gen_ai.usage.") and key.endswith(f".{part}_tokens")
            if is_subset and value > attributes.get(total, 0):
                yield f"{key} is more than all {part} tokens"
