"""Agents of the Claude Agent SDK: the real command line, with a scripted provider behind it."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from itertools import count
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    ResultMessage,
    SdkMcpTool,
    create_sdk_mcp_server,
    query,
    tool,
)

from tests.integrations.contract import QUESTION, ScriptedAgent
from tests.support.services.model_provider import MODEL, Answer, ModelProvider, Raw, says

SERVER = "own"
"""The name of the MCP server of this process with the tools."""
_keys = count(1)


def calls(name: str, *args: dict[str, Any]) -> Answer:
    """Return an answer that calls a tool, once for each of `args`."""
    return Answer(calls=[(f"mcp__{SERVER}__{name}", one) for one in args])


class ClaudeAgent(ScriptedAgent):
    """An agent of the SDK, by `query` or by a client."""

    WAYS = ("query",)  # each run starts a process: a client is tried where it matters
    NAME = "claude"
    CANCELLED = (ClaudeSDKError,)
    calls = staticmethod(calls)
    says = staticmethod(says)
    provider: ModelProvider
    """The provider of all of them."""
    folder: Path
    """Where the command line keeps its settings."""

    def __init__(self, *script: Any, tools: Any, **options: Any) -> None:
        self._key = f"key-{next(_keys)}"
        self.provider.scripts[self._key] = [
            answer
            for one in script  # what is refused is asked for again in other words
            for answer in ([_refusal(str(one))] * 9 if isinstance(one, Exception) else [one])
        ]
        server = create_sdk_mcp_server(SERVER, tools=[_tool(one) for one in tools])
        self._options = ClaudeAgentOptions(
            model=MODEL,
            cwd=self.folder,
            mcp_servers={SERVER: server},
            allowed_tools=[f"mcp__{SERVER}__{one.__name__}" for one in tools],
            env={
                "ANTHROPIC_BASE_URL": self.provider.url,
                "ANTHROPIC_API_KEY": self._key,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "CLAUDE_CONFIG_DIR": str(self.folder),
                "ENABLE_TOOL_SEARCH": "false",
                "IS_SANDBOX": "1",
            },
            **options,
        )
        self.native = ClaudeSDKClient(self._options)
        self.messages: list[Any] = []

    async def run(self, way: str) -> str:
        if way == "query":
            return await self._answer(query(prompt=QUESTION, options=self._options))
        async with self.native as client:
            return await self.ask(client)

    async def ask(self, client: ClaudeSDKClient) -> str:
        """Ask once."""
        await client.query(QUESTION)
        return await self._answer(client.receive_response())

    async def _answer(self, messages: AsyncIterator[Any]) -> str:
        async for message in messages:
            self.messages.append(message)
        result = next(one for one in self.messages[::-1] if isinstance(one, ResultMessage))
        if result.is_error:
            raise ClaudeSDKError(result.result or str(result.errors))
        return result.result or ""

    def read(self) -> str:
        """Return it without the words of the command line before those of a hook."""
        for message in self._requests()[-1].body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block.get("type") == "tool_result":
                    content = block["content"]
                    text = content if isinstance(content, str) else content[0]["text"]
                    return str(text).rpartition("hook error: ")[2]
        raise AssertionError("no tool was called")

    def count_model_calls(self) -> int:
        return len(self._requests())

    def _requests(self) -> list[Any]:
        return [one for one in self.provider.requests if one.key == self._key]


def _tool(function: Callable[..., Any]) -> SdkMcpTool[Any]:
    parameters = inspect.signature(function).parameters
    kinds = {"int": int, "str": str}
    schema = {name: kinds[str(one.annotation)] for name, one in parameters.items()}

    @tool(function.__name__, function.__doc__ or "", schema)
    async def run(args: dict[str, Any]) -> dict[str, Any]:
        result = function(**args)
        if inspect.isawaitable(result):
            result = await result
        return {"content": [{"type": "text", "text": str(result)}]}

    return run


def _refusal(text: str) -> Raw:
    """Return a response after which the command line does not try again."""
    body = f'{{"type": "error", "error": {{"type": "invalid_request_error", "message": "{text}"}}}}'
    return Raw(400, body.encode(), {"content-type": "application/json"})
