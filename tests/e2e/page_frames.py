"""Performance of a page in the browser: time to paint, frame times, heap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Page

# Before the page's own scripts. Times in ms from the beginning of the navigation.
_WATCH = """
window.frames_ = {first_ms: 0, all_ms: 0, wanted: 0, tasks: [], gaps: undefined, last: 0};
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.frames_.tasks.push([task.startTime, task.duration]);
}).observe({type: 'longtask', buffered: true});
const look = (now) => {
  const all = window.frames_;
  if (all.gaps !== undefined) all.gaps.push(now - all.last);
  all.last = now;
  const tree = document.querySelector('[role=tree]');
  if (all.first_ms === 0 && tree?.querySelector('[role=treeitem]')) all.first_ms = now;
  if (all.all_ms === 0 && all.wanted > 0 && tree?.scrollHeight >= all.wanted) all.all_ms = now;
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
_ALL_KNOWN = """(timeout_ms) => new Promise((resolve, reject) => {
  const look = (now) => {
    if (window.frames_.all_ms > 0) resolve();
    else if (now > timeout_ms) reject(new Error('not all rows came in time'));
    else requestAnimationFrame(look);
  };
  look(0);
})"""
ROW_PX = 24


@dataclass(frozen=True, slots=True)
class Opening:
    """How a session opened, in ms from the beginning of the navigation."""

    first_row_ms: float
    all_rows_ms: float
    longest_task_ms: float
    """The longest time in which the page could do nothing else."""


class PageFrames:
    """Counters of one page; created before its first navigation."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._cdp = page.context.new_cdp_session(page)
        page.add_init_script(_WATCH)

    def open(self, url: str, rows: int, timeout_ms: float = 60_000) -> Opening:
        """Go to a session, and wait until all its rows are known; compact rows, all unfolded."""
        self._page.goto(url, wait_until="commit")
        self._page.evaluate(f"frames_.wanted = {rows * ROW_PX}")
        self._page.evaluate(_ALL_KNOWN, timeout_ms)
        seen = self._page.evaluate("frames_")
        return Opening(
            seen["first_ms"], seen["all_ms"], max((d for _, d in seen["tasks"]), default=0)
        )

    @contextmanager
    def recorded(self) -> Iterator[list[float]]:
        """Fill the list with the ms between frames, at the end."""
        gaps: list[float] = []
        self._page.evaluate("new Promise(requestAnimationFrame)")
        self._page.evaluate("frames_.gaps = []")
        yield gaps
        gaps += self._page.evaluate(
            "(() => { const all = frames_.gaps; frames_.gaps = undefined; return all; })()"
        )

    def heap_bytes(self) -> int:
        """Return the size of the page's objects after a garbage collection."""
        self._cdp.send("HeapProfiler.collectGarbage")
        used: int = self._cdp.send("Runtime.getHeapUsage")["usedSize"]
        return used

    def peak_bytes(self) -> int:
        """Return the size of the heap at this moment, garbage included."""
        used: int = self._cdp.send("Runtime.getHeapUsage")["usedSize"]
        return used


def quantile(values: Sequence[float], part: float) -> float:
    """Return the value below which `part` of `values` lie."""
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]
