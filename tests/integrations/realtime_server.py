"""A server of the Realtime API on a local websocket, with the responses of its script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

USAGE = {
    "total_tokens": 15,
    "input_tokens": 10,
    "output_tokens": 5,
    "input_token_details": {
        "text_tokens": 2,
        "audio_tokens": 8,
        "cached_tokens": 4,
        "cached_tokens_details": {"text_tokens": 1, "audio_tokens": 3},
    },
    "output_token_details": {"text_tokens": 1, "audio_tokens": 4},
}
SESSION = {"type": "realtime", "model": "gpt-realtime", "object": "realtime.session"}


def says(*words: str, status: str = "completed", **details: Any) -> list[dict[str, Any]]:
    """Return the events of a response that is spoken, with some bytes of audio."""
    where = {"response_id": "", "item_id": "", "output_index": 0, "content_index": 0}
    text = "".join(words)
    events = [
        {**where, "type": "response.output_audio_transcript.delta", "delta": word} for word in words
    ]
    events.append({**where, "type": "response.output_audio.delta", "delta": "AAAA"})
    content = [{"type": "output_audio", "transcript": text}]
    ended = "completed" if status == "completed" else "incomplete"
    item = {"id": "", "type": "message", "role": "assistant", "status": ended, "content": content}
    return [*events, _item_done(item), _done(status, [item], **details)]


def calls(name: str, args: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a response that calls a tool."""
    about = {"name": name, "call_id": "", "arguments": json.dumps(args), "status": "completed"}
    item = {"id": "", "type": "function_call", **about}
    return [_item_done(item), _done("completed", [item])]


def _item_done(item: dict[str, Any]) -> dict[str, Any]:
    about = {"response_id": "", "output_index": 0}
    return {"type": "response.output_item.done", **about, "item": item}


def _done(status: str, output: list[Any], **details: Any) -> dict[str, Any]:
    response: dict[str, Any] = {"id": "", "object": "realtime.response", "status": status}
    response["output"] = output
    if details:
        response["status_details"] = {"type": status, **details}
    return {"type": "response.done", "response": {**response, "usage": USAGE}}


class RealtimeServer:
    """The server's side of one connection.

    Attributes:
        received: Everything that the client has sent.
    """

    url = ""

    def __init__(self, *script: list[dict[str, Any]]) -> None:
        self.received: list[dict[str, Any]] = []
        self._script = list(script)
        self._count = 0
        self._connection: ServerConnection | None = None

    def outputs(self) -> list[str]:
        """Return the outputs of tools, as the model read them."""
        items = [one.get("item", {}) for one in self.received]
        return [one["output"] for one in items if one.get("type") == "function_call_output"]

    async def send(self, event: dict[str, Any]) -> None:
        """Send an event."""
        assert self._connection is not None
        self._count += 1
        await self._connection.send(json.dumps({"event_id": f"event-{self._count}", **event}))

    async def drop(self) -> None:
        """Drop the connection without a word."""
        assert self._connection is not None
        self._connection.transport.abort()

    async def _converse(self, connection: ServerConnection) -> None:
        self._connection = connection
        await self.send({"type": "session.created", "session": SESSION})
        async for text in connection:
            event = json.loads(text)
            self.received.append(event)
            if event["type"] == "session.update":
                await self.send({"type": "session.updated", "session": SESSION})
            elif event["type"] == "conversation.item.create":
                item = {"id": f"item-{len(self.received)}", **event["item"]}
                await self.send({"type": "conversation.item.added", "item": item})
            elif event["type"] == "response.create":
                await self._respond()

    async def _respond(self) -> None:
        if not self._script:
            return
        events, number = self._script.pop(0), self._count
        ids = {"id": f"id-{number}", "call_id": f"call-{number}"}
        ids |= {"item_id": ids["id"], "response_id": f"response-{number}"}
        about = {"id": ids["response_id"], "object": "realtime.response", "status": "in_progress"}
        await self.send({"type": "response.created", "response": {**about, "output": []}})
        for event in events:
            await self.send(_filled(event, ids))


def _filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_filled(one, ids) for one in value]
    if not isinstance(value, dict):
        return value
    is_response = value.get("object") == "realtime.response"
    names = {**ids, "id": ids["response_id"]} if is_response else ids
    return {
        name: names[name] if one == "" and name in names else _filled(one, ids)
        for name, one in value.items()
    }


@asynccontextmanager
async def realtime_server(*script: list[dict[str, Any]]) -> AsyncIterator[RealtimeServer]:
    """Run a server whose address is `url`."""
    server = RealtimeServer(*script)
    async with serve(server._converse, "127.0.0.1", 0) as listening:
        port = next(iter(listening.sockets)).getsockname()[1]
        server.url = f"ws://127.0.0.1:{port}"
        yield server
