from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.service.storage import Store, open_store
from tests.support.models.store import ModelStore

OpenStore = Callable[[], Store]


@pytest.fixture(params=["model", "memory:", "sqlite:///{folder}/store.sqlite3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = str(request.param)
    store = ModelStore() if url == "model" else open_store(url.format(folder=tmp_path))
    yield store
    store.close()
