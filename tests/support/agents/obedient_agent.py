"""An agent that carries out and acknowledges commands, over the real channel."""

from __future__ import annotations

import itertools
import json
import threading
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from tests.support.agents.http_agent import opened
from tests.support.services.process import DEADLINE_S, Service


class ObedientAgent:
    """Follows its commands while it is entered.

    Args:
        service: The service to connect to.
        process_id: The id it registers.
        does: Its answer to each command: applied, and the reason if not.
        follows: Whether it receives commands.
    """

    def __init__(
        self,
        service: Service,
        process_id: str = "p1",
        does: tuple[bool, str | None] = (True, None),
        *,
        follows: bool = True,
    ) -> None:
        self.commands: list[dict[str, Any]] = []
        self.process_id = process_id
        self._path, self._does = f"/processes/{quote(process_id, safe='')}", does
        self._ids = itertools.count(1)
        self._client = httpx.Client(
            base_url=service.url,
            headers={"authorization": f"Bearer {service.token}"},
            timeout=DEADLINE_S,
        )
        hello = self._client.put(self._path, json={"name": "agent", "pid": 1, "host": "here"})
        hello.raise_for_status()
        self._heard = threading.Condition()
        self._follows = follows
        self._follower = threading.Thread(target=self._follow)

    def __enter__(self) -> Self:
        if self._follows:
            self._follower.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.send({"type": "goodbye"})  # ends the stream of commands
        if self._follows:
            self._follower.join()
        self._client.close()

    def open(self, request_id: str, **fields: Any) -> None:
        """Open a request."""
        self.send({"type": "request_opened", "request": opened(request_id, **fields)})

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        numbered = {"id": f"m{next(self._ids)}", **message}
        self._client.post(f"{self._path}/messages", json={"messages": [numbered]})

    def wait_for_commands(self, count: int) -> list[dict[str, Any]]:
        """Return the commands that came, once there are `count`."""
        with self._heard:
            assert self._heard.wait_for(lambda: len(self.commands) >= count, DEADLINE_S)
            return list(self.commands)

    def _follow(self) -> None:
        with self._client.stream("GET", f"{self._path}/commands", timeout=None) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    self._obey(json.loads(line.removeprefix("data: ")))

    def _obey(self, command: dict[str, Any]) -> None:
        applied, reason = self._does
        with self._heard:
            self.commands.append(command)
            self._heard.notify_all()
        self.send({"type": "ack", "seq": command["seq"], "applied": applied, "reason": reason})
