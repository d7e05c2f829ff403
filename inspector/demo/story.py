"""The parts of a story of the demo: its roles, its prompt and its scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inspector.demo.model import ScriptFactory


@dataclass(frozen=True, slots=True)
class Role:
    """One agent of a story."""

    name: str
    description: str
    instruction: str
    script: ScriptFactory
    tools: frozenset[str] = frozenset()
    """Names of the MCP tools that it may use."""
    cites_sources: bool = False
    """Whether its answers must cite their sources."""
    intelligence_priority: float = 0.5
    """0: the cheapest model will do; 1: the best there is."""


@dataclass(frozen=True, slots=True)
class Story:
    """A planner, two sub-agents and the request that they work on."""

    name: str
    title: str
    prompt_name: str
    prompt_arguments: Mapping[str, str]
    planner: Role
    helpers: tuple[Role, Role]
    resource_uris: tuple[str, ...] = ()
    """Read before the planner starts; one that cannot be read is left out."""
    time_limits_s: Mapping[str, float] = field(default_factory=dict)
    """Time limits of tools, in seconds of the story's time."""
