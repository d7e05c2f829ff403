"""A client of `traced_server`: a successful, a failing and a denied call."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

import inspector
from instrument import Decision, intercept

SERVER = Path(__file__).with_name("traced_server.py")


def no_secrets(args: Any, **_: Any) -> Decision | None:
    """Deny weighing the forbidden thing."""
    return Decision.deny("not this one") if args.get("text") == "ruby" else None


async def main() -> None:
    """Call the tools."""
    inspector.context.set("traced-client")
    process = StdioServerParameters(
        command=sys.executable, args=["-P", str(SERVER)], env=dict(os.environ)
    )
    async with Client(process) as client:
        await client.call_tool("weigh", {"text": "iron"})
        await client.call_tool("drop", {"text": "iron"})
        denied = await client.call_tool("weigh", {"text": "ruby"})
    print(denied.model_dump_json())  # noqa: T201 - what the test reads


if __name__ == "__main__":
    handle = inspector.attach(service_name="client")
    intercept("before_tool_call", no_secrets)
    asyncio.run(main())
    handle.detach()
