from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry import context as otel_context
from opentelemetry.context import Context

from inspector.control.gate import Gate
from tests.support.wired import Wired


@pytest.fixture
def wired() -> Iterator[Wired]:
    token = otel_context.attach(Context())
    wired = Wired()
    wired.session = "s-1"
    yield wired
    wired.wiring.undo()
    otel_context.detach(token)


@pytest.fixture
def gate(wired: Wired) -> Gate:
    return Gate(wired.bus, wired.wiring.place_of, wired.wiring.open_operations)
