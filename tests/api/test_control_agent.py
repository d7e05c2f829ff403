"""Agents as processes of their own, controlled through a real service."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents.agent_process import AgentProcess
from tests.support.services.control_service import ControlService
from tests.support.services.process import Service, wait_for

DEADLINE_S = 30.0
START = """
import asyncio, logging, os, sys, threading
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
import inspector, instrument
from instrument import Decision
handle = inspector.attach()
inspector.context.set(os.environ["AGENT_SESSION"])

def ask_before(tool, timeout=60.0):
    def gate(**kwargs):
        if kwargs["tool_name"] == tool:
            return Decision.ask_user(f"Run {tool}?", timeout=timeout)
    instrument.intercept("before_tool_call", gate, name="careful")

async def call(tool, body=None, **args):
    async with instrument.operation("tool_call", tool_name=tool, args=args) as op:
        print("runs", op.args)
        if body is not None:
            await body()
    return op.args

def run(work):
    try:
        asyncio.run(work)
    except asyncio.CancelledError as error:
        print("cancelled", error)
    except instrument.HookDenied as error:
        print("denied", error)
"""

MakeAgent = Callable[..., AgentProcess]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Shared: each test has a session of its own."""
    with Service(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def own_service(tmp_path: Path) -> Iterator[Service]:
    """For tests that stop it."""
    (tmp_path / "service").mkdir()
    with Service(tmp_path / "service") as service:
        yield service


@pytest.fixture
def session_id() -> str:
    return f"s-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def make_agent(tmp_path: Path, session_id: str) -> Iterator[MakeAgent]:
    made: list[AgentProcess] = []

    def make(code: str, **environ: str) -> AgentProcess:
        script = tmp_path / f"agent_{len(made)}.py"
        script.write_text(START + code, encoding="utf-8")
        made.append(AgentProcess(script, {"AGENT_SESSION": session_id, **environ}))
        return made[-1]

    yield make
    for agent in made:
        agent.kill()


def at(service: Service) -> dict[str, str]:
    return {"INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token}


def found(service: Service) -> dict[str, str]:
    return {"INSPECTOR_RUNTIME_DIR": str(service.runtime_dir)}


def post(service: Service, path: str, **body: Any) -> dict[str, Any]:
    headers = {**service.headers, "Inspector-Actor": "ANNA"}
    answer = httpx.post(f"{service.url}{path}", json=body, headers=headers, timeout=10)
    answer.raise_for_status()
    result: dict[str, Any] = answer.json()
    return result


def requests(service: Service, session_id: str, status: str = "pending") -> list[dict[str, Any]]:
    found = service.get(f"/requests?status={status}&session_id={session_id}")["requests"]
    return list(found)


def session(service: Service, session_id: str) -> dict[str, Any]:
    sessions = service.get("/sessions")["sessions"]
    return next((one for one in sessions if one["id"] == session_id), {})


def spans_of(service: Service, session_id: str) -> list[dict[str, Any]]:
    return list(service.get(f"/sessions/{session_id}/spans")["spans"])


def answer(service: Service, request: dict[str, Any], decision: str, **more: Any) -> dict[str, Any]:
    body = {"decision": decision, "args_hash": request["args_hash"], **more}
    return post(service, f"/requests/{request['id']}", **body)


@pytest.mark.slow
def test_arguments_are_edited_on_the_way_and_no_others_run(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "ask_before('delete_file')\n"
        "run(call('delete_file', path='/etc', size=9007199254740993, text='x' * 200_000))",
        **at(service),
    )
    (request,) = wait_for(lambda: requests(service, session_id))
    assert (request["session_id"], request["tool_name"]) == (session_id, "delete_file")
    edited = request["args_json"].replace('"/etc"', '"/tmp/x"')
    result = answer(service, request, "allow", args_json=edited)
    assert result["applied"] is True
    line = agent.read_line("runs ")
    assert "'path': '/tmp/x'" in line
    assert "'size': 9007199254740993" in line
    assert agent.wait() == 0
    spans = spans_of(service, session_id)
    assert [span["status"] for span in spans] == ["ok"] or spans[0]["status"] == "unset"


@pytest.mark.slow
def test_a_request_outlives_the_service(
    own_service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent("ask_before('deploy')\nrun(call('deploy'))", **at(own_service))
    (request,) = wait_for(lambda: requests(own_service, session_id))
    own_service.kill()
    own_service.start()
    wait_for(lambda: [one["id"] for one in requests(own_service, session_id)] == [request["id"]])
    answer(own_service, request, "deny", reason="not today")
    assert "not today" in agent.read_line("denied")


@pytest.mark.slow
def test_a_service_that_moves_is_found_by_its_run_file(
    own_service: Service, make_agent: MakeAgent, session_id: str, tmp_path: Path
) -> None:
    agent = make_agent("ask_before('deploy')\nrun(call('deploy'))", **found(own_service))
    (request,) = wait_for(lambda: requests(own_service, session_id))
    own_service.stop()
    (tmp_path / "moved").mkdir()
    other = Service(tmp_path / "moved")
    other.environment["INSPECTOR_RUNTIME_DIR"] = str(own_service.runtime_dir)
    other.start()
    try:
        (again,) = wait_for(lambda: requests(other, session_id))
        assert again["id"] == request["id"]
        answer(other, again, "allow")
        agent.read_line("runs")
    finally:
        other.stop()


@pytest.mark.slow
def test_a_session_is_paused_stepped_and_resumed(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "async def main():\n"
        "    async with instrument.operation('agent_call', agent='a'):\n"
        "        print('ready')\n"
        "        await asyncio.to_thread(sys.stdin.readline)\n"
        "        for n in range(3):\n"
        "            await call(f'tool-{n}')\n"
        "            print('did', n)\n"
        "run(main())",
        **at(service),
    )
    agent.read_line("ready")
    wait_for(lambda: session(service, session_id))
    assert post(service, f"/sessions/{session_id}/pause", reason="wait")["applied"] is True
    agent.write_line("go")

    def running() -> Any:
        spans = spans_of(service, session_id)
        return [span["name"] for span in spans if span["kind"] == "tool"]

    wait_for(lambda: running() == ["execute_tool tool-0"])
    assert session(service, session_id)["status"] == "paused"
    assert post(service, f"/sessions/{session_id}/step")["applied"] is True
    agent.read_line("did 0")
    wait_for(lambda: len(running()) == 2)
    assert not any(line == "did 1" for line in agent.output)
    assert post(service, f"/sessions/{session_id}/resume")["applied"] is True
    agent.read_line("did 2")
    assert agent.wait() == 0

    def waited() -> Any:
        spans = spans_of(service, session_id)
        by_name = {span["name"]: span for span in spans}
        if len(by_name) < 4 or by_name["execute_tool tool-1"]["duration_ns"] is None:
            return None
        return by_name

    spans = wait_for(waited)
    assert spans["execute_tool tool-0"]["wait_ns"] > 0
    assert spans["execute_tool tool-1"]["wait_ns"] > 0
    assert spans["execute_tool tool-2"]["wait_ns"] == 0
    row = spans["execute_tool tool-1"]
    events = service.get(f"/spans/{row['trace_id']}/{row['span_id']}")["events"]
    reasons = [event["attributes"].get("inspector.decision.reason") for event in events]
    assert any(reason and "by ANNA" in reason and "wait" in reason for reason in reasons)


@pytest.mark.slow
def test_a_blocked_loop_is_not_lost_and_cancels_when_it_returns(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "async def main():\n"
        "    async with instrument.operation('agent_call', agent='a'):\n"
        "        print('blocks')\n"
        "        sys.stdin.readline()  # the loop stands still\n"
        "        print('returns')\n"
        "        await asyncio.sleep(60)\n"
        "run(main())",
        **at(service),
    )
    agent.read_line("blocks")
    wait_for(lambda: session(service, session_id))
    assert post(service, f"/sessions/{session_id}/cancel", reason="enough")["applied"] is True
    agent.write_line("go on")
    agent.read_line("returns")
    assert agent.read_line("cancelled") == "cancelled by ANNA (api): enough"
    assert wait_for(lambda: session(service, session_id)["status"] == "cancelled")


@pytest.mark.slow
def test_what_sync_code_asks_cannot_be_allowed_once_its_session_is_cancelled(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "instrument.intercept('before_tool_call', lambda **_: Decision.ask_user('Delete?'))\n"
        "try:\n"
        "    instrument.call_sync('tool_call', lambda op: print('ran'), args={})\n"
        "except instrument.HookDenied as denied:\n"
        "    print('denied', denied)\n",
        **at(service),
    )
    (request,) = wait_for(lambda: requests(service, session_id))

    assert post(service, f"/sessions/{session_id}/cancel", reason="enough")["applied"] is True

    assert agent.read_line("denied") == "cancelled by ANNA (api): enough"
    assert wait_for(lambda: not requests(service, session_id))
    with pytest.raises(httpx.HTTPStatusError, match="409"):
        answer(service, request, "allow")


@pytest.mark.slow
def test_a_forked_child_asks_for_itself(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "ask_before('deploy')\n"
        "import contextvars\n"
        "work = (run, call('deploy', by='parent'))\n"
        "thread = threading.Thread(target=contextvars.copy_context().run, args=work)\n"
        "thread.start()\n"
        "sys.stdin.readline()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    run(call('deploy', by='child'))\n"
        "    handle.detach()\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "thread.join()",
        **at(service),
    )
    (of_parent,) = wait_for(lambda: requests(service, session_id))
    agent.write_line("fork")
    both = wait_for(lambda: [one for one in [requests(service, session_id)] if len(one) == 2])[0]
    (of_child,) = [one for one in both if one["id"] != of_parent["id"]]
    assert of_child["process_id"] != of_parent["process_id"]
    for request in (of_child, of_parent):
        answer(service, request, "allow")
        agent.read_line("runs")
    assert agent.wait() == 0


@pytest.mark.slow
def test_children_that_are_forked_while_many_threads_ask_do_not_hang(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "ask_before('deploy', 0.05)\n"
        "is_over = threading.Event()\n"
        "def denied():\n"
        "    try: asyncio.run(call('deploy'))\n"
        "    except instrument.HookDenied: return\n"
        "def busy():\n"
        "    while not is_over.is_set(): denied()\n"
        "threads = [threading.Thread(target=busy) for _ in range(20)]\n"
        "for thread in threads: thread.start()\n"
        "for n in range(5):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        denied()\n"
        "        handle.detach()\n"
        "        os._exit(7)\n"
        "    print('child', n, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "is_over.set()\n"
        "for thread in threads: thread.join()",
        **at(service),
    )
    for number in range(5):
        assert agent.read_line(f"child {number}") == "7"
    assert agent.wait() == 0


@pytest.mark.slow
def test_a_spawned_child_attaches_and_asks(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "def work():\n"
        "    ask_before('deploy')\n"
        "    run(call('deploy'))\n"
        "if __name__ == '__main__':\n"
        "    import multiprocessing\n"
        "    child = multiprocessing.get_context('spawn').Process(target=work)\n"
        "    child.start()\n"
        "    child.join()\n"
        "    print('joined', child.exitcode)",
        **at(service),
    )
    (request,) = wait_for(lambda: requests(service, session_id))
    answer(service, request, "allow")
    agent.read_line("runs")
    assert agent.read_line("joined") == "0"


def test_what_closes_at_the_end_arrives_with_its_span(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent("ask_before('deploy', 0.2)\nrun(call('deploy'))", **at(service))
    assert "nobody answered" in agent.read_line("denied")
    assert agent.wait() == 0
    (request,) = requests(service, session_id, "expired")
    (span,) = wait_for(lambda: spans_of(service, session_id))
    assert span["duration_ns"] is not None
    assert request["span_id"] == span["span_id"]


@pytest.mark.slow
def test_a_process_that_dies_loses_its_requests(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent("ask_before('deploy')\nrun(call('deploy'))", **at(service))
    wait_for(lambda: requests(service, session_id))
    agent.kill()
    (request,) = wait_for(lambda: requests(service, session_id, "lost"))
    assert request["tool_name"] == "deploy"


def test_without_control_nobody_gets_a_request(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "print('threads', sorted(t.name for t in threading.enumerate()))\n"
        "ask_before('deploy')\nrun(call('deploy'))",
        **at(service),
        INSPECTOR_CONTROL="off",
    )
    assert agent.read_line("threads") == "['MainThread', 'inspector-delivery']"
    assert "no approval provider" in agent.read_line("denied")


@pytest.mark.slow
def test_a_service_that_never_answers_does_not_keep_the_agent_from_ending(
    make_agent: MakeAgent,
    session_id: str,
) -> None:
    service = ControlService()
    stop = threading.Event()

    def never_answer(_: object) -> None:
        stop.wait(DEADLINE_S)

    service.misbehave["messages"] = never_answer
    agent = make_agent(
        "ask_before('deploy', 0.2)\nrun(call('deploy'))",
        INSPECTOR_URL=service.url,
        INSPECTOR_TOKEN="tok",
    )
    agent.read_line("denied")
    assert agent.wait() == 0
    stop.set()
    service.close()


@pytest.mark.slow
def test_a_waiting_operation_goes_on_when_the_agent_detaches(
    service: Service, make_agent: MakeAgent, session_id: str
) -> None:
    agent = make_agent(
        "async def main():\n"
        "    async with instrument.operation('agent_call', agent='a'):\n"
        "        print('ready')\n"
        "        await asyncio.to_thread(sys.stdin.readline)\n"
        "        task = asyncio.create_task(call('tool'))\n"
        "        await asyncio.to_thread(sys.stdin.readline)\n"
        "        await asyncio.to_thread(handle.detach)\n"
        "        await task\n"
        "run(main())",
        **at(service),
    )
    agent.read_line("ready")
    wait_for(lambda: session(service, session_id))
    assert post(service, f"/sessions/{session_id}/pause")["applied"] is True
    agent.write_line("begin")
    wait_for(lambda: len(spans_of(service, session_id)) == 2)
    agent.write_line("detach")
    agent.read_line("runs")
    assert agent.wait() == 0
