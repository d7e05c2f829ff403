"""Cancellation of a run's session, as the browser sends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from inspector.agent_side.control.gate import Gate, SessionRef
from inspector.agent_side.control.hold import Issuer
from tests.support.agents.wired_bus import WiredBus

DEADLINE_S = 30


async def cancel_from_browser(
    attach: Callable[..., Callable[[], None]],
    run: Callable[[asyncio.Event], Awaitable[Any]],
    *,
    ends_with: tuple[type[BaseException], ...] = (asyncio.CancelledError,),
) -> list[str]:
    """Cancel the session of `run` once it has set its event; return the ended spans."""
    wired, running = WiredBus(), asyncio.Event()
    wired.session = "s-1"
    gate = Gate(wired.bus, wired.wiring.location_of, wired.wiring.open_operations)
    detach = attach(bus=wired.bus)
    try:
        task = asyncio.ensure_future(run(running))
        await asyncio.wait_for(running.wait(), DEADLINE_S)
        assert gate.cancel(SessionRef("s-1"), Issuer("ANNA", "browser", "enough")).applied
        with pytest.raises(ends_with):
            await asyncio.wait_for(task, DEADLINE_S)
    finally:
        detach()
        wired.wiring.undo()
    return sorted(wired.spans())
