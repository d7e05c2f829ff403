"""A clerk of a framework, who may not pay and finds nothing: run as a script with its name."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module

import inspector

inspector.attach()  # before anything of the framework is imported

framework = import_module(f"tests.integrations.{sys.argv[1]}_model")


def pay(amount: int) -> str:
    """Pay."""
    print("PAID")  # noqa: T201 - the test reads it
    return "paid"


def look(place: str) -> str:
    """Look."""
    raise framework.ToolError("nothing there")


async def main() -> None:
    """Stream each run of the framework's clerk."""
    for events in framework.clerk(pay, look, session_id=f"clerk-{sys.argv[1]}"):
        try:
            async for _ in events:
                pass
        except Exception as error:  # noqa: BLE001 - of the framework's type
            print("failed:", error)  # noqa: T201


asyncio.run(main())
