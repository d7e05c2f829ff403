"""OpenAI Agents: hosted tools are reported below the LLM call, and MCP approvals are decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from agents import (
    Agent,
    CodeInterpreterTool,
    FileSearchTool,
    HostedMCPTool,
    ImageGenerationTool,
    Runner,
    WebSearchTool,
    set_tracing_disabled,
)
from agents.testing import ModelStep, ScriptedModel, assistant_message
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseOutputItemDoneEvent,
)
from pydantic import TypeAdapter

from inspector.integrations.openai_agents import attach
from instrument import Bus, Decision
from tests.integrations.hook_log import HookLog

MCP = {"server_label": "files", "name": "remove", "arguments": '{"path": "a.txt"}'}
requested: list[str] = []
both_ways = pytest.mark.parametrize("streams", [False, True])


def items(*items: dict[str, Any]) -> list[Any]:
    """Return items of an answer in the API's own types."""
    output: Any = Response.model_fields["output"].annotation
    made: list[Any] = TypeAdapter(output).validate_python(list(items))
    return made


CALLS = items(
    {
        "id": "ws-1",
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "search", "query": "rain"},
    },
    {
        "id": "fs-1",
        "type": "file_search_call",
        "status": "completed",
        "queries": ["rain"],
        "results": [{"filename": "rain.md", "text": "It rains."}],
    },
    {
        "id": "ci-1",
        "type": "code_interpreter_call",
        "status": "failed",
        "code": "1/0",
        "container_id": "c",
        "outputs": [{"type": "logs", "logs": "ZeroDivisionError"}],
    },
    {"id": "ig-1", "type": "image_generation_call", "status": "completed", "result": "aVZCT1Jn"},
    {"id": "m-1", "type": "mcp_call", **MCP, "output": "removed"},
    {
        "id": "m-2",
        "type": "mcp_call",
        **MCP,
        "error": {"type": "mcp_protocol_error", "code": -1, "message": "no such file"},
    },
)
REQUEST = items({"id": "ask-1", "type": "mcp_approval_request", **MCP})
APPROVED = items(
    {"id": "m-3", "type": "mcp_call", **MCP, "output": "gone", "approval_request_id": "ask-1"}
)


@pytest.fixture(autouse=True)
def attached(bus: Bus) -> Iterator[None]:
    requested.clear()
    set_tracing_disabled(True)  # the framework's own, which sends to OpenAI
    detach = attach(bus=bus)
    yield
    detach()


def mcp_server(answer: dict[str, Any] | None = None) -> HostedMCPTool:
    def approve(request: Any) -> Any:
        requested.append(request.data.name)
        return answer or {"approve": True}

    config: Any = {"type": "mcp", "server_label": "files", "server_url": "http://x/mcp"}
    return HostedMCPTool(tool_config=config, on_approval_request=approve)


def streamed(output: list[Any]) -> Any:
    """Return an answer as the API streams it: each item when it is done, and all at the end."""
    done: Any = "response.output_item.done"
    events: list[Any] = [
        ResponseOutputItemDoneEvent(type=done, item=item, output_index=n, sequence_number=n)
        for n, item in enumerate(output)
    ]
    response = Response(
        id="r",
        object="response",
        created_at=0,
        model="gpt-x",
        output=output,
        tools=[],
        tool_choice="auto",
        parallel_tool_calls=False,
    )
    end = ResponseCompletedEvent(type="response.completed", response=response, sequence_number=99)
    return ModelStep.stream([*events, end])


async def run(tools: list[Any], *script: list[Any], streams: bool = False) -> ScriptedModel:
    model = ScriptedModel([streamed(one) if streams else one for one in script])
    agent = Agent("worker", model=model, tools=tools)
    if streams:
        result = Runner.run_streamed(agent, "Work.")
        async for _ in result.stream_events():
            pass
    else:
        await Runner.run(agent, "Work.")
    return model


