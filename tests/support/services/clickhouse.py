"""Servers of ClickHouse for the tests of the history: real old ones, and the newest engine."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse
from tests.support.services.process import free_port, wait_for

CHDB = Path(__file__).parents[3] / ".make" / "chdb" / "bin" / "python"
PASSWORD = "s3crét: ß"
WHY = {
    "server": "no clickhouse-server: apt-get install clickhouse-server",
    "engine": "no chdb: make chdb",
    "replicas": "no clickhouse-server or ZooKeeper: apt-get install clickhouse-server zookeeper",
}
_OF_ITS_OWN = ["unshare", "--map-root-user", "--mount"]
"""Runs a command with mounts of its own, which go with it."""
_ZOOKEEPER = Path("/usr/share/java/zookeeper.jar")
_CONFIG = """
<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>{port}</http_port><tcp_port>{tcp_port}</tcp_port><listen_host>127.0.0.1</listen_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>5368709120</mark_cache_size>
  {more}
</yandex>
"""
_REPLICA = """
<interserver_http_port>{own_port}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host>
<zookeeper><node><host>127.0.0.1</host><port>{zookeeper_port}</port></node></zookeeper>
<merge_tree>
  <zookeeper_session_expiration_check_period>1</zookeeper_session_expiration_check_period>
</merge_tree>
<macros><shard>1</shard><replica>{name}</replica></macros>
"""
_ZOOKEEPER_CONFIG = """
tickTime=300
clientPort={port}
clientPortAddress=127.0.0.1
dataDir={folder}
admin.enableServer=false
"""
"""A killed server is forgotten after twenty ticks: until then it cannot come back."""
_USER = (
    "<{name}><password>{password}</password><networks><ip>::/0</ip></networks>"
    "<profile>{profile}</profile><quota>default</quota></{name}>"
)
_USERS = """
<yandex>
  <profiles><default/><readonly><readonly>1</readonly></readonly></profiles>
  <users>{users}</users><quotas><default/></quotas>
</yandex>
"""


class ClickHouseServer:
    """A server with the database `inspector`; it runs while it is entered, on the same port again.

    Args:
        kind: `server`: the real one of Debian (18.16); `engine`: the newest in process (chdb).
        folder: For its files.
        disk_mb: Size of the disk of a `server`, which `files` shows; None: that of the machine.
        more: Elements of its configuration.
    """

    def __init__(
        self, kind: str, folder: Path, *, disk_mb: int | None = None, more: str = ""
    ) -> None:
        self.kind = kind
        self._disk_mb, self._more = disk_mb, more
        self.port = free_port()
        self.address = f"clickhouse://inspector@127.0.0.1:{self.port}/inspector"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and return once it answers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if self.kind == "engine":
            script = Path(__file__).with_name("chdb_server.py")
            command = [str(CHDB), str(script), str(self._folder), str(self.port)]
        else:
            command = ["clickhouse-server", f"--config-file={self._configured()}"]
        if self._disk_mb is not None:
            disk = self._folder / "data"
            disk.mkdir()
            mount = f"mount -t tmpfs -o size={self._disk_mb}m tmpfs {disk}"
            command = [*_OF_ITS_OWN, "sh", "-c", f'{mount} && exec "$0" "$@"', *command]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )
        wait_for(lambda: self.run("CREATE DATABASE IF NOT EXISTS inspector") is not None)

    @property
    def files(self) -> Path:
        """Its files, as it sees them."""
        assert self._process is not None
        return Path(f"/proc/{self._process.pid}/root{self._folder}/data")

    def stop(self) -> None:
        """Kill it."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()

    def hang(self) -> None:
        """Let it take connections, and answer nothing until `go_on`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it answer again."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def run(self, statement: str) -> str | None:
        """Return the answer to a statement of the default user; None while it is away."""
        try:
            answer = httpx.post(
                f"http://127.0.0.1:{self.port}/", content=statement, trust_env=False
            )
        except httpx.HTTPError:
            return None
        return answer.text

    def client(self) -> ClickHouse:
        """Return a client."""
        client = ClickHouse(HistoryAddress.parse(self.address), PASSWORD)
        client.connect()
        return client

    def _configured(self) -> Path:
        users = (
            ("default", "", "default"),
            ("inspector", PASSWORD, "default"),
            ("reader", "", "readonly"),
        )
        listed = "".join(_USER.format(name=n, password=p, profile=f) for n, p, f in users)
        (self._folder / "users.xml").write_text(_USERS.format(users=listed), "utf-8")
        config = self._folder / "config.xml"
        config.write_text(
            _CONFIG.format(
                port=self.port, tcp_port=free_port(), folder=self._folder, more=self._more
            )
        )
        return config


def can_have_a_disk() -> bool:
    """Return whether a server can have a disk of its own here."""
    found = subprocess.run([*_OF_ITS_OWN, "true"], capture_output=True, check=False)
    return found.returncode == 0


def is_installed(kind: str) -> bool:
    """Return whether a kind of server can run here."""
    if kind == "engine":
        return CHDB.exists()
    has_zookeeper = kind != "replicas" or _ZOOKEEPER.exists()
    return has_zookeeper and shutil.which("clickhouse-server") is not None


@contextmanager
def running_clickhouse(
    kind: str, folder: Path, *, disk_mb: int | None = None
) -> Iterator[ClickHouseServer]:
    """Run a server."""
    server = ClickHouseServer(kind, folder, disk_mb=disk_mb)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def running_replicas(folder: Path, count: int) -> Iterator[list[ClickHouseServer]]:
    """Run servers that replicate, and their ZooKeeper."""
    port = free_port()
    with ExitStack() as stack:
        (folder / "zookeeper").mkdir(parents=True)
        config = folder / "zookeeper" / "zoo.cfg"
        config.write_text(_ZOOKEEPER_CONFIG.format(port=port, folder=config.parent))
        main = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
        zookeeper = subprocess.Popen(
            ["java", "-Xmx128m", "-cp", f"{_ZOOKEEPER.parent}/*", main, str(config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(zookeeper.wait)
        stack.callback(zookeeper.kill)
        wait_for(lambda: _listens(port))
        servers = []
        for number in range(count):
            name = f"r{number}"
            more = _REPLICA.format(own_port=free_port(), zookeeper_port=port, name=name)
            server = ClickHouseServer("server", folder / name, more=more)
            server.start()
            stack.callback(server.stop)
            servers.append(server)
        yield servers


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
