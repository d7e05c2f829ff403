"""An agent in another process that asks through the channel and follows the answers."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import time
from collections.abc import Callable
from threading import Condition, Event, Thread
from typing import Any

import httpx

from tests.support.agents.http_agent import opened

DEADLINE_S = 20.0
_HEARTBEAT_S = 2.0
_RETRY_S = 0.1


class AskingAgent:
    """Opens requests over HTTP, follows its commands, and acknowledges each."""

    def __init__(self, url: str, token: str, process_id: str = "asking-agent") -> None:
        self._client = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=10,
            verify=False,  # plain HTTP: no certificates to read
        )
        self._process_id = process_id
        self._numbers = itertools.count(1)
        self._changed = Condition()
        self._commands: dict[int, dict[str, Any]] = {}
        self._ended = Event()
        self._following = Event()
        self._threads = [Thread(target=work, daemon=True) for work in (self._follow, self._beat)]
        self._wire: socket.socket | None = None
        self.acknowledges = True
        """False: it takes nothing, as if it were busy."""

    def __enter__(self) -> AskingAgent:
        self.return_to()
        for thread in self._threads:
            thread.start()
        assert self._following.wait(DEADLINE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._wire is not None:  # who waits for a command is not woken by `close`
            with contextlib.suppress(OSError):
                self._wire.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(DEADLINE_S)
        self._client.close()

    def return_to(self) -> None:
        """Say who it is, to a service that may have been away."""
        hello = {"name": "asking agent", "pid": 1, "host": "here"}
        self._client.put(f"/processes/{self._process_id}", json=hello).raise_for_status()

    def ask(self, request_id: str, **fields: Any) -> None:
        """Open a request; see `tests.support.agents.http_agent.opened`."""
        self.ask_all([opened(request_id, **fields)])

    def ask_all(self, requests: list[dict[str, Any]]) -> None:
        """Open many at once."""
        self._send(*({"type": "request_opened", "request": one} for one in requests))

    def close(self, request_id: str, status: str, reason: str | None = None) -> None:
        """Say that one ended."""
        self._send(
            {
                "type": "request_closed",
                "request_id": request_id,
                "status": status,
                "decision": None,
                "reason": reason,
            }
        )

    def acknowledge(self, seq: int) -> None:
        """Say that a command was carried out."""
        self._send({"type": "ack", "seq": seq, "applied": True, "reason": None})

    def answer_to(self, request_id: str) -> dict[str, Any]:
        """Wait for the answer to a request, and return it as it came."""

        def find() -> dict[str, Any] | None:
            answers = [command["answer"] for command in self._commands.values()]
            return next((one for one in answers if one and one["request_id"] == request_id), None)

        answer: dict[str, Any] = self._wait_for(find)
        return answer

    def commands(self, kind: str) -> list[dict[str, Any]]:
        """Return the commands of one type that came so far."""
        with self._changed:
            return [one for one in self._commands.values() if one["type"] == kind]

    def command(self, kind: str) -> dict[str, Any]:
        """Wait for a command of this type."""
        found: dict[str, Any] = self._wait_for(lambda: next(iter(self.commands(kind)), None))
        return found

    def _wait_for(self, find: Callable[[], Any]) -> Any:
        with self._changed:
            assert self._changed.wait_for(find, DEADLINE_S), "the command did not come"
            return find()

    def _send(self, *messages: dict[str, Any]) -> None:
        numbered = [{"id": f"m{next(self._numbers)}", **message} for message in messages]
        self._client.post(
            f"/processes/{self._process_id}/messages", json={"messages": numbered}
        ).raise_for_status()

    def _beat(self) -> None:
        while not self._ended.wait(_HEARTBEAT_S):
            try:
                self._send({"type": "heartbeat"})
            except httpx.HTTPError:
                continue

    def _follow(self) -> None:
        path = f"/processes/{self._process_id}/commands"
        started = time.monotonic()
        while not self._ended.is_set() and time.monotonic() - started < 600:
            try:
                with self._client.stream("GET", path, params={"after": 0}, timeout=30) as stream:
                    self._wire = stream.extensions["network_stream"].get_extra_info("socket")
                    if self._ended.is_set():
                        return
                    self._following.set()
                    for line in stream.iter_lines():
                        if line.startswith("data:"):
                            self._take(json.loads(line.removeprefix("data:")))
            except httpx.HTTPError:
                self._ended.wait(_RETRY_S)

    def _take(self, command: dict[str, Any]) -> None:
        with self._changed:
            self._commands[command["seq"]] = command
            self._changed.notify_all()
        if self.acknowledges:
            self.acknowledge(command["seq"])
