"""A disk that fails and recovers under a running service, which needs no restart."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from inspector.service.storage import open_store
from tests.support.faults.faulty_disk import TROUBLE
from tests.support.services.app import service_client
from tests.support.services.event_stream import stream_items
from tests.support.services.process import DEADLINE_S, Service, running_service, wait_for
from tests.support.telemetry.export import span, trace_request

PROTOBUF = {"content-type": "application/x-protobuf"}
TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

Row = dict[str, Any]


class Disk:
    """Under a service: `fail` and `mend` it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings: dict[str, object] = {}
        self.module = "inspector"
        self.fail: Callable[[Service], object]
        self.mend: Callable[[Service], object]


@contextmanager
def failing_disk(folder: Path, trouble: str) -> Iterator[Disk]:
    """A disk of our own making."""
    disk, switch = Disk(folder), folder / "trouble"
    disk.module = "tests.support.faults.faulty_disk"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TROUBLE, str(switch))
        disk.fail = lambda _: switch.write_text(trouble)
        disk.mend = lambda _: switch.write_text("")
        yield disk


@contextmanager
def limited(folder: Path, _: str) -> Iterator[Disk]:
    """The system refuses to let files grow."""
    if sys.platform != "linux":
        pytest.skip("only Linux limits another process")
    disk = Disk(folder)

    def limit(service: Service, size_bytes: int) -> None:
        resource.prlimit(
            service.process.pid, resource.RLIMIT_FSIZE, (size_bytes, resource.RLIM_INFINITY)
        )

    disk.fail = lambda service: limit(service, 0)
    disk.mend = lambda service: limit(service, resource.RLIM_INFINITY)
    yield disk


@contextmanager
def filled(folder: Path, _: str) -> Iterator[Disk]:
    """A small file system, filled to the brim by somebody else."""
    small = folder / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(small)]
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(mount, check=False).returncode:
        pytest.skip("needs the right to mount")
    try:
        disk, ballast = Disk(small), small / "ballast"

        def fill(_: Service) -> None:
            with ballast.open("wb", buffering=0) as file:
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    return

        disk.fail = fill
        disk.mend = lambda _: ballast.unlink()
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


@contextmanager
def moved(folder: Path, _: str) -> Iterator[Disk]:
    """The folder is not where it was."""
    disk = Disk(folder / "data")
    disk.folder.mkdir()
    away = folder / "away"
    disk.fail = lambda _: disk.folder.rename(away)
    disk.mend = lambda _: away.rename(disk.folder)
    yield disk


DISKS = [
    pytest.param(limited, "", "full", marks=pytest.mark.slow),
    pytest.param(filled, "", "full", marks=pytest.mark.slow),
    (moved, "", "unavailable"),
    (failing_disk, "full", "full"),
    pytest.param(failing_disk, "read_only", "read_only", marks=pytest.mark.slow),
    pytest.param(failing_disk, "io", "unavailable", marks=pytest.mark.slow),
    pytest.param(failing_disk, "sync", "unavailable", marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "trouble", "state"), DISKS, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_a_disk_that_goes_is_reported_everywhere_and_one_that_comes_back_is_written_again(
    tmp_path: Path, make: Callable[..., Any], trouble: str, state: str
) -> None:
    with ExitStack() as stack:
        disk: Disk = stack.enter_context(make(tmp_path, trouble))
        store = f"sqlite:///{disk.folder}/store.sqlite3"
        service = stack.enter_context(
            running_service(tmp_path, module=disk.module, store=store, token="given")
        )
        page = stack.enter_context(watching(service))
        for number in range(1, 5):
            assert send(service, number).status_code == 200
        assert state_of(service) == "ok"

        disk.fail(service)
        refused = send(service, 5)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) >= 1
        assert send_grpc(service, 6) is grpc.StatusCode.UNAVAILABLE
        wait_for(lambda: page.state == state)
        assert state_of(service) == state
        anonymous = httpx.get(f"{service.url}/health").json()
        assert (anonymous["ready"], anonymous["store"]) == (False, None)
        message = page.message
        assert "Cannot write to the store" in message

        disk.mend(service)
        wait_for(lambda: page.state == "ok")  # with nobody sending anything
        assert state_of(service) == "ok"
        assert httpx.get(f"{service.url}/health").json()["ready"] is True
        assert send(service, 5).status_code == 200
        assert send_grpc(service, 6) is None
        assert shown(service) == {1, 2, 3, 4, 5, 6}
        service.process.kill()
        service.process.wait(DEADLINE_S)
        with open_store(store).read() as reader:
            assert [len(reader.spans(f"{number:032x}")) for number in range(1, 7)] == [2] * 6


