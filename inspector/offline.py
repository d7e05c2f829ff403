"""Read the store when no service runs: the same routes, asked in this process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx

from inspector.app import access_token, create_app
from inspector.client import RefusedError
from inspector.settings import Settings


@dataclass(frozen=True)
class OfflineClient:
    """Answers as a service on this store would."""

    settings: Settings

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            RefusedError: The answer is a problem.
            StoreError: The store cannot be opened.
        """
        return asyncio.run(self._get(path, query))

    async def _get(self, path: str, query: dict[str, object]) -> Any:
        # Nothing may go out from a command that only reads.
        app = create_app(self.settings.model_copy(update={"forward_otlp": ()}))
        bearer = {"Authorization": f"Bearer {access_token(self.settings)}"}
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1", headers=bearer
            ) as client:
                params = {name: str(value) for name, value in query.items() if value is not None}
                answer = await client.get(path, params=params)
        if answer.is_success:
            return answer.json()
        raise RefusedError(str(answer.json().get("detail", answer.status_code)))
