"""Guidance of servers as people write it, in either spelling, run as it is (seed 003)."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from instrument.guidance import (
    ComposedHooksResult,
    GuidanceValueError,
    HookDefinitionWithId,
    SessionState,
    SessionStateTracker,
    createBlockingResponse,
    createComposer,
    createContentLoader,
    createHookRegistry,
)

SESSION_HOOKS = """
from instrument.guidance import HookDefinitionInput

welcomeHook: HookDefinitionInput = {
    "tag": "welcome",
    "type": "session",
    "lifecycle": "start",
    "name": "Welcome",
    "requirementLevel": "SHOULD",
}

goodbyeHook: HookDefinitionInput = {
    "tag": "goodbye",
    "type": "session",
    "lifecycle": "end",
    "name": "Goodbye",
    "requirementLevel": "MAY",
    "contentFile": "texts/bye.md",
    "conditions": None,
}

sessionHooks = [welcomeHook, goodbyeHook]
"""
INDEX = """
from instrument.guidance import createHookRegistry
from hooks_of_mine.session import sessionHooks

def createServerHooks(options=None):
    registry = createHookRegistry({"app": "mine", **(options or {})})
    registry.registerAll(sessionHooks)
    return registry
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of hooks with their texts, on the path."""
    folder = tmp_path / "hooks_of_mine"
    (folder / "texts").mkdir(parents=True)
    (folder / "session.py").write_text(SESSION_HOOKS)
    (folder / "__init__.py").write_text(INDEX)
    (folder / "welcome.md").write_text("Hello from the index.")
    (folder / "texts" / "bye.md").write_text("Say what was done.")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "hooks_of_mine", raising=False)
    return folder


async def test_a_package_of_hooks_finds_its_texts_beside_it(package: Path) -> None:
    from hooks_of_mine import createServerHooks  # type: ignore[import-not-found] # made above

    registry = createServerHooks()
    loader = createContentLoader()
    loaded = await loader.loadAll(registry.all())
    result: ComposedHooksResult = createComposer({"includePreambles": False}).compose(loaded)

    assert [hook.id for hook in loaded.resolved] == [
        "mine:session:start:welcome",
        "mine:session:end:goodbye",
    ]
    assert result.failedHooks == ()
    assert "## SHOULD\n\n### Welcome\n\nHello from the index." in result.content
    assert "## MAY\n\n### Goodbye\n\nSay what was done." in result.content
    assert loader.cacheSize() == 2


async def test_a_text_that_is_gone_leaves_the_rest_and_is_reported(
    package: Path,
) -> None:
    from hooks_of_mine import createServerHooks

    (package / "welcome.md").unlink()
    logged: list[tuple[str, str]] = []
    notices: list[str] = []
    loader = createContentLoader({"log": lambda level, text: logged.append((level, text))})
    composer = createComposer({"notify": notices.append})

    result = composer.compose(await loader.loadAll(createServerHooks().all()))

    assert [hook.tag for hook in result.includedHooks] == ["goodbye"]
    assert [hook.tag for hook in result.failedHooks] == ["welcome"]
    assert [level for level, _ in logged] == ["error"]
    assert notices == list(result.notices)
    assert notices[0].startswith("1 hook(s) failed to load: Welcome (")


def action(lifecycle: str, tag: str, **more: Any) -> dict[str, Any]:
    return {
        "tag": tag,
        "type": "action",
        "lifecycle": lifecycle,
        "name": tag.title(),
        "requirementLevel": "MUST",
        **more,
    }


def guidance_of(
    registry: Any, text: Callable[[HookDefinitionWithId], str], **situation: Any
) -> str:
    """Compose what counts now, as servers do that keep their texts in code."""
    loader = createContentLoader()
    hooks = registry.query({"type": "action", **situation})
    return (
        createComposer({"includeRfc2119Reference": False})
        .compose([loader.loadInline(hook, text(hook)) for hook in hooks])
        .content
    )


def test_guidance_of_a_request_comes_goes_and_touches_no_other_request() -> None:
    registry = createHookRegistry({"app": "mine"})
    registry.register(action("running", "general", priority=10))
    mine = registry.register(action("running", "mine", requestId=7, priority=90))
    registry.register(action("cancel", "tidy-up", requestId="7"))

    def names(**situation: Any) -> list[str]:
        content = guidance_of(registry, lambda hook: hook.id, **situation)
        return [line[4:] for line in content.splitlines() if line.startswith("### ")]

    assert names(lifecycle="running", requestId="7") == ["Mine", "General"]
    assert names(lifecycle="running", requestId=8) == ["General"]
    assert names(lifecycle="progress", requestId=7) == []
    assert names(lifecycle="cancel", requestId=7) == ["Tidy-Up"]
    assert registry.unregister(mine.id)
    assert names(lifecycle="running", requestId=7) == ["General"]


async def test_a_server_says_what_another_context_would_add() -> None:
    registry = createHookRegistry({"app": "mine"})
    for tag, conditions in {
        "files": {"requiresStorage": ["file", "s3"]},
        "ask": {"requiresFeatures": ["sampling", "tools"]},
        "debug": {"requiresConfig": {"debug": True}},
        "always": {},
    }.items():
        registry.register(action("start", tag, conditions=conditions))

    def tags_of(**context: Any) -> tuple[list[str], list[str]]:
        found = registry.query({"type": "action", "lifecycle": "start", **context})
        return [hook.tag for hook in found], [skipped.reason for skipped in found.skipped]

    assert tags_of(storage="memory", features=["tools"], config={}) == (
        ["always"],
        ["requires storage: file or s3", "requires features: sampling", "requires config: debug"],
    )
    assert tags_of(storage=["s3"], features=["tools", "sampling"], config={"debug": True})[1] == []


class ReportingTracker(SessionStateTracker):
    """Work may begin only when the report was asked for in full."""

    def next_state(self, state: SessionState, tool_name: str, tool_input: object) -> SessionState:
        if tool_name == "report":
            is_full = isinstance(tool_input, Mapping) and tool_input.get("full") is True
            return "ready" if is_full and state != "uninitialized" else state
        return super().next_state(state, tool_name, tool_input)


def test_a_server_gates_its_tools_by_a_state_machine_of_its_own() -> None:
    tracker = ReportingTracker(
        {"initTools": ["start", "report"], "transitionTriggers": {"start": "initialized"}}
    )

    def call(name: str, **arguments: Any) -> Any:
        refusal = tracker.checkToolAllowed(name, "r1")
        if refusal is not None:
            return createBlockingResponse(refusal)
        return tracker.recordToolCall(name, arguments, "r1")

    blocked = call("search")
    assert blocked["isError"] is True
    assert "You MUST call start first" in blocked["content"][0]["text"]
    assert call("report", full=True).newState == "uninitialized"
    assert call("start").guidance == "Session initialized. Ready to work."
    assert call("report").newState == "initialized"
    assert call("report", full=True).newState == "ready"
    assert call("search").newState == "working"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"lifecycle": "before"}, "lifecycle is 'before'. Give one of start, running"),
        ({"requirementLevel": "must"}, "Give one of MUST, MUST NOT"),
        ({"tag": "../../etc/passwd"}, "tag is '../../etc/passwd'"),
        ({"name": "Two\n## MUST"}, "Give one line"),
        ({"conditions": {"requiresFeatures": "sampling"}}, "a list of strings"),
        ({"dependencies": ["other"]}, "there is no 'dependencies'. Known are app"),
    ],
)
def test_a_definition_that_is_wrong_says_what_to_give(wrong: Any, message: str) -> None:
    registry = createHookRegistry({"app": "mine"})

    with pytest.raises(GuidanceValueError, match=message.replace(".", r"\.")):
        registry.registerAll([action("start", "fine"), {**action("start", "bad"), **wrong}])

    assert registry.size() == 0