@pytest.mark.slow
def test_a_disk_that_cannot_be_read_is_a_503_and_the_stream_stays(tmp_path: Path) -> None:
    with failing_disk(tmp_path, "read") as disk, ExitStack() as stack:
        service = stack.enter_context(running_service(tmp_path, module=disk.module))
        page = stack.enter_context(watching(service))
        for number in range(1, 40):
            assert send(service, number, name="x" * 100_000).status_code == 200
        disk.fail(service)
        answers = {service.client.get(f"/spans/{number:032x}/{1:016x}") for number in range(1, 40)}
        assert {answer.status_code for answer in answers} <= {200, 503}
        assert 503 in {answer.status_code for answer in answers}
        disk.mend(service)
        assert wait_for(lambda: service.client.get("/sessions").status_code == 200)
        assert send(service, 40).status_code == 200
        assert page.is_open


class Page:
    """The store's health as the stream sent it last."""

    def __init__(self) -> None:
        self.state = self.message = ""
        self.is_open = True

    def follow(self, lines: Iterator[str]) -> None:
        try:
            for item in stream_items(lines):
                if item.data["type"] == "Heartbeat":
                    self.state = item.data["store"]["state"]
                    self.message = item.data["store"]["message"] or self.message
        except httpx.HTTPError:
            pass
        finally:
            self.is_open = False


@contextmanager
def watching(service: Service) -> Iterator[Page]:
    page = Page()
    with service.client.stream("GET", "/events") as stream:
        reader = threading.Thread(target=page.follow, args=(stream.iter_lines(),))
        reader.start()
        yield page
        service.process.kill()
    reader.join(DEADLINE_S)


def request(number: int, name: str = "work") -> bytes:
    trace_id = number.to_bytes(16, "big")
    return trace_request(
        *(span(n, trace_id=trace_id, name=name) for n in (1, 2))
    ).SerializeToString()


def send(service: Service, number: int, name: str = "work") -> httpx.Response:
    return httpx.post(
        f"{service.url}/v1/traces",
        content=request(number, name),
        headers=PROTOBUF,
        timeout=DEADLINE_S,
    )


def send_grpc(service: Service, number: int) -> grpc.StatusCode | None:
    """Return the reason of a refusal; None: it was accepted."""
    with grpc.insecure_channel(f"127.0.0.1:{service.otlp_grpc_port}") as channel:
        try:
            export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(TRACES)
            export(request(number), timeout=DEADLINE_S)
        except grpc.RpcError as error:
            code: grpc.StatusCode = error.code()
            return code
    return None


def state_of(service: Service) -> str:
    state: str = service.client.get("/health").json()["store"]["state"]
    return state


def shown(service: Service) -> set[int]:
    """Return the traces that are stored whole."""
    found = set()
    for session in service.client.get("/sessions").json()["sessions"]:
        spans: list[Row] = service.client.get(f"/sessions/{session['id']}/spans").json()["spans"]
        assert len(spans) == session["span_count"] == 2, "nothing is half kept"
        found.add(int(session["id"], 16))
    return found


@pytest.mark.parametrize(
    ("configured", "in_force"),
    [("30d,20GB", "30d,805.306MB"), ("12h,5MB", "12h,5MB"), ("off", "off")],
)
async def test_health_shows_the_retention_that_a_store_in_memory_keeps_to(
    configured: str, in_force: str
) -> None:
    async with service_client(store="memory:", retention=configured) as client:
        usage = (await client.get("/health")).json()["usage"]
    assert usage["retention"] == in_force
