"""Programs of several tenants send to one Collector; each service gets its tenant's sessions."""

from __future__ import annotations

import shlex
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests.support.agents.agent_process import AgentProcess
from tests.support.docs.page import DocPage
from tests.support.docs.reader import spans
from tests.support.services.collector import needs_collector, running_collector
from tests.support.services.process import Service, wait_for

PAGE = DocPage("docs/operate/several-services.md")

pytestmark = [pytest.mark.timeout(180), pytest.mark.slow, needs_collector]

PROGRAMS = {
    "watched": """\
import inspector

session = inspector.session(input())
inspector.attach()
look = inspector.tool(lambda: 1, name="look")
wait = inspector.tool(lambda: input() and None, name="wait")


@inspector.agent
def planner():
    look()
    wait()


with session:
    planner()
""",
    "plain": """\
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("plain")
with tracer.start_as_current_span("invoke_agent planner", attributes={"session.id": input()}):
    tracer.start_span("execute_tool look").end()
    tracer.start_span("execute_tool wait").end()
provider.shutdown()
""",
}
RUNNING = {
    "invoke_agent planner": "running",
    "execute_tool look": "unset",
    "execute_tool wait": "running",
}


def test_each_service_has_its_tenants_sessions_and_the_default_one_those_of_nobody(
    tmp_path: Path,
) -> None:
    acme, globex, default = services = [
        Service(folder, token=f"{folder.name}-has-a-token", require_ingest_token=True)
        for folder in (tmp_path / "acme", tmp_path / "globex", tmp_path / "default")
    ]
    expected = {
        acme: {"watched-acme": "lost", "plain-acme": "completed"},
        globex: {"watched-globex": "completed", "plain-globex": "completed"},
        default: {"watched-": "completed", "watched-other": "completed", "plain-": "completed"},
    }
    for name, program in PROGRAMS.items():
        (tmp_path / f"{name}.py").write_text(program, encoding="utf-8")
    with ExitStack() as stack:
        url = stack.enter_context(collector(tmp_path, services))

        def start(program: str, tenant: str) -> AgentProcess:
            return stack.enter_context(sender(tmp_path, url, program, tenant))

        stack.enter_context(acme)
        stack.enter_context(default)
        lasting = [start("watched", tenant) for tenant in ("globex", "other", "")]
        refused = tmp_path / "collector.log"
        wait_for(lambda: "otlp_http/globex" in refused.read_text("utf-8"))
        wait_for(lambda: states(default, "watched-other") == RUNNING)
        wait_for(lambda: states(default, "watched-") == RUNNING)
        stack.enter_context(globex)  # only now: others do not wait for it, its senders do
        wait_for(lambda: states(globex, "watched-globex") == RUNNING)

        killed = start("watched", "acme")
        plain = [start("plain", tenant) for tenant in ("acme", "globex", "")]
        wait_for(lambda: states(acme, "watched-acme") == RUNNING)
        killed.kill()
        wait_for(lambda: statuses(acme)["watched-acme"] == "lost")
        # Older, and alive: heartbeats have come.
        assert statuses(globex)["watched-globex"] == "running"
        for agent in lasting:
            agent.write_line("")
        for agent in [*lasting, *plain]:
            assert agent.output_lines() == []

        wait_for(lambda: not any("running" in statuses(one).values() for one in services))
        for service, sessions in expected.items():
            assert statuses(service) == sessions
            for session_id in sessions:
                assert states(service, session_id).keys() == RUNNING.keys()


def statuses(service: Service) -> dict[str, str]:
    return {row["id"]: row["status"] for row in service.get("/sessions")["sessions"]}


def states(service: Service, session_id: str) -> dict[str, str]:
    """Return the statuses of a session's spans by name; of none if it is not there."""
    if session_id not in statuses(service):
        return {}
    return {row["name"]: row["status"] for row in spans(service, {"id": session_id})}


def collector(folder: Path, services: list[Service]) -> AbstractContextManager[str]:
    """Run the page's configuration with the addresses of these services."""
    [block] = PAGE.of("yaml")
    addresses = {}
    tokens = {}
    for service in services:
        name, variables = service.folder.name, service.environment
        addresses[f"https://{name}.example"] = f"http://127.0.0.1:{variables['INSPECTOR_PORT']}"
        tokens[f"{name.upper()}_TOKEN"] = variables["INSPECTOR_TOKEN"]
    return running_collector(folder, block.text, addresses, tokens)


def sender(folder: Path, url: str, program: str, tenant: str) -> AgentProcess:
    """Run a program of a tenant, with the variables that the page says to set."""
    words = [word for line in PAGE.of("sh")[-1].commands for word in shlex.split(line)[1:]]
    environ = dict(
        word.replace("http://collector.example:4318", url)
        .replace("tenant=acme", f"tenant={tenant}")
        .split("=", 1)
        for word in words
        if tenant or "tenant" not in word
    )
    agent = AgentProcess(folder / f"{program}.py", environ)
    agent.write_line(f"{program}-{tenant}")
    return agent
