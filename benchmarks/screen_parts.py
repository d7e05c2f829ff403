"""The parts of `bench_screen.py`: each sends data, visits the page and reports figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from bench_hook_to_pixel import SESSIONS, SPANS_PER_S, hook_figures, loaded
from playwright.sync_api import Page
from screen_page import Figures, Visitor, heap_mib, replayed, scrolled, watched
from screen_traces import Tracing, joined, large_value, long_session, many_sessions

from tests.support.services.process import Service
from tools.first_load import LIMIT_BYTES, first_load_bytes
from tools.generate_screen_figures import Row

LENGTHS = (50, 5_000, 100_000)
LARGE_BYTES = 20_000_000
LIVE_MS = 8_000
PROBES = 40
SCROLLERS = "main, main *"
ROW_PX = 24


@dataclass(frozen=True)
class Bench:
    """The browser, the service and the sizes that every part uses.

    Attributes:
        lengths: How many spans the sessions of the part `session` have.
        sessions: Number of sessions in the list.
    """

    visitor: Visitor
    service: Service
    folder: Path
    lengths: Sequence[int]
    sessions: int

    def url(self, path: str) -> str:
        """Return an address of the page."""
        return f"{self.service.url}/ui/{path}"

    def send(self, traces: Iterable[Tracing]) -> None:
        """Send them as OTLP, with an exporter's retries."""
        headers = {**self.service.headers, "content-type": "application/x-protobuf"}
        with httpx.Client(base_url=self.service.url, headers=headers, timeout=120) as client:
            for request in joined(traces):
                send_until_accepted(client, request)


def send_until_accepted(client: httpx.Client, body: bytes) -> None:
    """Post a request of spans, again after each retryable status."""
    while True:
        answer = client.post("/v1/traces", content=body)
        if answer.status_code not in (429, 503):
            answer.raise_for_status()
            return
        time.sleep(float(answer.headers.get("retry-after", "1")))


def weight(bench: Bench) -> Iterator[Row]:
    """The size of the first load."""
    figures = {"kb_gzip": first_load_bytes() / 1000, "at_most_kb": LIMIT_BYTES / 1000}
    yield _row("weight", "first load", figures)


def list_of_sessions(bench: Bench) -> Iterator[Row]:
    """The list's paint, and how it scrolls."""
    bench.send(many_sessions("job", bench.sessions))
    what = f"list of {bench.sessions:,} sessions"
    # Sent last, so it is the first row.
    yield from _looked_at(bench, what, bench.url(""), f"Job {bench.sessions - 1}:", SCROLLERS)


def sessions_of_spans(bench: Bench) -> Iterator[Row]:
    """Sessions of several lengths: time to paint, to complete, to scroll; heap."""
    for count in bench.lengths:
        yield from _plain_rows(bench, count)
        tracing = long_session(f"long-{count}", count)
        bench.send([tracing])
        url = bench.url(f"sessions/{tracing.session}?view=")
        what = f"{count:,} spans"
        needle, text = tracing.spans[1].name, "scheduler"
        is_longest = count == max(bench.lengths)
        yield from _looked_at(
            bench,
            f"{what}, waterfall",
            f"{url}waterfall",
            needle,
            SCROLLERS,
            rows=count,
            has_copies=is_longest,
        )
        yield from _looked_at(
            bench,
            f"{what}, transcript",
            f"{url}transcript",
            text,
            SCROLLERS,
            has_copies=is_longest,
        )


def value(bench: Bench) -> Iterator[Row]:
    """Measure the frames while a large value is opened from its row."""
    tracing = large_value("large", LARGE_BYTES)
    bench.send([tracing])
    page = bench.visitor.open(
        bench.url(f"sessions/{tracing.session}?view=waterfall"), tracing.spans[1].name
    )
    row = page.get_by_role("treeitem", name="execute_tool dump")
    page.evaluate("bench.frames_ms = []; bench.isSampling = true")
    began_s = time.perf_counter()
    row.click()
    page.get_by_role("tabpanel").get_by_text("a row").first.wait_for(timeout=60_000)
    shown_ms = (time.perf_counter() - began_s) * 1000
    page.wait_for_timeout(1000)
    longest_ms = max(page.evaluate("bench.frames_ms"))
    figures = {"shown_ms": shown_ms, "longest_ms": longest_ms, "heap_mib": heap_mib(page)}
    page.context.close()
    yield _row("value", f"JSON of {LARGE_BYTES / 1e6:.0f} MB", figures)


