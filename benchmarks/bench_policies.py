"""Cost of policies per tool call, beside the same call without any.

A hundred policies, none or one of which applies; budgets; and one interceptor for each policy,
which is what it would cost without one that speaks for all.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from pathlib import Path
from typing import Any

from measuring import Case, best_times_ns

from inspector.agent_side.policies.file import parse
from inspector.agent_side.policies.installation import enforce
from instrument import Bus

IDLE, ONE = "no hook", "one interceptor, no objection"
WORK = "one tool call as an operation"
CALL = "async with f('tool_call', tool_name='read_file', args=args): pass"
ARGS = {"path": "/home/me/project/README.md", "options": {"limit": 10, "force": False}}

BY_NAME = "".join(
    f'[[policies]]\ntools = ["tool_{number}_*"]\naction = "deny"\n' for number in range(100)
)
BY_GLOB = "".join(
    f'[[policies]]\nwhere = {{ path = "/prod/{number}/*" }}\naction = "deny"\n'
    for number in range(100)
)
BY_FOLDER = '[[policies]]\nwhere = { path = { under = "/prod" } }\naction = "deny"\n'
ALLOWED = BY_NAME + '[[policies]]\ntools = ["read_*"]\naction = "allow"\n'
BUDGETS = (
    '[[budgets]]\nname = "c"\nof = "calls"\nat = 1e15\n'
    '[[budgets]]\nname = "t"\nof = "tokens"\nat = 1e15\n'
    '[[budgets]]\nname = "s"\nof = "seconds"\nat = 1e15\n'
)


def with_rules(text: str) -> Bus:
    """Return a bus on which `text` is in force."""
    bus = Bus()
    enforce(bus, [parse(text, Path("inspector.toml"))])
    return bus


def with_interceptors(count: int) -> Bus:
    """Return a bus with `count` interceptors, each with one policy by name."""
    bus = Bus()
    for number in range(count):
        bus.intercept(
            "before_tool_call", partial(deny_by_name, f"tool_{number}_"), name=str(number)
        )
    return bus


def deny_by_name(prefix: str, /, tool_name: str, **_: Any) -> None:
    """Act as a policy by name that does not apply."""
    assert not tool_name.startswith(prefix)


def main() -> None:
    """Measure and print."""
    logging.disable()
    buses = {
        IDLE: Bus(),
        ONE: with_interceptors(1),
        "100 policies by tool, none applies": with_rules(BY_NAME),
        "100 policies by tool, the next allows": with_rules(ALLOWED),
        "100 policies by argument, none applies": with_rules(BY_GLOB),
        "1 policy by folder (asks the file system)": with_rules(BY_FOLDER),
        "3 budgets": with_rules(BUDGETS),
        "100 interceptors": with_interceptors(100),
    }
    cases = [
        Case(WORK, who, CALL, bus.operation, names={"args": ARGS}) for who, bus in buses.items()
    ]
    times_ns = asyncio.run(best_times_ns(cases))
    idle_ns = times_ns[WORK, IDLE]
    print(f"{WORK:<46} {'µs':>8} {'x idle':>8}")
    for case in cases:
        ns = times_ns[WORK, case.who]
        print(f"  {case.who:<44} {ns / 1000:>8.2f} {ns / idle_ns:>8.1f}")


if __name__ == "__main__":
    main()
