"""Characters that hide or act, in every name of a trace: each is shown wherever a name stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.services.process import Service
from tests.support.telemetry.otlp import START_NS

SECOND_NS = 1_000_000_000
NAME = "pay\u202eexe\u202c\x00\x1b[31m\u200b!"
SHOWN = "U+202E"
SPANS: tuple[dict[str, Any], ...] = (
    {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": NAME, "user.id": NAME},
    {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": f"{NAME}2"},
    {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": NAME,
        "gen_ai.provider.name": NAME,
        "gen_ai.response.finish_reasons": [NAME],
        "gen_ai.input.messages": json.dumps(
            [{"role": NAME, "name": NAME, "parts": [{"type": NAME, "x": NAME}]}]
        ),
        "gen_ai.output.messages": json.dumps(
            [
                {
                    "role": "assistant",
                    "parts": [{"type": "tool_call", "id": NAME, "name": NAME, "arguments": {}}],
                }
            ]
        ),
        "gen_ai.tool.definitions": json.dumps([{"name": NAME, "description": NAME}]),
        NAME: NAME,
    },
    {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": NAME,
        "gen_ai.tool.call.id": NAME,
        "gen_ai.tool.call.arguments": json.dumps({NAME: NAME}),
    },
    {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": NAME,
        "inspector.mcp.server.name": NAME,
        "jsonrpc.request.id": NAME,
        "inspector.rpc.request": json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": NAME}}
        ),
    },
)
EVENTS: dict[str, dict[str, Any]] = {
    "exception": {"exception.type": NAME, "exception.message": NAME},
    "inspector.state": {"inspector.state.name": NAME, "inspector.state.value": '{"a":1}'},
    "inspector.decision": {
        f"inspector.decision.{field}": NAME for field in ("hook", "interceptor", "action", "reason")
    },
    NAME: {NAME: NAME},
}
SCAN = r"""() => {
  const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]/;
  const found = [];
  if (hidden.test(document.title)) found.push('the title of the page');
  for (const element of document.querySelectorAll('body, body *')) {
    if (element.matches('script, style')) continue;
    const place = `${element.tagName.toLowerCase()}.${element.className}`;
    for (const { name, value } of element.attributes) {
      const isAddress = ['href', 'id', 'value', 'class'].includes(name) || name.startsWith('data-');
      if (!isAddress && hidden.test(value)) found.push(`${place} ${name}`);
    }
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && hidden.test(node.data)) found.push(place);
    }
  }
  return [...new Set(found)];
}"""


def _pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "key": key,
            "value": {"arrayValue": {"values": [{"stringValue": one} for one in value]}}
            if isinstance(value, list)
            else {"stringValue": value},
        }
        for key, value in attributes.items()
    ]


def _request(session: str, trace_id: str) -> bytes:
    named = {"session.id": session, "inspector.session.title": NAME, "inspector.tags": [NAME]}
    spans = [
        {
            "traceId": trace_id,
            "spanId": f"{number:016x}",
            **({"parentSpanId": f"{min(number - 1, 2):016x}"} if number > 1 else {}),
            "name": f"{NAME}{session}",
            "startTimeUnixNano": str(START_NS + number),
            "endTimeUnixNano": str(START_NS + 10 * SECOND_NS - number),
            "attributes": _pairs({**named, **attributes}),
            "status": {"code": 2, "message": NAME},
            "events": [
                {
                    "name": name,
                    "timeUnixNano": str(START_NS + number),
                    "attributes": _pairs(attributes),
                }
                for name, attributes in EVENTS.items()
            ],
        }
        for number, attributes in enumerate(SPANS, start=1)
    ]
    group = {
        "resource": {"attributes": _pairs({"service.name": NAME})},
        "scopeSpans": [{"scope": {"name": NAME, "version": NAME}, "spans": spans}],
    }
    return json.dumps({"resourceSpans": [group]}).encode()


@pytest.fixture(scope="module")
def hiding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("hiding"))
    service.start()
    headers = {**service.headers, "Content-Type": "application/json"}
    try:
        for session, trace_id in (("one", "ab" * 16), ("two", "cd" * 16)):
            httpx.post(
                f"{service.url}/v1/traces",
                content=_request(session, trace_id),
                headers=headers,
                timeout=60,
            ).raise_for_status()
        with ConnectedAgent(service) as agent:
            agent.ask("r1", session_id="one", tool_name=NAME, prompt=NAME)
            yield service
    finally:
        service.stop()


FEW = ("", f"sessions/one?view=waterfall&span={'ab' * 16}.{3:016x}")
MORE = (
    "waiting?request=r1",
    "audit",
    "usage",
    "search?q=pay",
    "compare?left=one&right=two",
    *(f"sessions/one?view={view}" for view in ("graph", "statistics", "transcript", "mcp")),
    *(
        f"sessions/one?view=waterfall&span={'ab' * 16}.{number:016x}"
        for number in range(1, len(SPANS) + 1)
    ),
)


def test_what_hides_in_a_name_is_shown_where_names_are_read_most(
    page: Page, hiding: Service
) -> None:
    page.goto(f"{hiding.url}/ui/?token={hiding.token}")
    assert {place: _hidden(page, hiding, place) for place in FEW} == {place: [] for place in FEW}
    page.keyboard.press("Control+k")
    page.keyboard.type("pay")
    expect(page.get_by_role("dialog")).to_contain_text(SHOWN)
    assert page.evaluate(SCAN) == []


@pytest.mark.slow
def test_what_hides_in_a_name_is_shown_on_every_page(page: Page, hiding: Service) -> None:
    page.goto(f"{hiding.url}/ui/?token={hiding.token}")
    found: dict[str, list[str]] = {}
    for place in MORE:
        found[place] = _hidden(page, hiding, place)
        for tab in page.get_by_role("tablist", name="Span tabs").get_by_role("tab").all():
            tab.click()
            found[f"{place} {tab.inner_text()}"] = page.evaluate(SCAN)
    assert {place: what for place, what in found.items() if what} == {}


def _hidden(page: Page, hiding: Service, place: str) -> list[str]:
    """Return where on the page something stands that is never seen."""
    page.goto(f"{hiding.url}/ui/{place}")
    if place != "audit":
        expect(page.get_by_role("main")).to_contain_text(SHOWN)
    found: list[str] = page.evaluate(SCAN)
    return found
