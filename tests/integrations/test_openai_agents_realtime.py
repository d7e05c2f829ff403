"""OpenAI Agents: realtime sessions, against a server that speaks the Realtime API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agents import function_tool, set_tracing_disabled
from agents.exceptions import AgentsException
from agents.realtime import RealtimeAgent, RealtimeRunner, RealtimeSession

from inspector import context
from inspector.integrations.openai_agents import attach
from instrument import Bus, Decision
from tests.integrations.hook_log import HookLog
from tests.integrations.realtime_server import RealtimeServer, calls, realtime_server, says

ran: list[Any] = []


@function_tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    ran.append((a, b))
    return a + b


@pytest.fixture(autouse=True)
def attached(bus: Bus) -> Iterator[None]:
    ran.clear()
    set_tracing_disabled(True)  # the framework's own, which sends to OpenAI
    detach = attach(bus=bus)
    yield
    detach()


def calculator(**kwargs: Any) -> RealtimeAgent[Any]:
    return RealtimeAgent("calculator", instructions="Be brief.", **{"tools": [add], **kwargs})


async def converse(
    server: RealtimeServer,
    agent: RealtimeAgent[Any],
    until: Callable[[Any, RealtimeSession], Any],
    question: Any = "What is 1 + 2?",
    **settings: Any,
) -> None:
    """Ask one question, and leave once `until` returns True for an event."""
    runner = RealtimeRunner(agent)
    config: Any = {
        "url": server.url,
        "api_key": "none",
        "initial_model_settings": {"model_name": "gpt-realtime", **settings},
    }
    async with await runner.run(model_config=config) as session:
        await session.send_message(question)
        async for event in session:
            answer = until(event, session)
            if answer is True:
                return
            if answer not in (None, False):
                await answer


def turns(count: int) -> Callable[[Any, RealtimeSession], bool]:
    """Return a condition: the model has ended as many turns."""
    left = [count]

    def until(event: Any, _: RealtimeSession) -> bool:
        left[0] -= event.type == "agent_end"
        return left[0] == 0

    return until


@pytest.mark.shows("openai_agents", "agent", "llm", "tokens", "tool", "streaming", "session")
async def test_a_session_is_reported_with_its_turns_and_tools(bus: Bus, hooks: HookLog) -> None:
    seen: list[str] = []
    for hook in ("before_agent_call", "before_llm_generate", "before_tool_call"):
        bus.observe(hook, lambda **_: seen.append(context.get()))
    script = calls("add", {"a": 1, "b": 2}), says("It ", "is 3.")
    async with realtime_server(*script) as server:
        await converse(server, calculator(), turns(2), tracing={"group_id": "call-1"})

    assert hooks.operations == [
        "before_agent_call",
        "before_llm_generate",
        "after_llm_generate",
        "before_tool_call",
        "after_tool_call",
        "before_llm_generate",
        "after_llm_generate",
        "after_agent_call",
    ]
    assert hooks.one("before_agent_call")["agent"].name == "calculator"
    assert hooks.one("after_agent_call")["result"] == "It is 3."
    assert hooks.one("prompt_submitted")["prompt"] == "What is 1 + 2?"
    requests, answers = hooks.of("before_llm_generate"), hooks.of("after_llm_generate")
    assert (requests[0]["model"], requests[0]["provider"]) == ("gpt-realtime", "openai")
    assert requests[0]["request_params"]["system"] == "Be brief."
    assert [one["name"] for one in requests[0]["request_params"]["tools"]] == ["add"]
    question = {"type": "text", "content": "What is 1 + 2?"}
    assert requests[0]["prompt"] == [{"role": "user", "parts": [question]}]
    assert [one["role"] for one in requests[1]["prompt"]] == ["user", "assistant", "tool"]
    assert answers[0]["response"]["parts"][0]["arguments"] == {"a": 1, "b": 2}
    assert answers[1]["response"]["parts"] == [{"type": "text", "content": "It is 3."}]
    assert answers[1]["usage"] == {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_tokens": 4,
        "audio_input_tokens": 8,
        "audio_output_tokens": 4,
        "audio_cache_read_tokens": 3,
    }
    tool = hooks.one("after_tool_call")
    assert (tool["args"], tool["result"]) == ({"a": 1, "b": 2}, 3)
    assert {hooks.parent_noun(one) for one in [tool, *requests]} == {"agent_call"}
    assert "AAAA" not in str(hooks.events)  # the audio
    assert seen == ["call-1"] * 4
    assert context.get() == context.UNKNOWN
    hooks.check_pairs()


@pytest.mark.shows("openai_agents", "deny", "edit", "replace")
@pytest.mark.parametrize(
    ("hook", "decision", "read", "did"),
    [
        ("before_tool_call", Decision.deny("no sums"), "Denied: no sums", []),
        ("before_tool_call", Decision.modify(args={"a": 5, "b": 2}), "7", [(5, 2)]),
        ("after_tool_call", Decision.modify(result="secret"), "secret", [(1, 2)]),
    ],
)
async def test_a_tool_of_a_session_is_decided(
    bus: Bus, hook: str, decision: Decision, read: str, did: list[Any]
) -> None:
    bus.intercept(hook, lambda **_: decision)

    async with realtime_server(calls("add", {"a": 1, "b": 2}), says("So.")) as server:
        await converse(server, calculator(), turns(2))

    assert (server.outputs(), ran) == ([read], did)


@pytest.mark.parametrize("is_approved", [True, False])
async def test_a_call_that_waits_for_the_programs_own_approval_is_reported_once_decided(
    hooks: HookLog, is_approved: bool
) -> None:
    careful = function_tool(needs_approval=True, name_override="add")(lambda a, b: a + b)
    ended = turns(2)

    def until(event: Any, session: RealtimeSession) -> Any:
        if event.type == "tool_approval_required":
            assert hooks.of("before_tool_call") == []
            decide = session.approve_tool_call if is_approved else session.reject_tool_call
            return decide(event.call_id)
        return ended(event, session)

    async with realtime_server(calls("add", {"a": 1, "b": 2}), says("So.")) as server:
        await converse(server, calculator(tools=[careful]), until)

    if is_approved:
        assert hooks.one("after_tool_call")["result"] == 3
    else:
        assert str(hooks.one("error_tool_call")["exc"]) == server.outputs()[0]


@pytest.mark.shows("openai_agents", "sub_agents")
async def test_an_agent_that_is_handed_over_to_is_below_the_one_that_did_it(
    hooks: HookLog,
) -> None:
    reception = RealtimeAgent("reception", handoffs=[calculator()])

    async with realtime_server(calls("transfer_to_calculator", {}), says("It is 3.")) as server:
        await converse(server, reception, turns(2))

    first, second = hooks.of("before_agent_call")
    assert (first["agent"].name, second["agent"].name) == ("reception", "calculator")
    assert second["parent_call_id"] == first["call_id"]
    requests = [one["parent_call_id"] for one in hooks.of("before_llm_generate")]
    assert requests == [first["call_id"], second["call_id"]]
    hooks.check_pairs()


async def test_a_denied_hand_off_ends_the_session_with_the_reason(bus: Bus, hooks: HookLog) -> None:
    def deny_calculator(agent: Any, **_: Any) -> Decision | None:
        return Decision.deny("stay here") if agent.name == "calculator" else None

    bus.intercept("before_agent_call", deny_calculator)
    reception = RealtimeAgent("reception", handoffs=[calculator()])
    async with realtime_server(calls("transfer_to_calculator", {})) as server:
        with pytest.raises(AgentsException, match="Denied: stay here"):
            await converse(server, reception, lambda *_: False)

    hooks.check_pairs()


async def test_an_interrupted_answer_and_an_error_of_the_provider_are_reported(
    hooks: HookLog,
) -> None:
    cut = says("It is ab", status="cancelled", reason="turn_detected")
    refused = {"type": "error", "error": {"type": "invalid", "message": "no such voice"}}
    speaks = {"type": "input_audio_buffer.speech_started", "audio_start_ms": 0, "item_id": "u"}
    heard = "conversation.item.input_audio_transcription.completed"
    usage = {"type": "duration", "seconds": 1}
    transcript = {"item_id": "u", "content_index": 0, "transcript": "Wait!", "usage": usage}

    async with realtime_server([*cut[:-1], speaks, cut[-1]]) as server:

        async def go_on() -> None:
            await server.send({"type": heard, **transcript})
            await server.send(refused)

        def until(event: Any, _: RealtimeSession) -> Any:
            return go_on() if event.type == "agent_end" else event.type == "error"

        await converse(server, calculator(), until)

    answer = hooks.one("error_llm_generate")
    assert answer["response"]["parts"][0]["content"] == "It is ab"
    statuses = [o["status"] for o in hooks.of("operation_closed") if o["noun"] == "llm_generate"]
    assert statuses == ["cancelled"]
    assert hooks.one("operation_cancelled")["reason"] == "The user interrupted the agent."
    assert [one["prompt"] for one in hooks.of("prompt_submitted")] == ["What is 1 + 2?", "Wait!"]
    assert hooks.one("progress_update")["message"] == "Error: no such voice"


@pytest.mark.shows("openai_agents", "llm_error")
async def test_a_response_that_fails_and_a_connection_that_drops_are_errors(
    hooks: HookLog,
) -> None:
    failed = says(status="failed", error={"type": "server_error", "message": "overloaded"})
    async with realtime_server(failed) as server:

        def until(event: Any, _: RealtimeSession) -> Any:
            return server.drop() if event.type == "agent_end" else False

        with pytest.raises(Exception, match="close frame"):
            await converse(server, calculator(), until)

    assert str(hooks.one("error_llm_generate")["exc"]) == "overloaded"
    assert "close frame" in str(hooks.one("error_agent_call")["exc"])


async def test_a_session_that_cannot_connect_is_an_error(hooks: HookLog) -> None:
    server = RealtimeServer()
    server.url = "ws://127.0.0.1:1"
    with pytest.raises(OSError, match=r"refused|failed"):
        await converse(server, calculator(), lambda *_: True)

    assert isinstance(hooks.one("error_agent_call")["exc"], OSError)


async def test_a_picture_of_the_user_is_reported_without_its_data(hooks: HookLog) -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aVZCT1Jn"}
    text = {"type": "input_text", "text": "What is this?"}
    question = {"type": "message", "role": "user", "content": [text, picture]}
    async with realtime_server(says("A cat.")) as server:
        await converse(server, calculator(), turns(1), question)

    (message,) = hooks.one("before_llm_generate")["prompt"]
    assert message["parts"] == [{"type": "text", "content": "What is this?\n[image]"}]
    assert hooks.one("prompt_submitted")["prompt"] == "What is this?"
    assert "aVZCT1Jn" not in str(hooks.events)
