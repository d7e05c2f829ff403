"""How much is loaded before the page shows anything: the built files are what counts."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.support.services.process import Service
from tools.first_load import LIMIT_BYTES, first_load, first_load_bytes, largest_view_bytes


def test_the_first_load_is_small() -> None:
    assert first_load_bytes() <= LIMIT_BYTES
    # With any view, too.
    assert first_load_bytes() + largest_view_bytes() <= LIMIT_BYTES


def test_the_first_load_is_what_a_browser_asks_for(page: Page, service: Service) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.add_init_script("window.requestIdleCallback = () => 0")  # when it loads the rest
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.get_by_text("No sessions yet").wait_for()
    loaded = {url.rsplit("/", 1)[1] for url in requested if "/assets/" in url}
    first = {name.rsplit("/", 1)[1] for name in first_load() if "/" in name}
    assert first <= loaded
    # What the page adds when it knows what to show is small, and no other view.
    # Tooltips come with the pointer, which in a headless shell rests on the page from the start.
    later = ("empty-sessions-", "found-", "popups-", "session-chart-", "texts-")
    assert [name for name in loaded - first if not name.startswith(later)] == []
