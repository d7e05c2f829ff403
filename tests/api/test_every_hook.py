"""Every hook becomes spans with the required attributes on `/events`.

What is required is not written here: it is read from the telemetry spec.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

import inspector
from inspector import context
from instrument import CATALOGUE, Bus
from subscribers.spec.loader import load_spec
from subscribers.spec.model import HookSpec
from tests.support.services.event_stream import stream_items
from tests.support.services.process import Service

SPEC = load_spec()
SEED_HOOKS = [hook.name for hook in CATALOGUE.values() if hook.since <= "1.2"]
VALUES: dict[str, Any] = {
    "agent": SimpleNamespace(name="prober"),
    "args": {"path": "README.md"},
    "attempt": 2,
    "available_models": ["small", "large"],
    "content": "text",
    "context": SimpleNamespace(),
    "duration_ms": 12.5,
    "envelope": {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/list",
        "params": {},
    },
    "error": None,
    "exc": ValueError("it went wrong"),
    "llm": SimpleNamespace(provider="openai", model="gpt-4o"),
    "message": "half way",
    "metadata": {"engine": "asyncio", "app_name": "probe"},
    "mime_type": "text/plain",
    "operation_id": "op-1",
    "parameters": {"tone": "short"},
    "payload": {"approved": True},
    "percent": 50.0,
    "preferences": {"costPriority": 0.5},
    "prompt": [{"role": "user", "content": "Which files changed?"}],
    "reason": "closed",
    "rendered": [{"role": "user", "content": "hello"}],
    "response": "Three.",
    "result": {"content": [{"type": "text", "text": "ok"}]},
    "scores": {"large": 0.9},
    "selected_model": "large",
    "session_id": "replaced by the test",
    "signal_name": "approve",
    "status": "completed",
    "template_id": "release-notes",
    "tool_name": "read_file",
    "transport": "stdio",
    "transport_type": "stdio",
    "uri": "file:///README.md",
    "usage": {"input_tokens": 3, "output_tokens": 2},
    "workflow": SimpleNamespace(name="release"),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(Path(tmp_path_factory.mktemp("service"))) as running:
        yield running


def kwargs_of(hook: str, session_id: str) -> dict[str, Any]:
    required = [kwarg.name for kwarg in CATALOGUE[hook].kwargs if kwarg.since <= "1.2"]
    return {name: VALUES[name] for name in required} | (
        {"session_id": session_id} if "session_id" in required else {}
    )


def opener_of(hook: str) -> str | None:
    """Return the hook that begins the operation which `hook` ends."""
    spec = SPEC.hooks[hook]
    if spec.action != "end":
        return None
    return next(n for n, h in SPEC.hooks.items() if h.action == "start" and h.span == spec.span)


async def fire(bus: Bus, hook: str, session_id: str) -> None:
    opener = opener_of(hook)
    async with bus.operation("agent_call", agent=VALUES["agent"]):
        if opener:
            await bus._emit(opener, **kwargs_of(opener, session_id))
        await bus._emit(hook, **kwargs_of(hook, session_id))
        if SPEC.hooks[hook].action == "start":
            noun = SPEC.spans[SPEC.hooks[hook].span or ""].noun
            closer = {"rpc_request": "after_rpc_response"}.get(noun, f"after_{noun}")
            await bus._emit(closer, **kwargs_of(closer, session_id))


def messages_until_finished(service: Service, after: str, session_id: str) -> list[dict[str, Any]]:
    """Follow the stream from `after` until the session has finished."""
    seen = []
    with (
        httpx.Client(headers=service.headers, timeout=20) as client,
        client.stream("GET", f"{service.url}/events", params={"after": after}) as answer,
    ):
        for item in stream_items(answer.iter_lines()):
            if item.data.get("session_id") == session_id:
                seen.append(item.data)
                if item.data["type"] == "SessionFinished":
                    return seen
    raise AssertionError("the stream ended")


def attributes_of(
    service: Service, messages: list[dict[str, Any]], spec: HookSpec
) -> list[dict[str, Any]]:
    """Return the attributes of every place that the hook may set."""
    spans = {m["span"]["span_id"]: m["span"] for m in messages if m["type"] == "SpanEnded"}
    found = [m["attributes"] for m in messages if m.get("name") == spec.event and spec.event]
    for row in spans.values():
        detail = service.get(f"/spans/{row['trace_id']}/{row['span_id']}")
        if spec.action in {"start", "end"}:
            found.append(detail["attributes"])
        found.extend(e["attributes"] for e in detail["events"] if e["name"] == spec.event)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("hook", SEED_HOOKS)
async def test_a_hook_is_seen_on_the_stream_with_its_required_attributes(
    hook: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, session_id = Bus(), f"probe-{hook}"
    spec = SPEC.hooks[hook]
    before = service.get("/sessions")["as_of"]
    handle = inspector.attach(
        service.url, token=service.token, set_global=False, bus=bus, semconv="dup"
    )
    context.set(session_id)
    try:
        await fire(bus, hook, session_id)
    finally:
        handle.detach()
        context.set("unknown")

    messages = messages_until_finished(service, before, session_id)
    found = attributes_of(service, messages, spec)
    required = [key for row in spec.required() for key in row.keys]
    assert required or spec.action == "remember"
    if spec.action == "remember":  # what it says is told by the hook that follows
        assert {m["type"] for m in messages} >= {"SessionStarted", "SpanEnded"}
        return
    assert any(set(required) <= set(attributes) for attributes in found), (required, found)


def test_version_1_2_has_thirty_two_hooks() -> None:
    assert len(SEED_HOOKS) == 32
