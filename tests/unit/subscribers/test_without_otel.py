"""Without OpenTelemetry everything can be imported, and nothing is traced."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["opentelemetry"] = None  # as if it were not installed

import logging, asyncio
logging.basicConfig(format="%(message)s")
from instrument import Bus
import subscribers

bus = Bus()
off = subscribers.install(bus)
assert not bus._hooks, "nobody listens"

async def agent():
    meta = {"progressToken": 1}
    async with bus.operation("tool_call", tool_name="t", args={}) as op:
        subscribers.inject(meta)
        op.result = 1
    assert meta == {"progressToken": 1}

asyncio.run(agent())
assert subscribers.extract({"traceparent": "00-" + "1" * 32 + "-" + "2" * 16 + "-01"}) is None
off()
"""


def test_hooks_register_nothing_and_the_agent_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert "mcp-agent-inspector[otel]" in done.stderr
