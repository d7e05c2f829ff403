"""An agent that needs approval for each deletion.

Each line of its input is `{"args": {…}, "timeout_s": …}`; each line of its output is the result,
`{"deleted": {…}}` or `{"denied": "why"}`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import inspector
from instrument import Decision, HookDenied, call, intercept


async def _delete(op: Any) -> str:
    return json.dumps({"deleted": op.args})


async def _run(line: str) -> str:
    wanted = json.loads(line)

    def ask(**event: Any) -> Decision:
        prompt = f"Delete {event['args']['path']}?"
        return Decision.ask_user(prompt, timeout=wanted["timeout_s"])

    off = intercept("before_tool_call", ask)
    try:
        done: str = await call("tool_call", _delete, tool_name="delete_file", args=wanted["args"])
    except HookDenied as error:
        return json.dumps({"denied": str(error)})
    finally:
        off()
    return done


def main() -> None:
    """Delete each line of standard input, until it ends."""
    handle = inspector.attach()
    for line in sys.stdin:
        sys.stdout.write(asyncio.run(_run(line)) + "\n")
        sys.stdout.flush()
    handle.detach()


if __name__ == "__main__":
    main()
