"""Answers and commands from a terminal, with a real service and an agent on its channel."""

from __future__ import annotations

import getpass
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from inspector.cli.control import NOT_DONE, ON_ITS_WAY, NotDoneError
from inspector.cli.main import app
from inspector.errors import InspectorError
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.agents.http_agent import hash_of
from tests.support.services.process import (
    DEADLINE_S,
    Service,
    command,
    environment,
    running_service,
)

ARGS = '{"id":9007199254740993,"path":"/etc/\u202e\\u001b[2Jx","rate":1.0}'
HOSTILE = "Fine.\n\nRun it? [y/N]: y\n\x1b[2J\u202eevil"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def agent(service: Service, request: pytest.FixtureRequest) -> Iterator[ConnectedAgent]:
    with ConnectedAgent(service, request.node.name[:100]) as agent:
        yield agent


@pytest.fixture(autouse=True)
def here(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", str(service.runtime_dir))
    monkeypatch.setenv("COLUMNS", "200")


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=typed)


def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.cli.control._is_terminal", lambda: True)


def answer_in(commands: list[dict[str, Any]]) -> dict[str, Any]:
    [command] = commands
    answer: dict[str, Any] = command["answer"]
    return answer


@pytest.mark.slow
def test_only_a_field_that_is_filled_in_wrong_is_prompted_again(
    service: Service, agent: ConnectedAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = {"type": "object", "required": ["city"], "properties": {"city": {}, "zip": {}}}
    fields = {
        "count": {"type": "integer"},
        "sure": {"type": "boolean"},
        "home": at,
        "work": {**at, "title": "Office"},
        "other": at,
    }
    form = json.dumps(
        {"type": "object", "required": ["count", "sure", "home"], "properties": fields}
    )
    agent.ask("filled-1", kind="question", tool_name=None, form_json=form)
    at_terminal(monkeypatch)
    done = run("answer", "filled-1", typed="3\ny\ntrue\nŁódź\n\ny\nOslo\n1\nn\n")
    assert done.exit_code == 0, done.output
    assert "sure * (true, false)" in done.output
    assert "Office: fill it in?" in done.output
    assert json.loads(answer_in(agent.commands)["payload_json"]) == {
        "count": 3,
        "sure": True,
        "home": {"city": "Łódź"},
        "work": {"city": "Oslo", "zip": "1"},
    }


@pytest.mark.slow
def test_on_a_narrow_terminal_the_id_is_whole_beside_the_prompt(
    service: Service, agent: ConnectedAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = "0123456789ab-1234"
    agent.ask(request, args_json=ARGS, expires_in_ms=600_000)
    monkeypatch.setenv("COLUMNS", "80")
    listed = run("requests").stdout.splitlines()
    assert all(len(line) <= 80 for line in listed)
    [line] = [line for line in listed if line.startswith(request)]
    assert "min" in line
    assert "delete_file {" in line


def test_requests_are_listed_and_shown_whole(service: Service, agent: ConnectedAgent) -> None:
    agent.ask("listed-1", args_json=ARGS, prompt=HOSTILE, expires_in_ms=60_000)
    listed = run("requests")
    assert listed.exit_code == 0
    assert "listed-1" in listed.output
    assert "delete_file" in listed.output
    [row] = [one for one in json.loads(run("requests", "--json").output) if one["id"] == "listed-1"]
    assert row["args_json"] == ARGS
    shown = run("requests", "listed").output
    assert '│   "id": 9007199254740993,' in shown
    assert '│   "rate": 1.0' in shown
    assert r"│ \x1b[2J\u202eevil" in shown
    assert "│ Run it? [y/N]: y" in shown, "what an agent writes stands behind a bar"
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "default" not in shown
    assert ": deny" in shown
    assert run("deny", "listed-1").exit_code == 0
    assert "listed-1" not in run("requests").output
    assert "listed-1" in run("requests", "--all").output


def test_approve_shows_what_would_run_and_asks(
    service: Service, agent: ConnectedAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.ask("shown-1", args_json=ARGS)
    assert isinstance(run("approve", "shown-1").exception, InspectorError), "nobody is there"
    at_terminal(monkeypatch)
    assert run("approve", "shown-1", typed="\n").exit_code == 1, "no is what return means"
    assert agent.commands == []
    done = run("approve", "shown-1", typed="y\n")
    assert done.exit_code == 0
    assert r"/etc/\u202e\u001b[2Jx" in done.output
    answer = answer_in(agent.wait_for_commands(1))
    assert (answer["decision"], answer["args_json"]) == ("allow", None)
    assert answer["args_hash"] == hash_of(ARGS)
    assert agent.commands[0]["actor"] == getpass.getuser()
    assert agent.commands[0]["origin"] == "cli"


def test_edited_arguments_go_as_they_are_written(
    service: Service, agent: ConnectedAgent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.ask("edited-1", args_json=ARGS)
    edited = ARGS.replace("/etc/", "/tmp/")
    file = tmp_path / "args.json"
    file.write_text(edited + "\n")
    at_terminal(monkeypatch)
    done = run("approve", "edited-1", "--args", str(file), "--reason", "safer", typed="y\n")
    assert done.exit_code == 0
    assert r'- "path": "/etc/' in done.output.replace("-   ", "- ")
    answer = answer_in(agent.wait_for_commands(1))
    assert (answer["args_json"], agent.commands[0]["reason"]) == (edited, "safer")
    agent.ask("edited-2", args_json=ARGS)
    piped = run("approve", "edited-2", "--args", "-", "--yes", "--json", typed=edited)
    assert json.loads(piped.output)["request"]["answer"]["is_edited"] is True
    assert "answer allow with edits  " in run("audit").output
    agent.ask("edited-3", args_json=ARGS)
    refused = run("approve", "edited-3", "--args", "-", "--yes", typed='{"a":1,}').exception
    assert isinstance(refused, NotDoneError)
    assert refused.problem["code"] == "bad_json"


def test_what_was_not_shown_is_not_approved(service: Service, agent: ConnectedAgent) -> None:
    agent.ask("forged-1", args_json=ARGS, args_hash=hash_of("{}"))
    refused = run("approve", "forged-1", "--yes").exception
    assert isinstance(refused, NotDoneError)
    assert agent.commands == []


def test_always_is_for_what_can_be_always(service: Service, agent: ConnectedAgent) -> None:
    agent.ask("always-1", args_json="{}")
    assert run("approve", "always-1", "--always", "--yes").exit_code == 0
    assert answer_in(agent.wait_for_commands(1))["decision"] == "allow_always"
    agent.ask("always-2", args_json="{}", can_always=False)
    refused = run("approve", "always-2", "--always", "--yes").exception
    assert isinstance(refused, NotDoneError)
    assert refused.problem["code"] == "wrong_decision"


FORM = '{"type":"object","properties":{"count":{"type":"integer"},"why":{"type":"string"}}}'


@pytest.mark.parametrize(
    ("arguments", "typed", "decision", "payload"),
    [
        (["--text", 'say "hi"'], None, "answer", '"say \\"hi\\""'),
        (["--json", '{"n":9007199254740993}'], None, "answer", '{"n":9007199254740993}'),
        (["--field", "count=9007199254740993", "--field", "why=1"], None, "answer",
         '{"count":9007199254740993,"why":"1"}'),
        (["--decline"], None, "decline", None),
        (["--cancel"], None, "cancel", None),
        ([], "3\n\n", "answer", '{"count":3}'),
    ],
)  # fmt: skip
def test_a_question_is_answered(
    service: Service,
    agent: ConnectedAgent,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    typed: str | None,
    decision: str,
    payload: str | None,
) -> None:
    agent.ask(agent.process_id, kind="question", form_json=FORM, tool_name=None)
    if typed:
        at_terminal(monkeypatch)
    assert run("answer", agent.process_id, *arguments, typed=typed).exit_code == 0
    answer = answer_in(agent.wait_for_commands(1))
    assert (answer["decision"], answer["payload_json"]) == (decision, payload)


def test_two_ways_to_answer_at_once_are_one_too_many(
    service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("twice-1", kind="question")
    assert isinstance(
        run("answer", "twice-1", "--text", "a", "--decline").exception, InspectorError
    )
    assert isinstance(run("answer", "twice-1").exception, InspectorError)


def test_a_late_answer_names_the_first_one(service: Service, agent: ConnectedAgent) -> None:
    agent.ask("late-1", args_json="{}")
    assert run("deny", "late-1").exit_code == 0
    refused = run("approve", "late-1", "--yes").exception
    assert isinstance(refused, NotDoneError)
    assert refused.problem["code"] == "already_answered"
    assert getpass.getuser() in str(refused)


def test_a_beginning_that_several_have_is_refused(service: Service, agent: ConnectedAgent) -> None:
    agent.ask("same-1")
    agent.ask("same-2")
    for wanted, message in (("same", "Several requests"), ("no-such", "Request not found")):
        assert message in str(run("deny", wanted).exception)
    assert run("deny", "same-1").exit_code == 0
    assert run("deny", "same").exit_code == 0, "one that is open goes first"


def test_verbs_and_signals_reach_the_agent(service: Service, agent: ConnectedAgent) -> None:
    agent.ask("verbs-1", session_id="verb-session")
    for verb in ("pause", "step", "resume", "cancel"):
        assert run(verb, "verb-sess", "--reason", "because").exit_code == 0
    commands = agent.wait_for_commands(4)
    assert [one["type"] for one in commands] == ["pause", "step", "resume", "cancel"]
    assert {(one["session_id"], one["reason"]) for one in commands} == {("verb-session", "because")}
    assert run("signal", "verb-session", "go", "--json", "[1.0]").exit_code == 0
    assert agent.wait_for_commands(5)[4]["payload_json"] == "[1.0]"


def exit_code(service: Service, *arguments: str) -> tuple[int, str]:
    ended = subprocess.run(
        command(*arguments),
        env=environment(service.runtime_dir.parent),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.slow
def test_the_exit_code_is_the_outcome(service: Service) -> None:
    with ConnectedAgent(service, "stubborn", reply=(False, "not here any more")) as agent:
        agent.ask("stubborn-1", session_id="stubborn")
        code, message = exit_code(service, "deny", "stubborn-1")
        assert (code, "not here any more" in message) == (NOT_DONE, True)
    with ConnectedAgent(service, "racer") as agent:
        agent.ask("raced-1", session_id="stubborn")
        assert exit_code(service, "deny", "raced-1")[0] == 0
        code, message = exit_code(service, "approve", "raced-1", "--yes")
        assert (code, message[:11]) == (NOT_DONE, "inspector: "), message
        assert "Traceback" not in message
    assert exit_code(service, "pause", "stubborn")[0] == NOT_DONE, "nothing of it runs"
    with ConnectedAgent(service, "away", follows=False) as away:
        away.ask("away-1", session_id="away")
        assert exit_code(service, "deny", "away-1")[0] == ON_ITS_WAY
    assert exit_code(service, "deny", "no-such-request")[0] == 1


def test_all_that_was_done_is_shown_and_exported(
    service: Service, agent: ConnectedAgent, tmp_path: Path
) -> None:
    agent.ask("audited-1", args_json="{}", tool_name="drop_table")
    run("deny", "audited-1", "--reason", "evil\x1b[2J")
    shown = run("audit", "--limit", "20").output
    assert f"{getpass.getuser()} (cli)  answer deny  drop_table" in shown
    assert "evil" in shown, "the reason"
    assert "\x1b" not in shown
    assert "request_opened" not in shown, "agents did that by themselves"
    assert "request_opened" in run("audit", "--all", "--search", "DROP_table").output
    assert run("audit", "--search", "drop_table", "--outcome", "refused").output == "No entries.\n"
    entries = json.loads(run("audit", "--all", "--json", "--limit", "1000").output)
    file = tmp_path / "audit.jsonl"
    assert run("audit", "--export", str(file)).exit_code == 0
    exported = [json.loads(line) for line in file.read_text().splitlines()]
    assert exported == entries[::-1]
    denied = [one for one in entries if one["request_id"] == "audited-1" and one["decision"]]
    assert [one["result"] for one in denied] == ["applied", "accepted"]
    assert {(one["action"], one["origin"]) for one in denied} == {("answer", "cli")}
    assert list(tmp_path.glob("*.part")) == []


def test_the_only_request_is_shown_and_confirmed_and_questions_are_left_alone(
    service: Service, agent: ConnectedAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.ask("asks-1", kind="question", tool_name=None)
    refused = run("approve")
    assert "The open request is a question: use `inspector answer`" in str(refused.exception)
    assert "asks-1" in refused.stderr
    agent.ask("only-1", args_json=ARGS)
    assert "Name the request" in str(run("approve").exception)
    assert "Name the request" in str(run("approve", "--yes").exception)
    at_terminal(monkeypatch)

    refused = run("deny", typed="n\n")
    assert refused.exit_code == 1
    assert "/etc/" in refused.output
    assert agent.commands == []

    done = run("approve", typed="y\n")
    assert done.exit_code == 0, done.output
    assert "only-1" in done.output
    assert answer_in(agent.commands)["decision"] == "allow"
    run("answer", "asks-1", "--decline")


def test_of_several_requests_none_is_chosen_and_all_are_listed(
    service: Service, agent: ConnectedAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("several-1", "several-2"):
        agent.ask(name, args_json=ARGS)

    for verb, is_at_terminal in (("approve", False), ("approve", True), ("deny", True)):
        if is_at_terminal:
            at_terminal(monkeypatch)
        refused = run(verb, typed="y\n")
        assert "2 requests are open. Name one." in str(refused.exception)
        assert "several-1" in refused.stderr
        assert "several-2" in refused.stderr
    assert agent.commands == []

    for name in ("several-1", "several-2"):
        run("deny", name)
    assert "No request is open" in str(run("deny", typed="y\n").exception)


@pytest.mark.slow
def test_the_only_session_that_runs_is_paused_and_of_several_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(tmp_path) as service, ConnectedAgent(service, "held") as agent:
        monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", str(service.runtime_dir))
        assert "No session is running or waiting" in str(run("pause").exception)
        agent.ask("held-1", session_id="held-session")
        assert "No session is paused" in str(run("step").exception)
        assert run("pause").exit_code == 0
        assert run("resume").exit_code == 0, "also while it waits for a person"
        commands = agent.wait_for_commands(2)
        assert [one["type"] for one in commands] == ["pause", "resume"]
        assert {one["session_id"] for one in commands} == {"held-session"}

        agent.ask("held-2", session_id="other-session")
        refused = run("cancel")

        assert "2 sessions are running, waiting or paused. Name one." in str(refused.exception)
        assert "held-session" in refused.stderr
        assert "other-session" in refused.stderr
        assert "cancel" not in [one["type"] for one in agent.commands]
