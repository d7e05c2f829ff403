"""Call a service that runs in this very process, as any other caller would."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
from opentelemetry import context as otel_context

from inspector.errors import RefusedError


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
        path: Of a route.
        query: Parameters; those that are None are left out.
        body: JSON to send.
        is_change: The route changes something: what is sent is not sent on to another.
        headers: To add.
        peer: Address of whom it is asked for; None: this machine.

    Raises:
        RefusedError: The answer is a problem.
    """
    # Instrumented HTTP clients would make a span of the question, and send it to us.
    suppress = otel_context._SUPPRESS_INSTRUMENTATION_KEY
    mark = otel_context.attach(otel_context.set_value(suppress, True))
    try:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app, client=(peer or "127.0.0.1", 0)),
            base_url="http://127.0.0.1",
            headers={**(headers or {}), "Authorization": f"Bearer {token}"},
            follow_redirects=not is_change,  # of a session that was merged into another
        ) as client:
            params = {name: str(value) for name, value in query.items() if value is not None}
            method = "POST" if is_change else "GET"
            answer = await client.request(method, path, params=params, json=body)
    finally:
        otel_context.detach(mark)
    told = await asyncio.to_thread(answer.json)  # it may be large, and the loop is the service's
    if answer.is_success:
        return told
    raise RefusedError(str(told.get("detail", answer.status_code)), told)
