"""Parser of the policy sections of `inspector.toml`; reports each mistake with its line.

`tomllib` reports no positions, so the header of a table is searched in the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, cast

from inspector.agent_side.policies.budgets import UNITS, Budget
from inspector.agent_side.policies.conditions import Condition, read_condition
from inspector.agent_side.policies.decision import JOINT
from inspector.agent_side.policies.rules import (
    BEFORE_TOOL_CALL,
    Action,
    Globs,
    Policy,
    Question,
    RuleList,
    SourceLine,
)
from inspector.errors import PolicyError
from instrument.catalogue import NOUNS
from instrument.question import is_duration

HOOKS = tuple(noun.before for noun in NOUNS.values())
STEPPED = (BEFORE_TOOL_CALL, "before_llm_generate")
"""The events at which `step = true` stops."""

MAX_TABLES = 1_000
MAX_NAME_CHARS = 80
MAX_TEXT_CHARS = 4_000

HERE = "./"
"""Prefix of names from a file in the working directory, so that they are unique."""

_BREAK_TIMEOUT_S = 3_600.0
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one file."""

    file: Path
    policies: RuleList
    breakpoints: RuleList
    budgets: tuple[Budget, ...]

    @property
    def is_empty(self) -> bool:
        """True if no rule can act."""
        return not (self.policies.policies or self.breakpoints.policies or self.budgets)


def parse(text: str, file: Path) -> Rules:
    """Return the rules in the policy sections of `text`.

    Raises:
        PolicyError: It is no TOML, or has mistakes.
    """
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PolicyError([f"{file} is not TOML: {error}."]) from error
    return read(tables, text, file)


def read(tables: Mapping[str, Any], text: str, file: Path) -> Rules:
    """Return the rules in the policy sections of `tables`, parsed from `text`.

    Raises:
        PolicyError: They have mistakes.
    """
    reader = _Reader(text, file)
    policies = reader.tables(
        "policies", tables, lambda table: _policy(table, table.action(), 300.0)
    )
    breakpoints = reader.tables(
        "breakpoints", tables, lambda table: _policy(table, "break", _BREAK_TIMEOUT_S)
    )
    budgets = reader.tables("budgets", tables, _budget)
    breakpoints += reader.step(tables.get("step", False))
    if reader.mistakes:
        raise PolicyError(reader.mistakes)
    return Rules(file, RuleList(policies), RuleList(breakpoints), tuple(budgets))


