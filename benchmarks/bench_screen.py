"""The page in a real browser: time to paint, frame times while scrolling, heap.

A real service, filled over OTLP, and headless Chromium; every visit with an empty cache. Parts,
each of which can be asked for by name (default: all but Phoenix, some minutes):

* `weight`: what the first load weighs;
* `list`: the list of 10 000 sessions, and `session`: sessions of 50, 5 000 and 100 000 spans, as
  waterfall and as transcript: first paint, and *useful* paint (the frame that shows the name of the
  first row below the root; the first entry; the first session), all rows known, the heap after a
  garbage collection, frames while scrolled row by row and in leaps through all; beside each length
  a floor, a page of nothing but as many rows of plain text;
* `value`: the longest frame while a value of 20 MB is opened;
* `live`: frames while 50 sessions send 500 spans a second;
* `hook`: from a hook to the page, as `bench_hook_to_pixel.py` does;
* `phoenix`: the same two traces in Arize Phoenix, which is fetched for it (0.6 GB).

Of frames stands there the time between two, and the processor time of each: a browser without a
graphics card rasters with the processor, and that part is not ours.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from screen_page import Visitor
from screen_parts import LENGTHS, PARTS, Bench
from screen_versus import beside_phoenix

from tests.e2e.browser import installed_browser
from tests.support.services.process import Service
from tools.generate_screen_figures import Part, Results, tables

_ONLY_HERE = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
PICTURES = Path(__file__).with_name("results") / "screen"


def main() -> None:
    """Run the selected parts, print each, and store its results."""
    options = _arguments()
    wanted = [*(options.parts or PARTS), *(["phoenix"] if options.phoenix else [])]
    with (
        tempfile.TemporaryDirectory() as name,
        Service(folder := Path(name)) as service,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=installed_browser(), args=[f"--host-resolver-rules={_ONLY_HERE}"]
        )
        visitor = Visitor(browser, service.headers)
        bench = Bench(visitor, service, folder, options.spans, options.sessions)
        # Where a browser keeps compiled code of a page is warm in real life, too.
        visitor.open(bench.url(""), "Sessions").context.close()
        try:
            for part in dict.fromkeys(wanted):
                for measured in _measured(part, bench, options.pictures):
                    print(f"… {part}: {measured['rows'][-1]['what']}", file=sys.stderr, flush=True)
                    if options.json:
                        _keep(options.json, _machine(browser), part, measured)
                print(f"\n{part}: {measured['took_s']:.0f} s, load {measured['load']:.1f}\n")
                print(tables(measured["rows"]), flush=True)
        finally:
            browser.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--phoenix", action="store_true", help="measure Phoenix beside ours, too")
    parser.add_argument(
        "--spans", type=int, nargs="+", default=LENGTHS, help="how long the sessions are"
    )
    parser.add_argument("--sessions", type=int, default=10_000, help="how many the list shows")
    parser.add_argument("--json", type=Path, help="where to keep figures; parts not run stay")
    parser.add_argument(
        "--pictures", type=Path, default=PICTURES, help="where pictures of ours and Phoenix go"
    )
    options = parser.parse_args()
    if unknown := {*options.parts} - {*PARTS, "phoenix"}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return options


def _measured(part: str, bench: Bench, pictures: Path) -> Iterator[Part]:
    """Yield the results of a part after each of its rows."""
    load = os.getloadavg()[0]
    began_s = time.monotonic()
    rows = []
    for row in beside_phoenix(bench, pictures) if part == "phoenix" else PARTS[part](bench):
        rows.append(row)
        yield {
            "measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
            "load": load,
            "took_s": time.monotonic() - began_s,
            "rows": rows,
        }


def _keep(file: Path, machine: str, part: str, measured: Part) -> None:
    """Write a part into the file of results, beside the others."""
    results: Results = {"machine": machine, "parts": {}}
    if file.exists():
        results["parts"] = json.loads(file.read_text(encoding="utf-8"))["parts"]
    results["parts"][part] = measured
    order = [*PARTS, "phoenix"]
    results["parts"] = dict(sorted(results["parts"].items(), key=lambda one: order.index(one[0])))
    text = json.dumps(results, indent=1, default=float)
    file.write_text(f"{text}\n", encoding="utf-8")


def _machine(browser: Browser) -> str:
    return f"Headless Chromium {browser.version} without a graphics card, {os.cpu_count()} cores"


if __name__ == "__main__":
    main()
