"""The service goes on, and says what is wrong, whatever becomes of the companion."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import orjson
import pytest

from inspector.errors import HistoryError
from inspector.service.history import history as history_module
from inspector.service.history.history import History
from inspector.service.storage import open_store
from inspector.service.storage.health import HistoryProgress
from tests.support.services.process import DEADLINE_S, free_port, wait_for

_PYTHON = sys.executable
_REPORT = '{"state": "ok", "through": 7, "server": ["127.0.0.2", 9]}'
_PASSWORD = "hunter2" * 30_000
"""More than a pipe takes: to send it to a process that does not read it fails."""


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[History]:
    monkeypatch.setattr(history_module, "_AGAIN_S", 0.01)
    monkeypatch.setattr(history_module, "_MOST_AGAIN_S", 0.01)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    path = tmp_path / "store.sqlite3"
    open_store(f"sqlite:///{path}").close()
    found = History(f"clickhouse://127.0.0.1:{free_port()}/inspector", _PASSWORD, path)
    yield found
    found.close()


def test_a_companion_that_cannot_run_is_started_again_until_it_can(
    history: History,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    wait_for(lambda: history.health.state == "refused")
    assert "No such file" in str(history.health.message)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    wait_for(lambda: str(history.health.message).endswith("ended with 1."))
    talker = tmp_path / "talker"
    talker.write_text("#!/bin/sh\necho nonsense\nexec cat >/dev/null\n")
    talker.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(talker))
    wait_for(lambda: "failed: " in str(history.health.message))
    assert len(caplog.records) == 1, "one line for all of that"
    talker.write_text(f"#!/bin/sh\nread -r settings\necho '{_REPORT}'\n")
    wait_for(lambda: history.health.through == 7)
    with pytest.raises(HistoryError, match=r"clickhouse://127\.0\.0\.2:9/inspector:"):
        history.connect()  # not to the first of them, which is not copied to
    monkeypatch.setattr(sys, "executable", _PYTHON)
    wait_for(lambda: history.health.state == "away")
    assert "hunter" not in caplog.text


async def test_a_sender_that_has_gone_waits_for_nothing(history: History) -> None:
    history._health = HistoryProgress("ok", through=1)
    gone, there = (asyncio.create_task(history.confirm(2)) for _ in range(2))
    await asyncio.sleep(0)
    assert len(history._confirmations) == 2
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    history._settle()
    assert len(history._confirmations) == 1
    history._health = HistoryProgress("ok", through=2)
    history._settle()
    await there


def test_of_many_that_look_at_once_each_gets_its_turn(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 2 * history_module._UNPACKED_AT_ONCE
    sent = Queue[str]()
    monkeypatch.setattr(history, "_send", lambda line: sent.put(orjson.loads(line)["path"]))
    monkeypatch.setattr(history_module, "_ROOM_S", DEADLINE_S)
    with ThreadPoolExecutor(count) as pool:
        looks = [pool.submit(history.unpack, Path(str(n)), ["s"]) for n in range(count)]
        for _ in looks:
            history._unpacked(sent.get(timeout=DEADLINE_S), None)
        for one in looks:
            one.result(DEADLINE_S)
