"""Build parts of OTLP's JSON from the formats of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from inspector.errors import BadDataError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; none if the value is not a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def unix_nano(value: Any) -> str | None:
    """Return a time such as `2026-01-31T10:00:00.000000Z` as OTLP writes it.

    Raises:
        BadDataError: It is not a time.
    """
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise BadDataError(f"{str(value)[:100]!r} is not an ISO 8601 time") from error
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return str((time - _EPOCH) // _MICROSECOND * 1000)


def attributes(values: Any) -> list[dict[str, Any]]:
    """Return attributes by name, without nulls."""
    if not isinstance(values, Mapping):
        return []
    known = ((key, value) for key, value in values.items() if value is not None)
    return [{"key": key, "value": any_value(value)} for key, value in known]


def any_value(value: Any) -> dict[str, Any]:
    """Return a value of an attribute."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": value}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": attributes(value)}}
        case _:
            return {}
