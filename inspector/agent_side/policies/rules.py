"""Policies as data, and the choice of the one that applies to an event. Pure.

The first match of a list decides, as in a firewall.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from pathlib import Path
from typing import Any, Literal, TypeAlias

from inspector.agent_side.policies.conditions import UNREADABLE, Condition

Action: TypeAlias = Literal["allow", "deny", "ask", "break"]
BEFORE_TOOL_CALL = "before_tool_call"
MAX_NAMES = 1_024
"""Limit of tool names whose policies are cached."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A position in a source file."""

    file: Path
    line: int | None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else str(self.file)


@dataclass(frozen=True, slots=True)
class Globs:
    """Name patterns, one of which must match."""

    patterns: tuple[str, ...]
    _compiled: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        joined = "|".join(f"(?:{translate(pattern)})" for pattern in self.patterns)
        object.__setattr__(self, "_compiled", re.compile(joined))

    def fit(self, name: object) -> bool:
        """Return whether a pattern matches; an unknown name is empty."""
        text = name if isinstance(name, str) else "" if name is None else str(name)
        return self._compiled.match(text) is not None

    def __str__(self) -> str:
        return ", ".join(self.patterns)


@dataclass(frozen=True, slots=True)
class Question:
    """The question that an `ask` policy puts to a person."""

    prompt: str | None = None
    timeout_s: float = 300.0
    default: str = "deny"
    """The decision without an answer in time."""


@dataclass(frozen=True, slots=True)
class Policy:
    """One `[[policies]]` or `[[breakpoints]]` table."""

    name: str
    action: Action
    source: SourceLine
    hooks: tuple[str, ...] = (BEFORE_TOOL_CALL,)
    tools: Globs | None = None
    servers: Globs | None = None
    agents: Globs | None = None
    where: tuple[Condition, ...] = ()
    reason: str | None = None
    question: Question = Question()

    def matches(self, event: Event) -> bool:
        """Return whether the policy applies to `event`, whose tool already matches."""
        if self.servers is not None and not self.servers.fit(event.kwargs.get("server_name")):
            return False
        if self.agents is not None and not self.agents.fit(event.agent()):
            return False
        in_doubt = self.action != "allow"
        for one in self.where:  # not `all(...)`: a generator costs more than the loop
            if not one.holds(event.values, in_doubt=in_doubt):
                break
        else:
            return True
        return False


class Event:
    """An event to decide on.

    Attributes:
        hook: Its name, such as `before_tool_call`.
        kwargs: The kwargs of the hook.
        agent: Returns the name of the innermost agent; "" if unknown.
        values: The values for `where`: the arguments of a tool, the kwargs of any other event.
    """

    __slots__ = ("agent", "hook", "kwargs", "values")

    def __init__(self, hook: str, kwargs: Mapping[str, Any], agent: Callable[[], str]) -> None:
        self.hook = hook
        self.kwargs = kwargs
        self.agent = agent
        self.values: object = kwargs
        if hook == BEFORE_TOOL_CALL:
            args = kwargs.get("args")
            self.values = args if isinstance(args, Mapping) else {} if args is None else UNREADABLE


class RuleList:
    """Policies in order."""

    def __init__(self, policies: Sequence[Policy]) -> None:
        self.policies = tuple(policies)
        self._by_hook: dict[str, tuple[Policy, ...]] = {}
        for hook in dict.fromkeys(hook for policy in policies for hook in policy.hooks):
            self._by_hook[hook] = tuple(one for one in policies if hook in one.hooks)
        self._by_tool: dict[str, tuple[Policy, ...]] = {}

    @property
    def hooks(self) -> Iterable[str]:
        """The events that the rules cover."""
        return self._by_hook.keys()

    def first(self, event: Event) -> Policy | None:
        """Return the first policy that matches."""
        for policy in self._candidates(event):
            if policy.matches(event):
                return policy
        return None

    def _candidates(self, event: Event) -> Sequence[Policy]:
        """Return the policies for this tool, from a cache: there are few names and many calls."""
        if event.hook != BEFORE_TOOL_CALL:
            return self._by_hook.get(event.hook, ())
        name = event.kwargs.get("tool_name")
        known = self._by_tool.get(name) if type(name) is str else None
        if known is None:
            of_hook = self._by_hook.get(event.hook, ())
            known = tuple(one for one in of_hook if one.tools is None or one.tools.fit(name))
            if type(name) is str and len(self._by_tool) < MAX_NAMES:
                self._by_tool[name] = known
        return known
