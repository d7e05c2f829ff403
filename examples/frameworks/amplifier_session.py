"""Amplifier, watched: `inspector.attach()` is all. `inspector serve` runs beside."""

import asyncio

import inspector

inspector.attach()

import amplifier_pocket  # four modules that need no network
from amplifier_core import AmplifierSession

PLAN = {
    "session": {"orchestrator": "loop-pocket", "context": "context-pocket"},
    "providers": [{"module": "provider-pocket"}],
    "tools": [{"module": "tool-pocket"}],
}


async def main():
    amplifier_pocket.install()
    async with AmplifierSession(PLAN) as session:
        for question in ("r in strawberry", "rr in strawberry", "b in strawberry"):
            print(question, "=", await session.execute(question))


asyncio.run(main())
