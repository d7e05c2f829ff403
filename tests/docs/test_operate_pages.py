"""Files that pages tell to write for systemd, nginx and Caddy are accepted by these, and work."""

from __future__ import annotations

import os
import shlex
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docs.test_shell_blocks import make_certificate
from tests.support.docs.page import DocPage
from tests.support.services.process import Service, free_port, wait_for

HOST = "inspector.example"
LARGE_BYTES = 5_000_000
"""More than nginx takes by default."""


def block(path: str, language: str) -> str:
    [found] = DocPage(path).of(language)
    return found.text


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_finds_no_mistake_in_the_unit_and_the_program_where_pip_puts_it(
    tmp_path: Path,
) -> None:
    unit = tmp_path / ".config" / "systemd" / "user" / "inspector.service"
    unit.parent.mkdir(parents=True)
    unit.write_text(block("docs/operate/run-it.md", "ini"), encoding="utf-8")
    [pip] = [
        shlex.split(line)[0]
        for line in DocPage("docs/operate/run-it.md").commands
        if shlex.split(line)[0].endswith("/bin/pip")
    ]
    program = Path(pip.replace("~", str(tmp_path))).with_name("inspector")
    program.parent.mkdir(parents=True)
    program.symlink_to(sys.executable)

    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", unit],
        env={**os.environ, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@contextmanager
def nginx(folder: Path, upstream: str, port: int) -> Iterator[None]:
    server = block("docs/operate/share.md", "nginx")
    for there, here in {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/inspector": str(folder),
        "127.0.0.1:7800": upstream,
    }.items():
        assert there in server
        server = server.replace(there, here)
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/bodies;\n{server} }}\n",
        encoding="utf-8",
    )
    with running("nginx", "-p", folder, "-c", folder / "nginx.conf", folder=folder):
        yield


@contextmanager
def caddy(folder: Path, upstream: str, port: int) -> Iterator[None]:
    site = block("docs/operate/share.md", "caddyfile").replace("127.0.0.1:7800", upstream)
    tls = f"{{\n    tls {folder}/fullchain.pem {folder}/privkey.pem"  # no authority is asked here
    (folder / "Caddyfile").write_text(
        "{\n    admin off\n    auto_https disable_redirects\n}\n"
        + site.replace(f"{HOST} {{", f"{HOST}:{port} {tls}"),
        encoding="utf-8",
    )
    with running("caddy", "run", "--config", folder / "Caddyfile", folder=folder):
        yield


@contextmanager
def running(*command: object, folder: Path) -> Iterator[None]:
    environ = {**os.environ, "HOME": str(folder)}
    process = subprocess.Popen(list(map(str, command)), env=environ, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "proxy"), [("nginx", nginx), ("caddy", caddy)], ids=["nginx", "caddy"]
)
def test_behind_a_proxy_as_the_page_sets_it_up_the_service_works(
    tmp_path: Path, program: str, proxy: Callable[[Path, str, int], AbstractContextManager[None]]
) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    make_certificate(tmp_path, HOST)
    trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")
    port = free_port()
    with (
        Service(tmp_path, allowed_hosts=HOST, trusted_proxies="127.0.0.1") as service,
        proxy(tmp_path, service.url.removeprefix("http://"), port),
        httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trusted) as client,
    ):

        def request(method: str, path: str, **more: Any) -> httpx.Request:
            headers = {"Host": HOST, **more.pop("headers", {})}
            sni = {"sni_hostname": HOST}
            return client.build_request(method, path, headers=headers, extensions=sni, **more)

        def health() -> httpx.Response | None:
            with suppress(httpx.ConnectError):
                return client.send(request("GET", "/health"))
            return None

        found = wait_for(health)
        assert found is not None
        assert found.json()["ready"]

        body = b'{"resourceSpans": []}' + b" " * LARGE_BYTES
        headers = {**service.headers, "Content-Type": "application/json"}
        assert client.send(request("POST", "/v1/traces", content=body, headers=headers)).is_success

        page = client.send(request("GET", "/ui/", params={"token": service.token}))
        assert page.is_redirect
        assert "secure" in page.headers["set-cookie"].lower(), "the proxy says that it was HTTPS"

        events = client.send(request("GET", "/events", headers=service.headers), stream=True)
        assert next(events.iter_lines()), "at once: no proxy keeps it back"
        events.close()
