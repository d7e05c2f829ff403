"""The whole way: the example, watched by a real service, read from its API."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.service_process import Service

ROOT = Path(__file__).parents[2]
POLICY = """
[[policies]]
name = "no b"
tools = ["letter_count"]
where = { letter = { regex = "^b$" } }
action = "deny"
reason = "b is not for us"
"""


@pytest.mark.shows("amplifier", "agent", "llm", "tokens", "tool", "tool_error", "deny")
def test_the_example_is_seen_and_a_denied_tool_does_not_run(tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.start()
    try:
        policies = tmp_path / "policies.toml"
        policies.write_text(POLICY)
        done = subprocess.run(
            [sys.executable, str(ROOT / "examples/frameworks/amplifier_session.py")],
            env={
                **{name: value for name, value in os.environ.items() if "INSPECTOR" not in name},
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
        assert done.stdout.splitlines() == [
            "r in strawberry = 3",
            "rr in strawberry = not one letter",
            "b in strawberry = Denied: b is not for us",
        ]
        [session] = service.get("/sessions")["sessions"]
        assert (session["llm_calls"], session["tool_calls"]) == (6, 3)
        assert (session["input_tokens"], session["output_tokens"]) == (72, 18)
        rows = service.get(f"/sessions/{session['id']}/spans")["spans"]
        kinds = [row["kind"] for row in rows]
        assert (kinds.count("agent"), kinds.count("llm"), kinds.count("tool")) == (3, 6, 3)
        counted, failed, denied = _details(service, rows, "tool")
        assert counted["view"]["tool"]["name"] == "letter_count"
        assert '"letter":"r"' in str(counted["view"]["tool"]["arguments"])
        assert "3" in str(counted["view"]["tool"]["result"])
        assert [one["status"] for one in (failed, denied)] == ["error", "error"]
        assert "not one letter" in str(failed["view"])
        assert denied["view"]["decisions"][0]["reason"] == "b is not for us"
        assert "r in strawberry" in str(_details(service, rows, "agent")[0]["view"])
        assert "r in strawberry" in str(_details(service, rows, "llm")[0]["view"])
    finally:
        service.stop()


def _details(service: Service, rows: list[dict[str, Any]], kind: str) -> list[Any]:
    return [
        service.get(f"/spans/{row['trace_id']}/{row['span_id']}")
        for row in rows
        if row["kind"] == kind
    ]
