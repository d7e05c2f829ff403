"""Command line and MCP server through a reader over two services."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from typer.testing import CliRunner, Result

from inspector.cli.main import app
from inspector.errors import InspectorError
from inspector.service.mcp.requests import request_address
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.agents.mcp_host import over_http, recorded_of, text_of
from tests.support.services.process import Service, environment, wait_for
from tests.support.telemetry.export import span

TOKEN = "a-token-of-all-services-0123456789"
Fleet = dict[str, Service]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """The reader of a service whose clock is right and of one whose clock is ahead."""
    found = {
        "eu": Service(tmp_path_factory.mktemp("eu"), token=TOKEN, retention="off"),
        "us": Service(
            tmp_path_factory.mktemp("us"),
            module="tests.api.fast_clock",
            token=TOKEN,
            retention="off",
        ),
    }
    for one in found.values():
        one.start()
    found["eu"].send(_of("alpha-1", 1), _of("twin", 2))
    found["us"].send(_of("beta-1", 3), _of("twin", 2))
    writers = ",".join(f"{name}={one.url}" for name, one in found.items())
    folder = tmp_path_factory.mktemp("reader")
    found["reader"] = Service(folder, store=None, token=TOKEN, writers=writers)
    found["reader"].start()
    yield found
    for one in found.values():
        one.stop()


def _of(session: str, number: int) -> Span:
    made = span(number, trace_id=number.to_bytes(16, "big"))
    made.attributes.add(key="session.id").value.string_value = session
    return made


@pytest.fixture(autouse=True)
def here(fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("INSPECTOR_URL", fleet["reader"].url)
    monkeypatch.setenv("INSPECTOR_TOKEN", TOKEN)
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def away(fleet: Fleet) -> Iterator[Service]:
    """A service that was killed; it is back afterwards."""
    fleet["us"].kill()
    wait_for(lambda: fleet["reader"].get("/health")["store"]["state"] == "incomplete")
    yield fleet["us"]
    fleet["us"].start()
    wait_for(lambda: fleet["reader"].get("/health")["store"]["state"] == "ok")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def shown(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, done.exception or done.output
    return done.stdout


def refusal(*arguments: str) -> str:
    done = run(*arguments)
    assert isinstance(done.exception, InspectorError), done.output
    return str(done.exception)


def test_a_session_is_found_by_its_own_id_where_only_one_service_has_it(tmp_path: Path) -> None:
    for wanted in ("alp", "alpha-1", "eu:al", "eu:alpha-1"):
        assert "eu:alpha-1" in shown("show", wanted)
    assert "Several sessions" in refusal("show", "tw")
    assert "eu:twin" in refusal("show", "twin")
    assert "us:twin" in shown("show", "us:twin")
    assert "not found" in refusal("show", "us:alpha-1")
    assert "1 session" in shown("export", "beta", "-o", f"{tmp_path}/beta.gz")


def test_an_id_with_the_name_of_a_service_is_looked_up_there_only(fleet: Fleet) -> None:
    fleet["eu"].send(_of("us:only", 4))
    for wanted in ("us:only", "us:on"):
        assert "not found" in refusal("show", wanted)
    assert "eu:us:only" in shown("show", "eu:us:on")


def test_a_request_is_approved_and_a_session_paused_by_their_own_ids(fleet: Fleet) -> None:
    with ConnectedAgent(fleet["us"]) as agent:
        agent.ask("ask-1", session_id="beta-1", args_json='{"path":"x"}')
        assert "us:ask-1" in shown("requests")
        shown("pause", "beta")
        assert agent.command("pause")["session_id"] == "beta-1"
        shown("approve", "ask", "--yes")
        assert agent.answer_to("ask-1")["decision"] == "allow"


def test_while_a_service_is_away_lists_name_it_and_nothing_is_the_only_one(
    fleet: Fleet, away: Service
) -> None:
    with ConnectedAgent(fleet["eu"]) as agent:
        agent.ask("only-1", session_id="alpha-1")
        for listing in ("sessions", "requests", "causes", "usage", "audit"):
            done = run(listing)
            assert done.exit_code == 0
            assert "The service 'us' " in done.stderr, listing
        for doing in (("approve",), ("pause",), ("show", "alpha"), ("requests", "only")):
            assert "It may have" in refusal(*doing), doing
        assert agent.commands == []
        shown("deny", "eu:only")
        assert agent.answer_to("only-1")["decision"] == "deny"
    assert "Try again later" in refusal("show", "us:beta-1")


async def test_a_model_reads_what_is_missing(fleet: Fleet, away: Service) -> None:
    reader = fleet["reader"]
    async with over_http(reader.url, reader.token) as client:
        for tool in ("find_sessions", "list_requests", "failure_causes", "search_spans"):
            arguments = {"query": "work"} if tool == "search_spans" else {}
            answer = await client.call_tool(tool, arguments)
            assert "Not searched: The service 'us' " in text_of(answer), tool
            assert len(recorded_of(answer)["not_searched"]) == 1, tool
        # What is tried without a grant is audited with the whole id.
        assert request_address(f"{'n' * 32}:{'x' * 200}").endswith("x" * 200)


def test_doctor_checks_each_service_the_clocks_and_what_is_split(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _examined()
    assert [one["level"] for one in found["writer"]] == ["ok", "ok"]
    assert found["service"][0]["level"] == "ok"
    assert not {"store", "port", "otlp_http_port", "OTLP"} & found.keys()
    assert "twin (tests) at eu and us" in found["arrival"][0]["message"]
    assert "clocks" not in found, "their addresses are not known here"
    monkeypatch.setenv("INSPECTOR_WRITERS", fleet["reader"].environment["INSPECTOR_WRITERS"])
    assert "us is 5.0 s ahead of that of eu" in _examined()["clocks"][0]["message"]


def test_doctor_names_the_service_that_is_away(away: Service) -> None:
    found = {one["message"][:2]: one for one in _examined()["writer"]}
    assert {name: one["level"] for name, one in found.items()} == {"eu": "ok", "us": "fail"}
    assert "Start it, or correct INSPECTOR_WRITERS" in found["us"]["advice"]


def test_commands_that_need_one_service_say_so() -> None:
    assert "Set INSPECTOR_URL to the address of one of them: eu, us." in refusal("prices")
    assert "Name one of its services with --url." in refusal("demo")


def test_doctor_says_which_service_has_two_names(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = fleet["eu"].url.replace("127.0.0.1", "localhost")
    writers = f"eu={fleet['eu'].url},same={same}"
    folder = tmp_path / "twice"
    folder.mkdir()
    with Service(folder, store=None, token=TOKEN, writers=writers) as reader:
        monkeypatch.setenv("INSPECTOR_URL", reader.url)
        monkeypatch.setenv("INSPECTOR_WRITERS", writers)
        wait_for(lambda: reader.get("/health")["store"]["state"] == "incomplete")
        found = _examined()
    assert "is the same service as 'eu': name each once" in found["writer"][1]["message"]
    assert not {"clocks", "arrival"} & found.keys(), "it is not compared with itself"


def _examined() -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for one in json.loads(run("doctor", "--json").stdout):
        found.setdefault(one["subject"], []).append(one)
    return found
