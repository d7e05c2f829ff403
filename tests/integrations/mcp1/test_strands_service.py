"""The whole way: the example, watched by a real service, read from its API."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.agent_side import bootstrap
from tests.support.service_process import Service

pytest.importorskip("strands")

ROOT = Path(__file__).parents[3]
SERVING = ROOT / ".venv/bin/python"
"""Of the environment that has what serves; this one has not."""
POLICY = """
[[policies]]
name = "no b"
tools = ["letter_count"]
where = { letter = { regex = "^b$" } }
action = "deny"
reason = "b is not for us"
"""


@pytest.mark.shows("strands", "agent", "llm", "tokens", "tool", "tool_error", "deny")
@pytest.mark.skipif(not SERVING.exists(), reason="needs the environment that `make test` makes")
def test_the_example_is_seen_and_a_denied_tool_does_not_run(tmp_path: Path) -> None:
    service = Service(tmp_path, python=str(SERVING))
    service.environment["PYTHONPATH"] = str(ROOT)
    service.start()
    try:
        policies = tmp_path / "policies.toml"
        policies.write_text(POLICY)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(ROOT / "examples/frameworks/strands_agent.py")],
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
        assert done.stdout.splitlines() == [
            "r in strawberry = 3",
            "rr in strawberry = Error: not one letter: 'rr'",
            "b in strawberry = Denied: b is not for us",
        ]
        [session] = service.get("/sessions")["sessions"]
        assert (session["llm_calls"], session["tool_calls"]) == (6, 3)
        assert (session["input_tokens"], session["output_tokens"]) == (72, 18)
        told = service.get(f"/sessions/{session['id']}/spans")["spans"]
        rows = [row for row in told if not row.get("duplicate_of")]  # those of Strands itself
        assert len(told) - len(rows) == 11
        assert [row["kind"] for row in rows].count("agent") == 3
        details = {kind: _details(service, rows, kind) for kind in ("agent", "llm", "tool")}
        counted, failed, denied = details["tool"]
        assert counted["view"]["tool"]["name"] == "letter_count"
        assert '"letter":"r"' in str(counted["view"]["tool"]["arguments"])
        assert "3" in str(counted["view"]["tool"]["result"])
        assert [one["status"] for one in (failed, denied)] == ["error", "error"]
        assert "not one letter" in str(failed["view"])
        assert denied["view"]["decisions"][0]["reason"] == "b is not for us"
        assert "r in strawberry" in str(details["agent"][0]["view"])
        assert "r in strawberry" in str(details["llm"][0]["view"])
    finally:
        service.stop()


def _details(service: Service, rows: list[dict[str, Any]], kind: str) -> list[Any]:
    return [
        service.get(f"/spans/{row['trace_id']}/{row['span_id']}")
        for row in rows
        if row["kind"] == kind
    ]


@pytest.mark.shows("strands", "deny")
def test_a_tool_is_denied_in_a_program_without_a_line_and_without_a_service(
    tmp_path: Path,
) -> None:
    program = (ROOT / "examples/frameworks/strands_agent.py").read_text()
    assert "inspector.attach()\n" in program
    program = program.replace("import inspector\n", "").replace("inspector.attach()\n", "")
    (tmp_path / "agent.py").write_text(program)
    (tmp_path / "policies.toml").write_text(POLICY)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "agent.py"],
        env={
            **{name: value for name, value in os.environ.items() if "INSPECTOR" not in name},
            "PYTHONPATH": os.pathsep.join([*bootstrap.__path__, str(ROOT)]),  # `inspector run`
            "INSPECTOR_RUNTIME_DIR": str(tmp_path / "none"),
            "INSPECTOR_POLICIES": "policies.toml",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "b in strawberry = Denied: b is not for us", done.stderr
