"""Which session a request belongs to: that of its trace, else the one that the agent named."""

from __future__ import annotations

from inspector.service.ingest.unit_of_work import Draft
from inspector.service.model.rows import RequestRow
from inspector.service.normalise.session_ids import session_id
from inspector.service.sessions.state import NO_KEY_RANK

_UNKNOWN = frozenset({"", "unknown"})


def home_of(draft: Draft, fresh: RequestRow) -> str:
    """Return the id of the session of a new request; it begins with it if there is none.

    A trace that nothing was heard of yet gets the session that the agent named, until a span says
    something better: then the whole trace moves, and its requests with it.
    """
    named = None if fresh.session_id in _UNKNOWN else session_id(fresh.session_id)
    if fresh.trace_id is not None:
        trace = draft.trace(fresh.trace_id)
        if trace.session_id is None:
            trace.rank = NO_KEY_RANK
            home = _present(draft, named or fresh.trace_id)
            draft.rehome(trace, draft.session_or_new(home, fresh.created_ns))
        return trace.session_id or fresh.trace_id
    home = _present(draft, named or session_id(fresh.process_id))
    session = draft.session_or_new(home, fresh.created_ns)
    session.is_declared = True
    return session.id


def _present(draft: Draft, home: str) -> str:
    """Return the session that `home` was merged into, if it was."""
    if draft.session(home) is not None:
        return home
    return draft.reader.destination(home) or home
