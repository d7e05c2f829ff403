"""Messages in a list."""

from __future__ import annotations

from typing import Any

from amplifier_core.testing import MockContextManager

__amplifier_module_type__ = "context"


async def mount(coordinator: Any, config: dict[str, Any] | None = None) -> None:
    await coordinator.mount("context", MockContextManager())
