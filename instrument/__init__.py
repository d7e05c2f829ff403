"""A hook bus for agents, on the standard library alone.

Emitters report what an agent does (`operation`, `call`, `dispatch`), observers receive it
(`register`, `observe`), interceptors decide on it (`intercept`, `around`). The functions act on one
shared bus; `Bus()` makes a separate one. `CATALOGUE` is the contract, documented in
`docs/instrumentation-hooks.md`.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from instrument.bus import Bus
from instrument.catalogue import CATALOGUE, CONTRACT_VERSION, CustomNoun
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
    observe_chunks,
    operation,
    register,
    set_approval_provider,
    unregister,
)
from instrument.errors import HookContractError, HookDenied, HookFailed, HookStopped
from instrument.operations import Operation

if _TYPE_CHECKING:
    from instrument.approvals import ApprovalAnswer, ApprovalProvider, ApprovalRequest
    from instrument.stream import StreamStats

__all__ = [
    "CATALOGUE",
    "CONTRACT_VERSION",
    "ApprovalAnswer",
    "ApprovalProvider",
    "ApprovalRequest",
    "Bus",
    "CustomNoun",
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
    "observe_chunks",
    "operation",
    "register",
    "set_approval_provider",
    "unregister",
]

_LATER = {
    "ApprovalAnswer": ".approvals",
    "ApprovalProvider": ".approvals",
    "ApprovalRequest": ".approvals",
    "StreamStats": ".stream",
}
"""Modules of public names that few processes use; each is imported when a name of it is."""


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - see `_LATER`

    value = globals()[name] = getattr(import_module(_LATER[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
