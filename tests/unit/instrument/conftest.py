from typing import Any, TypeAlias

import pytest

from instrument import Bus

Story: TypeAlias = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def events(bus: Bus) -> Story:
    """Everything that the bus told, from now on."""
    events: Story = []
    bus.observe_all(lambda name, /, **kwargs: events.append((name, kwargs)))
    return events
