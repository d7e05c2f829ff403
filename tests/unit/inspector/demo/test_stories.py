"""The stories of the demo, run with real MCP servers over stdio."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.types import ElicitResult

from inspector.demo.connection import RunContext
from inspector.demo.servers import ServerSpec, connect_all, servers_for
from inspector.demo.stories import STORIES
from instrument import ApprovalAnswer, ApprovalRequest
from tests.unit.inspector.demo.recording import SPEED, Recording, record_story, recorded

NAMES = sorted(STORIES)


def _script_of(recording: Recording) -> Counter[str]:
    """Return messages, calls and answers, without ids, times and the order of parallel work."""
    script: Counter[str] = Counter()
    for call in recording.of("after_tool_call"):
        script[f"{call['tool_name']} {call['args']} {call['result'].get('content')}"] += 1
    for call in recording.of("after_llm_generate"):
        script[f"{call['model']} {call['response']['choices']} {call['usage']}"] += 1
    for pause in recording.of("session_resumed"):
        script[f"{pause['payload']}"] += 1
    script[recording.answer] += 1
    return script


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_operation_that_opens_is_closed_once(name: str) -> None:
    recording = recorded(name)

    opened = [event["call_id"] for event in recording.of("operation_opened")]
    closed = [event["call_id"] for event in recording.of("operation_closed")]
    assert sorted(opened) == sorted(closed)
    assert len(opened) == len(set(opened)) > 30


@pytest.mark.parametrize("name", NAMES)
def test_a_story_shows_nesting_streaming_a_failure_and_a_person(name: str) -> None:
    recording = recorded(name)

    assert len(recording.of("before_agent_call")) == 3
    streamed = [
        event["stream"].chunk_count
        for event in recording.of("operation_closed")
        if event["noun"] == "llm_generate"
    ]
    assert min(streamed) > 1
    failed = [call for call in recording.of("after_tool_call") if call["result"].get("isError")]
    assert failed
    [paused], [resumed] = recording.of("session_paused"), recording.of("session_resumed")
    assert paused["prompt"]
    assert resumed["payload"]["action"] in {"accept", "decline"}
    [finished] = recording.of("session_finished")
    assert finished["status"] == "completed"
    assert len(recording.answer) > 400


class Person:
    """A person who denies a push and fills in the form."""

    def __init__(self) -> None:
        self.requests: list[ApprovalRequest] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.requests.append(request)
        if request.kind == "question":
            form = {"publish": True, "channel": "preview"}
            return ApprovalAnswer("answer", payload=form, actor="ANNA")
        return ApprovalAnswer("deny", "not on a Friday", actor="ANNA")


@pytest.mark.slow
async def test_a_person_answers_in_place_of_the_script(tmp_path: Path) -> None:
    person = Person()

    recording = await record_story("release", seed=7, directory=tmp_path, person=person)

    question, approval = person.requests
    assert question.form is not None
    assert set(question.form["properties"]) == {"publish", "channel"}
    assert question.interceptor == "workshop"
    assert approval.prompt.startswith("Push v1.")
    assert approval.data["args"]["remote"] == "origin"
    assert "on the preview channel" in recording.answer
    assert "push_tag was refused: not on a Friday" in recording.answer


def test_a_story_goes_on_by_itself_when_nobody_is_there() -> None:
    recording = recorded("release")

    statuses = [event["status"] for event in recording.of("request_closed")]
    assert statuses == ["expired", "expired"]
    assert "Pushed v1." in recording.answer


def test_tool_calls_of_one_turn_run_at_once() -> None:
    recording = recorded("release")

    open_tools: set[str] = set()
    most = 0
    for hook, kwargs in recording.events:
        if hook == "before_tool_call":
            open_tools.add(kwargs["call_id"])
        elif hook in {"after_tool_call", "error_tool_call"}:
            open_tools.discard(kwargs["call_id"])
        most = max(most, len(open_tools))
    assert most >= 5


def test_a_request_to_a_server_is_the_child_of_the_tool_call() -> None:
    recording = recorded("triage")

    tools = {call["call_id"]: call for call in recording.of("before_tool_call")}
    requests = [
        request
        for request in recording.of("before_rpc_request")
        if request["envelope"]["method"] == "tools/call"
    ]
    assert requests
    for request in requests:
        tool = tools[request["parent_call_id"]]
        assert request["envelope"]["params"] == {
            "name": tool["tool_name"],
            "arguments": tool["args"],
        }


def test_a_missing_resource_is_reported_and_does_not_end_the_story() -> None:
    recording = recorded("triage")

    [failure] = recording.of("error_resource_fetch")
    assert failure["uri"] == "workshop://on-call"
    assert recording.of("after_resource_fetch")
    assert recording.closed("workflow_run") == ["ok"]


def test_a_tool_that_takes_too_long_is_cancelled_alone() -> None:
    recording = recorded("research")

    [cancelled] = recording.of("operation_cancelled")
    [failure] = recording.of("error_tool_call")
    assert failure["tool_name"] == "survey_notes"
    assert failure["call_id"] == cancelled["call_id"]
    assert recording.closed("tool_call").count("cancelled") == 1


def test_a_slow_tool_reports_its_progress() -> None:
    recording = recorded("release")

    percents = [event["percent"] for event in recording.of("progress_update")]
    assert len(percents) > 2
    assert percents.count(100.0) >= 1


@pytest.mark.slow
async def test_a_cancelled_session_closes_all_that_is_open(tmp_path: Path) -> None:
    recording = await record_story(
        "release",
        seed=7,
        directory=tmp_path,
        stop_when=lambda recording: len(recording.of("before_tool_call")) >= 4,
    )

    opened = {event["call_id"] for event in recording.of("operation_opened")}
    closed = {event["call_id"] for event in recording.of("operation_closed")}
    assert opened == closed
    [finished] = recording.of("session_finished")
    assert finished["status"] == "cancelled"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
async def test_the_same_seed_makes_the_same_story(name: str, tmp_path: Path) -> None:
    first = await record_story(name, seed=11, directory=tmp_path)
    second = await record_story(name, seed=11, directory=tmp_path)

    assert _script_of(first) == _script_of(second)


@pytest.mark.slow
async def test_another_seed_makes_another_story(tmp_path: Path) -> None:
    first = await record_story("release", seed=11, directory=tmp_path)
    second = await record_story("release", seed=12, directory=tmp_path)

    assert _script_of(first) != _script_of(second)


@pytest.mark.slow
async def test_a_repository_brings_the_git_server(tmp_path: Path) -> None:
    _make_repository(tmp_path)

    recording = await record_story("release", seed=7, directory=tmp_path)

    calls = [call for call in recording.of("after_tool_call") if call["server_name"] == "git"]
    assert {call["tool_name"] for call in calls} == {"git_log", "git_status"}
    assert any("Plant a seed" in str(call["result"]) for call in calls)


@pytest.mark.slow
async def test_no_agent_is_offered_a_tool_that_writes_to_the_repository(tmp_path: Path) -> None:
    _make_repository(tmp_path)
    _workshop, git = servers_for(SPEED, tmp_path)

    async with connect_all([git], RunContext("test"), _no_question) as connections:
        offered = {tool.name for tool in await connections["git"].tools()}

    assert offered == {"git_diff", "git_log", "git_show", "git_status"}


async def _no_question(context: Any, params: Any) -> ElicitResult:
    raise AssertionError(params.message)


def _make_repository(folder: Path) -> None:
    (folder / "seed.txt").write_text("seed\n")
    who: list[Any] = ["-c", "user.name=Demo", "-c", "user.email=demo@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Plant a seed"]):
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


@pytest.mark.slow
async def test_a_server_that_starts_slowly_gets_one_successful_discovery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Far less than an interpreter takes to import the server; enough for one that runs.
    monkeypatch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", 0.5)
    called: list[str] = []
    for method in ("send_discover", "initialize"):
        monkeypatch.setattr(ClientSession, method, _recorded(called, method))

    async with connect_all(servers_for(SPEED, tmp_path), RunContext("test"), _no_question) as found:
        assert await found["workshop"].tools()
    assert called == ["send_discover"]


def _recorded(called: list[str], method: str) -> Callable[..., Awaitable[Any]]:
    original = getattr(ClientSession, method)

    async def record(session: ClientSession, *args: Any) -> Any:
        called.append(method)
        return await original(session, *args)

    return record


async def test_a_server_that_cannot_be_started_says_so_itself() -> None:
    missing = ServerSpec("missing", StdioServerParameters(command="/nowhere/to/be/found"))

    with pytest.raises(FileNotFoundError):
        async with connect_all([missing], RunContext("test"), _no_question):
            raise AssertionError("it was connected")
