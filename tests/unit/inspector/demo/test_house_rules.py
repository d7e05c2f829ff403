"""The rules of the demo's agents: decisions are on the bus, and no hook stays behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from inspector.demo import workspace
from inspector.demo.house_rules import WORKSPACE, limit_search
from instrument import Bus, HookDenied
from instrument.control import ModuleCoordinator
from instrument.delivery import describe
from tests.unit.inspector.demo.recording import Recording, recorded


@pytest.fixture(params=["release", "triage", "research"])
def story(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def recording(story: str) -> Recording:
    return recorded(story)


def _decided(recording: Recording, hook: str, interceptor: str) -> list[dict[str, Any]]:
    """Return the decisions of an interceptor other than `continue`, all on known operations."""
    opened = {event["call_id"] for event in recording.of("operation_opened")}
    made = [
        event
        for event in recording.of("hook_decided")
        if (event["hook"], event["interceptor"]) == (hook, interceptor)
        and event["action"] != "continue"
    ]
    assert all(event["call_id"] in opened for event in made)
    return made


@pytest.mark.slow
def test_the_module_judges_one_path_of_each_story(recording: Recording, story: str) -> None:
    [decision] = _decided(recording, "before_tool_call", "workspace")

    saved = [c for c in recording.of("after_tool_call") if c["tool_name"] == "save_draft"]
    assert not any(call["args"]["path"].startswith(("/", "..")) for call in saved)
    assert len(saved) == 1
    if story == "research":
        assert decision["action"] == "modify"
        assert decision["before"]["args"]["path"].startswith(WORKSPACE)
    else:
        assert decision["action"] == "deny"
        assert "outside of the workspace" in decision["reason"]
        assert recording.closed("tool_call").count("denied") == 1


@pytest.mark.slow
def test_the_rule_sends_an_answer_without_sources_back(recording: Recording) -> None:
    name = "before_final_response retry"
    [decision] = _decided(recording, "before_final_response", name)

    assert decision["action"] == "retry"
    [cites] = [c for c in recording.of("after_agent_call") if c["agent"].cites_sources]
    assert "Sources:" in cites["result"]
    answers = [f for f in recording.of("before_final_response") if f["agent"] is cites["agent"]]
    assert ["Sources:" in answer["response"] for answer in answers] == [False, True]


def test_the_call_back_limits_what_a_search_brings(recording: Recording) -> None:
    decisions = _decided(recording, "before_tool_call", describe(limit_search))

    assert {decision["action"] for decision in decisions} == {"modify"}
    assert all(decision["before"]["args"]["limit"] > 2 for decision in decisions)
    searches = [c for c in recording.of("after_tool_call") if c["tool_name"] == "search_notes"]
    assert len(searches) == len(decisions)
    assert all(search["args"]["limit"] == 2 for search in searches)


def test_guidance_reaches_only_agents_that_cite(recording: Recording) -> None:
    decisions = _decided(recording, "session:running", "guidance session:running")

    assert [decision["action"] for decision in decisions] == ["inject_context"]
    for call in recording.of("before_llm_generate"):
        texts = [m["content"] for m in call["prompt"] if m["role"] == "assistant"]
        is_guided = any("Name the sources" in text for text in texts)
        assert is_guided is call["agent"].cites_sources


async def _path_after(config: Mapping[str, Any], path: object) -> object:
    bus = Bus()
    await workspace.mount(ModuleCoordinator(bus), config)
    return await bus.call(
        "tool_call", lambda op: op.args["path"], tool_name="t", args={"path": path}
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/b.md", "a/b.md"), ("/w/a.md", "a.md"), ("/w/x/../a.md", "a.md"), ("/w", "."), (7, 7)],
)
async def test_a_path_inside_the_workspace_is_relative(path: object, expected: object) -> None:
    assert await _path_after({"root": "/w/"}, path) == expected


@pytest.mark.parametrize("path", ["../a", "a/../../b", "/etc/passwd", "/w2/a", "/w/../a", "/"])
async def test_a_path_out_of_the_workspace_is_refused(path: str) -> None:
    with pytest.raises(HookDenied, match="outside of the workspace"):
        await _path_after({"root": "/w"}, path)
