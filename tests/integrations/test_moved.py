"""Frameworks whose internals have moved: the agent answers, and one line is logged."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import claude_agent_sdk
import httpx2
import pytest
from agents import set_tracing_disabled
from amplifier_core import AmplifierSession
from anthropic import Anthropic, AsyncAnthropic, beta_tool
from anyio import create_task_group
from fastmcp import Client as FastClient
from fastmcp import FastMCP
from langchain.agents import create_agent
from mcp import ClientSession
from mcp.server.mcpserver import MCPServer
from mcp.shared.memory import create_client_server_memory_streams
from openai import AsyncOpenAI, OpenAI
from pydantic_ai import Agent

from instrument import Bus
from tests.integrations import langchain_model, pydantic_ai_model
from tests.integrations.adk_model import AdkAgent
from tests.integrations.claude_agent_sdk_transport import ScriptedTransport
from tests.integrations.hook_log import HookLog
from tests.integrations.llama_index_model import LlamaIndexAgent
from tests.integrations.moved import Framework
from tests.integrations.openai_agents_model import OpenAIAgent
from tests.support.services.model_provider import MODEL, ModelProvider, calls, overloaded, says


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


# --- the agents ----------------------------------------------------------------------------------

LANGCHAIN_REPLACED = frozenset(
    {
        "langgraph.pregel.main:Pregel.stream",
        "langgraph.pregel.main:Pregel.astream",
        "langchain_core.language_models.chat_models:BaseChatModel._generate_with_cache",
        "langchain_core.language_models.chat_models:BaseChatModel._agenerate_with_cache",
        "langchain_core.language_models.chat_models:BaseChatModel.stream",
        "langchain_core.language_models.chat_models:BaseChatModel.astream",
        "langchain_core.tools.base:BaseTool.run",
        "langchain_core.tools.base:BaseTool.arun",
        "langgraph.prebuilt.tool_node:ToolNode._validate_tool_call",
    }
)
LANGCHAIN_READ = frozenset(
    {
        "langgraph.pregel.main:Pregel.get_name",
        "langgraph.pregel.main:Pregel.config",
        "langgraph.pregel.main:Pregel.stream_mode",
        "langgraph._internal._config:ensure_config",
        "langgraph.errors:GraphBubbleUp",
        "langchain_core.runnables.config:ensure_config",
        "langchain_core.language_models.chat_models:BaseChatModel._convert_input",
        "langchain_core.language_models.chat_models:BaseChatModel._get_ls_params",
        "langchain_core.tools.base:BaseTool.args",
        "langchain_core.tools.base:BaseTool._filter_injected_args",
        "langchain_core.messages:convert_to_messages",
        "langchain_core.messages:message_chunk_to_message",
        "langchain_core.messages.ai:add_ai_message_chunks",
        "langchain_core.callbacks:BaseCallbackHandler",
        "langchain_core.outputs:ChatResult",
        "langchain_core.outputs:ChatGeneration",
    }
)


async def run_langchain() -> list[str]:
    def agent() -> Any:
        script = langchain_model.calls("add", {"a": 1, "b": 2}), langchain_model.says("It is 3.")
        return create_agent(langchain_model.ScriptedModel(*script), [add], name="calculator")

    question: Any = {"messages": [{"role": "user", "content": "What is 1 + 2?"}]}
    states = [agent().invoke(question), await agent().ainvoke(question)]
    pieces = [
        str(one)
        async for one in langchain_model.ScriptedModel(langchain_model.says("It is 3.")).astream(
            "What?"
        )
    ]
    assert pieces
    return [
        *(message.text for state in states for message in state["messages"]),
        str(langchain_model.ScriptedModel(langchain_model.says("Hello")).invoke("Hi").text),
    ]


PYDANTIC_AI_REPLACED = frozenset({"pydantic_ai.agent:Agent.iter"})
PYDANTIC_AI_READ = frozenset(
    {
        "pydantic_ai:RunContext.agent",
        "pydantic_ai:RunContext.model",
        "pydantic_ai:RunContext.prompt",
        "pydantic_ai:RunContext.conversation_id",
        "pydantic_ai:RunContext.tool_manager",
        "pydantic_ai.models:ModelRequestContext.messages",
        "pydantic_ai.models:ModelRequestContext.model",
        "pydantic_ai.models:ModelRequestContext.model_settings",
        "pydantic_ai.models:ModelRequestContext.model_request_parameters",
        "pydantic_ai.models:ModelRequestParameters.function_tools",
        "pydantic_ai.models:ModelRequestParameters.output_tools",
        "pydantic_ai.models:StreamedResponse._get_event_iterator",
        "pydantic_ai.models.function:FunctionModel.model_name",
        "pydantic_ai.models.function:FunctionModel.system",
        "pydantic_ai.run:AgentRunResult.output",
        "pydantic_ai.tools:ToolDefinition.description",
        "pydantic_ai.tools:ToolDefinition.parameters_json_schema",
        "pydantic_ai.messages:ModelResponse.usage",
        "pydantic_ai.messages:ModelResponse.model_name",
        "pydantic_ai.messages:ToolCallPart.tool_call_id",
        "pydantic_ai.messages:ToolCallPart.tool_name",
        "pydantic_ai.messages:ToolCallPart.args_as_dict",
        "pydantic_ai.messages:TextPart.part_kind",
    }
)


async def run_pydantic_ai() -> list[str]:
    def agent() -> Any:
        script = (
            pydantic_ai_model.calls("add", {"a": 1, "b": 2}),
            pydantic_ai_model.says("It is 3."),
        )
        return Agent(pydantic_ai_model.Scripted(*script), name="calculator", tools=[add])

    answers = [(await agent().run("What is 1 + 2?")).output]
    async with agent().run_stream("What is 1 + 2?") as streamed:
        answers.append(await streamed.get_output())
    return answers


OPENAI_AGENTS_REPLACED = frozenset(
    {
        "agents.mcp.util:MCPUtil._extract_custom_data",
        "agents.realtime.session:RealtimeSession.__aenter__",
        "agents.realtime.session:RealtimeSession.__aexit__",
        "agents.realtime.session:RealtimeSession._build_realtime_tool_output",
        "agents.realtime.session:RealtimeSession._cleanup",
        "agents.realtime.session:RealtimeSession._get_updated_model_settings_from_agent",
        "agents.realtime.session:RealtimeSession._handle_tool_call",
        "agents.realtime.session:RealtimeSession._put_event",
        "agents.realtime.session:RealtimeSession._put_event_nowait",
        "agents.realtime.session:RealtimeSession._resolve_approval_rejection_message",
        "agents.run:AgentRunner.run",
        "agents.run_internal.tool_actions:ApplyPatchAction.execute",
        "agents.run_internal.tool_actions:ComputerAction._execute_action_and_capture",
        "agents.run_internal.tool_actions:CustomToolAction.execute",
        "agents.run_internal.tool_actions:LocalShellAction.execute",
        "agents.run_internal.tool_actions:ShellAction.execute",
        "agents.run:start_streaming",
        "agents.run:run_single_turn",
        "agents.run_internal.run_loop:run_single_turn_streamed",
        "agents.run_internal.run_loop:get_model",
        "agents.run_internal.tool_execution:_invoke_function_tool_with_metadata",
        "agents.run_internal.tool_execution:_execute_tool_input_guardrails",
        "agents.run_internal.tool_execution:function_rejection_item",
        "agents.run_internal.tool_planning:execute_mcp_approval_requests",
        "agents.run_internal.turn_resolution:function_rejection_item",
        "agents.tool:_invoke_function_tool_with_metadata",
        "agents.tool:maybe_invoke_function_tool_failure_error_function",
        "agents.voice.pipeline:VoicePipeline._process_audio_input",
        "agents.voice.pipeline:VoicePipeline.run",
        "agents.voice.result:StreamedAudioResult._stream_audio",
    }
)


async def run_openai_agents() -> list[str]:
    agents = (
        OpenAIAgent(OpenAIAgent.calls("add", {"a": 1, "b": 2}), OpenAIAgent.says("3"), tools=[add])
        for _ in OpenAIAgent.WAYS
    )
    return [await agent.run(way) for agent, way in zip(agents, OpenAIAgent.WAYS, strict=True)]


AMPLIFIER_REPLACED = frozenset(
    {
        "amplifier_core._session_init:initialize_session",
        "amplifier_core._session_exec:run_orchestrator",
        "amplifier_core.session:AmplifierSession.execute",
        "amplifier_core.session:AmplifierSession.initialize",
    }
)
AMPLIFIER_READ = frozenset(
    {
        "amplifier_core:HookResult",
        "amplifier_core.message_models:ChatRequest.messages",
        "amplifier_core.message_models:ChatResponse.usage",
        "amplifier_core:_session_exec",
        "amplifier_core:_session_init",
    }
)
PLAN = {
    "session": {"orchestrator": "loop-probe", "context": "context-probe"},
    "providers": [{"module": "provider-probe", "config": {"turns": []}}],
    "tools": [{"module": "tool-probe"}],
}


async def run_amplifier() -> list[str]:
    session = AmplifierSession(PLAN)
    await session.initialize()
    try:
        turns = session.coordinator.get("providers")["probe"].turns
        turns.extend([[("multiply", {"a": 6, "b": 7})], "forty-two"])
        return [str(await session.execute("6 * 7?"))]
    finally:
        await session.cleanup()


ADK_REPLACED = frozenset(
    {
        "google.adk.agents.base_agent:BaseAgent.run_async",
        "google.adk.agents.base_agent:BaseAgent.run_live",
        "google.adk.flows.llm_flows.base_llm_flow:BaseLlmFlow._get_llm",
        "google.adk.flows.llm_flows.tools._caller:_call_tool_async",
        "google.adk.flows.llm_flows.tools._live_caller:_call_tool_async",
        "google.adk.telemetry.tracing:trace_agent_invocation",
    }
)
ADK_READ = frozenset(
    {
        "google.adk.agents.base_agent:BaseAgent.name",
        "google.adk.agents.base_agent:BaseAgent.description",
        "google.adk.agents.invocation_context:InvocationContext.session",
        "google.adk.agents.invocation_context:InvocationContext.user_content",
        "google.adk.events.event:Event.is_final_response",
        "google.adk.models.base_llm:BaseLlm.model",
        "google.adk.models.llm_request:LlmRequest.config",
        "google.adk.models.llm_request:LlmRequest.contents",
        "google.adk.models.llm_response:LlmResponse.finish_reason",
        "google.adk.models.llm_response:LlmResponse.usage_metadata",
        "google.adk.tools.base_tool:BaseTool.description",
        "google.genai.types:FunctionDeclaration.parameters_json_schema",
        "google.genai.types:Part.thought",
    }
)


async def run_adk() -> list[str]:
    agents = (
        AdkAgent(AdkAgent.calls("add", {"a": 1, "b": 2}), AdkAgent.says("It is 3."), tools=[add])
        for _ in AdkAgent.WAYS
    )
    return [await agent.run(way) for agent, way in zip(agents, AdkAgent.WAYS, strict=True)]


LLAMA_INDEX_REPLACED = frozenset(
    {
        "workflows.workflow:Workflow.run",
        "llama_index.core.base.llms.base:BaseLLM.__init__",
        "llama_index.core.tools.function_tool:FunctionTool.call",
        "llama_index.core.tools.function_tool:FunctionTool.acall",
        "llama_index.core.agent.workflow.base_agent:BaseWorkflowAgent.call_tool",
        "llama_index.core.agent.workflow.base_agent:BaseWorkflowAgent._call_tool",
        "llama_index.core.agent.workflow.multi_agent_workflow:AgentWorkflow.call_tool",
        "llama_index.core.agent.workflow.multi_agent_workflow:AgentWorkflow._call_tool",
        "llama_index.core.agent.workflow.multi_agent_workflow:AgentWorkflow.run_agent_step",
    }
)
LLAMA_INDEX_READ = frozenset(
    {
        "llama_index.core.base.llms.types:ChatMessage.additional_kwargs",
        "llama_index.core.base.llms.types:ChatMessage.content",
        "llama_index.core.base.llms.types:ChatMessage.blocks",
        "llama_index.core.base.llms.types:ChatResponse.raw",
        "llama_index.core.base.llms.types:LLMMetadata.model_name",
        "llama_index.core.tools.types:ToolMetadata.description",
        "llama_index.core.tools.types:ToolMetadata.get_name",
        "llama_index.core.tools.types:ToolOutput.raw_output",
        "llama_index.core.agent.workflow.base_agent:BaseWorkflowAgent.description",
        "llama_index.core.agent.workflow.base_agent:BaseWorkflowAgent.system_prompt",
        "workflows.handler:WorkflowHandler._result_task",
    }
)


async def run_llama_index() -> list[str]:
    agents = (
        LlamaIndexAgent(
            LlamaIndexAgent.calls("add", {"a": 1, "b": 2}),
            LlamaIndexAgent.says("It is 3."),
            tools=[add],
        )
        for _ in LlamaIndexAgent.WAYS
    )
    return [await agent.run(way) for agent, way in zip(agents, LlamaIndexAgent.WAYS, strict=True)]


MCP_REPLACED = frozenset(
    {
        "mcp.client.session:ClientSession.call_tool",
        "mcp.client.session:ClientSession.read_resource",
        "mcp.client.session:ClientSession.get_prompt",
        "mcp.client.session:ClientSession.__aenter__",
        "mcp.client.client:Client.call_tool",
        "mcp.client.client:Client.read_resource",
        "mcp.client.client:Client.get_prompt",
        "mcp.server.runner:ServerRunner._compose_server_middleware",
    }
)
MCP_READ = frozenset(
    {
        "mcp.client.session:ClientSession.server_info",
        "mcp.client.session:ClientSession._dispatcher",
        "mcp.shared.message:SessionMessage.message",
        "mcp.shared.message:SessionMessage.metadata",
        "mcp.types:CallToolResult",
        "mcp.types:JSONRPCError",
    }
)


async def run_mcp() -> list[str]:
    server = MCPServer("calculator", log_level="ERROR")
    server.tool()(add)
    answers = []
    async with (
        create_client_server_memory_streams() as (ours, theirs),
        create_task_group() as group,
    ):
        lowlevel = server._lowlevel_server
        group.start_soon(lambda: lowlevel.run(*theirs, lowlevel.create_initialization_options()))
        async with ClientSession(*ours) as client:
            await client.initialize()
            for arguments in ({"a": 1, "b": 2}, {"a": 1}):
                result: Any = await client.call_tool("add", arguments)
                answers.append(f"{result.is_error} {result.content[0].text}")
        group.cancel_scope.cancel()
    return answers


CLAUDE_AGENT_SDK_REPLACED = frozenset(
    {
        "claude_agent_sdk._internal.query:Query.initialize",
        "claude_agent_sdk._internal.query:Query.start",
        "claude_agent_sdk._internal.query:Query.close",
        "claude_agent_sdk._internal.query:Query._handle_sdk_mcp_request",
        "claude_agent_sdk._internal.transport.subprocess_cli:SubprocessCLITransport._build_command",
        "claude_agent_sdk.client:ClaudeSDKClient.query",
    }
)


async def run_claude_agent_sdk() -> list[str]:
    answers = [
        str(one.result)
        async for one in claude_agent_sdk.query(prompt="What?", transport=ScriptedTransport())
        if isinstance(one, claude_agent_sdk.ResultMessage)
    ]
    async with claude_agent_sdk.ClaudeSDKClient(transport=ScriptedTransport()) as client:
        await client.query("What?")
        answers += [type(one).__name__ async for one in client.receive_response()]
    return answers


FASTMCP_REPLACED = frozenset(
    {
        "fastmcp.server.server:FastMCP.call_tool",
        "fastmcp.server.server:FastMCP.read_resource",
        "fastmcp.server.server:FastMCP.render_prompt",
        "fastmcp.server.providers.fastmcp_provider:FastMCPProviderTool._run",
        "fastmcp.server.providers.fastmcp_provider:FastMCPProviderTool.run",
        "fastmcp.server.providers.fastmcp_provider:FastMCPProviderResource._read",
        "fastmcp.server.providers.fastmcp_provider:FastMCPProviderResourceTemplate._read",
        "fastmcp.server.providers.fastmcp_provider:FastMCPProviderPrompt._render",
        "fastmcp.server.providers.fastmcp_provider:FastMCPProviderPrompt.render",
    }
)
FASTMCP_READ = frozenset(
    {
        "fastmcp.server.server:FastMCP.name",
        "fastmcp.exceptions:ToolError",
        "fastmcp.tools.base:ToolResult",
    }
)


async def run_fastmcp() -> list[str]:
    server, mounted = FastMCP("calculator"), FastMCP("deep")
    for one in (server, mounted):
        one.tool(add)
    server.mount(mounted, namespace="deep")
    answers = [str((await server.call_tool("add", {"a": 1, "b": 2})).structured_content)]
    async with FastClient(server) as client:
        result = await client.call_tool("deep_add", {"a": 1, "b": 2})
        answers.append(str(result.data))
    return answers


CLIENT_REPLACED = (
    "SyncAPIClient.request",
    "SyncAPIClient._process_response",
    "AsyncAPIClient.request",
    "AsyncAPIClient._process_response",
    "BaseClient._should_retry",
    "BaseClient._calculate_retry_timeout",
)
OPENAI_REPLACED = frozenset(f"openai._base_client:{one}" for one in CLIENT_REPLACED)
OPENAI_READ = frozenset({"openai._base_client:BaseClient.base_url"})
ANTHROPIC_REPLACED = frozenset(
    {
        *(f"anthropic._base_client:{one}" for one in CLIENT_REPLACED),
        "anthropic.lib.tools._beta_functions:BetaFunctionTool.call",
        "anthropic.lib.tools._beta_functions:BetaAsyncFunctionTool.call",
        "anthropic.lib.tools._beta_builtin_memory_tool:BetaAbstractMemoryTool.call",
        "anthropic.lib.tools._beta_builtin_memory_tool:BetaAsyncAbstractMemoryTool.call",
        "anthropic.lib.tools._beta_runner:BaseSyncToolRunner._run_tool",
        "anthropic.lib.tools._beta_runner:BaseSyncToolRunner.__run__",
        "anthropic.lib.tools._beta_runner:BaseAsyncToolRunner._run_tool",
        "anthropic.lib.tools._beta_runner:BaseAsyncToolRunner.__run__",
    }
)
ANTHROPIC_READ = frozenset(
    {
        "anthropic._base_client:SyncAPIClient._copy_and_prepare",
        "anthropic.lib.tools._beta_runner:BaseToolRunner._params",
    }
)
PROVIDERS: list[ModelProvider] = []


async def run_openai() -> list[str]:
    (provider,) = PROVIDERS
    provider.script += [says("one two"), overloaded(429), says("three"), says("four")]
    about: Any = {"base_url": f"{provider.url}/v1", "api_key": "key"}
    request: Any = {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}]}
    with OpenAI(http_client=httpx2.Client(verify=False), **about) as client:
        stream = client.chat.completions.create(stream=True, **request)
        answers = [one.choices[0].delta.content or "" for one in stream]
        answers.append(client.responses.create(model=MODEL, input="Hi").output_text)
    async with AsyncOpenAI(http_client=httpx2.AsyncClient(verify=False), **about) as theirs:
        completion = await theirs.chat.completions.create(**request)
    return [*answers, str(completion.choices[0].message.content)]


async def run_anthropic() -> list[str]:
    (provider,) = PROVIDERS
    provider.script += [calls("add", {"a": 1, "b": 2}), says("3"), says("four")]
    about: Any = {"base_url": provider.url, "api_key": "key"}
    messages: Any = [{"role": "user", "content": "Hi"}]

    @beta_tool
    def add(a: int, b: int) -> str:
        """Add two numbers."""
        return str(a + b)

    with Anthropic(http_client=httpx2.Client(verify=False), **about) as client:
        runner = client.beta.messages.tool_runner(
            model=MODEL, max_tokens=9, tools=[add], messages=messages
        )
        answers = [repr(message.content) for message in runner]
    async with AsyncAnthropic(http_client=httpx2.AsyncClient(verify=False), **about) as theirs:
        answer = await theirs.messages.create(model=MODEL, max_tokens=9, messages=messages)
    return [*answers, repr(answer.content), str(provider.requests[-2].body["messages"])]


FRAMEWORKS = (
    Framework("langchain", run_langchain, LANGCHAIN_REPLACED, LANGCHAIN_READ),
    Framework("pydantic_ai", run_pydantic_ai, PYDANTIC_AI_REPLACED, PYDANTIC_AI_READ),
    Framework("openai_agents", run_openai_agents, OPENAI_AGENTS_REPLACED, frozenset()),
    Framework("amplifier", run_amplifier, AMPLIFIER_REPLACED, AMPLIFIER_READ),
    Framework("adk", run_adk, ADK_REPLACED, ADK_READ),
    Framework("llama_index", run_llama_index, LLAMA_INDEX_REPLACED, LLAMA_INDEX_READ),
    Framework("mcp", run_mcp, MCP_REPLACED, MCP_READ),
    Framework("claude_agent_sdk", run_claude_agent_sdk, CLAUDE_AGENT_SDK_REPLACED, frozenset()),
    Framework("fastmcp", run_fastmcp, FASTMCP_REPLACED, FASTMCP_READ),
    Framework("openai", run_openai, OPENAI_REPLACED, OPENAI_READ),
    Framework("anthropic", run_anthropic, ANTHROPIC_REPLACED, ANTHROPIC_READ),
)


# --- what has moved ------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch, provider: ModelProvider) -> None:
    PROVIDERS[:] = [provider]
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "amplifier_modules"))
    import_module("amplifier_core.session")  # an adapter waits for it
    for what in ADK_REPLACED | OPENAI_AGENTS_REPLACED:  # and for these, imported when used
        import_module(what.partition(":")[0])
    set_tracing_disabled(True)  # that of OpenAI Agents, which sends to OpenAI


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda one: one.name)
def test_these_are_all_that_an_adapter_replaces(framework: Framework, bus: Bus) -> None:
    framework.check_replaced(bus)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("framework", "what"),
    [
        pytest.param(one, what, id=what)
        for one in FRAMEWORKS
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
