"""The data that all wrappers of one attachment share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from inspector.integrations.patches import Patches
from instrument import Bus

T = TypeVar("T")


class Attachment(NamedTuple):
    """State of one `attach()`, shared by its wrappers."""

    bus: Bus
    is_watched: Callable[[Any], bool]
    patches: Patches

    def describe(self, target: Any, make: Callable[[], T]) -> T | None:
        """Return the call object that `make` builds; None if `target` is not watched."""
        return self.patches.attempt(make) if self.is_watched(target) else None
