"""The page in a real browser: when it has painted, how it scrolls, what it holds.

A real service, filled over OTLP, and headless Chromium; every visit with an empty cache.

* first paint, and *useful* paint: the first frame that shows a row of what was asked for; for
  the list, and for sessions of some spans, 5 000 and 100 000;
* all rows known: the last page of the skeleton has come, and the frame after it is painted;
* frames while the rows are scrolled from end to end, and while 50 sessions send 500 spans a second;
* the heap after a garbage collection;
* the longest frame while a value of 20 MB is opened;
* what the first load weighs.

Beside each stands a floor: a page of nothing but the same number of rows of plain text. With
`--phoenix`, which fetches it (0.6 GB): the same two traces in Arize Phoenix, with pictures of both
in `benchmarks/results/screen/`. From a hook to the page: `bench_hook_to_pixel.py`.
"""

from __future__ import annotations

import argparse
import runpy
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]

import httpx  # noqa: E402 - the path comes first
from bench_hook_to_pixel import loaded  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402
from screen_page import Visitor, heap_mib, scrolled, watched  # noqa: E402
from screen_traces import Tracing, large_value, long_session, three_helpers  # noqa: E402

from tests.e2e.browser import installed_browser  # noqa: E402
from tests.support.service_process import Service  # noqa: E402
from tools.first_load import first_load_bytes  # noqa: E402

RESULTS = HERE / "results" / "screen"
LARGE_BYTES = 20_000_000
LIVE_MS = 10_000
NEEDLE = "invoke_agent planner"
SCROLLERS = "main, main *"


def send(traces: Iterable[Tracing], post: Callable[[bytes], None]) -> None:
    """Send all of them as OTLP."""
    for tracing in traces:
        for request in tracing.requests():
            post(request.SerializeToString())


def plain_rows(browser: Browser, count: int) -> str:
    """Print what a page of `count` rows of plain text takes; return it as a file's address."""
    rows = "".join(f"<div>{at} execute_tool read_file 0.12 s</div>" for at in range(count))
    file = RESULTS / f"plain-{count}.html"
    file.write_text(
        "<!doctype html><meta charset=utf-8><title>floor</title><style>"
        "body{margin:0}main{height:100vh;overflow:auto;font:12px monospace}div{height:24px}"
        f"</style><main>{rows}</main>",
        encoding="utf-8",
    )
    visitor = Visitor(browser)
    paint = visitor.paint(file.as_uri(), "execute_tool", visits=3)
    page = visitor.open(file.as_uri(), "execute_tool")
    print(f"  floor, {count:7,} plain rows: first {paint.first_ms:6.0f}  useful", end=" ")
    print(f"{paint.useful_ms:6.0f} ms  heap {heap_mib(page):5.1f} MiB")
    print(f"    scrolling: {scrolled(page, 'main')}")
    page.context.close()
    return file.as_uri()


def sessions(visitor: Visitor, service: Service) -> None:
    """Print the list's paint, and how it scrolls."""
    url = f"{service.url}/ui/"
    title = service.get("/sessions")["sessions"][0]["title"][:16]
    paint = visitor.paint(url, title)
    page = visitor.open(url, title)
    print(f"  list: first {paint.first_ms:6.0f}  useful {paint.useful_ms:6.0f} ms", end="  ")
    print(f"heap {heap_mib(page):5.1f} MiB")
    print(f"    scrolling: {scrolled(page, SCROLLERS)}")
    page.context.close()


def session(visitor: Visitor, service: Service, name: str, count: int) -> None:
    """Print what a session takes: until it is there, until it is whole, to scroll, to hold."""
    url = f"{service.url}/ui/sessions/{name}?view=waterfall"
    paint = visitor.paint(url, NEEDLE, visits=3)
    page = visitor.open(url, NEEDLE)
    whole_ms = _when_whole(page, name)
    print(
        f"  {count:7,} spans: first {paint.first_ms:6.0f}  useful {paint.useful_ms:6.0f}", end=" "
    )
    print(f" all rows {whole_ms:6.0f} ms  heap {heap_mib(page):5.1f} MiB")
    print(f"    scrolling: {scrolled(page, SCROLLERS)}")
    has_transcript = page.get_by_role("tab", name="Transcript").count() > 0
    page.context.close()
    if not has_transcript:
        return
    said = visitor.paint(f"{service.url}/ui/sessions/{name}?view=transcript", "scheduler", visits=3)
    print(f"    transcript: first {said.first_ms:6.0f}  first entry {said.useful_ms:6.0f} ms")


def _when_whole(page: Page, name: str) -> float:
    """Return ms from the navigation until the last page of rows is there and painted."""
    page.wait_for_load_state("networkidle")
    return float(
        page.evaluate(
            """async (part) => {
              await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
              const pages = performance.getEntriesByType('resource')
                .filter(({ name }) => name.includes(part));
              return Math.max(...pages.map(({ responseEnd }) => responseEnd));
            }""",
            f"/sessions/{name}/spans",
        )
    )


