"""`inspector doctor` with and without each problem."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from typer.testing import CliRunner

from inspector.cli.doctor import agents
from inspector.cli.main import app
from tests.support.services.otlp_receiver import Receiver
from tests.support.services.process import Service, environment, free_port, running_service

Findings = dict[str, list[dict[str, str]]]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let the command line run in this process, with nothing of this machine's user."""
    ports = {name: free_port() for name in ("port", "otlp_http_port", "otlp_grpc_port")}
    for name, value in environment(tmp_path, **ports).items():
        monkeypatch.setenv(name, value)
    return tmp_path


def examine(exit_code: int | None = None) -> Findings:
    done = CliRunner().invoke(app, ["doctor", "--json"])
    assert exit_code is None or done.exit_code == exit_code, done.output
    found: Findings = {}
    for one in json.loads(done.output):
        found.setdefault(one["subject"], []).append(one)
    assert done.exit_code == any(one["level"] == "fail" for many in found.values() for one in many)
    return found


def levels(found: Findings, subject: str) -> list[str]:
    return [one["level"] for one in found[subject]]


def use(monkeypatch: pytest.MonkeyPatch, service: Service) -> None:
    monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", str(service.runtime_dir))
    monkeypatch.setenv("INSPECTOR_PORT", service.url.rpartition(":")[2])
    monkeypatch.setenv("INSPECTOR_OTLP_HTTP_PORT", str(service.otlp_http_port))
    monkeypatch.setenv("INSPECTOR_OTLP_GRPC_PORT", str(service.otlp_grpc_port))


