"""The client of Anthropic: its own package against a provider that speaks its protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import wraps
from inspect import iscoroutinefunction
from itertools import count
from typing import Any, ClassVar

import anthropic
import httpx2
import pytest
from anthropic import Anthropic, AnthropicVertex, AsyncAnthropic, beta_async_tool, beta_tool

from inspector.integrations import anthropic as adapter
from instrument import Bus, Decision
from tests.integrations.client_contract import ClientContract, ScriptedClient
from tests.integrations.contract import QUESTION, RUN, AdapterContract, ScriptedAgent
from tests.integrations.hook_log import HookLog
from tests.support.services.model_provider import MODEL, ModelProvider, calls, overloaded, says

REQUEST: dict[str, Any] = {"model": MODEL, "max_tokens": 100}


class MessagesClient(ScriptedClient):
    """`client.messages`, in all its ways."""

    WAYS = (
        *("sync", "async", "stream", "async stream", "helper", "async helper"),
        *("raw", "async raw", "streaming raw", "beta"),
    )
    STREAMS = ("stream", "async stream", "helper", "async helper")
    REFUSED = anthropic.PermissionDeniedError
    KINDS = (Anthropic, AsyncAnthropic)

    async def ask(self, way: str, question: str = "Hi") -> Any:
        request = {**REQUEST, "messages": [{"role": "user", "content": question}]}
        ours, theirs = self.native.messages, self.native_async.messages
        match way:
            case "sync":
                return ours.create(**request)
            case "async":
                return await theirs.create(**request)
            case "stream":
                return list(ours.create(stream=True, **request))
            case "async stream":
                return [one async for one in await theirs.create(stream=True, **request)]
            case "helper":
                with ours.stream(**request) as stream:
                    return stream.get_final_message()
            case "async helper":
                async with theirs.stream(**request) as stream:
                    return await stream.get_final_message()
            case "raw":
                return ours.with_raw_response.create(**request).parse()
            case "async raw":
                response: Any = await theirs.with_raw_response.create(**request)
                parsed = response.parse()
                return await parsed if hasattr(parsed, "__await__") else parsed
            case "streaming raw":
                with ours.with_streaming_response.create(**request) as response:
                    return response.parse()
            case _:
                return self.native.beta.messages.create(**request)

    def text(self, got: Any) -> str:
        if isinstance(got, list):
            return "".join(getattr(getattr(one, "delta", None), "text", "") for one in got)
        return "".join(block.text for block in got.content if block.type == "text")

    def begin_stream(self) -> Any:
        messages: Any = [{"role": "user", "content": "Hi"}]
        return self.native.messages.create(stream=True, messages=messages, **REQUEST)

    async def begin_async_stream(self) -> Any:
        messages: Any = [{"role": "user", "content": "Hi"}]
        return await self.native_async.messages.create(stream=True, messages=messages, **REQUEST)


class TestMessages(ClientContract):
    framework = "anthropic"
    client = MessagesClient
    attach = staticmethod(adapter.attach)


# --- the tool runner -----------------------------------------------------------------------------

_numbers = count()


class RunnerAgent(ScriptedAgent):
    """A tool runner."""

    WAYS = ("async", "sync")
    NAME = "tool_runner"
    REFUSED = anthropic.AnthropicError
    calls = staticmethod(calls)
    says = staticmethod(says)
    provider: ClassVar[ModelProvider]

    def __init__(self, *script: Any, tools: Any) -> None:
        self._key = f"runner-{next(_numbers)}"
        self.provider.scripts[self._key] = [
            overloaded(400) if isinstance(one, Exception) else one for one in script
        ]
        self._tools = list(tools)
        about: Any = {"base_url": self.provider.url, "api_key": self._key}
        # Each run has an event loop of its own, whose connections end with it.
        alone: Any = {"verify": False, "limits": httpx2.Limits(max_keepalive_connections=0)}
        self._sync = Anthropic(http_client=httpx2.Client(**alone), **about)
        self._async = AsyncAnthropic(http_client=httpx2.AsyncClient(**alone), **about)
        self.native = _Both(self._sync, self._async)

    async def run(self, way: str) -> str:
        messages: Any = [{"role": "user", "content": QUESTION}]
        request: dict[str, Any] = {**REQUEST, "messages": messages}
        if way != "sync":
            theirs = [beta_async_tool(_as_async(one)) for one in self._tools]
            runner: Any = self._async.beta.messages.tool_runner(tools=theirs, **request)
            answer = await runner.until_done()
        else:
            tools = [beta_tool(_as_sync(one)) for one in self._tools]
            runner = self._sync.beta.messages.tool_runner(tools=tools, **request)
            answer = await asyncio.to_thread(runner.until_done)
        return "".join(block.text for block in answer.content if block.type == "text")

    def read(self) -> str:
        (request, *_) = [
            content
            for one in self._requests()
            for message in one.body["messages"]
            for content in message["content"]
            if isinstance(content, dict) and content["type"] == "tool_result"
        ]
        return str(request["content"])

    def count_model_calls(self) -> int:
        return len(self._requests())

    def _requests(self) -> list[Any]:
        return [one for one in self.provider.requests if one.key == self._key]


class _Both:
    """Both clients of an agent, as one target."""

    def __init__(self, *clients: Any) -> None:
        self.clients = clients


def _attach(*targets: Any, bus: Bus) -> Any:
    return adapter.attach(*(one for both in targets for one in both.clients), bus=bus)


def _as_async(function: Any) -> Any:
    if iscoroutinefunction(function):
        return _texts(function)

    @wraps(function)
    async def run(*args: Any, **kwargs: Any) -> Any:
        return str(function(*args, **kwargs))

    return run


def _texts(function: Any) -> Any:
    @wraps(function)
    async def run(*args: Any, **kwargs: Any) -> Any:
        return str(await function(*args, **kwargs))

    return run


def _as_sync(function: Any) -> Any:
    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if iscoroutinefunction(function):
            return str(asyncio.run(function(*args, **kwargs)))
        return str(function(*args, **kwargs))

    return run


class TestToolRunner(AdapterContract):
    framework = "anthropic"
    agent = RunnerAgent
    attach = staticmethod(_attach)

    @pytest.fixture(autouse=True)
    def attached(self, bus: Bus, provider: ModelProvider) -> Iterator[None]:
        RunnerAgent.provider = provider
        detach = adapter.attach(bus=bus)
        yield
        detach()

    @pytest.mark.shows("streaming")
    def test_a_streamed_run_is_reported_as_a_whole_one(
        self, hooks: HookLog, calculator: RunnerAgent, ran: list[Any]
    ) -> None:
        tools = [beta_tool(_as_sync(one)) for one in calculator._tools]
        runner = calculator._sync.beta.messages.tool_runner(
            tools=tools, stream=True, messages=[{"role": "user", "content": QUESTION}], **REQUEST
        )
        for stream in runner:
            list(stream)

        assert ran == [(1, 2)]
        assert hooks.operations == RUN
        answer = hooks.one("after_agent_call")["result"]
        assert "three" in str(answer)
        assert answer.usage.output_tokens == 10  # of both calls
        assert hooks.one("before_tool_call")["tool_call_id"] == "call-add-0"


# --- what only this client has -------------------------------------------------------------------


def test_counting_tokens_is_no_call(bus: Bus, hooks: HookLog, provider: ModelProvider) -> None:
    detach = adapter.attach(bus=bus)
    client = Anthropic(base_url=provider.url, api_key="key")
    counted = client.messages.count_tokens(model=MODEL, messages=[{"role": "user", "content": "?"}])
    detach()

    assert (counted.input_tokens, hooks.names) == (10, [])


def test_thinking_is_reported_as_reasoning_and_passes(
    bus: Bus, hooks: HookLog, provider: ModelProvider
) -> None:
    detach = adapter.attach(bus=bus)
    client = Anthropic(base_url=provider.url, api_key="key")
    provider.script += [says("Three.", thinking="1 + 2")] * 2
    messages: Any = [{"role": "user", "content": QUESTION}]
    thinking: Any = {"type": "enabled", "budget_tokens": 1024}
    whole = client.messages.create(messages=messages, thinking=thinking, **REQUEST)
    with client.messages.stream(messages=messages, thinking=thinking, **REQUEST) as stream:
        streamed = stream.get_final_message()
    detach()

    assert [block.type for block in whole.content] == ["thinking", "text"]
    assert [block.type for block in streamed.content] == ["thinking", "text"]
    first, second = (one["response"]["content"] for one in hooks.of("after_llm_generate"))
    assert (
        first
        == second
        == [
            {"type": "thinking", "thinking": "1 + 2", "signature": "s1"},
            {"type": "text", "text": "Three."},
        ]
    )


def test_vertex_is_reported_as_vertex_and_refused_as_anthropic(
    bus: Bus, hooks: HookLog, provider: ModelProvider
) -> None:
    detach = adapter.attach(bus=bus)
    messages: Any = [{"role": "user", "content": QUESTION}]
    client = AnthropicVertex(
        region="global", project_id="p", access_token="token", base_url=provider.url
    )
    client.messages.create(messages=messages, **REQUEST)
    with client.messages.stream(messages=messages, **REQUEST) as stream:
        stream.get_final_message()
    bus.intercept("before_llm_generate", lambda **_: Decision.deny("no"))
    with pytest.raises(anthropic.PermissionDeniedError, match="Denied: no"):
        client.messages.create(messages=messages, **REQUEST)
    detach()

    reported = hooks.of("after_llm_generate")
    assert [(one["provider"], one["model"]) for one in reported] == [("gcp.vertex_ai", MODEL)] * 2
    assert [one.path.rpartition(":")[2] for one in provider.requests] == [
        "rawPredict",
        "streamRawPredict",
    ]
