import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI, Request
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pydantic import SecretStr
from starlette.testclient import TestClient

from inspector.mount import is_about, mount
from inspector.service.settings import Settings
from tests.support.services.process import (
    DEADLINE_S,
    environment,
    free_port,
    running_service,
    wait_for,
)
from tests.support.telemetry.export import trace_request


@dataclass
class Mounted:
    url: str
    token: str
    process: subprocess.Popen[str]

    def get(self, path: str) -> httpx.Response:
        bearer = {"authorization": f"Bearer {self.token}"}
        return httpx.get(f"{self.url}{path}", headers=bearer, timeout=DEADLINE_S)


LINE = re.compile(r"Inspector: (?P<place>\S+)/ui/\?token=(?P<token>\S+)\n")


@contextmanager
def running_app(
    directory: Path, *more: str, place: str = "/_inspector", lines: int = 1
) -> Iterator[Mounted]:
    """Run an app with the inspector in it, which says `place` in one of its first `lines`."""
    port = free_port()
    options = ["--port", str(port), "--log-level", "warning", "--no-access-log", *more]
    with subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "tests.api.mounted_app:app", *options],
        env=environment(directory),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            output = [process.stderr.readline() for _ in range(lines)]
            found = [LINE.fullmatch(line) for line in output]
            here = [one for one in found if one is not None and one["place"] == place]
            assert all(found), output
            assert len(here) == 1, output
            mounted = Mounted(f"http://127.0.0.1:{port}", here[0]["token"], process)
            wait_for(lambda: answers(mounted.url))
            yield mounted
        finally:
            process.terminate()  # so that it ends its workers
            try:
                process.wait(DEADLINE_S)
            finally:
                process.kill()


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/_inspector/health").status_code == 200
    except httpx.TransportError:
        return False


def names(mounted: Mounted) -> set[str]:
    """Return the names of the spans that are shown."""
    listed = mounted.get("/_inspector/sessions").json()["sessions"]
    return {
        span["name"]
        for session in listed
        for span in mounted.get(f"/_inspector/sessions/{session['id']}/spans").json()["spans"]
    }


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mounted]:
    with running_app(tmp_path_factory.mktemp("mounted")) as mounted:
        yield mounted


@pytest.mark.slow
def test_what_the_app_does_is_shown_with_no_setting_at_all(mounted: Mounted) -> None:
    assert httpx.get(f"{mounted.url}/work").json()["done"] == "yes"

    wait_for(lambda: any("lookup" in name for name in names(mounted)))
    assert not [name for name in names(mounted) if "_inspector" in name], (
        "it is never its own subject"
    )


def test_the_token_is_required_on_ingest_too(mounted: Mounted) -> None:
    for method, path in [("GET", "/sessions"), ("POST", "/v1/traces"), ("GET", "/ui/")]:
        answer = httpx.request(method, f"{mounted.url}/_inspector{path}")
        assert answer.status_code == 401, path
    assert httpx.get(f"{mounted.url}/_inspector/health").status_code == 200


def test_a_body_that_the_app_s_server_drops_is_reported_to_the_sender(mounted: Mounted) -> None:
    body = trace_request().SerializeToString()
    head = (
        "POST /_inspector/v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {mounted.token}\r\nContent-Type: application/x-protobuf\r\n"
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(mounted.url.rpartition(":")[2]))) as sender:
        sender.settimeout(DEADLINE_S)
        sender.sendall(head.encode() + body)
        assert sender.recv(100).startswith(b"HTTP/1.1 400 ")


def test_the_browser_is_logged_in_below_the_mount_path_only(mounted: Mounted) -> None:
    answer = httpx.get(f"{mounted.url}/_inspector/ui/", params={"token": mounted.token})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/_inspector/ui/"
    assert "Path=/_inspector;" in answer.headers["set-cookie"] + ";"


def test_the_app_itself_is_untouched(mounted: Mounted) -> None:
    answer = httpx.get(f"{mounted.url}/work", headers={"host": "other.example"})
    assert answer.status_code == 200
    assert "content-security-policy" not in answer.headers


@pytest.mark.slow
def test_the_app_keeps_its_access_log(tmp_path: Path) -> None:
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "tests.api.mounted_app:app", "--port", str(port)],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            wait_for(lambda: answers(f"http://127.0.0.1:{port}"))
            httpx.get(f"http://127.0.0.1:{port}/work")
        finally:
            process.terminate()
        lines, _ = process.communicate(timeout=DEADLINE_S)
    assert lines.count('"GET /work HTTP/1.1" 200') == 1


@pytest.mark.slow
def test_an_open_stream_does_not_hold_the_app_up(tmp_path: Path) -> None:
    with running_app(tmp_path) as mounted:
        bearer = {"authorization": f"Bearer {mounted.token}"}
        ended = threading.Event()
        with httpx.stream(
            "GET", f"{mounted.url}/_inspector/events", headers=bearer, timeout=DEADLINE_S
        ) as stream:
            assert stream.status_code == 200

            def read_to_the_end() -> None:
                for _ in stream.iter_bytes():
                    pass
                ended.set()

            reader = threading.Thread(target=read_to_the_end)
            reader.start()
            mounted.process.send_signal(signal.SIGTERM)
            mounted.process.wait(DEADLINE_S)
            assert ended.wait(DEADLINE_S)
            reader.join()


