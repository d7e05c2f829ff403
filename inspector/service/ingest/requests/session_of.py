"""The session of a request: that of its trace, else the one that the agent named."""

from __future__ import annotations

from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.rows import RequestRow
from inspector.service.normalise.session_ids import session_id
from inspector.service.sessions.state import NO_KEY_RANK

_UNKNOWN = frozenset({"", "unknown"})


def session_of(unit: UnitOfWork, fresh: RequestRow) -> str:
    """Return the session id of a new request; the session is created if there is none.

    A trace without spans gets the session that the agent named, until a span names a better one:
    then the whole trace moves, and its requests with it.
    """
    named = None if fresh.session_id in _UNKNOWN else session_id(fresh.session_id)
    if fresh.trace_id is not None:
        trace = unit.trace(fresh.trace_id)
        if trace.session_id is None:
            trace.rank = NO_KEY_RANK
            id_ = _present(unit, named or fresh.trace_id)
            unit.move_trace(trace, unit.session_or_new(id_, fresh.created_ns))
        return trace.session_id or fresh.trace_id
    id_ = _present(unit, named or session_id(fresh.process_id))
    session = unit.session_or_new(id_, fresh.created_ns)
    session.is_declared = True
    return session.id


def _present(unit: UnitOfWork, id_: str) -> str:
    """Return the session that `id_` was merged into, if it was."""
    if unit.session(id_) is not None:
        return id_
    return unit.reader.destination(id_) or id_
