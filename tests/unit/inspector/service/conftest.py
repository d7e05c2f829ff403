from __future__ import annotations

import pytest

from tests.support.services.recorder_rig import Rig


@pytest.fixture
def rig() -> Rig:
    return Rig()
