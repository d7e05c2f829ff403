"""The companion works beside any service, and for several people at once."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue

import orjson
import pytest

from inspector.service.history import companion
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.companion import Orders
from inspector.service.storage import open_store
from tests.support.services.process import DEADLINE_S, free_port


def test_sessions_are_unpacked_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, reports = threading.Barrier(2), Queue[object]()

    def fill(*_: object) -> None:
        both.wait(DEADLINE_S)

    monkeypatch.setattr(Orders, "_fill", fill)
    monkeypatch.setattr(companion, "_report", lambda **report: reports.put(report["unpacked"]))
    monkeypatch.setattr("os._exit", lambda _status: None)
    orders = [{"path": name, "sessions": [name]} for name in "ab"]
    address = HistoryAddress.parse("clickhouse://127.0.0.1:9/inspector")
    lines = b"\n".join(map(orjson.dumps, orders))
    Orders(address, "", tmp_path / "store.sqlite3", None).start(io.BytesIO(lines))
    assert {reports.get(timeout=DEADLINE_S) for _ in orders} == {"a", "b"}


def test_a_service_that_was_started_before_an_upgrade_needs_no_new_setting(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    open_store(f"sqlite:///{path}").close()
    settings = {
        "address": f"clickhouse://127.0.0.1:{free_port()}/inspector",
        "password": "",
        "store": str(path),
        "behind_ns": 0,
    }
    command = [sys.executable, "-m", companion.__name__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(orjson.dumps(settings) + b"\n")
        process.stdin.flush()
        report = orjson.loads(process.stdout.readline())
        process.stdin.close()
    assert report["state"] == "away"
    assert "Is ClickHouse running there?" in report["message"]


def test_whatever_a_server_answers_what_is_known_to_be_wrong_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(_client: ClickHouse) -> str:
        raise orjson.JSONDecodeError("no JSON", "<html>", 0)

    monkeypatch.setattr(ClickHouse, "connect", connect)
    path = tmp_path / "store.sqlite3"
    open_store(f"sqlite:///{path}").close()
    address = HistoryAddress.parse("clickhouse://127.0.0.1:9/inspector")
    assert Orders(address, "", path, None).readable() == {}
