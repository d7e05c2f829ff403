"""`inspector run`: what is a session where the program names none."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_run import run
from tests.support.services.model_provider import ModelProvider
from tests.support.services.process import Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("run")) as started:
        yield started


def sessions_of(service: Service, name: str) -> list[dict[str, Any]]:
    found = service.get("/sessions")["sessions"]
    return [one for one in found if name in one["services"]]


CLIENT = """
import openai

client = openai.OpenAI()
for question in ("Who are you?", "And who am I?"):
    ask = [{"role": "user", "content": question}]
    print(client.chat.completions.create(model="scripted-1", messages=ask).choices[0].finish_reason)
"""


@pytest.mark.slow
def test_two_model_calls_of_a_script_are_one_session(service: Service, tmp_path: Path) -> None:
    for name, flags, count in (("one", (), 1), ("each", ("--session", "per-trace"), 2)):
        program = tmp_path / f"{name}.py"
        program.write_text(CLIENT)
        with ModelProvider() as provider:
            ended = run(service, str(program), flags=flags, cwd=None, **provider.environment)
        assert ended.returncode == 0, ended.stderr
        found = sessions_of(service, name)
        assert sum(one["llm_calls"] for one in found) == 2
        assert len(found) == count
    (one,) = sessions_of(service, "one")
    assert one["title"] == "Who are you?"
    assert one["id"].startswith("run-")


ENDINGS = """
import sys
import inspector

@inspector.tool
def look(name: str) -> None:
    if name == "missing":
        raise LookupError(name)

for name in sys.argv[2:]:
    try:
        look(name)
    except LookupError:
        if sys.argv[1] == "dies":
            raise
        if sys.argv[1] == "is stopped":
            raise KeyboardInterrupt
"""


@pytest.mark.parametrize(
    ("way", "names", "status"),
    [
        ("handles", ("there", "missing"), "completed"),
        ("dies", ("there", "missing"), "failed"),
        pytest.param("handles", ("missing",), "failed", marks=pytest.mark.slow),  # the only one
        pytest.param("is stopped", ("there", "missing"), "cancelled", marks=pytest.mark.slow),
    ],
)
def test_a_script_of_several_traces_ends_as_it_does_itself(
    service: Service, tmp_path: Path, way: str, names: tuple[str, ...], status: str
) -> None:
    program = tmp_path / f"{way}{len(names)}.py"
    program.write_text(ENDINGS)
    run(service, str(program), way, *names, cwd=None)
    (session,) = sessions_of(service, program.stem)
    assert (session["span_count"], session["error_count"]) == (len(names), 1)
    assert session["status"] == status


CHILDREN = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor

import inspector

@inspector.tool
def square(number: int) -> int:
    return number * number

def run(method: str) -> None:
    context = multiprocessing.get_context(method)
    process = context.Process(target=square, args=(2,))
    process.start()
    process.join()
    with context.Pool(2) as pool:  # it kills its workers once it has the results
        assert pool.map(square, range(4)) == [0, 1, 4, 9]
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        assert list(executor.map(square, range(3))) == [0, 1, 4]

if __name__ == "__main__":
    (inspector.workflow(run) if "within" in sys.argv else run)(sys.argv[1])
"""


@pytest.mark.parametrize(
    ("method", "own", "spans"),
    [
        ("fork", "within", 9),
        pytest.param("fork", "", 8, marks=pytest.mark.slow),
        pytest.param("spawn", "within", 9, marks=pytest.mark.slow),
        pytest.param("spawn", "", 8, marks=pytest.mark.slow),
        pytest.param("forkserver", "", 8, marks=pytest.mark.slow),
    ],
)
def test_what_a_script_does_in_processes_of_multiprocessing_is_complete_and_one_session(
    service: Service, tmp_path: Path, method: str, own: str, spans: int
) -> None:
    program = tmp_path / f"{method}{own}.py"
    program.write_text(CHILDREN)
    ended = run(service, str(program), method, own, cwd=None)
    assert ended.returncode == 0, ended.stderr
    assert "no spans were sent" not in ended.stderr
    (session,) = sessions_of(service, program.stem)
    assert (session["span_count"], session["status"]) == (spans, "completed")
    rows = service.get(f"/sessions/{session['id']}/spans")["spans"]
    ends = {one["name"]: one["offset_ns"] + one["duration_ns"] for one in rows}
    assert max(ends, key=lambda name: ends[name]) == rows[0]["name"], "the parent ends its own"


SERVER = """
import threading, time, urllib.request, instrument, uvicorn

async def app(scope, receive, send):
    assert scope["type"] == "http"
    with instrument.operation("tool_call", tool_name=scope["path"], args={}):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})

def ask():
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    for path in ("a", "b"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}").read()
    server.should_exit = True

server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
threading.Thread(target=ask).start()
server.run()
"""


@pytest.mark.slow
def test_a_process_that_serves_has_a_session_a_request(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(SERVER)
    ended = run(service, str(program))
    assert ended.returncode == 0, ended.stderr
    titles = {one["title"] for one in sessions_of(service, "server")}
    assert titles == {"execute_tool /a", "execute_tool /b"}


NAMED = """
import inspector, instrument

def call(name, **about):
    with instrument.operation("tool_call", tool_name=name, args={}):
        pass

call("first")
with inspector.session("chat-7"):
    call("second")
call("third")
"""


@pytest.mark.slow
def test_an_id_of_the_programs_own_wins(service: Service, tmp_path: Path) -> None:
    program = tmp_path / "named.py"
    program.write_text(NAMED)
    ended = run(service, str(program))
    assert ended.returncode == 0, ended.stderr
    found = {
        one["id"].partition("-")[0]: one["span_count"] for one in sessions_of(service, "named")
    }
    assert found == {"run": 2, "chat": 1}


@pytest.mark.parametrize(
    ("flag", "value", "message"),
    [
        ("--session", "per-day", "--session per-day: use per-process or per-trace."),
        ("--capture", "offf", "--capture offf: use full, redacted or off."),
    ],
)
def test_a_mode_that_there_is_not_is_one_sentence_and_nothing_runs(
    service: Service, flag: str, value: str, message: str
) -> None:
    ended = run(service, sys.executable, "-c", "print('ran')", flags=(flag, value))
    assert ended.returncode == 2
    assert message in ended.stderr
    assert "ran" not in ended.stdout
