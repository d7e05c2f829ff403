"""The code of mcp-toolkit's documentation, block by block, from TypeScript into Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any, get_args

import pytest

from instrument.guidance import (
    ComposedHooks,
    HookDefinition,
    HookLifecycle,
    HookType,
    McpFeature,
    RequirementLevel,
    SessionState,
    SessionStateTracker,
    createBlockingResponse,
    createComposer,
    createContentLoader,
    createHookRegistry,
)

WELCOME_TS = """
from instrument.guidance import HookDefinition

welcomeHook = {
    "tag": "welcome",
    "type": "session",
    "lifecycle": "start",
    "name": "Welcome Message",
    "requirementLevel": "SHOULD",
    # contentFile omitted → resolves to welcome.md
}
"""

WELCOME_MD = """\
Welcome to the session. You have access to:

- **Tools**: Execute server operations
- **Resources**: Access server data
- **Prompts**: Get contextual assistance

Start by reviewing the available tools with `server_info`.
"""

FULL_WORKFLOW = """
from instrument.guidance import (
    createHookRegistry,
    createContentLoader,
    createComposer,
)

async def main():
    # 1. Create registry with app prefix
    registry = createHookRegistry({"app": "my-server"})

    # 2. Register hooks
    registry.register({
        "tag": "welcome",
        "type": "session",
        "lifecycle": "start",
        "name": "Welcome",
        "requirementLevel": "SHOULD",
        "priority": 50,
    })

    registry.register({
        "tag": "init-required",
        "type": "session",
        "lifecycle": "start",
        "name": "Initialization Required",
        "requirementLevel": "MUST",
        "priority": 100,
    })

    registry.register({
        "tag": "tips",
        "type": "session",
        "lifecycle": "start",
        "name": "Optional Tips",
        "requirementLevel": "MAY",
        "priority": 30,
    })

    # 3. Query hooks for session start
    hooks = registry.query({
        "type": "session",
        "lifecycle": "start",
    })

    # 4. Load content for each hook
    loader = createContentLoader()
    resolved = await loader.loadAll(hooks)

    # 5. Compose into output grouped by requirement level
    composer = createComposer()
    result = composer.compose(resolved)

    print(result.content)
"""

TEXTS = {
    "welcome": """\
Welcome to the session. You have access to tools, resources, and prompts.
Start by reviewing the available tools with `server_info`.
""",
    "init-required": """\
You must call `session_init` before using any other tools. This is mandatory.
""",
    "tips": """\
