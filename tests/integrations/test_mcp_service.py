"""A client and a server in processes of their own, read from a real service."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import get_default_environment

from inspector.agent_side import bootstrap
from tests.support.services.process import Service, wait_for

ROOT = Path(__file__).resolve().parents[2]
CLIENT = Path(__file__).with_name("tracing_client.py")
EXAMPLE = ROOT / "examples" / "frameworks" / "mcp_sdk.py"


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
    """Return the spans that are no duplicates, once there are `count`."""

    def once() -> list[dict[str, Any]]:
        return [one for one in spans(service, session) if one["duplicate_of"] is None]

    wait_for(lambda: len(once()) == count, deadline_s=30)
    return once()


@pytest.mark.slow
@pytest.mark.shows("mcp", "session", "tool", "tool_error", "deny", "once")
def test_spans_of_client_and_server_nest_and_nothing_is_shown_twice(service: Service) -> None:
    output = run(service, CLIENT)
    assert "Denied: not this one" in output
    found = shown(service, "traced-client", 6)  # three calls, what is in one, two questions
    assert [one["name"] for one in found].count("execute_tool weigh") == 2  # one was denied

    by_id = {one["span_id"]: one for one in spans(service, "traced-client")}

    def above(one: dict[str, Any]) -> list[str]:
        names = []
        while (one := by_id.get(one["parent_span_id"] or "", {})) != {}:
            if one["duplicate_of"] is None:
                names.append(one["name"])
        return names

    (scale,) = [one for one in found if one["kind"] == "llm"]
    assert above(scale) == ["execute_tool weigh"]  # of the client; the server's report it too
    assert service.get("/sessions/traced-client")["tool_calls"] == 3

    client = [one for one in found if one["parent_span_id"] is None]
    weigh, drop, denied = (one for one in client if one["name"].startswith("execute_tool"))
    details = service.get(f"/spans/{weigh['trace_id']}/{weigh['span_id']}")
    assert "iron" in str(details["attributes"]["gen_ai.tool.call.arguments"])
    assert "4" in str(details["attributes"]["gen_ai.tool.call.result"])
    assert drop["status"] == "error"
    details = service.get(f"/spans/{denied['trace_id']}/{denied['span_id']}")
    assert "not this one" in str(details)
    assert not [one for one in by_id.values() if one["parent_span_id"] == denied["span_id"]]


PLAIN_SERVER = """
import os
from mcp.server.mcpserver import MCPServer

server = MCPServer("plain", log_level="ERROR")

@server.tool()
async def environment() -> str:
    return "\\n".join(f"{name}={os.environ[name]}" for name in os.environ)

server.run()
"""
PLAIN_CLIENT = """
import asyncio, sys
from mcp import Client, StdioServerParameters
import inspector

async def main():
    inspector.context.set(sys.argv[2])
    async with Client(StdioServerParameters(command=sys.executable, args=[sys.argv[1]])) as client:
        print((await client.call_tool("environment", {})).content[0].text)

inspector.attach(capture="redacted")
asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("switch", ["on", pytest.param("off", marks=pytest.mark.slow)])
def test_a_server_gets_the_environment_to_be_watched_and_no_secret(
    service: Service, tmp_path: Path, switch: str
) -> None:
    (tmp_path / "server.py").write_text(PLAIN_SERVER)
    (tmp_path / "client.py").write_text(PLAIN_CLIENT)
    session = f"plain-{switch}"
    done = subprocess.run(
        [sys.executable, str(tmp_path / "client.py"), str(tmp_path / "server.py"), session],
        env={
            **service.environment,
            "INSPECTOR_TOKEN": service.token,
            "INSPECTOR_WATCH_SERVERS": switch,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    environment = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    ours = {name: environment[name] for name in environment.keys() - get_default_environment()}
    ours.pop("LC_CTYPE", None)  # Python's own
    if switch == "off":
        assert ours == {}
        return
    assert ours == {
        "INSPECTOR_URL": service.url,
        "INSPECTOR_CAPTURE_CONTENT": "redacted",
        "INSPECTOR_POLICIES": "off",
        "INSPECTOR_CONTROL": "off",
        "INSPECTOR_RUNTIME_DIR": service.environment["INSPECTOR_RUNTIME_DIR"],
        "PYTHONPATH": str(Path(bootstrap.__path__[0])),
    }
    assert service.token not in done.stdout

    def services() -> list[str]:
        (one,) = [one for one in service.get("/sessions")["sessions"] if one["id"] == session]
        found: list[str] = one["services"]
        return sorted(found)

    wait_for(lambda: services() == ["client", "server"])


CONNECTIONS = """
import asyncio, sys
from mcp import Client, StdioServerParameters

async def main():
    for _ in range(2):
        server = StdioServerParameters(command=sys.executable, args=sys.argv[1:])
        async with Client(server) as client:
            await client.list_tools()
            await client.call_tool("count", {})

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.shows("mcp", "session")
@pytest.mark.parametrize(
    ("flags", "calls"),
    [pytest.param(["--session", "per-trace"], [1, 1], marks=pytest.mark.slow), ([], [2])],
    ids=["each", "script"],
)
def test_each_connection_of_a_client_is_one_session_called_by_what_it_did_or_the_scripts(
    service: Service, tmp_path: Path, flags: list[str], calls: list[int]
) -> None:
    before = {one["id"] for one in service.get("/sessions")["sessions"]}
    script = tmp_path / "client.py"
    script.write_text(CONNECTIONS)
    server = ROOT / "tests" / "support" / "services" / "mcp_servers.py"
    program = [sys.executable, str(script), str(server), "modern"]
    subprocess.run(
        [sys.executable, "-m", "inspector", "run", *flags, "--", *program],
        env={**service.environment, "INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token},
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=True,
    )

    def made() -> list[tuple[str, int]]:
        found = [one for one in service.get("/sessions")["sessions"] if one["id"] not in before]
        return [(one["title"], one["tool_calls"]) for one in found]

    wait_for(lambda: made() == [("execute_tool count", count) for count in calls], deadline_s=30)


@pytest.mark.slow
def test_the_example_runs_and_is_seen(service: Service) -> None:
    assert run(service, EXAMPLE) == "{'result': 3}\n"
    wait_for(lambda: "execute_tool add" in str(spans(service, "mcp-example")), deadline_s=30)
