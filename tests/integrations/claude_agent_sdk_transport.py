"""A command line of the Claude Agent SDK without a process: it answers one prompt."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from claude_agent_sdk import Transport


class ScriptedTransport(Transport):
    """Speaks the protocol of `claude`: a hook at the prompt, an answer, a result."""

    def __init__(self) -> None:
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._hooks: dict[str, Any] = {}

    async def connect(self) -> None:
        """Do nothing: there is no process."""

    async def write(self, data: str) -> None:
        """Answer what the SDK writes."""
        message = json.loads(data)
        if message["type"] == "control_request":
            self._hooks = message["request"].get("hooks") or {}
            done = {"subtype": "success", "request_id": message["request_id"], "response": {}}
            self._send("control_response", response=done)
        elif message["type"] == "user":
            callbacks = self._hooks.get("UserPromptSubmit") or []
            if not callbacks:
                self._answer()
            for one in callbacks:
                event = {"hook_event_name": "UserPromptSubmit", "prompt": "What?"}
                callback = {"callback_id": one["hookCallbackIds"][0], "input": event}
                request = {"subtype": "hook_callback", **callback}
                self._send("control_request", request_id="hook", request=request)
        else:
            self._answer()

    def _answer(self) -> None:
        answer = {"role": "assistant", "content": [{"type": "text", "text": "It is 3."}]}
        usage = {"input_tokens": 10, "output_tokens": 5}
        about = {"id": "m-1", "model": "scripted-1", "usage": usage}
        self._send("assistant", message={**answer, **about}, parent_tool_use_id=None)
        self._send(
            "result",
            **{"subtype": "success", "is_error": False, "result": "It is 3.", "num_turns": 1},
            **{"duration_ms": 1, "duration_api_ms": 1, "total_cost_usd": 0.1, "usage": usage},
        )
        self._send("end")

    def _send(self, kind: str, **message: Any) -> None:
        self._sent.put_nowait({"type": kind, "session_id": "s-1", **message})

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """Pass on what was sent."""
        while (message := await self._sent.get())["type"] != "end":
            yield message

    async def close(self) -> None:
        """Do nothing."""

    def is_ready(self) -> bool:
        """Return that it is."""
        return True

    async def end_input(self) -> None:
        """Do nothing."""
