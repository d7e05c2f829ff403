"""An agent that uses MCP servers of both protocol eras."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.types import CreateMessageResult, ElicitResult, TextContent

import inspector
from instrument import operation

SERVERS = Path(__file__).resolve().parents[1] / "support" / "services" / "mcp_servers.py"
SESSION = "mcp-agent"


def server(kind: str) -> Any:
    """Start a server; return its transport."""
    # -P: the folder of the file must not shadow the modules of other packages.
    parameters = StdioServerParameters(command=sys.executable, args=["-P", str(SERVERS), kind])
    log = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    return stdio_client(parameters, errlog=log)


async def use(client: Client, name: str, **arguments: Any) -> Any:
    """Call a tool the way agents do."""

    async def report(progress: float, total: float | None, message: str | None) -> None:
        """Ignore progress: having the callback requests it."""

    with suppress(MCPError, RuntimeError):
        return await client.call_tool(name, arguments, progress_callback=report)


async def answer_by_model(context: Any, params: Any) -> CreateMessageResult:
    """Sample, without a model."""
    text = TextContent(type="text", text="In short: it works.")
    return CreateMessageResult(role="assistant", content=text, model="made-up")


async def accept(context: Any, params: Any) -> ElicitResult:
    """Fill in a form of the older protocol."""
    return ElicitResult(action="accept", content={"channel": "beta"})


async def modern() -> None:
    """Progress, errors of both kinds, a question, and a server that dies."""
    with suppress(BaseException):  # the connection breaks, as it is meant to
        async with Client(server("modern"), elicitation_callback=inspector.elicit) as client:
            await use(client, "count")
            await use(client, "refuse")
            with suppress(MCPError):
                await client.get_prompt("no such prompt")
            await use(client, "publish")
            await use(client, "crash")


async def legacy() -> None:
    """Use the requests of the server, and a call that is cancelled."""
    async with Client(
        server("legacy"),
        mode="legacy",
        elicitation_callback=accept,
        sampling_callback=answer_by_model,
    ) as client:
        await use(client, "summarise")
        await use(client, "confirm")
        with suppress(TimeoutError):
            await asyncio.wait_for(use(client, "sleep"), 0.5)


async def main() -> None:
    """Work with one server after the other."""
    inspector.context.set(SESSION)
    async with operation("agent_call", agent="clerk"):
        await legacy()
        await modern()


if __name__ == "__main__":
    handle = inspector.attach(service_name="clerk")
    asyncio.run(main())
    handle.detach()
