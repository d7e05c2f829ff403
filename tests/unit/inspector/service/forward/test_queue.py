import os
import sys
from pathlib import Path

import pytest

from inspector.service.forward.queue import ForwardQueue

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")


def test_only_its_owner_may_read_what_waits_to_be_forwarded(tmp_path: Path) -> None:
    path = tmp_path / "data" / "s.sqlite3.forward"
    before = os.umask(0o022)
    try:
        queue = ForwardQueue(path, ["http://127.0.0.1:9"], max_bytes=1 << 20)
        queue.push("traces", "", b"a prompt")
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        queue.close()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys((path.name, f"{path.name}-wal", f"{path.name}-shm"), 0o600)
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_queue_that_exists_keeps_what_waits_and_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite3.forward"
    target = "http://127.0.0.1:9"
    first = ForwardQueue(path, [target], max_bytes=1 << 20)
    first.push("traces", "", b"a prompt")
    first.close()
    path.chmod(0o640)
    again = ForwardQueue(path, [target], max_bytes=1 << 20)
    waiting = again.peek(target)
    again.close()
    assert waiting is not None
    assert waiting.body == b"a prompt"
    assert path.stat().st_mode & 0o777 == 0o640
