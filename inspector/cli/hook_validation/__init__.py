"""Check a module of hooks against the contract of `instrument.control`.

    report = validate(Path("my-hook"))

The source is checked first. Without an error, the module is mounted on a coordinator of its own in
a process of its own, with a time limit. The source of the registered handlers is checked last.
"""

from __future__ import annotations

from pathlib import Path

from inspector.cli.hook_validation.checks import check_handlers, check_module
from inspector.cli.hook_validation.finding import ERROR, RULES, Finding, Report
from inspector.cli.hook_validation.target import UnreadablePathError, locate
from inspector.cli.hook_validation.trial import TIME_LIMIT_S, mount_on_trial

__all__ = ["RULES", "Finding", "Report", "UnreadablePathError", "validate"]


def validate(path: Path, *, time_limit_s: float = TIME_LIMIT_S) -> Report:
    """Check the Python file, the package or the distribution at `path`.

    Runs the module's code, unless its source has an error.

    Args:
        path: A `.py` file, a folder with `__init__.py`, or one with `pyproject.toml`.
        time_limit_s: Time limit for importing and mounting each entry point, in seconds.

    Raises:
        UnreadablePathError: There is no module at `path`.
    """
    target = locate(path)
    found = [*target.findings, *check_module(target)]
    if not any(finding.level == ERROR for finding in found):
        trials = [mount_on_trial(target, entry, time_limit_s) for entry in target.entries]
        found += [finding for trial in trials for finding in trial.findings]
        found += check_handlers(target, {place for trial in trials for place in trial.handlers})
    return Report(str(path), sorted(set(found), key=_order))


def _order(finding: Finding) -> tuple[bool, str, int, str]:
    return finding.level != ERROR, finding.path or "", finding.line or 0, finding.code
