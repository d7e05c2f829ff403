"""The shared default bus, with its methods as functions."""

from __future__ import annotations

from instrument.bus import Bus

bus = Bus()

_hooks = bus._hooks
_emit = bus._emit
_emit_sync = bus._emit_sync
register = bus.register
unregister = bus.unregister
observe = bus.observe
observe_all = bus.observe_all
observe_chunks = bus.observe_chunks
operation = bus.operation
call = bus.call
call_sync = bus.call_sync
intercept = bus.intercept
around = bus.around
ask = bus.ask
ask_sync = bus.ask_sync
dispatch = bus.dispatch
dispatch_sync = bus.dispatch_sync
set_approval_provider = bus.set_approval_provider
