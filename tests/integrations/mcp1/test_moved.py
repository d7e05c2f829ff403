"""Frameworks whose internals have moved: the agent answers, and one line is logged."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("strands")
pytest.importorskip("crewai")
if not version("mcp").startswith("1."):
    pytest.skip("needs mcp 1.x", allow_module_level=True)

import crewai.agents.step_executor
import crewai.lite_agent
import crewai.memory.unified_memory  # noqa: F401 - imported late by the framework
from crewai import Crew, Task
from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session as connected
from strands import tool

from tests.integrations.mcp1 import scripted_crewai
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


async def run_crewai() -> list[str]:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    script = scripted_crewai.calls("add", {"a": 1, "b": 2}), "It is 3."
    agent = scripted_crewai.make_agent(*script, tools=[add])
    task = Task(description="Add 1 and 2.", expected_output="A number.", agent=agent)
    result = await Crew(agents=[agent], tasks=[task]).akickoff()
    model = scripted_crewai.model_of(agent)
    alone = await scripted_crewai.make_agent("Hello.").kickoff_async("Hi.")
    return [result.raw, model.read(), alone.raw]


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
_SCRIPTED = "tests.integrations.mcp1.scripted_crewai:ScriptedModel"
CREWAI = Framework(
    "crewai",
    run_crewai,
    frozenset(
        {
            "crewai.crew:Crew.kickoff",
            "crewai.crew:Crew.akickoff",
            "crewai.flow.runtime:Flow.kickoff_async",
            "crewai.flow.runtime:Flow.resume_async",
            "crewai.flow.runtime:Flow._execute_method",
            "crewai.task:Task._execute_core",
            "crewai.task:Task._aexecute_core",
            "crewai.agent.core:Agent.execute_task",
            "crewai.agent.core:Agent.aexecute_task",
            "crewai.agent.core:Agent.kickoff",
            "crewai.agent.core:Agent.kickoff_async",
            "crewai.lite_agent:LiteAgent.kickoff",
            "crewai.memory.unified_memory:Memory.recall",
            "crewai.knowledge.knowledge:Knowledge.query",
            "crewai.knowledge.knowledge:Knowledge.aquery",
            "crewai.tools.base_tool:BaseTool.run",
            "crewai.tools.base_tool:BaseTool.arun",
            "crewai.tools.base_tool:Tool.run",
            "crewai.tools.base_tool:Tool.arun",
            "crewai.tools.structured_tool:CrewStructuredTool.invoke",
            "crewai.tools.structured_tool:CrewStructuredTool.ainvoke",
            "crewai.events.event_bus:CrewAIEventsBus.emit",
            "crewai.agents.agent_executor:AgentExecutor._execute_single_native_tool_call",
            "crewai.agents.step_executor:execute_single_native_tool_call",
            "crewai.llms.base_llm:BaseLLM.__init_subclass__",
            "crewai.llms.base_llm:run_with_rate_limit_retry",
            "crewai.llm:LLM.call",
            "crewai.llm:LLM.acall",
            "crewai.llms.providers.openai.completion:OpenAICompletion.call",
            "crewai.llms.providers.openai.completion:OpenAICompletion.acall",
            f"{_SCRIPTED}.call",
            f"{_SCRIPTED}.acall",
        }
    ),
    frozenset(
        {
            "crewai.crew:Crew",
            "crewai.agent.core:Agent",
            "crewai.task:Task",
            "crewai.flow.runtime:Flow",
            "crewai.flow.runtime:Flow.is_crewai_internal",
            "crewai.llms.base_llm:BaseLLM",
            "crewai.llms.base_llm:BaseLLM._effective_stream",
            "crewai.llms.base_llm:BaseLLM.stop_sequences",
            "crewai.tools.base_tool:Tool",
            "crewai.tools.tool_failure:ToolFailure",
            "crewai.hooks:HookAborted",
            "crewai.utilities.agent_utils:extract_tool_call_info",
            "crewai.utilities.string_utils:sanitize_tool_name",
            "crewai.types.usage_metrics:UsageMetrics",
        }
    ),
)
_ON_EVERY_CLASS = ("__init__", "__init_subclass__", ".call", ".acall")
"""What is inherited, or is watched on each class that has it."""
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


@pytest.mark.parametrize("framework", [STRANDS, CREWAI, MCP], ids=lambda one: one.name)
def test_these_are_all_that_an_adapter_replaces(framework: Framework, bus: Bus) -> None:
    framework.check_replaced(bus)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("framework", "what"),
    [
        pytest.param(one, what, id=what)
        for one in (STRANDS, CREWAI, MCP)
        for what in one.moving
        if not what.endswith(_ON_EVERY_CLASS)
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
