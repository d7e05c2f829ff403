"""The agent's end of the control channel, over plain HTTP."""

from __future__ import annotations

import hashlib
import itertools
from typing import Any

import httpx


def hash_of(text: str) -> str:
    """Return the hash by which an answer names the arguments."""
    return hashlib.sha256(text.encode()).hexdigest()


def opened(request_id: str, **fields: Any) -> dict[str, Any]:
    """Return a request as an agent opens it: an approval in session S."""
    args_json = fields.get("args_json")
    return {
        "id": request_id,
        "session_id": "S",
        "trace_id": None,
        "span_id": None,
        "kind": "approval",
        "hook": "before_tool_call",
        "interceptor": "policy",
        "tool_name": "delete_file",
        "prompt": "Delete it?",
        "options": [],
        "args_json": None,
        "args_text": None,
        "args_hash": None if args_json is None else hash_of(args_json),
        "form_json": None,
        "signal_name": None,
        "default": "deny",
        "can_always": True,
        "age_ms": 0,
        "expires_in_ms": None,
        "keeps_args": False,
        **fields,
    }


class Agent:
    """Sends messages as an agent, each with an id."""

    def __init__(self, client: httpx.AsyncClient, process_id: str) -> None:
        self.client, self.process_id = client, process_id
        self._numbers = itertools.count(1)

    async def hello(self) -> httpx.Response:
        """Register the process."""
        body = {"name": "agent", "pid": 1, "host": "here"}
        return await self.client.put(f"/processes/{self.process_id}", json=body)

    async def send(self, *messages: dict[str, Any]) -> httpx.Response:
        """Send messages; each gets an id."""
        numbered = [{"id": f"m{next(self._numbers)}", **message} for message in messages]
        return await self.client.post(
            f"/processes/{self.process_id}/messages", json={"messages": numbered}
        )

    async def open(self, request_id: str, **fields: Any) -> list[str]:
        """Open a request; return the ids of the messages that were received."""
        answer = await self.send(
            {"type": "request_opened", "request": opened(request_id, **fields)}
        )
        assert answer.status_code == 200, answer.text
        received: list[str] = answer.json()["received"]
        return received

    async def close(
        self, request_id: str, status: str, decision: str | None = None, reason: str | None = None
    ) -> None:
        """Report how a request ended."""
        body = {"request_id": request_id, "status": status, "decision": decision, "reason": reason}
        assert (await self.send({"type": "request_closed", **body})).status_code == 200

    async def acknowledge(self, seq: int, *, applied: bool, reason: str | None = None) -> None:
        """Report the result of a command."""
        message = {"type": "ack", "seq": seq, "applied": applied, "reason": reason}
        assert (await self.send(message)).status_code == 200

    async def heartbeat(self) -> int:
        """Send a heartbeat; return the status of the response."""
        return (await self.send({"type": "heartbeat"})).status_code
