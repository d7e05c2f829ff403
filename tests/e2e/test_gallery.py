"""Every component in every state: nothing complains, nothing sticks out, nothing is cut untold.

`pytest -m slow tests/e2e/test_gallery.py` takes a picture of each case by each theme and width:
`test-results/gallery/THEME-WIDTH/CASE.png`, and sheets of several.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.gallery import (
    ROOT,
    Look,
    case_of,
    cases,
    complaints,
    not_shown,
    open_gallery,
    served_gallery,
    write_sheets,
)
from tests.e2e.golden_traces import TRACE_ID, golden_spans

THEMES = ("light", "dark", "contrast-light", "contrast")
WIDTHS_PX = (1440, 1024, 390)
FAILS_ON_PURPOSE = 'Cannot read properties of undefined (reading "length")'
PICTURES = ROOT / "test-results" / "gallery"


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_gallery(tmp_path_factory.mktemp("gallery")) as url:
        yield url


@pytest.mark.slow
def test_every_case_fits_in_every_width(page: Page, watch: Watch, gallery: str) -> None:
    for look in (Look("light", 1440), Look("dark", 1024), Look("contrast", 390)):
        open_gallery(page, gallery, look)
        assert complaints(page) == [], look
        if look.width_px == 1440:
            assert not_shown(page) == []
    # One case has a visualiser that fails, to show what the page makes of it.
    assert [one for one in watch.errors if FAILS_ON_PURPOSE not in one] == []
    assert watch.elsewhere(gallery.removesuffix("/ui/gallery.html")) == []


@pytest.mark.slow
def test_the_golden_trace_reads_in_the_page_as_it_was_drawn(page: Page, gallery: str) -> None:
    open_gallery(page, gallery, Look("light", 1440), "page, session, golden")
    shown = case_of(page, "page, session, golden")
    spans = golden_spans()
    # While it runs, branches that have ended are folded.
    shown.get_by_role("button", name="Unfold all").click()
    expect(shown.get_by_role("treeitem")).to_have_count(len(spans))
    depths: dict[str | None, int] = {}
    for span in spans:
        depths[span["spanId"]] = depths.get(span.get("parentSpanId"), 0) + 1
        row = shown.locator(f'[data-row="{TRACE_ID}.{span["spanId"]}"]')
        expect(row).to_have_attribute("aria-level", str(depths[span["spanId"]]))
        status = "error" if span["status"] else "ok" if "endTimeUnixNano" in span else "running"
        expect(row).to_have_accessible_name(
            re.compile(rf"^[\w ]+, {re.escape(span['name'])}\b.*, {status}\b")
        )


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("width_px", WIDTHS_PX)
@pytest.mark.parametrize("theme", THEMES)
def test_every_case_alone_has_a_picture(
    page: Page, watch: Watch, gallery: str, theme: str, width_px: int
) -> None:
    look = Look(theme, width_px)
    folder = PICTURES / f"{theme}-{width_px}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    open_gallery(page, gallery, look)
    names = cases(page)
    wrong = []
    for name in names:
        open_gallery(page, gallery, look, name)
        file = folder / f"{re.sub('[^a-z0-9]+', '-', name.lower())}.png"
        case_of(page, name).screenshot(path=file)
        wrong += complaints(page)
    assert wrong == []
    assert [one for one in watch.errors if FAILS_ON_PURPOSE not in one] == []
    write_sheets(page, folder, columns=2 if width_px > 390 else 6)
