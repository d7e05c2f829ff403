"""Is it slower than before? `make bench-check`, or `python benchmarks/check.py [PART …] [--write]`.

Each part measures ratios: of our time to a floor's in the same run, so that they say something on
another machine, too. They are compared with those in `baseline.json`. One is slower, and the
command fails, when the median of three runs is above the baseline's by more than the tolerance,
which comes from how far repeated runs lie apart. `--write` measures the baseline anew, with seven
runs. Quiet machines only: whatever else runs is measured, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import platform
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from bench_bridge import ratio as bridge_ratio  # noqa: E402
from bench_bridge import settings as bridge_settings  # noqa: E402
from bench_reading import ratios as reading_ratios  # noqa: E402
from bench_start import FLOOR, OURS  # noqa: E402
from bench_start import measured as start_times  # noqa: E402
from dispatch_floors import EMPTY, floors  # noqa: E402
from dispatch_ours import our_cases  # noqa: E402
from dispatch_work import NOTHING  # noqa: E402
from importing import floor, import_times  # noqa: E402
from ingest_stages import measure_floors, measure_stages  # noqa: E402
from measuring import best_times_ns  # noqa: E402

BASELINE = HERE / "baseline.json"
RUNS, RUNS_OF_A_BASELINE = 3, 7
LEAST_TOLERANCE = 0.1
"""A ratio that moves by less is noise, however near each other the baseline's runs were."""

Ratios = dict[str, float]


def hooks() -> Ratios:
    """Return our ways to emit and decide, to an awaited empty coroutine."""
    cases = [*floors(), *our_cases()]
    times_ns = asyncio.run(best_times_ns(cases))
    empty_ns = times_ns[NOTHING, EMPTY]
    ours = {f"{case.work}: {case.who}": (case.work, case.who) for case in our_cases()}
    return {name: times_ns[key] / empty_ns for name, key in ours.items()}


def imports() -> Ratios:
    """Return importing the bus, to importing as many empty modules."""
    ours = import_times("instrument")
    return {"import instrument": ours.best_ms / floor(ours.module_count).best_ms}


def bridge() -> Ratios:
    """Return tool calls that are watched, to the SDK's own spans."""
    return {setting.title: bridge_ratio(setting) for setting in bridge_settings()}


def ingest() -> Ratios:
    """Return the CPU time of each stage of ingest, to that of bare SQLite."""
    bare_us, stages = measure_floors().bare_cpu_us, measure_stages(60)
    return {
        "ingest, read": stages.read_us / bare_us,
        "ingest, record": stages.record_us / bare_us,
        "ingest, commit": stages.commit_us / bare_us,
    }


def reading() -> Ratios:
    """Return the ways to read a session of 20 000 spans, to bare SQLite."""
    return asyncio.run(reading_ratios(20_000))


def start() -> Ratios:
    """Return the CPU time until the service answers, to that of a bare FastAPI app."""
    starts = start_times(3)
    return {"start of the service": starts[OURS].cpu_s / starts[FLOOR].cpu_s}


PARTS: dict[str, Callable[[], Ratios]] = {
    "hooks": hooks,
    "imports": imports,
    "bridge": bridge,
    "ingest": ingest,
    "reading": reading,
    "start": start,
}


def main() -> None:
    """Compare with the baseline, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all unless named")
    parser.add_argument("--write", action="store_true", help="measure the baseline anew")
    options = parser.parse_args()
    began_s = time.monotonic()
    measured = _measured(options.parts or PARTS, RUNS_OF_A_BASELINE if options.write else RUNS)
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {"ratios": {}}
    if options.write:
        _write(known["ratios"], measured)
        return
    slower = _compare(known, measured)
    print(f"\n{len(measured)} ratios in {time.monotonic() - began_s:.0f} s; {slower} slower")
    sys.exit(slower > 0)


def _measured(parts: Any, runs: int) -> dict[str, list[float]]:
    """Return the values of each ratio; the parts take turns, so that a busy minute hits all.

    Each runs in a process of its own: what one leaves behind costs the next one's collector.
    """
    measured: dict[str, list[float]] = {}
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        for _ in range(runs):
            for part in parts:
                for name, value in pool.submit(PARTS[part]).result().items():
                    measured.setdefault(name, []).append(value)
    return measured


def _write(known: dict[str, Any], measured: dict[str, list[float]]) -> None:
    for name, values in measured.items():
        middle = median(values)
        apart = max(abs(value - middle) for value in values) / middle
        known[name] = {
            "ratio": float(f"{middle:.3g}"),
            "tolerance": round(max(LEAST_TOLERANCE, 2 * apart), 2),
        }
    document = {"machine": _machine(), "ratios": known}
    BASELINE.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _compare(known: dict[str, Any], measured: dict[str, list[float]]) -> int:
    """Print each ratio beside its baseline; return how many are slower."""
    if known.get("machine") != _machine():
        print(f"The baseline is of another machine: {known.get('machine')}\n")
    slower = 0
    print(f"{'':82}{'before':>9}{'now':>9}{'change':>9}")
    for name, values in measured.items():
        now, before = median(values), known["ratios"].get(name)
        if before is None:
            print(f"{name:82}{'new':>9}{now:9.2f}")
            continue
        change = now / before["ratio"] - 1
        is_slower = change > before["tolerance"]
        slower += is_slower
        verdict = "  SLOWER" if is_slower else "  faster" if -change > before["tolerance"] else ""
        print(f"{name:82}{before['ratio']:9.2f}{now:9.2f}{change:+9.0%}{verdict}")
    return slower


def _machine() -> str:
    return f"{platform.machine()}, CPython {platform.python_version()}"


if __name__ == "__main__":
    main()