@pytest.mark.shows("openai_agents", "tool", "tool_error")
@both_ways
async def test_a_hosted_tool_is_reported_once_below_the_model_call_that_ran_it(
    hooks: HookLog, streams: bool
) -> None:
    config: Any = {"type": "code_interpreter", "container": "c"}
    tools = [
        WebSearchTool(),
        FileSearchTool(vector_store_ids=["v"]),
        CodeInterpreterTool(tool_config=config),
        ImageGenerationTool(tool_config={"type": "image_generation"}),
        mcp_server(),
    ]

    await run(tools, [*CALLS, assistant_message("Done.")], streams=streams)

    began = hooks.of("before_tool_call")
    assert [(one["tool_name"], one["args"]) for one in began] == [
        ("web_search", {"type": "search", "query": "rain"}),
        ("file_search", {"queries": ["rain"]}),
        ("code_interpreter", {"code": "1/0", "container_id": "c"}),
        ("image_generation", {}),
        ("remove", {"path": "a.txt"}),
        ("remove", {"path": "a.txt"}),
    ]
    assert {hooks.parent_noun(one) for one in began} == {"llm_generate"}
    kinds = [one["context"]["tool_type"] for one in began]
    assert kinds == ["extension", "datastore", *["extension"] * 4]
    results = [one["result"] for one in hooks.of("after_tool_call")]
    assert results[0] is None
    assert results[1][0]["text"] == "It rains."
    assert results[2:] == ["[image]", "removed"]
    errors = [(str(one["exc"]), one.get("result")) for one in hooks.of("error_tool_call")]
    assert errors[0] == ("failed", [{"type": "logs", "logs": "ZeroDivisionError"}])
    assert errors[1] == ("no such file", None)


async def test_nobody_decides_on_a_hosted_tool_that_has_run(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("too late"))

    await run([WebSearchTool()], [CALLS[0], assistant_message("Done.")])

    assert [one["tool_name"] for one in hooks.of("after_tool_call")] == ["web_search"]


@pytest.mark.shows("openai_agents", "once")
@both_ways
async def test_an_approved_call_of_a_hosted_mcp_server_is_one_operation(
    hooks: HookLog, streams: bool
) -> None:
    answer = [*APPROVED, assistant_message("Done.")]
    model = await run([mcp_server()], REQUEST, answer, streams=streams)

    assert requested == ["remove"]
    assert model.calls[1].input[-1]["approve"] is True
    done = hooks.one("after_tool_call")
    assert (done["tool_name"], done["result"]) == ("remove", "gone")
    assert hooks.one("before_tool_call")["args"] == {"path": "a.txt"}
    assert hooks.parent_noun(hooks.one("before_tool_call")) == "agent_call"


@pytest.mark.shows("openai_agents", "deny")
@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        (Decision.deny("not that file"), "Denied: not that file"),
        (Decision.modify(args={"path": "b.txt"}), "Not run: the provider runs this tool"),
    ],
)
async def test_a_refused_call_of_a_hosted_mcp_server_is_not_approved(
    bus: Bus, hooks: HookLog, decision: Decision, reason: str
) -> None:
    bus.intercept("before_tool_call", lambda **_: decision)

    model = await run([mcp_server()], REQUEST, [assistant_message("A pity.")])

    answer = model.calls[1].input[-1]
    assert (requested, answer["approve"]) == ([], False)
    assert answer["reason"].startswith(reason)
    assert len(hooks.of("error_tool_call")) == 1


async def test_a_call_that_the_program_does_not_approve_is_an_error(hooks: HookLog) -> None:
    server = mcp_server({"approve": False, "reason": "not today"})

    await run([server], REQUEST, [assistant_message("A pity.")])

    assert str(hooks.one("error_tool_call")["exc"]) == "not today"


@both_ways
async def test_an_image_that_code_has_made_is_reported_without_its_data(
    hooks: HookLog, streams: bool
) -> None:
    plot = {"type": "image", "url": "data:image/png;base64,aVZCT1Jn"}
    call = {
        "id": "ci-2",
        "type": "code_interpreter_call",
        "status": "completed",
        "code": "plot()",
        "container_id": "c",
        "outputs": [{"type": "logs", "logs": "plotted"}, plot],
    }

    await run([], [*items(call), assistant_message("Done.")], streams=streams)

    result = hooks.one("after_tool_call")["result"]
    assert result == [{"type": "logs", "logs": "plotted"}, "[image]"]
    assert "aVZCT1Jn" not in str(hooks.of("after_llm_generate"))


@both_ways
async def test_rubbish_of_the_provider_goes_to_the_program_as_it_is(
    hooks: HookLog, streams: bool
) -> None:
    rubbish = CALLS[4].model_copy(update={"approval_request_id": ["not an id"]})

    await run([], [rubbish, CALLS[1], assistant_message("Done.")], streams=streams)

    assert "file_search" in [one["tool_name"] for one in hooks.of("after_tool_call")]
    assert hooks.one("after_agent_call")["result"] == "Done."
    hooks.check_pairs()
