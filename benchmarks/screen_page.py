"""Measurements of a page in a browser: time to paint, frame times, heap.

How long a frame *took* says little of the page where the browser has no graphics card: Chromium
then draws with the processor. So beside the time between frames stands the processor time that a
frame costs, in four parts: the page's script; style and layout; the rest of its main thread, which
paints and hands over; and what rasters and puts together: the page's other threads, and the process
that stands in for the graphics card.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page

WIDTH_PX, HEIGHT_PX = 1440, 900

# A text is seen when the innermost element that holds it has a box within the window.
_WATCH = """(needle) => {
  const bench = (window.bench = { useful_ms: 0, frames_ms: [], isSampling: false });
  const isSeen = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0
      && box.top < innerHeight && box.left < innerWidth
      && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const shows = (element) => {
    let isDeeper = false;
    for (const child of element.children) {
      if (!child.textContent.includes(needle)) continue;
      if (shows(child)) return true;
      isDeeper = true;
    }
    return !isDeeper && isSeen(element);
  };
  const look = () => {
    const body = document.body;
    if (!body?.textContent.includes(needle) || !shows(body)) return requestAnimationFrame(look);
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

_SCROLL = """async ([selector, frames, isLeaping]) => {
  const reachOf = (element) => element.scrollHeight - element.clientHeight;
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY);
  const found = [...document.querySelectorAll(selector)].filter(scrolls);
  const scroller = found.reduce((a, b) => (reachOf(a) > reachOf(b) ? a : b));
  bench.frames_ms = [];
  bench.isSampling = true;
  for (let at = 0; at < frames; at += 1) {
    // Up and down by 120 px a frame, or in leaps through all that there is.
    const way = (at * 120) % (2 * Math.max(1, reachOf(scroller)));
    scroller.scrollTop = isLeaping
      ? (reachOf(scroller) * at) / frames
      : Math.min(way, 2 * reachOf(scroller) - way);
    await new Promise(requestAnimationFrame);
  }
  bench.isSampling = false;
  return bench.frames_ms;
}"""

# Of each position, the elements in view as they are once their texts are there.
_COLLECT = """async ([selector, frames, stay_ms]) => {
  const reachOf = (element) => element.scrollHeight - element.clientHeight;
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY);
  const found = [...document.querySelectorAll(selector)].filter(scrolls);
  const scroller = found.reduce((a, b) => (reachOf(a) > reachOf(b) ? a : b));
  const rows = scroller.querySelector("[role=treeitem], article").parentElement;
  const clones = new Map();
  const cloneOf = (element) => {
    const key = element.id || element.dataset.entry;
    if (!clones.has(key)) clones.set(key, element.cloneNode(true));
    return clones.get(key);
  };
  const placesOf = async (isLeaping) => {
    const places = [];
    for (let at = 0; at < frames; at += 1) {
      scroller.scrollTop = isLeaping ? (reachOf(scroller) * at) / frames : at * 120;
      await new Promise((done) => setTimeout(done, stay_ms));
      const view = scroller.getBoundingClientRect();
      const isInView = (element) => {
        const box = element.getBoundingClientRect();
        return box.bottom > view.top && box.top < view.bottom;
      };
      const elements = rows.querySelectorAll(':scope > [role=treeitem], :scope > article');
      places.push([scroller.scrollTop, [...elements].filter(isInView).map(cloneOf)]);
    }
    return places;
  };
  bench.places = [await placesOf(false), await placesOf(true)];
  const plain = scroller.cloneNode(false);
  plain.append(scroller.firstElementChild.cloneNode(false));
  plain.firstChild.style.height = `${scroller.firstElementChild.offsetHeight}px`;
  scroller.replaceWith(plain);
  bench.plain = plain;
}"""

_REPLAY = """async ([way, frames]) => {
  bench.frames_ms = [];
  bench.isSampling = true;
  const rows = bench.plain.firstChild;
  for (let at = 0; at < frames; at += 1) {
    const [top_px, elements] = bench.places[way][at % bench.places[way].length];
    bench.plain.scrollTop = top_px;
    const wanted = new Set(elements);
    for (const one of [...rows.children]) if (!wanted.has(one)) one.remove();
    rows.append(...elements.filter((one) => one.parentNode === null));
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

Figures = dict[str, float]


class Paint(NamedTuple):
    """Times of a page's paints, ms from the start of the navigation; median of all visits."""

    first_ms: float
    useful_ms: float


class Busy(NamedTuple):
    """Processor time since some moment, in ms."""

    script_ms: float
    layout_ms: float
    """Layout and style."""
    main_ms: float
    """The page's whole main thread, including script and layout."""
    drawing_ms: float
    """The page's whole process, and the process that draws."""


class Visitor:
    """Opens addresses, each visit in a context of its own: with nothing in its cache.

    Args:
        browser: Whose.
        headers: Sent with every request.
    """

    def __init__(self, browser: Browser, headers: dict[str, str] | None = None) -> None:
        self.browser = browser
        self._headers = headers or {}

    def open(self, url: str, needle: str, timeout_ms: float = 240_000) -> Page:
        """Return the page once it has painted a text that `needle` is part of."""
        page = self._context().new_page()
        page.add_init_script(f"({_WATCH})({needle!r})")
        page.goto(url, wait_until="commit", timeout=timeout_ms)
        page.wait_for_function("() => window.bench?.useful_ms > 0", timeout=timeout_ms)
        return page

    def paint(self, url: str, needle: str, visits: int = 3) -> Paint:
        """Return the medians of some visits."""
        found = []
        for _ in range(visits):
            page = self.open(url, needle)
            found.append(_paint(page))
            page.context.close()
        return Paint(*(statistics.median(column) for column in zip(*found, strict=True)))

    def _context(self) -> BrowserContext:
        return self.browser.new_context(
            viewport={"width": WIDTH_PX, "height": HEIGHT_PX},
            extra_http_headers=self._headers,
            color_scheme="dark",
            locale="en-GB",
        )


def scrolled(page: Page, selector: str, *, is_leaping: bool = False, frames: int = 200) -> Figures:
    """Scroll the tallest match: row by row, or in leaps from end to end."""
    return _frames_of(page, _SCROLL, [selector, frames, is_leaping])


def replayed(
    page: Page, selector: str, *, frames: int = 40, stay_ms: int = 300
) -> tuple[Figures, Figures]:
    """Scroll as `scrolled` does, row by row and in leaps, with copies of the elements.

    The least that the browser takes for these elements: nothing of the page runs any more.
    """
    page.evaluate(_COLLECT, [selector, frames, stay_ms])
    by_row, in_leaps = (_frames_of(page, _REPLAY, [way, 4 * frames]) for way in range(2))
    return by_row, in_leaps


def watched(page: Page, ms: int) -> Figures:
    """Look at the page for a while."""
    return _frames_of(page, _SAMPLE, ms)


def frame_times(frames_ms: Sequence[float]) -> Figures:
    """Sum up the times between frames; one is dropped for every 16.7 ms beyond the first."""
    ordered = sorted(frames_ms)
    possible = sum(ordered) / (1000 / 60)
    return {
        "p50_ms": statistics.median(ordered),
        "p95_ms": ordered[max(0, round(len(ordered) * 0.95) - 1)],
        "longest_ms": ordered[-1],
        "dropped_percent": 100 * max(0.0, 1 - len(ordered) / possible),
    }


def heap_mib(page: Page) -> float:
    """Return the heap of the page's JavaScript after a garbage collection, in MiB."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    return _metrics(session)["JSHeapUsedSize"] / 2**20


def _frames_of(page: Page, script: str, argument: object) -> Figures:
    """Run `script`, which returns the times between frames, and add the CPU time of each."""
    session = page.context.new_cdp_session(page)
    # CPU time, which a busy machine does not stretch.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _busy(page, session)
    frames_ms: list[float] = page.evaluate(script, argument)
    after = _busy(page, session)
    session.detach()
    script_ms, layout_ms, main_ms, drawing_ms = (
        (then - was) / len(frames_ms) for was, then in zip(before, after, strict=True)
    )
    return {
        **frame_times(frames_ms),
        "script_ms": script_ms,
        "layout_ms": layout_ms,
        "paint_ms": max(0.0, main_ms - script_ms - layout_ms),
        "raster_ms": max(0.0, drawing_ms - main_ms),
    }


def _busy(page: Page, session: Any) -> Busy:
    metrics = _metrics(session)
    browser = page.context.browser
    assert browser is not None
    whole = browser.new_browser_cdp_session()
    processes: list[Mapping[str, Any]] = whole.send("SystemInfo.getProcessInfo")["processInfo"]
    drawing_s = sum(float(one["cpuTime"]) for one in processes if one["type"] == "GPU")
    return Busy(
        metrics["ScriptDuration"] * 1000,
        (metrics["RecalcStyleDuration"] + metrics["LayoutDuration"]) * 1000,
        metrics["TaskDuration"] * 1000,
        (metrics["ProcessTime"] + drawing_s) * 1000,
    )


def _metrics(session: Any) -> dict[str, float]:
    found: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return {one["name"]: float(one["value"]) for one in found}


def _paint(page: Page) -> Paint:
    page.wait_for_function(f"() => {_FIRST}.length > 0")
    return Paint(page.evaluate(f"{_FIRST}[0].startTime"), page.evaluate("bench.useful_ms"))
