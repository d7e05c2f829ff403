"""`inspector run`: programs without a line of ours, as a user starts them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.integrations import bootstrap
from tests.support.service_process import Service

AGENT = """
import asyncio, instrument

async def main():
    async with instrument.operation("agent_call", agent="{name}"):
        async with instrument.operation("tool_call", tool_name="search", args={{"q": "x"}}) as op:
            op.result = "found"

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("run"))
    started.start()
    yield started
    started.stop()


def run(
    service: Service, *command: str, flags: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspector", "run", *flags, "--", *command],
        env={**service.environment, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def tools_of(service: Service, agent: str) -> list[str]:
    sessions = service.get("/sessions")["sessions"]
    return [
        row["name"]
        for one in sessions
        if agent in one["title"]
        for row in service.get(f"/sessions/{one['id']}/spans")["spans"]
        if row["kind"] == "tool"
    ]


def test_a_program_without_a_line_of_ours_appears(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(AGENT.format(name="planner"))
    ended = run(service, sys.executable, str(program))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"inspector: watched at {service.url}: ")
    assert "langchain" in line
    assert tools_of(service, "planner") == ["execute_tool search"]


def test_a_python_process_that_it_starts_appears_without_another_line(
    service: Service, tmp_path: Path
) -> None:
    program = tmp_path / "agent.py"
    program.write_text(AGENT.format(name="worker"))
    code = f"import subprocess, sys; subprocess.check_call([sys.executable, {str(program)!r}])"
    ended = run(service, sys.executable, "-c", code)
    assert len(ended.stderr.splitlines()) == 1
    assert tools_of(service, "worker") == ["execute_tool search"]


def test_a_program_that_attaches_itself_does_so_once_and_says_nothing_of_it(
    service: Service, tmp_path: Path
) -> None:
    (tmp_path / "agent.py").write_text(
        "import inspector\ninspector.attach()\n" + AGENT.format(name="by itself")
    )
    ran = run(service, sys.executable, str(tmp_path / "agent.py"))
    assert ran.returncode == 0
    assert "Traceback" not in ran.stderr
    assert tools_of(service, "by itself") == ["execute_tool search"]


def test_a_program_that_uses_nothing_of_it_loads_next_to_nothing(service: Service) -> None:
    code = (
        "import sys; print([m for m in sys.modules if m.startswith(('opentelemetry', 'mcp', "
        "'langchain', 'instrument', 'subscribers', 'asyncio'))])"
    )
    assert run(service, sys.executable, "-c", code).stdout.strip() == "[]"


def test_the_exit_code_and_the_output_are_the_programs(service: Service) -> None:
    ended = run(service, sys.executable, "-c", "print('out'); raise SystemExit(7)")
    assert (ended.returncode, ended.stdout) == (7, "out\n")


@pytest.mark.skipif(os.name != "posix", reason="the program takes the place of the command")
def test_a_signal_reaches_the_program(service: Service) -> None:
    code = "import os; print(os.getpid(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-m", "inspector", "run", "--", sys.executable, "-c", code],
        env=service.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == process.pid
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == -signal.SIGTERM


def test_a_sitecustomize_of_the_users_runs_as_before(service: Service, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.THEIRS = 1\n")
    ended = run(service, sys.executable, "-c", "print(THEIRS)", PYTHONPATH=str(tmp_path))
    assert ended.stdout.strip() == "1"
    assert ended.stderr.startswith("inspector: watched at ")


def test_without_a_service_the_program_runs_and_one_line_says_so(
    service: Service, tmp_path: Path
) -> None:
    ended = run(
        service, sys.executable, "-c", "print(1)", INSPECTOR_RUNTIME_DIR=str(tmp_path / "none")
    )
    assert (ended.returncode, ended.stdout) == (0, "1\n")
    assert ended.stderr.count("\n") == 1
    assert "inspector serve" in ended.stderr


def test_where_the_inspector_is_missing_one_sentence_says_what_to_do(
    service: Service, tmp_path: Path
) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": bootstrap.__path__[0]}
    venv = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    ended = subprocess.run(
        [str(venv / "bin" / "python"), "-c", "print(1)"],
        env={**environment, "INSPECTOR_RUN_SAYS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "1\n")
    assert ended.stderr.count("\n") == 1
    assert "pip install 'mcp-agent-inspector[otel]'" in ended.stderr


def test_what_cannot_be_run_is_one_sentence(service: Service) -> None:
    ended = run(service, "no-such-program")
    assert (ended.returncode, ended.stderr) == (
        2,
        "inspector: Cannot run 'no-such-program': there is no such program.\n",
    )
    ended = run(service, sys.executable, flags=("--only", "langchian"))
    assert ended.returncode == 2
    assert "langchain" in ended.stderr


def test_frameworks_can_be_switched_off(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(AGENT.format(name="alone"))
    ended = run(service, sys.executable, str(program), INSPECTOR_AUTO_ATTACH="off")
    assert ended.stderr.endswith("hooks and OpenTelemetry\n")
    assert tools_of(service, "alone") == ["execute_tool search"]
