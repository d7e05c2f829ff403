"""Usage of an LLM call, read from its hooks by the rows of the telemetry spec.

So a budget counts the usage on the trace: the same tokens, and the cost that the call reports or
that the user's own prices (`INSPECTOR_PRICES`) yield.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inspector.agent_side.policies.budgets import CallUsage
from subscribers.bridge.prices import COST, PriceList, load_prices
from subscribers.errors import PriceError
from subscribers.options import Capture, Options, Vocabulary
from subscribers.spec.engine import Engine
from subscribers.spec.loader import usable_spec
from subscribers.spec.model import Spec

_BEFORE, _AFTER = "before_llm_generate", "after_llm_generate"
_INPUT, _OUTPUT = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
_WANTED = frozenset(
    {
        "gen_ai.provider.name",
        "gen_ai.request.model",
        "gen_ai.response.model",
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
        _INPUT,
        _OUTPUT,
        COST,
    }
)

_logger = logging.getLogger("inspector")


class UsageReader:
    """A reader of usage from the kwargs of an LLM call's closing hook."""

    def __init__(self, prices: PriceList | None, spec: Spec | None = None) -> None:
        options = Options(vocabulary=Vocabulary.CURRENT, capture=Capture.OFF)
        self._engine = Engine(_only_usage(spec or usable_spec()), options)
        self._prices = prices

    def read(self, kwargs: Mapping[str, Any]) -> CallUsage:
        """Return the usage of a call.

        Args:
            kwargs: Those of `after_llm_generate`, which name the model as the before hook does.
        """
        kwargs = {**kwargs, "$is_inference": True}
        facts = self._engine.attributes(_BEFORE, kwargs) | self._engine.attributes(_AFTER, kwargs)
        cost = facts.get(COST)
        if cost is None and self._prices is not None:
            cost = self._prices.cost(facts)
        model = facts.get("gen_ai.response.model") or facts.get("gen_ai.request.model")
        return CallUsage(facts.get(_INPUT), facts.get(_OUTPUT), cost, model)


def read_prices(file: str | None) -> PriceList | None:
    """Read the user's prices; the bridge also reports errors in them."""
    try:
        return load_prices(file) if file else None
    except PriceError as error:
        _logger.warning("Cannot load prices for cost budgets. %s", error)
        return None


def _only_usage(spec: Spec) -> Spec:
    hooks = {
        name: replace(
            spec.hooks[name],
            attributes=tuple(row for row in spec.hooks[name].attributes if row.current in _WANTED),
        )
        for name in (_BEFORE, _AFTER)
    }
    return replace(spec, hooks=hooks, spans={})
