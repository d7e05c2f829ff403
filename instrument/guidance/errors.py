"""Exceptions of guidance.

GuidanceError
├── GuidanceValueError      an invalid definition, query or option
│   └── DuplicateHookError  the id is taken
├── ContentError            a hook's text cannot be loaded
└── WorkflowViolationError  a tool must not be called yet
"""

from __future__ import annotations


class GuidanceError(Exception):
    """Any error of this package."""


class GuidanceValueError(GuidanceError, ValueError):
    """An invalid definition, query or option."""


class DuplicateHookError(GuidanceValueError):
    """A hook with this id is already registered."""

    def __init__(self, hook_id: str) -> None:
        super().__init__(
            f"Cannot register hook {hook_id!r}: the id is taken. "
            "Use another tag, or unregister the other hook first."
        )
        self.hook_id = hook_id
