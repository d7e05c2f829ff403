"""Prices of LLM calls, from the user's own price file. None are bundled.

# USD for a million tokens; the first matching entry counts.
[[models]]
model = "some-model-*"     # shell pattern; the response's model, else the request's
provider = "openai"        # optional
input = 2.5
output = 10
cache_read = 1.25          # optional; default: input
cache_write = 3.0          # optional; default: input
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from subscribers.errors import PriceError

COST = "inspector.cost.usd"
SOURCE = "inspector.cost.source"
FROM_PRICES = "prices"

MAX_FILE_BYTES = 1 << 20
_TOKENS_PER_PRICE = 1_000_000
_COLUMNS = ("model", "provider", "input", "output", "cache_read", "cache_write")


@dataclass(frozen=True, slots=True)
class Price:
    """An entry of a price list, in USD for a million tokens."""

    model: str
    provider: str | None
    input: float
    output: float
    cache_read: float
    cache_write: float


class PriceList:
    """Prices by model, in the order of their file."""

    def __init__(self, prices: Sequence[Price]) -> None:
        self._prices = tuple(prices)

    def find(self, model: str, provider: str | None) -> Price | None:
        """Return the first entry for this model of this provider."""
        for price in self._prices:
            if fnmatchcase(model, price.model) and price.provider in {None, provider}:
                return price
        return None

    def cost(self, facts: Mapping[str, Any]) -> float | None:
        """Return the cost of an LLM call in USD; None if its tokens or price are unknown.

        Cached tokens are a part of the input tokens, as in the GenAI conventions.

        Args:
            facts: Attributes of the call's span, in the official vocabulary.
        """
        model = facts.get("gen_ai.response.model") or facts.get("gen_ai.request.model")
        sent, received = (facts.get(f"gen_ai.usage.{side}_tokens") for side in ("input", "output"))
        if not isinstance(model, str) or not isinstance(sent, int):
            return None
        price = self.find(model, facts.get("gen_ai.provider.name"))
        if price is None or (received is None and price.output):
            return None
        read = facts.get("gen_ai.usage.cache_read.input_tokens") or 0
        written = facts.get("gen_ai.usage.cache_write.input_tokens") or 0
        total = (
            max(sent - read - written, 0) * price.input
            + read * price.cache_read
            + written * price.cache_write
            + (received or 0) * price.output
        )
        return total / _TOKENS_PER_PRICE


def load_prices(file: str | Path) -> PriceList:
    """Read a price file.

    Raises:
        PriceError: It cannot be read or has an invalid entry; names the file and the entry.
    """
    try:
        data = Path(file).read_bytes()
        if len(data) > MAX_FILE_BYTES:
            raise PriceError(f"Cannot use the prices {file}: more than {MAX_FILE_BYTES} bytes.")
        tables = tomllib.loads(data.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PriceError(f"Cannot read the prices {file}: {error}.") from error
    rows = tables.pop("models", None)
    if tables or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise PriceError(f"Cannot use the prices {file}: it must be a list of [[models]] tables.")
    return PriceList([_price(file, number, row) for number, row in enumerate(rows, 1)])


def _price(file: str | Path, number: int, row: dict[str, Any]) -> Price:
    where = f"Cannot use the prices {file}: [[models]] entry {number}"
    if unknown := sorted(row.keys() - set(_COLUMNS)):
        raise PriceError(f"{where}: unknown {', '.join(unknown)}; known: {', '.join(_COLUMNS)}.")
    model, provider = row.get("model"), row.get("provider")
    if not isinstance(model, str) or not model:
        raise PriceError(f"{where}: `model` must be a name or a pattern such as 'some-model-*'.")
    if not isinstance(provider, str | None):
        raise PriceError(f"{where} ({model}): `provider` must be a name.")
    amounts = {
        name: _amount(f"{where} ({model})", name, row) for name in _COLUMNS[2:] if name in row
    }
    for name in ("input", "output"):
        if name not in amounts:
            raise PriceError(f"{where} ({model}): `{name}` is missing (USD per million tokens).")
    amounts.setdefault("cache_read", amounts["input"])
    amounts.setdefault("cache_write", amounts["input"])
    return Price(model, provider, **amounts)


def _amount(where: str, name: str, row: dict[str, Any]) -> float:
    value = row[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < 0:
        raise PriceError(f"{where}: `{name}` is {value!r}, not an amount of USD.")
    return float(value)
