"""The health of the store: set by the writer, readable from everywhere."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from inspector.errors import StoreTrouble, StoreUnavailableError

_log = logging.getLogger("inspector.store")


HistoryState: TypeAlias = Literal["starting", "ok", "away", "refused"]


@dataclass(frozen=True, slots=True)
class HistoryProgress:
    """Whether the history can be written, and how far it is."""

    state: HistoryState
    """`away` passes by itself; `refused` needs somebody."""
    message: str | None = None
    """What is wrong; also where it can be written, and has lost what it had."""
    since_ns: int = 0
    through: int = 0
    """The newest change up to which everything is copied, to as many replicas as are wanted."""
    here: int = 0
    """That up to which the server that is read has everything, also where it takes no more."""
    whole: Mapping[str, int] = field(default_factory=dict)
    """Sessions that it was found to have up to a change: their content need not be here, too."""
    replicas: tuple[str, ...] = ()
    """A sentence on each replica that is behind or does not answer."""


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """The health of the store, its time (Unix ns), and advice for a person."""

    state: Literal["ok", "incomplete"] | StoreTrouble
    """`incomplete`: a service whose sessions are shown here does not answer."""
    since_ns: int
    message: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether commits can be made."""
        return self.state == "ok"

    @property
    def is_answering(self) -> bool:
        """Whether the service answers."""
        return self.state != "incomplete"


class StoreWatch:
    """The health of the store, each change of which is reported once.

    The writer sets it, from its thread; `health` is read from any.

    Args:
        clock: Unix ns.
        tell: Gets each new health.
    """

    def __init__(self, clock: Callable[[], int], tell: Callable[[StoreHealth], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._lock = threading.Lock()
        self.health = StoreHealth("ok", clock())

    def failed(self, error: StoreUnavailableError) -> None:
        """Record that a commit failed. The first of its kind is logged."""
        before = self.health
        if before.state == error.trouble:
            return
        if before.is_ok:
            _log.error("%s", error)
        self._change(error.trouble, str(error))

    def recovered(self) -> None:
        """Record that commits can be made again."""
        if not self.health.is_ok:
            _log.warning("The store is writable again.")
            self._change("ok", "")

    def _change(self, state: Literal["ok"] | StoreTrouble, message: str) -> None:
        with self._lock:
            is_worse_still = state != "ok" and not self.health.is_ok
            since_ns = self.health.since_ns if is_worse_still else self._clock()
            self.health = StoreHealth(state, since_ns, message)
        self._tell(self.health)
