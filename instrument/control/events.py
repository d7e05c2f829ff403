"""Event names as constants; modules may emit and handle any other `ns:name`."""

from __future__ import annotations

SESSION_START = "session:start"
SESSION_END = "session:end"
SESSION_FORK = "session:fork"
SESSION_RESUME = "session:resume"

PROMPT_SUBMIT = "prompt:submit"
PROMPT_COMPLETE = "prompt:complete"
PLAN_START = "plan:start"
PLAN_END = "plan:end"

EXECUTION_START = "execution:start"
EXECUTION_END = "execution:end"
ORCHESTRATOR_COMPLETE = "orchestrator:complete"

PROVIDER_REQUEST = "provider:request"
PROVIDER_RESPONSE = "provider:response"
PROVIDER_RETRY = "provider:retry"
PROVIDER_ERROR = "provider:error"
PROVIDER_THROTTLE = "provider:throttle"
LLM_REQUEST = "llm:request"
LLM_RESPONSE = "llm:response"

CONTENT_BLOCK_START = "content_block:start"
CONTENT_BLOCK_DELTA = "content_block:delta"
CONTENT_BLOCK_END = "content_block:end"
THINKING_DELTA = "thinking:delta"
THINKING_FINAL = "thinking:final"

TOOL_PRE = "tool:pre"
TOOL_POST = "tool:post"
TOOL_ERROR = "tool:error"

CONTEXT_PRE_COMPACT = "context:pre_compact"
CONTEXT_POST_COMPACT = "context:post_compact"
CONTEXT_COMPACTION = "context:compaction"
CONTEXT_INCLUDE = "context:include"

USER_NOTIFICATION = "user:notification"
ARTIFACT_WRITE = "artifact:write"
ARTIFACT_READ = "artifact:read"

POLICY_VIOLATION = "policy:violation"
APPROVAL_REQUIRED = "approval:required"
APPROVAL_GRANTED = "approval:granted"
APPROVAL_DENIED = "approval:denied"

CANCEL_REQUESTED = "cancel:requested"
CANCEL_COMPLETED = "cancel:completed"

ALL_EVENTS = [
    value for name, value in list(globals().items()) if name.isupper() and isinstance(value, str)
]
"""All events, for a module that logs everything."""
