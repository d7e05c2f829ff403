"""`GET /health`: the service's identity, its readiness and the health of its store."""

from __future__ import annotations

from contextlib import suppress

from fastapi import APIRouter, Request

from inspector.errors import StoreUnavailableError
from inspector.service.http.access import request_head
from inspector.service.http.parts import Parts, ReadPartsDep
from inspector.service.present import rows as presenter
from inspector.service.wire import Health, StoreUsage
from inspector.version import VERSION

router = APIRouter(tags=["service"])


@router.get("/health")
def health(request: Request, parts: ReadPartsDep) -> Health:
    """Report that the service runs, and whether it is ready to receive telemetry.

    No token required. With one, includes the state of the store.
    """
    if not isinstance(parts, Parts):
        return Health(version=VERSION, ready=False)
    store = parts.writer.store_health
    answer = Health(version=VERSION, ready=store.is_ok)
    if parts.access.is_known(request_head(request.scope)):
        answer.store = presenter.store_health(store)
        with suppress(StoreUnavailableError), parts.store.read() as reader:
            used_bytes = reader.used_bytes()
            answer.usage = StoreUsage(used_bytes=used_bytes, retention=str(parts.retention))
            if parts.history is not None:
                answer.history = presenter.history_health(parts.history.health, reader.head)
    return answer
