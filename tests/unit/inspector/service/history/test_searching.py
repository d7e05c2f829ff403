"""A search asks the server that the history is copied to, whichever that is now."""

from __future__ import annotations

from typing import Any, cast

import pytest

from inspector.errors import HistoryError
from inspector.service.history import searching
from inspector.service.history.clickhouse import ClickHouse, Stores
from inspector.service.history.searching import HistoryIndex
from inspector.service.storage.health import HistoryProgress


class Client:
    """A connection that may be lost."""

    is_closed = is_lost = False

    def rows(self, _query: str, *, most_s: int = 0) -> list[dict[str, Any]]:
        if self.is_lost:
            raise HistoryError("Cannot reach the history.", is_passing=True)
        return []

    def close(self) -> None:
        self.is_closed = True


def test_a_connection_is_used_until_it_is_lost_or_the_history_was_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "_RETRY_S", 0.0)
    made = list[Client]()
    since_ns = 1

    def connect() -> ClickHouse:
        made.append(Client())
        return cast("ClickHouse", made[-1])

    index = HistoryIndex(
        Stores("store", {}), connect, lambda: HistoryProgress("ok", since_ns=since_ns)
    )

    def search() -> bool:
        with index.read() as words:
            return words.rows("SELECT 1") is not None

    assert search()
    assert search()
    assert len(made) == 1
    made[0].is_lost = True
    assert not search()
    assert made[0].is_closed
    assert search()
    since_ns = 2
    assert search()
    assert len(made) == 3
    assert made[1].is_closed
    index.close()
    assert made[2].is_closed
