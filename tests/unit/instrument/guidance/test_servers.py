"""Guidance of servers as people write it, in either spelling, run as it is."""

import sys
from pathlib import Path

import pytest

from instrument.guidance import (
    ComposedHooksResult,
    createComposer,
    createContentLoader,
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
