"""A real MCP host: the SDK's client, over stdio or HTTP, in either protocol era."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent, Tool

from tests.support.services.process import DEADLINE_S

Mode = Literal["legacy", "auto"]


@asynccontextmanager
async def over_stdio(
    env: dict[str, str], mode: Mode = "auto", *flags: str
) -> AsyncIterator[Client]:
    """Start `inspector mcp` and connect to it."""
    process = StdioServerParameters(
        command=sys.executable, args=["-m", "inspector", "mcp", *flags], env=env
    )
    async with Client(process, mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(url: str, token: str, mode: Mode = "auto") -> AsyncIterator[Client]:
    """Connect to the running service."""
    bearer = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=bearer, timeout=DEADLINE_S) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@dataclass(frozen=True)
class Host:
    """Connects for each question: a fixture may not hold a connection open."""

    url: str
    token: str

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """Call a tool."""
        async with over_http(self.url, self.token) as client:
            return await client.call_tool(name, arguments)

    async def pages(self, name: str, arguments: dict[str, Any]) -> AsyncIterator[CallToolResult]:
        """Call a tool, and follow `next` of its answers."""
        more: dict[str, Any] | None = {}
        async with over_http(self.url, self.token) as client:
            while more is not None:
                result = await client.call_tool(name, {**arguments, **more})
                yield result
                more = structured_of(result)["next"]

    async def tools(self) -> list[Tool]:
        """List the tools."""
        async with over_http(self.url, self.token) as client:
            return (await client.list_tools()).tools


def text_of(result: CallToolResult) -> str:
    """Return the text of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def fenced_of(result: CallToolResult) -> str:
    """Return the text between its marks, which are those of the structured form."""
    whole = structured_of(result)
    assert text_of(result).count(f"\n{whole['begin']}\n") == 1
    assert text_of(result).count(f"\n{whole['end']}") == 1
    return text_of(result).split(f"\n{whole['begin']}\n")[1].split(f"\n{whole['end']}")[0]


def structured_of(result: CallToolResult) -> dict[str, Any]:
    """Return the structured form of an answer."""
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def recorded_of(result: CallToolResult) -> dict[str, Any]:
    """Return the recorded part of a result."""
    recorded: dict[str, Any] = structured_of(result)["recorded"]
    return recorded
