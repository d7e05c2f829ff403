"""Hooks of the Claude Agent SDK that report and decide what the command line is about to do."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspector.integrations.claude_agent_sdk.conversation import Conversation
from inspector.integrations.conversion import text_of
from inspector.integrations.verdicts import REFUSALS, refusal
from instrument import HookStopped
from instrument.parts import Injection

TIMEOUT_S = 7 * 24 * 3_600
"""How long the command line waits for a hook: a person may have to answer."""

_logger = logging.getLogger("inspector")
Output = dict[str, Any]
Hook = Callable[[Mapping[str, Any]], Awaitable[Output]]


class DecidingHooks:
    """The hooks of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._hooks: dict[str, Hook] = {
            "UserPromptSubmit": self._prompt,
            "PreToolUse": self._before_tool,
            "PostToolUse": self._after_tool,
            "PostToolUseFailure": self._failed_tool,
            "SubagentStart": self._subagent_begins,
            "SubagentStop": self._subagent_ends,
        }

    def beside(self, others: Mapping[str, list[Any]] | None) -> dict[str, list[Any]]:
        """Return hooks of the program with these beside them, in the SDK's internal form."""
        found = {event: list(matchers) for event, matchers in (others or {}).items()}
        for event, hook in self._hooks.items():
            ours = {"matcher": None, "hooks": [_harmless(hook)], "timeout": TIMEOUT_S}
            found.setdefault(event, []).append(ours)
        return found

    async def _prompt(self, event: Mapping[str, Any]) -> Output:
        try:
            injections = await self._conversation.begin_run(event.get("prompt"))
        except (HookStopped, *REFUSALS) as error:
            return {"decision": "block", "reason": _reason(error)}
        return _with_context("UserPromptSubmit", injections)

    async def _before_tool(self, event: Mapping[str, Any]) -> Output:
        args = event["tool_input"]
        try:
            operation = await self._conversation.begin_tool(
                event["tool_use_id"], event["tool_name"], args, event.get("agent_id")
            )
        except (HookStopped, *REFUSALS) as error:
            return _specific(
                "PreToolUse", permissionDecision="deny", permissionDecisionReason=_reason(error)
            )
        output = _with_context("PreToolUse", operation.injections)
        if operation.args is not args:
            output.setdefault("hookSpecificOutput", {"hookEventName": "PreToolUse"})
            output["hookSpecificOutput"]["updatedInput"] = dict(operation.args)
        return output

    async def _after_tool(self, event: Mapping[str, Any]) -> Output:
        response = event.get("tool_response")
        operation = await self._conversation.end_tool(event["tool_use_id"], response)
        if operation is None:
            return {}
        output = _with_context("PostToolUse", operation.injections)
        if operation.result is not response:
            output.setdefault("hookSpecificOutput", {"hookEventName": "PostToolUse"})
            output["hookSpecificOutput"]["updatedToolOutput"] = operation.result
        return output

    async def _failed_tool(self, event: Mapping[str, Any]) -> Output:
        error = str(event.get("error") or "the tool failed")
        await self._conversation.fail_tool(event["tool_use_id"], error)
        return {}

    async def _subagent_begins(self, event: Mapping[str, Any]) -> Output:
        await self._conversation.begin_subagent(event["agent_id"], event.get("agent_type"))
        return {}

    async def _subagent_ends(self, event: Mapping[str, Any]) -> Output:
        answer = event.get("last_assistant_message")
        await self._conversation.end_subagent(event["agent_id"], answer)
        return {}


def _harmless(hook: Hook) -> Callable[..., Awaitable[Output]]:
    """Return a hook as the SDK calls it, which never raises into the program."""

    async def call(event: Mapping[str, Any], tool_use_id: str | None, context: Any) -> Output:
        try:
            return await hook(event)
        except Exception:
            _logger.warning("Cannot report a hook of Claude Code.", exc_info=True)
            return {}

    return call


def _reason(error: Exception) -> str:
    return text_of(error.value) if isinstance(error, HookStopped) else refusal(error)


def _specific(event: str, **output: Any) -> Output:
    return {"hookSpecificOutput": {"hookEventName": event, **output}}


def _with_context(event: str, injections: tuple[Injection, ...]) -> Output:
    if not injections:
        return {}
    return _specific(event, additionalContext="\n".join(one.text for one in injections))
