"""Generate the tables of `docs/conventions.md` from the readers of conventions."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from inspector.service.normalise import keys
from inspector.service.normalise.conventions import CONVENTIONS, Convention
from inspector.service.normalise.finish_reasons import ALIASES as REASONS
from inspector.service.normalise.flattened import MAX_INDEX
from inspector.service.normalise.providers import ALIASES as PROVIDERS
from inspector.service.normalise.request_facts import DATABASE, HTTP, MESSAGING
from tools.pages import ROOT, filled, table

_CAPTURED = ROOT / "tests" / "emitters" / "captured"
_FACTS = {
    "model that was asked for": keys.MODEL_REQUESTED,
    "model that answered": keys.MODEL_RESPONDED,
    "provider": keys.PROVIDER,
    "input tokens": keys.INPUT_TOKENS,
    "output tokens": keys.OUTPUT_TOKENS,
    "tokens read from a cache": keys.CACHE_READ_TOKENS,
    "tokens written to a cache": keys.CACHE_WRITE_TOKENS,
    "reasoning tokens": keys.REASONING_TOKENS,
    "cost": keys.COST_USD,
    "agent": keys.AGENT,
    "tool": keys.TOOL,
    "id of the call": keys.TOOL_CALL_ID,
    "arguments": keys.TOOL_ARGUMENTS,
    "result": keys.TOOL_RESULT,
    "session": keys.SESSION,
    "user": keys.USER,
    "tags": keys.TAGS,
}


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _row(convention: Convention) -> str:
    empty = Convention("", "", ())
    read = [
        field.name.replace("_", " ")
        for field in fields(Convention)[3:]
        if getattr(convention, field.name) is not getattr(empty, field.name)
    ]
    return (
        f"| {convention.name} | {convention.about} | {_codes(convention.keys)} "
        f"| {', '.join(read)} |"
    )


def _aliases(aliases: dict[str, str]) -> str:
    known: dict[str, list[str]] = {}
    for alias, name in aliases.items():
        known.setdefault(name, []).append(alias)
    return "; ".join(f"{_codes(tuple(found))} → `{name}`" for name, found in known.items())


def _packages(file: Path) -> str:
    """Return the packages of an emitter, from the resource of its first request of spans."""
    for line in file.read_text(encoding="utf-8").splitlines():
        for group in json.loads(line).get("resourceSpans", ()):
            for pair in group["resource"]["attributes"]:
                if pair["key"] == "emitter.packages":
                    return _listed(pair["value"])
    return ""


def _listed(value: dict[str, Any]) -> str:
    if "stringValue" in value:
        return _codes(tuple(value["stringValue"].split("+")))
    return _codes(tuple(item["stringValue"] for item in value["arrayValue"]["values"]))


def outputs() -> dict[Path, str]:
    """Return the page."""
    files = sorted(_CAPTURED.glob("*.otlp.jsonl"))
    facts = (f"| {fact} | {_codes(names)} |" for fact, names in _FACTS.items())
    requests = (
        f"| `{name}` | {_codes(older)} |"
        for subject in (HTTP, DATABASE, MESSAGING)
        for name, older in subject.items()
    )
    parts = {
        "emitters": "\n".join(f"* {_packages(file)}" for file in files),
        "conventions": table(
            "| convention | who writes it | what is read | for |", map(_row, CONVENTIONS)
        ),
        "max_index": f"{MAX_INDEX:,}",
        "facts": table("| fact | keys |", facts),
        "requests": table("| stable name | older names |", requests),
        "reasons": _aliases(REASONS),
        "providers": _aliases(PROVIDERS),
    }
    return filled("conventions.md", parts)
