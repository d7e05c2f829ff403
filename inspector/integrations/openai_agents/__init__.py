"""Adapter for OpenAI Agents: runs, agents, hand-offs, LLM calls and tools.

The framework's own hooks cannot refuse, see no error and no rejected tool, and an exception in them
ends the run. So the functions that its run loop calls are wrapped, one for each kind of call.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.agent_side.on_import import after_import
from inspector.integrations.patches import Patches
from instrument import Bus
from instrument import default as shared

if TYPE_CHECKING:
    from agents import Agent

    from inspector.integrations.openai_agents.runs import Runs

_logger = logging.getLogger("inspector")

_attached: dict[Bus, tuple[Runs, Patches]] = {}
"""Attachments by bus: two on one bus would report everything twice."""


def attach(*targets: Agent[Any], bus: Bus | None = None) -> Callable[[], None]:
    """Watch the runs of `targets`, or of every agent of this process, also those made later.

    What a watched run runs in turn is watched too: hand-offs, and agents as tools.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    here = bus or shared.bus
    if not _is_the_frameworks():
        _logger.warning("The package `agents` is not openai-agents: it is not watched.")
        return lambda: None
    if here not in _attached:
        _attached[here] = _patched(here)
    runs, patches = _attached[here]
    entry = list(targets)
    if not targets and [] in runs.targets:
        return lambda: None
    runs.targets.append(entry)

    def detach() -> None:
        runs.targets[:] = [one for one in runs.targets if one is not entry]
        if not runs.targets and here in _attached and _attached[here][0] is runs:
            del _attached[here]
            patches.undo()

    return detach


def _is_the_frameworks() -> bool:
    """Return whether `agents` is the framework: programs have packages of that name."""
    try:
        from agents.run import AgentRunner  # noqa: F401, PLC0415 - imported here only
    except ImportError:
        return False
    return True


def _patched(bus: Bus) -> tuple[Runs, Patches]:
    from inspector.integrations.openai_agents.runs import Runs  # noqa: PLC0415 - imports it

    patches = Patches("openai_agents")
    runs = Runs(bus, patches.attempt)
    try:
        _patch(runs, patches)
    except Exception:
        patches.undo()  # all of them, or none
        raise
    return runs, patches


def _patch(runs: Runs, patches: Patches) -> None:
    from inspector.integrations.openai_agents import (  # noqa: PLC0415 - they import it too
        hosted,
        local_tools,
    )
    from inspector.integrations.openai_agents.models import wrap_get_model  # noqa: PLC0415
    from inspector.integrations.openai_agents.tools import Tools  # noqa: PLC0415

    find, put = patches.find, patches.put
    tools = Tools(runs.bus)

    put(find("agents.run", "AgentRunner"), "run", runs.wrap_run)
    put(find("agents", "run"), "start_streaming", runs.wrap_streaming)
    put(find("agents", "run"), "run_single_turn", runs.wrap_turn)
    loop = find("agents.run_internal", "run_loop")
    put(loop, "run_single_turn_streamed", runs.wrap_turn)
    put(loop, "get_model", partial(wrap_get_model, runs.bus))

    execution = find("agents.run_internal", "tool_execution")
    put(execution, "_invoke_function_tool_with_metadata", tools.wrap_invoke)
    put(execution, "_execute_tool_input_guardrails", tools.wrap_guardrails)
    put(execution, "function_rejection_item", tools.wrap_rejection)
    resolution = find("agents.run_internal", "turn_resolution")
    put(resolution, "function_rejection_item", tools.wrap_rejection)
    explain = "maybe_invoke_function_tool_failure_error_function"
    put(find("agents", "tool"), explain, tools.wrap_failure)
    put(find("agents", "tool"), "_invoke_function_tool_with_metadata", tools.wrap_invoke)
    put(find("agents.mcp.util", "MCPUtil"), "_extract_custom_data", tools.wrap_mcp_result)

    planning = find("agents.run_internal", "tool_planning")
    put(planning, "execute_mcp_approval_requests", partial(hosted.wrap_approvals, runs.bus))

    actions = "agents.run_internal.tool_actions"
    for kind, seam in local_tools.SEAMS.items():
        put(find(actions, kind), "execute", partial(local_tools.wrap_execute, runs.bus, seam))
    act = partial(local_tools.wrap_computer, runs.bus)
    put(find(actions, "ComputerAction"), "_execute_action_and_capture", act)

    def patch_realtime() -> None:
        from inspector.integrations.openai_agents.realtime import patch  # noqa: PLC0415 - rare

        patch(runs, tools, patches)

    def patch_voice() -> None:
        from inspector.integrations.openai_agents.voice import patch  # noqa: PLC0415 - rare

        patch(runs, patches)

    patches.callback(after_import("agents.realtime.session", patch_realtime))
    patches.callback(after_import("agents.voice.pipeline", patch_voice))
