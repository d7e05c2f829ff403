"""Adapter for LlamaIndex: agents and workflows, models and tools.

Its instrumentation dispatcher only reports, so methods are wrapped: the one that every workflow
runs by, those of each class of models once a program has made one, and those that run tools.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from inspector.agent_side.on_import import after_import
from inspector.integrations.llama_index.models import WatchedModels
from inspector.integrations.llama_index.runs import WatchedRuns
from inspector.integrations.llama_index.tools import WatchedTools
from inspector.integrations.patches import Patches
from instrument import Bus, default
from instrument.operations import current_call_id

_AGENTS = "llama_index.core.agent.workflow"


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every workflow, model and tool of this process, also those made later.

    Args:
        *targets: Agents, `AgentWorkflow`s and other workflows, with all that they call.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    here, patches = bus or default.bus, Patches("llama_index")
    if not targets and not patches.claim(here):
        return lambda: None

    def is_inside() -> bool:
        if not here._hooks:
            return False
        return not targets or current_call_id(here) is not None

    def is_watched(workflow: Any) -> bool:
        return is_inside() or any(workflow is target for target in targets)

    models = WatchedModels(here, is_inside, patches)
    tools = WatchedTools(here, is_inside, patches)
    runs = WatchedRuns(here, is_watched, patches, on_run=models.watch_those_of)
    parts: tuple[tuple[str, str, dict[str, Callable[[Any], Any]]], ...] = (
        ("workflows.workflow", "Workflow", {"run": runs.wrap_run}),
        ("llama_index.core.base.llms.base", "BaseLLM", {"__init__": models.wrap_init}),
        (
            "llama_index.core.tools.function_tool",
            "FunctionTool",
            {"call": tools.wrap_call, "acall": tools.wrap_acall},
        ),
        (
            f"{_AGENTS}.base_agent",
            "BaseWorkflowAgent",
            {"call_tool": tools.wrap_step, "_call_tool": tools.wrap_agent_call},
        ),
        (
            f"{_AGENTS}.multi_agent_workflow",
            "AgentWorkflow",
            {
                "call_tool": tools.wrap_step,
                "_call_tool": tools.wrap_agent_call,
                "run_agent_step": runs.wrap_agent_step,
            },
        ),
    )

    # Nothing is imported for this: the framework imports its parts when a program uses them.
    for module, kind, wrappers in parts:
        patches.callback(after_import(module, partial(_watch, patches, module, kind, wrappers)))
        patches.callback(after_import("llama_index.core", partial(patches.expect, module)))
    return patches.undo


def _watch(
    patches: Patches, module: str, kind: str, wrappers: dict[str, Callable[[Any], Any]]
) -> None:
    owner = patches.find(module, kind)
    for name, make in wrappers.items():
        patches.put(owner, name, make)
