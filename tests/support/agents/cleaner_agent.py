"""An agent that needs approval to delete; its arguments are JSON on standard input."""

import asyncio
import json
import sys
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

import inspector
from instrument import Decision, HookDenied, call, intercept, operation

ran: list[Any] = []


def guard(tool_name: str, args: dict[str, Any], **_: Any) -> Decision | None:
    """Ask before anything is deleted."""
    if tool_name != "delete_file":
        return None
    if str(args.get("path")).startswith("/etc"):
        return Decision.deny("nothing in /etc")
    return Decision.ask_user(f"Delete {args['path']}?", timeout=60)


def delete(op: Any) -> str:
    """Print the deletion instead of doing it."""
    ran.append(op.args)
    return "deleted"


async def main(args: dict[str, Any]) -> None:
    """Delete one file, if a person allows it."""
    inspector.context.set("asking-agent")
    intercept("before_tool_call", guard, name="guard deletion", on_error="deny")
    async with operation("agent_call", agent="cleaner"):
        try:
            outcome = await call("tool_call", delete, tool_name="delete_file", args=args)
        except HookDenied as denied:
            outcome = f"refused: {denied.reason}"
    sys.stdout.write(json.dumps({"ran": ran, "outcome": outcome}) + "\n")


if __name__ == "__main__":
    handle = inspector.attach(service_name="cleaner")
    asyncio.run(main(json.loads(sys.stdin.readline())))
    # The exit alone waits a second at most, which a busy machine may need for something else.
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.force_flush(30_000)
    handle.flush(30)
    handle.detach()
