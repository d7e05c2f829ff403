"""`GET /health`: the service's identity, its readiness and the health of its store."""

from __future__ import annotations

from fastapi import APIRouter, Request

from inspector.errors import StoreUnavailableError
from inspector.service.http.access import Access, asked_of
from inspector.service.ingest.writer import Writer
from inspector.service.present import rows as presenter
from inspector.service.storage import Store
from inspector.service.wire import Health, StoreUsage
from inspector.version import VERSION

router = APIRouter(tags=["service"])


@router.get("/health")
def health(request: Request) -> Health:
    """Say that the service is there, and whether it is ready to take telemetry in.

    Needs no token. With one, it says how the store is.
    """
    state = request.app.state
    writer: Writer | None = getattr(state, "writer", None)
    if getattr(state, "receiver", None) is None or writer is None:
        return Health(version=VERSION, ready=False)
    store = writer.store_health
    answer = Health(version=VERSION, ready=store.is_ok)
    access: Access = state.access
    if access.is_known(asked_of(request.scope)):
        answer.store = presenter.store_health(store)
        answer.usage = _usage(state.store, state.settings.retention)
    return answer


def _usage(store: Store, retention: str) -> StoreUsage | None:
    try:
        with store.read() as reader:
            return StoreUsage(used_bytes=reader.used_bytes(), retention=retention)
    except StoreUnavailableError:
        return None
