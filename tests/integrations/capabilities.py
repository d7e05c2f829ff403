"""The rows of docs/frameworks.md: each stands on a test that passed.

A test names the rows that it shows: `@pytest.mark.shows("langchain", "tool", "deny")`.
"""

from __future__ import annotations

from inspector.agent_side.adapters import ADAPTERS, find_adapter

FRAMEWORKS = {
    "mcp": find_adapter("mcp").distribution,
    "mcp1": find_adapter("mcp").distribution,
    **{one.name: one.distribution for one in ADAPTERS if one.name != "mcp"},
}
"""Framework to the distribution whose version and range are named; `mcp1` is the SDK's 1.x."""

SEES = {
    "agent": "a run of an agent, with its input and answer",
    "llm": "each LLM call, with messages and answer",
    "tokens": "tokens of each LLM call",
    "tool": "each tool call, with arguments and result",
    "tool_error": "a tool that raises, or answers with an error, as an error",
    "llm_error": "an LLM call that fails",
    "streaming": "streamed answers, with the time to the first chunk",
    "concurrency": "runs at the same time, each with its own calls",
    "cancellation": "a cancelled run, with everything closed",
    "sub_agents": "sub-agents and hand-offs, below who called them",
    "session": "the framework's own conversation as session",
    "messages": "JSON-RPC messages in both directions",
    "resources": "resources and prompts",
    "progress": "progress",
    "elicitation": "what a server asks the user",
    "transport": "connections that come and go",
    "once": "calls reported by two layers are de-duplicated",
}
DECIDES = {
    "deny": "a denied tool does not run, and the model reads why",
    "edit": "arguments changed before the tool runs",
    "replace": "a result changed before the model sees it",
    "retry": "a tool run again",
    "approve": "a person allows, edits or denies before the tool runs",
    "deny_llm": "an LLM call that is refused or answered by a hook",
    "inject": "context that a hook adds for the model",
    "cancel": "a run that a person cancels",
}
CAPABILITIES = {**SEES, **DECIDES}
