"""Time from `operation()` to a row on the page, with a real agent, service and browser.

Three times from one run, with the service quiet and then with 50 other sessions that send 500
spans a second in all:

* hook -> pixel: from entering the operation until the page has painted its row;
* hook -> stream: until a plain reader of `/events` has it: what the browser adds is the difference;
* the floor: one request to the service and back.

The clock of all three is the machine's. The page counts the frame after the row is there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
from playwright.sync_api import Page, sync_playwright

import inspector
from instrument import Bus
from tests.e2e.browser import installed_browser
from tests.support.services.event_stream import stream_items
from tests.support.services.process import Service, wait_for

SESSIONS, SPANS_PER_S = 50, 500
FLOOR = "floor: a request"
# Notes, for every row that names a probe, when the frame that shows it was painted.
WATCH = """() => {
  window.painted = {};
  const look = () => {
    for (const row of document.querySelectorAll('[role=treeitem]')) {
      const name = /probe-\\d+-/.exec(row.textContent ?? '')?.[0];
      if (name && !(name in window.painted)) {
        window.painted[name] = 0;
        requestAnimationFrame(() => setTimeout(() => {
          window.painted[name] = performance.timeOrigin + performance.now();
        }));
      }
    }
  };
  new MutationObserver(look).observe(
    document.body, {subtree: true, childList: true, characterData: true});
}"""


def load(url: str, token: str, stop: multiprocessing.synchronize.Event) -> None:
    """Keep `SESSIONS` sessions running and send `SPANS_PER_S` spans a second until stopped."""
    bus = Bus()
    handle = inspector.attach(url, token=token, bus=bus, service_name="load")

    async def session(number: int) -> None:
        inspector.context.set(f"load-{number}")
        async with bus.operation("agent_call", agent=f"load {number}"):
            while not stop.is_set():
                async with bus.operation("tool_call", tool_name="work", args={"n": number}):
                    await asyncio.sleep(SESSIONS / SPANS_PER_S)

    async def sessions() -> None:
        await asyncio.gather(*(session(number) for number in range(SESSIONS)))

    asyncio.run(sessions())
    handle.detach()


@contextmanager
def loaded(service: Service) -> Iterator[None]:
    """Run the load in a process of its own."""
    spawn = multiprocessing.get_context("spawn")
    stop = spawn.Event()
    process = spawn.Process(target=load, args=(service.url, service.token, stop))
    process.start()
    try:
        last = f"/sessions/load-{SESSIONS - 1}"
        wait_for(lambda: service.client.get(last).is_success)
        yield
    finally:
        stop.set()
        process.join(10)


class StreamReader(threading.Thread):
    """Notes when a plain reader of the stream sees each probe."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self.seen_s: dict[str, float] = {}
        self._service = service
        self._after = service.get("/sessions")["as_of"]

    def run(self) -> None:
        """Read until the process ends."""
        with (
            httpx.Client(headers=self._service.headers, timeout=None) as client,
            client.stream(
                "GET", f"{self._service.url}/events", params={"after": self._after}
            ) as answer,
        ):
            for item in stream_items(answer.iter_lines()):
                name = item.data.get("span", {}).get("name", "")
                if "probe-" in name:
                    self.seen_s.setdefault(name.split()[-1], time.time())


@contextmanager
def viewed(service: Service, folder: Path, is_reader: bool) -> Iterator[tuple[Service, str]]:
    """Yield what viewers connect to, and what is before ids there."""
    if not is_reader:
        yield service, ""
        return
    writers = f"w={service.url}"
    with Service(folder / "reader", store=None, token=service.token, writers=writers) as reader:
        yield reader, "w:"


def measure(
    page: Page, service: Service, view: tuple[Service, str], label: str, samples: int
) -> dict[str, list[float]]:
    """Emit `samples` operations to a service, one after the other; return the times in ms."""
    bus = Bus()
    handle = inspector.attach(service.url, token=service.token, bus=bus, set_global=False)
    seen_at, prefix = view
    reader = StreamReader(seen_at)
    reader.start()
    session_id = f"{prefix}probe-session-{label}"
    inspector.context.set(session_id.removeprefix(prefix))
    begun_s: dict[str, float] = {}
    with bus.operation("agent_call", agent="prober"):
        page.goto(f"{seen_at.url}/ui/sessions/{quote(session_id)}?view=waterfall")
        page.get_by_role("treeitem").first.wait_for()
        page.evaluate(WATCH)
        for number in range(samples):
            name = f"probe-{number}-"
            begun_s[name] = time.time()
            with bus.operation("tool_call", tool_name=name, args={}):
                page.wait_for_function("name => window.painted[name] > 0", arg=name)
    painted_ms: dict[str, float] = json.loads(page.evaluate("JSON.stringify(window.painted)"))
    handle.detach()
    return {
        "hook -> pixel": [painted_ms[name] - begun_s[name] * 1000 for name in begun_s],
        "hook -> stream": [
            (reader.seen_s[name] - begun_s[name]) * 1000
            for name in begun_s
            if name in reader.seen_s
        ],
        FLOOR: floor_ms(seen_at, samples),
    }


def floor_ms(service: Service, samples: int) -> list[float]:
    """Return the duration of one small request, in ms."""
    times = []
    for _ in range(samples):
        begun_s = time.perf_counter()
        service.client.get("/health").raise_for_status()
        times.append((time.perf_counter() - begun_s) * 1000)
    return times


def hook_figures(
    page: Page, service: Service, view: tuple[Service, str], label: str, samples: int
) -> dict[str, dict[str, float]]:
    """Return median and p99 of each time, in ms, and the median as a ratio to the floor."""
    times = measure(page, service, view, label, samples)
    floor = statistics.median(times[FLOOR])
    figures = {}
    for what, values in times.items():
        ordered = sorted(values)
        median = statistics.median(ordered)
        p99 = ordered[min(len(ordered) - 1, round(len(ordered) * 0.99))]
        figures[what] = {"p50_ms": median, "p99_ms": p99, "to_floor": median / floor}
    return figures


def report(label: str, figures: dict[str, dict[str, float]]) -> None:
    """Print them."""
    print(f"{label}:")
    for what, found in figures.items():
        print(
            f"  {what:18} p50 {found['p50_ms']:7.1f} ms   p99 {found['p99_ms']:7.1f} ms"
            f"   {found['to_floor']:5.1f} x floor"
        )


def main() -> None:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--reader", action="store_true", help="look through a reader")
    options = parser.parse_args()
    samples: int = options.samples
    with (
        tempfile.TemporaryDirectory() as folder,
        Service(Path(folder)) as service,
        viewed(service, Path(folder), options.reader) as view,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=installed_browser())
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 4000})
            page.goto(f"{view[0].url}/ui/?token={service.token}")
            report("quiet", hook_figures(page, service, view, "quiet", samples))
            with loaded(service):
                report(
                    f"{SESSIONS} sessions, {SPANS_PER_S} spans/s",
                    hook_figures(page, service, view, "loaded", samples),
                )
        finally:
            browser.close()


if __name__ == "__main__":
    main()
