import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.mount import is_about
from tests.support.service import DEADLINE_S, environment, free_port, wait_for


@dataclass
class Mounted:
    url: str
    token: str
    process: subprocess.Popen[str]

    def get(self, path: str) -> httpx.Response:
        bearer = {"authorization": f"Bearer {self.token}"}
        return httpx.get(f"{self.url}{path}", headers=bearer, timeout=DEADLINE_S)


@contextmanager
def running_app(directory: Path) -> Iterator[Mounted]:
    port = free_port()
    options = ["--port", str(port), "--log-level", "warning", "--no-access-log"]
    with subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "tests.support.mounted_app:app", *options],
        env=environment(directory),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.fullmatch(r"Inspector: /_inspector/ui/\?token=(\S+)\n", line)
            assert found, line + process.stderr.read()
            mounted = Mounted(f"http://127.0.0.1:{port}", found[1], process)
            wait_for(lambda: answers(mounted.url))
            yield mounted
        finally:
            process.kill()


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/_inspector/health").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mounted]:
    with running_app(tmp_path_factory.mktemp("mounted")) as mounted:
        yield mounted


def test_what_the_app_does_is_shown_with_no_setting_at_all(mounted: Mounted) -> None:
    assert httpx.get(f"{mounted.url}/work").json() == {"done": "yes"}

    def names() -> set[str]:
        listed = mounted.get("/_inspector/sessions").json()["sessions"]
        spans = [
            span
            for session in listed
            for span in mounted.get(f"/_inspector/sessions/{session['id']}/spans").json()["spans"]
        ]
        return {span["name"] for span in spans}

    wait_for(lambda: any("lookup" in name for name in names()))
    assert not [name for name in names() if "_inspector" in name], "it is never its own subject"


def test_the_token_is_asked_for_on_ingest_too(mounted: Mounted) -> None:
    for method, path in [("GET", "/sessions"), ("POST", "/v1/traces"), ("GET", "/ui/")]:
        answer = httpx.request(method, f"{mounted.url}/_inspector{path}")
        assert answer.status_code == 401, path
    assert httpx.get(f"{mounted.url}/_inspector/health").status_code == 200


def test_the_browser_is_logged_in_below_the_mount_path_only(mounted: Mounted) -> None:
    answer = httpx.get(f"{mounted.url}/_inspector/ui/", params={"token": mounted.token})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/_inspector/ui/"
    assert "Path=/_inspector;" in answer.headers["set-cookie"] + ";"


def test_the_app_itself_is_untouched(mounted: Mounted) -> None:
    answer = httpx.get(f"{mounted.url}/work", headers={"host": "other.example"})
    assert answer.status_code == 200
    assert "content-security-policy" not in answer.headers


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
