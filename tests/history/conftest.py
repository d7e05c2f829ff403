from __future__ import annotations

from collections.abc import Iterator

import pytest

from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.schema import migrate
from tests.support.services.clickhouse import (
    WHY,
    ClickHouseServer,
    is_installed,
    running_clickhouse,
)

KINDS = [
    pytest.param(kind, marks=pytest.mark.skipif(not is_installed(kind), reason=WHY[kind]))
    for kind in ("server", "engine")
]


@pytest.fixture(scope="module", params=KINDS)
def clickhouse(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClickHouseServer]:
    with running_clickhouse(request.param, tmp_path_factory.mktemp("clickhouse")) as server:
        yield server


@pytest.fixture(scope="module")
def history(clickhouse: ClickHouseServer) -> Iterator[ClickHouse]:
    client = clickhouse.client()
    migrate(client)
    yield client
    client.close()
