"""Validation of form answers by the basic rules of JSON Schema. Pure.

The schemas of MCP elicitation (flat objects of primitive values) are checked in full except for
patterns and formats; other keywords are left to the code that asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.agent_side.control.exact_json import is_same

MAX_DEPTH = 20

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def problem_of(form: Any, payload: Any, where: str = "the answer", depth: int = 0) -> str | None:
    """Return the problem with `payload` as a sentence without a full stop; None if it is valid."""
    if not isinstance(form, Mapping) or depth > MAX_DEPTH:
        return None
    problem = _wrong_type(form, payload, where) or _wrong_choice(form, payload, where)
    if problem is not None:
        return problem
    if type(payload) is dict:
        return _wrong_object(form, payload, where, depth)
    if type(payload) is list:
        return _wrong_array(form, payload, where, depth)
    if type(payload) is str:
        return _out_of_range(form, len(payload), where, "Length", " characters long")
    if type(payload) in (int, float):
        return _out_of_range(form, payload, where, "imum", "")
    return None


def _wrong_type(form: Mapping[str, Any], payload: Any, where: str) -> str | None:
    wanted = form.get("type")
    names = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(names, list) or not names:
        return None
    if any(_is_of(name, payload) for name in names):
        return None
    return f"{where} must be of type {' or '.join(map(str, names))}"


def _is_of(name: object, payload: Any) -> bool:
    if name == "integer":
        return type(payload) is int or (type(payload) is float and payload.is_integer())
    kinds = _TYPES.get(name) if isinstance(name, str) else None
    return kinds is None or type(payload) in kinds


def _wrong_choice(form: Mapping[str, Any], payload: Any, where: str) -> str | None:
    choices = form.get("enum")
    if not isinstance(choices, list):
        # Choices with titles: `oneOf: [{"const": …, "title": …}]`
        titled = form.get("oneOf", form.get("anyOf"))
        parts = titled if isinstance(titled, list) else [form]
        if not all(isinstance(part, Mapping) and "const" in part for part in parts):
            return None
        choices = [part["const"] for part in parts]
    if any(is_same(payload, choice) for choice in choices):
        return None
    return f"{where} must be one of {', '.join(map(repr, choices))[:500]}"


def _wrong_object(
    form: Mapping[str, Any], payload: dict[str, Any], where: str, depth: int
) -> str | None:
    fields = form.get("properties")
    fields = fields if isinstance(fields, Mapping) else {}
    required = form.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in payload:
            return f"{where} lacks {name!r}"
    for name, value in payload.items():
        if name in fields:
            problem = problem_of(fields[name], value, repr(name), depth + 1)
            if problem is not None:
                return problem
        elif form.get("additionalProperties") is False:
            return f"{where} has an unknown field {name[:80]!r}"
    return None


def _wrong_array(form: Mapping[str, Any], payload: list[Any], where: str, depth: int) -> str | None:
    problem = _out_of_range(form, len(payload), where, "Items", " items long")
    problems = (problem_of(form.get("items"), item, f"an item of {where}", depth + 1)
                for item in payload)  # fmt: skip
    return problem or next(filter(None, problems), None)


def _out_of_range(
    form: Mapping[str, Any], size: float, where: str, keyword: str, unit: str
) -> str | None:
    least, most = form.get(f"min{keyword}"), form.get(f"max{keyword}")
    if isinstance(least, int | float) and size < least:
        return f"{where} must be at least {least}{unit}"
    if isinstance(most, int | float) and size > most:
        return f"{where} must be at most {most}{unit}"
    return None
