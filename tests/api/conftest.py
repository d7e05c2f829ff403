from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.services.api import Api, open_api


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    async with open_api() as api:
        yield api
