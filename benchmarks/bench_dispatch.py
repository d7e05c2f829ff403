# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "amplifier-core>=2",
#     "blinker>=1.9",
#     "pluggy>=1.6",
#     "pyee>=13",
#     "strands-agents>=1.60",
# ]
# ///
"""Cost of hooks: ours, mcp-agent's code, the floors and five public registries.

`make bench`, or `uv run --script benchmarks/bench_dispatch.py`, which installs the five in an
environment of their own (they hold back versions of what we use).

Same work for all: the same number of call-backs that do nothing, plain or coroutine functions as
the library has them, and a decision where the library can decide. What is not ours is compared
with that of ours which does the same; the last section says where we lose.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dispatch_floors import EMPTY, floors
from dispatch_goals import GOALS, IMPORT_GOAL_MS, REASONS
from dispatch_others import other_cases
from dispatch_ours import our_cases
from dispatch_work import NOTHING
from importing import floor, import_times
from measuring import Case, best_times_ns

VOCABULARIES = ("control", "typed", "flow", "guidance")

Times = dict[tuple[str, str], float]


def main() -> None:
    """Measure and print."""
    logging.disable()
    cases = [*floors(), *our_cases(), *other_cases()]
    times_ns = asyncio.run(best_times_ns(cases))
    print_table(cases, times_ns)
    print_imports()
    print_goals(times_ns)
    print_losses(cases, times_ns)


def print_table(cases: Sequence[Case], times_ns: Times) -> None:
    """Print every case, beside an awaited empty coroutine and beside ours."""
    for work in dict.fromkeys(case.work for case in cases):
        print(f"\n{work:<46} {'ns':>9} {'x empty':>9} {'x ours':>9}  (ours)")
        for case in (case for case in cases if case.work == work):
            ns = times_ns[work, case.who]
            row = f"  {case.who:<44} {ns:9.0f} {ns / times_ns[NOTHING, EMPTY]:9.2f}"
            if case.beside is not None:
                row += f" {ns / times_ns[work, case.beside]:9.2f}  ({case.beside})"
            print(row)


def print_imports() -> None:
    """Print the time and memory that importing us adds to a process."""
    print(f"\n{'import, beside asyncio, logging, dataclasses':<46} {'best ms':>9} {'median':>9}")
    ours = import_times("instrument")
    for what, times in (
        (f"floor: {ours.module_count} empty modules", floor(ours.module_count)),
        ("instrument", ours),
        *((f"instrument.{name}", import_times(f"instrument.{name}")) for name in VOCABULARIES),
    ):
        print(f"  {what:<44} {times.best_ms:9.1f} {times.median_ms:9.1f}")
    verdict = "ok" if ours.best_ms <= IMPORT_GOAL_MS else "MISSED"
    print(f"  goal: instrument <= {IMPORT_GOAL_MS:g} ms, {verdict}")


def print_goals(times_ns: Times) -> None:
    """Print which goals are reached."""
    print(f"\n{'goals':<70} {'ratio':>7}  {'goal':>7}")
    for goal in GOALS:
        ratio = times_ns[goal.ours] / times_ns[goal.base]
        verdict = "ok" if ratio <= goal.at_most else "MISSED"
        what = f"{goal.ours[1]}, {goal.ours[0]} / {goal.base[1]}"
        print(f"  {what:<68} {ratio:7.2f}  <= {goal.at_most:4g} {verdict}")


def print_losses(cases: Sequence[Case], times_ns: Times) -> None:
    """Print the packages that do the same work faster, and the reasons."""
    print("\nWhere others are faster, and why")
    for case in cases:
        if case.beside is None:
            continue
        ratio = times_ns[case.work, case.beside] / times_ns[case.work, case.who]
        if ratio > 1:
            why = REASONS.get((case.beside, case.who), "no reason is known yet")
            print(f"  {case.who} is {ratio:.2f} x as fast as {case.beside}: {case.work}")
            print(fill(why, 96, initial_indent="      ", subsequent_indent="      "))


if __name__ == "__main__":
    main()
