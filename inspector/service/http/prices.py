"""`/prices`: the prices in use, and the computation of stored costs."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter

from inspector.service import wire
from inspector.service.http.parts import Parts, PartsDep
from inspector.service.prices import Pricing

router = APIRouter(tags=["prices"])


@router.get("/prices")
def prices(parts: PartsDep) -> wire.Prices:
    """Return the prices used for LLM calls whose senders report no cost."""
    return _prices(parts)


@router.post("/prices/recompute", status_code=202)
async def recompute(parts: PartsDep) -> wire.Prices:
    """Recompute the costs of stored LLM calls in the background.

    Reported costs stay; each call uses the prices at its time. While it runs, further requests have
    no effect.
    """
    parts.repricing.start()
    return _prices(parts)


def price_source(pricing: Pricing) -> wire.PriceSource:
    """Return the list of prices in use."""
    return wire.PriceSource.model_validate(asdict(pricing.list_info))


def _prices(parts: Parts) -> wire.Prices:
    file = parts.settings.prices
    return wire.Prices(
        price_list=price_source(parts.pricing),
        file=None if file is None else str(file),
        recomputation=wire.Recomputation(**asdict(parts.repricing.progress)),
    )
