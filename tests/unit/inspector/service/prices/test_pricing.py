from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from inspector.errors import SettingsError
from inspector.service.model.rows import Json
from inspector.service.prices import Pricing, pricing
from inspector.service.prices.listed import PriceList
from inspector.service.prices.locked import LOCKED_DATE, LOCKED_VERSION
from inspector.service.prices.pricing import ListState
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming

CHAT: dict[str, Json] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.usage.input_tokens": 1_000,
    "gen_ai.usage.output_tokens": 100,
}


def cost(attributes: dict[str, Json], *, prices: Pricing | None = None) -> float | None:
    received = incoming(span(attributes=attributes))
    (prices or Pricing()).price([received])
    return received.record.cost_usd


def of(provider: str, model: str, **tokens: int) -> dict[str, Json]:
    names = {
        "sent": "gen_ai.usage.input_tokens",
        "received": "gen_ai.usage.output_tokens",
        "read": "gen_ai.usage.cache_read.input_tokens",
        "written": "gen_ai.usage.cache_write.input_tokens",
        "audio": "gen_ai.usage.audio.input_tokens",
        "reasoning": "gen_ai.usage.reasoning.output_tokens",
    }
    counts: dict[str, Json] = {names[name]: count for name, count in tokens.items()}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
        **counts,
    }


# USD for a million tokens, as the providers publish them.
WORKED = [
    # 2.50, cached 1.25, out 10: 600 x 2.5 + 400 x 1.25 + 100 x 10
    (of("openai", "gpt-4o", sent=1_000, read=400, received=100), 3_000),
    # 3, written 3.75, read 0.30, out 15: 300 x 3 + 200 x 3.75 + 500 x 0.3 + 100 x 15
    (of("anthropic", "claude-sonnet-4-5", sent=1_000, written=200, read=500, received=100), 3_300),
    # Above 200 000: 2.50, read 0.25, out 15: 200 000 x 2.5 + 50 000 x 0.25 + 1 000 x 15
    (of("gcp.gemini", "gemini-2.5-pro", sent=250_000, read=50_000, received=1_000), 527_500),
    # 0.30, audio 1, out 2.50; reasoning is output: 400 x 0.3 + 600 x 1 + 100 x 2.5
    (of("gcp.gemini", "gemini-2.5-flash", sent=1_000, audio=600, received=100, reasoning=60), 970),
    # 0.59, out 0.79
    (of("groq", "llama-3.3-70b-versatile", sent=1_000, received=100), 669),
    # 2, out 6
    (of("mistral_ai", "mistral-large-latest", sent=1_000, received=100), 2_600),
    # 2, out 8, reasoning 3: 1 000 x 2 + 40 x 8 + 60 x 3
    (of("perplexity", "sonar-deep-research", sent=1_000, received=100, reasoning=60), 2_500),
    # 3.30, read 0.33, out 16.50
    (
        of(
            "aws.bedrock",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            sent=1_000,
            read=500,
            received=100,
        ),
        3_465,
    ),
]


@pytest.mark.parametrize(("attributes", "microdollars"), WORKED)
def test_a_call_costs_what_its_provider_says(
    attributes: dict[str, Json], microdollars: float
) -> None:
    assert cost(attributes) == pytest.approx(microdollars / 1e6)


@pytest.mark.parametrize(
    ("attributes", "microdollars"),
    [
        # Anthropic's own count of input leaves out what was cached.
        (
            of("anthropic", "claude-sonnet-4-5", sent=300, written=200, read=500, received=100),
            3_300,
        ),
        # Gemini's own count of output leaves out what was thought.
        (of("gcp.gemini", "gemini-2.5-flash", sent=1_000, received=40, reasoning=60), 550),
        # OpenInference, LangSmith
        (
            {
                "openinference.span.kind": "LLM",
                "llm.model_name": "gpt-4o",
                "llm.provider": "openai",
                "llm.token_count.prompt": 1_000,
                "llm.token_count.completion": 100,
                "llm.token_count.prompt_details.cache_read": 400,
            },
            3_000,
        ),
        (
            {
                **CHAT,
                "gen_ai.usage.input_token_details": "{'cache_read': 400}",
            },
            3_000,
        ),
        (
            {
                "gen_ai.operation.name": "embeddings",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": "text-embedding-3-small",
                "gen_ai.usage.input_tokens": 1_000,
            },
            20,
        ),
    ],
)
def test_a_call_is_priced_whatever_convention_it_is_written_in(
    attributes: dict[str, Json], microdollars: float
) -> None:
    assert cost(attributes) == pytest.approx(microdollars / 1e6)