def large(visitor: Visitor, service: Service, tracing: Tracing) -> None:
    """Print the longest frame while a large value is opened from its row."""
    page = visitor.open(f"{service.url}/ui/sessions/{tracing.session}?view=waterfall", NEEDLE)
    row = page.get_by_role("treeitem", name="execute_tool dump")
    row.wait_for()
    page.evaluate("bench.frames_ms = []; bench.isSampling = true")
    began = time.perf_counter()
    row.click()
    page.get_by_role("tabpanel").get_by_text("a row").first.wait_for(timeout=60_000)
    took_ms = (time.perf_counter() - began) * 1000
    page.wait_for_timeout(1000)
    longest = max(page.evaluate("bench.frames_ms"))
    print(
        f"  a value of {LARGE_BYTES / 1e6:.0f} MB: shown {took_ms:6.0f} ms after the click", end=""
    )
    print(f"  longest frame {longest:6.0f} ms  heap {heap_mib(page):5.1f} MiB")
    page.context.close()


def live(visitor: Visitor, service: Service) -> None:
    """Print how frames go while much arrives."""
    with loaded(service):
        for what, path, needle in (
            ("list", "", "load"),
            ("session", "sessions/load-0?view=waterfall", "work"),
        ):
            page = visitor.open(f"{service.url}/ui/{path}", needle)
            print(f"  live, {what}: {watched(page, LIVE_MS)}  heap {heap_mib(page):5.1f} MiB")
            page.context.close()


def phoenix(browser: Browser, traces: dict[str, Tracing], ours: Callable[[str], str]) -> None:
    """Print useful paint of the same traces in Phoenix and in ours, and take pictures of both."""
    versus: dict[str, Any] = runpy.run_path(str(HERE / "versus" / "__main__.py"))
    product = next(one for one in versus["PRODUCTS"] if one.name == "Phoenix")
    port = versus["free_port"]()
    with (
        tempfile.TemporaryDirectory(prefix="phoenix-", ignore_cleanup_errors=True) as folder,
        versus["running"](product, Path(folder), port) as (_, client),
    ):
        headers = {"content-type": "application/x-protobuf"}

        def post(body: bytes) -> None:
            client.post("/v1/traces", content=body, headers=headers).raise_for_status()

        send(traces.values(), post)
        project = client.get("/v1/projects").json()["data"][0]["id"]
        for name, tracing in traces.items():
            _wait_until_stored(client, len(tracing.spans))
            theirs = f"http://127.0.0.1:{port}/projects/{project}/traces/{tracing.trace_id.hex()}"
            for who, visitor, url in (
                ("ours", Visitor(browser), ours(tracing.session)),
                ("Phoenix", Visitor(browser), theirs),
            ):
                paint = visitor.paint(url, tracing.spans[1].name, visits=3)
                page = visitor.open(url, tracing.spans[1].name)
                page.wait_for_timeout(3000)
                page.screenshot(path=RESULTS / f"{name}-{who}.png")
                print(f"  {name:14} {who:8} first {paint.first_ms:6.0f}", end="  ")
                print(f"useful {paint.useful_ms:6.0f} ms  heap {heap_mib(page):5.1f} MiB")
                page.context.close()


def _wait_until_stored(client: httpx.Client, count: int) -> None:
    """Phoenix answers before it has written: look until so many spans can be read."""
    deadline_s = time.monotonic() + 120
    while time.monotonic() < deadline_s:
        answer = client.get("/v1/projects/default/spans", params={"limit": min(count, 1000)})
        if len(answer.json()["data"]) >= min(count, 1000):
            return
        time.sleep(0.5)
    raise TimeoutError("Phoenix did not store what it was sent")


def main() -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phoenix", action="store_true", help="measure Phoenix beside ours")
    parser.add_argument("--largest", type=int, default=100_000, help="spans of the longest session")
    asked = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    counts = [50, 5_000, asked.largest]
    print(f"first load: {first_load_bytes() / 1000:.1f} kB gzip")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        service = Service(Path(folder))
        service.start()
        browser = playwright.chromium.launch(executable_path=installed_browser())
        try:
            value = large_value("large", LARGE_BYTES)
            helpers = three_helpers("three-helpers")
            made = {count: long_session(f"long-{count}", count) for count in counts}
            send([*made.values(), helpers, value], lambda body: service.post("/v1/traces", body))
            visitor = Visitor(browser, service.headers)
            sessions(visitor, service)
            for count in counts:
                plain_rows(browser, count)
                session(visitor, service, made[count].session, count)
            large(visitor, service, value)
            live(visitor, service)
            if asked.phoenix:
                phoenix(
                    browser,
                    {"5000-spans": made[5_000], "three-helpers": helpers},
                    lambda name: f"{service.url}/ui/sessions/{name}?view=waterfall",
                )
        finally:
            browser.close()
            service.stop()


if __name__ == "__main__":
    main()
