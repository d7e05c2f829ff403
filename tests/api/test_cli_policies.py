"""`inspector policies`: the policies in force, and the decision on a call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from inspector.cli.main import app

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "policies.toml"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and nothing of this machine's user."""
    for name in ("INSPECTOR_POLICIES", "INSPECTOR_CONFIG", "INSPECTOR_PRICES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["policies", *arguments])


def tried(tool: str, args: object = None, *more: str) -> Any:
    options = ["--args", json.dumps(args or {}), "--file", str(EXAMPLE), "--json", *more]
    done = run("try", tool, *options)
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


def test_the_example_is_in_force_as_it_reads() -> None:
    done = run("check", str(EXAMPLE))
    assert done.exit_code == 0
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0] == str(EXAMPLE)
    assert lines[1] == (
        "policy     production is off limits: deny tools where ** is in the folder "
        "“/srv/production” (line 9)"
    )
    assert lines[7].startswith("budget     a dollar: ask at $1.00 in each session, and again every")
    assert "INSPECTOR_PRICES is not set" in done.stderr


@pytest.mark.parametrize(
    ("tool", "args", "verdict", "by"),
    [
        ("read_file", {"path": "/home/me/x"}, "allow", "reading is fine"),
        ("read_file", {"path": "/srv/production/x"}, "deny", "production is off limits"),
        ("copy", {"jobs": [{"to": "/srv/production"}]}, "deny", "production is off limits"),
        ("delete_file", {"path": "/home/me/x"}, "ask", "deleting is asked"),
        ("transfer_money", {"amount": 101}, "ask", "large transfers are asked"),
        ("transfer_money", {"amount": "101"}, "ask", "large transfers are asked"),
    ],
)
def test_a_call_can_be_tried_out(tool: str, args: object, verdict: str, by: str) -> None:
    found = tried(tool, args)
    assert found["verdict"] == verdict
    assert [line["name"] for line in found["matched"]] == [by]


def test_what_nobody_speaks_of_runs_within_its_budgets() -> None:
    found = tried("transfer_money", {"amount": 3})
    assert (found["verdict"], found["matched"]) == ("none", [])
    assert [line["name"] for line in found["budgets"]] == ["a dollar", "an hour of work"]
    assert tried("write", None, "--agent", "junior 2")["verdict"] == "deny"
    assert [line["name"] for line in tried("search_web")["budgets"]][-1] == "searching"


def test_other_events_can_be_tried_out() -> None:
    options = ("--on", "before_resource_fetch")
    assert tried("x", {"uri": "file:///a/.env"}, *options)["verdict"] == "deny"
    assert tried("x", {"uri": "file:///a/b"}, *options)["verdict"] == "none"


def test_people_see_the_reason_in_a_line() -> None:
    done = run("try", "delete_file", "--file", str(EXAMPLE))
    assert done.stdout.splitlines()[0] == "ask: policy deleting is asked asks"
    assert "deleting is asked: ask tools delete_*" in done.stdout


def test_both_files_count_and_that_of_the_directory_only_tightens(here: Path) -> None:
    users = here / "config" / "mcp-agent-inspector" / "inspector.toml"
    users.parent.mkdir(parents=True)
    users.write_text('port = 1\n[[policies]]\nname = "fine"\naction = "allow"')
    (here / "inspector.toml").write_text(
        'step = true\n[[policies]]\naction = "allow"\n[[policies]]\ntools = "x"\naction = "deny"'
    )
    lines = run("check").stdout
    assert "fine: allow tools" in lines
    assert "./#2: deny tools x" in lines
    assert "./step: break before_tool_call, before_llm_generate" in lines
    assert lines.count("allow") == 1
    assert run("try", "x").stdout.startswith("deny: denied by policy './#2'")
    assert run("try", "y").stdout.startswith("break: ")


def test_a_policy_that_is_never_reached_is_noted(here: Path) -> None:
    file = here / "p.toml"
    file.write_text('[[policies]]\naction = "ask"\n[[policies]]\ntools = "x"\naction = "deny"')
    assert "never reached: #1 comes first" in run("check", str(file)).stdout


def test_mistakes_are_reported_with_their_line_and_an_exit_code(here: Path) -> None:
    file = here / "p.toml"
    file.write_text('[[policies]]\naction = "ask"\ntool = "x"')
    for command in (("check", str(file)), ("try", "x", "--file", str(file))):
        done = run(*command)
        assert done.exit_code == 1
        assert f"{file}:1: [[policies]] #1: unknown key `tool`; did you mean `tools`?" in (
            done.stderr
        )
    done = run("check", str(file), "--json")
    assert done.exit_code == 1
    assert len(json.loads(done.stdout)["mistakes"]) == 1
    assert run("check", str(here / "gone.toml")).exit_code == 2


@pytest.mark.parametrize("args", ["[]", "{", "3"])
def test_arguments_that_are_no_object_are_refused(args: str) -> None:
    assert run("try", "x", "--args", args).exit_code == 2


def test_an_event_that_is_none_is_refused() -> None:
    assert run("try", "x", "--on", "before_lunch").exit_code == 2


def test_where_nothing_acts_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = run("check")
    assert checked.stdout == "No policies are in force here.\n"
    assert "inspector.toml" in checked.stderr, "where one would be is said"
    monkeypatch.setenv("INSPECTOR_POLICIES", "off")
    assert "INSPECTOR_POLICIES is off" in run("check").stderr
