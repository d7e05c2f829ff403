"""A client of OpenAI-compatible endpoints: streamed chat completions with tools.

Used when `OPENAI_BASE_URL` and `OPENAI_API_KEY` are set; `OPENAI_MODEL` names the model. The demo
has no other way out to a network.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from inspector.demo.model import Delta, Message, ToolCall, Usage

_DEFAULT_MODEL = "gpt-4o-mini"


class ModelEndpointError(RuntimeError):
    """The endpoint refused a request or answered something that is not a completion."""


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """A model behind `POST {base_url}/chat/completions`."""

    base_url: str
    api_key: str = field(repr=False)
    model: str = _DEFAULT_MODEL
    provider: str = "openai"
    request_params: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0.2})
    timeout_s: float = 120.0

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncIterator[Delta]:
        """Stream one completion.

        Raises:
            ModelEndpointError: Not reachable, or it answered with an error or with no completion.
        """
        body: dict[str, Any] = {
            "model": self.model,
            "messages": list(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            **self.request_params,
        }
        if tools:
            body["tools"] = [{"type": "function", "function": dict(tool)} for tool in tools]
        calls: dict[int, dict[str, str]] = {}
        finish_reason = "stop"
        usage: Usage | None = None
        async for event in self._events(body):
            if counts := event.get("usage"):
                usage = {
                    "input_tokens": int(counts.get("prompt_tokens", 0)),
                    "output_tokens": int(counts.get("completion_tokens", 0)),
                }
            for choice in event.get("choices") or ():
                finish_reason = choice.get("finish_reason") or finish_reason
                delta = choice.get("delta") or {}
                if text := delta.get("content"):
                    yield Delta(text=text)
                for fragment in delta.get("tool_calls") or ():
                    _add_fragment(calls, fragment)
        for _, call in sorted(calls.items()):
            yield Delta(tool_call=ToolCall(**call))
        yield Delta(finish_reason=finish_reason, usage=usage)

    async def _events(self, body: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        headers = {"Authorization": f"Bearer {self.api_key}"}
        try:
            async with (
                httpx.AsyncClient(timeout=self.timeout_s) as client,
                client.stream("POST", url, json=body, headers=headers) as response,
            ):
                if response.is_error:
                    detail = (await response.aread())[:500].decode(errors="replace")
                    raise ModelEndpointError(
                        f"{url} answered {response.status_code}: {detail}. "
                        "Check OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL."
                    )
                async for line in response.aiter_lines():
                    data = line.removeprefix("data:").strip()
                    if line.startswith("data:") and data != "[DONE]":
                        yield _decode(data, url)
        except httpx.HTTPError as error:
            raise ModelEndpointError(
                f"Cannot reach {url}: {str(error) or type(error).__name__}. Check OPENAI_BASE_URL."
            ) from error


def _add_fragment(calls: dict[int, dict[str, str]], fragment: Mapping[str, Any]) -> None:
    """Add a fragment to the tool call of its index: calls arrive in pieces."""
    call = calls.setdefault(int(fragment.get("index", 0)), {"id": "", "name": "", "arguments": ""})
    call["id"] += fragment.get("id") or ""
    function = fragment.get("function") or {}
    call["name"] += function.get("name") or ""
    call["arguments"] += function.get("arguments") or ""


def model_from_environment() -> OpenAIModel | None:
    """Return the configured endpoint, or None when no base URL and key are set."""
    base_url = os.environ.get("OPENAI_BASE_URL", "")
    api_key = os.environ.get("OPENAI_API_KEY", "")
    if not (base_url and api_key):
        return None
    return OpenAIModel(base_url, api_key, os.environ.get("OPENAI_MODEL") or _DEFAULT_MODEL)


def _decode(data: str, url: str) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except ValueError as error:
        raise ModelEndpointError(f"{url} streamed something that is not JSON.") from error
    if not isinstance(event, dict) or "error" in event:
        raise ModelEndpointError(f"{url} streamed an error: {data[:500]}")
    return event
