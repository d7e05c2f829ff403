"""OTLP attribute values as plain JSON values."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from inspector.service.model.nesting import MAX_DEPTH
from inspector.service.model.rows import Json

MAX_TOKENS = 10**12
"""Limit of the tokens of one call, so that sums stay within the 64 bits of a store."""
MAX_COST_USD = 1e6
"""Limit of the cost of one call."""

_NAMES = {math.inf: "Infinity", -math.inf: "-Infinity"}


def json_value(value: AnyValue, depth: int = 0, *, is_typed: bool = False) -> Json:
    """Return `value` as a JSON value.

    Bytes become base64 text and non-finite doubles their names, because JSON has neither.
    Below `MAX_DEPTH` a value is the JSON text of itself.

    Args:
        value: The received value.
        depth: Number of lists and maps around it.
        is_typed: What JSON has not is written as OTLP's own JSON has it, which tells it from text:
            `{"bytesValue": "AAE="}`, `{"doubleValue": "NaN"}`.
    """
    match value.WhichOneof("value"):
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "int_value":
            return value.int_value
        case "double_value":
            number = value.double_value
            if math.isfinite(number):
                return number
            return {"doubleValue": _NAMES.get(number, "NaN")} if is_typed else str(number)
        case "bytes_value":
            encoded = base64.b64encode(value.bytes_value).decode("ascii")
            return {"bytesValue": encoded} if is_typed else encoded
        case "array_value" | "kvlist_value" if depth >= MAX_DEPTH:
            return json.dumps(json_value(value, is_typed=is_typed), ensure_ascii=False)
        case "array_value":
            items = value.array_value.values
            return [json_value(item, depth + 1, is_typed=is_typed) for item in items]
        case "kvlist_value":
            return {
                kv.key: json_value(kv.value, depth + 1, is_typed=is_typed)
                for kv in value.kvlist_value.values
            }
        case _:
            return None


def flat_attributes(pairs: Iterable[KeyValue]) -> dict[str, Json]:
    """Return `pairs` as a dict; the last value of a repeated key wins."""
    return {pair.key: json_value(pair.value) for pair in pairs}


def typed_attributes(pairs: Iterable[KeyValue]) -> dict[str, Json]:
    """Return `pairs` for display, with bytes and non-finite numbers marked as such."""
    return {pair.key: json_value(pair.value, is_typed=True) for pair in pairs}


def as_text(value: Json) -> str | None:
    """Return a non-empty string value, else None."""
    return value if isinstance(value, str) and value else None


def as_int(value: Json) -> int | None:
    """Return a count written as int, float or decimal text; None when negative or neither."""
    if isinstance(value, bool):
        return None
    try:
        number = int(float(value)) if isinstance(value, (int, float, str)) else -1
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number < 2**63 else None


def as_token_count(value: Json) -> int | None:
    """Return a number of tokens; None if it is too large for a call."""
    count = value if type(value) is int and value >= 0 else as_int(value)
    return count if count is not None and count <= MAX_TOKENS else None


def as_cost_usd(value: Json) -> float | None:
    """Return the cost of a call; None if it is too high for one."""
    # Quarkus writes the currency behind the number.
    cost_usd = as_float(value.removesuffix("USD") if isinstance(value, str) else value)
    return cost_usd if cost_usd is not None and cost_usd <= MAX_COST_USD else None


def as_float(value: Json) -> float | None:
    """Return a finite, non-negative number written as number or text, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None
