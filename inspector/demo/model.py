"""The demo's interface to a language model, and the scripted model that is the default."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from inspector.demo.pace import Pace

Message: TypeAlias = dict[str, Any]
"""One turn in the shape of OpenAI's chat completions: `role`, `content`, `tool_calls`, …"""

Usage: TypeAlias = dict[str, int | float]
"""`input_tokens`, `output_tokens` and, where the price is known, `cost_usd` of one LLM call."""

_TOKEN_CHARS = 4
_USD_PER_MILLION_INPUT = 2.5
_USD_PER_MILLION_OUTPUT = 10.0


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model; `arguments` is JSON text, as models write it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Delta:
    """One piece of a streamed answer. The last one carries the usage."""

    text: str = ""
    tool_call: ToolCall | None = None
    finish_reason: str | None = None
    usage: Usage | None = None


class Model(Protocol):
    """A language model that streams its answers."""

    @property
    def provider(self) -> str:
        """Name of the provider."""

    @property
    def model(self) -> str:
        """Name of the model in requests."""

    @property
    def request_params(self) -> Mapping[str, Any]:
        """Sampling parameters of every call."""

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncIterator[Delta]:
        """Answer `messages`; `tools` have a name, a description and parameters (JSON Schema)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of a script: text, tool calls, or both. No calls: the agent is done."""

    text: str
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """The input of a script."""

    task: str
    tools: frozenset[str]


Script: TypeAlias = Generator[Turn, list[str], None]
"""Yields its turns; receives the texts of the tool results, in the order of the calls."""

ScriptFactory: TypeAlias = Callable[[Brief], Script]


@dataclass(slots=True)
class ScriptedModel:
    """A model that follows a script: it reads real tool results and streams at a real pace."""

    script: ScriptFactory
    rng: random.Random
    pace: Pace
    model: str = "scripted-large"
    provider: str = "inspector-demo"
    request_params: Mapping[str, Any] = field(
        default_factory=lambda: {"temperature": 0.2, "max_tokens": 4096}
    )
    _running: Script | None = field(default=None, init=False)

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncIterator[Delta]:
        """Stream the script's next turn."""
        turn = self._next_turn(messages, tools)
        await self.pace.wait(self.rng.uniform(0.4, 1.1))
        for piece in _pieces(turn.text, self.rng):
            yield Delta(text=piece)
            await self.pace.wait(self.rng.uniform(0.02, 0.07))
        calls = [
            ToolCall(f"call_{self.rng.getrandbits(48):012x}", name, json.dumps(arguments))
            for name, arguments in turn.calls
        ]
        for call in calls:
            await self.pace.wait(self.rng.uniform(0.05, 0.2))
            yield Delta(tool_call=call)
        finish_reason = "tool_calls" if calls else "stop"
        yield Delta(finish_reason=finish_reason, usage=_usage(messages, tools, turn))

    def _next_turn(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Turn:
        if self._running is None:
            names = frozenset(str(tool["name"]) for tool in tools)
            self._running = self.script(Brief(str(messages[-1]["content"]), names))
            return next(self._running)
        try:
            return self._running.send(_last_results(messages))
        except StopIteration:
            return Turn("Done.")


def _last_results(messages: Sequence[Message]) -> list[str]:
    results: list[str] = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        results.append(str(message["content"]))
    return results[::-1]


def _pieces(text: str, rng: random.Random) -> list[str]:
    """Cut a text where a tokenizer might: after one to four words."""
    words = text.split(" ")
    pieces: list[str] = []
    while words:
        size = rng.randint(1, 4)
        pieces.append(" ".join(words[:size]) + (" " if len(words) > size else ""))
        words = words[size:]
    return [piece for piece in pieces if piece]


def _usage(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], turn: Turn) -> Usage:
    prompt = len(json.dumps(list(messages))) + len(json.dumps([dict(tool) for tool in tools]))
    answer = len(turn.text) + len(json.dumps([list(call) for call in turn.calls]))
    input_tokens, output_tokens = prompt // _TOKEN_CHARS, max(answer // _TOKEN_CHARS, 1)
    cost = input_tokens * _USD_PER_MILLION_INPUT + output_tokens * _USD_PER_MILLION_OUTPUT
    return {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cost_usd": round(cost / 1_000_000, 6),
    }
