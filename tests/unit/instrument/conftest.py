import pytest

from instrument import Bus


@pytest.fixture
def bus() -> Bus:
    return Bus()
