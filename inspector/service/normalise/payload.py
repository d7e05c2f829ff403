"""Values as text, unchanged: the browser shows exactly the digits that were sent."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from inspector.service.model.nesting import parse
from inspector.service.model.rows import Json
from inspector.service.wire import Payload

# Larger text is not parsed to find out whether it is JSON: its first character decides.
_PARSE_BYTES = 1024 * 1024


def payload(value: Any) -> Payload:
    """Return `value` as text; a string stays unchanged, JSON or not."""
    if isinstance(value, str):
        return Payload(text=value, is_json=_is_json(value))
    return Payload(text=json.dumps(value, ensure_ascii=False, default=str), is_json=True)


def attribute_payload(
    attributes: Mapping[str, Json], key: str | None, truncated: Collection[str] = ()
) -> Payload | None:
    """Return attribute `key` as text, marked if its sender cut it; None when absent."""
    if key is None or attributes.get(key) is None:
        return None
    found = payload(attributes[key])
    is_truncated = key in truncated or attributes.get(f"{key}_truncated") is True
    return found.model_copy(update={"is_truncated": is_truncated}) if is_truncated else found


def _is_json(text: str) -> bool:
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return False
    if len(text) > _PARSE_BYTES:
        return True
    try:
        parse(text)
    except ValueError:
        return False
    return True
