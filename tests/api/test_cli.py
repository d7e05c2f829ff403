import json
import os
import re
import select
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from typer.testing import CliRunner, Result

from inspector import runfile
from inspector.cli.client import Client
from inspector.cli.main import app
from inspector.errors import InspectorError, RefusedError
from inspector.service.settings import Settings, load_settings
from inspector.service.storage import open_store
from inspector.service.token_file import store_path, token_path
from tests.support.services.process import (
    DEADLINE_S,
    Service,
    command,
    environment,
    running_service,
)
from tests.support.telemetry.export import span, span_id
from tests.support.telemetry.otlp import key_values


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        root, child = span(1, name="root"), span(2, name="child\x1b[2J")
        child.parent_span_id = span_id(1)
        service.send(root, child)
        yield service


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let the command line run in this process, with nothing of this machine's user."""
    for name, value in environment(tmp_path, columns=200).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def find(monkeypatch: pytest.MonkeyPatch, service: Service) -> None:
    monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", str(service.runtime_dir))


def test_sessions_of_the_running_service_are_listed(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    shown = run("sessions")
    assert shown.exit_code == 0
    assert "root" in shown.output
    [listed] = json.loads(run("sessions", "--json").output)
    assert listed == service.client.get("/sessions").json()["sessions"][0]


def test_what_sessions_used_is_added_up(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(tmp_path) as service:
        find(monkeypatch, service)
        assert run("usage").output == "No matching sessions.\n"
        used: dict[str, Any] = {
            "gen_ai.operation.name": "chat", "gen_ai.request.model": "small", "user.id": "ada",
            "gen_ai.usage.input_tokens": 7, "inspector.cost.usd": 0.5,
        }  # fmt: skip
        call = span(1)
        call.attributes.extend(key_values(used))
        service.send(call)
        [group] = json.loads(run("usage", "--json").output)["groups"]
        assert (group["name"], group["input_tokens"], group["cost_usd"]) == ("ada", 7, 0.5)
        shown = run("usage", "user:ada", "--by", "model").output.splitlines()
        assert [line.split() for line in shown][1] == ["small", "1", "1", "0", "7", "0", "$0.5000"]
        call = span(2)
        call.attributes.extend(key_values({**used, "inspector.cost.usd": None}))
        service.send(call)
        assert "≥ $0.5000" in run("usage").output, "of two calls one carried no cost"
        assert run("usage", "user:bo").output == "No matching sessions.\n"
        assert run("usage", "usr:bo").exit_code == 1


def test_sessions_and_spans_are_searched_by_query(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    assert "root" in run("sessions", "name:child*").output
    assert "root" not in run("sessions", "name:nobody").output
    [hit] = json.loads(run("search", "parent(name:root)", "--json").output)
    assert hit["span"]["span_id"] == span_id(2).hex()
    shown = run("search", "parent(name:root)").output
    assert "child" in shown
    assert "\x1b[2J" not in shown


def test_sessions_are_sorted_by_the_requested_order(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(tmp_path / "sorted") as service:
        find(monkeypatch, service)
        for number, (name, count) in enumerate((("b", 3), ("a", 1), ("c", 2)), start=1):
            spans = [span(one, name=name) for one in range(1, count + 1)]
            for one in spans:
                one.trace_id = number.to_bytes(16, "big")
            service.send(*spans)

        def names(*arguments: str) -> list[str]:
            listed = run("sessions", "--json", *arguments).stdout
            return [one["title"] for one in json.loads(listed)]

        assert names("--sort", "title") == ["a", "b", "c"]
        assert names("--sort", "-spans") == ["b", "c", "a"]
        assert names("--sort=spans", "--limit=2") == ["a", "c"]
        assert "Showing the first 1;" in run("sessions", "--sort", "title", "--limit", "1").stderr
        refused = run("sessions", "--sort", "size")
        assert refused.exit_code == 2
        assert "'size' is not started, changed," in refused.stderr


def test_a_bad_query_is_reported_with_its_place(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    refused = run("search", "statsu:failed")
    assert isinstance(refused.exception, InspectorError)
    assert "Did you mean status?" in str(refused.exception)
    assert "(at character 1)" in str(refused.exception)
    assert str(refused.exception).endswith("statsu:failed\n^^^^^^")


def test_a_session_is_found_by_the_beginning_of_its_id_and_shown_as_a_tree(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    [listed] = json.loads(run("sessions", "--json").output)
    shown = run("show", listed["id"][:8])
    lines = shown.output.splitlines()
    assert [line.find("root") < line.find("child") for line in lines if "child" in line] == [True]
    assert "\x1b[2J" not in shown.output, "a trace does not move the cursor"
    shown = json.loads(run("show", listed["id"], "--json").output)
    assert [one["name"] for one in shown["spans"]] == ["root", "child\x1b[2J"]


def test_a_span_is_found_by_the_beginning_of_its_id_and_shown_whole(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    [listed] = json.loads(run("sessions", "name:root", "--json").output)
    shown = run("show", listed["id"][:8], span_id(2).hex()[:16], "--full").output
    assert r"other child\x1b[2J" in shown
    assert "service.name = tests" in shown
    assert "\x1b" not in shown
    detail = json.loads(run("show", listed["id"], span_id(2).hex(), "--json").output)
    assert detail["span_id"] == span_id(2).hex()
    refused = run("show", listed["id"], "ffff")
    assert isinstance(refused.exception, InspectorError)
    assert f"inspector show {listed['id']} --full" in str(refused.exception)


def test_show_says_why_a_session_failed(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    broken = span(1, trace_id=bytes([3] * 16), name="broken")
    broken.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message="no answer\x1b[31m"))
    service.send(broken)
    [listed] = json.loads(run("sessions", "name:broken", "--json").output)
    assert r"no answer\x1b[31m" in run("show", listed["id"]).output
    shown = run("show", listed["id"], "--errors").output
    assert r"no answer\x1b[31m" in shown
    assert "\x1b" not in shown
    [cause] = json.loads(run("show", listed["id"], "--errors", "--json").output)
    assert (cause["name"], cause["count"], cause["reaches_root"]) == ("broken", 1, True)


def test_failures_of_one_name_are_grouped_by_their_errors(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    trace_id = bytes([50] * 16)
    calls = [span(number, trace_id=trace_id, name="fetch") for number in range(2, 6)]
    for one, error in zip(calls, ("504", "404", "504", "504"), strict=True):
        one.parent_span_id = span_id(1)
        one.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message=error))
    service.send(span(1, trace_id=trace_id, name="crawl"), *calls)
    [listed] = json.loads(run("sessions", "name:crawl", "--json").output)
    causes = json.loads(run("show", listed["id"], "--errors", "--json").output)
    assert [(one["message"], one["count"]) for one in causes] == [("504", 3), ("404", 1)]
    shown = run("show", listed["id"]).output
    assert ("504" in shown, "404" in shown) == (True, True)


def test_show_shortens_what_is_alike_unless_all_is_requested(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    trace_id = bytes([4] * 16)
    spans = [span(number, trace_id=trace_id, name="turn") for number in range(2, 30)]
    for one in spans:
        one.parent_span_id = span_id(1)
    service.send(span(1, trace_id=trace_id, name="loop"), *spans)
    [listed] = json.loads(run("sessions", "name:loop", "--json").output)
    assert "25 more, such as" in run("show", listed["id"]).output
    assert run("show", listed["id"], "--full").output.count("turn") == 28


def test_two_sessions_are_compared(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    for number, names in ((5, ["root", "one"]), (6, ["root", "two"])):
        spans = [
            span(place, trace_id=bytes([number] * 16), name=name)
            for place, name in enumerate(names, 1)
        ]
        spans[1].parent_span_id = span_id(1)
        service.send(*spans)
    left, right = (bytes([number] * 16).hex() for number in (5, 6))
    shown = run("compare", left, right).output
    assert "added  root > two" in shown
    assert "removed  root > one" in shown
    found = json.loads(run("compare", left, right, "--json").output)
    assert found["counts"] == {"added": 1, "removed": 1}

    service.send(span(1, trace_id=bytes([7] * 16), name="root"))
    third = bytes([7] * 16).hex()
    shown = run("compare", left, right, third).output
    assert "3 of 3 steps differ" in shown
    assert re.search(r"two +1: none +2: \S.* added +3: none", shown)
    found = json.loads(run("compare", left, right, third, "--json").output)
    assert [one["id"] for one in found["sessions"]] == [left, right, third]
    assert "at least two" in run("compare", left).output


def test_a_service_is_named_by_the_environment(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_URL", service.url)
    refused = run("sessions")
    assert isinstance(refused.exception, InspectorError)
    assert "token" in str(refused.exception)
    monkeypatch.setenv("INSPECTOR_TOKEN", service.token)
    assert "root" in run("sessions").output


def test_tail_follows_from_now_on(service: Service) -> None:
    env = environment(service.runtime_dir.parent)
    with subprocess.Popen(
        command("tail", "--json"), env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            seen = json.loads(process.stdout.readline())
            assert seen["type"] == "Heartbeat"
            service.send(span(7, trace_id=b"tail from now on", name="later"))
            # Sessions of other tests may end in between.
            assert any(json.loads(line)["type"] == "SessionStarted" for line in process.stdout)
        finally:
            process.terminate()
            process.wait(DEADLINE_S)


@pytest.mark.slow
def test_tail_takes_the_stream_up_again_after_a_restart_and_says_so_once(tmp_path: Path) -> None:
    with (
        running_service(tmp_path) as first,
        subprocess.Popen(
            command("tail"),
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            # It began to follow at a moment that only its first line tells.
            for number in range(1, 200):
                first.send(span(1, trace_id=bytes([number] * 16), name="before"))
                if select.select([process.stdout], [], [], 0.2)[0]:
                    break
            assert "before" in process.stdout.readline()
            first.process.terminate()
            first.process.wait(DEADLINE_S)
            assert "Reconnecting" in process.stderr.readline()
            with running_service(tmp_path) as second:
                assert process.stderr.readline() == "inspector: Reconnected.\n"
                second.send(span(1, trace_id=bytes([255] * 16), name="after"))
                assert any("after" in line for line in process.stdout)
        finally:
            process.terminate()
            process.wait(DEADLINE_S)


@pytest.mark.slow
def test_tail_of_one_session_is_silent_about_the_others(service: Service) -> None:
    env = environment(service.runtime_dir.parent)
    trace_id = bytes([41] * 16)
    service.send(span(1, trace_id=trace_id, name="wanted"))
    with subprocess.Popen(
        command("tail", trace_id.hex()), env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for number in range(2, 200):
                service.send(span(number, trace_id=bytes([42] * 16), name="other"))
                service.send(span(number, trace_id=trace_id, name="more"))
                if select.select([process.stdout], [], [], 0.2)[0]:
                    break
            line = process.stdout.readline()
            assert line.strip().endswith(trace_id.hex())
        finally:
            process.terminate()
            process.wait(DEADLINE_S)


def test_without_a_service_the_store_itself_is_read(here: Path) -> None:
    with running_service(here) as service:
        service.send(span(1, name="kept"))
    shown = run("sessions")
    assert "kept" in shown.output
    [listed] = json.loads(run("sessions", "--json").output)
    assert "kept" in run("show", listed["id"]).output


def test_without_a_service_nothing_is_written_to_read_the_store(here: Path) -> None:
    store = load_settings().store
    open_store(store).close()
    path = store_path(store)
    assert path is not None
    before = path.read_bytes()
    path.with_name(path.name + "-lock").unlink()
    assert run("sessions").exit_code == 0
    assert path.read_bytes() == before
    assert not path.with_name(path.name + "-lock").exists()
    assert not token_path(store).exists()


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["sessions"], ["show", "x"], ["tail"]])
def test_without_a_service_and_a_store_the_exit_code_is_3(
    tmp_path: Path, arguments: list[str]
) -> None:
    ended = subprocess.run(
        command(*arguments),
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert ended.returncode == 3
    assert "inspector serve" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "data").exists(), "asking makes no store"


@pytest.mark.parametrize("url", ["nonsense", "localhost:7800", "http://[::1", "http://h:99999"])
def test_a_bad_address_is_reported(here: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("INSPECTOR_URL", url)
    refused = run("sessions").exception
    assert isinstance(refused, InspectorError)
    assert "INSPECTOR_URL" in str(refused)


def test_an_address_where_something_else_answers_is_reported(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_URL", f"{service.url}/ui/app?")
    monkeypatch.setenv("INSPECTOR_TOKEN", service.token)
    assert "is not Inspector" in str(run("sessions").exception)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
@pytest.mark.parametrize("arguments", [["sessions"], ["sessions", "--json"], ["token"]])
def test_output_that_cannot_be_written_is_one_sentence(
    service: Service, arguments: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            command(*arguments),
            env=environment(service.runtime_dir.parent),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (1, "inspector: No space left on device.\n")


@pytest.mark.slow
def test_a_session_is_found_whatever_many_others_are_called(
    here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spans = []
    for number, name in enumerate(["run", "older", *(f"a-run-older-{n}" for n in range(150))], 1):
        made = span(number, name=name)
        made.trace_id = number.to_bytes(16, "big")
        made.start_time_unix_nano += number
        made.attributes.add(key="session.id").value.string_value = name
        spans.append(made)
    with running_service(tmp_path / "many") as service:
        find(monkeypatch, service)
        service.send(*spans)
        assert " run " in run("show", "run").output
        assert run("sessions", "--limit", "2").stderr.startswith("Showing the newest 2;")
        assert run("sessions", "--limit", "200").stderr == ""
        assert " older " in run("show", "old").output
        assert " a-run-older-1 " in run("show", "a-run-older-1").output
        assert "Several sessions start with 'a-run'" in str(run("show", "a-run").exception)


def test_the_token_stays_the_same_until_it_is_rotated(here: Path) -> None:
    first = run("token").output
    assert run("token").output == first
    second = run("token", "--rotate-token").output
    assert second != first
    assert run("token").output == second


def test_the_token_is_that_of_the_running_service(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INSPECTOR_STORE", raising=False)
    runfile.write(runfile.RunFile("http://127.0.0.1:1", "running", os.getpid(), "sqlite:///x.db"))
    assert run("token").output == "running\n"
    monkeypatch.setenv("INSPECTOR_URL", "https://inspector.example")
    of_another = run("token")
    assert of_another.stdout == "running\n"
    assert "http://127.0.0.1:1, not of https://inspector.example" in of_another.stderr
    none = run("token", "--store", f"sqlite:///{here / 'own.db'}")
    assert "There is no store" in str(none.exception)
    assert not list(here.glob("own.db*"))
    (here / "own.db").touch()
    own = run("token", "--store", f"sqlite:///{here / 'own.db'}")
    assert (own.exit_code, own.output == "running\n") == (0, False)


def test_a_configured_token_cannot_be_rotated(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_TOKEN", "given")
    assert run("token").output == "given\n"
    assert isinstance(run("token", "--rotate-token").exception, InspectorError)


@pytest.mark.parametrize(
    "command",
    [
        ["sessions", "--status", "foo"],
        ["audit", "--via", "foo"],
        ["search", " "],
        ["signal", "x", "go", "--json", "{bad"],
    ],
)
def test_a_value_that_does_not_exist_is_exit_2_before_anything_is_read(
    here: Path, command: list[str]
) -> None:
    refused = run(*command)
    assert refused.exit_code == 2
    assert "Invalid value" in refused.stderr
    assert "Value error" not in refused.stderr


@pytest.mark.parametrize("command", [["run"], ["policies", "check"]])
def test_the_lines_of_a_help_end_where_the_terminal_does(
    here: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(*command, "--help").output.split("Arguments")[0].splitlines()
    for line, following in pairwise(one.strip() for one in lines):
        word = following.split(" ")[0]
        assert not word or not line or len(f"{line} {word}") > 78, (line, following)


def test_the_version_is_printed() -> None:
    from importlib.metadata import version

    assert version("mcp-agent-inspector") in run("--version").output


def test_the_help_of_serve_has_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run("serve", "--help").output
    assert all(f"[default: ({one})]" in shown for one in ("7800", "30d,20GB", "redacted"))


def test_every_setting_but_a_secret_is_a_flag_of_serve() -> None:
    import typer.main

    group = typer.main.get_command(app)
    serve = group.commands["serve"]  # type: ignore[attr-defined]  # a group has them
    flags = {flag for parameter in serve.params for flag in parameter.opts}
    expected = {f"--{name.replace('_', '-')}" for name in Settings.model_fields}
    assert expected - flags == {"--token", "--history-password", "--writer-tokens"}


def test_show_without_an_id_is_the_newest_session_and_open_prints_its_address(
    service: Service, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(monkeypatch, service)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    newest = service.client.get("/sessions", params={"sort": "-started"}).json()["sessions"][0]

    shown = run("show")
    assert shown.exit_code == 0, shown.output
    assert newest["id"] in shown.output

    address = run("open").stdout.strip()
    assert httpx.get(address, follow_redirects=True).status_code == 200
    assert "token=" in address
    assert "token=" not in opened[0]  # others could read it in the browser's command line
    page = Path(opened[0].removeprefix("file://"))
    assert address in page.read_text()
    assert page.stat().st_mode & 0o077 == 0
    assert run("open", "--no-browser").stdout.strip() == address
    assert len(opened) == 1
    monkeypatch.setenv("INSPECTOR_URL", service.url)
    monkeypatch.setenv("INSPECTOR_TOKEN", "another")
    refused = run("open", "--no-browser")
    assert isinstance(refused.exception, RefusedError)
    assert refused.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sessions",), "No sessions yet."),
        (("sessions", "name:nobody"), "No matching sessions."),
        (("search", "name:nobody"), "No matching spans."),
        (("show",), "No sessions yet."),
    ],
)
def test_an_empty_result_is_reported(here: Path, arguments: tuple[str, ...], message: str) -> None:
    open_store(load_settings().store).close()
    shown = run(*arguments)
    assert message in shown.output or message in str(shown.exception)
    if arguments[0] != "show":
        assert json.loads(run(*arguments, "--json").output) == []


@pytest.mark.slow
def test_a_second_service_names_the_first_one(service: Service, here: Path) -> None:
    port = service.url.rpartition(":")[2]
    environ = {**environment(here), "INSPECTOR_RUNTIME_DIR": str(service.runtime_dir)}
    second = subprocess.run(
        [*command("serve"), "--port", port],
        env=environ,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert second.returncode == 2
    assert f"Inspector is already running at {service.url}/ui/" in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.slow
def test_a_service_that_another_took_the_place_of_is_found_again_when_that_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(tmp_path) as first:
        monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", str(first.runtime_dir))
        other = Service(tmp_path)
        other.environment |= {"INSPECTOR_RUNTIME_DIR": str(first.runtime_dir)}
        other.start()
        assert Client.find().url == other.url
        other.stop()
        found = Client.find()
        assert (found.url, found.token) == (first.url, first.token)
