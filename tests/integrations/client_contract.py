"""The tests that the adapter of every provider's client passes, against a provider that speaks."""

from __future__ import annotations

import asyncio
import gc
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from typing import Any, ClassVar

import pytest

from instrument import Bus, Decision, HookDenied
from tests.integrations.hook_log import HookLog
from tests.support.services.model_provider import (
    CACHED,
    MODEL,
    RECEIVED,
    SENT,
    Answer,
    ModelProvider,
    Raw,
    calls,
    overloaded,
    says,
)

EVENTS = {"content-type": "text/event-stream"}
BEHAVIOURS: dict[str, Answer | Raw] = {
    "thinks": says("one", thinking="well"),
    "calls": calls("add", {"a": 1, "b": 2}, {"a": 3, "b": 4}),
    "compressed": says("one two three", is_compressed=True),
    "refuses": overloaded(400),
    "html": Raw(200, b"<html>", {"content-type": "text/html"}),
}
WHOLE_RUBBISH: dict[str, Answer | Raw] = {
    "nothing": Raw(200, b"", {"content-type": "application/json"}),
    "half": Raw(200, b'{"id": ', {"content-type": "application/json"}),
    "other": Raw(200, b'{"choices": 7, "content": 7, "output": 7, "usage": []}',
                 {"content-type": "application/json"}),
    "a list": Raw(200, b"[1]", {"content-type": "application/json"}),
}  # fmt: skip
STREAM_RUBBISH: dict[str, Answer | Raw] = {
    "stops": says("one two three four five six", stops_after=6),
    "stops at once": says("one", stops_after=0),
    "fails": says("one two three four five six", fails_after=6),
    "no events": Raw(200, b"data: {nope\n\n", EVENTS),
    "odd events": Raw(200, b'data: {"type": 7, "choices": [{"delta": 7}]}\n\ndata: [1]\n\n',
                      EVENTS),
}  # fmt: skip


class ScriptedClient(ABC):
    """A client of a provider, and the ways to ask it through one route."""

    WAYS: ClassVar[tuple[str, ...]]
    STREAMS: ClassVar[tuple[str, ...]]
    """Those in which the answer comes in pieces."""
    REFUSED: ClassVar[type[Exception]]
    """The exception of a call that hooks refuse."""
    KINDS: ClassVar[tuple[type[Any], type[Any]]]
    """The classes of the clients: sync and async."""
    ROOT: ClassVar[str] = ""
    """The path of their `base_url`."""
    INPUT: ClassVar[str] = "messages"
    """The field of the request that is the prompt."""

    def __init__(self, url: str, key: str = "key") -> None:
        # `verify=False`: reading all certificates takes longer than a request.
        about = {"base_url": url + self.ROOT, "api_key": key}
        kinds, http = self.KINDS, import_module(self.KINDS[0].__module__.partition(".")[0])
        self.native = kinds[0](http_client=http.DefaultHttpxClient(verify=False), **about)
        self.native_async = kinds[1](
            http_client=http.DefaultAsyncHttpxClient(verify=False), **about
        )

    async def close(self) -> None:
        """Close both clients."""
        self.native.close()
        await self.native_async.close()

    @abstractmethod
    async def ask(self, way: str, question: str = "Hi") -> Any:
        """Ask, and return all that the program gets."""

    @abstractmethod
    def text(self, got: Any) -> str:
        """Return the text in what the program gets."""

    @abstractmethod
    def begin_stream(self) -> Any:
        """Return a sync stream of which nothing was read."""

    @abstractmethod
    async def begin_async_stream(self) -> Any:
        """Return an async stream of which nothing was read."""


