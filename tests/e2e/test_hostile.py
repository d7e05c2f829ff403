"""What a trace says is data: on every page and in every view it is text, and harms nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.agents.http_agent import hash_of
from tests.support.services.process import Service
from tests.support.telemetry.otlp import START_NS

SECOND_NS = 1_000_000_000
TRACE_ID = "ab" * 16
ELSEWHERE = "http://198.51.100.7"  # an address for documents: nobody's
MARKUP = (
    f'<img src="{ELSEWHERE}/a.png" onerror="window.harmed=1"><script>window.harmed=2</script>'
    f'<iframe src="{ELSEWHERE}"></iframe><svg onload="window.harmed=3"></svg>'
    f'"><style>@import "{ELSEWHERE}/a.css"</style></textarea></title>'
)
LINKS = (
    f"[press](javascript:window.harmed=4) ![pixel]({ELSEWHERE}/b.png) <javascript:window.harmed=5> "
    f'[x](data:text/html,<script>window.harmed=6</script>) ![p]({ELSEWHERE}/c.png "t")'
)
HIDDEN = (
    "user\u202etxt.exe\u202c \u200bzero\u200dwidth\ufeff \u2066isolated\u2069 "
    "\x1b[31mred\x1b[0m\x07"
)
KEYS = ("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "", "a.b", "0")
POISON = {key: {"polluted": True, "__proto__": {"polluted": True}} for key in KEYS}
NUMBERS = "[1e999, -0, 9007199254740993, 0.1000000000000000055511151231257827, 1E-400]"
DEEP = "[" * 10_000 + "]" * 10_000
SURROGATES = '["\\ud800", "\\udfff\\ud83d", {"\\udc00": 1}]'
LINE = "x" * 1_000_000
HUNG_S = 5.0
"""A page that takes so long for a frame hangs, however slow the machine."""


def _message(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts], **more}


def _chat() -> dict[str, Any]:
    remote = {"type": "uri", "modality": "image", "uri": f"{ELSEWHERE}/d.png"}
    markup = {
        "type": "blob",
        "modality": "image",
        "mime_type": "image/svg+xml",
        "content": "PHN2Zz4=",
    }
    call = {"type": "tool_call", "id": MARKUP, "name": MARKUP, "arguments": POISON}
    messages = [
        _message("system", MARKUP),
        {**_message("user", LINKS, HIDDEN, MARKUP), "name": MARKUP},
        {"role": "user", "parts": [remote, markup, {"type": MARKUP, "content": POISON}]},
        {"role": MARKUP, "parts": [call]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": MARKUP, "result": POISON}]},
    ]
    answered = [_message("assistant", f"{LINKS}\n\n# {MARKUP}\n\n```{MARKUP}\n{HIDDEN}\n```")]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": MARKUP,
        "gen_ai.provider.name": HIDDEN,
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps(answered),
        "gen_ai.usage.input_tokens": 2**63 - 1,
        "gen_ai.usage.output_tokens": 2**62,
    }


def _tool(name: str, arguments: str, result: str) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": result,
    }


SPANS: dict[str, dict[str, Any]] = {
    f"invoke_agent {MARKUP}": {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": HIDDEN,
        "inspector.session.title": f"{MARKUP}{HIDDEN}",
    },
    "chat hostile": _chat(),
    "execute_tool keys": _tool(MARKUP, json.dumps(POISON), json.dumps({"__proto__": POISON})),
    "execute_tool numbers": _tool("numbers", NUMBERS, SURROGATES),
    "execute_tool deep": _tool("deep", DEEP, DEEP),
    "execute_tool line": _tool("line", json.dumps({"line": LINE}), LINE),
    f"tools/call {HIDDEN}": {
        "mcp.method.name": "tools/call",
        "mcp.session.id": MARKUP,
        "gen_ai.tool.name": MARKUP,
        "jsonrpc.request.id": MARKUP,
        "inspector.mcp.server.name": MARKUP,
        "gen_ai.tool.call.arguments": json.dumps(POISON),
    },
    "resources/read": {
        "mcp.method.name": "resources/read",
        "mcp.resource.uri": "javascript:window.harmed=7",
    },
    "state": {
        "mcp.state.__proto___json": json.dumps(POISON),
        "inspector.state.name": "__proto__",
        **{key or "(empty)": MARKUP for key in KEYS},
    },
}


def _request() -> bytes:
    names = list(SPANS)
    spans = []
    for number, (name, attributes) in enumerate(SPANS.items(), start=1):
        start_ns = START_NS + number * SECOND_NS
        spans.append(
            {
                "traceId": TRACE_ID,
                "spanId": f"{number:016x}",
                **({"parentSpanId": f"{1:016x}"} if number > 1 else {}),
                "name": name,
                "startTimeUnixNano": str(start_ns),
                "endTimeUnixNano": str(start_ns + SECOND_NS * (len(names) if number == 1 else 1)),
                "attributes": _attributes({"session.id": "hostile", **attributes}),
                "status": {"code": 2, "message": MARKUP + HIDDEN} if "keys" in name else {},
                "events": [
                    {
                        "name": "exception",
                        "timeUnixNano": str(start_ns + 1),
                        "attributes": _attributes(
                            {
                                "exception.type": MARKUP,
                                "exception.message": HIDDEN,
                                "exception.stacktrace": f"{MARKUP}\n{LINKS}",
                            }
                        ),
                    }
                ],
            }
        )
    resource = {"attributes": _attributes({"service.name": MARKUP})}
    scopes = [{"scope": {"name": MARKUP, "version": HIDDEN}, "spans": spans}]
    document = {"resourceSpans": [{"resource": resource, "scopeSpans": scopes}]}
    return json.dumps(document).encode()


def _attributes(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "key": key,
            "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value},
        }
        for key, value in attributes.items()
    ]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("hostile"))
    service.start()
    headers = {**service.headers, "Content-Type": "application/json"}
    try:
        httpx.post(
            f"{service.url}/v1/traces", content=_request(), headers=headers, timeout=60
        ).raise_for_status()
        with ConnectedAgent(service) as agent:
            args_json = json.dumps({"path": MARKUP + HIDDEN, **POISON}, separators=(",", ":"))
            agent.ask(
                "r1",
                session_id="hostile",
                tool_name="delete\u202e",
                prompt=MARKUP + LINKS,
                args_json=args_json,
                args_hash=hash_of(args_json),
            )
            agent.ask(
                "q1",
                session_id="hostile",
                kind="question",
                tool_name=None,
                prompt=LINKS + HIDDEN,
                form_json=json.dumps(
                    {
                        "type": "object",
                        "title": MARKUP,
                        "properties": {
                            "__proto__": {"type": "string", "title": MARKUP, "default": HIDDEN},
                            "constructor": {"type": "string", "enum": [MARKUP, LINKS]},
                            "slow": {"type": "string", "pattern": "^(a+)+$"},
                        },
                    }
                ),
            )
            yield service
    finally:
        service.stop()


def _spans_of(view: str) -> list[str]:
    numbers = range(1, len(SPANS) + 1)
    return [f"sessions/hostile?view={view}&span={TRACE_ID}.{number:016x}" for number in numbers]


TELLING = (
    "waiting?request=r1",
    "sessions/hostile?view=transcript",
    "sessions/hostile?view=mcp",
    *_spans_of("waterfall")[1:3],
)
PLACES = (
    "",
    "waiting?request=q1",
    "audit",
    "usage?by=model",
    "search?q=exe",
    "compare?left=hostile&right=hostile",
    "sessions/hostile?view=graph",
    "sessions/hostile?view=statistics",
    *_spans_of("waterfall"),
)


def test_hostile_content_is_text_where_most_of_it_shows(
    page: Page, watch: Watch, hostile: Service
) -> None:
    _look(page, hostile, TELLING)
    assert watch.errors == []
    assert watch.elsewhere(hostile.url) == []


@pytest.mark.slow
def test_hostile_content_is_text_in_a_page_that_is_saved(
    page: Page, watch: Watch, hostile: Service, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.html"
    saved.write_bytes(hostile.client.get("/sessions/hostile/export.html").content)
    page.add_init_script("window.harmed = 0")
    views = [f"view={view}" for view in ("transcript", "mcp", "graph", "statistics")]
    for place in (*views, *(path.partition("?")[2] for path in _spans_of("waterfall"))):
        page.goto("about:blank")  # or what is behind the # would lead to the same page
        page.goto(f"{saved.as_uri()}#{place}")
        expect(page.get_by_role("tabpanel").first).to_be_visible()
        _look_at(page, place)
    assert watch.errors == []
    assert watch.elsewhere(saved.as_uri()) == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_hostile_content_is_text_on_every_page(page: Page, watch: Watch, hostile: Service) -> None:
    _look(page, hostile, PLACES)
    assert watch.errors == []
    assert watch.elsewhere(hostile.url) == []


def _look(page: Page, hostile: Service, places: Sequence[str]) -> None:
    page.add_init_script("window.harmed = 0")
    page.goto(f"{hostile.url}/ui/?token={hostile.token}")
    for place in places:
        page.goto(f"{hostile.url}/ui/{place}")
        page.wait_for_load_state("networkidle")
        _look_at(page, place)


def _look_at(page: Page, place: str) -> None:
    _look_into_the_span(page)
    assert page.evaluate("[window.harmed, {}.polluted ?? null]") == [0, None], place
    elements = "iframe, object, embed, main script, main style, a[href^='javascript:' i]"
    assert page.locator(elements).count() == 0, place
    sources = page.locator("img").evaluate_all("all => all.map(({ src }) => src)")
    assert [one for one in sources if not one.startswith(("data:image/", "blob:"))] == [], place
    assert _answers_s(page) < HUNG_S, place


def _look_into_the_span(page: Page) -> None:
    """Look into every tab of the span panel, where there is one."""
    for tab in page.get_by_role("tablist", name="Span tabs").get_by_role("tab").all():
        tab.click()


def _answers_s(page: Page) -> float:
    """Return how long the page's own thread is busy with one more frame."""
    took_ms: float = page.evaluate(
        """async () => {
          const began = performance.now();
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          return performance.now() - began;
        }"""
    )
    return took_ms / 1000
