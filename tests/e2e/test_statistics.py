"""Statistics, the graph and a visualiser, in a real browser, by keys where there are keys."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span
from playwright.sync_api import Page, expect

from inspector.service.model.rows import Json
from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.otlp import SECOND_NS, START_NS, key_values, resource, span
from tests.support.telemetry.records import span_hex, trace_hex


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as running:
        running.post("/v1/traces", _request(*_STORY))
        yield running


def _span(
    number: int, parent: int | None, name: str, start_s: float, s: float, **more: object
) -> Span:
    error = str(more.pop("error")) if "error" in more else None
    attributes: dict[str, Json] = {"session.id": "support"}
    attributes |= {key.replace("__", "."): value for key, value in more.items()}  # type: ignore[misc]  # as JSON
    return span(
        name,
        span_id=number,
        parent=parent,
        start_ns=START_NS + int(start_s * SECOND_NS),
        duration_ns=int(s * SECOND_NS),
        attributes=attributes,
        error=error,
    )


def _agent(number: int, parent: int, name: str, start_s: float, s: float) -> Span:
    attributes = {"gen_ai.operation.name": "invoke_agent"}
    return _span(number, parent, f"invoke_agent {name}", start_s, s, **attributes)


def _chat(number: int, parent: int, start_s: float, s: float, first_s: float) -> Span:
    attributes: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "small",
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 100,
        "inspector.cost.usd": 0.01,
        "gen_ai.response.time_to_first_chunk": first_s,
    }
    return _span(number, parent, "chat small", start_s, s, **attributes)


def _request(*spans: Span) -> bytes:
    scopes = [ScopeSpans(spans=spans)]
    found = ResourceSpans(resource=resource(service_name="support"), scope_spans=scopes)
    return ExportTraceServiceRequest(resource_spans=[found]).SerializeToString()


_TOOL = {"gen_ai.operation.name": "execute_tool"}
_STORY = (
    _span(1, None, "question", 0, 30, inspector__kind="workflow"),
    _agent(2, 1, "triage", 0, 5),
    _chat(3, 2, 0, 2, 0.3),
    _span(4, 2, "handoff to billing", 4, 0.01),
    _agent(5, 1, "billing", 5, 20),
    _chat(6, 5, 5, 9, 6.5),
    _span(7, 5, "execute_tool pay", 14, 1, **_TOOL),
    _span(8, 5, "execute_tool pay", 15, 3, error="declined", **_TOOL),
    _agent(9, 5, "policy", 20, 4),
    _span(
        10,
        9,
        "retrieve",
        20,
        1,
        openinference__span__kind="RETRIEVER",
        retrieval__documents__0__document__content="Refunds within <b>30 days</b>.",
        retrieval__documents__0__document__score=0.9,
    ),
)


def _open(page: Page, service: Service, view: str) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/sessions/support?view={view}")


def _key(number: int) -> re.Pattern[str]:
    return re.compile(f"span={trace_hex(1)}.{span_hex(number)}")


@pytest.mark.slow
def test_each_line_of_the_statistics_leads_to_a_span(
    page: Page, watch: Watch, shared: Service
) -> None:
    _open(page, shared, "statistics")
    operations = page.get_by_role("group", name="Operations", exact=True).get_by_role("grid")
    first = operations.get_by_role("row").nth(1)
    expect(first).to_contain_text("chat small")
    head = operations.get_by_role("columnheader", name="Self time")
    expect(head).to_have_attribute("aria-sort", "descending")
    head.get_by_role("button").press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    operations.get_by_role("button", name="Count").press("Enter")
    expect(first).to_contain_text("2")

    chat = operations.get_by_role("row", name="chat small")
    expect(chat).to_contain_text("$0.02")
    chat.get_by_role("button", name="chat small", exact=True).press("Enter")
    expect(page).to_have_url(_key(6))
    page.get_by_role("button", name=re.compile("1 error of execute_tool pay")).click()
    expect(page).to_have_url(_key(8))

    agents = page.get_by_role("group", name="Agents", exact=True).get_by_role("grid")
    expect(agents.get_by_role("row", name="billing")).to_contain_text("1 100")
    streams = page.get_by_role("list", name="Time to first token: longest")
    expect(streams.get_by_role("listitem").first).to_contain_text("6.50 s")
    streams.get_by_role("button").first.click()
    expect(page).to_have_url(_key(6))
    _picture(page, "statistics")

    page.get_by_role("button", name="Show execute_tool pay in the waterfall").click()
    expect(page.get_by_role("tab", name="Waterfall")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("textbox", name="Find in this session")).to_have_value(
        "execute_tool pay"
    )
    assert watch.errors == []
    assert watch.elsewhere(shared.url) == []


@pytest.mark.slow
def test_statistics_count_what_comes_while_they_are_looked_at(page: Page, shared: Service) -> None:
    _open(page, shared, "statistics")
    tools = page.get_by_role("region", name="Tools", exact=True).get_by_role("grid")
    expect(tools.get_by_role("row", name="pay")).to_be_visible()
    shared.post("/v1/traces", _request(_span(20, 9, "execute_tool refund", 22, 1, **_TOOL)))
    expect(tools.get_by_role("row", name="refund")).to_be_visible()


@pytest.mark.slow
def test_the_graph_is_walked_by_arrow_keys_and_opens_what_failed(
    page: Page, watch: Watch, shared: Service
) -> None:
    _open(page, shared, "graph")
    graph = page.get_by_role("group", name=re.compile("3 nodes, 2 edges"))
    triage = graph.get_by_role("button", name=re.compile("agent triage"))
    # It has the focus from the start; J and K go through the nodes in order.
    expect(graph).to_be_focused()
    page.keyboard.press("j")
    expect(triage).to_be_focused()
    page.keyboard.press("End")
    expect(triage).not_to_be_focused()
    page.keyboard.press("Home")
    expect(triage).to_be_focused()
    page.keyboard.press("ArrowRight")
    billing = graph.get_by_role("button", name=re.compile("agent billing"))
    expect(billing).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(graph.get_by_role("button", name=re.compile("agent policy"))).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page).to_have_url(_key(8))  # the failed call, which has no node of its own here
    _picture(page, "graph")

    page.get_by_role("button", name="Tools", exact=True).click()
    pay = page.get_by_role("button", name=re.compile("tool pay"))
    expect(pay).to_have_accessible_name(re.compile("1 error.*2 calls"))
    pay.click()
    expect(page).to_have_url(_key(8))
    page.get_by_role("button", name="Table", exact=True).click()
    edges = page.get_by_role("group", name="Edges")
    expect(edges.get_by_role("button", name="triage hands off to billing")).to_be_visible()
    assert watch.errors == []


@pytest.mark.slow
def test_a_node_of_the_graph_narrows_transcript_and_waterfall_and_there_is_a_way_back(
    page: Page, watch: Watch, shared: Service
) -> None:
    _open(page, shared, "graph")
    page.get_by_role("button", name="Tools", exact=True).click()
    page.get_by_role("button", name=re.compile("tool pay")).click()
    narrowed = page.get_by_role("group", name="Only tool")
    expect(narrowed).to_contain_text("pay")
    page.go_back()
    expect(narrowed).to_be_hidden()
    expect(page).to_have_url(re.compile("view=graph"))
    page.go_forward()
    expect(narrowed).to_contain_text("pay")
    narrowed.get_by_role("button", name="Transcript").click()
    entries = page.get_by_role("feed", name="Entries").get_by_role("article")
    expect(entries).to_have_count(2)
    page.get_by_role("tab", name="Waterfall").click()
    rows = page.get_by_role("tree", name="Span tree").get_by_role("treeitem")
    expect(rows.filter(has_text="pay")).to_have_count(2)
    expect(rows.filter(has_text="triage")).to_have_count(0)
    page.reload()  # it is in the address
    narrowed.get_by_role("button", name="Show all").click()
    expect(rows.filter(has_text="triage")).not_to_have_count(0)
    assert watch.errors == []


@pytest.mark.slow
def test_documents_of_a_retrieval_are_shown_as_text_in_a_tab_of_their_own(
    page: Page, watch: Watch, shared: Service
) -> None:
    _open(page, shared, f"waterfall&span={trace_hex(1)}.{span_hex(10)}")
    page.get_by_role("tab", name="Documents").click()
    documents = page.get_by_role("list", name="Retrieved documents")
    expect(documents.get_by_role("listitem")).to_have_count(1)
    expect(documents).to_contain_text("Refunds within <b>30 days</b>.")
    _picture(page, "documents")
    assert watch.errors == []


def _picture(page: Page, name: str) -> None:
    """Keep a picture for whoever wants to look: `INSPECTOR_PICTURES=FOLDER`."""
    if folder := os.environ.get("INSPECTOR_PICTURES"):
        page.screenshot(path=Path(folder) / f"statistics-{name}.png")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1440])
def test_models_without_a_price_are_named_in_the_room_there_is(
    page: Page, watch: Watch, service: Service, width: int
) -> None:
    for number in range(1, 13):
        call: dict[str, Json] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": f"{number:02}-" + "mine" * 40,
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 10,
            "session.id": "S",
        }
        service.send(span("chat", trace=number, attributes=call))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/sessions/S?view=statistics")
    note = page.get_by_role("region", name="Models").locator("header p")
    expect(note).to_contain_text("no price for 01-mine")
    expect(note).to_contain_text(", 2 more")
    assert note.evaluate(
        "it => it.scrollWidth <= it.clientWidth &&"
        " it.getBoundingClientRect().right <= it.closest('section').getBoundingClientRect().right"
    )


@pytest.mark.slow
def test_tools_of_an_mcp_server_stand_in_a_box_of_its_name(
    page: Page, watch: Watch, shared: Service
) -> None:
    mcp = {"mcp.method.name": "tools/call", "inspector.mcp.server.name": "ledger", **_TOOL}
    shared.post("/v1/traces", _request(_span(30, 9, "execute_tool pay", 21, 1, **mcp)))
    _open(page, shared, "graph")
    page.get_by_role("button", name="Tools", exact=True).click()
    inside = page.get_by_role("button", name=re.compile("tool pay of ledger"))
    expect(inside).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^tool pay"))).to_have_count(2)
    box, tool = page.locator(".ins-graph__server").bounding_box(), inside.bounding_box()
    assert box is not None
    assert tool is not None
    assert box["x"] < tool["x"] < tool["x"] + tool["width"] < box["x"] + box["width"]
    assert watch.errors == []


@pytest.mark.slow
def test_a_column_of_the_context_leads_to_its_call_and_its_slices_to_their_texts(
    page: Page, watch: Watch, shared: Service
) -> None:
    sent = [
        {"role": "system", "parts": [{"type": "text", "content": "Be kind."}]},
        {"role": "user", "parts": [{"type": "text", "content": "Where is my refund?"}]},
    ]
    call = _chat(31, 9, 22, 1, 0.1)
    call.attributes.extend(key_values({"gen_ai.input.messages": json.dumps(sent)}))
    shared.post("/v1/traces", _request(call))
    _open(page, shared, "statistics")
    columns = page.get_by_role("list", name="Context over the session")
    columns.get_by_role("button", name=re.compile("policy")).click()
    expect(page).to_have_url(_key(31))
    context = page.get_by_role("region", name="Context", exact=True)
    expect(context).to_contain_text("≈ 704 tokens")
    context.get_by_role("button", name=re.compile("History")).click()
    expect(context).to_contain_text("Where is my refund?")
    expect(context).not_to_contain_text("Be kind.")
    assert watch.errors == []
