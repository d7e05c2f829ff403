"""An answer is read while the model still writes it: from the provider's stream to the screen."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Semaphore, Thread
from typing import Any
from uuid import uuid4

import pytest
from openai import OpenAI
from opentelemetry.sdk.trace import TracerProvider
from playwright.sync_api import Page, expect

from inspector.integrations import openai as adapter
from instrument import Bus
from subscribers.options import Capture, Options
from subscribers.wiring import wire
from tests.e2e.conftest import Watch
from tests.support.services.model_provider import MODEL, ModelProvider, says
from tests.support.services.process import Service, wait_for

SECRET = "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2"
ANSWER = f"The **first** part. The key {SECRET} is wrong. " + "word " * 30 + "At last."
LONG = 30_000


class Writer:
    """A model that writes its answer as far as it is allowed, and an agent that reads it."""

    def __init__(self, service: Service, provider: ModelProvider, capture: Capture) -> None:
        self.session = f"streaming-{uuid4().hex[:8]}"
        self._allowed = Semaphore(0)
        self._bus = Bus()
        self._wiring = wire(
            service.url,
            service.token,
            options=Options(capture=capture),
            set_global=False,
            bus=self._bus,
            tracer_provider=TracerProvider(shutdown_on_exit=False),
            session_id=lambda: self.session,
        )
        self._detach = adapter.attach(bus=self._bus)
        provider.script.append(says(ANSWER, before_event=lambda _: self._allowed.acquire()))
        self._client = OpenAI(base_url=f"{provider.url}/v1", api_key="key")
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def write(self, events: int) -> None:
        """Let the model write so many more words; the first event has none."""
        self._allowed.release(events)

    def finish(self) -> None:
        """Let it write the rest."""
        self._allowed.release(1000)
        self._thread.join(30)
        assert self._wiring.delivery.flush(10)

    def close(self) -> None:
        self._allowed.release(1000)
        self._thread.join(30)
        self._detach()
        self._client.close()
        self._wiring.undo()

    def _read(self) -> None:
        with self._bus.operation("agent_call", agent={"name": "writer"}):
            for _ in self._client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "user", "content": "Why does it fail?"}],
                stream=True,
            ):
                pass


@contextmanager
def writing(service: Service, capture: Capture) -> Iterator[Writer]:
    with ModelProvider() as provider:
        writer = Writer(service, provider, capture)
        try:
            yield writer
        finally:
            writer.close()


def test_an_answer_is_read_while_it_is_written_and_its_end_replaces_it(
    page: Page, watch: Watch, service: Service
) -> None:
    page.set_viewport_size({"width": 1440, "height": 400})
    page.goto(f"{service.url}/ui/?token={service.token}")
    with writing(service, Capture.REDACTED) as writer:
        wait_for(lambda: _rows(service, writer.session))
        page.goto(f"{service.url}/ui/sessions/{writer.session}?view=transcript")
        feed = page.get_by_role("feed")
        expect(feed.get_by_text("is thinking")).to_be_visible(timeout=LONG)
        writer.write(4)
        expect(feed).to_contain_text("The first part", timeout=LONG)
        expect(feed.locator("strong", has_text="first")).to_be_visible()
        expect(feed.get_by_text("is answering")).to_be_visible()

        writer.write(6)
        expect(feed).to_contain_text("The key [redacted] is", timeout=LONG)
        assert SECRET[:12] not in page.content()

        now = page.get_by_role("region", name="Now")
        expect(now.get_by_role("button", name=re.compile(f"writer.*chat {MODEL}"))).to_be_visible()
        page.route("**/transcript?*", lambda _: None)
        writer.finish()
        expect(now).to_have_count(0, timeout=LONG)
        expect(feed).to_contain_text("The key [redacted] is")
        page.unroute("**/transcript?*")  # which lets go what was not read
        expect(feed).to_contain_text("At last.", timeout=LONG)
        expect(feed.get_by_text("is answering")).to_have_count(0)
        expect(feed.locator("strong", has_text="first")).to_have_count(1)
    exported = _exported(service, writer.session)
    assert "At last." in exported
    assert "inspector.stream.text" not in exported
    assert watch.errors == []


@pytest.mark.slow
def test_a_stall_within_an_answer_is_marked_while_it_lasts_and_afterwards(
    page: Page, service: Service
) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    with writing(service, Capture.REDACTED) as writer:
        writer.write(6)
        wait_for(lambda: _rows(service, writer.session))
        page.goto(f"{service.url}/ui/sessions/{writer.session}?view=transcript")
        feed = page.get_by_role("feed")
        expect(feed.get_by_text("stalled for")).to_be_visible(timeout=LONG)
        page.get_by_role("tab", name="Waterfall").click()
        bar = page.get_by_role("treeitem", name="chat").filter(has_text="stalled")
        expect(bar).to_be_visible(timeout=LONG)
        writer.finish()
        expect(bar).to_have_count(0)
        page.get_by_role("tab", name="Transcript").click()
        expect(feed.get_by_text("stalled for")).to_be_visible(timeout=LONG)
    assert _rows(service, writer.session)[0]["stall_ns"] > 3e9


@pytest.mark.slow
def test_without_content_nothing_of_an_answer_shows(page: Page, service: Service) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    with writing(service, Capture.OFF) as writer:
        writer.write(20)
        wait_for(lambda: any(row["stall_start_ns"] for row in _rows(service, writer.session)))
        page.goto(f"{service.url}/ui/sessions/{writer.session}?view=transcript")
        expect(page.get_by_role("feed").get_by_text("is answering")).to_be_visible(timeout=LONG)
        assert "first" not in _exported(service, writer.session)
        expect(page.get_by_role("feed").get_by_text("first")).to_have_count(0)


def _exported(service: Service, session: str) -> str:
    return gzip.decompress(service.client.get(f"/trace/{session}").content).decode()


def _rows(service: Service, session: str) -> list[dict[str, Any]]:
    answer = service.client.get(f"/sessions/{session}/spans")
    found: list[dict[str, Any]] = answer.json()["spans"] if answer.status_code == 200 else []
    return [row for row in found if row["kind"] == "llm"]
