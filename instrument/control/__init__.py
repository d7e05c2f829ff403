"""Handlers that return a `HookResult`: Amplifier's contract as a view of the bus.

    registry = HookRegistry()
    unregister = registry.register("tool:pre", handler, priority=10, name="gate")

A handler is `async def handler(event, data) -> HookResult`. It can deny an event from any source:
`registry.emit`, or an operation of the bus.
"""

from instrument.control.approval import ApprovalProvider, ApprovalRequest, ApprovalResponse
from instrument.control.coordinator import ModuleCoordinator
from instrument.control.mount import MountError, mount_plan
from instrument.control.registry import HookHandler, HookRegistry
from instrument.control.result import HookResult

__all__ = [
    "ApprovalProvider",
    "ApprovalRequest",
    "ApprovalResponse",
    "HookHandler",
    "HookRegistry",
    "HookResult",
    "ModuleCoordinator",
    "MountError",
    "mount_plan",
]