def live(bench: Bench) -> Iterator[Row]:
    """Measure the frames while much arrives."""
    with loaded(bench.service):
        for what, path, needle in (
            ("list", "", "load"),
            ("waterfall", "sessions/load-0?view=waterfall", "work"),
            ("transcript", "sessions/load-0?view=transcript", "work"),
        ):
            page = bench.visitor.open(bench.url(path), needle)
            yield _row("frames", f"live {what}, {SPANS_PER_S} spans/s", watched(page, LIVE_MS))
            page.context.close()


def hook(bench: Bench) -> Iterator[Row]:
    """Measure the time from a hook in the agent to the page, quiet and loaded."""
    page = bench.visitor.browser.new_page(viewport={"width": 1440, "height": 2000})
    page.goto(f"{bench.service.url}/ui/?token={bench.service.token}")
    for what, figures in hook_figures(
        page, bench.service, (bench.service, ""), "quiet", PROBES
    ).items():
        yield _row("hook", f"quiet: {what}", figures)
    with loaded(bench.service):
        for what, figures in hook_figures(
            page, bench.service, (bench.service, ""), "loaded", PROBES
        ).items():
            yield _row("hook", f"{SESSIONS} sessions, {SPANS_PER_S} spans/s: {what}", figures)
    page.close()


PARTS: Mapping[str, Callable[[Bench], Iterator[Row]]] = {
    "weight": weight,
    "list": list_of_sessions,
    "session": sessions_of_spans,
    "value": value,
    "live": live,
    "hook": hook,
}


def _looked_at(
    bench: Bench,
    what: str,
    url: str,
    needle: str,
    scrollers: str,
    *,
    rows: int | None = None,
    has_copies: bool = False,
) -> Iterator[Row]:
    """Paint, heap and frames of one address.

    Args:
        bench: The browser and the service.
        what: The name of its rows.
        url: The address.
        needle: A text that makes it useful.
        scrollers: The elements that may scroll.
        rows: How many it has to know to be whole.
        has_copies: Whether frames of copies of its elements, a floor, are measured, too.
    """
    paint = bench.visitor.paint(url, needle)
    page = bench.visitor.open(url, needle)
    figures: Figures = paint._asdict()
    if rows is not None:
        figures["whole_ms"] = _when_whole(page, rows)
    page.wait_for_timeout(1000)
    figures["heap_mib"] = heap_mib(page)
    yield _row("paint", what, figures)
    yield _row("frames", f"{what}, scrolled", scrolled(page, scrollers))
    yield _row("frames", f"{what}, in leaps", scrolled(page, scrollers, is_leaping=True))
    if has_copies:
        for way, figures in zip(("scrolled", "in leaps"), replayed(page, scrollers), strict=True):
            yield _row("frames", f"floor: copies of {what}, {way}", figures)
    page.context.close()


def _when_whole(page: Page, rows: int) -> float:
    """Return ms from the navigation until the tree shows `count` rows, painted."""
    return float(
        page.evaluate(
            """async (tall_px) => {
              const trees = () => [...document.querySelectorAll('[role=tree]')];
              const tall = () => Math.max(...trees().map((tree) => tree.scrollHeight));
              while (tall() < tall_px) await new Promise(requestAnimationFrame);
              await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
              return performance.now();
            }""",
            rows * ROW_PX,
        )
    )


def _plain_rows(bench: Bench, count: int) -> Iterator[Row]:
    """The floor: a page of `count` rows of plain text."""
    rows = "".join(f"<div>{at} execute_tool read_file 0.12 s</div>" for at in range(count))
    file = bench.folder / f"plain-{count}.html"
    file.write_text(
        "<!doctype html><meta charset=utf-8><title>floor</title><style>"
        "body{margin:0}main{height:100vh;overflow:auto;font:12px monospace}div{height:24px}"
        f"</style><main>{rows}</main>",
        encoding="utf-8",
    )
    floor = f"floor: {count:,} plain rows"
    yield from _looked_at(bench, floor, file.as_uri(), "execute_tool", "main")


def _row(table: str, what: str, figures: Figures) -> Row:
    return {"table": table, "what": what, "figures": figures}