def test_what_the_sender_says_wins() -> None:
    assert cost({**CHAT, "llm.cost.total": 42.0}) == 42.0
    assert cost({**CHAT, "gen_ai.cost.total_cost": 0.0}) == 0.0


@pytest.mark.parametrize(
    "attributes",
    [
        {**CHAT, "gen_ai.request.model": "a-model-of-mine"},
        {**CHAT, "gen_ai.request.model": "g" * 100_000},
        {key: value for key, value in CHAT.items() if "output" not in key},
        {key: value for key, value in CHAT.items() if "model" not in key},
        {**CHAT, "gen_ai.operation.name": "invoke_agent"},
        {**CHAT, "gen_ai.usage.audio.input_tokens": 10**11, "gen_ai.request.model": "gpt-realtime"},
    ],
)
def test_a_call_of_which_not_all_is_known_has_no_cost(attributes: dict[str, Json]) -> None:
    assert cost(attributes) is None


def test_the_users_own_prices_come_first(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[[models]]\nmodel = "gpt-4*"\nprovider = "openai"\ninput = 1\noutput = 2\n')
    prices = Pricing.with_file(file)
    assert cost(CHAT, prices=prices) == pytest.approx(1_200 / 1e6)
    assert prices.list_info.state is ListState.NOT_NEEDED
    assert cost(WORKED[1][0], prices=prices) == pytest.approx(3_300 / 1e6)


def test_a_price_file_that_is_none_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"Cannot start: Cannot read the prices .*none\.toml"):
        Pricing.with_file(tmp_path / "none.toml")


def test_the_list_is_loaded_by_the_first_call_that_needs_it_and_asks_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("The network was asked.")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    for name in [name for name in sys.modules if name.partition(".")[0] == "genai_prices"]:
        monkeypatch.delitem(sys.modules, name)
    prices = Pricing()
    assert cost({**CHAT, "gen_ai.operation.name": "execute_tool"}, prices=prices) is None
    assert cost({**CHAT, "llm.cost.total": 1.0}, prices=prices) == 1.0
    assert "genai_prices" not in sys.modules
    states = [prices.list_info.state]
    assert cost(CHAT, prices=prices) is not None
    states.append(prices.list_info.state)
    assert states == [ListState.NOT_NEEDED, ListState.LOADED]


def test_a_list_that_cannot_be_loaded_costs_the_costs_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ImportError("It is of another version.")

    monkeypatch.setattr(pricing, "PriceList", fail)
    prices = Pricing()
    assert cost(CHAT, prices=prices) is None
    assert cost(CHAT, prices=prices) is None
    assert prices.list_info.state is ListState.FAILED
    assert caplog.text.count("Cannot load the prices of genai-prices") == 1


def test_a_model_that_the_list_stumbles_over_costs_its_own_cost_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def stumble(*_: object) -> float:
        raise IndexError("It has no prices.")

    monkeypatch.setattr(PriceList, "cost_usd", stumble)
    assert cost(CHAT) is None
    assert "Cannot compute the cost of a call of ('gpt-4o',)" in caplog.text


def test_the_list_in_use_has_a_version_and_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    info = Pricing().list_info
    assert info.name == "genai-prices"
    assert info.version == LOCKED_VERSION
    assert info.date == LOCKED_DATE
    monkeypatch.setattr(pricing, "version", lambda _: "99.0")
    assert Pricing().list_info.date is None
