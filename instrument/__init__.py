"""A tiny hook bus for agents: standard library only.

Emitters tell what an agent does (`operation`, `call`), observers listen (`register`, `observe`).
The functions act on one shared bus; `Bus()` makes a separate one. `CATALOGUE` is the contract:
`docs/instrumentation-hooks.md` is made from it.
"""

from instrument.bus import Bus
from instrument.catalogue import CATALOGUE, CONTRACT_VERSION
from instrument.default import _emit as _emit
from instrument.default import _emit_sync as _emit_sync
from instrument.default import _hooks as _hooks
from instrument.default import (
    call,
    call_sync,
    observe,
    observe_all,
    operation,
    register,
    unregister,
)
from instrument.operations import Operation
from instrument.stream import StreamStats

__all__ = [
    "CATALOGUE",
    "CONTRACT_VERSION",
    "Bus",
    "Operation",
    "StreamStats",
    "call",
    "call_sync",
    "observe",
    "observe_all",
    "operation",
    "register",
    "unregister",
]
