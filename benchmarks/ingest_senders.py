"""Load generator: `python ingest_senders.py PROTOCOL ADDRESS SENDERS SECONDS`.

Runs as a process of its own. Each sender sends its next request when the one before is answered,
and makes it while it waits, so that what is measured is the service. Prints JSON: requests,
seconds, and the duration of each request.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

from ingest_load import Bodies, Protocol

Send = Callable[[bytes], Callable[[], None]]
"""Sends a request, and returns what waits for its response, a success."""


def main() -> None:
    """Send, then print the times."""
    protocol, address, senders, seconds = sys.argv[1:5]
    print(json.dumps(load(protocol, address, int(senders), float(seconds))))  # type: ignore[arg-type]  # checked by `sender`


def load(protocol: Protocol, address: str, senders: int, seconds: float) -> dict[str, object]:
    """Keep `senders` busy for `seconds`."""
    bodies = [Bodies(protocol, number) for number in range(senders)]
    sends = [sender(protocol, address) for _ in range(senders)]
    for send, supply in zip(sends, bodies, strict=True):
        send(supply.next())()  # connections, statements, caches
    took_s: list[float] = []
    began = time.perf_counter()

    def run(send: Send, supply: Bodies) -> None:
        body = supply.next()
        while time.perf_counter() - began < seconds:
            sent = time.perf_counter()
            wait = send(body)
            body = supply.next()
            wait()
            took_s.append(time.perf_counter() - sent)

    threads = [threading.Thread(target=run, args=pair) for pair in zip(sends, bodies, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"requests": len(took_s), "seconds": time.perf_counter() - began, "took_s": took_s}


def sender(protocol: Protocol, address: str) -> Send:
    """Return a function that sends one request."""
    if protocol == "grpc":
        return _grpc_sender(address)
    if protocol not in ("http/protobuf", "http/json"):
        raise SystemExit(f"no such protocol: {protocol}")
    connection = http.client.HTTPConnection(address, timeout=60)
    kind = "application/json" if protocol == "http/json" else "application/x-protobuf"

    def send(body: bytes) -> Callable[[], None]:
        connection.request("POST", "/v1/traces", body, {"Content-Type": kind})
        return wait

    def wait() -> None:
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200 or content not in (b"", b"{}"):
            raise SystemExit(f"answered {answer.status} {content[:200]!r}")

    return send


def _grpc_sender(address: str) -> Send:
    import grpc  # noqa: PLC0415 - the other senders start faster without

    limit = ("grpc.max_send_message_length", 64 * 1024 * 1024)
    channel = grpc.insecure_channel(address, options=[limit, ("grpc.use_local_subchannel_pool", 1)])
    call = channel.unary_unary(
        "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        request_serializer=None,
        response_deserializer=None,
    )

    def send(body: bytes) -> Callable[[], None]:
        return partial(wait, call.future(body, timeout=60))

    def wait(answer: grpc.Future) -> None:
        if content := answer.result():
            raise SystemExit(f"answered {content[:200]!r}")

    return send


if __name__ == "__main__":
    main()
