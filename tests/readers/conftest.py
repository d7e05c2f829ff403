"""Two services and a reader, each a real process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.services.process import Service

TOKEN = "a-token-of-all-services"

Start = Callable[..., Service]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return what starts a service by name; `token` and other settings may be named."""
    with ExitStack() as stack:

        def started(name: str, **settings: Any) -> Service:
            folder = tmp_path / name
            folder.mkdir()
            return stack.enter_context(Service(folder, **{"token": TOKEN, **settings}))

        yield started


@pytest.fixture
def eu(start: Start) -> Service:
    return start("eu")


@pytest.fixture
def us(start: Start) -> Service:
    return start("us")


@pytest.fixture
def reader(start: Start, eu: Service, us: Service) -> Service:
    return start("reader", store=None, writers=f"eu={eu.url},us={us.url}")
