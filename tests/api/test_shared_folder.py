"""Files that other users put beside a store, and what they can read of ours."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.errors import UntrustedFileError
from inspector.service.forward.queue import ForwardQueue
from inspector.service.storage.sqlite import SqliteStore
from inspector.service.storage.word_index import WordIndex
from tests.support.services.process import free_port, running_service, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")

SOMEBODY = 65534
needs_root = pytest.mark.skipif(
    sys.platform != "win32" and os.geteuid() != 0, reason="only root gives files away"
)


@pytest.fixture(autouse=True)
def careless() -> Iterator[None]:
    """A user whose files are open to all."""
    before = os.umask(0)
    yield
    os.umask(before)


def plant(path: Path, how: str) -> None:
    """Create an empty file, which SQLite takes for a new database, in the place of one."""
    if how == "link to nothing":
        path.symlink_to(path.with_name("theirs"))
        os.chown(path, SOMEBODY, SOMEBODY, follow_symlinks=False)
        return
    path.write_bytes(b"")
    path.chmod(0o666 if how == "writable" else 0o600)
    if how == "owner":
        os.chown(path, SOMEBODY, SOMEBODY)


@needs_root
@pytest.mark.parametrize("how", ["owner", "writable", "link to nothing"])
@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal", "-lock"])
def test_a_store_with_a_planted_file_is_not_opened(tmp_path: Path, end: str, how: str) -> None:
    path = tmp_path / "s.sqlite3"
    planted = path.with_name(path.name + end)
    plant(planted, how)
    with pytest.raises(UntrustedFileError, match=f"Cannot use {planted}"):
        SqliteStore(path)
    assert not (tmp_path / "theirs").exists(), "nothing is written where a link leads"
    planted.unlink()
    SqliteStore(path).close()


@needs_root
@pytest.mark.parametrize("end", ["", "-wal"])
def test_neither_a_planted_index_nor_a_planted_queue_is_opened(tmp_path: Path, end: str) -> None:
    index, queue = tmp_path / "words", tmp_path / "queue"
    for path in (index, queue):
        plant(path.with_name(path.name + end), "owner")
    with pytest.raises(UntrustedFileError):
        WordIndex(index, "store", 1)
    with pytest.raises(UntrustedFileError):
        ForwardQueue(queue, ["http://127.0.0.1:9"], max_bytes=1 << 20)


def test_a_store_of_ours_is_opened_again_whoever_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite3"
    SqliteStore(path).close()
    path.chmod(0o644)
    (tmp_path / "link.sqlite3").symlink_to(path)
    SqliteStore(tmp_path / "link.sqlite3").close()


def test_nobody_else_may_read_anything_that_a_running_service_makes(tmp_path: Path) -> None:
    target = f"http://127.0.0.1:{free_port()}"  # away: what is forwarded waits
    with running_service(
        tmp_path, store=f"sqlite:///{tmp_path}/shared.sqlite3", forward_otlp=target
    ) as service:
        service.send()
        ends = ("", "-wal", "-shm", "-lock", ".token", "-words", "-words-wal", ".forward")
        wait_for(lambda: all((tmp_path / f"shared.sqlite3{end}").exists() for end in ends))
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        modes = {str(path): oct(stat.S_IMODE(path.stat().st_mode)) for path in files}
    assert str(tmp_path / "run" / "inspector.json") in modes
    assert set(modes.values()) == {"0o600"}, modes
