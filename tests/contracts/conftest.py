from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.service.storage import Store, open_store

OpenStore = Callable[[], Store]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = "memory:" if request.param == "memory" else f"sqlite:///{tmp_path}/store.sqlite3"
    store = open_store(url)
    yield store
    store.close()
