"""Policies that `attach` installs, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[5]

RULES = """
port = 1

[[policies]]
name = "no deletes"
tools = ["delete_*"]
action = "deny"

[[budgets]]
of = "cost_usd"
at = 1
"""

PROGRAM = """
import inspector, instrument, sys

def use(name):
    try:
        with instrument.operation("tool_call", tool_name=name, args={}):
            print("ran", name)
    except instrument.HookDenied as error:
        print("denied:", error.reason)
"""


def run_program(code: str, tmp_path: Path, **environ: str) -> list[str]:
    """Run `code` with `RULES` as the user's file; return its output and log lines."""
    config = tmp_path / "config" / "mcp-agent-inspector"
    config.mkdir(parents=True, exist_ok=True)
    (config / "inspector.toml").write_text(RULES)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("INSPECTOR_", "OTEL_"))}
    settings = {
        "INSPECTOR_RUNTIME_DIR": str(tmp_path / "run"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PYTHONPATH": str(ROOT),
        **environ,
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM + code],
        env={**inherited, **settings},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return (done.stdout + done.stderr).splitlines()


def test_they_act_where_no_service_runs_and_load_no_package(tmp_path: Path) -> None:
    output = run_program(
        """
handle = inspector.attach()
use("delete_x")
with instrument.operation("llm_generate", llm=None, prompt="") as op:
    op.set(usage={"cost_usd": 2})
use("read_x")
handle.detach()
use("delete_x")
print(sorted(
    {name.partition(".")[0] for name in sys.modules}
    & {"opentelemetry", "pydantic", "fastapi", "typer", "requests"}
))
""",
        tmp_path,
    )
    assert output == [
        "denied: denied by policy 'no deletes'",
        "denied: budget #1: $2.00 of $1.00 used in this session",
        "ran delete_x",
        "[]",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attach", "environ"),
    [
        ("inspector.attach('http://127.0.0.1:9')", {}),
        ("inspector.attach()", {"OTEL_SDK_DISABLED": "true"}),
        ("inspector.attach(), inspector.attach()", {}),
    ],
)
def test_they_act_whatever_becomes_of_the_telemetry(
    tmp_path: Path, attach: str, environ: dict[str, str]
) -> None:
    output = run_program(f"{attach}\nuse('delete_x')\nuse('read_x')", tmp_path, **environ)
    assert output[:2] == ["denied: denied by policy 'no deletes'", "ran read_x"]


@pytest.mark.slow
def test_attaching_twice_to_a_service_takes_two_detaches_of_one_handle_as_one(
    tmp_path: Path,
) -> None:
    output = run_program(
        """
one = inspector.attach("http://127.0.0.1:9")
two = inspector.attach("http://127.0.0.1:9")
use("delete_x")
one.detach()
two.detach()
use("delete_x")
""",
        tmp_path,
    )
    assert output[:2] == ["denied: denied by policy 'no deletes'", "ran delete_x"]


def test_they_can_be_left_out(tmp_path: Path) -> None:
    output = run_program("inspector.attach(policies=False)\nuse('delete_x')", tmp_path)
    assert output == ["ran delete_x"]


def test_a_file_in_the_working_directory_counts(tmp_path: Path) -> None:
    (tmp_path / "inspector.toml").write_text('[[policies]]\ntools = "read_x"\naction = "deny"')
    output = run_program("inspector.attach()\nuse('read_x')\nuse('read_y')", tmp_path)
    assert output == ["denied: denied by policy './#1'", "ran read_y"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork is of POSIX systems")
def test_a_forked_child_does_not_wait_for_a_lock_of_its_parent(tmp_path: Path) -> None:
    output = run_program(
        """
import os
from inspector.agent_side.policies import budgets

inspector.attach()
(ledger,) = budgets._ledgers
with ledger._lock:
    child = os.fork()
    if not child:
        use("read_x")
        sys.stdout.flush()
        os._exit(0)
os.waitpid(child, 0)
""",
        tmp_path,
    )
    assert output == ["ran read_x"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "environ", [{}, {"OTEL_SDK_DISABLED": "true", "INSPECTOR_URL": "http://127.0.0.1:9"}]
)
def test_they_decide_about_the_tools_of_a_framework_where_no_service_runs(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    pytest.importorskip("langchain_core")
    output = run_program(
        """
inspector.attach()
handle = inspector.attach()
import warnings
warnings.simplefilter("ignore")  # theirs
from langchain_core.tools import tool

@tool
def delete_x() -> str:
    "Delete."
    return "ran delete_x"

call = {"name": "delete_x", "args": {}, "id": "1", "type": "tool_call"}
print(delete_x.invoke(call).content)
""",
        tmp_path,
        **environ,
    )
    assert output == ["Denied: denied by policy 'no deletes'"]
