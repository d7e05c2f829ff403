"""Calls of the routes of a service that runs in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from inspector.errors import RefusedError
from inspector.service.otlp.untraced import untraced


async def ask(
    app: Any,
    token: str,
    path: str,
    query: Mapping[str, object],
    *,
    body: object = None,
    is_change: bool = False,
    headers: Mapping[str, str] | None = None,
    peer: str | None = None,
) -> Any:
    """Return the JSON at `path` of the service `app`, which runs in this process.

    Args:
        app: Its ASGI application; the parts are open.
        token: Its token.
        path: Path of a route.
        query: Parameters; those that are None are left out.
        body: JSON to send.
        is_change: The route changes something: a redirect is not followed.
        headers: To add.
        peer: Address of the client that this is called for; None: this machine.

    Raises:
        RefusedError: The answer is a problem.
    """
    import httpx  # noqa: PLC0415 - a twentieth of the start, and only tools of MCP ask

    transport = httpx.ASGITransport(app, client=(peer or "127.0.0.1", 0))
    with untraced():
        async with httpx.AsyncClient(
            transport=transport,
            base_url="http://127.0.0.1",
            headers={**(headers or {}), "Authorization": f"Bearer {token}"},
            follow_redirects=not is_change,  # of a session that was merged into another
        ) as client:
            params = {name: str(value) for name, value in query.items() if value is not None}
            method = "POST" if is_change else "GET"
            response = await client.request(method, path, params=params, json=body)
    answer = await asyncio.to_thread(response.json)  # may be large, and the loop is the service's
    if response.is_success:
        return answer
    raise RefusedError(str(answer.get("detail", response.status_code)), answer)
