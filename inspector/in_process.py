"""Ask a service that runs in this very process, as any other caller would."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
from opentelemetry import context as otel_context

from inspector.client import RefusedError


async def ask(app: Any, token: str, path: str, query: dict[str, object]) -> Any:
    """Return the JSON at `path` of the service `app`, which runs in this process.

    Args:
        app: Its ASGI application; the parts are open.
        token: Its token.
        path: Of a route that reads.
        query: Parameters; those that are None are left out.

    Raises:
        RefusedError: The answer is a problem.
    """
    # Instrumented HTTP clients would make a span of the question, and send it to us.
    suppress = otel_context._SUPPRESS_INSTRUMENTATION_KEY
    mark = otel_context.attach(otel_context.set_value(suppress, True))
    try:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Bearer {token}"},
            follow_redirects=True,  # of a session that was merged into another
        ) as client:
            params = {name: str(value) for name, value in query.items() if value is not None}
            answer = await client.get(path, params=params)
    finally:
        otel_context.detach(mark)
    body = await asyncio.to_thread(answer.json)  # it may be large, and the loop is the service's
    if answer.is_success:
        return body
    raise RefusedError(str(body.get("detail", answer.status_code)), body)
