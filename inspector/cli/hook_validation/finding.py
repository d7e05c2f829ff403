"""Findings about a module of hooks: stable codes, severity, advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

ERROR, WARNING = "error", "warning"
_MAX_CHARS = 500


class Rule(NamedTuple):
    """A rule for modules of hooks.

    Attributes:
        level: `error` for a requirement of the contract, `warning` for a recommendation.
        advice: Advice for following the rule.
    """

    level: str
    advice: str


_REQUIRED = {
    # An entry point and its mount().
    "cannot-parse": "Make it valid UTF-8 Python.",
    "bad-pyproject": "Make pyproject.toml valid TOML with a [project] table.",
    "no-entry-point": 'Add [project.entry-points."amplifier.modules"] with a line such as '
    'my-hook = "my_hook:mount".',
    "bad-entry-point": 'Name a module of this distribution: "my_hook:mount".',
    "no-mount": "Add `async def mount(coordinator, config=None)`.",
    "mount-not-async": "Write `async def mount(coordinator, config=None)`.",
    "mount-signature": "Take two arguments: `mount(coordinator, config=None)`.",
    "mount-returns-other": "Return a function that cleans up, or None.",
    "nothing-registered": "Register a handler in mount(): "
    "coordinator.hooks.register(event, handler).",
    # Handlers that return a valid HookResult on every path, and do not crash.
    "handler-not-async": "Write `async def handler(event, data) -> HookResult`.",
    "handler-signature": "Take two arguments: `handler(event, data)`.",
    "return-missing": 'Return HookResult(action="continue") there.',
    "return-other": "Return a HookResult on every path.",
    "bad-result": "Make it a HookResult with the fields that its action needs.",
    "handler-raises": "Catch it, log it, and return a HookResult: deny, or continue without "
    "blocking.",
    # Checked by running it.
    "import-failed": "Let it be imported where it is installed, without arguments.",
    "mount-failed": "Let mount(coordinator, {}) succeed: give every setting a default.",
    "trial-timeout": "Do slow work in handlers or tasks, not at import or in mount().",
    "trial-died": "Do not end the process in import, mount() or cleanup.",
}
_RECOMMENDED = {
    "no-distribution": "Validate the folder with pyproject.toml: plans find modules by entry "
    "point.",
    "handler-unguarded": "Wrap it in try/except, log the error and return a HookResult.",
    "mount-needs-config": "Begin with `config = config or {}`.",
    "no-cleanup": "Return a function that calls what each register() returned.",
    "cleanup-failed": "Let cleanup() only unregister, and never raise.",
    "cleanup-incomplete": "Call what each register() returned, in cleanup().",
    "priority-range": "Give a priority from 10 to 90; lower is earlier.",
    "no-logging": "Log in mount() which handlers are registered.",
    "no-enabled-events": 'Register for config.get("enabled_events", [...]) and not for a fixed '
    "list.",
    "events-not-contributed": "Call "
    'coordinator.register_contributor("observability.events", name, lambda: [...]).',
    "foreign-import": "Import it from instrument.control or instrument.testing to run it here.",
    "nothing-registered-by-default": "Register for a default list of events when the "
    "configuration names none.",
}
RULES: Mapping[str, Rule] = {
    code: Rule(level, advice)
    for level, rules in ((ERROR, _REQUIRED), (WARNING, _RECOMMENDED))
    for code, advice in rules.items()
}


@dataclass(frozen=True)
class Finding:
    """A mistake in a module.

    Attributes:
        code: A key of `RULES`.
        problem: The mistake, as one line.
        path: The file, if there is one.
        line: From 1, if known.
    """

    code: str
    problem: str
    path: str | None = None
    line: int | None = None

    @property
    def level(self) -> str:
        """Return `error` or `warning`."""
        return RULES[self.code].level

    @property
    def advice(self) -> str:
        """Return the advice."""
        return RULES[self.code].advice

    @property
    def place(self) -> str:
        """Return `file:line`, as far as known."""
        return ":".join(str(part) for part in (self.path, self.line) if part is not None)


def finding(code: str, problem: str, path: Path | str | None = None, line: int = 0) -> Finding:
    """Make a finding from text of the module: one printable, bounded line."""
    shown = "".join(char if char.isprintable() else " " for char in problem)[:_MAX_CHARS]
    return Finding(code, shown, None if path is None else str(path), line or None)


@dataclass(frozen=True)
class Report:
    """The findings at a path; errors first."""

    path: str
    findings: list[Finding]

    def count(self, level: str) -> int:
        """Return the number of findings of `level`."""
        return sum(one.level == level for one in self.findings)

    @property
    def is_valid(self) -> bool:
        """Return whether there is no error."""
        return self.count(ERROR) == 0

    def as_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        return {
            "path": self.path,
            "is_valid": self.is_valid,
            "errors": self.count(ERROR),
            "warnings": self.count(WARNING),
            "findings": [
                {"level": one.level, **asdict(one), "advice": one.advice} for one in self.findings
            ],
        }
