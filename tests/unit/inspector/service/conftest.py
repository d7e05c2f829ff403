from __future__ import annotations

import pytest

from tests.support.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()
