from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from opentelemetry import context as otel_context
from opentelemetry.context import Context

from inspector.agent_side.control.gate import Gate
from instrument import Bus
from tests.support.agents.wired_bus import WiredBus

Story: TypeAlias = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def emitted(bus: Bus) -> Story:
    """Every event of the bus, from now on."""
    events: Story = []
    bus.observe_all(lambda name, /, **kwargs: events.append((name, kwargs)))
    return events


@pytest.fixture
def wired() -> Iterator[WiredBus]:
    token = otel_context.attach(Context())
    wired = WiredBus()
    wired.session = "s-1"
    yield wired
    wired.wiring.undo()
    otel_context.detach(token)


@pytest.fixture
def gate(wired: WiredBus) -> Gate:
    return Gate(wired.bus, wired.wiring.location_of, wired.wiring.open_operations)
