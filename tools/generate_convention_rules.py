"""Generate `tests/conventions/rules.json` from excerpts of the official model.

One line per rule, each with the revision it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import yaml

Yaml: TypeAlias = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "tests" / "conventions" / "model"
RULES = Path("tests/conventions/rules.json")


def outputs() -> dict[Path, str]:
    """Return the rules."""
    return {RULES: render(read_model(MODEL))}


def read_model(directory: Path) -> list[Yaml]:
    """Return the files of the model; files with changes come last."""
    files = [
        yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in sorted(directory.glob("*.yaml"))
    ]
    return sorted(files, key=lambda file: "changes" in file)


def render(files: list[Yaml]) -> str:
    """Return the rules as JSON with one rule on a line."""
    spans = {
        span_type: {**head, "attributes": rules}
        for span_type, (head, rules) in _spans(files).items()
    }
    return _json({"attributes": _attributes(files), "spans": spans}, "") + "\n"


def _json(value: Any, indent: str) -> str:
    """Return an object as JSON over several lines, a rule on one."""
    if not isinstance(value, dict) or "source" in value:
        return json.dumps(value)
    inner = indent + "  "
    items = [f"{inner}{json.dumps(key)}: {_json(item, inner)}" for key, item in value.items()]
    return "{\n" + ",\n".join(items) + f"\n{indent}}}"


def _source(file: Yaml) -> str:
    source = file["source"]
    return f"{source['repository']} {source['path']} {source['commit']}"


def _attributes(files: list[Yaml]) -> dict[str, Yaml]:
    """Return type and members of every attribute; a registry's word for its members."""
    found: dict[str, Yaml] = {}
    for file in files:
        for span in file.get("spans", ()):
            for row in span["attributes"]:
                if "type" in row:
                    found[row["ref"]] = {"type": row["type"], "source": _source(file)}
    for file in files:
        for row in file.get("attributes", ()):
            kind = row["type"]
            if isinstance(kind, dict):
                rule = {"type": "string", "members": kind["members"], "source": _source(file)}
                found[row["key"]] = rule
            else:
                found.setdefault(row["key"], {"type": kind, "source": _source(file)})
    return found


def _spans(files: list[Yaml]) -> dict[str, tuple[Yaml, dict[str, Yaml]]]:
    groups = {
        group["id"]: (group, file) for file in files for group in file.get("attribute_groups", ())
    }
    found: dict[str, tuple[Yaml, dict[str, Yaml]]] = {}
    for file in files:
        for span in file.get("spans", ()):
            rules: dict[str, Yaml] = {}
            not_errors: list[str] = []
            for row, source, group in _flat(span, file, groups):
                rule = rules.setdefault(row["ref"], {"level": "recommended"})
                rule.update(_levels(row) | {"source": _source(source)})
                not_errors = group.get("not_errors", not_errors)
            head = {key: span[key] for key in ("kind", "name", "operations") if key in span}
            found[span["type"]] = ({**head, "not_errors": not_errors}, rules)
    for file in files:
        for change in file.get("changes", ()):
            _, rules = found[change["span"]]
            if change["change"] == "removed":
                rules.pop(change["ref"], None)
            else:
                rules[change["ref"]] = {**_levels(change), "source": _source(file)}
    return found


def _flat(
    group: Yaml, file: Yaml, groups: dict[str, tuple[Yaml, Yaml]]
) -> Iterator[tuple[Yaml, Yaml, Yaml]]:
    """Yield the rows of a span or group, including the groups that it refers to."""
    for row in group["attributes"]:
        if "ref_group" in row:
            yield from _flat(*groups[row["ref_group"]], groups)
        else:
            yield row, file, group


def _levels(row: Yaml) -> Yaml:
    found: Yaml = {}
    match row.get("requirement_level"):
        case None:
            pass
        case dict(level):
            [(found["level"], found["when"])] = level.items()
        case level:
            found["level"] = level
    if row.get("sampling_relevant"):
        found["at_start"] = True
    return found
