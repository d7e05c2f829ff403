"""The same two traces in Arize Phoenix and in ours, in the same browser: paint, and pictures.

For both the same is *useful*: the frame that shows the name of the first row below the root. Both
are asked for the trace by its address, with nothing in the browser's cache, and have stored all
spans before.
"""

from __future__ import annotations

import runpy
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from screen_page import Visitor, heap_mib
from screen_parts import Bench, send_until_taken
from screen_traces import Tracing, joined, long_session, three_helpers

from tools.generate_screen_figures import Row

VERSUS = Path(__file__).resolve().parent / "versus" / "__main__.py"
SETTLE_MS = 3000


def beside_phoenix(bench: Bench, pictures: Path) -> Iterator[Row]:
    """Say when both had painted; leave a picture of each trace opened, and with its failure."""
    pictures.mkdir(parents=True, exist_ok=True)
    traces = {
        "three sub-agents": three_helpers("three-sub-agents"),
        "5,000 spans": long_session("versus-5000", 5_000),
    }
    bench.send(traces.values())
    versus: dict[str, Any] = runpy.run_path(str(VERSUS))
    product = next(one for one in versus["PRODUCTS"] if one.name == "Phoenix")
    with tempfile.TemporaryDirectory(prefix="phoenix-", ignore_cleanup_errors=True) as name:
        folder, port = Path(name), versus["free_port"]()
        with versus["running"](product, folder, port) as (_, client):
            client.headers["content-type"] = "application/x-protobuf"
            for body in joined(traces.values()):
                send_until_taken(client, body)
            count = sum(len(tracing.spans) for tracing in traces.values())
            versus["wait_for"](folder / product.database, product, count)
            client.headers["content-type"] = "application/json"
            theirs = Visitor(bench.visitor.browser)
            for what, tracing in traces.items():
                ours = bench.url(f"sessions/{tracing.session}?view=waterfall")
                file = pictures / tracing.session
                for who, visitor, url, chosen in (
                    ("Inspector", bench.visitor, ours, f"&span={_key(_failed(tracing))}"),
                    ("Phoenix", theirs, _trace_url(client, tracing), _selected(client, tracing)),
                ):
                    figures = _seen(visitor, url, tracing, Path(f"{file}-{who.lower()}-opened.png"))
                    yield {"table": "phoenix", "what": f"{what}: {who}", "figures": figures}
                    failed = Path(f"{file}-{who.lower()}-failed.png")
                    _seen_once(visitor, f"{url}{chosen}", tracing, failed)


def _seen(visitor: Visitor, url: str, tracing: Tracing, picture: Path) -> dict[str, float]:
    paint = visitor.paint(url, tracing.spans[1].name)
    return {**paint._asdict(), "heap_mib": _seen_once(visitor, url, tracing, picture)}


def _seen_once(visitor: Visitor, url: str, tracing: Tracing, picture: Path) -> float:
    """Take a picture once all has come to rest; return the heap in MiB."""
    # A failure may be far below the first row, so the root's name must do.
    page = visitor.open(url, tracing.spans[0].name)
    page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=picture)
    held = heap_mib(page)
    page.context.close()
    return held


def _failed(tracing: Tracing) -> Span:
    return next(span for span in tracing.spans if span.status.code == Status.STATUS_CODE_ERROR)


def _key(span: Span) -> str:
    return f"{span.trace_id.hex()}.{span.span_id.hex()}"


def _trace_url(client: httpx.Client, tracing: Tracing) -> str:
    project = client.get("/v1/projects").json()["data"][0]["id"]
    path = f"/projects/{project}/traces/{tracing.trace_id.hex()}?timeRangeKey=7d"
    return str(client.base_url.join(path))


def _selected(client: httpx.Client, tracing: Tracing) -> str:
    """Return what an address of Phoenix says of the failed span."""
    asked = f'{{ getSpanByOtelId(spanId: "{_failed(tracing).span_id.hex()}") {{ id }} }}'
    answer = client.post("/graphql", json={"query": asked}).json()
    return f"&selectedSpanNodeId={answer['data']['getSpanByOtelId']['id']}"
