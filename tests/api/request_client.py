"""A client that reads requests and answers them by the API, as a person does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx

from tests.support.services.event_stream import stream_items
from tests.support.services.process import Service

DEADLINE_S = 30.0

Row = dict[str, Any]


class RequestClient:
    """The requests of a running service."""

    def __init__(self, service: Service, actor: str = "ANNA") -> None:
        self._service = service
        self._headers = {**service.headers, "Inspector-Actor": actor}

    def wait_for(self, is_there: Callable[[list[Row]], object]) -> list[Row]:
        """Return all requests, newest first, as soon as they are as `is_there` wants them."""
        deadline = time.monotonic() + DEADLINE_S
        with httpx.stream(
            "GET", f"{self._service.url}/events", headers=self._headers, timeout=DEADLINE_S
        ) as answer:
            if is_there(found := self.requests()):
                return found
            for item in stream_items(answer.iter_lines()):
                if item.data.get("request") is not None and is_there(found := self.requests()):
                    return found
                if time.monotonic() > deadline:
                    break
        raise AssertionError(f"it did not come to that: {self.requests()}")

    def wait_for_pending(self, count: int = 1) -> list[Row]:
        """Return the pending requests, once there are `count`."""
        found = self.wait_for(lambda rows: len(_pending(rows)) >= count)
        return _pending(found)

    def requests(self) -> list[Row]:
        """Return all requests, newest first."""
        rows: list[Row] = self._service.get("/requests?limit=100")["requests"]
        return rows

    def answer(self, request: Row, decision: str, **parts: Any) -> httpx.Response:
        """Answer one, about the arguments that it shows."""
        return httpx.post(
            f"{self._service.url}/requests/{request['id']}",
            headers=self._headers,
            json={"decision": decision, "args_hash": request["args_hash"], **parts},
            timeout=10,
        )


def _pending(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["status"] == "pending"]
