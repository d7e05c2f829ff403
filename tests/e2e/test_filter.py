"""The query language in the page: completed, explained, and live."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.otlp import resource, span


def _send(service: Service, name: str, number: int, *, note: str, agent: str) -> None:
    one = span(name, trace=number, span_id=number, attributes={"note": note})
    scopes = [ScopeSpans(spans=[one])]
    request = ExportTraceServiceRequest(
        resource_spans=[ResourceSpans(resource=resource(service_name=agent), scope_spans=scopes)]
    )
    headers = {**service.headers, "Content-Type": "application/x-protobuf"}
    answer = httpx.post(
        f"{service.url}/v1/traces", content=request.SerializeToString(), headers=headers
    )
    answer.raise_for_status()


def test_the_list_is_narrowed_by_the_query_language_and_stays_live(
    page: Page, watch: Watch, service: Service
) -> None:
    _send(service, "Alpha", 1, note="a merge conflict in src/app.py", agent="planner")
    _send(service, "Beta", 2, note="nothing much", agent="triage")
    page.goto(f"{service.url}/ui/?token={service.token}")
    rows = page.locator("[data-session]")
    expect(rows).to_have_count(2)

    field = page.get_by_role("combobox", name="Filter sessions", exact=True)
    field.press_sequentially("serv")
    expect(page.get_by_role("option", name="service:")).to_be_visible()
    _picture(page, "completion")
    field.press("Tab")
    expect(field).to_have_value("service:")
    field.press_sequentially("planner -")
    field.press_sequentially("engine:tem")
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("service:planner -engine:temporal")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Alpha")

    # A word in what a span says, which the page does not know.
    field.fill('"merge conflict"')
    expect(page.get_by_text("1 session found")).to_be_visible()
    _send(service, "Gamma", 3, note="one more merge conflict", agent="triage")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Gamma")
    _picture(page, "found")

    field.fill("service:planner statsu:failed")
    expect(page.get_by_text("Did you mean status?")).to_be_visible()
    expect(page.locator("mark")).to_have_text("statsu")
    assert field.get_attribute("aria-invalid") == "true"
    expect(page.get_by_text("found")).to_have_count(0)  # that was of the query before
    _picture(page, "problem")
    field.fill("x" * 3_000)
    expect(field).to_have_value("x" * 2_000)
    field.press("Escape")
    expect(rows).to_have_count(3)
    assert [error for error in watch.errors if "400" not in error] == []
    assert watch.elsewhere(service.url) == []


def _picture(page: Page, name: str) -> None:
    """Keep a picture for whoever wants to look: `INSPECTOR_PICTURES=FOLDER`."""
    if folder := os.environ.get("INSPECTOR_PICTURES"):
        page.screenshot(path=Path(folder) / f"filter-{name}.png")
