"""`inspector export` and `inspector import` at a terminal."""

import gzip
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from inspector.cli.client import NoServiceError
from inspector.cli.main import app
from inspector.errors import RefusedError, SettingsError
from tests.support.services.process import (
    DEADLINE_S,
    Service,
    command,
    environment,
    running_service,
)
from tests.support.telemetry.otlp import span
from tests.unit.inspector.service.otlp.test_scrub import request

GOLDEN = Path(__file__).parents[1] / "golden" / "release_notes.otlp.jsonl"
NAMES = ("alpha", "team one", "beta")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        for number, name in enumerate(NAMES, start=1):
            made = request(span(f"root {name}", trace=number, attributes={"session.id": name}))
            service.post("/v1/traces", made.SerializeToString())
        yield service


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, service: Service) -> Path:
    """Let the command line run in this process and in a directory of its own."""
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", str(service.runtime_dir))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def names_in(lines: bytes) -> list[str]:
    return [
        record["name"]
        for line in lines.splitlines()
        for group in json.loads(line)["resourceSpans"]
        for scope in group["scopeSpans"]
        for record in scope["spans"]
    ]


@pytest.mark.slow
def test_a_session_becomes_a_file_named_after_it(here: Path) -> None:
    done = run("export", "team")
    assert (done.exit_code, done.output.split(":")[0]) == (0, "team-one.otlp.jsonl.gz")
    packed = (here / "team-one.otlp.jsonl.gz").read_bytes()
    assert names_in(gzip.decompress(packed)) == ["root team one"]


@pytest.mark.slow
def test_the_end_of_the_name_says_whether_it_is_packed(here: Path) -> None:
    assert run("export", "alpha", "-o", "a.jsonl").exit_code == 0
    assert names_in((here / "a.jsonl").read_bytes()) == ["root alpha"]
    assert list(here.glob("*.part")) == list(here.glob(".*.part")) == []


def test_a_dash_prints_the_lines(here: Path) -> None:
    done = run("export", "alpha", "-o", "-")
    assert names_in(done.stdout_bytes) == ["root alpha"]


def test_all_sessions_that_fit_a_query_become_one_file(here: Path) -> None:
    done = run("export", "--query", "id:alpha OR id:beta", "--json")
    assert done.exit_code == 0, done.exception
    report = json.loads(done.output)
    assert report["file"] == "sessions.otlp.jsonl.gz"
    lines = gzip.decompress((here / report["file"]).read_bytes())
    assert sorted(names_in(lines)) == ["root alpha", "root beta"]
    assert sorted(report["sessions"]) == ["alpha", "beta"]
    assert report["size_bytes"] == (here / report["file"]).stat().st_size


@pytest.mark.slow
def test_what_was_exported_is_imported_into_another_store(here: Path) -> None:
    run("export", "alpha")
    run("export", "beta", "-o", "b.jsonl")
    with running_service(here / "other") as other:
        env = environment(here, url=other.url, token=other.token)
        arguments = ("import", "alpha.otlp.jsonl.gz", "b.jsonl")
        done = subprocess.run(
            command(*arguments), env=env, cwd=here, capture_output=True, text=True,
            timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == [
            "alpha.otlp.jsonl.gz: 1 span and 0 log records of 1 session",
            "b.jsonl: 1 span and 0 log records of 1 session",
        ]
        listed = other.client.get("/sessions").json()["sessions"]
        assert {(one["id"], one["status"]) for one in listed} == {
            ("alpha", "completed"),
            ("beta", "completed"),
        }


@pytest.mark.slow
def test_the_store_is_exported_when_no_service_runs(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(tmp_path / "own") as own:
        own.client.post("/import", content=GOLDEN.read_bytes()).raise_for_status()
    for name, value in environment(tmp_path / "own").items():
        monkeypatch.setenv(name, value)
    done = run("export", "golden", "-o", "-")
    assert sorted(names_in(done.stdout_bytes))[:2] == ["chat gpt-4o", "chat gpt-4o"]
    refused = run("import", str(GOLDEN))
    assert isinstance(refused.exception, NoServiceError)
    assert "inspector serve" in str(refused.exception)


def test_standard_input_is_imported(here: Path, service: Service) -> None:
    done = run("import", "-", "--json", stdin=GOLDEN.read_bytes())
    assert done.exit_code == 0
    [report] = json.loads(done.output)
    assert (report["file"], report["spans"], report["sessions"]) == ("-", 10, ["golden"])
    again = run("import", str(GOLDEN))
    assert "0 spans" in again.output
    assert "10 were already stored" in again.output
    service.client.delete("/sessions/golden")


def test_mistakes_are_reported_by_line_and_by_the_exit_code(here: Path) -> None:
    (here / "mixed.jsonl").write_bytes(b'nonsense\n{"hello": 1}\n')
    done = run("import", "mixed.jsonl")
    assert (done.exit_code, done.stdout) == (1, "")
    assert [line.split(": ")[0] for line in done.stderr.splitlines()] == [
        "mixed.jsonl:1",
        "mixed.jsonl:2",
    ]
    (here / "picture.png").write_bytes(b"\x89PNG")
    assert run("import", "picture.png").stderr == "picture.png:1: Not UTF-8 text\n"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (["export"], SettingsError, "--query"),
        (["export", "alpha", "--query", "x"], SettingsError, "--query"),
        (["export", "nobody"], RefusedError, "inspector sessions"),
        (["export", ""], RefusedError, "Several"),
        (["export", "--query", "id:nobody"], RefusedError, "No session"),
        (["export", "alpha", "-o", "no/such/place.gz"], SettingsError, "Cannot write"),
        (["import", "nowhere.jsonl"], SettingsError, "Cannot read nowhere.jsonl"),
        (["import", "."], SettingsError, "Cannot read"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    here: Path, arguments: list[str], error: type[Exception], says: str
) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, error)
    assert says in str(done.exception)
