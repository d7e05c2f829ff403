"""What can go wrong with guidance.

GuidanceError
├── GuidanceValueError      a definition, a query or an option is not what it should be
│   └── DuplicateHookError  the id is taken
├── ContentError            a hook's text cannot be loaded
└── WorkflowViolationError  a tool may not be called yet
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from instrument.guidance.definition import HookDefinition
    from instrument.guidance.session import SessionState


class GuidanceError(Exception):
    """Any error of this package (003-02, 003-22, 003-U5)."""


class GuidanceValueError(GuidanceError, ValueError):
    """A definition, a query or an option is not what it should be (003-02)."""


class DuplicateHookError(GuidanceValueError):
    """A hook with this id is registered already (003-02)."""

    def __init__(self, hook_id: str) -> None:
        super().__init__(
            f"Cannot register hook {hook_id!r}: the id is taken. "
            "Use another tag, or unregister the other hook first."
        )
        self.hook_id = hook_id


class ContentError(GuidanceError):
    """The text of a hook cannot be loaded (003-22)."""

    def __init__(self, hook: HookDefinition, reason: str, remedy: str) -> None:
        super().__init__(f"Cannot load hook {hook.id!r}: {reason}. {remedy}")
        self.hook = hook
        self.reason = reason
        """What is wrong, with no path outside the content's folder in it."""


class WorkflowViolationError(GuidanceError, RuntimeError):
    """A tool was to be called before the session allows it (003-U5)."""

    def __init__(
        self, message: str, tool_name: str, current_state: SessionState, required_action: str
    ) -> None:
        super().__init__(message)
        self.tool_name = tool_name
        self.current_state = current_state
        self.required_action = required_action
        """What has to happen first, such as `call session_init`."""
