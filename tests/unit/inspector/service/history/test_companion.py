"""Nobody waits for a session that another person opens."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from queue import Queue

import orjson
import pytest

from inspector.service.history import companion
from inspector.service.history.address import HistoryAddress
from inspector.service.history.companion import Orders
from tests.support.services.process import DEADLINE_S


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