@pytest.mark.slow
@pytest.mark.parametrize("store", [pytest.param("the app's", marks=pytest.mark.slow), "another"])
def test_beside_a_running_service_the_app_is_watched_by_that_one(
    tmp_path: Path, store: str
) -> None:
    settings: dict[str, Any] = (
        {"store": f"sqlite:///{tmp_path}/another"} if store == "another" else {}
    )
    with (
        running_service(tmp_path, **settings) as service,
        running_app(tmp_path, place=service.url) as mounted,
    ):
        assert mounted.token == service.token
        assert httpx.get(f"{mounted.url}/work").json()["done"] == "yes"
        wait_for(lambda: service.client.get("/sessions").json()["sessions"])
        httpx.get(f"{mounted.url}/work")  # sent after what our own pages would have made

        def titles() -> list[str]:
            listed = mounted.get("/_inspector/sessions").json()["sessions"]
            return [one["title"] for one in listed]

        assert wait_for(lambda: len(titles()) > 1 and titles()) == ["GET /work"] * 2
        assert httpx.get(f"{mounted.url}/_inspector/sessions").status_code == 401
        page = mounted.get("/_inspector/ui/").text
        assert '<base href="/_inspector/ui/"' in page
        events = httpx.stream(
            "GET",
            f"{mounted.url}/_inspector/events",
            headers={"authorization": f"Bearer {mounted.token}"},
            timeout=DEADLINE_S,
        )
        with events as stream:
            assert next(stream.iter_lines())
            mounted.process.send_signal(signal.SIGTERM)
            mounted.process.wait(DEADLINE_S)


@pytest.mark.slow
def test_all_workers_show_what_all_of_them_did(tmp_path: Path) -> None:
    with running_app(tmp_path, "--workers", "2", lines=2) as mounted:

        def pids() -> set[int]:
            return {httpx.get(f"{mounted.url}/work").json()["pid"] for _ in range(20)}

        wait_for(lambda: len(pids()) == 2)
        for pid in [*wait_for(pids)] * 4:  # whoever is asked
            path = f"/_inspector/sessions?q=lookup-{pid}"
            wait_for(lambda path=path: mounted.get(path).json()["sessions"])  # type: ignore[misc]


UNUSABLE = """
import logging, os, pathlib, sys
from fastapi import FastAPI
from starlette.testclient import TestClient
import inspector

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", level="WARNING")
here = pathlib.Path(sys.argv[1])
(here / "damaged").write_bytes(b"no database " * 1000)
(here / "file").touch()
(here / "planted.token").mkdir()
for store in ("damaged", "file/store", "planted", "BAD"):
    os.environ["INSPECTOR_STORE"] = store if store == "BAD" else f"sqlite:///{here / store}"
    os.environ["INSPECTOR_PORT"] = "no port" if store == "file/store" else "7800"
    app, said = FastAPI(), []
    inspector.mount(app, say=said.append)
    app.add_api_route("/work", lambda: {"done": "yes"})
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/work").json() == {"done": "yes"}
        place = said[0].removeprefix("Inspector: ")
        assert client.get(place, follow_redirects=True).status_code == 200
        assert client.get("/_inspector/sessions").status_code == 200
"""


@pytest.mark.slow
def test_the_app_starts_whatever_is_wrong_with_the_store(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", UNUSABLE, str(tmp_path)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    warnings = ended.stdout.splitlines()
    assert [line.split()[0] for line in warnings] == ["WARNING"] * 4
    assert all("kept in memory" in line for line in warnings)


def test_nobody_makes_spans_of_what_the_inspector_does_in_an_app() -> None:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    app = FastAPI(telemetry={"tracing": True, "tracer_provider": provider})
    mount(
        app,
        Settings.model_construct(store="memory:", token=SecretStr("t" * 20)),
        say=lambda _: None,
    )
    tracer = provider.get_tracer("an instrumentation")

    @app.middleware("http")
    async def instrumented(request: Request, call_next: Any) -> Any:
        with tracer.start_as_current_span("outside"):
            return await call_next(request)

    inside = APIRouter()

    @inside.get("/own")
    def own() -> dict[str, bool]:
        with tracer.start_as_current_span("inside") as span:
            return {"recorded": span.is_recording()}

    @app.get("/work")
    def work() -> dict[str, bool]:
        return {"recorded": trace.get_current_span().is_recording()}

    bearer = {"authorization": f"Bearer {'t' * 20}"}
    with TestClient(app, "http://127.0.0.1", headers=bearer) as client:
        mounted = [one for one in app.routes if getattr(one, "path", "") == "/_inspector"]
        door: Any = getattr(mounted[0], "app", None)
        door.target.include_router(inside)
        assert client.get("/_inspector/health").status_code == 200
        assert client.get("/_inspector/own").json() == {"recorded": False}
        ours = {span.name for span in exporter.get_finished_spans()}
        exporter.clear()
        assert client.get("/work").json() == {"recorded": True}
        theirs = {span.name for span in exporter.get_finished_spans()}
    assert not [name for name in ours if name.startswith("fastapi.") or name == "inside"], ours
    assert {"fastapi.endpoint", "outside"} <= theirs


def test_a_name_alone_does_not_make_a_span_our_own() -> None:
    assert not is_about(Span(kind=Span.SPAN_KIND_SERVER, name="GET /_inspector/x"), "/_inspector")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/_inspector", True),
        ("/_inspector/sessions", True),
        ("/_inspectors", False),
        ("/work", False),
        ("/x/_inspector/y", False),
    ],
)
def test_requests_below_the_mount_path_are_our_own(path: str, expected: bool) -> None:
    span = Span(kind=Span.SPAN_KIND_SERVER, name="GET")
    span.attributes.add(key="url.path").value.string_value = path
    assert is_about(span, "/_inspector") is expected
    live = LogRecord(attributes=span.attributes, event_name="inspector.span.started")
    live.attributes.add(key="inspector.span.kind").value.int_value = Span.SPAN_KIND_SERVER
    assert is_about(live, "/_inspector") is expected
    span.kind = Span.SPAN_KIND_CLIENT
    assert is_about(span, "/_inspector") is False
