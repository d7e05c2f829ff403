import json
import os
import signal
import socket
import stat
import subprocess
import threading
from pathlib import Path

import httpx
import pytest

from inspector.cli.client import Client, NoServiceError
from inspector.errors import InspectorError
from inspector.service.server.serve import serve
from tests.support.services.app import settings
from tests.support.services.process import (
    DEADLINE_S,
    command,
    environment,
    free_port,
    running_service,
    wait_for,
)
from tests.support.telemetry.export import span, trace_request

PROTOBUF = {"content-type": "application/x-protobuf"}


def run(directory: Path, *arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run a command that ends by itself."""
    return subprocess.run(
        command(*arguments),
        env=environment(directory, **settings),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def test_a_service_takes_spans_in_on_every_port_and_shows_them(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        ports = [service.url, f"http://127.0.0.1:{service.otlp_http_port}"]
        for number, base in enumerate(ports, 1):
            request = trace_request(span(number, trace_id=bytes([number] * 16), name="root"))
            answer = httpx.post(
                f"{base}/v1/traces", content=request.SerializeToString(), headers=PROTOBUF
            )
            assert answer.status_code == 200
        sessions = service.client.get("/sessions").json()["sessions"]
        assert {session["id"] for session in sessions} == {"01" * 16, "02" * 16}


def test_a_service_that_would_store_content_does_not_start_with_off(tmp_path: Path) -> None:
    ended = run(tmp_path, "serve", "--capture-content", "off")
    assert ended.returncode == 2
    assert "INSPECTOR_CAPTURE_CONTENT=off where the agents run" in ended.stderr


def test_a_service_says_what_the_variable_of_its_agents_means_to_it(tmp_path: Path) -> None:
    ended = run(tmp_path, "serve", capture_content="off", store="no address")
    assert "`off` is for agents" in ended.stdout
    assert "Cannot open the store 'no address'" in ended.stderr


@pytest.mark.slow
def test_the_otlp_port_serves_nothing_else(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        base = f"http://127.0.0.1:{service.otlp_http_port}"
        assert httpx.get(f"{base}/health").json()["ready"] is True
        bearer = {"authorization": f"Bearer {service.token}"}
        for path in ("/sessions", "/ui/", "/events", "/"):
            assert httpx.get(f"{base}{path}").status_code == 401
            assert httpx.get(f"{base}{path}", headers=bearer).status_code == 404


def test_the_printed_address_logs_a_browser_in(tmp_path: Path) -> None:
    with running_service(tmp_path) as service, httpx.Client(base_url=service.url) as browser:
        answer = browser.get("/ui/", params={"token": service.token})
        assert answer.status_code == 303
        assert browser.get(answer.headers["location"]).status_code == 200
        assert browser.get("/sessions").status_code == 200


def test_the_run_file_says_where_the_service_is_until_it_ends(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        [path] = service.runtime_dir.iterdir()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        message = json.loads(path.read_text())
        assert message["url"] == service.url
        assert message["token"] == service.token
        assert message["pid"] == service.process.pid
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(DEADLINE_S) == 0
        assert list(service.runtime_dir.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_open_stream_does_not_hold_the_end_up(tmp_path: Path, number: signal.Signals) -> None:
    ended = threading.Event()
    with (
        running_service(tmp_path) as service,
        service.client.stream("GET", "/events") as stream,
    ):
        assert stream.status_code == 200

        def read_to_the_end() -> None:
            for _ in stream.iter_bytes():
                pass
            ended.set()

        reader = threading.Thread(target=read_to_the_end)
        reader.start()
        service.process.send_signal(number)
        assert service.process.wait(DEADLINE_S) == 0
        assert ended.wait(DEADLINE_S), "the stream was ended, not cut"
        reader.join()


@pytest.mark.slow
def test_token_store_and_login_survive_a_restart(tmp_path: Path) -> None:
    with running_service(tmp_path) as service, httpx.Client(base_url=service.url) as browser:
        browser.get("/ui/", params={"token": service.token})
        service.send()
        cookies = {f"inspector_{httpx.URL(service.url).port}": v for v in browser.cookies.values()}
        port = httpx.URL(service.url).port
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(DEADLINE_S)
    with running_service(tmp_path, port=port) as again:
        assert again.token == service.token
        answer = httpx.get(f"{again.url}/sessions", cookies=cookies)
        assert len(answer.json()["sessions"]) == 1


@pytest.mark.slow
def test_a_port_in_use_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        ended = run(tmp_path, "serve", port=port)
        assert ended.returncode == 2
        assert one_sentence(ended.stderr)
        assert f"127.0.0.1:{port}" in ended.stderr
        assert "INSPECTOR_PORT" in ended.stderr

        for name in ("otlp_http_port", "otlp_grpc_port"):
            others = {"port": 0, "otlp_http_port": 0, "otlp_grpc_port": 0, name: port}
            ended = run(tmp_path, "serve", **others)
            assert ended.returncode == 2, name
            assert f"INSPECTOR_{name.upper()}" in ended.stderr


@pytest.mark.slow
def test_a_store_in_use_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    with running_service(tmp_path):
        ended = run(tmp_path, "serve", port=0, otlp_http_port=0, otlp_grpc_port=0)
    assert ended.returncode == 2
    assert one_sentence(ended.stderr)


@pytest.mark.slow
def test_a_store_that_cannot_be_written_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    ended = run(
        tmp_path,
        "serve",
        port=0,
        otlp_http_port=0,
        otlp_grpc_port=0,
        token="given",
        store=f"sqlite:///{tmp_path}/file/i.sqlite3",
    )
    assert ended.returncode == 2
    assert one_sentence(ended.stderr)


@pytest.mark.slow
def test_a_bad_setting_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    ended = run(tmp_path, "serve", port="many")
    assert ended.returncode == 2
    assert one_sentence(ended.stderr)
    assert "INSPECTOR_PORT" in ended.stderr


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"host": "no.such.host.invalid", "dangerously_allow_plain_http": 1}, "no.such.host"),
        ({"store": "postgres://x"}, "postgres://x"),
        ({"forward_otlp": "ftp://x"}, "ftp://x"),
        ({"tls_cert": "/no/cert", "tls_key": "/no/key"}, "/no/cert"),
    ],
)
def test_what_cannot_be_served_is_reported_before_anything_is_printed(
    values: dict[str, object], message: str
) -> None:
    printed: list[str] = []
    with pytest.raises(InspectorError, match=message):
        serve(settings(port=0, token="given-to-this-test", **values), say=printed.append)
    assert printed == []


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("not a database")
    with pytest.raises(InspectorError, match="not an SQLite file"):
        serve(settings(port=0, store=f"sqlite:///{tmp_path / 'notes'}"))
    assert [one.name for one in tmp_path.iterdir()] == ["notes"]


def test_without_the_serve_extra_the_install_line_is_printed(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    (blocked / "fastapi").mkdir(parents=True)
    (blocked / "fastapi" / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'fastapi'\", name='fastapi')"
    )
    env = {**environment(tmp_path), "PYTHONPATH": f"{blocked}{os.pathsep}{Path.cwd()}"}
    ended = subprocess.run(
        command("serve"), env=env, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert ended.returncode == 2
    assert "pip install 'mcp-agent-inspector[serve]'" in ended.stderr
    assert one_sentence(ended.stderr)


@pytest.mark.slow
def test_a_service_runs_where_only_its_store_can_be_written(tmp_path: Path) -> None:
    with running_service(tmp_path, module="tests.api.read_only_root") as service:
        assert service.client.get("/sessions").status_code == 200


def test_no_token_is_ever_logged(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as stderr, running_service(tmp_path, stderr=stderr) as service:
        for params in ({"token": service.token}, {"token": "wrong-guess"}):
            httpx.get(f"{service.url}/ui/", params=params)
        httpx.get(f"{service.url}/sessions", headers={"authorization": "Bearer wrong-guess"})
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(DEADLINE_S)
    assert service.token not in log.read_text()
    assert "wrong-guess" not in log.read_text()


@pytest.mark.slow
def test_over_tls_the_cookie_is_for_tls_only_and_commands_need_a_certificate_to_trust(
    tmp_path: Path,
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    ask = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1"
    files: list[str | Path] = ["-subj", "/CN=localhost", "-keyout", key, "-out", certificate]
    subprocess.run([*ask.split(), *files], check=True, capture_output=True)
    with running_service(tmp_path, tls_cert=certificate, tls_key=key) as service:
        assert service.url.startswith("https://")
        answer = httpx.get(f"{service.url}/ui/", params={"token": service.token}, verify=False)
        assert "Secure" in answer.headers["set-cookie"]
        with pytest.raises(NoServiceError, match=r"certificate is not accepted \(self-signed"):
            Client(service.url, service.token).get("/health")


def test_a_killed_service_leaves_a_run_file_that_nobody_believes(tmp_path: Path) -> None:
    from inspector import runfile

    with running_service(tmp_path) as service:
        where = {"INSPECTOR_RUNTIME_DIR": str(service.runtime_dir)}
        assert runfile.read(where) is not None
        service.process.kill()
        service.process.wait(DEADLINE_S)
        assert wait_for(lambda: runfile.read(where) is None)
    with running_service(tmp_path, port=free_port()) as again:
        found = runfile.read(where)
        assert found is not None
        assert found.url == again.url


def one_sentence(text: str) -> bool:
    """Check that an error is one sentence, without a traceback."""
    return "Traceback" not in text and 0 < len(text.strip().splitlines()) <= 1
