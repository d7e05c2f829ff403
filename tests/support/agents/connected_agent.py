"""An agent that opens requests through the control channel and answers its commands."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
from collections.abc import Callable
from threading import Condition, Event, Thread
from typing import Any, Self
from urllib.parse import quote

import httpx

from tests.support.agents.http_agent import opened
from tests.support.services.process import Service

DEADLINE_S = 20.0
_HEARTBEAT_S = 2.0
_RETRY_S = 0.1


class ConnectedAgent:
    """Follows its commands while it is entered, also over restarts of the service.

    Args:
        service: The service to connect to.
        process_id: The id it registers.
        reply: Its answer to each command: applied, and the reason if not.
        follows: Whether it receives commands.
    """

    def __init__(
        self,
        service: Service,
        process_id: str = "asking-agent",
        *,
        reply: tuple[bool, str | None] = (True, None),
        follows: bool = True,
    ) -> None:
        self.process_id = process_id
        self.reply: tuple[bool, str | None] | None = reply
        """None: it acknowledges nothing, as if it were busy."""
        self._path = f"/processes/{quote(process_id, safe='')}"
        self._client = httpx.Client(
            base_url=service.url,
            headers=service.headers,
            timeout=10,
            verify=False,  # plain HTTP: no certificates to read
        )
        self._numbers = itertools.count(1)
        self._changed = Condition()
        self._commands: dict[int, dict[str, Any]] = {}
        self._ended = Event()
        self._following = Event()
        work = (self._follow, self._beat) if follows else ()
        self._threads = [Thread(target=one, daemon=True) for one in work]
        self._socket: socket.socket | None = None
        self.register()

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        assert not self._threads or self._following.wait(DEADLINE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        with contextlib.suppress(httpx.HTTPError):
            self._send({"type": "goodbye"})
        if self._socket is not None:  # `close` does not wake a thread that waits for a command
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(DEADLINE_S)
        self._client.close()

    @property
    def commands(self) -> list[dict[str, Any]]:
        """The commands so far, in their order."""
        with self._changed:
            return list(self._commands.values())

    def register(self) -> None:
        """Register the process, also with a service that was away."""
        hello = {"name": "asking agent", "pid": 1, "host": "here"}
        self._client.put(self._path, json=hello).raise_for_status()

    def ask(self, request_id: str, **fields: Any) -> None:
        """Open a request; see `tests.support.agents.http_agent.opened`."""
        self.ask_all([opened(request_id, **fields)])

    def ask_all(self, requests: list[dict[str, Any]]) -> None:
        """Open many at once."""
        self._send(*({"type": "request_opened", "request": one} for one in requests))

    def close(self, request_id: str, status: str, reason: str | None = None) -> None:
        """Close a request."""
        self._send(
            {
                "type": "request_closed",
                "request_id": request_id,
                "status": status,
                "decision": None,
                "reason": reason,
            }
        )

    def acknowledge(self, seq: int, *, applied: bool = True, reason: str | None = None) -> None:
        """Acknowledge a command."""
        self._send({"type": "ack", "seq": seq, "applied": applied, "reason": reason})

    def answer_to(self, request_id: str) -> dict[str, Any]:
        """Wait for the answer to a request, and return it as received."""

        def find() -> dict[str, Any] | None:
            answers = [command["answer"] for command in self._commands.values()]
            return next((one for one in answers if one and one["request_id"] == request_id), None)

        answer: dict[str, Any] = self._wait_for(find)
        return answer

    def commands_of(self, kind: str) -> list[dict[str, Any]]:
        """Return the commands of one type so far."""
        return [one for one in self.commands if one["type"] == kind]

    def command(self, kind: str) -> dict[str, Any]:
        """Wait for a command of this type."""
        found: dict[str, Any] = self._wait_for(
            lambda: next((one for one in self._commands.values() if one["type"] == kind), None)
        )
        return found

    def wait_for_commands(self, count: int) -> list[dict[str, Any]]:
        """Return the commands, once there are `count`."""
        self._wait_for(lambda: len(self._commands) >= count)
        return self.commands

    def _wait_for(self, find: Callable[[], Any]) -> Any:
        with self._changed:
            assert self._changed.wait_for(find, DEADLINE_S), "the command did not come"
            return find()

    def _send(self, *messages: dict[str, Any]) -> None:
        numbered = [{"id": f"m{next(self._numbers)}", **message} for message in messages]
        self._client.post(f"{self._path}/messages", json={"messages": numbered}).raise_for_status()

    def _beat(self) -> None:
        while not self._ended.wait(_HEARTBEAT_S):
            with contextlib.suppress(httpx.HTTPError):
                self._send({"type": "heartbeat"})

    def _follow(self) -> None:
        path = f"{self._path}/commands"
        while not self._ended.is_set():
            try:
                with self._client.stream("GET", path, params={"after": 0}, timeout=30) as stream:
                    self._socket = stream.extensions["network_stream"].get_extra_info("socket")
                    if self._ended.is_set():
                        return
                    self._following.set()
                    for line in stream.iter_lines():
                        if line.startswith("data:"):
                            self._receive(json.loads(line.removeprefix("data:")))
            except httpx.HTTPError:
                self._ended.wait(_RETRY_S)

    def _receive(self, command: dict[str, Any]) -> None:
        with self._changed:
            self._commands[command["seq"]] = command
            self._changed.notify_all()
        if self.reply is not None:
            applied, reason = self.reply
            self.acknowledge(command["seq"], applied=applied, reason=reason)
