"""Names that the contract has not: accepted (000-01), and said once, because most are typos."""

from __future__ import annotations

import logging

from instrument.catalogue import CATALOGUE, CONTRACT_VERSION
from instrument.once import FirstTimes

_logger = logging.getLogger("mcp.instrument")


class UnknownNames:
    """What has been said of the names that one bus was given."""

    def __init__(self) -> None:
        self._said = FirstTimes()

    def note(self, hook: str) -> None:
        """Say, once and at debug level, that `hook` is not of the contract."""
        if hook in CATALOGUE or not _logger.isEnabledFor(logging.DEBUG):
            return
        if self._said.is_first(hook):
            _logger.debug(
                "%r is no hook of contract %s, so what is registered for it is called only by "
                "an emitter that uses that very name. %s",
                hook,
                CONTRACT_VERSION,
                _hint(hook),
            )


def _hint(hook: str) -> str:
    likely = likely_hooks(hook)
    if likely:
        return f"Did you mean {' or '.join(likely)}?"
    return "If nobody does, see docs/instrumentation-hooks.md for the names."


def likely_hooks(name: str) -> tuple[str, ...]:
    """Return the hooks that `name` was probably meant to be: another vocabulary's, or a typo."""
    named = (
        row.name
        for row in CATALOGUE.values()
        if any(name in aliases for aliases in row.aliases.values())
    )
    return tuple(named) or tuple(_similar(name))


def _similar(name: str) -> list[str]:
    from difflib import get_close_matches  # noqa: PLC0415 - few processes ever need it

    return get_close_matches(name.lower(), CATALOGUE, n=1, cutoff=0.75)