Consider enabling debug mode for verbose logging during development.
""",
}

COMPOSED_OUTPUT = """\
> The following sections use requirement levels defined in [RFC 2119](https://www.rfc-editor.org/rfc/rfc2119).

## MUST

These are absolute requirements. You must follow these instructions.

### Initialization Required

You must call `session_init` before using any other tools. This is mandatory.

---

## SHOULD

These are recommended actions. Follow unless you have good reason not to.

### Welcome

Welcome to the session. You have access to tools, resources, and prompts.
Start by reviewing the available tools with `server_info`.

---

## MAY

These are optional. Use your judgment.

### Optional Tips

Consider enabling debug mode for verbose logging during development.
"""


def module(path: Path, code: str) -> dict[str, Any]:
    """Run `code` as the module at `path`; return its names."""
    namespace: dict[str, Any] = {"__name__": path.stem}
    path.write_text(code, encoding="utf-8")
    exec(compile(code, str(path), "exec"), namespace)
    return namespace


@pytest.fixture
def hook() -> HookDefinition:
    return createHookRegistry({"app": "my-server"}).register(
        {
            "tag": "welcome",
            "type": "session",
            "lifecycle": "start",
            "name": "Welcome",
            "requirementLevel": "SHOULD",
        }
    )


def test_block_hook_definition_schema_and_type_definitions() -> None:
    assert get_args(HookType) == ("session", "action", "storage", "config")
    assert get_args(HookLifecycle) == ("start", "running", "progress", "cancel", "end")
    assert get_args(RequirementLevel) == ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")
    assert get_args(McpFeature) == ("tools", "resources", "prompts", "sampling", "elicitation")
    fields = {field.name: field for field in dataclasses.fields(HookDefinition)}
    required = {name for name, field in fields.items() if _has_no_default(field)}
    assert required == {"tag", "type", "lifecycle", "name", "requirement_level"}
    optional = {"app", "description", "priority", "content_file", "conditions", "request_id"}
    assert optional <= fields.keys() - required


def _has_no_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


def test_block_the_id_is_computed_and_cannot_be_set(hook: HookDefinition) -> None:
    assert hook.id == f"{hook.app}:{hook.type}:{hook.lifecycle}:{hook.tag}"
    with pytest.raises(FrozenInstanceError):
        hook.id = "other"  # type: ignore[misc]  # the point of the test


async def test_block_welcome_ts_with_welcome_md_beside_it(tmp_path: Path) -> None:
    names = module(tmp_path / "welcome.py", WELCOME_TS)
    (tmp_path / "welcome.md").write_text(WELCOME_MD, encoding="utf-8")
    index = module(tmp_path / "index.py", "def add(registry, hook): return registry.register(hook)")

    welcome = index["add"](createHookRegistry({"app": "my-server"}), names["welcomeHook"])

    assert (await createContentLoader().load(welcome)).content == WELCOME_MD


async def test_block_full_workflow_prints_the_composed_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for tag, text in TEXTS.items():
        (tmp_path / f"{tag}.md").write_text(text, encoding="utf-8")

    await module(tmp_path / "main.py", FULL_WORKFLOW)["main"]()

    assert capsys.readouterr().out == COMPOSED_OUTPUT


def test_block_composed_hooks_result() -> None:
    result = ComposedHooks("")

    assert result.content == ""
    assert list(result.includedHooks) == []
    assert list(result.skippedHooks) == []
    assert list(result.failedHooks) == []
    assert list(result.notices) == []


def test_block_state_machine() -> None:
    assert get_args(SessionState) == ("uninitialized", "initialized", "ready", "working")


def test_block_example_blocking_response() -> None:
    tracker = SessionStateTracker()

    message = tracker.checkToolAllowed("my_tool", "request-1")

    assert message is not None
    assert createBlockingResponse(message) == {
        "isError": True,
        "content": [
            {
                "type": "text",
                "text": 'Tool "my_tool" requires session initialization. You MUST call '
                "session_init first before using any other tools. This is a MANDATORY first "
                "action.",
            }
        ],
    }
    # The LLM receives a clear directive on what to do, calls `session_init`, and proceeds.
    tracker.recordToolCall("session_init", {}, "request-2")
    assert tracker.checkToolAllowed("my_tool", "request-3") is None


def test_block_query_hooks_for_a_specific_request() -> None:
    registry = createHookRegistry({"app": "my-server"})
    for request in ("abc-123", "def-456"):
        registry.register(
            {
                "tag": f"only-{request}",
                "type": "action",
                "lifecycle": "running",
                "name": "Running",
                "requirementLevel": "MAY",
                "requestId": request,
            }
        )

    hooks = registry.query(
        {
            "type": "action",
            "lifecycle": "running",
            "requestId": "abc-123",
        }
    )

    assert [hook.tag for hook in hooks] == ["only-abc-123"]


def test_block_registry_api() -> None:
    hookDefinition, hook1, hook2 = _three_definitions()  # noqa: N806 - mcp-toolkit's name
    type, lifecycle, storage = "session", "start", "memory"
    features, config = ["tools"], {"debug": True}

    registry = createHookRegistry({"app": "my-server"})
    registry.register(hookDefinition)
    registry.registerAll([hook1, hook2])
    found = registry.query(
        {
            "type": type,
            "lifecycle": lifecycle,
            "storage": storage,
            "features": features,
            "config": config,
        }
    )
    id = found[0].id

    assert len(found) == 3
    assert registry.get(id) is found[0]
    assert registry.has(id)
    registry.unregister(id)
    assert id not in {hook.id for hook in registry.all()}
    assert registry.size() == 2
    registry.clear()
    assert registry.size() == 0


def _three_definitions() -> Iterator[dict[str, object]]:
    for tag in ("one", "two", "three"):
        yield {
            "tag": tag,
            "type": "session",
            "lifecycle": "start",
            "name": tag.title(),
            "requirementLevel": "MAY",
        }


async def test_block_loader_api_where_load_takes_a_base_path_in_a_test(
    tmp_path: Path, hook: HookDefinition
) -> None:
    (tmp_path / "welcome.md").write_text("Welcome.", encoding="utf-8")
    hooks = [hook]
    loader = createContentLoader({"basePath": tmp_path})

    resolved = await loader.load(hook)
    allResolved = await loader.loadAll(hooks)  # noqa: N806 - mcp-toolkit's name
    inline = loader.loadInline(hook, "# Test\n\nContent here.")

    assert [resolved] == list(allResolved)
    assert inline.content == "# Test\n\nContent here."
    assert loader.cacheSize() == 1
    loader.clearCache()
    assert loader.cacheSize() == 0


def test_block_composer_api(hook: HookDefinition) -> None:
    resolvedHooks = [createContentLoader().loadInline(hook, "Hello")]  # noqa: N806 - mcp-toolkit's

    composer = createComposer(
        {
            # Add section preambles explaining requirement levels
            "includePreambles": True,
            # Separator between hooks within a section
            "separator": "\n\n---\n\n",
        }
    )
    result = composer.compose(resolvedHooks)

    assert result.content.endswith("### Welcome\n\nHello")
    assert [item.id for item in result.includedHooks] == [hook.id]
    assert (result.skippedHooks, result.failedHooks, result.notices) == ((), (), ())


def test_block_conditions() -> None:
    registry = createHookRegistry({"app": "my-server"})
    registry.register(
        {
            "tag": "conditional",
            "type": "session",
            "lifecycle": "start",
            "name": "Conditional",
            "requirementLevel": "MAY",
            "conditions": {
                "requiresStorage": ["memory", "file"],  # Include if using memory OR file storage
                "requiresFeatures": ["sampling"],  # Include if sampling is available
                "requiresConfig": {"debug": True},  # Include if debug mode is on
            },
        }
    )
    met: dict[str, object] = {
        "storage": "file",
        "features": ["sampling"],
        "config": {"debug": True},
    }

    assert registry.query(met)
    unmet: list[dict[str, object]] = [
        {"storage": "redis"},
        {"features": ["tools"]},
        {"config": {"debug": False}},
    ]
    for change in unmet:
        assert not registry.query({**met, **change})