class ClientContract:
    """The contract, for one route of a client."""

    framework: ClassVar[str]
    client: ClassVar[type[ScriptedClient]]
    attach: ClassVar[staticmethod[..., Callable[[], None]]]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test with `way` in each way to ask."""
        ways, streams = self.client.WAYS, self.client.STREAMS
        if "way" in metafunc.fixturenames:
            metafunc.parametrize("way", ways)
        if "some_way" in metafunc.fixturenames:
            metafunc.parametrize("some_way", [ways[0], ways[3], ways[-1]])
        if "whole_way" in metafunc.fixturenames:
            read = [one for one in ways if one not in streams and "streaming" not in one]
            metafunc.parametrize("whole_way", read)
        if "read_way" in metafunc.fixturenames:
            read = [one for one in ways if one in streams or "streaming" in one]
            metafunc.parametrize("read_way", read)
        if "stream_way" in metafunc.fixturenames:
            metafunc.parametrize("stream_way", streams)

    @pytest.fixture(autouse=True)
    def attached(self, bus: Bus) -> Iterator[Callable[[], None]]:
        detach = self.attach(bus=bus)
        yield detach
        detach()

    @pytest.fixture
    async def scripted(self, provider: ModelProvider) -> AsyncIterator[ScriptedClient]:
        scripted = self.client(provider.url)
        yield scripted
        await scripted.close()

    # --- what is reported ---------------------------------------------------------------------

    @pytest.mark.shows("llm", "tokens")
    async def test_a_call_is_one_model_call_with_its_tokens(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, way: str
    ) -> None:
        provider.script.append(says("one two"))

        assert scripted.text(await scripted.ask(way)) == "one two"

        assert hooks.operations == ["before_llm_generate", "after_llm_generate"]
        reported = hooks.one("after_llm_generate")
        assert reported["model"] == MODEL
        assert reported["response"]["model"] == f"{MODEL}-2026"
        assert (reported["usage"]["input_tokens"], reported["usage"]["output_tokens"]) == (
            SENT,
            RECEIVED,
        )
        assert reported["usage"]["cache_read_tokens"] == CACHED
        assert "Hi" in str(reported["prompt"])
        assert "one two" in str(reported["response"])

    @pytest.mark.shows("streaming")
    async def test_the_pieces_of_a_stream_are_counted_and_the_first_is_timed(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, stream_way: str
    ) -> None:
        provider.script.append(says("one two three"))
        await scripted.ask(stream_way)

        stream = hooks.one("operation_closed")["stream"]
        assert stream.chunk_count == 3
        assert stream.first_chunk_ns > 0
        assert list(hooks.texts.values()) == ["one two three"]

    @pytest.mark.parametrize(
        "decision", [Decision.modify("edited"), Decision.stop("edited")], ids=["modify", "stop"]
    )
    async def test_an_answer_that_the_program_reads_itself_is_reported_as_the_program_got_it(
        self,
        bus: Bus,
        hooks: HookLog,
        provider: ModelProvider,
        scripted: ScriptedClient,
        read_way: str,
        decision: Decision,
    ) -> None:
        bus.intercept("after_llm_generate", lambda **_: decision)
        provider.script.append(says("one two"))
        assert scripted.text(await scripted.ask(read_way)) == "one two"

        response = hooks.one("after_llm_generate")["response"]
        assert "one two" in str(response)
        assert "edited" not in str(response)
        assert hooks.one("operation_closed")["status"] == "ok"
        wanted, withheld = hooks.of("hook_decided")
        assert (wanted["action"], withheld["action"]) == (decision.action, "continue")
        assert withheld["reason"].startswith("not applied: ")

    @pytest.mark.parametrize("behaviour", [*BEHAVIOURS, *WHOLE_RUBBISH, *STREAM_RUBBISH])
    async def test_the_program_gets_what_it_gets_without_us(
        self,
        bus: Bus,
        hooks: HookLog,
        attached: Callable[[], None],
        provider: ModelProvider,
        scripted: ScriptedClient,
        behaviour: str,
    ) -> None:
        streams = [one for one in scripted.WAYS if one in scripted.STREAMS]
        ways = [one for one in scripted.WAYS if behaviour in BEHAVIOURS or one not in streams]
        if behaviour in STREAM_RUBBISH:
            ways = streams
        answer = {**BEHAVIOURS, **WHOLE_RUBBISH, **STREAM_RUBBISH}[behaviour]
        provider.script += [answer] * len(ways) * 2
        attached()  # and so detached
        expected = {way: await self.outcome(scripted, way) for way in ways}
        detach = self.attach(bus=bus)
        got = {way: await self.outcome(scripted, way) for way in ways}
        detach()

        assert got == expected
        assert provider.script == []
        gc.collect()
        assert len(hooks.of("operation_opened")) == len(ways)
        hooks.check_pairs()

    async def outcome(self, scripted: ScriptedClient, way: str) -> tuple[type, str]:
        """Return the type and the text of a result or an error."""
        try:
            got = await scripted.ask(way)
        except Exception as error:  # noqa: BLE001 - of any kind
            return type(error), str(error)
        return type(got), repr(got)

    @pytest.mark.shows("llm_error")
    async def test_a_call_that_fails_is_an_error(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, some_way: str
    ) -> None:
        provider.script.append(overloaded(400))
        with pytest.raises(Exception, match="overloaded") as raised:
            await scripted.ask(some_way)

        assert hooks.one("error_llm_generate")["exc"] is raised.value

    async def test_a_compressed_answer_is_reported_as_any_other(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, way: str
    ) -> None:
        provider.script.append(says("one two three", is_compressed=True))
        await scripted.ask(way)

        assert hooks.one("operation_closed")["status"] == "ok"
        assert "two" in str(hooks.one("after_llm_generate")["response"])

    async def test_an_answer_above_the_limit_is_no_failure(
        self,
        hooks: HookLog,
        provider: ModelProvider,
        scripted: ScriptedClient,
        way: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("inspector.integrations.clients.bodies._MAX_BODY_BYTES", 2_000)
        monkeypatch.setattr("inspector.integrations.clients.bodies._MAX_EVENT_BYTES", 2_000)
        provider.script.append(says(f"one {'two' * 2_000} three"))
        assert "three" in str(await scripted.ask(way))

        assert hooks.one("operation_closed")["status"] == "ok"
        if way in scripted.STREAMS:
            assert "three" in str(hooks.one("after_llm_generate")["response"])

    async def test_a_stream_that_stops_is_reported_with_what_came(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, stream_way: str
    ) -> None:
        provider.script.append(says("one two three four five six", stops_after=6))
        with pytest.raises(Exception, match=r".+"):
            await scripted.ask(stream_way)

        reported = hooks.one("error_llm_generate")
        assert "one two" in str(reported["response"])
        assert "six" not in str(reported["response"])
        assert hooks.one("operation_closed")["status"] == "error"

    async def test_a_stream_that_ends_with_an_error_is_an_error(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, stream_way: str
    ) -> None:
        provider.script.append(says("one two three four five six", fails_after=6))
        with pytest.raises(Exception, match="out of breath"):
            await scripted.ask(stream_way)

        assert "out of breath" in str(hooks.one("error_llm_generate")["exc"])

    async def test_a_stream_that_is_left_is_closed_as_cancelled(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient
    ) -> None:
        for ending in ("closed", "left", "dropped"):
            provider.script += [says("one two three four five six")] * 2
            stream, others = scripted.begin_stream(), await scripted.begin_async_stream()
            if ending != "dropped":
                next(iter(stream))
                await anext(aiter(others))
            if ending == "closed":
                stream.close()
                await others.close()
            del stream, others
            gc.collect()
            await asyncio.sleep(0)
        gc.collect()

        assert [one["status"] for one in hooks.of("operation_closed")] == ["cancelled"] * 6

    async def test_a_stream_that_is_open_at_the_end_is_cancelled_with_what_came(
        self,
        hooks: HookLog,
        attached: Callable[[], None],
        provider: ModelProvider,
        scripted: ScriptedClient,
    ) -> None:
        provider.script += [says("one two three four five six")] * 2
        stream, others = scripted.begin_stream(), await scripted.begin_async_stream()
        next(iter(stream))
        await anext(aiter(others))

        attached()

        assert [one["status"] for one in hooks.of("operation_closed")] == ["cancelled"] * 2
        assert all(one["response"] for one in hooks.of("error_llm_generate"))
        stream.close()
        await others.close()

    async def test_what_a_program_does_between_two_pieces_is_not_inside(
        self, bus: Bus, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient
    ) -> None:
        provider.script += [says("one two")] * 2
        for _ in scripted.begin_stream():
            with bus.operation("tool_call", tool_name="look", args={}):
                pass
        async for _ in await scripted.begin_async_stream():
            async with bus.operation("tool_call", tool_name="look", args={}):
                pass

        assert {one["parent_call_id"] for one in hooks.of("before_tool_call")} == {None}

    @pytest.mark.shows("concurrency")
    async def test_calls_at_the_same_time_keep_their_own_answers(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient
    ) -> None:
        clients = [self.client(provider.url, f"key-{number}") for number in range(10)]
        ways = [one for one in scripted.WAYS if "async" in one]
        for number in range(10):
            provider.scripts[f"key-{number}"] = [says(f"answer {number}")]
        await asyncio.gather(
            *(
                client.ask(ways[number % len(ways)], f"question {number}")
                for number, client in enumerate(clients)
            )
        )
        for client in clients:
            await client.close()

        reported = hooks.of("after_llm_generate")
        assert len(reported) == 10
        for one in reported:
            of = str(one["prompt"]).partition("question ")[2][0]
            assert f"answer {of}" in str(one["response"])

    async def test_retries_of_the_client_are_moments_of_the_call(
        self, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, some_way: str
    ) -> None:
        provider.script += [overloaded(429, "0.02"), overloaded(500, "0.01"), says("one")]
        assert scripted.text(await scripted.ask(some_way)) == "one"

        reported, call = hooks.of("llm_retrying"), hooks.one("after_llm_generate")
        assert [one["attempt"] for one in reported] == [1, 2]
        assert [one["status_code"] for one in reported] == [429, 500]
        assert [one["retry_after"] for one in reported] == ["0.02", "0.01"]
        assert {one["call_id"] for one in reported} == {call["call_id"]}

    @pytest.mark.shows("once")
    async def test_a_call_of_a_framework_that_is_watched_is_reported_once(
        self,
        bus: Bus,
        hooks: HookLog,
        provider: ModelProvider,
        scripted: ScriptedClient,
        some_way: str,
    ) -> None:
        provider.script.append(overloaded(429))
        async with bus.operation("llm_generate", llm=None, prompt="Hi"):
            await scripted.ask(some_way)

        assert len(hooks.of("before_llm_generate")) == 1
        retry = hooks.one("llm_retrying")
        assert retry["call_id"] == hooks.one("before_llm_generate")["call_id"]

    # --- what hooks decide --------------------------------------------------------------------

    @pytest.mark.shows("deny_llm")
    async def test_a_refused_call_is_not_sent_and_raises_what_the_client_raises(
        self, bus: Bus, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, way: str
    ) -> None:
        bus.intercept("before_llm_generate", lambda **_: Decision.deny("over budget"))

        with pytest.raises(scripted.REFUSED, match="Denied: over budget"):
            await scripted.ask(way)

        assert provider.requests == []
        assert isinstance(hooks.one("error_llm_generate")["exc"], HookDenied)

    @pytest.mark.shows("deny_llm")
    async def test_a_hook_answers_for_the_model_in_the_clients_own_type(
        self, bus: Bus, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient, way: str
    ) -> None:
        provider.script.append(says("From the model."))
        expected = await scripted.ask(way)
        bus.intercept("before_llm_generate", lambda **_: Decision.stop("From the cache."))
        got = await scripted.ask(way)

        assert scripted.text(got) == "From the cache."
        assert type(got) is type(expected)
        assert len(provider.requests) == 1

    async def test_an_answer_is_replaced(
        self,
        bus: Bus,
        hooks: HookLog,
        provider: ModelProvider,
        scripted: ScriptedClient,
        whole_way: str,
    ) -> None:
        expected = type(await scripted.ask(whole_way))
        bus.intercept("after_llm_generate", lambda **_: Decision.modify(response="I cannot say."))
        got = await scripted.ask(whole_way)

        assert (scripted.text(got), type(got)) == ("I cannot say.", expected)

    async def test_an_answer_that_is_edited_in_place_is_what_the_program_gets(
        self, bus: Bus, hooks: HookLog, provider: ModelProvider, scripted: ScriptedClient
    ) -> None:
        bus.intercept("after_llm_generate", lambda response, **_: edit(response, "Hello", "Bye"))

        assert scripted.text(await scripted.ask("sync")) == "Bye there."

    async def test_edited_messages_and_settings_are_what_is_sent(
        self,
        bus: Bus,
        hooks: HookLog,
        provider: ModelProvider,
        scripted: ScriptedClient,
        some_way: str,
    ) -> None:
        def change(prompt: Any, request_params: dict[str, Any], **_: Any) -> Decision:
            return Decision.modify(
                prompt=[{"role": "user", "content": "Bye"}],
                model="other",
                request_params={**request_params, "temperature": 0.25},
            )

        bus.intercept("before_llm_generate", change)
        await scripted.ask(some_way)

        (request,) = provider.requests
        assert request.body[scripted.INPUT] == [{"role": "user", "content": "Bye"}]
        assert (request.body["model"], request.body["temperature"]) == ("other", 0.25)

    @pytest.mark.shows("inject")
    async def test_a_hook_adds_context_for_the_model(
        self,
        bus: Bus,
        hooks: HookLog,
        provider: ModelProvider,
        scripted: ScriptedClient,
        some_way: str,
    ) -> None:
        texts = {"system": "It is Monday.", "user": "Be short."}
        for role, text in texts.items():
            bus.intercept(
                "before_llm_generate",
                lambda role=role, text=text, **_: Decision.inject_context(text, role=role),
            )
        await scripted.ask(some_way)

        (request,) = provider.requests
        assert all(text in str(request.body) for text in ("Hi", *texts.values()))

    async def test_a_call_is_made_again_where_a_hook_wants_it(
        self,
        bus: Bus,
        hooks: HookLog,
        provider: ModelProvider,
        scripted: ScriptedClient,
        some_way: str,
    ) -> None:
        provider.script += [overloaded(400), says("fine")]
        bus.intercept("error_llm_generate", lambda **_: Decision.retry("again"))

        assert scripted.text(await scripted.ask(some_way)) == "fine"
        assert len(hooks.of("before_llm_generate")) == 2

    @pytest.mark.parametrize(
        "nothing",
        [{name: [object()] for name in ("choices", "content", "output")}, {"foo": 1}, None],
        ids=["malformed", "without a text", "none"],
    )
    async def test_an_answer_of_a_hook_that_is_none_is_a_refusal(
        self, bus: Bus, provider: ModelProvider, scripted: ScriptedClient, nothing: Any
    ) -> None:
        bus.intercept("before_llm_generate", lambda **_: Decision.stop(nothing))

        with pytest.raises(scripted.REFUSED, match="not a response of"):
            await scripted.ask("sync")
        assert provider.requests == []

    # --- attaching ----------------------------------------------------------------------------

    async def test_a_second_attach_does_nothing(
        self, bus: Bus, hooks: HookLog, scripted: ScriptedClient
    ) -> None:
        detach = self.attach(bus=bus)
        await scripted.ask("sync")
        detach()
        await scripted.ask("async")

        assert len(hooks.of("before_llm_generate")) == 2

    async def test_only_the_targets_are_watched(
        self, provider: ModelProvider, scripted: ScriptedClient
    ) -> None:
        bus, hooks = Bus(), HookLog()
        bus.observe_all(hooks)
        detach = self.attach(scripted.native, bus=bus)
        await scripted.ask("async")
        assert hooks.names == []
        for way in ("sync", "raw"):
            await scripted.ask(way)
        detach()

        assert len(hooks.of("before_llm_generate")) == 2


def edit(value: Any, old: str, new: str) -> None:
    """Replace a text wherever it is in the lists and dicts of `value`."""
    for key, one in list(value.items() if isinstance(value, dict) else enumerate(value)):
        if isinstance(one, str):
            value[key] = one.replace(old, new)
        elif isinstance(one, dict | list):
            edit(one, old, new)
