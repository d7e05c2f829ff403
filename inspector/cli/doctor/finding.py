"""The result of one check of the doctor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["ok", "warn", "fail"]

OK: Level = "ok"
WARN: Level = "warn"
"""It works, but perhaps not as expected."""
FAIL: Level = "fail"
"""Something does not work."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The subject of a check, its state, and advice."""

    level: Level
    subject: str
    message: str
    advice: str = ""
