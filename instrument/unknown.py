"""Names outside the catalogue: accepted, and logged once where they are likely typos."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable

from instrument.catalogue import CATALOGUE, CONTRACT_VERSION, NOUNS, Noun
from instrument.once import FirstTimes

_logger = logging.getLogger("mcp.instrument")


MAX_LOGGED = 256
"""Limit of different operations that are checked."""


class UnknownNames:
    """The unknown names that one bus has checked."""

    def __init__(self) -> None:
        self._logged_hooks = FirstTimes()
        self._checked_operations: set[str] = set()

    def check(self, hook: str) -> None:
        """Log, once and at debug level, that `hook` is not in the contract."""
        if hook in CATALOGUE or not _logger.isEnabledFor(logging.DEBUG):
            return
        if self._logged_hooks.is_first(hook):
            _logger.debug(
                "%r is not a hook of contract %s, so only an emitter with that exact name calls "
                "its handlers. %s",
                hook,
                CONTRACT_VERSION,
                _hint(hook),
            )

    def check_operation(self, name: object, noun: Noun) -> None:
        """Log, once, the problem with `operation(name, …)`, if any; the operation continues."""
        call = f"operation({name!r:.80})"
        if len(self._checked_operations) >= MAX_LOGGED or call in self._checked_operations:
            return
        self._checked_operations.add(call)
        if noun.identity is not None:
            problem = f"its identity {noun.identity} is missing"
        elif not isinstance(name, str) or not name:
            problem = f"that is not a name; {noun.name!r} is used"
        elif likely := _similar_to(name.replace(" ", "_").replace("-", "_"), NOUNS):
            problem = (
                f"contract {CONTRACT_VERSION} has no such operation; the closest is {likely[0]!r}"
            )
        else:
            return  # a noun of the program's own
        _warn(f"{call}: {problem}. See docs/instrumentation-hooks.md.")


def _warn(text: str) -> None:
    """Log a warning, and print it to a terminal that would not show the log."""
    _logger.warning("%s", text)
    handlers = [*_logger.handlers, *logging.getLogger().handlers]
    is_shown = not handlers or any(getattr(one, "stream", None) is sys.stderr for one in handlers)
    try:
        if not is_shown and sys.stderr.isatty():
            sys.stderr.write(f"{text}\n")
    except (AttributeError, OSError, ValueError):
        return  # no stderr, or a closed one


def _hint(hook: str) -> str:
    likely = likely_hooks(hook)
    if likely:
        return f"Did you mean {' or '.join(likely)}?"
    return "See docs/instrumentation-hooks.md for the names."


def likely_hooks(name: str) -> tuple[str, ...]:
    """Return the hooks that `name` probably means: of another vocabulary, or a typo."""
    named = (
        row.name
        for row in CATALOGUE.values()
        if any(name in aliases for aliases in row.aliases.values())
    )
    return tuple(named) or tuple(_similar_to(name, CATALOGUE))


def _similar_to(name: str, known: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # noqa: PLC0415 - few processes ever need it

    return get_close_matches(name.lower(), known, n=1, cutoff=0.75)
