"""What we mean to reach, and why others are faster where they are."""

from __future__ import annotations

from typing import NamedTuple

from dispatch_others import EMPTY, LOOP, SEED
from dispatch_ours import (
    EMIT_ASYNC,
    GUARDED,
)
from dispatch_work import NOTHING, ONE_ASYNC, OPERATION

IMPORT_GOAL_MS = 5.0


class Goal(NamedTuple):
    """Ours may take so many times what a floor or the seed's code takes."""

    ours: tuple[str, str]
    base: tuple[str, str]
    at_most: float


GOALS = (
    Goal((NOTHING, EMIT_ASYNC), (NOTHING, SEED), 0.6),
    Goal((NOTHING, EMIT_ASYNC), (NOTHING, EMPTY), 2.2),
    Goal((NOTHING, GUARDED), (NOTHING, EMPTY), 0.25),
    Goal((NOTHING, GUARDED), (NOTHING, SEED), 0.25),
    Goal((ONE_ASYNC, EMIT_ASYNC), (ONE_ASYNC, LOOP), 1.5),
    Goal((OPERATION, "operation, idle"), (NOTHING, EMPTY), 8),
    Goal((OPERATION, "operation, one observer"), (NOTHING, EMPTY), 50),
    Goal((OPERATION, "operation, one observer after"), (NOTHING, EMPTY), 50),
)

REASONS: dict[tuple[str, str], str] = {}
"""Whom we are slower than, and why; by how we are called, and who they are."""
