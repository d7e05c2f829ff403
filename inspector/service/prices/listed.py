"""The price list of genai-prices, compiled by model into sums of a few products.

Its own `calc_price` takes over 100 µs a call, which is three times what a span takes in all. The
tests hold both to the same numbers, for every model of the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider

PACKAGE = "genai-prices"
MAX_NAME_CHARS = 256
"""A longer name is no model's: it is not looked for."""
_REMEMBERED = 4_096
_HALF_HOUR_NS = 1800 * 10**9
"""Prices may change at a time of day, on the half hour."""
# The list knows these providers by other names than the GenAI conventions.
_PROVIDERS = {
    "azure.ai.inference": "azure",
    "azure.ai.openai": "azure",
    "gcp.gen_ai": "google",
    "x_ai": "x-ai",
}
# They run models that others sell by the same names.
_LOCAL = frozenset(
    {"hosted_vllm", "llamacpp", "llamafile", "lm_studio", "lmstudio", "localai", "vllm"}
    | {"ollama", "ollama_chat", "ollama-chat"}
)


class Rate(NamedTuple):
    """The price of one kind of usage."""

    usage_key: str
    usd: float
    """Price of one."""
    tiers: tuple[tuple[int, float], ...]
    """The prices of calls with more input tokens than this, the highest first."""
    inside: tuple[int, ...]
    """Places, in the sequence of rates, of the kinds that are a part of this one."""


class CalledModel(NamedTuple):
    """Who was called, as far as it decides the price."""

    models: tuple[str, ...]
    """Names of the model, the preferred one first."""
    provider: str | None
    address: str | None
    """Host name of the API."""
    service_tier: str | None


class PriceList:
    """The prices of a list that comes with its package; nothing is fetched.

    Not cheap to make: half a second, and 20 MB.
    """

    def __init__(self) -> None:
        from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - takes long
        from genai_prices.data_units import unit_data  # noqa: PLC0415

        self._providers: list[Provider] = get_snapshot().providers
        self._units = {unit["price_key"]: (key, unit) for key, unit in unit_data.items()}
        self._found = lru_cache(_REMEMBERED)(self._find)
        self._rates = lru_cache(_REMEMBERED)(self._compile)

    def cost_usd(self, call: CalledModel, counts: Mapping[str, int], start_ns: int) -> float | None:
        """Return the cost of a call in USD; None for an unknown model, or counts that contradict.

        Args:
            call: Who was called.
            counts: What was used, by the names of the list, such as `cache_read_tokens`; kinds
                that are a part of another are a part of its count.
            start_ns: When, in Unix ns.
        """
        found = self._found(call)
        if found is None:
            return None
        is_dated = isinstance(found[1].prices, list) or found[1].price_variants
        rates = self._rates(call, start_ns // _HALF_HOUR_NS if is_dated else None)
        # Some are on the list without prices, or priced by the second or the page alone.
        is_priced = any("tokens" in rate.usage_key for rate in rates)
        return cost_usd(rates, counts) if is_priced or found[1].id.endswith(":free") else None

    def _find(self, call: CalledModel) -> tuple[Provider, ModelInfo] | None:
        prefixes = {name.partition("/")[0] for name in call.models}
        if not _LOCAL.isdisjoint({call.provider, *prefixes}):
            return None
        for provider, name in self._candidates(call):
            if (model := provider.find_model(name, all_providers=self._providers)) is not None:
                return provider, model
        return None

    def _candidates(self, call: CalledModel) -> Iterator[tuple[Provider, str]]:
        """Yield whose model it may be: of the address, the provider, a gateway's prefix, any."""
        known = self._by_address(call.address), self._provider(call.provider)
        # Google's API calls its models by their resources: `models/gemini-2.5-pro`.
        ids = [name.rpartition("models/")[2] for name in call.models if "models/" in name]
        yield from product(filter(None, known), (*call.models, *ids))
        for name in call.models:
            prefix, _, rest = name.partition("/")  # as in `anthropic/claude-opus-4-1`
            if rest and (provider := self._provider(prefix)) is not None:
                yield provider, rest
        if not any(known):
            for name, provider in product((*call.models, *ids), self._providers):
                if provider.model_match and provider.model_match.is_match(name.lower()):
                    yield provider, name

    def _provider(self, name: str | None) -> Provider | None:
        from genai_prices.data_snapshot import find_provider_by_id  # noqa: PLC0415

        return find_provider_by_id(self._providers, _PROVIDERS.get(name, name)) if name else None

    def _by_address(self, address: str | None) -> Provider | None:
        url = f"https://{address}/"
        providers = self._providers if address else ()
        return next((one for one in providers if re.match(one.api_pattern, url)), None)

    def _compile(self, call: CalledModel, half_hour: int | None) -> tuple[Rate, ...]:
        found = self._found(call)
        assert found is not None
        provider, model = found
        time = datetime.fromtimestamp((half_hour or 0) * _HALF_HOUR_NS / 1e9, UTC)
        # What a provider asks for a tier of its own is not what others ask for its models.
        is_own = any(model is one for one in provider.models)
        tier = {"service_tier": call.service_tier} if call.service_tier and is_own else None
        return self.rates(model.get_prices(time, tier))

    def rates(self, price: ModelPrice) -> tuple[Rate, ...]:
        """Return the rates of a model, each after those that are a part of it."""
        priced = [
            (*self._units[key], value)
            for key, value in vars(price).items()
            if value is not None and key in self._units
        ]
        priced.sort(key=lambda one: -len(one[1]["dimensions"]))
        rates = list[Rate]()
        for usage_key, unit, value in priced:
            dimensions = unit["dimensions"].items()
            inside = (
                place
                for place, (_, other, _) in enumerate(priced[: len(rates)])
                if dimensions <= other["dimensions"].items()
            )
            tiers = [
                (tier.start, float(tier.price) / unit["per"])
                for tier in getattr(value, "tiers", ())
            ]
            base = float(getattr(value, "base", value)) / unit["per"]
            rates.append(Rate(usage_key, base, tuple(reversed(tiers)), tuple(inside)))
        return tuple(rates)


def cost_usd(rates: Sequence[Rate], counts: Mapping[str, int]) -> float | None:
    """Return the cost of `counts`; None if a part is more than the whole."""
    input_tokens, usd = counts.get("input_tokens", 0), 0.0
    alone = list[int]()
    for usage_key, price, tiers, inside in rates:
        count = counts.get(usage_key, 0)
        for place in inside:
            count -= alone[place]
        if count < 0:
            return None
        alone.append(count)
        for above, price_there in tiers:
            if input_tokens > above:
                price = price_there
                break
        usd += count * price
    return usd
