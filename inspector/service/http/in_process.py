"""Calls of the routes of a service that runs in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.errors import RefusedError
from inspector.service.otlp.untraced import untraced

if TYPE_CHECKING:
    import httpx


def client_of(
    app: Any, token: str, headers: Mapping[str, str] | None = None, peer: str | None = None
) -> httpx.AsyncClient:
    """Return a client of the service `app`; see `ask`. Send with it inside of `untraced`."""
    import httpx  # noqa: PLC0415 - a twentieth of the start, and few ask

    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, client=(peer or "127.0.0.1", 0)),
        base_url="http://127.0.0.1",
        headers={**(headers or {}), "Authorization": f"Bearer {token}"},
    )


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
        query: Parameters; those that are None are left out, a list is one for each of its values.
        body: JSON to send.
        is_change: The route changes something: a redirect is not followed.
        headers: To add.
        peer: Address of the client that this is called for; None: this machine.

    Raises:
        RefusedError: The answer is a problem.
    """
    with untraced():
        async with client_of(app, token, headers, peer) as client:
            params = {
                name: [*map(str, value)] if isinstance(value, list) else str(value)
                for name, value in query.items()
                if value is not None
            }
            method = "POST" if is_change else "GET"
            response = await client.request(
                method,
                path,
                params=params,
                json=body,
                follow_redirects=not is_change,  # of a session that was merged into another
            )
    answer = await asyncio.to_thread(response.json)  # may be large, and the loop is the service's
    if response.is_success:
        return answer
    raise _refused(answer)


async def read(app: Any, token: str, path: str) -> bytes:
    """Return the bytes at `path`; see `ask`.

    Raises:
        RefusedError: The answer is a problem.
    """
    with untraced():
        async with client_of(app, token) as client:
            response = await client.get(path, follow_redirects=True)
    if response.is_success:
        return response.content
    raise _refused(response.json())


def _refused(problem: dict[str, Any]) -> RefusedError:
    return RefusedError(str(problem.get("detail", problem.get("status"))), problem)
