"""`GET /health`: who answers, and whether it is ready."""

from __future__ import annotations

from fastapi import APIRouter, Request

from inspector.version import VERSION
from inspector.wire import Health

router = APIRouter(tags=["service"])


@router.get("/health")
async def health(request: Request) -> Health:
    """Say that the service is there. Needs no token, and tells nothing else."""
    is_ready = getattr(request.app.state, "receiver", None) is not None
    return Health(version=VERSION, ready=is_ready)
