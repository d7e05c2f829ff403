"""A viewer that measures the delay from a span's POST to its arrival on `/events`."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from types import TracebackType

from ingest_load import request, span
from ingest_senders import sender

SESSION = "followed"
_PAUSE_S = 0.05


class Follower:
    """Follows one session, and sends into it one span at a time, while the block runs.

    Attributes:
        took_s: For each span that was seen, the time from its POST.
        sent_count: Number of spans sent.
    """

    def __init__(self, address: str, token: str) -> None:
        self.took_s: list[float] = []
        self.sent_count = 0
        self._sent_at_s: dict[str, float] = {}
        self._address = address
        self._token = token
        self._is_over = threading.Event()
        self._connection = http.client.HTTPConnection(address, timeout=15)
        self._threads = [threading.Thread(target=self._watch), threading.Thread(target=self._send)]

    def __enter__(self) -> Follower:
        headers = {"Authorization": f"Bearer {self._token}"}
        self._connection.request("GET", f"/events?session_id={SESSION}", headers=headers)
        self._stream = self._connection.getresponse()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()
        self._connection.close()

    def _send(self) -> None:
        send = sender("http/protobuf", self._address)
        trace_id = os.urandom(16)
        while not self._is_over.is_set():
            made = span(1, trace_id=trace_id, span_id=os.urandom(8), session=SESSION)
            body = request([made]).SerializeToString()
            self._sent_at_s[made.span_id.hex()] = time.perf_counter()
            self.sent_count += 1
            send(body)()
            self._is_over.wait(_PAUSE_S)

    def _watch(self) -> None:
        """Read until the end, when all is seen; heartbeats fill idle times."""
        while not self._is_over.is_set() or len(self.took_s) < self.sent_count:
            line = self._stream.readline()
            if not line:
                return
            if not line.startswith(b"data: "):
                continue
            event = json.loads(line.removeprefix(b"data: "))
            if event["type"] == "SpanEnded" and event["session_id"] == SESSION:
                sent_at_s = self._sent_at_s.pop(event["span"]["span_id"], None)
                if sent_at_s is not None:
                    self.took_s.append(time.perf_counter() - sent_at_s)
