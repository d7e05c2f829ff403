"""The same two traces in Arize Phoenix and in Inspector: time to paint, and screenshots.

For both the same is *useful*: the frame that shows the name of the first row below the root. Both
are asked for the trace by its address, with nothing in the browser's cache, and have stored all
spans before. What a page asks of other hosts (Phoenix: fonts, PyPI and GitHub) fails at once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from playwright.sync_api import TimeoutError
from screen_page import Visitor, heap_mib
from screen_parts import Bench
from screen_traces import Tracing, joined, long_session, three_helpers
from versus.products import PRODUCTS, free_port, running
from versus.run import Run

from tools.generate_screen_figures import Row

SETTLE_MS = 6000


def beside_phoenix(bench: Bench, pictures: Path) -> Iterator[Row]:
    """Print the paint times of both; store pictures of each trace, opened and with its failure."""
    pictures.mkdir(parents=True, exist_ok=True)
    product = next(one for one in PRODUCTS if one.name == "Phoenix")
    with tempfile.TemporaryDirectory(prefix="phoenix-", ignore_cleanup_errors=True) as name:
        folder, port = Path(name), free_port()
        with running(product, folder, port) as (process, client):
            run = Run(product, process, client, folder)
            for what, tracing in (
                ("three sub-agents", three_helpers("three-sub-agents")),
                ("5,000 spans", long_session("versus-5000", 5_000)),
            ):
                bench.send([tracing])
                run.send(list(joined([tracing])), 1, len(tracing.spans))
                run.wait_until_durable()  # it answers before it has written
                for shown in (_ours(bench, tracing), _theirs(bench, run, tracing)):
                    figures = _seen(shown, tracing, pictures)
                    yield {"table": "phoenix", "what": f"{what}: {shown.who}", "figures": figures}


class _Shown(NamedTuple):
    """Address of a trace in one product."""

    who: str
    visitor: Visitor
    url: str
    chosen: str
    """Suffix of the address with the failed span selected."""


def _ours(bench: Bench, tracing: Tracing) -> _Shown:
    url = bench.url(f"sessions/{tracing.session}?view=waterfall")
    failed = _failed(tracing)
    chosen = f"&span={failed.trace_id.hex()}.{failed.span_id.hex()}"
    return _Shown("Inspector", bench.visitor, url, chosen)


def _theirs(bench: Bench, run: Run, tracing: Tracing) -> _Shown:
    url = str(run.client.base_url.join(run.product.page(run.client, tracing.trace_id, "")))
    query = f'{{ getSpanByOtelId(spanId: "{_failed(tracing).span_id.hex()}") {{ id }} }}'
    answer = run.client.post("/graphql", json={"query": query}).json()
    chosen = f"?selectedSpanNodeId={answer['data']['getSpanByOtelId']['id']}"
    return _Shown("Phoenix", Visitor(bench.visitor.browser), url, chosen)


def _seen(shown: _Shown, tracing: Tracing, pictures: Path) -> dict[str, float]:
    """Look at it some times; a product that shows nothing for minutes leaves its figures out."""
    stem = f"{tracing.session}-{shown.who.lower()}"
    try:
        paint = shown.visitor.paint(shown.url, tracing.spans[1].name)
    except TimeoutError:
        return {}
    heap = _pictured(shown.visitor, shown.url, tracing, pictures / f"{stem}-opened.png")
    _pictured(shown.visitor, f"{shown.url}{shown.chosen}", tracing, pictures / f"{stem}-failed.png")
    return {**paint._asdict(), "heap_mib": heap}


def _pictured(visitor: Visitor, url: str, tracing: Tracing, picture: Path) -> float:
    """Take a picture once the page is idle; return the heap in MiB."""
    # A failure may be far below the first row, so the name of any agent must do.
    page = visitor.open(url, tracing.spans[0].name.split()[0])
    page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=picture)
    heap = heap_mib(page)
    page.context.close()
    return heap


def _failed(tracing: Tracing) -> Span:
    return next(span for span in tracing.spans if span.status.code == Status.STATUS_CODE_ERROR)
