"""The client of OpenAI: its own package against a provider that speaks its protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, AzureOpenAI, OpenAI
from pydantic import BaseModel

from inspector.agent_side.adapters import load_adapter
from inspector.integrations import openai as adapter
from instrument import Bus, Decision
from tests.integrations.client_contract import ClientContract, ScriptedClient
from tests.integrations.hook_log import HookLog
from tests.support.services.model_provider import MODEL, ModelProvider, overloaded, says


class _OpenAI(ScriptedClient):
    REFUSED = openai.PermissionDeniedError
    KINDS = (OpenAI, AsyncOpenAI)
    ROOT = "/v1"


class ChatClient(_OpenAI):
    """`client.chat.completions`, in all its ways."""

    WAYS = (
        *("sync", "async", "stream", "async stream", "helper", "async helper"),
        *("raw", "async raw", "streaming raw", "async streaming raw", "parse"),
    )
    STREAMS = ("stream", "async stream", "helper", "async helper")

    def _arguments(self, question: str = "Hi") -> dict[str, Any]:
        return {"model": MODEL, "messages": [{"role": "user", "content": question}]}

    async def ask(self, way: str, question: str = "Hi") -> Any:  # noqa: C901 - a case for each
        request = self._arguments(question)
        counted = {"stream_options": {"include_usage": True}}
        ours, theirs = self.native.chat.completions, self.native_async.chat.completions
        match way:
            case "sync":
                return ours.create(**request)
            case "async":
                return await theirs.create(**request)
            case "stream":
                return list(ours.create(stream=True, **counted, **request))
            case "async stream":
                return [one async for one in await theirs.create(stream=True, **counted, **request)]
            case "helper":
                with ours.stream(**counted, **request) as stream:
                    list(stream)
                    return stream.get_final_completion()
            case "async helper":
                async with theirs.stream(**counted, **request) as stream:
                    return await stream.get_final_completion()
            case "raw":
                return ours.with_raw_response.create(**request).parse()
            case "async raw":
                return (await theirs.with_raw_response.create(**request)).parse()
            case "streaming raw":
                with ours.with_streaming_response.create(**request) as response:
                    return response.parse()
            case "async streaming raw":
                async with theirs.with_streaming_response.create(**request) as response:
                    return await response.parse()
            case _:
                return ours.parse(**request)

    def text(self, got: Any) -> str:
        if isinstance(got, list):
            deltas = [choice.delta.content for chunk in got for choice in chunk.choices]
            return "".join(filter(None, deltas))
        return str(got.choices[0].message.content)

    def begin_stream(self) -> Any:
        return self.native.chat.completions.create(stream=True, **self._arguments())

    async def begin_async_stream(self) -> Any:
        completions = self.native_async.chat.completions
        return await completions.create(stream=True, **self._arguments())


class ResponsesClient(_OpenAI):
    """`client.responses`, in all its ways."""

    WAYS = (
        *("sync", "async", "stream", "async stream", "helper", "async helper"),
        *("raw", "streaming raw", "parse"),
    )
    STREAMS = ("stream", "async stream", "helper", "async helper")
    INPUT = "input"

    async def ask(self, way: str, question: str = "Hi") -> Any:
        request: dict[str, Any] = {"model": MODEL, "input": question}
        ours, theirs = self.native.responses, self.native_async.responses
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
                    return stream.get_final_response()
            case "async helper":
                async with theirs.stream(**request) as stream:
                    return await stream.get_final_response()
            case "raw":
                return ours.with_raw_response.create(**request).parse()
            case "streaming raw":
                with ours.with_streaming_response.create(**request) as response:
                    return response.parse()
            case _:
                return ours.parse(**request)

    def text(self, got: Any) -> str:
        return str((got[-1].response if isinstance(got, list) else got).output_text)

    def begin_stream(self) -> Any:
        return self.native.responses.create(stream=True, model=MODEL, input="Hi")

    async def begin_async_stream(self) -> Any:
        return await self.native_async.responses.create(stream=True, model=MODEL, input="Hi")


class TestChat(ClientContract):
    framework = "openai"
    client = ChatClient
    attach = staticmethod(adapter.attach)


class TestResponses(ClientContract):
    framework = "openai"
    client = ResponsesClient
    attach = staticmethod(adapter.attach)


# --- what only this client has -------------------------------------------------------------------


@pytest.fixture
def attached(bus: Bus) -> Iterator[None]:
    detach = adapter.attach(bus=bus)
    yield
    detach()


@pytest.fixture
def client(provider: ModelProvider) -> OpenAI:
    return OpenAI(base_url=f"{provider.url}/v1", api_key="key")


QUESTION: Any = [{"role": "user", "content": "Hi"}]


class Sum(BaseModel):
    result: int


def test_a_structured_answer_is_parsed_whoever_gives_it(
    bus: Bus, hooks: HookLog, attached: None, provider: ModelProvider, client: OpenAI
) -> None:
    provider.script.append(says('{"result": 3}'))
    request: dict[str, Any] = {"model": MODEL, "messages": QUESTION, "response_format": Sum}
    first = client.chat.completions.parse(**request).choices[0].message.parsed
    bus.intercept("before_llm_generate", lambda **_: Decision.stop('{"result": 4}'))
    second = client.chat.completions.parse(**request).choices[0].message.parsed
    third = client.responses.parse(model=MODEL, input="Hi", text_format=Sum).output_parsed

    assert [first, second, third] == [Sum(result=3), Sum(result=4), Sum(result=4)]


def test_a_hook_may_answer_with_the_providers_own_json(
    bus: Bus, hooks: HookLog, attached: None, client: OpenAI
) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    bus.intercept("before_llm_generate", lambda **_: Decision.stop(answer))

    got = client.chat.completions.create(model=MODEL, messages=QUESTION).choices[0]
    assert got.message.tool_calls is not None
    assert got.message.tool_calls[0].id == "1"
    stream = client.chat.completions.create(model=MODEL, messages=QUESTION, stream=True)
    calls = [call for one in stream for call in one.choices[0].delta.tool_calls or ()]
    assert [call.index for call in calls] == [0]


def test_vectors_are_counted_and_may_come_from_a_hook(
    bus: Bus, hooks: HookLog, attached: None, provider: ModelProvider, client: OpenAI
) -> None:
    vectors = client.embeddings.create(model="vectors", input=["a", "b"]).data
    assert [one.embedding for one in vectors] == [[0.5, 0.0], [0.5, 1.0]]
    reported = hooks.one("after_llm_generate")
    assert (reported["operation_name"], reported["prompt"]) == ("embeddings", ["a", "b"])
    assert reported["usage"] == {"input_tokens": 10, "output_tokens": 0}

    data = [{"object": "embedding", "index": 0, "embedding": [1.0]}]
    bus.intercept("before_llm_generate", lambda **_: Decision.stop({"data": data}))
    assert client.embeddings.create(model="vectors", input="a").data[0].embedding == [1.0]
    bus.intercept("before_llm_generate", lambda **_: Decision.stop("no vector"), priority=-1)
    with pytest.raises(openai.PermissionDeniedError, match="not a response of /embeddings"):
        client.embeddings.create(model="vectors", input="a")


def test_azure_is_reported_as_azure_and_refused_as_openai(
    bus: Bus, hooks: HookLog, attached: None, provider: ModelProvider
) -> None:
    azure = AzureOpenAI(azure_endpoint=provider.url, api_key="key", api_version="2024-10-21")
    azure.chat.completions.create(model="mine", messages=QUESTION)
    assert provider.requests[0].path == "/openai/deployments/mine/chat/completions"
    assert hooks.one("after_llm_generate")["provider"] == "azure.ai.openai"

    bus.intercept("before_llm_generate", lambda **_: Decision.deny("no"))
    with pytest.raises(openai.PermissionDeniedError, match="Denied: no"):
        azure.chat.completions.create(model="mine", messages=QUESTION)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://me.openai.azure.com/openai/v1", "azure.ai.openai"),
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://groq.com.evil.example/v1", "openai"),
    ],
)
def test_the_address_says_who_the_provider_is(
    bus: Bus, hooks: HookLog, attached: None, url: str, expected: str
) -> None:
    bus.intercept("before_llm_generate", lambda **_: Decision.deny("no"))
    with pytest.raises(openai.PermissionDeniedError):
        OpenAI(base_url=url, api_key="key").responses.create(model=MODEL, input="Hi")

    assert hooks.one("error_llm_generate")["provider"] == expected


def test_a_connection_that_fails_is_tried_again_without_a_status(
    hooks: HookLog, attached: None
) -> None:
    nobody = OpenAI(base_url="http://127.0.0.1:9/v1", api_key="key", max_retries=1)
    with pytest.raises(openai.APIConnectionError):
        nobody.chat.completions.create(model=MODEL, messages=QUESTION)

    retry = hooks.one("llm_retrying")
    assert (retry["attempt"], retry["status_code"], retry["retry_after"]) == (1, None, None)


@pytest.mark.shows("openai", "once")
async def test_a_framework_that_calls_the_client_reports_its_calls_alone(
    bus: Bus, hooks: HookLog, attached: None, provider: ModelProvider
) -> None:
    agents, pydantic_ai = pytest.importorskip("agents"), pytest.importorskip("pydantic_ai")
    models = pytest.importorskip("pydantic_ai.models.openai")
    providers = pytest.importorskip("pydantic_ai.providers.openai")
    undo = [load_adapter(name).attach(bus=bus) for name in ("openai_agents", "pydantic_ai")]
    provider.script += [step for _ in range(4) for step in (overloaded(429), says("Hello."))]
    async with AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="key") as client:
        of = providers.OpenAIProvider(openai_client=client)
        first = pydantic_ai.Agent(models.OpenAIChatModel(MODEL, provider=of))
        await first.run("Hi")
        async with first.run_stream("Hi") as result:
            await result.get_output()
        second = agents.Agent(name="a", model=agents.OpenAIResponsesModel(MODEL, client))
        config = agents.RunConfig(tracing_disabled=True)
        await agents.Runner.run(second, "Hi", run_config=config)
        streamed = agents.Runner.run_streamed(second, "Hi", run_config=config)
        async for _ in streamed.stream_events():
            pass
    for detach in undo:
        detach()

    reported = hooks.of("before_llm_generate")
    assert len(reported) == 4
    assert not any(one["llm"] is client for one in reported)
    assert [one["call_id"] for one in hooks.of("llm_retrying")] == [
        one["call_id"] for one in reported
    ]


def test_other_routes_are_not_reported(
    hooks: HookLog, attached: None, provider: ModelProvider
) -> None:
    client = OpenAI(base_url=f"{provider.url}/v1", api_key="key", max_retries=1)
    provider.script += [overloaded(500), overloaded(400)]
    with pytest.raises(openai.BadRequestError):
        client.moderations.create(input="Hi")

    assert hooks.names == []


@pytest.mark.parametrize("is_first", [True, False], ids=["before us", "after us"])
def test_a_client_that_somebody_else_has_patched_stays_so(
    bus: Bus, hooks: HookLog, client: OpenAI, monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    seen: list[str] = []

    def patch() -> None:
        def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(original)
            def request(self: Any, cast_to: Any, options: Any, **kwargs: Any) -> Any:
                seen.append(options.url)
                return original(self, cast_to, options, **kwargs)

            return request

        monkeypatch.setattr(OpenAI, "request", wrap(OpenAI.request))

    if is_first:
        patch()
    detach = adapter.attach(bus=bus)
    if not is_first:
        patch()
    client.chat.completions.create(model=MODEL, messages=QUESTION)
    detach()
    client.chat.completions.create(model=MODEL, messages=QUESTION)

    assert seen == ["/chat/completions"] * 2
    assert len(hooks.of("before_llm_generate")) == 1


def test_a_forked_process_is_watched_as_its_parent(
    bus: Bus, hooks: HookLog, attached: None, client: OpenAI, provider: ModelProvider
) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # nothing of pytest may run here
        try:
            fresh = OpenAI(base_url=f"{provider.url}/v1", api_key="key")
            answer = fresh.chat.completions.create(model=MODEL, messages=QUESTION)
            reported = hooks.one("after_llm_generate")
            os.write(writing, f"{answer.choices[0].message.content} {reported['model']}".encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 100).decode() == f"Hello there. {MODEL}"
    assert hooks.names == []
