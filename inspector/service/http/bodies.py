"""Read request bodies with time limits, so that slow senders cannot hold up shared memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi import Request

MAX_SILENCE_S = 30.0
"""Limit of the time between two parts of a body."""
MAX_BODY_S = 60.0
"""Limit of the time for a body in memory. Senders of OTLP give up after ten seconds."""


async def body_parts(request: Request, *, max_s: float | None = None) -> AsyncIterator[bytes]:
    """Yield the parts of the body.

    Args:
        request: The request.
        max_s: The limit for the whole body; None: none, while parts keep coming.

    Raises:
        TimeoutError: No part came for `MAX_SILENCE_S`, or not all of it in time.
        ClientDisconnect: The sender disconnected.
    """
    clock = asyncio.get_running_loop().time
    end_s = None if max_s is None else clock() + max_s
    chunks = request.stream()
    while True:
        left_s = MAX_SILENCE_S if end_s is None else min(MAX_SILENCE_S, end_s - clock())
        async with asyncio.timeout(left_s):
            chunk = await anext(chunks, None)
        if chunk is None:
            return
        yield chunk
