"""Stores in which sessions of several services are compared."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from inspector.service.reader import comparing
from inspector.service.reader.comparing import ImportedSessions
from inspector.service.storage.sqlite import SqliteStore
from tests.support.services.app import settings


async def test_a_store_is_opened_and_removed_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads = list[threading.Thread]()

    class Store(SqliteStore):
        def __init__(self, path: Path | None) -> None:
            threads.append(threading.current_thread())
            super().__init__(path)

        def close(self) -> None:
            threads.append(threading.current_thread())
            super().close()

    monkeypatch.setattr(comparing, "SqliteStore", Store)
    sessions = ImportedSessions(settings())
    async with sessions._imported([]):
        assert len(threads) == 1
    await sessions.close()
    assert len(threads) == 2
    assert threading.current_thread() not in threads
