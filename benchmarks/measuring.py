"""Time statements against each other in interleaved rounds; the best round counts.

So a busy moment of the machine hits all alike. What is printed from it are ratios, because
nanoseconds of one machine say little about another.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Coroutine, Iterable, Mapping
from time import perf_counter_ns
from types import MappingProxyType
from typing import Any, NamedTuple

ROUNDS = 80
ROUND_NS = 700_000
"""Approximate duration of a round of one case, short enough to run without interruption."""


class Case(NamedTuple):
    """One way to do one piece of work."""

    work: str
    """Name of the work; cases of the same work are compared."""
    who: str
    statement: str
    """The measured statement, executed in a loop inside a coroutine with `f` in scope."""
    f: Callable[..., Any]
    beside: str | None = None
    """Name of our case that it is compared with; None for our own cases and for lower bounds."""
    names: Mapping[str, Any] = MappingProxyType({})
    """Further names that the statement uses, with their values."""


async def best_times_ns(cases: Iterable[Case]) -> dict[tuple[str, str], float]:
    """Return the best time of each case by work and package, including the loop."""
    runs = {(case.work, case.who): _Run(case) for case in cases}
    for run in runs.values():
        await run.calibrate()
    gc.collect()
    gc.disable()  # else one case pays for what all have left behind
    try:
        for _ in range(ROUNDS):
            for run in runs.values():
                await run.round()
            gc.collect(0)
    finally:
        gc.enable()
    return {key: run.best_ns for key, run in runs.items()}


class _Run:
    def __init__(self, case: Case) -> None:
        self.best_ns = float("inf")
        self._loop = _loop_of(case)
        self._f = case.f
        self._repeat = 20

    async def calibrate(self) -> None:
        await self.round()
        await self.round()
        self._repeat = max(5, min(2_000, round(ROUND_NS / self.best_ns)))
        self.best_ns = float("inf")

    async def round(self) -> None:
        began_ns = perf_counter_ns()
        await self._loop(self._f, self._repeat)
        took_ns = (perf_counter_ns() - began_ns) / self._repeat
        self.best_ns = min(self.best_ns, took_ns)


def _loop_of(case: Case) -> Callable[..., Coroutine[Any, Any, None]]:
    made = dict(case.names)
    exec(f"async def loop(f, n):\n    for _ in range(n):\n        {case.statement}\n", made)
    loop: Callable[..., Coroutine[Any, Any, None]] = made["loop"]
    return loop
