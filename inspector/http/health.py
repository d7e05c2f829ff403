"""`GET /health`: who answers, whether it is ready, and how the store is."""

from __future__ import annotations

from fastapi import APIRouter, Request

from inspector import presenter
from inspector.http.access import Access, asked_of
from inspector.ingest import Ingest
from inspector.version import VERSION
from inspector.wire import Health

router = APIRouter(tags=["service"])


@router.get("/health")
async def health(request: Request) -> Health:
    """Say that the service is there, and whether it is ready to take telemetry in.

    Needs no token. With one, it says how the store is.
    """
    state = request.app.state
    ingest: Ingest | None = getattr(state, "ingest", None)
    if getattr(state, "receiver", None) is None or ingest is None:
        return Health(version=VERSION, ready=False)
    store = ingest.store_health
    access: Access = state.access
    is_known = access.is_known(asked_of(request.scope))
    return Health(
        version=VERSION,
        ready=store.is_ok,
        store=presenter.store_health(store) if is_known else None,
    )
