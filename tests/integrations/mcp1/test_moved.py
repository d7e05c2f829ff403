"""Frameworks whose internals have moved: the agent answers, and one line is logged."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("strands")
if not version("mcp").startswith("1."):
    pytest.skip("needs mcp 1.x", allow_module_level=True)

from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session as connected
from strands import tool

from tests.integrations.mcp1.scripted_strands import call, make_agent
from tests.integrations.moved import Framework

if TYPE_CHECKING:
    from instrument import Bus
    from tests.integrations.hook_log import HookLog

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def run_strands() -> list[str]:
    agent = make_agent(call("add", a=1, b=2), "It is 3.", tools=[add])
    result = await agent.invoke_async("What is 1 + 2?")
    return [str(result), str(agent.model.last_tool_result()["content"])]


async def run_mcp() -> list[str]:
    server = FastMCP("calculator", log_level="ERROR")

    @server.tool()
    def double(a: int) -> int:
        return 2 * a

    answers = []
    async with connected(server._mcp_server) as client:
        for a in (1, "one"):
            result: Any = await client.call_tool("double", {"a": a})
            answers.append(f"{result.isError} {result.content[0].text}")
    return answers


STRANDS = Framework(
    "strands",
    run_strands,
    frozenset(
        {
            "strands.agent.agent:Agent.__init__",
            "strands.agent.agent:Agent.stream_async",
            "strands.multiagent.graph:Graph.stream_async",
            "strands.multiagent.swarm:Swarm.stream_async",
            "strands.telemetry.tracer:Tracer.start_agent_span",
            "strands.telemetry.tracer:Tracer.start_model_invoke_span",
            "strands.telemetry.tracer:Tracer.start_tool_call_span",
            "strands.telemetry.tracer:Tracer.start_multiagent_span",
        }
    ),
    frozenset(
        {
            "strands.agent.agent:Agent.add_middleware",
            "strands.agent.agent:Agent._middleware_registry",
            "strands.agent.agent:Agent.name",
            "strands.agent.agent:Agent.model",
            "strands.agent.agent:Agent.description",
            "strands.agent.agent:Agent.system_prompt",
            "strands.middleware:InvokeModelStage",
            "strands.middleware:ExecuteToolStage",
            "strands.middleware:ModelStopReason",
            "strands.middleware:ToolResultEvent",
            "strands.multiagent.graph:Graph",
            "strands.multiagent.swarm:Swarm",
            "strands.telemetry.tracer:Tracer",
            "strands.agent:AgentResult",
        }
    ),
)
MCP = Framework(
    "mcp",
    run_mcp,
    frozenset(
        {
            "mcp.client.session:ClientSession.call_tool",
            "mcp.client.session:ClientSession.read_resource",
            "mcp.client.session:ClientSession.get_prompt",
            "mcp.client.session:ClientSession.__aenter__",
            "mcp.server.lowlevel.server:Server._handle_request",
        }
    ),
    frozenset(
        {
            "mcp.types:CallToolResult",
            "mcp.types:CallToolRequest",
            "mcp.types:ErrorData",
            "mcp.types:ServerResult",
            "mcp.shared.message:SessionMessage",
            "mcp.shared.message:SessionMessage.message",
            "mcp.shared.exceptions:McpError",
            "mcp.shared.session:RequestResponder.respond",
            "mcp.server.lowlevel:Server",
            "mcp.client.session:ClientSession",
        }
    ),
)


@pytest.mark.parametrize("framework", [STRANDS, MCP], ids=lambda one: one.name)
def test_these_are_all_that_an_adapter_replaces(framework: Framework, bus: Bus) -> None:
    framework.check_replaced(bus)


@pytest.mark.parametrize(
    ("framework", "what"),
    [
        pytest.param(one, what, id=what)
        for one in (STRANDS, MCP)
        for what in one.moving
        if not what.endswith("__init__")  # every class has one
    ],
)
async def test_the_agent_answers_though_something_has_moved(
    framework: Framework,
    what: str,
    bus: Bus,
    hooks: HookLog,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await framework.check(what, bus, caplog)
