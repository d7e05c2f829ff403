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
    """Say what the cost of LLM calls is computed from, where senders do not say it."""
    return _prices(parts)


@router.post("/prices/recompute", status_code=202)
async def recompute(parts: PartsDep) -> wire.Prices:
    """Compute the costs of the stored LLM calls again, in the background.

    What senders say stays; the prices are those of the time of each call. While it runs, another
    request starts nothing.
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
