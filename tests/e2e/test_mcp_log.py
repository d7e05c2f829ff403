"""The MCP log in a browser: real servers of both eras, then what a wire can carry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from playwright.sync_api import Locator, Page, expect

from inspector.service.model.rows import Json
from tests.e2e.conftest import Watch
from tests.support.agents.agent_process import watched_agent
from tests.support.services.process import Service, wait_for
from tests.support.telemetry.otlp import START_NS, any_value, key_values, resource, span

AGENT = Path(__file__).with_name("mcp_agent.py")
MS_NS = 1_000_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("mcp")) as running:
        yield running


@pytest.fixture
def wide(page: Page, service: Service) -> Page:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service.url}/ui/?token={service.token}")
    return page


def begin(service: Service, session: str, trace: int) -> None:
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.CopyFrom(resource(service_name="wire"))
    attributes: dict[str, Json] = {"session.id": session, "gen_ai.operation.name": "invoke_agent"}
    group.scope_spans.add().spans.append(
        span("invoke_agent clerk", trace=trace, attributes=attributes)
    )
    service.post("/v1/traces", request.SerializeToString())


def record(service: Service, trace: int, *records: tuple[str, str, dict[str, Json]]) -> None:
    """Send records as a proxy would: name, body and attributes, a millisecond apart."""
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.CopyFrom(resource(service_name="proxy"))
    logs = group.scope_logs.add().log_records
    for at, (name, body, attributes) in enumerate(records):
        logs.append(
            LogRecord(
                event_name=name,
                time_unix_nano=START_NS + at * MS_NS,
                trace_id=trace.to_bytes(16, "big"),
                body=any_value(body),
                attributes=key_values({"inspector.mcp.server.name": "files", **attributes}),
            )
        )
    service.post("/v1/logs", request.SerializeToString())


def frame(message: object, direction: str) -> tuple[str, str, dict[str, Json]]:
    text = message if isinstance(message, str) else json.dumps(message)
    return "inspector.mcp.frame", text, {"inspector.mcp.direction": direction}


def line(page: Page, text: str | re.Pattern[str]) -> Locator:
    return page.locator(".ins-mcp-row").filter(has_text=text)


@pytest.mark.slow
def test_servers_of_both_eras_are_read_and_answered_in_one_log(
    wide: Page, watch: Watch, service: Service
) -> None:
    page = wide
    with watched_agent(service, AGENT) as agent:
        wait_for(lambda: "mcp-agent" in str(service.get("/sessions")), deadline_s=90)
        page.goto(f"{service.url}/ui/sessions/mcp-agent?view=mcp")
        publish = line(page, "publish")
        expect(publish).to_contain_text("pending", timeout=60_000)
        expect(publish.locator(".ins-mcp-row__took")).to_have_text(re.compile(r"^\d+ s$"))
        publish.click()
        form = page.get_by_role("region", name="Waiting for you in this span")
        form.get_by_label("channel").select_option("stable")
        send = form.get_by_role("button", name="Send answer")
        expect(send).to_have_attribute("aria-disabled", "false")
        send.click()
        agent.output_lines()
    expect(page.locator(".ins-header, header").get_by_text("pending")).to_have_count(0)
    # What the servers told by themselves is of the agent's session, too.
    ids = (row["id"] for row in service.get("/sessions")["sessions"])
    assert [session for session in ids if session.startswith("mcp-")] == ["mcp-agent"]

    servers = page.get_by_role("list", name="MCP servers")
    archive = servers.get_by_role("button", name=re.compile("archive"))
    expect(archive).to_contain_text("0.9.0")
    expect(archive).to_contain_text("MCP 2025-11-25 · with handshake")
    row = servers.get_by_role("button", name=re.compile("release desk"))
    expect(row).to_contain_text("2.1.0")
    expect(row).to_contain_text("MCP 2026-07-28 · stateless")
    expect(row).to_contain_text("3 errors")

    expect(line(page, "refuse")).to_contain_text("tool error")
    call = page.locator(".ins-mcp-row--call")  # the server's own log names the prompt, too
    expect(call.filter(has_text="no such prompt")).to_contain_text("error -32603")
    expect(line(page, "crash")).to_contain_text("no answer")
    expect(line(page, "sleep")).to_contain_text("cancelled")
    expect(publish).to_contain_text("2 rounds")
    expect(publish).to_have_count(1)
    question = page.get_by_text("the server asks for input")
    expect(question).to_be_visible()
    expect(page.get_by_text("accept", exact=True).first).to_be_visible()
    publish.click()

    count = line(page, "count")
    count.click()
    expect(page.get_by_role("list", name="During this call")).to_contain_text("counted 3")
    count.click()
    # What a server asks lies below the call that it asks it during.
    order = page.locator(".ins-mcp-row__method").all_text_contents()
    assert order.index("sampling/createMessage") > order.index("tools/call")
    for method in ("sampling/createMessage", "elicitation/create"):
        expect(line(page, method)).to_contain_text("server to client")
    assert watch.errors == []


def test_the_log_is_walked_and_read_by_keys_alone(wide: Page, service: Service) -> None:
    page = wide
    begin(service, "keys", 2)
    record(
        service,
        2,
        frame({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, "to_server"),
        frame({"jsonrpc": "2.0", "id": 1, "result": {"n": 9007199254740993}}, "to_client"),
        frame({"jsonrpc": "2.0", "id": 2, "method": "resources/read"}, "to_server"),
        frame(
            {"jsonrpc": "2.0", "id": 2, "error": {"code": -32002, "message": "gone"}}, "to_client"
        ),
        ("inspector.mcp.stderr", "Traceback of the server", {}),
        (
            "inspector.transport.failed",
            "",
            {"inspector.transport.step": "list", "inspector.transport.reason": "broken pipe"},
        ),
    )
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{service.url}/ui/sessions/keys?view=mcp")
    expect(line(page, "resources/read")).to_contain_text("error -32002")
    expect(line(page, "Traceback of the server")).to_be_visible()
    server = page.get_by_role("list", name="MCP servers").get_by_role("button")
    expect(server).to_contain_text("failed at list")

    page.keyboard.press("e")
    expect(line(page, "resources/read")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(line(page, "tools/list")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("region", name="the response")).to_contain_text("9007199254740993")
    page.keyboard.press("c")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert json.loads(copied)["result"] == {"n": 9007199254740993}
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("region", name="the response")).to_have_count(0)

    page.keyboard.press("/")
    page.keyboard.type("GONE")
    expect(page.locator(".ins-mcp-row")).to_have_count(1)
    expect(page).to_have_url(re.compile("find=GONE"))
    page.keyboard.press("Escape")
    page.get_by_title("Show only errors").click()
    expect(line(page, "tools/list")).to_have_count(0)


@pytest.mark.slow
def test_ten_thousand_messages_scroll_and_hostile_ones_are_text(
    wide: Page, watch: Watch, service: Service
) -> None:
    page = wide
    begin(service, "wire", 3)
    hostile = [
        frame({"jsonrpc": "2.0", "id": 0, "method": "\u202egnihtemos<b>x</b>"}, "to_server"),
        frame({"jsonrpc": "2.0", "id": 0, "result": {"__proto__": {"x": 1}}}, "to_client"),
        frame({"jsonrpc": "2.0", "id": "big", "method": "big/one"}, "to_server"),
        frame({"jsonrpc": "2.0", "id": "big", "result": {"t": "y" * 1_000_000}}, "to_client"),
    ]
    many = [
        message
        for number in range(1, 5_001)
        for message in (
            frame({"jsonrpc": "2.0", "id": number, "method": "ping"}, "to_server"),
            frame({"jsonrpc": "2.0", "id": number, "result": {}}, "to_client"),
        )
    ]
    record(service, 3, *hostile, *many)
    page.goto(f"{service.url}/ui/sessions/wire?view=mcp&order=time")
    lines = page.get_by_role("status").filter(has_text="5\u202f002 messages")
    expect(lines).to_be_visible(timeout=90_000)
    assert page.locator(".ins-mcp-line").count() < 120
    odd = line(page, "gnihtemos")
    expect(odd).to_contain_text("U+202E")
    expect(odd).to_contain_text("<b>x</b>")
    line(page, "big/one").click()
    answer = page.get_by_role("region", name="the response")
    expect(answer).to_contain_text("1 MB")
    expect(answer.get_by_role("button", name=re.compile("characters"))).to_be_visible()
    line(page, "big/one").press("End")
    expect(line(page, "#5000")).to_be_focused()
    assert page.locator(".ins-mcp-line").count() < 120
    assert watch.errors == []


def test_a_session_without_mcp_says_how_to_get_some(wide: Page, service: Service) -> None:
    begin(service, "none", 4)
    wide.goto(f"{service.url}/ui/sessions/none?view=mcp")
    expect(wide.get_by_role("heading", name="No MCP traffic in this session")).to_be_visible()
    expect(wide.get_by_role("button", name="Copy the Python code")).to_be_visible()
