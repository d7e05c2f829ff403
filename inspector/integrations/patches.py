"""Methods that were replaced, and putting them back."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from instrument import Bus

_logger = logging.getLogger("inspector")


class Patches:
    """The replaced methods of one `attach`, and what the wrappers need to know."""

    def __init__(self, bus: Bus, is_watched: Callable[[Any], bool]) -> None:
        self.bus = bus
        self.is_watched = is_watched
        self._undo = ExitStack()

    def put(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Replace the function `name` of a class or a module by what `make` makes of it."""
        original = vars(owner).get(name)
        if original is None:
            _logger.warning(
                "This version has no %s.%s: a part of it is not watched.", owner.__name__, name
            )
            return
        is_of_class = isinstance(original, classmethod)
        ours = classmethod(make(original.__func__)) if is_of_class else make(original)
        setattr(owner, name, ours)

        def undo() -> None:
            if vars(owner).get(name) is ours:
                setattr(owner, name, original)

        self._undo.callback(undo)

    def undo(self) -> None:
        """Put back what is still ours. Idempotent."""
        self._undo.close()
