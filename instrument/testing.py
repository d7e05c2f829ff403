"""Test helpers for emitters and subscribers of hooks."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, TypeAlias

from instrument import default
from instrument.bus import Bus
from instrument.control import HookResult, ModuleCoordinator
from instrument.control.registry import REGISTRY, TIMESTAMP

__all__ = ["EventRecorder", "MockCoordinator", "TestCoordinator", "capture_hook"]

Call: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]


class capture_hook:  # noqa: N801 - mcp-agent's name, used like a function
    """Record every emission of a hook as `(args, kwargs)` while in the block.

    Example:
        >>> async with capture_hook("after_tool_call") as calls:
        ...     await agent.run()
        >>> [kwargs["result"] for _, kwargs in calls]

    `with` does the same for sync code. The observer is removed when the block ends, also by an
    exception.
    """

    __test__ = False

    def __init__(self, name: str, *, bus: Bus | None = None) -> None:
        self._name = name
        self._bus = default.bus if bus is None else bus
        self._calls: list[Call] = []

    def __enter__(self) -> list[Call]:
        self._bus.register(self._name, self._record)
        return self._calls

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bus.unregister(self._name, self._record)

    async def __aenter__(self) -> list[Call]:
        return self.__enter__()

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.__exit__(exc_type, exc, traceback)

    def _record(self, *args: Any, **kwargs: Any) -> None:
        self._calls.append((args, kwargs))


class EventRecorder:
    """Records events of the `control` vocabulary.

    Call `record` yourself, or register the recorder as a handler.
    """

    __test__ = False

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    async def record(self, event: str, data: Mapping[str, Any]) -> HookResult:
        """Record one event."""
        recorded = {key: value for key, value in data.items() if key != REGISTRY}
        self.events.append((event, recorded))
        return HookResult()

    emit = record
    """Lets a recorder replace a registry."""

    async def __call__(self, event: str, data: Mapping[str, Any]) -> HookResult:
        """Record one event without its timestamp, as a handler that allows everything."""
        return await self.record(event, {k: data[k] for k in data if k != TIMESTAMP})

    def get_events(self, event: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """Return the recorded `(event, data)` in order, of all events or of one."""
        return [recorded for recorded in self.events if event in (None, recorded[0])]

    def clear(self) -> None:
        """Forget everything."""
        self.events.clear()


class TestCoordinator(ModuleCoordinator):
    """A coordinator with its own bus, in a session called `test-session`."""

    __test__ = False

    def __init__(
        self,
        bus: Bus | None = None,
        *,
        session_id: str | None = "test-session",
        parent_id: str | None = None,
        config: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(
            Bus() if bus is None else bus,
            session_id=session_id,
            parent_id=parent_id,
            config=config,
        )


MockCoordinator = TestCoordinator
"""The name that Amplifier's own tests use."""