class _Reader:
    """A reader of the sections of one file, which collects mistakes."""

    def __init__(self, text: str, file: Path) -> None:
        self.mistakes: list[str] = []
        self._text = text
        self._file = file

    def tables(
        self, section: str, document: Mapping[str, Any], read: Callable[[_Table], _T]
    ) -> list[_T]:
        found = document.get(section, [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            self._wrong(
                self._line(rf"\[?\s*{section}\b", 1), f"`{section}` must be [[{section}]] tables"
            )
            return []
        if len(found) > MAX_TABLES:
            self._wrong(None, f"more than {MAX_TABLES} [[{section}]] tables")
            return []
        policy, names = [], set()
        for number, cells in enumerate(found, 1):
            line = self._line(rf"\[\[\s*{section}\s*\]\]", number)
            table = _Table(section, number, cells, SourceLine(self._file, line), self.mistakes)
            one = read(table)
            table.finish()
            if table.name in names:
                table.wrong("the name is already in use")
            names.add(table.name)
            policy.append(one)
        return policy

    def step(self, wanted: object) -> list[Policy]:
        line = self._line(r"step\s*=", 1)
        if not wanted and isinstance(wanted, bool):
            return []
        hooks = STEPPED if wanted is True else wanted
        if (
            not isinstance(hooks, list | tuple)
            or not hooks
            or any(one not in HOOKS for one in hooks)
        ):
            self._wrong(line, f"`step` must be true, false or a list of {', '.join(HOOKS)}")
            return []
        question = Question("Step: continue?", _BREAK_TIMEOUT_S)
        source = SourceLine(self._file, line)
        return [Policy("step", "break", source, hooks=tuple(hooks), question=question)]

    def _line(self, pattern: str, number: int) -> int | None:
        headers = list(re.finditer(rf"^[ \t]*{pattern}", self._text, re.MULTILINE))
        if number > len(headers):
            return None
        return self._text.count("\n", 0, headers[number - 1].start()) + 1

    def _wrong(self, line: int | None, what: str) -> None:
        self.mistakes.append(f"{SourceLine(self._file, line)}: {what}.")


class _Table:
    """One table; each reading method removes its key."""

    def __init__(
        self,
        section: str,
        number: int,
        cells: Mapping[str, Any],
        source: SourceLine,
        mistakes: list[str],
    ) -> None:
        self.source = source
        self._label = f"[[{section}]] #{number}"
        self._cells = dict(cells)
        self._known: list[str] = []
        self._mistakes = mistakes
        self.name = self._name(f"#{number}")

    def wrong(self, what: str) -> None:
        """Add a mistake of this table."""
        stop = "" if what.endswith("?") else "."
        name = "" if self.name.startswith("#") else f" ({self.name})"
        self._mistakes.append(f"{self.source}: {self._label}{name}: {what}{stop}")

    def has(self, key: str) -> bool:
        return key in self._cells

    def _name(self, default: str) -> str:
        self.name = default
        name = self.text("name")
        if name is None:
            return default
        if not 0 < len(name) <= MAX_NAME_CHARS or not name.isprintable():
            self.wrong(f"`name` must be one line of at most {MAX_NAME_CHARS} characters")
            return default
        if name.startswith((HERE, "#")) or JOINT in name:
            self.wrong(f"`name` must not start with {HERE} or #, or contain “{JOINT}”")
            return default
        return name

    def text(self, key: str) -> str | None:
        """Read a text."""
        value = self._pop(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            self.wrong(f"`{key}` must be a non-empty string, not {value!r:.80}")
            return None
        if value is not None and len(value) > MAX_TEXT_CHARS:
            self.wrong(f"`{key}` has more than {MAX_TEXT_CHARS} characters")
            return None
        return value

    def choice(self, key: str, allowed: Sequence[str], default: str | None = None) -> str:
        """Read one of several words."""
        value = self._pop(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or value not in allowed:
            fault = "is missing" if value is None else f"is {value!r}"
            self.wrong(f"`{key}` {fault}; use one of {', '.join(allowed)}")
            return allowed[0]
        return value

    def action(self) -> Action:
        """Read the action of a policy."""
        return cast(Action, self.choice("action", ("deny", "ask", "allow")))

    def globs(self, key: str) -> Globs | None:
        """Read a list of patterns."""
        patterns = self._pop(key)
        if patterns is None:
            return None
        if isinstance(patterns, str):
            patterns = [patterns]
        is_list = isinstance(patterns, list) and bool(patterns)
        if not is_list or not all(isinstance(one, str) and one for one in patterns):
            self.wrong(f'`{key}` must be a list of patterns such as ["delete_*"]')
            return None
        return Globs(tuple(patterns))

    def amount(self, key: str, default: float | None = None) -> float | None:
        """Read a number above 0."""
        value = self._pop(key)
        if value is None:
            return default
        if not is_duration(value):
            self.wrong(f"`{key}` must be a number above 0, not {value!r}")
            return default
        return cast(float, value)

    def hooks(self) -> tuple[str, ...]:
        """Read the events."""
        value = self._pop("on")
        named = [value] if isinstance(value, str) else value
        if named is None:
            return (BEFORE_TOOL_CALL,)
        if not isinstance(named, list) or not named or any(one not in HOOKS for one in named):
            self.wrong(f"`on` must be one or more of {', '.join(HOOKS)}")
            return (BEFORE_TOOL_CALL,)
        return tuple(dict.fromkeys(named))

    def where(self) -> tuple[Condition, ...]:
        """Read the conditions."""
        wanted = self._pop("where")
        if wanted is None:
            return ()
        if not isinstance(wanted, dict) or not wanted:
            self.wrong('`where` must be a table such as { path = "/prod/*" }')
            return ()
        found = []
        for path, value in wanted.items():
            try:
                found.append(read_condition(path, value))
            except ValueError as error:
                self.wrong(f"`where` {path}: {error}")
        return tuple(found)

    def question(self, *, asks: bool, timeout_s: float) -> Question:
        """Read the question of a rule that asks."""
        if not asks:
            for key in ("prompt", "timeout", "default"):
                if self.has(key):
                    self._pop(key)
                    self.wrong(f"`{key}` applies only to rules that ask")
            return Question()
        timeout = self.amount("timeout", timeout_s) or timeout_s
        return Question(
            self.text("prompt"), timeout, self.choice("default", ("deny", "allow"), "deny")
        )

    def finish(self) -> None:
        """Add a mistake for each unknown key."""
        for key in self._cells:
            near = get_close_matches(key, self._known, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(self._known)}"
            self.wrong(f"unknown key `{key}`; {hint}")

    def _pop(self, key: str) -> Any:
        self._known.append(key)
        return self._cells.pop(key, None)


def _policy(table: _Table, action: Action, timeout_s: float) -> Policy:
    policy = Policy(
        name=table.name,
        action=action,
        source=table.source,
        hooks=table.hooks(),
        tools=table.globs("tools"),
        servers=table.globs("servers"),
        agents=table.globs("agents"),
        where=table.where(),
        reason=table.text("reason"),
        question=table.question(asks=action in ("ask", "break"), timeout_s=timeout_s),
    )
    if policy.tools is not None and policy.hooks != (BEFORE_TOOL_CALL,):
        table.wrong(f'`tools` applies only to `on = "{BEFORE_TOOL_CALL}"`; use `where`')
    return policy


def _budget(table: _Table) -> Budget:
    of = table.choice("of", tuple(UNITS))
    at = table.amount("at")
    if at is None:
        table.wrong("`at` is missing; set it to the limit")
        at = 1.0
    warn_at = table.amount("warn_at")
    if warn_at is not None and warn_at >= at:
        table.wrong("`warn_at` must be below `at`")
    action = table.choice("action", ("stop", "ask"), "stop")
    if table.has("step") and action == "stop":
        table.wrong("`step` applies only to budgets that ask")
    if table.has("tools") and of != "calls":
        table.wrong('`tools` applies only to `of = "calls"`')
    return Budget(
        name=table.name,
        of=of,
        at=at,
        warn_at=warn_at,
        step=table.amount("step", at) or at,
        is_asking=action == "ask",
        is_per_process=table.choice("per", ("session", "process"), "session") == "process",
        stops_at_unknown=table.choice("unknown", ("stop", "ignore"), "stop") == "stop",
        tools=table.globs("tools"),
        question=table.question(asks=action == "ask", timeout_s=300.0),
        source=table.source,
    )
