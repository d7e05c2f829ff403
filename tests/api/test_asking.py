"""Requests of agents that people answer by the API: two processes, a service, and real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.request_client import RequestClient
from tests.support.agents.agent_process import watched_agent
from tests.support.services.otlp_receiver import Receiver, attributes
from tests.support.services.process import Service

ROOT = Path(__file__).resolve().parents[2]
FIVE_WAYS = ROOT / "examples" / "five_ways_to_ask.py"
AGENT = ROOT / "tests" / "support" / "agents" / "cleaner_agent.py"
LONG = "x" * 200_000
ARGS = {
    "path": "/tmp/report.txt",
    "id": 9007199254740993,
    "ratio": 1.0,
    "note": LONG,
    "password": "hunter2hunter2",
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("asking")) as service:
        yield service


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.mark.slow
def test_all_contracts_ask_in_one_script(service: Service) -> None:
    client = RequestClient(service)
    with watched_agent(service, FIVE_WAYS) as agent:
        pending = {row["prompt"]: row for row in client.wait_for_pending(6)}

        assert {row["session_id"] for row in pending.values()} == {"five-ways-to-ask"}
        gate = next(prompt for prompt in pending if "session initialization" in prompt)
        edited = pending["Delete /tmp/report.txt?"]["args_json"].replace("report", "unit")
        answers: list[tuple[str, str, dict[str, Any]]] = [
            ("Delete /tmp/report.txt?", "allow", {"args_json": edited}),
            ("Send this mail?", "deny", {"reason": "not on a Friday"}),
            ("Which colour?", "answer", {"payload_json": '"blue"'}),
            (gate, "allow", {}),
            ("Push to the remote?", "deny", {}),
            (
                "The release is ready. When shall it go out?",
                "answer",
                {"payload_json": '{"at": "noon"}'},
            ),
        ]
        for prompt, decision, parts in answers:
            answer = client.answer(pending[prompt], decision, **parts)
            assert (answer.status_code, answer.json()["applied"]) == (200, True), answer.text
        lines = agent.output_lines()

    assert sorted(lines) == [
        "delete_file: ran with {'path': '/tmp/unit.txt', 'id': 9007199254740993, 'force': False}",
        "deploy: ran with {'target': 'staging'}",
        "git_push: refused, refused: deny",
        "paint: ran with {'thing': 'the bike shed', 'colour': 'blue'}",
        "send_mail: refused, not on a Friday",
        "signal release: answer {'at': 'noon'}",
    ]
    rows = [row for row in client.requests() if row["session_id"] == "five-ways-to-ask"]
    assert {(row["status"], row["answer"]["actor"]) for row in rows} == {("answered", "ANNA")}
    kinds = {row["prompt"]: (row["kind"], row["interceptor"]) for row in rows}
    assert kinds["Delete /tmp/report.txt?"] == ("approval", "guard deletion")
    assert kinds["Send this mail?"] == ("approval", "guard mail")
    assert kinds["Which colour?"][0] == "question"
    assert kinds[gate] == ("approval", "session gate")
    assert kinds["Push to the remote?"][0] == "approval"


@pytest.mark.slow
def test_a_tool_runs_with_what_a_person_made_of_its_arguments_and_all_can_see_it(
    service: Service, receiver: Receiver
) -> None:
    client = RequestClient(service)
    with watched_agent(
        service,
        AGENT,
        ARGS,
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
    ) as agent:
        (request,) = client.wait_for_pending()
        assert request["prompt"] == "Delete /tmp/report.txt?"
        assert json.loads(request["args_json"]) == ARGS
        text = request["args_json"].replace("/tmp/report.txt", "/tmp/unit.txt")
        answer = client.answer(request, "allow", args_json=text, reason="the unit is enough")
        assert answer.json()["applied"] is True
        (lines,) = map(json.loads, agent.output_lines())

    assert lines == {"ran": [{**ARGS, "path": "/tmp/unit.txt"}], "outcome": "deleted"}
    receiver.wait_for(lambda got: any(s.name == "execute_tool delete_file" for s in got.spans))
    (span,) = [span for span in receiver.spans if span.name == "execute_tool delete_file"]
    decisions = [attributes(e.attributes) for e in span.events if e.name == "inspector.decision"]
    (person,) = [d for d in decisions if d["inspector.decision.interceptor"] == "approval"]
    assert person["inspector.decision.action"] == "modify"
    assert person["inspector.decision.reason"] == "the unit is enough"
    assert person["inspector.decision.actor"] == "ANNA"
    assert person["inspector.decision.origin"] == "api"
    before, after = (person[f"inspector.decision.{name}"] for name in ("before", "after"))
    assert "/tmp/report.txt" in before
    assert "/tmp/unit.txt" in after
    assert "hunter2" not in str(person)
    (closed,) = [e for e in span.events if e.name == "inspector.request.closed"]
    assert attributes(closed.attributes)["inspector.request.actor"] == "ANNA"


@pytest.mark.slow
def test_an_edit_does_not_get_past_the_policy_that_requested_it(service: Service) -> None:
    client = RequestClient(service)
    with watched_agent(service, AGENT, {"path": "/tmp/a"}) as agent:
        (request,) = client.wait_for_pending()
        client.answer(request, "allow", args_json='{"path": "/etc/passwd"}')
        (lines,) = map(json.loads, agent.output_lines())

    assert lines == {"ran": [], "outcome": "refused: nothing in /etc"}


@pytest.mark.slow
def test_an_edit_that_the_agent_cannot_take_can_be_made_again(service: Service) -> None:
    client = RequestClient(service)
    with watched_agent(service, AGENT, {"path": "/tmp/a"}) as agent:
        (request,) = client.wait_for_pending()
        list_ = client.answer(request, "allow", args_json='["/tmp/b"]')
        assert list_.json()["applied"] is False
        (request,) = client.wait_for_pending()
        again = client.answer(request, "allow", args_json='{"path": "/tmp/d"}')
        assert again.json()["applied"] is True
        (lines,) = map(json.loads, agent.output_lines())

    assert lines == {"ran": [{"path": "/tmp/d"}], "outcome": "deleted"}


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [{"args_hash": "0" * 64}, {"args_hash": None}])
def test_an_answer_about_other_arguments_is_refused(service: Service, wrong: Any) -> None:
    client = RequestClient(service)
    with watched_agent(service, AGENT, {"path": "/tmp/a"}) as agent:
        (request,) = client.wait_for_pending()
        refused = client.answer(request, "allow", **wrong)
        assert (refused.status_code, refused.json()["code"]) == (422, "wrong_hash")
        client.answer(request, "deny", reason="no")
        (lines,) = map(json.loads, agent.output_lines())

    assert lines == {"ran": [], "outcome": "refused: no"}
