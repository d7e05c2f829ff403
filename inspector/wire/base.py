"""What every shape is."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """Base of everything we answer: closed, so that the contract says all there is."""

    model_config = ConfigDict(extra="forbid")


def optional(schema: dict[str, Any]) -> None:
    """Leave the default out of the contract, so that a field which came later may be missing."""
    schema.pop("default", None)
