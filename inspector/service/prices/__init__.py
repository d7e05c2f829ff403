"""Prices of LLM calls: the user's own, else those of a list."""

from inspector.service.prices.pricing import Pricing

__all__ = ["Pricing"]
