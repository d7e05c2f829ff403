"""The whole way: a client and a server in processes of their own, read from the service."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.service import wait_for
from tests.support.service_process import Service

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "tests" / "support" / "tracing_client.py"
EXAMPLE = ROOT / "examples" / "frameworks" / "mcp_sdk.py"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    running = Service(tmp_path_factory.mktemp("mcp-sdk"))
    running.start()
    yield running
    running.stop()


def run(service: Service, script: Path) -> str:
    there = {"INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token}
    done = subprocess.run(
        [sys.executable, "-P", str(script)],
        env={**service.environment, **there, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def spans(service: Service, session: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.get(f"/sessions/{session}/spans")["spans"]
    return found


def shown(service: Service, session: str, count: int) -> list[dict[str, Any]]:
    """Return the spans that are not another's second telling, once there are so many."""

    def once() -> list[dict[str, Any]]:
        return [one for one in spans(service, session) if one["duplicate_of"] is None]

    wait_for(lambda: len(once()) == count, deadline_s=30)
    return once()


@pytest.mark.shows("mcp", "session", "tool", "tool_error", "deny", "once")
def test_spans_of_client_and_server_nest_and_nothing_is_shown_twice(service: Service) -> None:
    said = run(service, CLIENT)
    assert "Denied: not this one" in said
    found = shown(service, "traced-client", 12)
    assert [one["name"] for one in found].count("execute_tool weigh") == 3  # one was denied

    by_id = {one["span_id"]: one for one in spans(service, "traced-client")}

    def above(one: dict[str, Any]) -> list[str]:
        names = []
        while (one := by_id.get(one["parent_span_id"] or "", {})) != {}:
            if one["duplicate_of"] is None:
                names.append(one["name"])
        return names

    (scale,) = [one for one in found if one["kind"] == "llm"]
    assert above(scale) == ["execute_tool weigh", "tools/call weigh", "execute_tool weigh"]

    client = [one for one in found if one["parent_span_id"] is None]
    weigh, drop, denied = (one for one in client if one["name"].startswith("execute_tool"))
    details = service.get(f"/spans/{weigh['trace_id']}/{weigh['span_id']}")
    assert "iron" in str(details["attributes"]["gen_ai.tool.call.arguments"])
    assert "4" in str(details["attributes"]["gen_ai.tool.call.result"])
    assert drop["status"] == "error"
    details = service.get(f"/spans/{denied['trace_id']}/{denied['span_id']}")
    assert "not this one" in str(details)
    assert not [one for one in by_id.values() if one["parent_span_id"] == denied["span_id"]]


def test_the_example_runs_and_is_seen(service: Service) -> None:
    assert run(service, EXAMPLE) == "{'result': 3}\n"
    wait_for(lambda: "execute_tool add" in str(spans(service, "mcp-example")), deadline_s=30)
