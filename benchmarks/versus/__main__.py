"""Inspector beside Phoenix and MLflow: `python benchmarks/versus [PRODUCT …] [--limit SECONDS]`.

The same requests for all, one product after another on an otherwise idle machine: OTLP/HTTP
protobuf, 512 spans of 20 attributes (about 1.1 kB a span), 16 spans a trace. A span counts as
*durable* when another connection to the product's database sees its row: some products answer 200
before they have written anything, so answers alone say little. It is *visible* when the product's
interface shows it. A span that was answered with 200 and has no row a minute after the last one
that came is *lost*.

Each product has as long as `--limit` says and is then killed; what it was not measured at stays
empty. Run: `make bench-versus`; the first time installs the others (1.2 GB). Prints Markdown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

import httpx  # noqa: E402
from ingest_load import SPANS, batch  # noqa: E402
from playwright.sync_api import Error as BrowserError  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from screen_page import Visitor  # noqa: E402
from screen_traces import joined, long_session  # noqa: E402
from versus.products import (  # noqa: E402
    PRODUCTS,
    SEARCHED,
    Product,
    free_port,
    resident_mib,
    running,
    stop,
)
from versus.run import STALL_S, Run  # noqa: E402

from tests.e2e.browser import installed_browser  # noqa: E402

LIMIT_S = 900
SINGLES = 20
QUESTIONS = 10
FILLED = 100_000
LONG = 5_000

Figures = Iterator[tuple[str, float]]


def main() -> None:
    """Measure each, then print them beside each other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("products", nargs="*", metavar="PRODUCT", help="all unless named")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds for each product")
    options = parser.parse_args()
    wanted = {name.lower() for name in options.products}
    chosen = [one for one in PRODUCTS if not wanted or one.name.lower() in wanted]
    _print(chosen, [_measured(product, options.limit) for product in chosen])


def _print(products: Sequence[Product], measured: Sequence[dict[str, float]]) -> None:
    print(f"Measured on {datetime.now(UTC):%Y-%m-%d}.\n")
    print("| |" + "".join(f" {product.name} {product.version} |" for product in products))
    print("| --- |" + " ---: |" * len(products))
    for name in dict.fromkeys(name for figures in measured for name in figures):
        cells = (figures.get(name) for figures in measured)
        shown = ("" if cell is None else f"{cell:,.{0 if cell >= 100 else 1}f}" for cell in cells)
        print(f"| {name} |" + "".join(f" {cell} |" for cell in shown))


def _measured(product: Product, limit_s: float) -> dict[str, float]:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix="versus-") as name:
        folder, port = Path(name), free_port()
        # Once without looking at the clock: the first start installs and compiles.
        with running(product, folder, port):
            pass
        began_s = time.perf_counter()
        with running(product, folder, port) as (process, client):
            figures["start, s"] = time.perf_counter() - began_s
            timer = threading.Timer(limit_s, stop, [process])
            timer.start()
            try:
                for what, figure in _figures(Run(product, process, client, folder)):
                    figures[what] = figure
                    print(f"… {product.name}: {what}: {figure:,.1f}", file=sys.stderr, flush=True)
            except (httpx.HTTPError, BrowserError) as error:
                why = "not measured further" if process.poll() is None else "out of time"
                print(f"… {product.name}: {why}: {error}", file=sys.stderr)
            finally:
                timer.cancel()
    return figures


def _figures(run: Run) -> Figures:
    run.send([batch().SerializeToString()], 1, SPANS)
    run.wait_until_durable()
    yield "memory with 512 spans, MiB", resident_mib(run.process.pid)
    for senders in (1, 4):
        yield from _rates(run, senders)
    yield from _visibility(run)
    yield "lost of the spans so far", run.sent - run.stored
    _fill(run)
    yield "spans stored", run.stored
    yield "memory with them, MiB", resident_mib(run.process.pid)
    yield "list of the newest 50, ms", _query_ms(lambda: run.product.listing(run.client))
    if (opened_ms := _opened_ms(run)) is not None:
        yield f"a trace of {LONG:,} spans shown in a browser, ms", opened_ms
    # Last: one that takes minutes holds up all else.
    yield "search by a span's name, ms", _query_ms(lambda: run.product.search(run.client))


def _rates(run: Run, senders: int) -> Figures:
    bodies = _bodies(run.product.batches)
    stored, began_s = run.stored, time.perf_counter()
    answered_s = run.send(bodies, senders, SPANS * len(bodies))
    run.wait_until_durable()
    durable_s = time.perf_counter() - began_s
    who = "1 sender" if senders == 1 else f"{senders} senders"
    yield f"{who}: spans answered a second", SPANS * len(bodies) / answered_s
    yield f"{who}: spans durable a second", (run.stored - stored) / durable_s


def _visibility(run: Run) -> Figures:
    """Say how long after its answer a span alone is shown."""
    shown_s = []
    for _ in range(SINGLES):
        request = batch()
        del request.resource_spans[0].scope_spans[0].spans[1:]
        span = request.resource_spans[0].scope_spans[0].spans[0]
        run.send([request.SerializeToString()], 1, 1)
        answered_s = time.perf_counter()
        while not run.product.has_span(run.client, span.trace_id, span.span_id):
            if time.perf_counter() - answered_s > STALL_S:
                return
        shown_s.append(time.perf_counter() - answered_s)
        run.wait_until_durable()
    yield "answered → visible, ms", median(shown_s) * 1e3


def _fill(run: Run) -> None:
    """Send until `FILLED` spans are stored."""
    bodies = _bodies((FILLED - run.stored) // SPANS + 1)
    run.send(bodies, 4, SPANS * len(bodies))
    run.wait_until_durable()


def _bodies(count: int) -> list[bytes]:
    """Return requests; one span in each has the name that is searched."""
    bodies = []
    for _ in range(count):
        request = batch()
        request.resource_spans[0].scope_spans[0].spans[0].name = SEARCHED
        bodies.append(request.SerializeToString())
    return bodies


def _query_ms(query: Callable[[], httpx.Response]) -> float:
    """Return the median time of a good answer, once it was asked before."""
    query().raise_for_status()
    took_s = []
    for _ in range(QUESTIONS):
        began_s = time.perf_counter()
        query().raise_for_status()
        took_s.append(time.perf_counter() - began_s)
    return median(took_s) * 1e3


def _opened_ms(run: Run) -> float | None:
    """Return when a browser with an empty cache shows the first row below the root, if it does."""
    tracing = long_session("versus", LONG)
    run.send(list(joined([tracing])), 1, len(tracing.spans))
    run.wait_until_durable()
    path = run.product.page(run.client, tracing.trace_id, tracing.session)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_browser())
        visitor = Visitor(browser, {"Authorization": run.product.headers.get("Authorization", "")})
        url = str(run.client.base_url.join(path))
        try:
            return visitor.paint(url, tracing.spans[1].name).useful_ms
        except BrowserError as error:
            print(f"… {run.product.name}: no row in the browser: {error}", file=sys.stderr)
            return None
        finally:
            browser.close()


if __name__ == "__main__":
    main()
