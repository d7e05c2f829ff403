"""The whole way: the example, watched by a real service, read from its API."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.service_process import Service

ROOT = Path(__file__).parents[3]
SERVING = ROOT / ".venv/bin/python"
"""Of the environment that has what serves; this one has not."""
POLICY = """
[[policies]]
name = "no sevens"
tools = ["add"]
where = { a = { regex = "7" } }
action = "deny"
reason = "seven is not for us"
"""


@pytest.mark.skipif(not SERVING.exists(), reason="needs the environment that `make test` makes")
def test_the_example_is_seen_and_a_denied_tool_does_not_run(tmp_path: Path) -> None:
    service = Service(tmp_path, python=str(SERVING))
    service.environment["PYTHONPATH"] = str(ROOT)
    service.start()
    try:
        policies = tmp_path / "policies.toml"
        policies.write_text(POLICY)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(ROOT / "examples/frameworks/mcp_agent_app.py")],
            env={
                **{name: value for name, value in os.environ.items() if "INSPECTOR" not in name},
                "PYTHONPATH": str(ROOT),
                "INSPECTOR_URL": service.url,
                "INSPECTOR_TOKEN": service.token,
                "INSPECTOR_POLICIES": str(policies),
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        sums = [line for line in done.stdout.splitlines() if line[:3] in ("1+2", "7+6", "1+x")]
        assert sums[0] == "1+2 = 3"
        assert "seven is not for us" in sums[1]
        assert sums[2].startswith("1+x failed")
        (session,) = service.get("/sessions")["sessions"]
        assert session["title"] == "sums"
        assert (session["llm_calls"], session["tool_calls"]) == (3, 3)
        assert (session["input_tokens"], session["output_tokens"]) == (
            6,
            2,
        )  # of those that answered
        spans = service.get(f"/sessions/{session['id']}/spans")["spans"]
        tools = [detail(service, one) for one in spans if one["kind"] == "tool"]
        views = [one["view"]["tool"] for one in tools]
        assert views[0]["name"] == "add"
        assert views[0]["arguments"]["text"] == '{"a":"1","b":"2"}'
        assert "3" in str(views[0]["result"])
        assert [one["status"] for one in tools] == ["unset", "error", "error"]
        assert tools[1]["view"]["decisions"][0]["reason"] == "seven is not for us"
        assert {one["kind"] for one in spans} >= {"agent", "llm", "tool"}
    finally:
        service.stop()


def detail(service: Service, row: dict[str, Any]) -> Any:
    return service.get(f"/spans/{row['trace_id']}/{row['span_id']}")
