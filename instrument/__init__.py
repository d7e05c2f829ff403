"""A hook bus for agents, on the standard library alone.

Emitters report what an agent does (`operation`, `call`, `dispatch`), observers receive it
(`register`, `observe`), interceptors decide on it (`intercept`, `around`). The functions act on one
shared bus; `Bus()` makes a separate one. `CATALOGUE` is the contract, documented in
`docs/instrumentation-hooks.md`.
"""

from instrument.approvals import ApprovalAnswer, ApprovalProvider, ApprovalRequest
from instrument.bus import Bus
from instrument.catalogue import CATALOGUE, CONTRACT_VERSION
from instrument.decision import Decision, Outcome
from instrument.default import _emit as _emit
from instrument.default import _emit_sync as _emit_sync
from instrument.default import _hooks as _hooks
from instrument.default import (
    around,
    ask,
    ask_sync,
    call,
    call_sync,
    dispatch,
    dispatch_sync,
    intercept,
    observe,
    observe_all,
    operation,
    register,
    set_approval_provider,
    unregister,
)
from instrument.errors import HookContractError, HookDenied, HookFailed, HookStopped
from instrument.operations import Operation
from instrument.stream import StreamStats

__all__ = [
    "CATALOGUE",
    "CONTRACT_VERSION",
    "ApprovalAnswer",
    "ApprovalProvider",
    "ApprovalRequest",
    "Bus",
    "Decision",
    "HookContractError",
    "HookDenied",
    "HookFailed",
    "HookStopped",
    "Operation",
    "Outcome",
    "StreamStats",
    "around",
    "ask",
    "ask_sync",
    "call",
    "call_sync",
    "dispatch",
    "dispatch_sync",
    "intercept",
    "observe",
    "observe_all",
    "operation",
    "register",
    "set_approval_provider",
    "unregister",
]
