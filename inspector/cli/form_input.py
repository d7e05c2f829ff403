"""Answers to questions as JSON text, from `name=value` pairs or a dialogue.

A value is part of the text exactly as typed, so that a number keeps all its digits.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import typer

from inspector.cli.console_tree import plain
from inspector.errors import SettingsError

_JSON_TYPES = frozenset({"number", "integer", "boolean", "null", "array", "object"})


def of_pairs(form_json: str | None, pairs: Sequence[str]) -> str:
    """Return a JSON object from `name=value` pairs; the form says which values are text.

    `address.city=value` is of an object in the form.

    Raises:
        SettingsError: One is no pair, or its value has the wrong type.
    """
    properties = _properties(form_json)
    values: dict[str, str] = {}
    inner: dict[str, dict[str, str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise SettingsError(f"{pair!r} is not of the form name=value.")
        group, _, key = name.partition(".")
        members = _inner(properties.get(group, {}))
        if name not in properties and key in members:
            inner.setdefault(group, {})[key] = _value(name, value, members[key])
        else:
            values[name] = _value(name, value, properties.get(name, {}))
    return _object(values | {group: _object(of) for group, of in inner.items()})


def by_asking(request: Mapping[str, Any]) -> str:
    """Show a question, ask for each field of its form, and return the answer as JSON."""
    from rich.console import Console  # noqa: PLC0415 - it takes a while

    from inspector.cli.requests import show_request  # noqa: PLC0415

    show_request(dict(request), Console(stderr=True))
    properties = _properties(request["form_json"])
    if not properties:
        answered: str = typer.prompt("Answer", err=True)
        return answered if _is_json_wanted(request["form_json"]) else json.dumps(answered)
    return _prompted(properties, _form(request["form_json"]).get("required") or [])


def _prompted(properties: Mapping[str, dict[str, Any]], required: Collection[str]) -> str:
    """Ask for each field, and for those of an object in the form unless it is left out."""
    values: dict[str, str] = {}
    for name, schema in properties.items():
        is_required = name in required
        if members := _inner(schema):
            title = plain(str(schema.get("title") or name), 80)
            if is_required:
                typer.echo(f"{title}:", err=True)
            elif not typer.confirm(f"{title}: fill it in?", default=False, err=True):
                continue
            # What is in it is not asked for in parts again: an object in that is JSON.
            flat = {key: {**one, "properties": None} for key, one in members.items()}
            values[name] = _prompted(flat, schema.get("required") or [])
        elif (value := _filled(name, schema, is_required=is_required)) is not None:
            values[name] = value
    return _object(values)


def _inner(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the fields of an object in a form; none if it is filled in as JSON."""
    if schema.get("type") != "object" or {"default", "enum", "const"} & schema.keys():
        return {}
    return _properties_in(schema)


def _filled(name: str, schema: Mapping[str, Any], *, is_required: bool) -> str | None:
    """Ask for one field until its value is valid."""
    while (typed := _prompt(name, schema, is_required=is_required)) != "":
        try:
            return _value(name, typed, schema)
        except SettingsError as error:
            typer.echo(str(error), err=True)
    return None


def _prompt(name: str, schema: Mapping[str, Any], *, is_required: bool) -> str:
    title = plain(str(schema.get("title") or name), 80)
    choices = [True, False] if schema.get("type") == "boolean" else schema.get("enum")
    among = f" ({', '.join(plain(_shown(one), 40) for one in choices[:20])})" if choices else ""
    default = schema.get("default")
    if default is None and not is_required:
        default = ""
    elif default is not None and not isinstance(default, str):
        default = json.dumps(default)
    shown = default not in (None, "")
    mark = " *" if is_required else ""
    typed: str = typer.prompt(
        f"{title}{mark}{among}", default=default, show_default=shown, err=True
    )
    return typed


def _shown(choice: object) -> str:
    return choice if isinstance(choice, str) else json.dumps(choice)


def _value(name: str, value: str, schema: Mapping[str, Any]) -> str:
    """Return a value as JSON text; unchanged if the field is not of type string."""
    kind = schema.get("type")
    is_json = bool(_JSON_TYPES.intersection(kind if isinstance(kind, list) else [kind]))
    if not is_json:
        return json.dumps(value)
    try:
        json.loads(value, parse_constant=_no_number, parse_int=str)
    except (ValueError, RecursionError) as error:
        if isinstance(kind, list) and "string" in kind:
            return json.dumps(value)
        raise SettingsError(f"{name} must be a JSON {kind}, not {value!r}.") from error
    return value


def _object(values: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in values.items()) + "}"


def _form(form_json: str | None) -> dict[str, Any]:
    try:
        form = json.loads(form_json or "{}")
    except (ValueError, RecursionError):
        return {}
    return form if isinstance(form, dict) else {}


def _properties(form_json: str | None) -> dict[str, dict[str, Any]]:
    return _properties_in(_form(form_json))


def _properties_in(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found = schema.get("properties")
    if not isinstance(found, dict):
        return {}
    return {name: one if isinstance(one, dict) else {} for name, one in found.items()}


def _is_json_wanted(form_json: str | None) -> bool:
    return _form(form_json).get("type", "string") in _JSON_TYPES


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
