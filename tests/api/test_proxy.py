"""`inspector proxy`: it passes everything on, and its messages are in the log."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, TextContent

from inspector.proxy import command
from tests.support.services.process import Service, free_port, wait_for

ECHO = [sys.executable, str(Path(__file__).with_name("echo_program.py"))]
SERVERS = Path(__file__).resolve().parents[1] / "support" / "services" / "mcp_servers.py"
PROXY = [sys.executable, "-m", "inspector", "proxy"]
DEADLINE_S = 60

Environment = dict[str, str]


@pytest.fixture
def alone(tmp_path: Path) -> Environment:
    """An environment in which no service runs."""
    neutral = {name: value for name, value in os.environ.items() if "INSPECTOR" not in name}
    return {**neutral, "INSPECTOR_RUNTIME_DIR": str(tmp_path)}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("proxy")) as running:
        yield running


@pytest.fixture
def watched(alone: Environment, service: Service) -> Environment:
    return {**alone, "INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token}


_started: list[subprocess.Popen[bytes]] = []


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """End the processes and pipes of a test that fails."""
    yield
    while _started:
        with _started.pop() as process:
            process.kill()


def start(command: list[str], env: Environment, *flags: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [*PROXY, *flags, "--", *command],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    _started.append(process)
    return process


def ended(process: subprocess.Popen[bytes], stdin: bytes = b"") -> tuple[bytes, bytes, int]:
    out, err = process.communicate(stdin, timeout=DEADLINE_S)
    return out, err, process.returncode


def read(stream: Any, size: int) -> bytes:
    parts = b""
    while len(parts) < size and (part := stream.read(size - len(parts))):
        parts += part
    return parts


def entries(service: Service, title: str) -> list[dict[str, Any]]:
    """Return the lines of the MCP log of the only session whose title begins so."""
    (session,) = [
        one
        for one in service.get("/sessions")["sessions"]
        if (one["title"] or "").startswith(title)
    ]
    found: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        query = f"?cursor={cursor}" if cursor else ""
        page = service.get(f"/sessions/{session['id']}/mcp{query}")
        found += page["entries"]
        cursor = page["next_cursor"]
    return found


def test_random_bytes_in_random_pieces_pass_unchanged_both_ways(alone: Environment) -> None:
    process = start(ECHO, alone)
    assert process.stdin is not None

    @given(st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=8))
    def passes(pieces: list[bytes]) -> None:
        assert process.stdin is not None
        for piece in pieces:
            process.stdin.write(piece)
        whole = b"".join(pieces)
        assert read(process.stdout, len(whole)) == whole

    passes()
    assert ended(process) == (b"", b"echo\n", 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "message",
    [
        b'{"jsonrpc": "2.0", "id": 1, "result": "' + b"x" * 10_000_000 + b'"}\n',
        pytest.param(os.urandom(3_000_000), marks=pytest.mark.slow),
        b"no json\n\n\r\n\xff\xfe{\n",
        b'{"half": "a line',
        b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]\n',
        b"[" * 100_000 + b"\n",
        b"",
    ],
    ids=["ten megabytes", "binary", "no json", "half a line", "batch", "deep", "nothing"],
)
def test_any_bytes_pass_with_a_service_too(watched: Environment, message: bytes) -> None:
    assert ended(start([*ECHO, "7"], watched), message) == (message, b"echo\n", 7)


def test_a_piece_passes_before_its_line_ends(alone: Environment) -> None:
    process = start(ECHO, alone)
    assert process.stdin is not None
    process.stdin.write(b'{"jsonrpc"')
    assert read(process.stdout, 10) == b'{"jsonrpc"'
    assert ended(process)[2] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP])
def test_signals_reach_the_server_and_its_end_is_ours(
    alone: Environment, number: signal.Signals
) -> None:
    process = start(ECHO, alone)
    assert read(process.stderr, 5) == b"echo\n"
    process.send_signal(number)
    process.wait(DEADLINE_S)  # its input is still open: nothing but the signal ends it
    _, err, code = ended(process)
    # A Python program answers SIGINT by an exception, and dies of it by the same signal.
    assert code == -number
    assert (b"KeyboardInterrupt" in err) == (number is signal.SIGINT)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it sees its streams close")
def test_a_server_does_not_outlive_a_proxy_that_was_killed(alone: Environment) -> None:
    program = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(600)"
    process = start([sys.executable, "-c", program], alone)
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    process.kill()
    process.communicate()
    wait_for(lambda: not is_alive(pid), deadline_s=DEADLINE_S)


def test_what_a_child_left_behind_holds_does_not_hold_us(alone: Environment) -> None:
    program = "import subprocess, sys; subprocess.Popen(['sleep', '600']); print('done')"
    process = subprocess.Popen(
        [*PROXY, "--", sys.executable, "-c", program], env=alone, stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"done\n"
        assert process.wait(DEADLINE_S) == 0
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # the sleeper
        process.communicate()


def test_a_server_that_closes_its_output_early_is_seen_to(alone: Environment) -> None:
    program = "import os, sys; os.write(1, b'bye'); os.close(1); sys.stdin.read()"
    process = start([sys.executable, "-c", program], alone)
    assert process.stdout is not None
    assert process.stdout.read() == b"bye"
    assert process.poll() is None
    assert ended(process)[2] == 0


@pytest.mark.slow
def test_a_host_that_no_longer_reads_ends_the_server(alone: Environment) -> None:
    process = start(["yes"], alone)
    assert read(process.stdout, 2) == b"y\n"
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(DEADLINE_S) == -signal.SIGPIPE
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.close()
    process.stderr.close()


@pytest.mark.parametrize(("command", "code"), [("/no/such/server", 127), ("/etc/passwd", 126)])
def test_a_command_that_cannot_be_started_is_reported(
    alone: Environment, command: str, code: int
) -> None:
    out, err, returned = ended(start([command], alone))
    assert (out, returned) == (b"", code)
    assert err.startswith(f"inspector proxy: Cannot start '{command}': ".encode())


def test_where_there_is_no_posix_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "name", "nt")
        code = command.main(["--", *ECHO])
    message = capsys.readouterr()
    assert (code, message.out) == (2, "")
    assert message.err.startswith("inspector proxy: Unsupported platform: it needs POSIX")
    assert message.err.count("\n") == 1


def test_arguments_that_are_none_are_refused(alone: Environment) -> None:
    for flags in (["--naem", "x"], []):
        answer = subprocess.run([*PROXY, *flags], env=alone, capture_output=True, check=False)
        assert answer.returncode == 2
        assert b"Usage: inspector proxy" in answer.stderr


@pytest.mark.slow
def test_with_a_dead_service_it_is_only_a_pipe(alone: Environment) -> None:
    env = {**alone, "INSPECTOR_URL": f"http://127.0.0.1:{free_port()}"}
    message = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 2_000
    assert ended(start(ECHO, env), message) == (message, b"echo\n", 0)


@pytest.mark.slow
def test_with_a_service_that_hangs_it_is_only_a_pipe(alone: Environment) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        env = {**alone, "INSPECTOR_URL": f"http://127.0.0.1:{deaf.getsockname()[1]}"}
        process = start(ECHO, env)
        assert process.stdin is not None
        for number in range(300):
            message = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % number
            process.stdin.write(message)
            assert read(process.stdout, len(message)) == message
        assert ended(process) == (b"", b"echo\n", 0)


def test_without_the_extra_it_is_only_a_pipe(alone: Environment, tmp_path: Path) -> None:
    blocked = tmp_path / "opentelemetry"
    blocked.mkdir()
    (blocked / "__init__.py").write_text(
        "raise ModuleNotFoundError('No module', name='opentelemetry')"
    )
    env = {**alone, "PYTHONPATH": str(tmp_path), "INSPECTOR_URL": "http://127.0.0.1:9"}
    assert ended(start(ECHO, env), b"{}\n") == (b"{}\n", b"echo\n", 0)


async def accept(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"channel": "beta"})


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["modern", pytest.param("legacy", marks=pytest.mark.slow)])
async def test_a_real_host_and_a_real_server_are_seen(
    watched: Environment, service: Service, kind: str
) -> None:
    server = [sys.executable, "-P", str(SERVERS), kind]
    parameters = StdioServerParameters(
        command=PROXY[0], args=[*PROXY[1:], "--name", f"host-{kind}", "--", *server], env=watched
    )
    tool = "publish" if kind == "modern" else "confirm"
    mode = "auto" if kind == "modern" else "legacy"
    async with Client(parameters, mode=mode, elicitation_callback=accept) as client:
        result = await client.call_tool(tool, {})
    assert isinstance(result.content[0], TextContent)
    wait_for(lambda: is_over(service, f"host-{kind}"), deadline_s=DEADLINE_S)
    log = entries(service, f"host-{kind}")
    calls = [one for one in log if one["method"] == "tools/call" and one["type"] == "request"]
    assert [one["target"] for one in calls] == [tool] * (2 if kind == "modern" else 1)
    assert {one["server"] for one in calls} == {f"host-{kind}"}
    responses = [one for one in log if one["method"] == "tools/call" and one["type"] == "response"]
    assert json.loads(responses[-1]["text"])["result"]["structuredContent"]
    assert {one["state"] for one in log if one["type"] == "transport"} == {
        "connected",
        "disconnected",
    }
    if kind == "legacy":
        questions = [one for one in log if one["method"] == "elicitation/create"]
        assert [one["direction"] for one in questions] == ["to_client", "to_server"]


def sessions_of(service: Service, title: str) -> list[dict[str, Any]]:
    sessions = service.get("/sessions")["sessions"]
    return [one for one in sessions if (one["title"] or "").startswith(title)]


def is_over(service: Service, title: str) -> bool:
    found = sessions_of(service, title)
    return bool(found) and found[0]["status"] in ("completed", "failed")


@pytest.mark.slow
def test_what_is_no_message_and_what_goes_wrong_is_seen(
    watched: Environment, service: Service
) -> None:
    program = (
        "import os, sys; print('debug: left in', flush=True); os.write(2, b'warned \\xe2');"
        "sys.stdin.readline(); os.write(2, b'\\x9c\\x93\\n'); sys.exit(3)"
    )
    process = start([sys.executable, "-c", program], watched, "--name", "noisy")
    first = read(process.stderr, 8)
    # Attached before the end, which waits a second at most for what is to be sent.
    wait_for(lambda: sessions_of(service, "noisy"), deadline_s=DEADLINE_S)
    message = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cut"}}\n'
    out, rest, code = ended(process, message)
    assert (out, first + rest, code) == (b"debug: left in\n", "warned ✓\n".encode(), 3)
    wait_for(lambda: is_over(service, "noisy"), deadline_s=DEADLINE_S)

    def begins_at_zero() -> bool:  # once the span of the whole has come
        return not any(one["offset_ns"] < 0 for one in entries(service, "noisy"))

    wait_for(begins_at_zero, deadline_s=DEADLINE_S)
    log = entries(service, "noisy")
    assert {one["server"] for one in log} == {"noisy"}
    written = {one["text"] for one in log if one["type"] == "stderr"}
    assert written == {"not a message, on stdout: debug: left in", "warned ", "✓\n"}
    (response,) = [one for one in log if one["type"] == "response"]
    assert (response["target"], response["fault"]["kind"]) == ("cut", "failed")

    ended(start(["/no/such/server"], watched, "--name", "absent"))
    wait_for(lambda: is_over(service, "absent"), deadline_s=DEADLINE_S)
    (failed,) = [one for one in entries(service, "absent") if one["type"] == "transport"]
    assert (failed["state"], failed["step"]) == ("failed", "spawn")


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_server_from_elsewhere_is_called_what_it_calls_itself(
    watched: Environment, service: Service, tmp_path: Path
) -> None:
    (repository := tmp_path / "here").mkdir()
    await anyio.run_process(["git", "init", "-q", str(repository)])
    program = Path(sys.executable).with_name("mcp-server-git")
    server = ["--", str(program), "--repository", str(repository)]
    parameters = StdioServerParameters(command=PROXY[0], args=[*PROXY[1:], *server], env=watched)
    async with Client(parameters) as client:
        result = await client.call_tool("git_status", {"repo_path": str(repository)})
    assert not result.is_error
    wait_for(lambda: is_over(service, "mcp-git"), deadline_s=DEADLINE_S)
    calls = [one for one in entries(service, "mcp-git") if one["method"] == "tools/call"]
    assert {(one["target"], one["server"]) for one in calls} == {("git_status", "mcp-git")}
