"""What a browser says of a page: when it had painted, how its frames went, what it holds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page

WIDTH_PX, HEIGHT_PX = 1440, 900

_WATCH = """(needle) => {
  const bench = (window.bench = { useful_ms: 0, frames_ms: [], isSampling: false });
  const look = () => {
    if (!document.body?.textContent.includes(needle)) return requestAnimationFrame(look);
    // The frame that shows it has been painted when the task after it runs.
    requestAnimationFrame(() => setTimeout(() => (bench.useful_ms = performance.now())));
  };
  requestAnimationFrame(look);
  let last = 0;
  const sample = (now) => {
    if (bench.isSampling && last > 0) bench.frames_ms.push(now - last);
    last = now;
    requestAnimationFrame(sample);
  };
  requestAnimationFrame(sample);
}"""

_FIRST = "performance.getEntriesByName('first-contentful-paint')"

_SCROLL = """async ([selector, frames]) => {
  const reachOf = (element) => element.scrollHeight - element.clientHeight;
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY);
  const found = [...document.querySelectorAll(selector)].filter(scrolls);
  const scroller = found.reduce((a, b) => (reachOf(a) > reachOf(b) ? a : b));
  const reach = reachOf(scroller);
  bench.frames_ms = [];
  bench.isSampling = true;
  for (let at = 0; at < frames; at += 1) {
    // Rows by the page, then in leaps through all of them.
    scroller.scrollTop = at < frames / 2 ? at * 120 : (reach * (at - frames / 2)) / (frames / 2);
    await new Promise(requestAnimationFrame);
  }
  bench.isSampling = false;
  return bench.frames_ms;
}"""

_SAMPLE = """async (ms) => {
  bench.frames_ms = [];
  bench.isSampling = true;
  await new Promise((done) => setTimeout(done, ms));
  bench.isSampling = false;
  return bench.frames_ms;
}"""


class Paint(NamedTuple):
    """When a page had painted, ms from the start of the navigation; median of all visits."""

    first_ms: float
    useful_ms: float


class Frames(NamedTuple):
    """How long frames took; one is dropped for every 16.7 ms that one takes longer than that."""

    p50_ms: float
    p95_ms: float
    longest_ms: float
    dropped: float
    """Share of all frames that there was time for."""

    def __str__(self) -> str:
        return (
            f"p50 {self.p50_ms:5.1f}  p95 {self.p95_ms:6.1f}  longest {self.longest_ms:7.1f} ms"
            f"  dropped {self.dropped:5.1%}"
        )


class Visitor:
    """Opens addresses, each visit in a context of its own: with nothing in its cache.

    Args:
        browser: Whose.
        headers: Sent with every request.
    """

    def __init__(self, browser: Browser, headers: dict[str, str] | None = None) -> None:
        self._browser = browser
        self._headers = headers or {}

    def open(self, url: str, needle: str, timeout_ms: float = 60_000) -> Page:
        """Return the page once it has painted a text that `needle` is part of."""
        page = self._context().new_page()
        page.add_init_script(f"({_WATCH})({needle!r})")
        page.goto(url, wait_until="commit")
        page.wait_for_function("() => window.bench?.useful_ms > 0", timeout=timeout_ms)
        return page

    def paint(self, url: str, needle: str, visits: int = 5) -> Paint:
        """Return the medians of some visits."""
        found = []
        for _ in range(visits):
            page = self.open(url, needle)
            found.append(_paint(page))
            page.context.close()
        return Paint(*(statistics.median(column) for column in zip(*found, strict=True)))

    def _context(self) -> BrowserContext:
        return self._browser.new_context(
            viewport={"width": WIDTH_PX, "height": HEIGHT_PX},
            extra_http_headers=self._headers,
            locale="en-GB",
        )


def scrolled(page: Page, selector: str, frames: int = 300) -> Frames:
    """Scroll what matches, the tallest of several, from its beginning to its end."""
    return frames_of(page.evaluate(_SCROLL, [selector, frames]))


def watched(page: Page, ms: int) -> Frames:
    """Look at the page for a while."""
    return frames_of(page.evaluate(_SAMPLE, ms))


def frames_of(frames_ms: Sequence[float]) -> Frames:
    """Sum up the times between frames."""
    ordered = sorted(frames_ms)
    possible = sum(ordered) / (1000 / 60)
    return Frames(
        statistics.median(ordered),
        ordered[round(len(ordered) * 0.95) - 1],
        ordered[-1],
        max(0.0, 1 - len(ordered) / possible),
    )


def heap_mib(page: Page) -> float:
    """Return what the page's JavaScript holds after a garbage collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    used = next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize")
    return float(used) / 2**20


def _paint(page: Page) -> Paint:
    page.wait_for_function(f"() => {_FIRST}.length > 0")
    return Paint(page.evaluate(f"{_FIRST}[0].startTime"), page.evaluate("bench.useful_ms"))
