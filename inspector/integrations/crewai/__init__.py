"""Adapter for CrewAI: crews, flows, tasks and agents, their LLM calls, tools and memory.

Its hooks decide before and after a model or a tool is called, but they cannot wait for a person,
answer in place of either, or run it again; its events only report, on threads of their own. So
methods are wrapped, innermost: all that hooks of the program change, refuse or answer comes first,
and what is reported is what runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, wraps
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

from inspector.agent_side.on_import import after_import
from inspector.integrations.crewai.calls import Describe, WrappedCalls
from inspector.integrations.crewai.models import CrewAIModels
from inspector.integrations.crewai.runs import CrewAIRuns
from inspector.integrations.crewai.tools import CrewAITools
from inspector.integrations.patches import Patches
from instrument import Bus, default
from instrument.operations import current_call_id


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every crew, flow and agent of this process, also those made later.

    Args:
        *targets: Crews, flows and agents, with all that they call.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    return _Adapter(bus or default.bus, targets).attach()


class _Adapter:
    """State of one `attach()`."""

    def __init__(self, bus: Bus, targets: tuple[Any, ...]) -> None:
        self._bus, self._targets = bus, targets
        self._patches = Patches("crewai")
        self._calls = WrappedCalls(bus, self._patches)
        self._runs = CrewAIRuns(bus, self._is_inside, self._is_watched)
        self._tools = CrewAITools(bus, self._is_inside, self._patches)
        self._models = CrewAIModels(
            bus, self._is_inside, self._patches, self._calls, self._tools.describe_function
        )
        self._copies: WeakValueDictionary[int, Any] = WeakValueDictionary()

    def attach(self) -> Callable[[], None]:
        patches = self._patches
        if not self._targets and not patches.claim(self._bus):
            return lambda: None
        # Nothing is imported for this: the framework imports some parts when a program uses them.
        for module, watch in (*self._methods(), *self._functions()):
            patches.callback(after_import(f"crewai.{module}", watch))
            patches.callback(after_import("crewai", partial(patches.expect, f"crewai.{module}")))
        if self._targets:
            for module, kind in (("crewai.crew", "Crew"), ("crewai.agent.core", "Agent")):
                patches.put(patches.find(module, kind), "copy", self._copying)
        return patches.undo

    def _methods(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Return what wraps methods that are operations, by the module of their class."""
        runs, tools = self._runs, self._tools
        kinds: tuple[tuple[str, str, dict[str, Describe]], ...] = (
            ("crew", "Crew", {"kickoff": runs.describe_crew, "akickoff": runs.describe_crew}),
            (
                "flow.runtime",
                "Flow",
                {
                    "kickoff_async": runs.describe_flow,
                    "resume_async": runs.describe_resume,
                    "_execute_method": runs.describe_method,
                },
            ),
            (
                "task",
                "Task",
                {"_execute_core": runs.describe_task, "_aexecute_core": runs.describe_task},
            ),
            (
                "agent.core",
                "Agent",
                {
                    "execute_task": runs.describe_agent,
                    "aexecute_task": runs.describe_agent,
                    "kickoff": runs.describe_kickoff,
                    "kickoff_async": runs.describe_kickoff_async,
                },
            ),
            ("lite_agent", "LiteAgent", {"kickoff": runs.describe_kickoff_async}),
            ("memory.unified_memory", "Memory", {"recall": runs.describe_recall}),
            (
                "knowledge.knowledge",
                "Knowledge",
                {"query": runs.describe_recall, "aquery": runs.describe_recall},
            ),
            (
                "tools.base_tool",
                "BaseTool",
                {"run": tools.describe_run, "arun": tools.describe_run},
            ),
            ("tools.base_tool", "Tool", {"run": tools.describe_run, "arun": tools.describe_run}),
            (
                "tools.structured_tool",
                "CrewStructuredTool",
                {"invoke": tools.describe_invoke, "ainvoke": tools.describe_invoke},
            ),
        )
        for module, kind, names in kinds:
            yield module, partial(self._watch, f"crewai.{module}", kind, names)

    def _functions(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Return what wraps the rest, by module."""
        tools, put = self._tools, self._put
        yield "llms.base_llm", self._watch_models
        yield (
            "events.event_bus",
            partial(put, "events.event_bus", "CrewAIEventsBus", "emit", self._models.wrap_emit),
        )
        yield (
            "agents.agent_executor",
            partial(
                put,
                "agents.agent_executor",
                "AgentExecutor",
                "_execute_single_native_tool_call",
                tools.naming,
            ),
        )
        yield (
            "agents.step_executor",
            partial(
                put,
                "agents.step_executor",
                None,
                "execute_single_native_tool_call",
                tools.naming,
            ),
        )

    def _watch(self, module: str, kind: str, names: dict[str, Describe]) -> None:
        self._calls.put(self._patches.find(module, kind), names)

    def _put(self, module: str, kind: str | None, name: str, make: Callable[[Any], Any]) -> None:
        path = f"crewai.{module}"
        owner = import_module(path) if kind is None else self._patches.find(path, kind)
        self._patches.put(owner, name, make)

    def _watch_models(self) -> None:
        self._models.watch(self._patches.find("crewai.llms.base_llm", "BaseLLM"))
        self._put("llms.base_llm", None, "run_with_rate_limit_retry", self._models.wrap_retry)

    def _is_inside(self) -> bool:
        """Return whether what happens here is watched, whatever it is."""
        return not self._targets or current_call_id(self._bus) is not None

    def _is_watched(self, candidate: Any) -> bool:
        return self._is_inside() or self._is_target(candidate)

    def _is_target(self, candidate: Any) -> bool:
        return id(candidate) in self._copies or any(one is candidate for one in self._targets)

    def _copying(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Know the copies of targets: `kickoff_for_each` runs a copy for each input."""

        @wraps(original)
        def copy(one: Any, *args: Any, **kwargs: Any) -> Any:
            copied = original(one, *args, **kwargs)
            if self._is_target(one):
                self._copies[id(copied)] = copied
            return copied

        return copy
