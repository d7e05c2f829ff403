"""The table of patch points in mcp-agent 0.2.x, with the hooks that each emits."""

from __future__ import annotations

from inspector.integrations.mcp_agent import app, calls, sessions, waits
from inspector.integrations.mcp_agent.patches import Point

_AGENT = ("before_agent_call", "after_agent_call", "error_agent_call")
_LLM = ("before_llm_generate", "after_llm_generate", "error_llm_generate")
_TOOL = ("before_tool_call", "after_tool_call", "error_tool_call")
_PAUSE = ("session_paused", "session_resumed")

_SESSION = ("mcp_agent.mcp.mcp_agent_client_session", "MCPAgentClientSession")
_WORKFLOW = ("mcp_agent.executor.workflow", "Workflow")

POINTS = (
    Point("mcp_agent.app", "MCPApp", ("run",), app.run, ("session_started", "session_finished")),
    Point(
        "mcp_agent.agents.agent", "Agent", ("call_tool",), calls.tool_call, _TOOL, is_family=True
    ),
    Point(
        "mcp_agent.workflows.llm.augmented_llm",
        "AugmentedLLM",
        ("generate", "generate_str", "generate_structured"),
        calls.generate,
        (*_AGENT, *_LLM),
        is_family=True,
    ),
    Point(
        "mcp_agent.executor.executor",
        "Executor",
        ("execute",),
        calls.execute,
        ("error_llm_generate",),
        is_family=True,
    ),
    Point(
        "mcp_agent.tracing.token_counter",
        "TokenCounter",
        ("record_usage",),
        calls.record_usage,
        ("after_llm_generate",),
    ),
    Point(
        *_WORKFLOW,
        ("run",),
        calls.workflow_run,
        ("before_workflow_run", "after_workflow_run", "error_workflow_run"),
        is_family=True,
    ),
    Point(*_WORKFLOW, ("cancel",), waits.cancel, ("operation_cancelled",)),
    Point(
        "mcp_agent.workflows.llm.llm_selector",
        "ModelSelector",
        ("select_best_model",),
        calls.model_select,
        ("before_model_select", "after_model_select"),
    ),
    Point(
        "mcp_agent.executor.executor",
        "Executor",
        ("wait_for_signal",),
        waits.wait_for_signal,
        _PAUSE,
    ),
    Point(*_SESSION, ("_handle_elicitation_callback",), waits.elicit, _PAUSE),
    Point(*_SESSION, ("call_tool",), sessions.call_tool, ("progress_update",)),
    Point(
        "mcp_agent.mcp.mcp_connection_manager",
        "MCPConnectionManager",
        ("get_server",),
        sessions.get_server,
        ("transport_reconnecting",),
    ),
    Point(
        "mcp.client.streamable_http",
        "StreamableHTTPTransport",
        ("_handle_reconnection",),
        sessions.handle_reconnection,
        ("transport_reconnecting",),
        is_optional=True,
    ),
)
"""The rows of the table in docs/legacy-patching.md."""

HOOKS_OF_SDK = (
    *("before_tool_call", "after_tool_call", "error_tool_call"),
    *("before_rpc_request", "after_rpc_response", "error_rpc_request"),
    *("before_resource_fetch", "after_resource_fetch", "error_resource_fetch"),
    *("before_prompt_apply", "after_prompt_apply", "error_prompt_apply"),
    *("transport_connected", "transport_disconnected", "operation_cancelled"),
)
"""Hooks that the adapter of the MCP SDK emits, which is attached with the patches."""
