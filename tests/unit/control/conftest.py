"""A bus of its own for each test."""

from typing import Any

import pytest

from instrument import Bus

Story = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def bus() -> Bus:
    """A bus that nobody else knows."""
    return Bus()


@pytest.fixture
def told(bus: Bus) -> Story:
    """Everything that is emitted on it."""
    story: Story = []
    bus.observe_all(lambda name, **kwargs: story.append((name, kwargs)))
    return story
