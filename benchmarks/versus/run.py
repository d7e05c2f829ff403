"""What is sent to a product, and what of it is stored."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from subprocess import Popen

import httpx
from versus.products import Product

STALL_S = 60


class Run:
    """One product that runs, with what was sent to it."""

    def __init__(
        self, product: Product, process: Popen[bytes], client: httpx.Client, folder: Path
    ) -> None:
        self.product, self.process, self.client = product, process, client
        self.sent = self.stored = 0
        self._database = folder / product.database

    def send(self, bodies: Sequence[bytes], senders: int, spans: int) -> float:
        """Send requests of `spans` spans in all; return how many seconds the answers took."""
        began_s = time.perf_counter()
        with ThreadPoolExecutor(senders) as pool:
            list(pool.map(self._post, bodies))
        self.sent += spans
        return time.perf_counter() - began_s

    def wait_until_durable(self) -> None:
        """Wait until all that was sent is stored, or nothing more comes."""
        quiet_since_s = time.monotonic()
        with closing(
            sqlite3.connect(f"file:{self._database}?mode=ro", uri=True, timeout=30)
        ) as connection:
            while time.monotonic() < quiet_since_s + STALL_S:
                (rows,) = connection.execute(self.product.count).fetchone()
                if rows > self.stored:
                    self.stored, quiet_since_s = rows, time.monotonic()
                if self.stored >= self.sent:
                    return
                time.sleep(0.002)  # often, since looking is cheap

    def _post(self, body: bytes) -> None:
        headers = {"content-type": "application/x-protobuf"}
        while True:
            answer = self.client.post("/v1/traces", content=body, headers=headers)
            if answer.status_code not in (429, 503):
                answer.raise_for_status()
                return
            # A real exporter waits and sends again.
            time.sleep(float(answer.headers.get("retry-after", "1")))