def test_where_nothing_runs_it_tries_the_history(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "history" not in examine(0)
    monkeypatch.setenv("INSPECTOR_HISTORY", f"clickhouse://127.0.0.1:{free_port()}/inspector")
    (found,) = examine(1)["history"]
    assert "Is ClickHouse running there?" in found["message"]


def test_where_nothing_runs_it_says_how_to_start(here: Path) -> None:
    found = examine(0)
    assert levels(found, "service") == ["warn"]
    assert "inspector serve" in found["service"][0]["advice"]
    assert levels(found, "store") == levels(found, "disk") == levels(found, "port") == ["ok"]


def test_a_service_that_runs_is_found_with_all_its_ports(
    here: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, service)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{service.otlp_http_port}")
    found = examine(0)
    assert levels(found, "service") == levels(found, "OTLP") == ["ok"]
    assert service.url in found["service"][0]["message"]
    assert "an Inspector service" in found["otlp_http_port"][0]["message"]


@pytest.mark.parametrize("as_json", [True, False])
def test_the_token_is_never_shown(
    here: Path, service: Service, monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    use(monkeypatch, service)
    monkeypatch.setenv("INSPECTOR_FORWARD_OTLP", "http://joe:hunter2@127.0.0.1:1")
    done = CliRunner().invoke(app, ["doctor", *(["--json"] if as_json else [])])
    assert "http://127.0.0.1:1" in done.output
    assert service.token not in done.output
    assert "hunter2" not in done.output


def test_a_wrong_token_is_reported(
    here: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_URL", service.url)
    monkeypatch.setenv("INSPECTOR_TOKEN", "wrong")
    found = examine(1)
    assert levels(found, "service") == ["ok", "fail"]
    monkeypatch.delenv("INSPECTOR_TOKEN")
    assert levels(examine(1), "attach") == ["warn"]


def test_a_named_service_that_is_gone_is_a_failure(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_URL", f"http://127.0.0.1:{free_port()}")
    assert levels(examine(1), "service") == ["fail"]


@pytest.mark.parametrize("url", ["nonsense", "ftp://x", "http://[::1", "http://127.0.0.1:99999"])
def test_a_named_service_that_is_no_address_is_a_failure(
    here: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("INSPECTOR_URL", url)
    assert "is not an address" in examine(1)["service"][0]["message"]


def test_a_run_file_of_a_dead_process_is_stale(here: Path) -> None:
    with running_service(here) as service:
        service.process.kill()
        service.process.wait()
    assert (here / "run" / "inspector.json").exists()
    found = examine(0)
    assert levels(found, "run-file") == ["warn"]
    assert "rm " in found["run-file"][0]["advice"]


def test_a_port_that_somebody_else_has_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Receiver() as other:
        monkeypatch.setenv("INSPECTOR_OTLP_HTTP_PORT", str(other.port))
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", other.url)
        found = examine(0)
    assert levels(found, "otlp_http_port") == levels(found, "OTLP") == ["warn"]
    assert "not Inspector" in found["OTLP"][0]["message"]


@pytest.mark.parametrize(
    ("variables", "level", "says"),
    [
        ({"OTEL_SDK_DISABLED": "true"}, "warn", "no spans"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "warn", "no OTLP"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_ENDPOINT": "{grpc}"},
         "ok", "gRPC"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_ENDPOINT": "{http}"},
         "ok", "gRPC"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_ENDPOINT": "{http}",
          "INSPECTOR_OTLP_GRPC_PORT": "0"}, "warn", "may not be"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "{http}/v1/traces"}, "ok", "HTTP"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:99999"}, "fail", "not an address"),
    ],
)  # fmt: skip
def test_it_says_where_a_stock_sdk_would_send(
    here: Path,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    level: str,
    says: str,
) -> None:
    use(monkeypatch, service)
    places = {
        "grpc": f"http://127.0.0.1:{service.otlp_grpc_port}",
        "http": f"http://127.0.0.1:{service.otlp_http_port}",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(**places))
    (finding,) = examine()["OTLP"]
    assert finding["level"] == level
    assert says in finding["message"]
    if level == "fail":
        assert finding["advice"] == f"Set OTEL_EXPORTER_OTLP_ENDPOINT={service.url}."


def test_the_targets_of_forwarding_are_tried(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as target:
        port = target.getsockname()[1]
        targets = f"http://127.0.0.1:{port},grpc://127.0.0.1:{free_port()},nonsense"
        monkeypatch.setenv("INSPECTOR_FORWARD_OTLP", targets)
        assert levels(examine(1), "forward") == ["ok", "warn", "fail"]


def test_settings_that_cannot_be_used_are_reported(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_PORT", "many")
    assert levels(examine(1), "settings") == ["fail"]


def test_a_store_is_looked_at(here: Path) -> None:
    with running_service(here, port=free_port()):
        pass
    found = examine(0)
    assert "0 sessions" in found["store"][0]["message"]
    assert levels(found, "token") == ["ok"]
    (token,) = here.rglob("*.token")
    token.chmod(0o644)
    assert levels(examine(1), "token") == ["fail"]


def test_a_store_without_an_address_is_a_failure(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_STORE", "/var/lib/sessions.db")
    [finding] = examine(1)["store"]
    assert finding["advice"] == "Set INSPECTOR_STORE to `sqlite:///PATH`."


@pytest.mark.parametrize("damage", ["newer", "text", "torn"])
def test_a_store_that_cannot_be_read_is_reported(here: Path, damage: str) -> None:
    with running_service(here, port=free_port()):
        pass
    (path,) = here.rglob("*.sqlite3")
    if damage == "newer":
        apsw.Connection(str(path)).execute("PRAGMA user_version = 999")
    else:
        for beside in here.rglob("*.sqlite3-*"):
            beside.unlink()
        whole = path.read_bytes()
        path.write_bytes(b"hello" * 1000 if damage == "text" else whole[:8192])
    assert levels(examine(1), "store") == ["fail"]


@pytest.mark.slow
def test_files_that_others_may_write_are_failures(here: Path) -> None:
    with running_service(here):
        pass
    [store] = here.rglob("*.sqlite3")
    for file in (store, store.with_name(store.name + ".token")):
        file.chmod(0o666)
    found = examine(1)
    for subject in ("store", "token"):
        assert levels(found, subject) == ["fail"]
        assert "other users can write to it" in found[subject][0]["message"]


def test_an_mcp_agent_beside_a_newer_mcp_is_reported(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {"mcp": "2.3.0", "mcp-agent": "0.2.6"}
    monkeypatch.setattr(agents, "_version", versions.get)
    assert levels(examine(1), "mcp-agent") == ["fail"]
    monkeypatch.setattr(agents, "_version", {"mcp": "1.9", "mcp-agent": "0.2.6"}.get)
    assert levels(examine(0), "mcp-agent") == ["ok"]
    monkeypatch.setattr(agents, "_version", {}.get)
    monkeypatch.setenv("INSPECTOR_ENABLE_PATCH", "1")
    found = examine(0)
    assert levels(found, "mcp-agent") == levels(found, "extras") == ["warn"]


def test_policies_are_counted_and_mistakes_in_them_are_failures(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = here / "policies.toml"
    file.write_text('[[policies]]\naction = "deny"\n[[budgets]]\nof = "cost_usd"\nat = 1')
    monkeypatch.setenv("INSPECTOR_POLICIES", str(file))
    found = examine(0)
    assert levels(found, "policies") == ["ok", "warn"]
    assert found["policies"][0]["message"] == f"{file}: 1 policy, 1 budget"
    file.write_text("[[policies]]")
    found = examine(1)
    assert "`action` is missing" in found["policies"][0]["message"]
    monkeypatch.setenv("INSPECTOR_POLICIES", "off")
    assert levels(examine(0), "policies") == ["warn"]
