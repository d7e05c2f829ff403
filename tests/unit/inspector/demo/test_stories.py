"""The stories, told with real MCP servers over stdio and nobody but the test listening."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession
from mcp.types import ElicitResult

from inspector.demo.connection import RunContext
from inspector.demo.servers import ServerSpec, connect_all, servers_for
from inspector.demo.stories import STORIES
from instrument import ApprovalAnswer, ApprovalRequest
from tests.unit.inspector.demo.telling import SPEED, Recording, tell

NAMES = sorted(STORIES)


def _script_of(recording: Recording) -> Counter[str]:
    """Return what was said and done, without ids, times and the order of what ran at once."""
    told: Counter[str] = Counter()
    for call in recording.of("after_tool_call"):
        told[f"{call['tool_name']} {call['args']} {call['result'].get('content')}"] += 1
    for call in recording.of("after_llm_generate"):
        told[f"{call['model']} {call['response']['choices']} {call['usage']}"] += 1
    for pause in recording.of("session_resumed"):
        told[f"{pause['payload']}"] += 1
    told[recording.answer] += 1
    return told


@pytest.mark.parametrize(
    "name", [NAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])]
)
async def test_every_operation_that_opens_is_closed_once(name: str, tmp_path: Path) -> None:
    recording = await tell(name, seed=7, directory=tmp_path)

    opened = [event["call_id"] for event in recording.of("operation_opened")]
    closed = [event["call_id"] for event in recording.of("operation_closed")]
    assert sorted(opened) == sorted(closed)
    assert len(opened) == len(set(opened)) > 30


@pytest.mark.parametrize("name", NAMES)
async def test_a_story_shows_nesting_streaming_a_failure_and_a_person(
    name: str, tmp_path: Path
) -> None:
    recording = await tell(name, seed=7, directory=tmp_path)

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


class Anna:
    """Somebody who looks at the inspector while the story is told."""

    def __init__(self) -> None:
        self.asked: list[ApprovalRequest] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        if request.kind == "question":
            form = {"publish": True, "channel": "preview"}
            return ApprovalAnswer("answer", payload=form, actor="ANNA")
        return ApprovalAnswer("deny", "not on a Friday", actor="ANNA")


async def test_whoever_is_there_answers_in_place_of_the_person_of_the_story(tmp_path: Path) -> None:
    anna = Anna()

    recording = await tell("release", seed=7, directory=tmp_path, person=anna)

    question, approval = anna.asked
    assert question.form is not None
    assert set(question.form["properties"]) == {"publish", "channel"}
    assert question.interceptor == "workshop"
    assert approval.prompt.startswith("Push v1.")
    assert approval.data["args"]["remote"] == "origin"
    assert "on the preview channel" in recording.answer
    assert "push_tag was refused: not on a Friday" in recording.answer


@pytest.mark.slow
async def test_a_story_goes_on_by_itself_when_nobody_is_there(tmp_path: Path) -> None:
    recording = await tell("release", seed=7, directory=tmp_path)

    statuses = [event["status"] for event in recording.of("request_closed")]
    assert statuses == ["expired", "expired"]
    assert "Pushed v1." in recording.answer


async def test_tool_calls_of_one_turn_run_at_once(tmp_path: Path) -> None:
    recording = await tell("release", seed=7, directory=tmp_path)

    open_tools: set[str] = set()
    most = 0
    for hook, kwargs in recording.events:
        if hook == "before_tool_call":
            open_tools.add(kwargs["call_id"])
        elif hook in {"after_tool_call", "error_tool_call"}:
            open_tools.discard(kwargs["call_id"])
        most = max(most, len(open_tools))
    assert most >= 5


async def test_a_request_to_a_server_is_the_child_of_the_tool_call(tmp_path: Path) -> None:
    recording = await tell("triage", seed=7, directory=tmp_path)

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


@pytest.mark.slow
async def test_a_missing_resource_is_told_and_does_not_end_the_story(tmp_path: Path) -> None:
    recording = await tell("triage", seed=7, directory=tmp_path)

    [failure] = recording.of("error_resource_fetch")
    assert failure["uri"] == "workshop://on-call"
    assert recording.of("after_resource_fetch")
    assert recording.closed("workflow_run") == ["ok"]


async def test_a_tool_that_takes_too_long_is_cancelled_alone(tmp_path: Path) -> None:
    recording = await tell("research", seed=7, directory=tmp_path)

    [cancelled] = recording.of("operation_cancelled")
    [failure] = recording.of("error_tool_call")
    assert failure["tool_name"] == "survey_notes"
    assert failure["call_id"] == cancelled["call_id"]
    assert recording.closed("tool_call").count("cancelled") == 1


async def test_a_slow_tool_tells_how_far_it_is(tmp_path: Path) -> None:
    recording = await tell("release", seed=7, directory=tmp_path)

    percents = [event["percent"] for event in recording.of("progress_update")]
    assert len(percents) > 2
    assert percents.count(100.0) >= 1


async def test_a_cancelled_session_closes_all_that_is_open(tmp_path: Path) -> None:
    recording = await tell(
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
async def test_the_same_seed_tells_the_same_story(name: str, tmp_path: Path) -> None:
    first = await tell(name, seed=11, directory=tmp_path)
    second = await tell(name, seed=11, directory=tmp_path)

    assert _script_of(first) == _script_of(second)


@pytest.mark.slow
async def test_another_seed_tells_another_story(tmp_path: Path) -> None:
    first = await tell("release", seed=11, directory=tmp_path)
    second = await tell("release", seed=12, directory=tmp_path)

    assert _script_of(first) != _script_of(second)


@pytest.mark.slow
async def test_a_repository_brings_the_git_server(tmp_path: Path) -> None:
    _make_repository(tmp_path)

    recording = await tell("release", seed=7, directory=tmp_path)

    calls = [call for call in recording.of("after_tool_call") if call["server_name"] == "git"]
    assert {call["tool_name"] for call in calls} == {"git_log", "git_status"}
    assert any("Plant a seed" in str(call["result"]) for call in calls)


async def test_no_agent_is_offered_a_tool_that_writes_to_the_repository(tmp_path: Path) -> None:
    _make_repository(tmp_path)
    _workshop, git = servers_for(SPEED, tmp_path)

    async with connect_all([git], RunContext("test"), _nobody_asks) as connections:
        offered = {tool.name for tool in await connections["git"].tools()}

    assert offered == {"git_diff", "git_log", "git_show", "git_status"}


async def _nobody_asks(context: Any, params: Any) -> ElicitResult:
    raise AssertionError(params.message)


def _make_repository(folder: Path) -> None:
    (folder / "seed.txt").write_text("seed\n")
    who: list[Any] = ["-c", "user.name=Demo", "-c", "user.email=demo@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Plant a seed"]):
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


async def test_a_server_that_starts_slowly_is_asked_once_and_not_in_vain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Far less than an interpreter takes to import the server; enough for one that runs.
    monkeypatch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", 0.5)
    asked: list[str] = []
    for method in ("send_discover", "initialize"):
        monkeypatch.setattr(ClientSession, method, _noting(asked, method))

    async with connect_all(servers_for(SPEED, tmp_path), RunContext("test"), _nobody_asks) as found:
        assert await found["workshop"].tools()
    assert asked == ["send_discover"]


def _noting(asked: list[str], method: str) -> Callable[..., Awaitable[Any]]:
    original = getattr(ClientSession, method)

    async def note(session: ClientSession, *args: Any) -> Any:
        asked.append(method)
        return await original(session, *args)

    return note


async def test_a_server_that_cannot_be_started_says_so_itself() -> None:
    missing = ServerSpec("missing", "/nowhere/to/be/found", (), {})

    with pytest.raises(FileNotFoundError):
        async with connect_all([missing], RunContext("test"), _nobody_asks):
            raise AssertionError("it was connected")
