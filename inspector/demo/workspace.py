"""A hook module that keeps the paths of tool calls inside the workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from posixpath import join, normpath, relpath
from typing import Any

from instrument.control import HookResult, ModuleCoordinator


async def mount(coordinator: ModuleCoordinator, config: Mapping[str, Any]) -> Callable[[], None]:
    """Guard the `path` of every tool call.

    Denies a path out of the workspace. Makes an absolute path inside it relative, so that no tool
    learns where the workspace is.

    Args:
        coordinator: Registers the hook.
        config: `root`, the folder of the workspace.

    Returns:
        A function that removes the guard.
    """
    root = normpath(config["root"])

    async def guard(event: str, data: dict[str, Any]) -> HookResult:
        path = data["tool_input"].get("path")
        if not isinstance(path, str):
            return HookResult()
        target = normpath(join(root, path))
        if target != root and not target.startswith(f"{root}/"):
            return HookResult(action="deny", reason=f"{path} is outside of the workspace")
        if not path.startswith("/"):
            return HookResult()
        inside = {**data["tool_input"], "path": relpath(target, root)}
        return HookResult(
            action="modify",
            data={**data, "tool_input": inside},
            reason="paths are relative to the workspace",
        )

    return coordinator.hooks.register("tool:pre", guard, priority=20, name="workspace")
