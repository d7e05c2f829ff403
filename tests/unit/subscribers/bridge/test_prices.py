"""Costs: from telemetry, else from a price file of the user's own."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subscribers import PriceError, Vocabulary
from subscribers.bridge.prices import Price, PriceList, load_prices
from tests.unit.subscribers.bridge.test_bridge import values
from tests.unit.subscribers.conftest import Traced

PRICES = """
[[models]]
model = "small-*"
provider = "anthropic"
input = 1
output = 5
cache_read = 0.1
cache_write = 1.25

[[models]]
model = "small-*"
input = 2
output = 4
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "prices.toml"
    file.write_text(PRICES)
    return file


async def cost_of(
    file: Path, usage: dict[str, Any] | None, vocabulary: Vocabulary = Vocabulary.DUP, **kwargs: Any
) -> dict[str, Any]:
    traced = Traced(prices_file=str(file), vocabulary=vocabulary)
    call = {"llm": None, "prompt": "p", "model": "small-1", **kwargs}
    async with traced.bus.operation("llm_generate", **call) as op:
        op.set(usage=usage)
    traced.off()
    (span,) = traced.spans
    return {key: value for key, value in values(span).items() if "cost" in key}


async def test_a_call_costs_what_the_file_says(file: Path) -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 500_000}
    assert await cost_of(file, usage) == {
        "inspector.cost.usd": 4.0,
        "inspector.cost.source": "prices",
    }


async def test_cached_tokens_are_a_part_of_the_input_at_their_own_price(file: Path) -> None:
    usage = {
        "input_tokens": 700_000,  # as the provider counts: without the cached ones
        "cache_read_input_tokens": 200_000,
        "cache_creation_input_tokens": 100_000,
        "output_tokens": 0,
    }
    found = await cost_of(file, usage, provider="anthropic")
    assert found["inspector.cost.usd"] == pytest.approx(0.7 + 0.02 + 0.125)


async def test_a_cost_that_telemetry_has_stays(file: Path) -> None:
    usage = {"input_tokens": 1_000, "output_tokens": 1, "cost": 0.5}
    assert await cost_of(file, usage) == {"inspector.cost.usd": 0.5}


@pytest.mark.parametrize(
    ("usage", "model"),
    [
        (None, "small-1"),
        ({"output_tokens": 3}, "small-1"),
        ({"input_tokens": 3}, "small-1"),
        ({"input_tokens": 3, "output_tokens": 3}, "large-1"),
        ({"input_tokens": 3, "output_tokens": 3}, None),
    ],
)
async def test_what_is_not_known_has_no_cost(
    file: Path, usage: dict[str, Any] | None, model: str | None
) -> None:
    assert await cost_of(file, usage, model=model) == {}


async def test_the_older_vocabulary_has_no_key_for_a_cost(file: Path) -> None:
    usage = {"input_tokens": 3, "output_tokens": 3}
    assert await cost_of(file, usage, Vocabulary.LEGACY) == {}


tokens = st.integers(0, 10**9)


@given(tokens, tokens, tokens, tokens)
def test_more_tokens_never_cost_less(sent: int, received: int, read: int, more: int) -> None:
    prices = PriceList([Price("*", None, 3.0, 15.0, 0.3, 3.75)])

    def cost(sent: int, received: int) -> float:
        usage = {"input": sent, "output": received, "cache_read.input": min(read, sent)}
        facts = {f"gen_ai.usage.{name}_tokens": count for name, count in usage.items()}
        found = prices.cost({"gen_ai.request.model": "m", **facts})
        assert found is not None
        return found

    assert 0 <= cost(sent, received) <= cost(sent, received + more)
    assert cost(sent, received) <= cost(sent + read + more, received) + 1e-6


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[models]]\nmodel = 'm'\ninput = 1", "entry 1 (m): `output` is missing"),
        ("[[models]]\ninput = 1\noutput = 1", "entry 1: `model` must be a name"),
        ("[[models]]\nmodel = 'm'\ninput = -1\noutput = 1", "`input` is -1, not an amount"),
        ("[[models]]\nmodel = 'm'\ninput = nan\noutput = 1", "`input` is nan, not an amount"),
        ("[[models]]\nmodel = 'm'\ninput = true\noutput = 1", "`input` is True, not an amount"),
        ("[[models]]\nmodel = 'm'\ninputs = 1\noutput = 1", "unknown inputs; known: model,"),
        ("[[models]]\nmodel = 'm'\nprovider = 1", "`provider` must be a name"),
        ("models = 1", "must be a list of [[models]] tables"),
        ("[prices]", "must be a list of [[models]] tables"),
        ("[[models", "Cannot read the prices"),
        ("#" * 2**21, "more than 1048576 bytes"),
    ],
)
async def test_a_bad_file_is_logged_and_the_agent_continues(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, says: str
) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(PriceError) as error:
        load_prices(file)
    assert says in str(error.value)
    assert str(file) in str(error.value)
    with caplog.at_level(logging.WARNING, "inspector"):
        assert await cost_of(file, {"input_tokens": 3, "output_tokens": 3}) == {}
    assert says in caplog.text


def test_a_file_that_is_missing_is_logged(tmp_path: Path) -> None:
    with pytest.raises(PriceError, match="Cannot read the prices"):
        load_prices(tmp_path / "none.toml")


def test_the_file_of_the_guide_can_be_used(tmp_path: Path) -> None:
    guide = Path(__file__).parents[4] / "docs" / "guide" / "shape-the-telemetry.md"
    text = guide.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    file = tmp_path / "prices.toml"
    file.write_text(text)
    found = load_prices(file).find("some-model-2", "anthropic")
    assert found == Price("some-model-*", "anthropic", 3.0, 15.0, 0.3, 3.75)
