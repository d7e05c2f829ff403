"""`inspector run`: unchanged programs, as a user starts them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import _mcp_agent_inspector
from inspector.agent_side import bootstrap
from tests.support.services.process import Service

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
    with Service(tmp_path_factory.mktemp("run")) as started:
        yield started


INSTALLED = Path(sys.executable).with_name("inspector")


def run(
    service: Service,
    *command: str,
    flags: tuple[str, ...] = (),
    cwd: Path | None = None,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run a command, or a Python file, as the installed script does."""
    dashes = [] if command[0].endswith(".py") or "-m" in flags else ["--"]
    return subprocess.run(
        [str(INSTALLED), "run", *flags, *dashes, *command],
        cwd=cwd,
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
    assert ended.stderr.splitlines() == [
        f"inspector: sending telemetry to {service.url}",
        "inspector: watching hooks",
    ]
    assert tools_of(service, "planner") == ["execute_tool search"]


@pytest.mark.slow
def test_a_program_whose_functions_are_decorated_needs_no_line_that_attaches(
    service: Service, tmp_path: Path
) -> None:
    program = tmp_path / "agent.py"
    program.write_text(
        "import inspector\n"
        "@inspector.tool\n"
        "def add(a, b): return a + b\n"
        "with inspector.session('decorated', title='decorated'): print(add(1, 2))\n"
    )
    ended = run(service, sys.executable, str(program))
    assert (ended.returncode, ended.stdout) == (0, "3\n"), ended.stderr
    assert ended.stderr.splitlines()[1:] == ["inspector: watching decorated functions"]
    assert tools_of(service, "decorated") == ["execute_tool add"]


@pytest.mark.slow
def test_a_python_process_that_it_starts_appears_without_another_line(
    service: Service, tmp_path: Path
) -> None:
    program = tmp_path / "agent.py"
    program.write_text(AGENT.format(name="worker"))
    code = f"import subprocess, sys; subprocess.check_call([sys.executable, {str(program)!r}])"
    ended = run(service, sys.executable, "-c", code)
    assert "watches" not in ended.stderr, "only of the program itself"
    assert tools_of(service, "worker") == ["execute_tool search"]


@pytest.mark.slow
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
    assert ended.stderr.startswith("inspector: sending telemetry to ")


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
        env={**environment, "INSPECTOR_RUN_REPORTS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "1\n")
    assert ended.stderr.count("\n") == 1
    assert "pip install 'mcp-agent-inspector[otel]'" in ended.stderr


@pytest.mark.slow
def test_a_framework_is_named_when_it_is_watched(service: Service, tmp_path: Path) -> None:
    ended = run(service, sys.executable, "-c", "import langchain_core.tools")
    lines = ended.stderr.splitlines()[1:]
    assert lines[0].startswith("inspector: watching langchain 1.")
    assert lines[1].startswith("inspector: no spans were sent to ")
    assert len(lines) == 2


QUIET = """
import contextlib, io

said = io.StringIO()
with contextlib.redirect_stderr(said):
    import instrument
print(repr(said.getvalue()))
"""
FORKED = """
import os

if pid := os.fork():
    os.waitpid(pid, 0)
else:
    from instrument import operation

    with operation("tool_call", tool_name="x", args={}):
        pass
"""


EXPORTING = """
import os
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

provider = TracerProvider()
exporter = OTLPSpanExporter(endpoint=os.environ["INSPECTOR_URL"] + "/v1/traces")
provider.add_span_processor(SimpleSpanProcessor(exporter))
with provider.get_tracer("own").start_as_current_span("mine"):
    pass
"""


@pytest.mark.slow
def test_our_messages_are_no_output_of_the_program(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(QUIET)
    assert run(service, str(program)).stdout == "''\n"
    closed = f'exec "{INSTALLED}" run "{program}" 2>&-'
    ended = subprocess.run(
        ["/bin/sh", "-c", closed], env=service.environment, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, b"''\n")


@pytest.mark.slow
def test_programs_that_it_starts_may_have_sent_what_it_did_not(
    service: Service, tmp_path: Path
) -> None:
    program = tmp_path / "agent.py"
    program.write_text("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'pass'])\n")
    *_, last = run(service, str(program)).stderr.splitlines()
    assert last.startswith(f"inspector: no spans were sent to {service.url} by this process itself")


@pytest.mark.slow
def test_what_a_program_forks_says_nothing(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(FORKED)
    (line,) = run(service, str(program)).stderr.splitlines()
    assert line.startswith("inspector: sending telemetry to ")


@pytest.mark.slow
def test_the_command_line_is_no_program_that_could_not_be_watched(service: Service) -> None:
    for command in ((sys.executable, "-m", "inspector"), (str(INSTALLED),)):
        ended = run(service, *command, "--version")
        assert ended.stdout.startswith("mcp-agent-inspector ")
        assert "no span" not in ended.stderr


@pytest.mark.slow
def test_where_nothing_can_be_attached_one_sentence_says_why(
    service: Service, tmp_path: Path
) -> None:
    program = tmp_path / "agent.py"
    program.write_text("import instrument")
    for ended, why in (
        (run(service, str(program), INSPECTOR_URL="127.0.0.1:7800"), "127.0.0.1:7800"),
        (run(service, str(program), OTEL_SDK_DISABLED="true"), "OTEL_SDK_DISABLED"),
    ):
        (lines,) = [one for one in ended.stderr.splitlines() if one.startswith("inspector: ")]
        assert why in lines
        assert "nothing is watched" in lines


@pytest.mark.slow
def test_what_could_not_be_watched_is_reported_at_the_end(service: Service, tmp_path: Path) -> None:
    ended = run(service, sys.executable, "-c", "pass")
    assert "imports no supported framework (mcp, " in ended.stderr
    ended = run(service, "-c", "import instrument")
    assert ended.stderr.endswith(": hooks reported nothing, or the service did not respond.\n")


@pytest.mark.slow
def test_spans_that_the_service_did_not_receive_are_reported_once(service: Service) -> None:
    reporting = (
        "from instrument import operation\nwith operation('agent_run', agent_name='a'): pass"
    )
    ended = run(
        service,
        "-c",
        reporting,
        INSPECTOR_URL="http://127.0.0.1:1",
        INSPECTOR_EXIT_TIMEOUT_S="0.1",
    )
    *_, last = ended.stderr.splitlines()
    assert "did not receive" in last


@pytest.mark.slow
def test_of_a_program_that_exports_its_spans_itself_nobody_claims_that_none_were_sent(
    service: Service,
) -> None:
    ended = run(service, sys.executable, "-c", EXPORTING, INSPECTOR_URL=service.url)
    assert [one["title"] for one in service.get("/sessions")["sessions"]].count("mine") == 1
    (line,) = ended.stderr.splitlines()[2:]
    assert "an exporter of its own" in line
    assert "no spans were sent" not in line


def test_a_module_is_run_as_python_runs_it(service: Service, tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "__main__.py").write_text("import sys; print(__package__, sys.argv[1:])")
    ended = run(service, "agent", "--only", cwd=tmp_path, flags=("-m",))
    assert ended.stdout == "agent ['--only']\n"


@pytest.mark.slow
def test_our_subscribers_may_be_what_a_program_imports_first(service: Service) -> None:
    code = (
        "import subscribers\n"
        "from instrument import operation\n"
        "with operation('agent_call', agent='shaped'):\n"
        "  with operation('tool_call', tool_name='shape', args={}): pass\n"
    )
    ended = run(service, sys.executable, "-c", code)
    assert "Traceback" not in ended.stderr, ended.stderr
    assert tools_of(service, "shaped") == ["execute_tool shape"]


@pytest.mark.slow
def test_a_copy_of_ours_that_the_program_has_is_the_one_that_is_watched(
    service: Service, tmp_path: Path
) -> None:
    ours, copy = Path(_mcp_agent_inspector.ROOT), tmp_path / "site-packages"
    for name in _mcp_agent_inspector.OURS:
        without_pages = shutil.ignore_patterns("static", "__pycache__")
        shutil.copytree(ours / name, copy / name, ignore=without_pages)
    shutil.copy(_mcp_agent_inspector.__file__, copy)
    program = tmp_path / "agent.py"
    program.write_text(
        "import instrument, inspector\n"
        "inspector.attach()\n"
        f"assert instrument.__file__.startswith({str(copy)!r})\n" + AGENT.format(name="copied")
    )
    start = f'PYTHONPATH="$PYTHONPATH:{copy}" exec {sys.executable} {program}'
    ended = run(service, "sh", "-c", start)
    assert ended.returncode == 0, ended.stderr
    assert tools_of(service, "copied") == ["execute_tool search"]


OF_ITS_OWN = """
import os, pickle, sys
from multiprocessing import get_context
from langchain_core.tools import tool

if os.environ.get("LATE"):
    sys.path.insert(0, os.environ["LATE"])
import inspector, instrument, subscribers
import inspector.part

@tool
def search(q: str) -> str:
    "Search."
    return instrument.NAME

OURS = ("inspector", "instrument", "subscribers")

def main():
    assert search.invoke({"q": "x"}) == "instrument"
    for module in (inspector, instrument, subscribers):
        assert module.NAME == module.__name__
    named = [name for name in sys.modules if name.startswith(("ins", "sub"))]
    named = {name for name in named if name.partition(".")[0] in OURS}
    assert named == {*OURS, "inspector.part"}, named
    thing = inspector.part.Thing()
    assert type(pickle.loads(pickle.dumps(thing))) is inspector.part.Thing
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(inspector.part.name, ()) == "inspector"
    print("as without us")

if __name__ == "__main__":
    main()
"""


def have_modules_by_our_names(directory: Path) -> Path:
    (directory / "inspector").mkdir(parents=True)
    (directory / "inspector" / "__init__.py").write_text("NAME = 'inspector'")
    (directory / "inspector" / "part.py").write_text(
        "import inspector\nclass Thing: pass\ndef name(): return inspector.NAME"
    )
    for name in ("instrument", "subscribers"):
        (directory / f"{name}.py").write_text(f"NAME = {name!r}")
    return directory


@pytest.mark.slow
@pytest.mark.parametrize(
    "where",
    [
        "beside",
        pytest.param("on PYTHONPATH", marks=pytest.mark.slow),
        pytest.param("later", marks=pytest.mark.slow),
    ],
)
def test_modules_of_the_programs_own_by_our_names_are_its_own(
    service: Service, tmp_path: Path, where: str
) -> None:
    program = tmp_path / "program"
    own = have_modules_by_our_names(program if where == "beside" else tmp_path / "lib")
    program.mkdir(exist_ok=True)
    (program / "agent.py").write_text(OF_ITS_OWN)
    more = {"on PYTHONPATH": {"PYTHONPATH": str(own)}, "later": {"LATE": str(own)}}.get(where, {})
    before = tools_of(service, "search")
    ended = run(service, "agent.py", flags=(), cwd=program, **more)
    assert (ended.returncode, ended.stdout) == (0, "as without us\n"), ended.stderr
    assert tools_of(service, "search") == [*before, "execute_tool search"]
    assert not (program / "__pycache__" / "sitecustomize").exists()


@pytest.mark.slow
def test_the_hook_bus_that_a_program_imports_late_is_the_one_that_is_watched(
    service: Service,
) -> None:
    code = (
        "import langchain_core.tools, instrument, inspector.context\n"
        "inspector.context.set('late')\n"
        "with instrument.operation('agent_call', agent='late'):\n"
        "  with instrument.operation('tool_call', tool_name='late'): pass\n"
        "assert inspector.attach().is_attached\n"
    )
    ended = run(service, sys.executable, "-c", code)
    assert ended.returncode == 0, ended.stderr
    assert tools_of(service, "late") == ["execute_tool late"]
    assert "late" in [one["id"] for one in service.get("/sessions")["sessions"]]


@pytest.mark.slow
def test_attaching_leaves_modules_of_the_programs_own_alone(
    service: Service, tmp_path: Path
) -> None:
    for name in ("instrument", "subscribers"):
        (tmp_path / f"{name}.py").write_text(f"NAME = {name!r}")
    (tmp_path / "agent.py").write_text(
        "import inspector\nfrom inspector import context\n"
        "from langchain_core.tools import tool\n"
        "@tool\n"
        "def look(q: str) -> str:\n  'Look.'\n  return q\n"
        "handle = inspector.attach()\n"
        "context.set('beside')\n"
        "import instrument, subscribers\n"
        "assert (instrument.NAME, subscribers.NAME) == ('instrument', 'subscribers')\n"
        "look.invoke({'q': 'x'})\n"
        "print(handle)\n"
    )
    ended = subprocess.run(
        [sys.executable, "agent.py"],
        cwd=tmp_path,
        env=service.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stdout == f"<inspector: attached to {service.url}>\n", ended.stderr
    assert service.get("/sessions/beside/spans")["spans"][0]["name"] == "execute_tool look"


def test_what_cannot_be_run_is_one_sentence(service: Service) -> None:
    ended = run(service, "no-such-program")
    assert (ended.returncode, ended.stderr) == (
        2,
        "inspector: Cannot run 'no-such-program': no such file or program.\n",
    )
    ended = run(service, sys.executable, flags=("--only", "langchian"))
    assert ended.returncode == 2
    assert "langchain" in ended.stderr
    ended = run(service, sys.executable, flags=("--url", "foo"))
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "--url foo" in ended.stderr


@pytest.mark.slow
def test_frameworks_can_be_switched_off(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(AGENT.format(name="alone"))
    ended = run(service, sys.executable, str(program), INSPECTOR_AUTO_ATTACH="off")
    assert ended.stderr.endswith("inspector: watching hooks\n")
    assert tools_of(service, "alone") == ["execute_tool search"]


@pytest.mark.slow
@pytest.mark.parametrize("command", [["demo"], ["mcp"]])
def test_without_the_mcp_library_one_line_says_what_to_install(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('No mcp', name='mcp')")
    ended = subprocess.run(
        [Path(sys.executable).with_name("inspector"), *command],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr == (
        "inspector: This needs the MCP library, 2 or later. "
        "Run: pip install 'mcp-agent-inspector[serve,mcp]'\n"
    )
