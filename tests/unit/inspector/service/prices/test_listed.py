from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest
from genai_prices import Usage
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelPrice

from inspector.service.prices.listed import CalledModel, PriceList, cost_usd

NOVEMBER_2026_NS = 1_793_500_000 * 10**9


@pytest.fixture(scope="module")
def prices() -> PriceList:
    return PriceList()


def listed() -> list[ModelPrice]:
    models = [model for provider in get_snapshot().providers for model in provider.models]
    return [
        price
        for model in models
        for price in (
            [one.prices for one in model.prices]
            if isinstance(model.prices, list)
            else [model.prices]
        )
    ]


def some_counts(random: Random) -> dict[str, int]:
    """Return counts of which each part is within what it is a part of."""
    sent, received = random.choice([10, 1_000, 150_000, 250_000, 600_000]), random.randrange(10_000)
    read, written, audio = (random.randrange(sent // 3 + 1) for _ in range(3))
    return {
        "input_tokens": sent,
        "output_tokens": received,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "input_audio_tokens": audio,
        "cache_audio_read_tokens": random.randrange(min(read, audio) + 1),
        "output_audio_tokens": random.randrange(received // 2 + 1),
        "output_reasoning_tokens": random.randrange(received // 2 + 1),
    }


def test_every_model_costs_what_the_list_itself_computes(prices: PriceList) -> None:
    random = Random(1)
    checked = 0
    for price in listed():
        counts = some_counts(random)
        expected = price.calc_price(Usage(**counts))["total_price"]
        found = cost_usd(prices.rates(price), {**counts, "requests": 1})
        assert found == pytest.approx(float(expected), rel=1e-12), (price, counts)
        checked += expected != Decimal(0)
    assert checked > 1_500


def test_a_part_that_is_more_than_the_whole_has_no_cost(prices: PriceList) -> None:
    call = CalledModel(("gpt-4o",), "openai", None, None)
    assert prices.cost_usd(call, {"input_tokens": 10, "cache_read_tokens": 11}, 0) is None


@pytest.mark.parametrize(
    ("call", "usd_per_million"),
    [
        (CalledModel(("gpt-4o",), "openai", None, None), 2.5),
        (CalledModel(("gpt-4o-2024-08-06",), "azure.ai.openai", None, None), 2.5),
        (CalledModel(("my-deployment", "gpt-4o"), "azure.ai.openai", None, None), 2.5),
        (CalledModel(("openai/gpt-4o",), None, None, None), 2.5),
        (CalledModel(("anthropic/claude-sonnet-4",), "litellm", "127.0.0.1", None), 3.0),
        (CalledModel(("claude-sonnet-4-5",), None, None, None), 3.0),
        (
            CalledModel(
                ("us.anthropic.claude-sonnet-4-5-20250929-v1:0",), "aws.bedrock", None, None
            ),
            3.3,
        ),
        (CalledModel(("models/gemini-2.5-flash",), "gcp.gemini", None, None), 0.3),
        (CalledModel(("models/gemini-2.5-flash",), None, None, None), 0.3),
        (
            CalledModel(
                ("publishers/google/models/gemini-2.5-flash",), "gcp.vertex_ai", None, None
            ),
            0.3,
        ),
        (CalledModel(("grok-4",), "x_ai", None, None), 3.0),
        (CalledModel(("grok-4",), "openai", "api.x.ai", None), 3.0),
        (CalledModel(("gpt-4o",), "openai", None, "priority"), 4.25),
        (CalledModel(("gpt-4o",), "openai", None, "a-tier-of-the-future"), 2.5),
    ],
)
def test_a_model_is_found_by_whoever_serves_it_and_however_it_is_called(
    prices: PriceList, call: CalledModel, usd_per_million: float
) -> None:
    cost = prices.cost_usd(call, {"input_tokens": 100_000}, NOVEMBER_2026_NS)
    assert cost == pytest.approx(usd_per_million / 10)


@pytest.mark.parametrize(
    "call",
    [
        CalledModel((), "openai", None, None),
        CalledModel(("a-model-of-mine",), "openai", None, None),
        CalledModel(("a-model-of-mine",), None, None, None),
        # Another provider's model of that name, at another price or at none.
        CalledModel(("gpt-4o",), "mistral_ai", None, None),
        # A local model of a name that others sell.
        CalledModel(("deepseek-r1:7b",), "ollama", None, None),
        CalledModel(("ollama/deepseek-r1:7b",), "litellm", None, None),
        # On the list without a price, and with one of seconds alone.
        CalledModel(("gpt-4o",), "github-copilot", None, None),
        CalledModel(("whisper-large-v3",), "groq", None, None),
    ],
)
def test_an_unknown_model_has_no_cost(prices: PriceList, call: CalledModel) -> None:
    assert prices.cost_usd(call, {"input_tokens": 1_000, "output_tokens": 1}, 0) is None


def test_a_free_model_costs_nothing(prices: PriceList) -> None:
    call = CalledModel(("cohere/north-mini-code:free",), "openrouter", None, None)
    assert prices.cost_usd(call, {"input_tokens": 1_000, "output_tokens": 1}, 0) == 0.0


def test_the_price_is_that_of_the_time_of_the_call(prices: PriceList) -> None:
    call, tokens = (
        CalledModel(("deepseek-chat",), "deepseek", None, None),
        {"input_tokens": 1_000_000},
    )
    noon_ns, night_ns = (hour * 3600 * 10**9 for hour in (12, 20))
    assert prices.cost_usd(call, tokens, noon_ns) == pytest.approx(0.27)
    assert prices.cost_usd(call, tokens, night_ns) == pytest.approx(0.135)
