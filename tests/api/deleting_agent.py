"""An agent in its own process that needs approval for each deletion and prints the result.

Each line that it reads is `{"args": {…}, "timeout_s": …}`; each line that it prints is what became
of it: `{"deleted": {…}}` or `{"denied": "why"}`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import inspector
from instrument import Decision, HookDenied, call, intercept


class DeletingAgent:
    """The running agent, from outside."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def delete(self, args: dict[str, Any], timeout_s: float = 60.0) -> None:
        """Start a deletion, which needs approval."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"args": args, "timeout_s": timeout_s}) + "\n")
        self._process.stdin.flush()

    def result(self) -> dict[str, Any]:
        """Wait for the result."""
        assert self._process.stdout
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@contextmanager
def deleting_agent(environment: dict[str, str]) -> Iterator[DeletingAgent]:
    """Run one."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.api.deleting_agent"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield DeletingAgent(process)
            assert process.stdin
            process.stdin.close()
            assert process.wait(30) == 0
        finally:
            process.kill()


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
