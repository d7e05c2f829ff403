"""The data that all wrappers of one attachment share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from inspector.integrations.patches import Patches
from instrument import Bus


class Attachment(NamedTuple):
    """One `attach`."""

    bus: Bus
    is_watched: Callable[[Any], bool]
    patches: Patches
