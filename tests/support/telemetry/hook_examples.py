"""Example kwargs for each hook that fill every row of the telemetry spec."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

Kwargs = dict[str, Any]

MESSAGES = [{"role": "user", "content": "Where is the log?"}]
ANSWER = {
    "id": "resp-1",
    "model": "gpt-4o-2024-11-20",
    "choices": [
        {
            "message": {
                "role": "assistant",
                "content": "Here.",
                "tool_calls": [
                    {"id": "call-1", "function": {"name": "search", "arguments": '{"q": 1}'}}
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
}
USAGE = {
    "input_tokens": 120,
    "output_tokens": 30,
    "cache_read_tokens": 100,
    "cache_write_tokens": 5,
    "reasoning_tokens": 12,
    "audio_input_tokens": 20,
    "audio_output_tokens": 6,
    "audio_cache_read_tokens": 5,
    "cost_usd": 0.002,
}


class Planner:
    """An agent, as frameworks have them."""

    name = "planner"
    description = "Plans a release."
    server_id = "server-1"
    model = "gpt-4o"
    conversation_id = "thread-7"
    instruction = "You plan releases."
    tools = (SimpleNamespace(name="search"),)
    input = "Plan v1.4."


class Llm:
    """A model client."""

    provider = "azure"
    model = "gpt-4o"
    base_url = "https://models.example:8443/v1"
    agent_name = "planner"
    conversation_id = "thread-7"
    instruction = "Answer shortly."
    tools = (SimpleNamespace(name="search"),)


class LoopLlm(Llm):
    """An emitter that brackets a whole tool loop."""

    is_loop = True


class Release:
    """A workflow."""

    name = "release"


CONTEXT = SimpleNamespace(
    tool_type="function",
    tool_call_id="call-1",
    tool_description="Searches the log.",
    conversation_id="thread-7",
    server_name="git",
    run_id="run-1",
    engine="temporal",
)
PARAMS = {
    "max_tokens": 256,
    "n": 2,
    "temperature": 0.5,
    "top_p": 0.9,
    "top_k": 40,
    "seed": 7,
    "stop_sequences": ["END"],
    "frequency_penalty": 0.1,
    "presence_penalty": 0.2,
    "stream": True,
    "reasoning_effort": "low",
    "previous_response_id": "resp-0",
    "response_format": {"type": "json_schema"},
    "prompt_name": "release-notes",
    "prompt_version": "3",
}
TOOL: Kwargs = {
    "tool_name": "search",
    "args": {"q": "v1.4"},
    "context": CONTEXT,
    "tool_call_id": "call-1",
    "server_name": "git",
}
TOOL_RESULT = {"content": [{"type": "text", "text": "found"}], "structuredContent": {"hits": 1}}
MCP: Kwargs = {
    "transport": "http",
    "server_name": "git",
    "protocol_version": "2025-11-25",
    "connection_id": "mcp-session-9",
}
CALL = {
    "jsonrpc": "2.0",
    "id": 4,
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"q": 1}},
}
GET_PROMPT = {
    "jsonrpc": "1.0",
    "id": "p-1",
    "method": "prompts/get",
    "params": {"name": "greet", "arguments": {"who": "Ada"}},
}
READ = {"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": "file:///log"}}
CALLED = {"jsonrpc": "2.0", "id": 4, "result": {**TOOL_RESULT, "resultType": "complete"}}
INITIALIZED = {
    "jsonrpc": "2.0",
    "id": 0,
    "result": {"protocolVersion": "2025-11-25", "task": {"taskId": "task-1"}},
}
TRANSPORT: Kwargs = {
    "transport_type": "http",
    "uri": "https://mcp.example:8443/mcp?token=abc",
    "server_name": "git",
    "connection_id": "mcp-session-9",
}
STDIO: Kwargs = {"transport_type": "stdio", "uri": "/usr/bin/mcp-server-git --repo ."}
STREAM = SimpleNamespace(
    first_chunk_ns=2_000_000,
    chunk_count=3,
    token_count=12,
    longest_stall_ns=1_000_000,
    longest_stall_at_ns=500_000,
)
ERROR = PermissionError("not allowed")


class McpError(Exception):
    """As the MCP SDK raises it."""

    error = SimpleNamespace(code=-32603, message="broken")


class InvalidParamsError(McpError):
    """The response of a server to a call that it cannot serve."""

    error = SimpleNamespace(code=-32602, message="no such tool")


INVALID = {"jsonrpc": "2.0", "id": 4, "error": {"code": -32602, "message": "no such tool"}}
FAILURES = (ERROR, TimeoutError("too slow"), asyncio.CancelledError(), McpError("broken"))


def _rpc_examples() -> dict[str, list[Kwargs]]:
    examples: dict[str, list[Kwargs]] = {}
    for before, after, error in (
        ("before_rpc_request", "after_rpc_response", "error_rpc_request"),
        ("before_rpc_handle", "after_rpc_handle", "error_rpc_handle"),
    ):
        examples[before] = [{**MCP, "envelope": envelope} for envelope in (CALL, GET_PROMPT, READ)]
        examples[before].append({"transport": "stdio", "envelope": {"method": "ping"}})
        examples[after] = [
            {**MCP, "envelope": envelope, "duration_ms": 12.5, "request_envelope": CALL}
            for envelope in (CALLED, INITIALIZED, INVALID)
        ]
        examples[error] = [
            {**MCP, "envelope": CALL, "exc": exc}
            for exc in (*FAILURES, InvalidParamsError(), EOFError("closed"))
        ]
    return examples


EXAMPLES: dict[str, list[Kwargs]] = {
    "before_agent_call": [{"agent": Planner()}],
    "after_agent_call": [
        {
            "agent": Planner(),
            "result": {"role": "assistant", "content": "Done.", "stop_reason": "end_turn",
                       "usage": {"input_tokens": 5, "output_tokens": 2}},
        }
    ],
    "error_agent_call": [{"agent": Planner(), "exc": exc} for exc in FAILURES],
    "before_llm_generate": [
        {"llm": Llm(), "prompt": MESSAGES, "model": "gpt-4o", "provider": "azure",
         "request_params": PARAMS},
        {"llm": LoopLlm(), "prompt": "Plan it.", "model": "gpt-4o", "request_params": PARAMS},
    ],
    "after_llm_generate": [
        {"llm": Llm(), "prompt": MESSAGES, "response": ANSWER, "usage": USAGE}
    ],
    "error_llm_generate": [
        {"llm": Llm(), "prompt": MESSAGES, "exc": ERROR},
        {"llm": Llm(), "prompt": MESSAGES, "exc": ERROR, "response": ANSWER, "usage": USAGE},
    ],
    "llm_retrying": [
        {"llm": Llm(), "attempt": 1, "status_code": 429, "retry_after": "2", "delay_s": 2.0},
        {"llm": Llm(), "attempt": 2, "status_code": None, "retry_after": None, "delay_s": 0.5},
    ],
    "before_tool_call": [TOOL],
    "after_tool_call": [
        {**TOOL, "result": TOOL_RESULT},
        {**TOOL, "result": {"isError": True, "content": [{"type": "text", "text": "no such log"}]}},
    ],
    "error_tool_call": [{**TOOL, "result": TOOL_RESULT, "exc": exc} for exc in FAILURES],
    "before_workflow_run": [
        {"workflow": Release(), "context": CONTEXT, "args": {"version": "1.4"}},
        {"workflow": Release(), "context": CONTEXT, "args": MESSAGES},
    ],
    "after_workflow_run": [
        {"workflow": Release(), "context": CONTEXT,
         "result": {"role": "assistant", "content": "Done."}},
        {"workflow": Release(), "context": CONTEXT, "result": {"released": True}},
    ],
    "error_workflow_run": [{"workflow": Release(), "context": CONTEXT, "exc": ERROR}],
    "before_step_run": [
        {"step": "rank", "kind": "retrieval", "args": {"q": "v1.4"}, "context": None}
    ],
    "after_step_run": [{"step": "rank", "kind": "retrieval", "result": [1, 2], "context": None}],
    "error_step_run": [
        {"step": "rank", "kind": None, "exc": ERROR, "result": [1], "context": None}
    ],
    **_rpc_examples(),
    "before_resource_fetch": [{"uri": "file:///log", "context": None, "server_name": "git"}],
    "after_resource_fetch": [
        {"uri": "file:///log", "content": "text", "mime_type": "text/plain", "context": None}
    ],
    "error_resource_fetch": [
        {"uri": "file:///log", "exc": exc, "context": None} for exc in FAILURES
    ],
    "before_prompt_apply": [
        {"template_id": "greet", "parameters": {"who": "Ada"}, "context": None,
         "server_name": "git"}
    ],
    "after_prompt_apply": [{"template_id": "greet", "rendered": MESSAGES, "context": None}],
    "error_prompt_apply": [
        {"template_id": "greet", "parameters": {"who": "Ada"}, "exc": exc, "context": None}
        for exc in FAILURES
    ],
    "session_started": [
        {"session_id": "s-1",
         "metadata": {"title": "Release", "engine": "asyncio", "app_name": "release-bot",
                      "user": "bo", "tags": ["release"]}}
    ],
    "session_paused": [{"session_id": "s-2", "signal_name": "go", "prompt": "Shall we?"}],
    "session_resumed": [{"session_id": "s-2", "signal_name": "go", "payload": {"yes": True}}],
    "session_finished": [
        {"session_id": "s-1", "status": "failed", "error": ERROR},
        {"session_id": "s-1", "status": "completed", "error": None},
    ],
    "before_model_select": [
        {"preferences": {"costPriority": 0.5, "hints": [{"name": "gpt"}]},
         "available_models": ["gpt-4o", "claude"], "context": None}
    ],
    "after_model_select": [
        {"selected_model": "gpt-4o", "scores": {"gpt-4o": 0.9, "claude": 0.8}, "context": None}
    ],
    "error_model_select": [
        {"preferences": None, "available_models": ["gpt-4o"], "exc": ERROR, "context": None}
    ],
    "progress_update": [
        {"operation_id": "op-1", "percent": 40.0, "message": "Reading.", "context": None,
         "progress": 4, "total": 10}
    ],
    "operation_cancelled": [{"operation_id": "op-1", "context": None, "reason": "Too slow."}],
    "transport_connected": [TRANSPORT, STDIO],
    "transport_disconnected": [
        {**TRANSPORT, "reason": "closed"},
        {**STDIO, "reason": EOFError("x")},
    ],
    "transport_reconnecting": [{**TRANSPORT, "attempt": 2}, {**STDIO, "attempt": 1}],
    "transport_failed": [
        {**STDIO, "step": "spawn", "exc": ERROR, "server_name": None},
        {**TRANSPORT, "step": "initialize", "exc": ERROR, "server_name": "files"},
    ],
    "server_output": [
        {
            "text": "warning: no cache",
            "stream": "stderr",
            "transport_type": "stdio",
            "server_name": "git",
        }
    ],
    "prompt_submitted": [{"prompt": "Plan it.", "context": None}],
    "agent_initialized": [{"agent": Planner()}],
    "message_added": [{"agent": Planner(), "message": MESSAGES[0]}],
    "before_final_response": [{"agent": Planner(), "response": "Done."}],
    "operation_opened": [
        {"call_id": "c-1", "parent_call_id": None, "noun": "index", "kwargs": {"path": "."}}
    ],
    "operation_closed": [
        {"call_id": "c-2", "noun": "llm_generate", "status": "ok", "exc": None,
         "stream": STREAM},
        {"call_id": "c-1", "noun": "index", "status": "error", "exc": ERROR,
         "stream": STREAM}
    ],
    # Small, then grown beyond what is sent whole.
    "state_captured": [
        {"name": "plan", "value": {"notes": ["x" * 200] * count}, "description": "the plan",
         "is_result": False}
        for count in (100, 160)
    ],
    "hook_decided": [
        {"call_id": "c-1", "hook": "before_tool_call", "interceptor": "policy", "action": "modify",
         "reason": "House rule.", "microseconds": 12.0, "before": {"q": 1}, "after": {"q": 2},
         "actor": "ANNA", "origin": "browser"}
    ],
    "hook_failed": [
        {"call_id": "c-1", "hook": "before_tool_call", "handler": "policy", "exc": ERROR}
    ],
    "request_opened": [
        {"call_id": "c-1", "request_id": "r-1", "kind": "approval", "hook": "before_tool_call",
         "prompt": "May it?", "interceptor": "policy", "signal_name": None},
        {"call_id": "c-1", "request_id": "r-2", "kind": "question", "hook": None,
         "prompt": "Which one?", "interceptor": "ask", "signal_name": "choice"}
    ],
    "request_closed": [
        {"call_id": "c-1", "request_id": "r-1", "status": "answered",
         "answer": {"decision": "allow"}, "reason": "Fine.", "actor": "ANNA",
         "origin": "browser"}
    ],
}  # fmt: skip
"""By hook; together the examples of a hook make each of its rows say something."""
